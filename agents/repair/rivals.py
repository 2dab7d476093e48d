"""Rivals: literals that a repaired precondition could have in the place of one that the repair has added.

Both explain all that was seen. So a model with the one and a model with the other are searched side by side,
breadth first, for a walk that only one of them allows: the world decides between them by that walk. Rivals
that differ nowhere in the tasks seen are equal there; of other tasks only what is known of the domain could
say which one is right.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np

from agents.repair.candidate import Candidate
from agents.repair.examples import Numbers, Tables
from agents.repair.model import Editable, Fit, Model, opposite
from agents.repair.search import Repairs
from agents.repair.session import RepairSession
from agents.repair.text import edited_problem, shown
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.grounding import GroundingExploded, limits_in
from envs.pddl.simulation.lifted import Literal
from envs.pddl.simulation.simulator import Task
from ew.counterexample.exposure import Kind, first_difference
from ew.walks.budget import BudgetExceeded, TimeUp

#: Rivals that are looked at, and pairs of states of the two models in each task.
MOST_RIVALS, MOST_STATES = 20, 1000


@dataclass(frozen=True)
class RivalLiterals:
    """Two literals of which a precondition needs one, and whether it matters which."""

    action: str
    added: str  #: the one that the repair has added
    other: str
    equal: bool  #: whether both allow the same in the tasks seen, all states looked at

    def __str__(self) -> str:
        known = "which is the same in these tasks" if self.equal else "nothing that was seen decides"
        return f"{self.action} needs {self.added}, or {self.other}: {known}"


@dataclass(frozen=True)
class Rival:
    """A literal that would have done as well as one that was added to an action's precondition."""

    action: str
    added: Literal
    other: Literal

    def in_place(self, candidate: Candidate) -> Candidate:
        """The candidate with the rival in the place of the added literal."""
        fitted = candidate.fits[self.action]
        swapped = tuple(self.other if p == self.added else p for p in fitted.added)
        return replace(candidate, fits={**candidate.fits, self.action: replace(fitted, added=swapped)})

    def in_words(self, model: Model, equal: bool) -> RivalLiterals:
        """The two literals as PDDL."""
        added, other = (shown(model, self.action, literal) for literal in (self.added, self.other))
        return RivalLiterals(self.action, added, other, equal)


def rivals_of(
    repairs: Repairs, action: Editable, fitted: Fit, only: Numbers, tables: Tables
) -> list[Literal]:
    """The literals that nothing refutes and that exclude the refused examples in `only`, of an action."""
    needed = fitted.preconditions(action)
    out = {*needed, *fitted.refuted, *map(opposite, needed)}
    truths = ((p, repairs.satisfied(action, [p], tables)) for p in action.tests if p not in out)
    positive = repairs.seen.of[action.name].positive
    return [p for p, held in truths if held[positive].all() and not held[only].any()]


def rivals(repairs: Repairs, candidate: Candidate) -> Iterator[Rival]:
    """All rivals of a candidate, by action, in the order of `Editable.tests`."""
    tables = repairs.tables(candidate.edits)
    for name, fitted in sorted(candidate.fits.items()):
        action, refused = repairs.model.actions[name], repairs.seen.of[name].negative
        for added in fitted.added:
            others = [p for p in fitted.preconditions(action) if p != added]
            running = repairs.satisfied(action, [*others, *action.fixed], tables)[refused]
            only = refused[running & ~repairs.satisfied(action, [added], tables)[refused]]
            # a literal that excludes nothing alone has no rivals: any would do
            for other in rivals_of(repairs, action, fitted, only, tables) if len(only) else ():
                yield Rival(name, added, other)


def settle_rivals(session: RepairSession, candidate: Candidate) -> tuple[RivalLiterals, ...]:
    """Walk in the world wherever a candidate and a rival differ; the rivals that no walk separates.

    What the world answers is evidence as any other, and the candidate need not explain it: then the result
    is empty. Ends, without an error, where the budget does.
    """
    looked, left = set[Rival](), list[RivalLiterals]()
    least, places = session.left_s / 2, range(len(session.places))
    own = cache(partial(_compiled, session, candidate))
    with suppress(BudgetExceeded, TimeUp):
        while len(looked) < MOST_RIVALS and session.left_s > least:
            open_ = (one for one in rivals(session.repairs(), candidate) if one not in looked)
            if (rival := next(open_, None)) is None:
                break
            looked.add(rival)
            other = rival.in_place(candidate)
            kinds = [_separated(session, task, own(task), _compiled(session, other, task)) for task in places]
            if Kind.EXECUTABLE not in kinds:
                left.append(rival.in_words(session.model, equal=Kind.UNKNOWN not in kinds))
            elif not session.explains(candidate):
                return ()
    return tuple(left)


def _compiled(session: RepairSession, candidate: Candidate, task: int) -> Task | None:
    """A task of the edited model; None if it is too large."""
    limits = limits_in(session.places[task].world, session.config.limits)
    try:
        return compile_task(edited_problem(session.model, candidate, task), limits)
    except GroundingExploded:
        return None


def _separated(session: RepairSession, task: int, one: Task | None, other: Task | None) -> Kind:
    """How two models differ in a task; a walk that only one of them allows is made in the world."""
    if one is None or other is None:
        return Kind.UNKNOWN
    place, found = session.places[task], first_difference(one, other, MOST_STATES)
    node, numbers = np.array([0]), {text: i for i, text in enumerate(place.walks.operators)}
    for operator in found.walk:
        at = np.array([numbers.get(operator, -1)])
        if at[0] < 0 and place.walks.lists:  # the world has no such operator, which its list shows
            place.walks.applicable(node)
        if at[0] < 0 or not place.walks.executes(node, at)[0]:
            session.look_at(operator, task)
            break
        node = place.walks.successors(node, at)
    return found.kind
