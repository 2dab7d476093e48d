"""What a command imports before it has anything to do; how long that takes is for the user's patience."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
#: What a command that does no work has no use for; each takes a tenth of a second or more.
FOR_WORK = {"igraph", "matplotlib", "openai", "pddlgym", "pyarrow", "ray", "scipy"}
#: What a help that has read no flag has no use for either.
HEAVY = FOR_WORK | {"clingo", "gymnasium", "tarski"}

LOADED = """
import json, runpy, sys
sys.argv[1:] = {arguments!r}
try:
    runpy.run_module({module!r}, run_name="__main__", alter_sys=True)
except SystemExit as end:
    code = end.code
sys.__stderr__.write(json.dumps([code, sorted(name for name in sys.modules if "." not in name)]))
"""


def loaded(module: str, *arguments: str) -> set[str]:
    """The top-level packages in memory after a command has ended."""
    program = LOADED.format(module=module, arguments=list(arguments))
    ended = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    code, names = json.loads(ended.stderr.splitlines()[-1])
    assert code == 0 and ended.stdout, ended.stderr
    return set(names)


def test_the_help_of_the_main_job_loads_no_heavy_package() -> None:
    assert loaded("experiments.run", "--help") & HEAVY == set()


def test_a_resolved_configuration_is_printed_without_the_packages_that_work_needs() -> None:
    assert loaded("experiments.run", "--print-config") & FOR_WORK == set()


@pytest.mark.parametrize("module", ["experiments.report", "experiments.bench", "experiments.worlds"])
def test_the_help_of_a_further_command_loads_no_heavy_package(module: str) -> None:
    assert loaded(module, "--help") & HEAVY == set()


def test_the_list_of_worlds_is_printed_without_the_packages_that_work_needs() -> None:
    assert loaded("experiments.worlds", "list") & FOR_WORK == set()
