"""What a command imports before it has anything to do; how long that takes is for the user's patience."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
#: What a command that does no work has no use for; each takes a tenth of a second or more.
FOR_WORK = {"igraph", "matplotlib", "openai", "pandas", "pddlgym", "pyarrow", "ray", "scipy"}
#: What a help that has read no flag has no use for either.
HEAVY = FOR_WORK | {"clingo", "gymnasium", "tarski"}

LOADED = """
import json, runpy, sys
codes = []
for module, *arguments in {commands!r}:
    sys.argv[1:] = arguments
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        codes.append(end.code)
sys.__stderr__.write(json.dumps([codes, sorted(name for name in sys.modules if "." not in name)]))
"""


def loaded(*commands: tuple[str, ...]) -> set[str]:
    """The top-level packages in memory after commands have ended, one after another in one process."""
    program = LOADED.format(commands=commands)
    ended = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    codes, names = json.loads(ended.stderr.splitlines()[-1])
    assert codes == [0] * len(commands) and ended.stdout, ended.stderr
    return set(names)


def test_the_help_of_a_command_loads_no_heavy_package() -> None:
    commands = ("experiments.run", "experiments.report", "experiments.bench", "experiments.worlds")
    assert loaded(*((command, "--help") for command in commands)) & HEAVY == set()


def test_what_needs_no_work_is_printed_without_the_packages_that_work_needs() -> None:
    printed = loaded(("experiments.run", "--print-config"), ("experiments.worlds", "list"))
    assert printed & FOR_WORK == set()
