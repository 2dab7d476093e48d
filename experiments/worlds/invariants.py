"""The findings of a world's own invariants: they have to be read, and no state may break them.

They are held against the initial state of each task, and against goal states that are reached in it by
looking at some thousand states. That they hold in all others is not shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from envs.invariants import FILE, world_invariants
from envs.pddl.equivalence.goals.consequences import BadRules, SolvingTooLong
from envs.pddl.equivalence.goals.derive import Derivation, Means
from envs.pddl.equivalence.goals.goal import Goal, NotLiterals, read_goal
from envs.pddl.equivalence.invariants.transitions import TooLarge
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.issues import PDDLError, Severity
from experiments.worlds.files import tasks_of
from experiments.worlds.findings import Finding

_MAX_STATES = 2_000


def check_invariants(folder: Path) -> list[Finding]:
    """Everything that speaks against the invariants in a world's folder; nothing if it has none."""
    rules = world_invariants(str(folder))
    return list(_findings(folder, rules)) if rules else []


def _findings(folder: Path, rules: str) -> Iterator[Finding]:
    domain = read_domain((folder / "domain.pddl").read_text(encoding="utf-8"))
    for stem in tasks_of(folder).stems:
        try:
            problem = read_problem((folder / f"{stem}.pddl").read_text(encoding="utf-8"), domain)
            derivation = Derivation(problem, Means(invariants=rules, max_states=_MAX_STATES))
            derivation.refute(Goal())
            derivation.refute(read_goal(problem))
        except BadRules as error:
            yield Finding(Severity.ERROR, FILE, f"{stem}: {error}", "mend the rules, or leave them out")
            return
        except (PDDLError, UnicodeDecodeError, NotLiterals, TooLarge, SolvingTooLong):
            continue  # the problem's findings are told of its own file, or nothing can be told
