"""What goals alone read: walks never show it, and a plan that works may do without it.

Where one visits a place by bus and on foot, a plan by bus says nothing of `(visited ?to)` on foot. So once
goals are reached, the model is compared with the one without each such effect, with the one with each that
another action speaks for (`goals.likely_effects`), and with the one with its negation: a stone that is pushed
onto its place may be pushed off again. A parameter of a goal's predicate that makes no difference at the
start may be one too many, and then what was undone may hold still, by another object: the model is compared
with the one without it. Where a planner finds a walk to the goal of one of the two alone, the world says
whether its goal holds there (`rivals.ask_between`). Its answer is evidence as any other verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain, islice

from agents.repair.candidate import Candidate, EffectEdit, effects_of
from agents.repair.goals import GoalVerdicts, likely_effects
from agents.repair.model import Model, opposite
from agents.repair.rivals import MOST_RIVALS, ask_between
from agents.repair.rules.variants import changed_repairs, goals_parameters
from agents.repair.session import RepairSession
from agents.repair.text import edited_problem
from envs.pddl.language.domain import Problem
from envs.pddl.simulation.lifted import literals_of
from ew.walks.budget import BudgetExceeded, TimeUp

#: The share of the time that is left for asking; of all time, so much has to be left.
_TO_ASK, _LEAST = 1 / 3, 1 / 2
#: What a model is compared with: what it differs in, and the other model by task.
_Other = tuple[Hashable, Callable[[int], Problem]]


def refuted_by_goals(
    session: RepairSession, best: Candidate, tasks: Collection[int], asked: set[Hashable]
) -> bool:
    """Whether the world says otherwise than a candidate about something that goals alone read.

    `tasks` are those whose goals are reached; changes in `asked` are not asked about, and those that were are
    put there. Ends, without an error, where the budget does. Raises PlannerMissing.
    """
    if session.left_s < _LEAST * session.config.wall_s:  # the models are large then, and so is what is asked
        return False
    is_late = session.has_spent(_TO_ASK)
    others = chain(_other_effects(session.model, best), _fewer_parameters(session, best))
    for change, other in islice((one for one in others if one[0] not in asked), MOST_RIVALS):
        asked.add(change)
        for task in tasks:
            if is_late():
                return False
            with suppress(BudgetExceeded, TimeUp):
                if ask_between(session, task, edited_problem(session.model, best, task), other(task)):
                    break
            if not session.explains(best):
                return True
        if GoalVerdicts.beside(session.repairs(), session.verdicts()).against(best.edits):
            return True
    return False


def _fewer_parameters(session: RepairSession, best: Candidate) -> Iterator[_Other]:
    """Models without a parameter that makes no difference at the start, as far as they explain all seen."""
    for variant in goals_parameters(session.repairs(), best, session.is_late, indifferent=True):
        changed = changed_repairs(session.repairs(), variant)
        candidate = changed.candidate(variant.edits)
        verdicts = GoalVerdicts.beside(changed, session.verdicts())
        if not candidate.unexplained and not verdicts.against(variant.edits):
            yield variant.words, partial(edited_problem, changed.model, candidate)


def _other_effects(model: Model, best: Candidate) -> Iterator[_Other]:
    """Models with one change of effects that goals alone would show."""
    for change in _alternatives(model, best):
        other = replace(best, edits=best.edits ^ {_as_edit(model, change)})
        yield change, partial(edited_problem, model, other)


def _as_edit(model: Model, change: EffectEdit) -> EffectEdit:
    """The edit of the model that makes a change, or that the change takes back."""
    return replace(change, present=change.effect not in model.actions[change.action].effects)


def _alternatives(model: Model, best: Candidate) -> Iterator[EffectEdit]:
    """Changes of a candidate's effects that only goals would show: that go, that come, that undo."""
    only = {predicate for predicate, _ in model.wanted} - _read(model, best)
    for name, action in sorted(model.actions.items()):
        for effect in effects_of(action, best.edits):
            if effect.predicate in only:
                yield EffectEdit(name, effect, False)
    likely = likely_effects(model, best.edits, only)
    yield from (EffectEdit(name, effect, True) for name, effect in likely)
    yield from (EffectEdit(name, opposite(effect), True) for name, effect in likely)


def _read(model: Model, best: Candidate) -> set[str]:
    """The predicates that some condition of an action reads."""
    found = set[str]()
    for action in model.actions.values():
        needed = best.fit_of(action).preconditions(action)
        conditions = (*needed, *action.fixed, *(effect.condition for effect in action.conditional))
        found |= {literal.predicate for condition in conditions for literal in literals_of(condition)}
    return found
