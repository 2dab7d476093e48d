"""Conditional effects for goals that nothing in a model leads to, and that perhaps no walk has reached.

So nothing that was seen says where such an effect fires; a plan by the model with it does, in the world.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

from agents.repair.candidate import Candidate
from agents.repair.model import Model
from agents.repair.rules.conditional import MAX_FOR_GOAL, variant_of
from agents.repair.rules.effect_conditions import Conditional, kinds_of_variable, literals_over_variable
from agents.repair.rules.firing import OwnEffect
from agents.repair.rules.variants import Variant, lacking_for_goals
from agents.repair.search import Repairs
from envs.pddl.simulation.lifted import literals_of


def effects_towards_goals(repairs: Repairs, found: Candidate, stop: Callable[[], bool]) -> Iterator[Variant]:
    """Variants with an effect on many objects that goals ask for and nothing in the model does.

    It is on all objects of a type, or on those that one literal holds of, or two. One comes before two; those
    that name more of the action's parameters come first, and negations last.
    """
    model = repairs.model
    wanted = lacking_for_goals(model, found.edits) & _false_at_start(model)
    rules = [rule for change in sorted(wanted) for rule in _on_many(model, change)]
    for rule in sorted(rules, key=_doubt)[:MAX_FOR_GOAL]:
        if stop():
            return
        yield variant_of(model, rule, found.edits)


def _on_many(model: Model, change: tuple[str, bool]) -> Iterator[Conditional]:
    """Effects that make a change for all objects of some type, or those that one or two literals hold of."""
    for name, action in sorted(model.actions.items()):
        variable = ~len(action.schemas[0].members)
        for kind, members in kinds_of_variable(model).items():
            over = literals_over_variable(model, name, kind)
            others = [one for one in over if one.predicate != change[0]]
            both = combinations([one for one in others if one.positive], 2)
            conditions = [(), *((one,) for one in others), *both]
            for literal in (one for one in over if (one.predicate, one.positive) == change):
                effect = OwnEffect(name, literal, variable, kind, members)
                yield from (Conditional(effect, condition) for condition in conditions)


def _doubt(rule: Conditional) -> tuple[bool, bool, int]:
    """How unlikely such an effect is, beside others; the lower, the likelier."""
    named = {term for p in (rule.effect.literal, *rule.condition) for term in p.terms if term < 0}
    return not all(p.positive for p in rule.condition), len(rule.condition) > 1, -len(named)


def _false_at_start(model: Model) -> set[tuple[str, bool]]:
    """The changes that make a literal of some goal true that is not at the start; below quantifiers, any."""
    return {
        (p.predicate, p.positive)
        for task in model.tasks
        for p in literals_of(task.goal.precondition)
        if min(p.terms, default=0) < 0 or (p.terms in task.init.get(p.predicate, ())) != p.positive
    }
