"""Rivals: edits that explain all that was seen as well as those that a repair has made, at no more cost.

One is another literal in the place of one that was added to a precondition. Another is an effect of other
arguments in the place of one that was only taken away: nothing may have been seen that needs it. A rule that
was taken has rivals, too: those that were proposed beside it and cost as much (`agents.repair.rules`).

A model and its rival are searched side by side, breadth first, for a walk that only one of them allows; where
that shows nothing near the start, a planner looks further (`ew.counterexample.side_by_side`). The world
decides between them by that walk. Rivals that differ nowhere in the tasks seen are equal there; of other
tasks only what is known of the domain could say which one is right.

Models that allow the same walks may lead to the goal by different ones. A planner looks for a walk after
which only one of them has the goal, and the world says whether it holds there (`ask_between`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Self

import numpy as np

from agents.repair.candidate import Candidate, EffectEdit, effects_of
from agents.repair.examples import Numbers, Tables
from agents.repair.model import Editable, Fit, Model, opposite, pairs, unpaired
from agents.repair.search import Repairs
from agents.repair.session import RepairSession
from agents.repair.text import changes, edited_problem
from envs.pddl.language.domain import Problem
from envs.pddl.language.issues import PDDLError
from envs.pddl.planning.planner import PlanOutcome, PlanResult
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.grounding import GroundingExploded, limits_in
from envs.pddl.simulation.lifted import Literal
from envs.pddl.simulation.simulator import Task
from ew.counterexample.exposure import Kind, first_difference
from ew.counterexample.side_by_side import SideBySide, goals_side_by_side, side_by_side
from ew.walks.budget import BudgetExceeded, TimeUp

#: Rivals that are looked at, and pairs of states of the two models in each task.
MOST_RIVALS, MOST_STATES = 20, 1000
#: Seconds that a planner has for one walk, and for one to a goal.
_PLAN_S, _GOAL_S = 3.0, 1.0


@dataclass(frozen=True, eq=False)
class EditedModel:
    """A model with all its edits made, by task."""

    edits: tuple[str, ...]  #: in words
    problem: Callable[[int], Problem]

    @classmethod
    def of(cls, model: Model, candidate: Candidate, structural: tuple[str, ...] = ()) -> Self:
        """A model with a candidate's edits; `structural` are those that the model itself is made by."""
        words = (*structural, *map(str, changes(model, candidate)))
        return cls(words, partial(edited_problem, model, candidate))


@dataclass(frozen=True)
class RivalEdits:
    """Edits that could stand in the place of others, and whether it matters which."""

    edits: tuple[str, ...]  #: those that the repair has made
    others: tuple[str, ...]  #: those that could be in their place
    equal: bool  #: whether both allow the same in the tasks seen, by a proof

    @classmethod
    def of(cls, ours: EditedModel, theirs: EditedModel, equal: bool) -> Self:
        """What two models do not have in common."""
        own = tuple(edit for edit in ours.edits if edit not in theirs.edits)
        return cls(own, tuple(edit for edit in theirs.edits if edit not in ours.edits), equal)

    def __str__(self) -> str:
        known = "which is the same in these tasks" if self.equal else "nothing that was seen decides"
        ours, theirs = (" and ".join(edits) or "nothing more" for edits in (self.edits, self.others))
        return f"{ours}; or {theirs}: {known}"


def rivals_of(
    repairs: Repairs, action: Editable, fitted: Fit, only: Numbers, tables: Tables
) -> list[Literal]:
    """The literals that nothing refutes and that exclude the refused examples in `only`, of an action."""
    needed = fitted.preconditions(action)
    out = {*needed, *fitted.refuted, *map(opposite, needed)}
    truths = ((p, repairs.satisfied(action, [p], tables)) for p in action.tests if p not in out)
    positive = repairs.seen.of[action.name].positive
    return [p for p, held in truths if held[positive].all() and not held[only].any()]


def rivals(repairs: Repairs, candidate: Candidate) -> Iterator[Candidate]:
    """All rivals of a candidate: by action, in the order of `Editable.tests`."""
    yield from _other_preconditions(repairs, candidate)
    yield from _other_effects(repairs, candidate)


def _other_preconditions(repairs: Repairs, candidate: Candidate) -> Iterator[Candidate]:
    tables = repairs.tables(candidate.edits)
    for name, fitted in sorted(candidate.fits.items()):
        action, refused = repairs.model.actions[name], repairs.seen.of[name].negative
        for added in fitted.added:
            others = [p for p in fitted.preconditions(action) if p != added]
            running = repairs.satisfied(action, [*others, *action.fixed], tables)[refused]
            only = refused[running & ~repairs.satisfied(action, [added], tables)[refused]]
            # a literal that excludes nothing alone has no rivals: any would do
            for other in rivals_of(repairs, action, fitted, only, tables) if len(only) else ():
                swapped = tuple(other if p == added else p for p in fitted.added)
                fits = {**candidate.fits, name: replace(fitted, added=swapped)}
                rival = repairs.with_fits(candidate.edits, fits)
                if rival.cost <= candidate.cost:
                    yield rival


def _other_effects(repairs: Repairs, candidate: Candidate) -> Iterator[Candidate]:
    """Effects that were taken away come with other arguments."""
    for name, action in sorted(repairs.model.actions.items()):
        own = [e for e in candidate.edits if isinstance(e, EffectEdit) and e.action == name]
        gone = unpaired((e.effect for e in own if not e.present), (e.effect for e in own if e.present))
        kept = effects_of(action, candidate.edits)
        for effect in (p for p in action.candidates if pairs(gone, [p])):
            if effect not in gone and effect not in kept and opposite(effect) not in kept:
                other = repairs.candidate(candidate.edits | {EffectEdit(name, effect, True)})
                if not other.unexplained and other.cost <= candidate.cost:
                    yield other


def settle_rivals(
    session: RepairSession,
    candidate: Candidate,
    structural: tuple[str, ...] = (),
    others: Callable[[], Iterable[EditedModel]] = tuple,
) -> tuple[RivalEdits, ...]:
    """Walk in the world wherever a candidate and a rival differ; the rivals that no walk separates.

    `structural` are the edits that the candidate's model is made by, and `others` makes the rivals with other
    such edits that explain all that was seen by then. What the world answers is evidence as any other, and
    the candidate need not explain it: then the result is empty. Ends, without an error, where the budget
    does. Raises PlannerMissing.
    """
    least, places = session.left_s / 2, range(len(session.places))
    ours = EditedModel.of(session.model, candidate, structural)
    looked, left = {ours.edits}, list[RivalEdits]()
    own = cache(partial(_compiled, session, ours))
    by_rules = iter(others())

    def not_looked_at() -> Iterator[EditedModel]:
        """Rivals by what was seen by now; each one by other rules is made once."""
        yield from by_rules
        for one in rivals(session.repairs_of(session.model, session.repairs().seen), candidate):
            yield EditedModel.of(session.model, one, structural)

    with suppress(BudgetExceeded, TimeUp):
        while len(looked) <= MOST_RIVALS and session.left_s > least:
            open_ = (one for one in not_looked_at() if one.edits not in looked)
            if (rival := next(open_, None)) is None:
                break
            looked.add(rival.edits)
            kinds = [_separated(session, task, ours, rival, own(task), least) for task in places]
            if Kind.EXECUTABLE not in kinds:
                equal = all(kind is Kind.NONE for kind in kinds)
                left.append(RivalEdits.of(ours, rival, equal))
            elif not session.explains(candidate):
                return ()
    return tuple(left)


def _compiled(session: RepairSession, model: EditedModel, task: int) -> Task | None:
    """A task of the edited model; None if it is too large."""
    limits = limits_in(session.places[task].world, session.config.limits)
    try:
        return compile_task(model.problem(task), limits)
    except GroundingExploded:
        return None


def _separated(
    session: RepairSession, task: int, model: EditedModel, rival: EditedModel, own: Task | None, least: float
) -> Kind:
    """How two models differ in a task; a walk that only one of them allows is made in the world.

    A planner is asked only if more than `least` seconds are left.
    """
    other = _compiled(session, rival, task)
    if own is None or other is None:
        return Kind.UNKNOWN
    found = first_difference(own, other, MOST_STATES)
    kind, walk = found.kind, found.walk
    planner_s = min(_PLAN_S, session.left_s - least)
    if kind in (Kind.UNKNOWN, Kind.GOAL) and found.states > MOST_STATES and planner_s > 0:
        further, walk = _planned(session, model.problem(task), rival.problem(task), planner_s)
        kind = Kind.GOAL if (kind, further) == (Kind.GOAL, Kind.NONE) else further
    place = session.places[task]
    node, numbers = np.array([0]), {text: i for i, text in enumerate(place.walks.operators)}
    for operator in walk:
        at = np.array([numbers.get(operator, -1)])
        if at[0] < 0 and place.walks.lists:  # the world has no such operator, which its list shows
            place.walks.applicable(node)
        if at[0] < 0 or not place.walks.executes(node, at)[0]:
            session.look_at(operator, task)
            break
        node = place.walks.successors(node, at)
    return kind


def _planned(
    session: RepairSession, ours: Problem, theirs: Problem, wall_s: float
) -> tuple[Kind, tuple[str, ...]]:
    """What a planner says of a task of two models: a walk that only one of them allows, or that none does.

    It is not asked where it is not asked for goals either.
    """
    if not session.config.goal_trials:
        return Kind.UNKNOWN, ()
    found, result = _walk_apart(session, partial(side_by_side, ours, theirs), wall_s)
    if result is None:
        return Kind.UNKNOWN, ()
    if result.plan is not None:
        return Kind.EXECUTABLE, found
    proved = result.outcome is PlanOutcome.UNSOLVABLE_PROVED
    return (Kind.NONE if proved else Kind.UNKNOWN), ()


def ask_between(session: RepairSession, task: int, ours: Problem, theirs: Problem) -> bool:
    """Ask the world for its goal after a walk that leads to it in one of two models alone, if there is one.

    Returns whether the world has answered. Raises BudgetExceeded, TimeUp, PlannerMissing.
    """
    walk, _ = _walk_apart(session, partial(goals_side_by_side, ours, theirs), _GOAL_S)
    if not walk:
        return False
    evidence = session.places[task].goal
    followed = evidence.follow(walk)
    if followed.refused:
        session.look_at(followed.refused, task)
        return False
    evidence.ask(followed.node)
    return True


def _walk_apart(
    session: RepairSession, make: Callable[[], SideBySide], wall_s: float
) -> tuple[tuple[str, ...], PlanResult | None]:
    """The walk that a planner finds between two models, and its answer; None if it cannot be asked."""
    try:
        apart = make()
    except PDDLError:  # their names leave no room for those of the other model
        return (), None
    result = session.plans(apart.problem, wall_s)
    return apart.walk(result.plan or ()), result
