"""The conditions of effects that a model has, repaired as preconditions are.

A conditional effect is like an action: it fires where its condition holds. The steps at which it must have
fired, and those at which it must not have (`agents.repair.rules.firing`, of the model without the effect),
are examples of that action, so what is proposed for preconditions can be proposed for the condition: literals
that go or come, edits below quantifiers, and quantified conditions. An effect without a condition, below
`forall` or not, has an empty one. Literals of one condition are one effect. Of its own it has one variable at
most, which each of its literals names, as evidence is of one; and some precondition reads by a literal what
it changes, as evidence comes from there.

Not every step must be one or the other, and where an effect must have fired at one of several steps nothing
says at which. So the condition is repaired for those at which it holds in the model and may, first, and then
for those as well at which it does not hold and the effect must have fired: those at which no other step would
do, or else all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from agents.repair.candidate import Candidate, EffectEdit
from agents.repair.examples import ActionExamples, Mask, Numbers, TrainingExamples
from agents.repair.model import Editable, Model
from agents.repair.rules.effect_conditions import EffectTrial
from agents.repair.rules.firing import FiringEvidence, OwnEffect
from agents.repair.rules.nested import nested_literals
from agents.repair.rules.nested_edits import FiringEffect, firing_effects
from agents.repair.rules.quantified import quantified_preconditions
from agents.repair.rules.variants import Variant, changed_repairs, thinned, with_tree
from agents.repair.search import Repairs
from agents.repair.text import edited_problem
from envs.pddl.language.formulas import FormulaBuilder
from envs.pddl.language.terms import (
    Part,
    Tree,
    atom_of,
    canonical,
    show,
    tree_of,
    with_part_of,
)
from envs.pddl.simulation.lifted import Literal

#: Effects whose conditions are repaired.
MAX_EFFECTS = 12
#: Conditions that are proposed for one effect.
MAX_PROPOSED = 4
#: Steps of each kind that a condition is held against.
_MOST_STEPS = 4_000
_NOTHING: Numbers = np.zeros(0, dtype=np.int64)
#: Steps that a condition gets wrong, and its size.
Rank = tuple[int, int]


def conditions_of_effects(repairs: Repairs, found: Candidate, stop: Callable[[], bool]) -> Iterator[Variant]:
    """Variants in which an effect with a condition or below `forall` has another, of a lower weighed cost."""
    yield from _with_conditions(repairs, found, stop, plain=False)


def conditions_of_plain_effects(
    repairs: Repairs, found: Candidate, stop: Callable[[], bool]
) -> Iterator[Variant]:
    """Variants in which an effect of an action's own parameters gets a condition, of a lower weighed cost."""
    yield from _with_conditions(repairs, found, stop, plain=True)


def _with_conditions(
    repairs: Repairs, found: Candidate, stop: Callable[[], bool], *, plain: bool
) -> Iterator[Variant]:
    for firing in _suspicious(repairs, found, plain):
        if stop():
            return
        for variant in _with_other_conditions(repairs, found, firing, stop):
            if changed_repairs(repairs, variant).candidate(variant.edits).weighed_cost < found.weighed_cost:
                yield variant


def _suspicious(repairs: Repairs, found: Candidate, plain: bool) -> list[FiringEffect]:
    """The effects that bear on what is wrong, those with a condition first, and those that bear on most.

    Of those that are `plain`, with neither condition nor variable, or of the others.
    """
    evidence, weights = FiringEvidence(repairs, found, found.edits), Counter[str]()
    for (predicate, _), own in evidence.readings.items():
        weights[predicate] += int(own.weights[own.wanted].sum())
    tree, ranked = tree_of(repairs.model.domain), []
    for action in tree.actions:
        for firing in firing_effects(tree, action):
            if firing.is_of_one_variable and plain == (not firing.conjuncts and not firing.scope):
                weight = sum(weights[show(atom_of(literal)[0])] for literal in firing.literals)
                ranked.append((not firing.conjuncts, -weight, firing))
    ranked.sort(key=lambda one: one[:2])
    return [firing for _, weight, firing in ranked if weight][:MAX_EFFECTS]


def _with_other_conditions(
    repairs: Repairs, found: Candidate, firing: FiringEffect, stop: Callable[[], bool]
) -> Iterator[Variant]:
    """Variants in which one effect has another condition, for each kind of evidence the best ones."""
    whole, name = tree_of(repairs.model.domain).part(firing.action, Part.EFFECT), firing.action
    model = _as_action(repairs.model, firing)
    edits, seen = found.edits, set[Tree]()
    if not firing.scope and not firing.conjuncts:  # it is no effect without condition any more
        edits -= {EffectEdit(name, literal, False) for literal in model.actions[name].effects}

    def with_condition(condition: Tree | None, words: str = "", size: int = 0) -> Variant:
        problems = with_tree(repairs.model, name, Part.EFFECT, firing.made(whole, condition))
        return Variant(words, problems, size, edits, (name,))

    without = changed_repairs(repairs, with_condition(None))
    changed = {show(atom_of(literal)[0]) for literal in firing.literals}
    for proved, added in _ways_to_read(found):
        if stop():
            return
        evidence = FiringEvidence(without, replace(found, proved=proved), edits, added=added, only=changed)
        for ranked in _other_conditions(repairs, evidence, model, firing, stop):
            for _, condition, size in sorted(ranked, key=lambda one: one[0])[:MAX_PROPOSED]:
                if canonical(condition) not in seen:
                    seen.add(canonical(condition))
                    texts = (show(firing.shown(one)) for one in (condition, firing.condition))
                    words = "write {} for {} in the effect of {}".format(*texts, name)
                    yield with_condition(condition, words, size)


def _ways_to_read(found: Candidate) -> Iterator[tuple[frozenset[tuple[str, Literal]], bool]]:
    """Which preconditions evidence takes to be wrong, and whether it reads those that come.

    The model's own but for what is proved wrong; these and those that come; and those of the candidate.
    """
    fits = found.fits.items()
    yield found.proved, False
    if any(own.added for _, own in fits):
        yield found.proved, True
    refuted = frozenset((name, literal) for name, own in fits for literal in own.refuted)
    if refuted != found.proved:
        yield refuted, True


def _as_action(model: Model, firing: FiringEffect) -> Model:
    """A model with one action, which makes an effect's changes where its condition holds.

    Its parameters are those of the effect's action and the effect's own variable, if it has one.
    """
    domain, name = model.domain, firing.action
    own, builder = domain.actions[name], FormulaBuilder(domain.language, domain.constants)
    wider = replace(own, parameters=(*own.parameters, *builder.variables(firing.scope)))
    domain = replace(domain, actions={name: wider})
    for part, tree in (
        (Part.PRECONDITION, firing.condition),
        (Part.EFFECT, ("and", *firing.literals)),
    ):
        domain = with_part_of(domain, name, part, tree)
    problems = tuple(replace(problem, domain=domain) for problem in model.problems)
    changed = model.with_actions(problems, (name,))
    return replace(changed, actions={name: changed.actions[name]})


@dataclass(frozen=True, eq=False)
class _EffectSteps:
    """The steps that say something of an effect, each with an object for the effect's own variable."""

    examples: ActionExamples  #: those at which it must not have fired are negative, none is positive
    groups: Numbers  #: of pairs of a group, at one of whose steps it must have fired,
    steps: Numbers  #: and a step of these, by its place among the examples

    @classmethod
    def of(cls, evidence: FiringEvidence, model: Model, firing: FiringEffect) -> _EffectSteps:
        """What some evidence says of an effect's changes; `model` is that of `_as_action`."""
        action, base, count = model.actions[firing.action], model.base, 0
        never, groups, wanted = [_NOTHING], [_NOTHING], [_NOTHING]
        for literal in sorted(action.effects, key=repr):
            if (literal.predicate, literal.positive) in evidence.readings:
                trial = EffectTrial.of(evidence, _own_effect(action, literal, model, firing))
                codes = trial.firings.steps * base + trial.firings.objects
                never.append(codes[trial.never])
                groups.append(trial.groups + count)
                wanted.append(codes[trial.instances])
                count += len(trial.weights)
        banned, allowed = np.concatenate(never), np.concatenate(wanted)
        kept = ~np.isin(allowed, banned)  # by what another of its changes says
        codes, places = np.unique(np.concatenate([banned, allowed[kept]]), return_inverse=True)
        nodes, objects = codes // base, codes % base
        arguments = evidence.arguments(firing.action, nodes).T
        if firing.scope:
            arguments = np.column_stack([arguments, objects])
        negative = np.unique(places[: len(banned)])
        examples = ActionExamples(evidence.parents[nodes], arguments, _NOTHING, negative, ())
        return cls(examples, np.concatenate(groups)[kept], places[len(banned) :])

    def training_sets(self, held: Mask) -> Iterator[ActionExamples]:
        """Examples for a better condition than one that is `held` at some of the steps; see the module.

        None where it agrees with all that is known.
        """
        fires = self.steps[held[self.steps]]
        explained, sizes = self.groups[held[self.steps]], np.bincount(self.groups)
        missing = ~np.isin(self.groups, explained)
        alone = missing & (sizes[self.groups] == 1)
        must_fire = self.steps[alone if alone.any() else missing]
        if held[self.examples.negative].any() and len(fires):
            yield self._with(fires)
        if len(must_fire):
            yield self._with(np.concatenate([fires, must_fire]))

    def _with(self, positive: Numbers) -> ActionExamples:
        negative = thinned(self.examples.negative, _MOST_STEPS)
        return replace(self.examples, positive=thinned(np.unique(positive), _MOST_STEPS), negative=negative)


def _own_effect(action: Editable, literal: Literal, model: Model, firing: FiringEffect) -> OwnEffect:
    """One change of an effect, as evidence is asked for it."""
    schema = action.schemas[0]
    if not firing.scope:
        return OwnEffect(action.name, literal, ~len(schema.members))
    variable = schema.arity - 1  # the last parameter; variables of the condition's quantifiers come behind
    members = np.zeros((len(action.schemas), model.base), dtype=np.bool_)
    for own, of_task in zip(members, action.schemas, strict=True):
        own[list(of_task.members[variable])] = True
    return OwnEffect(action.name, literal, ~variable, firing.scope[0][1], members)


def _other_conditions(
    repairs: Repairs, evidence: FiringEvidence, model: Model, firing: FiringEffect, stop: Callable[[], bool]
) -> Iterator[list[tuple[Rank, Tree, int]]]:
    """Other conditions of an effect, with their ranks, of which lower is better, and sizes in edits.

    A list for each set of examples: ranks by different ones say nothing of each other.
    """
    steps = _EffectSteps.of(evidence, model, firing)
    action, walks = model.actions[firing.action], repairs.seen.walks

    def in_states(examples: ActionExamples) -> Repairs:
        seen = TrainingExamples(walks, {firing.action: examples}, runs_all=False)
        return Repairs.in_states(model, seen, evidence.tables)

    parts = (*action.preconditions, *action.fixed)
    held = in_states(steps.examples).satisfied(action, parts, evidence.tables)
    for examples in steps.training_sets(held):
        own = in_states(examples)
        yield [*_repaired(own, own.candidate(frozenset()), firing.action, stop)]


def _repaired(
    repairs: Repairs, found: Candidate, name: str, stop: Callable[[], bool]
) -> Iterator[tuple[Rank, Tree, int]]:
    """Other preconditions of a model's only action, with their ranks and sizes."""
    variants = [Variant("", repairs.model.problems, 0)]
    if found.unexplained:
        variants += nested_literals(repairs, found, stop)
        variants += quantified_preconditions(repairs, found, stop)
    for variant in variants:
        changed = changed_repairs(repairs, variant)
        candidate = changed.candidate(frozenset())
        size = variant.size + candidate.cost
        if size:
            domain = edited_problem(changed.model, candidate).domain
            condition = tree_of(domain).part(name, Part.PRECONDITION)
            yield (candidate.unexplained, size), condition, size
