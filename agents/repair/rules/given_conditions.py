"""The conditions of effects that a model has, repaired as preconditions are.

A conditional effect is like an action: it fires where its condition holds. The steps at which it must have
fired, and those at which it must not have (`agents.repair.rules.firing`, of the model without the effect),
are examples of that action, so what is proposed for preconditions can be proposed for the condition: literals
that go or come, edits below quantifiers, and quantified conditions. An effect without a condition, below
`forall` or not, has an empty one.

Not every step must be one or the other, and where an effect must have fired at one of several steps nothing
says at which. So the condition is repaired for those at which it holds in the model and may, first, and then
for those as well at which it does not hold and the effect must have fired: those at which no other step would
do, or else all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from agents.repair.candidate import Candidate
from agents.repair.examples import ActionExamples, Mask, Numbers, TrainingExamples
from agents.repair.model import Editable, Model
from agents.repair.rules.effect_conditions import EffectTrial
from agents.repair.rules.firing import FiringEvidence, OwnEffect
from agents.repair.rules.nested import nested_literals
from agents.repair.rules.quantified import quantified_preconditions
from agents.repair.rules.variants import Variant, changed_repairs, thinned, with_tree
from agents.repair.search import Repairs
from agents.repair.text import edited_problem
from envs.pddl.language.formulas import FormulaBuilder
from envs.pddl.language.terms import (
    Part,
    Tree,
    atom_of,
    conjunct_trees,
    replace_at,
    show,
    tree_of,
    typed,
    with_part_of,
)
from envs.pddl.language.vocabulary import Parameters
from envs.pddl.simulation.lifted import Literal

#: Effects whose conditions are repaired.
MAX_EFFECTS = 12
#: Conditions that are proposed for one effect.
MAX_PROPOSED = 4
#: Steps of each kind that a condition is held against.
_MOST_STEPS = 4_000
_NO_CONDITION: Tree = ("and",)
_NOTHING: Numbers = np.zeros(0, dtype=np.int64)
#: Steps that a condition gets wrong, and its size.
Rank = tuple[int, int]


@dataclass(frozen=True)
class GivenEffect:
    """A part of an action's effect that fires as a whole."""

    action: str
    path: tuple[int, ...]  #: in the action's effect
    scope: Parameters  #: the variables of its own
    condition: Tree
    effect: Tree

    @property
    def tree(self) -> Tree:
        """As PDDL, without its quantifier."""
        return ("when", self.condition, self.effect) if conjunct_trees(self.condition) else self.effect


def conditions_of_effects(repairs: Repairs, found: Candidate, stop: Callable[[], bool]) -> Iterator[Variant]:
    """Variants in which one effect of the model has another condition, and that leave less wrong."""
    for given in _suspicious(repairs, found):
        if stop():
            return
        yield from _with_other_conditions(repairs, found, given, stop)


def _suspicious(repairs: Repairs, found: Candidate) -> list[GivenEffect]:
    """The effects that bear on what is wrong, those with a condition first, and those that bear on most."""
    evidence, weights = FiringEvidence(repairs, found, found.edits), Counter[str]()
    for (predicate, _), own in evidence.readings.items():
        weights[predicate] += int(own.weights[own.wanted].sum())
    tree, ranked = tree_of(repairs.model.domain), []
    for action in tree.actions:
        for given in _given_effects(action, tree.part(action, Part.EFFECT), (), ()):
            if len(given.scope) <= 1:  # evidence is of one variable
                ranked.append((sum(weights[predicate] for predicate in _changed(given)), given))
    ranked.sort(key=lambda one: (not conjunct_trees(one[1].condition), -one[0]))
    return [given for weight, given in ranked[:MAX_EFFECTS] if weight]


def _given_effects(
    action: str, tree: Tree, path: tuple[int, ...], scope: Parameters
) -> Iterator[GivenEffect]:
    assert not isinstance(tree, str), "an effect is in parentheses"
    head = tree[0]
    if head == "and":
        for at, part in enumerate(tree[1:], 1):
            yield from _given_effects(action, part, (*path, at), scope)
    elif head == "forall":
        yield from _given_effects(action, tree[2], (*path, 2), (*scope, *typed(tree[1])))
    elif head == "when":
        yield GivenEffect(action, path, scope, tree[1], tree[2])
    elif head != "increase":
        yield GivenEffect(action, path, scope, _NO_CONDITION, tree)


def _changed(given: GivenEffect) -> list[str]:
    """The predicates that it changes, one for each of its literals; none if it has other parts."""
    parts = conjunct_trees(given.effect)
    if any(part[0] in ("forall", "when", "increase") for part in parts):
        return []
    return [show(atom_of(part)[0]) for part in parts]


def _with_other_conditions(
    repairs: Repairs, found: Candidate, given: GivenEffect, stop: Callable[[], bool]
) -> Iterator[Variant]:
    """Variants in which one effect has another condition, those first that leave least wrong."""
    whole = tree_of(repairs.model.domain).part(given.action, Part.EFFECT)

    def variant(effect: Tree, words: str = "", size: int = 0) -> Variant:
        problems = with_tree(repairs.model, given.action, Part.EFFECT, replace_at(whole, given.path, effect))
        return Variant(words, problems, size, found.edits, (given.action,))

    model, without = _as_action(repairs.model, given), changed_repairs(repairs, variant(_NO_CONDITION))
    proposed: dict[str, tuple[Rank, Variant]] = {}
    refuted = frozenset((name, literal) for name, own in found.fits.items() for literal in own.refuted)
    for proved in dict.fromkeys((found.proved, refuted)):
        evidence = FiringEvidence(without, replace(found, proved=proved), found.edits)
        for rank, condition, size in _other_conditions(repairs, evidence, model, given, stop):
            other = replace(given, condition=condition)
            words = f"write {show(other.tree)} for {show(given.tree)} in the effect of {given.action}"
            if words not in proposed or rank < proposed[words][0]:
                proposed[words] = rank, variant(other.tree, words, size)
    for _, one in sorted(proposed.values(), key=lambda one: one[0])[:MAX_PROPOSED]:
        if changed_repairs(repairs, one).candidate(one.edits).weighed_cost < found.weighed_cost:
            yield one


def _as_action(model: Model, given: GivenEffect) -> Model:
    """A model with one action, which makes an effect's changes where its condition holds.

    Its parameters are those of the effect's action and the effect's own variable, if it has one.
    """
    domain, name = model.domain, given.action
    own, builder = domain.actions[name], FormulaBuilder(domain.language, domain.constants)
    wider = replace(own, parameters=(*own.parameters, *builder.variables(given.scope)))
    domain = replace(domain, actions={name: wider})
    for part, tree in ((Part.PRECONDITION, given.condition), (Part.EFFECT, given.effect)):
        domain = with_part_of(domain, name, part, tree)
    problems = tuple(replace(problem, domain=domain) for problem in model.problems)
    changed = model.with_actions(problems, (name,))
    return replace(changed, actions={name: changed.actions[name]})


@dataclass(frozen=True, eq=False)
class _Steps:
    """The steps that say something of an effect, each with an object for the effect's own variable."""

    examples: ActionExamples  #: those at which it must not have fired are negative, none is positive
    groups: Numbers  #: of pairs of a group, at one of whose steps it must have fired,
    steps: Numbers  #: and a step of these, by its place among the examples

    @classmethod
    def of(cls, evidence: FiringEvidence, model: Model, given: GivenEffect) -> _Steps:
        """What some evidence says of an effect's changes; `model` is that of `_as_action`."""
        action, base, count = model.actions[given.action], model.base, 0
        never, groups, wanted = [_NOTHING], [_NOTHING], [_NOTHING]
        for literal in sorted(action.effects, key=repr):
            if (literal.predicate, literal.positive) in evidence.readings:
                trial = EffectTrial.of(evidence, _own_effect(action, literal, model, given))
                codes = trial.firings.steps * base + trial.firings.objects
                never.append(codes[trial.never])
                groups.append(trial.groups + count)
                wanted.append(codes[trial.instances])
                count += len(trial.weights)
        banned, allowed = np.concatenate(never), np.concatenate(wanted)
        kept = ~np.isin(allowed, banned)  # by what another of its changes says
        codes, places = np.unique(np.concatenate([banned, allowed[kept]]), return_inverse=True)
        nodes, objects = codes // base, codes % base
        arguments = evidence.arguments(given.action, nodes).T
        if given.scope:
            arguments = np.column_stack([arguments, objects])
        negative = np.unique(places[: len(banned)])
        examples = ActionExamples(evidence.parents[nodes], arguments, _NOTHING, negative, ())
        return cls(examples, np.concatenate(groups)[kept], places[len(banned) :])

    def labelled(self, held: Mask) -> Iterator[ActionExamples]:
        """Examples for a better condition than one that is `held` at some of the steps; see the module.

        None where it agrees with all that is known.
        """
        fires = self.steps[held[self.steps]]
        explained, sizes = self.groups[held[self.steps]], np.bincount(self.groups)
        missing = ~np.isin(self.groups, explained)
        alone = missing & (sizes[self.groups] == 1)
        lacking = self.steps[alone if alone.any() else missing]
        if held[self.examples.negative].any() and len(fires):
            yield self._with(fires)
        if len(lacking):
            yield self._with(np.concatenate([fires, lacking]))

    def _with(self, positive: Numbers) -> ActionExamples:
        negative = thinned(self.examples.negative, _MOST_STEPS)
        return replace(self.examples, positive=thinned(np.unique(positive), _MOST_STEPS), negative=negative)


def _own_effect(action: Editable, literal: Literal, model: Model, given: GivenEffect) -> OwnEffect:
    """One change of an effect, as evidence is asked for it."""
    if not given.scope:
        return OwnEffect(action.name, literal, ~action.schemas[0].arity)
    members = np.zeros((len(action.schemas), model.base), dtype=np.bool_)
    for own, schema in zip(members, action.schemas, strict=True):
        own[list(schema.members[-1])] = True
    return OwnEffect(action.name, literal, ~(action.schemas[0].arity - 1), given.scope[0][1], members)


def _other_conditions(
    repairs: Repairs, evidence: FiringEvidence, model: Model, given: GivenEffect, stop: Callable[[], bool]
) -> Iterator[tuple[Rank, Tree, int]]:
    """Other conditions of an effect, with their ranks, of which lower is better, and sizes in edits."""
    steps = _Steps.of(evidence, model, given)
    action, walks = model.actions[given.action], repairs.seen.walks

    def in_states(examples: ActionExamples) -> Repairs:
        seen = TrainingExamples(walks, {given.action: examples}, runs_all=False)
        return Repairs.in_states(model, seen, evidence.tables)

    parts = (*action.preconditions, *action.fixed)
    held = in_states(steps.examples).satisfied(action, parts, evidence.tables)
    for examples in steps.labelled(held):
        own = in_states(examples)
        found = own.candidate(frozenset())
        variants = [Variant("", model.problems, 0)]
        if found.unexplained:
            variants += chain(nested_literals(own, found, stop), quantified_preconditions(own, found, stop))
        for variant in variants:
            changed = changed_repairs(own, variant)
            candidate = changed.candidate(frozenset())
            domain = edited_problem(changed.model, candidate).domain
            size = variant.size + candidate.cost
            if size:
                condition = tree_of(domain).part(given.action, Part.PRECONDITION)
                yield (candidate.unexplained, size), condition, size
