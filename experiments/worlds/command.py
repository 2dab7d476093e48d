"""A command of `python -m experiments.worlds`: its flags are read, and its errors become one line each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import tyro
from rich.console import Console

from agents.llm.errors import LLMError
from agents.tic.infer import InferenceFailed, RulesFailed
from envs.pddl.equivalence.graphs.canonical import LabellingFailed
from envs.pddl.language.issues import PDDLError
from envs.pddl.planning.planner import PlannerMissing
from envs.plugins import BrokenPlugin
from envs.source import WorldNotFound
from experiments.config import EXIT_CONFIG, EXIT_MACHINE, ConfigError, check, fail
from experiments.driver.command import EXIT_INTERRUPTED
from experiments.reporting.display import exit_code_of, wide_console
from experiments.runs.directory import ConfigDrift, RunBusy
from experiments.spending.caps import BudgetReached


class WorldsCommand(Protocol):
    """The flags of a command, which carry it out."""

    def run(self, console: Console) -> int:
        """Do the work and print what came of it; the exit code. Raises the errors named below."""
        ...


def carried_out(name: str, flags: type[WorldsCommand], arguments: Sequence[str]) -> int:
    """Run the command `name` with the flags in `arguments`; returns the exit code."""
    given = tyro.cli(flags, prog=f"python -m experiments.worlds {name}", args=list(arguments))
    try:
        return check(given).run(wide_console(markup=False, highlight=False, soft_wrap=True))
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
