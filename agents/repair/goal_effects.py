"""Effects that goals alone read: walks never show them, and a plan that works may do without them.

Where one visits a place by bus and on foot, a plan by bus says nothing of `(visited ?to)` on foot. So once
goals are reached, each such effect of the model is held against the model without it, and against the model
with one more where another action speaks for that: `ride` makes `(at ?to)` and `(visited ?to)` true, and
`walk` makes `(at ?to)` true. Where a planner finds a walk to the goal of one of the two alone, the world says
whether its goal holds there (`rivals.ask_between`). What it says is evidence as any other verdict.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import replace

from agents.repair.candidate import Candidate, EffectEdit, effects_of
from agents.repair.goals import GoalVerdicts
from agents.repair.model import Model, opposite
from agents.repair.rivals import MOST_RIVALS, ask_between
from agents.repair.session import RepairSession
from agents.repair.text import edited_problem
from envs.pddl.simulation.lifted import Literal, literals_of
from ew.walks.budget import BudgetExceeded, TimeUp

#: The share of the time that is left for asking.
_TO_ASK = 1 / 3


def doubted_by_goals(
    session: RepairSession, best: Candidate, tasks: Collection[int], asked: set[EffectEdit]
) -> bool:
    """Whether the world says otherwise than a candidate about an effect that goals alone read.

    `tasks` are those whose goals are reached; edits in `asked` are not asked about, and those that were are
    put there. Ends, without an error, where the budget does. Raises PlannerMissing.
    """
    model, is_late = session.model, session.has_spent(_TO_ASK)
    for edit in [one for one in _alternatives(model, best) if one not in asked][:MOST_RIVALS]:
        asked.add(edit)
        other = replace(best, edits=best.edits ^ {_as_edit(model, edit)})
        for task in tasks:
            if is_late():
                return False
            both = (edited_problem(model, each, task) for each in (best, other))
            with suppress(BudgetExceeded, TimeUp):
                if ask_between(session, task, *both):
                    break
            if not session.explains(best):
                return True
        if GoalVerdicts.beside(session.repairs(), session.verdicts()).against(best.edits):
            return True
    return False


def _as_edit(model: Model, change: EffectEdit) -> EffectEdit:
    """The edit of the model that makes a change, or that the change takes back."""
    return replace(change, present=change.effect not in model.actions[change.action].effects)


def _alternatives(model: Model, best: Candidate) -> Iterator[EffectEdit]:
    """Changes of a candidate's effects that only goals would show: effects that go, then those that come."""
    only = {predicate for predicate, _ in model.wanted} - _read(model, best)
    effects = {name: effects_of(action, best.edits) for name, action in sorted(model.actions.items())}
    for name, own in effects.items() if only else ():
        yield from (EffectEdit(name, effect, False) for effect in own if effect.predicate in only)
    makers = [own for own in effects.values() if any(effect.predicate in only for effect in own)]
    for name, own in effects.items() if only else ():
        for literal in model.actions[name].candidates:
            new = literal.predicate in only and literal not in own and opposite(literal) not in own
            if new and any(_speaks_for(literal, own, others) for others in makers):
                yield EffectEdit(name, literal, True)


def _read(model: Model, best: Candidate) -> set[str]:
    """The predicates that some condition of an action reads."""
    found = set[str]()
    for action in model.actions.values():
        needed = best.fit_of(action).preconditions(action)
        conditions = (*needed, *action.fixed, *(effect.condition for effect in action.conditional))
        found |= {literal.predicate for condition in conditions for literal in literals_of(condition)}
    return found


def _speaks_for(literal: Literal, own: Collection[Literal], others: Collection[Literal]) -> bool:
    """Whether another action has such an effect beside one that this action has, of the same arguments."""
    alike = [other for other in others if (other.predicate, other.positive) == _kind(literal)]
    return any(
        all(
            pair in zip(mine.terms, theirs.terms, strict=True)
            for pair in zip(literal.terms, one.terms, strict=True)
        )
        for one in alike
        for theirs in others
        for mine in own
        if theirs != one and _kind(theirs) == _kind(mine)
    )


def _kind(literal: Literal) -> tuple[str, bool]:
    return literal.predicate, literal.positive
