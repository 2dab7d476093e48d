"""Conditional effects: `(when c e)` and `(forall (?x - t) (when c e))`, proposed for what was executed.

`agents.repair.rules.firing` says at which steps an effect must have fired, at one of these at the least, and
at which it must not have. A condition of one or two literals that separates them in the states before these
steps is a proposal. The effect may be new, or one that the model has without a condition, and that is taken
from it first. Where no such rule explains everything, the variable may stand in the condition alone: the
effect happens if any object is as the condition says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

from agents.repair.candidate import Candidate, Edit, EffectEdit, effects_of
from agents.repair.model import Model
from agents.repair.rules.effect_conditions import (
    Conditional,
    EffectTrial,
    RatedRule,
    cost_with,
    kinds_of_variable,
    literals_over_variable,
)
from agents.repair.rules.firing import FiringEvidence, OwnEffect
from agents.repair.rules.variants import Variant, with_tree
from agents.repair.search import Repairs
from agents.repair.text import literal_tree
from envs.pddl.language.terms import Part, Tree, show, tree_of, with_part
from envs.pddl.simulation.lifted import Literal

#: Proposals, how much more one may cost than the first, and how many may say the same of what was seen.
MAX_PROPOSED, MOST_WORSE, MAX_ALIKE = 10, 2.0, 2
#: Proposals for what the world says of its goal.
MAX_FOR_GOAL = 300
#: Effects for which conditions are looked for.
MAX_EFFECTS = 40
#: Effects of the model that are tried with another condition.
MAX_OWN = 8
#: The name of the variable, with a number behind it where an action's parameter has this name.
VARIABLE = "?x"


@dataclass(frozen=True, eq=False)
class _Proposed:
    """A rule, with edits that it needs besides."""

    cost: float
    rule: Conditional
    edits: frozenset[Edit]


def conditional_effects(repairs: Repairs, found: Candidate, stop: Callable[[], bool]) -> Iterator[Variant]:
    """Variants with one conditional effect more, or with one in place of an effect without a condition.

    The likeliest come first.
    """
    proposed = _proposed(repairs, found, stop, {}, MAX_ALIKE)
    for one in proposed[:MAX_PROPOSED]:
        if one.cost <= proposed[0].cost + MOST_WORSE:
            yield variant_of(repairs.model, one.rule, one.edits)


def effects_on_goals(
    repairs: Repairs, found: Candidate, stop: Callable[[], bool], verdicts: Mapping[int, bool]
) -> Iterator[Variant]:
    """Variants of a model that explains the walks, for what the world says of its goal; by node."""
    for one in _proposed(repairs, found, stop, verdicts, MAX_FOR_GOAL)[:MAX_FOR_GOAL]:
        yield variant_of(repairs.model, one.rule, one.edits)


def _proposed(
    repairs: Repairs,
    found: Candidate,
    stop: Callable[[], bool],
    verdicts: Mapping[int, bool],
    alike: int,
) -> list[_Proposed]:
    """All rules, not too many of which explain the same, the cheapest first."""
    model, evidence = repairs.model, FiringEvidence(repairs, found, found.edits, verdicts)
    rules = _of_all_kinds(model, evidence, stop, alike)
    if found.proved and not any(one.left == 0 for one in rules):
        # what is proved wrong is so by effects over parameters alone
        unproved = FiringEvidence(repairs, replace(found, proved=frozenset()), found.edits, verdicts)
        rules += [one for one in _of_all_kinds(model, unproved, stop, alike) if one.rule.effect.kind]
    proposed = [_Proposed(one.cost, one.rule, found.edits) for one in rules]
    for edit in _doubtful(repairs, evidence, found.edits):
        edits = found.edits | {edit}
        effect = OwnEffect(edit.action, edit.effect, ~len(model.actions[edit.action].schemas[0].members))
        rules = _rules(model, FiringEvidence(repairs, found, edits, verdicts), [effect], stop, alike)
        proposed += [_Proposed(one.cost + 1, one.rule, edits) for one in rules]
    return sorted(proposed, key=lambda one: one.cost)


def _of_all_kinds(
    model: Model, evidence: FiringEvidence, stop: Callable[[], bool], alike: int
) -> list[RatedRule]:
    """The rules that some evidence speaks for; those for any object where no others explain everything."""
    rules = _rules(model, evidence, list(_effects(model, evidence)), stop, alike)
    if not any(one.left == 0 for one in rules):
        rules += _rules(model, evidence, list(_effects_for_any(model, evidence)), stop, alike)
    return [*rules, *_of_two_effects(model, evidence, rules)]


def _of_two_effects(
    model: Model, evidence: FiringEvidence, rules: Sequence[RatedRule]
) -> Iterator[RatedRule]:
    """Two of the rules as one, where they make different changes under the same condition, or one under none.

    What moves is no longer where it was: either effect alone leaves the other's examples wrong.
    """
    # by the condition, as there are thousands of rules where only a goal is read, and few are alike
    found: dict[tuple[str, str, tuple[Literal, ...]], list[RatedRule]] = {}
    for one in rules:
        rule = one.rule
        if rule.besides is None:
            found.setdefault((rule.effect.action, rule.effect.kind, rule.condition), []).append(one)
    for (action, kind, condition), alike in found.items():
        without = found.get((action, kind, ()), [])
        for one, other in (*combinations(alike, 2), *product(alike, without)) if condition else ():
            own, its = one.rule.effect.literal, other.rule.effect.literal
            if (own.predicate, own.positive) != (its.predicate, its.positive):
                rule = replace(one.rule, besides=its)
                left = max(0, one.left + other.left - evidence.wrong)
                yield RatedRule(rule, left, cost_with(model, rule, left), b"")


def _doubtful(repairs: Repairs, evidence: FiringEvidence, edits: frozenset[Edit]) -> list[EffectEdit]:
    """Edits that take an effect away which makes some examples wrong; those that correct most come first."""
    corrected: list[tuple[int, EffectEdit]] = []
    for name, action in sorted(repairs.model.actions.items()):
        for effect in effects_of(action, edits):
            readings = evidence.readings.get((effect.predicate, not effect.positive))
            if readings is not None and effect in action.effects:
                edit = EffectEdit(name, effect, False)
                places = effect.predicate, readings.nodes, readings.keys
                tables = (evidence.tables, repairs.tables(edits | {edit}))
                now, then = (table[places[0]][places[1:]] for table in tables)
                corrected.append((int(readings.weights[readings.wanted & (now != then)].sum()), edit))
    corrected.sort(key=lambda one: -one[0])
    return [edit for count, edit in corrected if count][:MAX_OWN]


def _effects(model: Model, evidence: FiringEvidence) -> Iterator[OwnEffect]:
    """The effects that make some change that is wanted."""
    for (predicate, adds), readings in evidence.readings.items():
        if not readings.wanted.any():
            continue
        for name, action in sorted(model.actions.items()):
            variable = ~len(action.schemas[0].members)
            for literal in action.candidates:
                wanted = literal.predicate == predicate and literal.positive == adds
                if wanted and literal not in action.effects:
                    yield OwnEffect(name, literal, variable)
            for kind, members in kinds_of_variable(model).items():
                for literal in literals_over_variable(model, name, kind):
                    if literal.predicate == predicate and literal.positive == adds:
                        yield OwnEffect(name, literal, variable, kind, members)


def _effects_for_any(model: Model, evidence: FiringEvidence) -> Iterator[OwnEffect]:
    """Those over parameters alone, with a variable for the condition."""
    for effect in _effects(model, evidence):
        for kind, members in kinds_of_variable(model).items():
            if not effect.kind:
                yield replace(effect, kind=kind, members=members)


def _rules(
    model: Model,
    evidence: FiringEvidence,
    effects: Sequence[OwnEffect],
    stop: Callable[[], bool],
    most_alike: int,
) -> list[RatedRule]:
    """The rules with these effects, the cheapest first, not too many that explain the same."""
    trials = []
    for effect in effects:
        if stop():
            return []
        trial = EffectTrial.of(evidence, effect)
        if trial.promise:
            trials.append(trial)
    trials.sort(key=lambda trial: -trial.promise)
    rated: list[RatedRule] = []
    for trial in trials[:MAX_EFFECTS]:
        if not stop():
            rated += (one for one in trial.rated(model, evidence) if one.rule.needs_its_variable)
    rated.sort(key=lambda one: one.cost)
    alike: Counter[object] = Counter()
    chosen: list[RatedRule] = []
    for one in rated:
        said = one.explained, one.rule.besides is None
        alike[said] += 1
        if alike[said] <= most_alike:
            chosen.append(one)
    return chosen


def variant_of(model: Model, rule: Conditional, edits: frozenset[Edit]) -> Variant:
    """A model with a conditional effect more, and with some edits."""
    tree = rule_tree(model, rule)
    words = f"add {show(tree)} to the {Part.EFFECT} of {rule.effect.action}"
    name = rule.effect.action
    whole = with_part(tree_of(model.domain).part(name, Part.EFFECT), tree)
    return Variant(words, with_tree(model, name, Part.EFFECT, whole), rule.size(model), edits, (name,))


def rule_tree(model: Model, rule: Conditional) -> Tree:
    """A conditional effect as PDDL."""
    effect = rule.effect
    names = [str(p.symbol) for p in model.domain.actions[effect.action].parameters]
    own = next(v for v in (VARIABLE, *(f"{VARIABLE}{i}" for i in range(len(names)))) if v not in names)
    variables = {~v: name for v, name in enumerate(names)} | {effect.variable: own}
    literals = [literal_tree(p, variables, model.objects) for p in rule.condition]
    tree = literal_tree(effect.literal, variables, model.objects)
    if rule.besides is not None:
        tree = ("and", tree, literal_tree(rule.besides, variables, model.objects))
    if literals:
        tree = ("when", literals[0] if len(literals) == 1 else ("and", *literals), tree)
    return ("forall", (own, "-", effect.kind), tree) if effect.kind else tree
