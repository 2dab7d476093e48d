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

from collections.abc import Sequence
from typing import Annotated, TypeAlias

import tyro
from rich.console import Console

from agents.llm.errors import LLMError
from agents.tic.materialise import InferenceFailed, RulesFailed
from envs.pddl.equivalence.graphs.canonical import LabellingFailed
from envs.pddl.language.issues import PDDLError
from envs.pddl.planning.planner import PlannerMissing
from envs.plugins import BrokenPlugin
from envs.source import WorldNotFound
from experiments.config import EXIT_CONFIG, EXIT_MACHINE, ConfigError, fail
from experiments.driver.command import run_command
from experiments.driver.interrupt import EXIT_INTERRUPTED
from experiments.driver.models import exit_code_of
from experiments.reporting.display import wide_console
from experiments.runs.directory import ConfigDrift
from experiments.runs.lock import RunBusy
from experiments.spending.caps import BudgetReached
from experiments.worlds.check import Check, check
from experiments.worlds.describe import Describe, describe
from experiments.worlds.listing import List, show_list
from experiments.worlds.make import Make, make
from experiments.worlds.paraphrase import ParaphraseWorld, paraphrase
from experiments.worlds.show import Show, show_world

Command: TypeAlias = (
    Annotated[List, tyro.conf.subcommand("list")]
    | Annotated[Show, tyro.conf.subcommand("show")]
    | Annotated[Check, tyro.conf.subcommand("check")]
    | Annotated[Make, tyro.conf.subcommand("make")]
    | Annotated[Describe, tyro.conf.subcommand("describe")]
    | Annotated[ParaphraseWorld, tyro.conf.subcommand("paraphrase")]
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code. Errors become one line each."""
    command = tyro.cli(Command, default=List(), prog="python -m experiments.worlds", args=arguments)
    try:
        return _run(command, wide_console())
    except (ConfigError, ConfigDrift, RunBusy, RulesFailed, WorldNotFound, BrokenPlugin, PDDLError) as error:
        return fail(str(error), EXIT_CONFIG)
    except UnicodeDecodeError as error:
        return fail(f"a file is not UTF-8: {error}; `check` says which", EXIT_CONFIG)
    except (PlannerMissing, InferenceFailed, LabellingFailed, BudgetReached, OSError) as error:
        return fail(str(error), EXIT_MACHINE)
    except LLMError as error:
        return fail(str(error), exit_code_of(error))
    except KeyboardInterrupt:
        return fail("stopped; what was written is kept", EXIT_INTERRUPTED)


def _run(command: Command, console: Console) -> int:
    match command:
        case List():
            return show_list(console)
        case Show():
            return show_world(command, console)
        case Check():
            return check(command, console)
        case Make():
            return make(command, console)
        case Describe():
            return describe(command, console)
        case ParaphraseWorld():
            return paraphrase(command, console)


if __name__ == "__main__":
    run_command(main)
