"""The worlds, on the command line.

    python -m experiments.worlds                      all worlds: sizes, branching, plan lengths
    python -m experiments.worlds show NAME            the texts, the action interface and a state
    python -m experiments.worlds check PATH           what is wrong or missing in a folder of yours
    python -m experiments.worlds make NAME            a built-in world's shipped tasks anew, or more tasks
    python -m experiments.worlds describe PATH        texts for a folder of PDDL alone, by a language model
    python -m experiments.worlds paraphrase --env NAME --out FOLDER   task texts in other words, likewise

Exit codes: 0 all is well; 1 `check` found an error, or `describe` wrote a text that may be wrong, or not all,
or a text of `paraphrase` is missing; 2 a flag, a name or a file is wrong; 3 the machine failed (planner,
solver, endpoint), or a cap was reached.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from types import MappingProxyType

from experiments.config import EXIT_CONFIG, ConfigError, fail, pick
from experiments.driver.command import run_command

#: Command to its flags, `module:Class` in this package: a `WorldsCommand`. Imported on use.
COMMANDS: Mapping[str, str] = MappingProxyType(
    {
        "list": "listing:List",
        "show": "show:ShowWorld",
        "check": "check:Check",
        "make": "make:MakeTasks",
        "describe": "describe:Describe",
        "paraphrase": "paraphrase:ParaphraseWorld",
    }
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command, by default `list`; returns the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given and given[0] in ("-h", "--help"):
        print(f"{__doc__}\n`python -m experiments.worlds COMMAND --help` lists the flags of a command.")
        return 0
    name, *flags = given or ["list"]
    try:
        module, _, kind = COMMANDS[pick("command", name, COMMANDS)].partition(":")
    except ConfigError as error:
        return fail(str(error), EXIT_CONFIG)
    carried_out = import_module("experiments.worlds.command").carried_out
    code: int = carried_out(name, getattr(import_module(f"experiments.worlds.{module}"), kind), flags)
    return code


if __name__ == "__main__":
    run_command(main)
