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
from math import log2

import numpy as np

from agents.repair.candidate import UNEXPLAINED, Candidate, Edit, EffectEdit, effects_of
from agents.repair.examples import HoldsAt, Mask, Numbers
from agents.repair.model import EQUAL, Model
from agents.repair.rules.firing import FiringEvidence, Firings, OwnEffect
from agents.repair.rules.variants import Variant, with_tree
from agents.repair.search import Repairs
from agents.repair.text import literal_tree
from envs.pddl.language.terms import Part, Tree, show, tree_of, with_part
from envs.pddl.language.vocabulary import OBJECT
from envs.pddl.simulation.lifted import Literal

#: Proposals, how much more one may cost than the first, and how many may say the same of what was seen.
MAX_PROPOSED, MOST_WORSE, MAX_ALIKE = 10, 2.0, 2
#: Proposals for what the world says of its goal.
MAX_FOR_GOAL = 300
#: Effects for which conditions are looked for.
MAX_EFFECTS = 40
#: Literals of a condition that are tried; pairs of them that are counted.
MAX_LITERALS, MAX_PAIRS = 250, 200
#: Effects of the model that are tried with another condition.
MAX_OWN = 8
#: The name of the variable, with a number behind it where an action's parameter has this name.
VARIABLE = "?x"


@dataclass(frozen=True)
class Conditional:
    """An effect and its condition, which may be empty if the effect has a variable."""

    effect: OwnEffect
    condition: tuple[Literal, ...]
    besides: Literal | None = None  #: another effect under the same condition, of the same variable

    @property
    def needs_its_variable(self) -> bool:
        """Whether the effect or its condition names the variable, if there is one."""
        named = (self.effect.literal, *self.condition)
        return not self.effect.kind or any(self.effect.variable in literal.terms for literal in named)

    def size(self, model: Model) -> int:
        """How many edits it counts as; one more if it changes what nothing else in the model changes."""
        effects = [p for p in (self.effect.literal, self.besides) if p is not None]
        static = any(p.predicate not in model.tasks[0].fluents for p in effects)
        return 1 + len(self.condition) + bool(self.effect.kind) + static + len(effects) - 1


@dataclass(frozen=True, eq=False)
class _Rated:
    """A conditional effect, about what it would cost with what it leaves wrong, and what it explains."""

    rule: Conditional
    left: int  #: examples that it leaves wrong
    cost: float
    explained: bytes


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
) -> list[_Rated]:
    """The rules that some evidence speaks for; those for any object where no others explain everything."""
    rules = _rules(model, evidence, list(_effects(model, evidence)), stop, alike)
    if not any(one.left == 0 for one in rules):
        rules += _rules(model, evidence, list(_effects_for_any(model, evidence)), stop, alike)
    return [*rules, *_of_two_effects(model, evidence, rules)]


def _of_two_effects(model: Model, evidence: FiringEvidence, rules: Sequence[_Rated]) -> Iterator[_Rated]:
    """Two of the rules as one, where they make different changes under the same condition, or one under none.

    What moves is no longer where it was: either effect alone leaves the other's examples wrong.
    """
    # by the condition, as there are thousands of rules where only a goal is read, and few are alike
    found: dict[tuple[str, str, tuple[Literal, ...]], list[_Rated]] = {}
    for one in rules:
        rule = one.rule
        found.setdefault((rule.effect.action, rule.effect.kind, rule.condition), []).append(one)
    for (action, kind, condition), alike in found.items():
        without = found.get((action, kind, ()), [])
        for one, other in (*combinations(alike, 2), *product(alike, without)) if condition else ():
            own, its = one.rule.effect.literal, other.rule.effect.literal
            if (own.predicate, own.positive) != (its.predicate, its.positive):
                rule = replace(one.rule, besides=its)
                left = max(0, one.left + other.left - evidence.wrong)
                yield _Rated(rule, left, _cost(model, rule, left), b"")


def _cost(model: Model, rule: Conditional, left: int) -> float:
    """What a rule costs that leaves so many examples wrong."""
    return rule.size(model) + 2 * UNEXPLAINED * log2(1 + left)


def _doubtful(repairs: Repairs, evidence: FiringEvidence, edits: frozenset[Edit]) -> list[EffectEdit]:
    """Edits that take an effect away which makes some examples wrong; those that mend most come first."""
    mended: list[tuple[int, EffectEdit]] = []
    for name, action in sorted(repairs.model.actions.items()):
        for effect in effects_of(action, edits):
            readings = evidence.readings.get((effect.predicate, not effect.positive))
            if readings is not None and effect in action.effects:
                edit = EffectEdit(name, effect, False)
                places = effect.predicate, readings.nodes, readings.keys
                tables = (evidence.tables, repairs.tables(edits | {edit}))
                now, then = (table[places[0]][places[1:]] for table in tables)
                mended.append((int(readings.weights[readings.wanted & (now != then)].sum()), edit))
    mended.sort(key=lambda one: -one[0])
    return [edit for count, edit in mended if count][:MAX_OWN]


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


def kinds_of_variable(model: Model) -> dict[str, Mask]:
    """The types that a variable may be of, each with its objects by task; of equal ones the first."""
    found: dict[bytes, tuple[str, Mask]] = {}
    for kind in (*model.domain.types, OBJECT):
        rows = [
            [
                name in own.objects and model.domain.is_subtype(own.objects[name], kind)
                for name in model.objects
            ]
            for own in model.problems
        ]
        members = np.array(rows, dtype=np.bool_)
        if members.any():
            found.setdefault(members.tobytes(), (kind, members))
    return dict(found.values())


def literals_over_variable(model: Model, name: str, kind: str) -> list[Literal]:
    """The literals over a variable of this type, an action's parameters and constants."""
    domain, action = model.domain, model.domain.actions[name]
    variable = ~len(model.actions[name].schemas[0].members)
    kinds = {~v: str(p.sort.name) for v, p in enumerate(action.parameters)} | {variable: kind}
    kinds |= {model.objects.index(constant): of for constant, of in domain.constants.items()}
    found = []
    for predicate, declared in domain.vocabulary.predicates.items():
        fitting = [
            [t for t, own in kinds.items() if domain.is_subtype(own, wanted)] for _, wanted in declared
        ]
        for terms in product(*fitting):
            if variable in terms:
                found += [Literal(predicate, terms, True), Literal(predicate, terms, False)]
    return found


def _equalities(model: Model, name: str, kind: str) -> list[Literal]:
    """A variable of this type is a parameter of an action, or is not."""
    domain, action = model.domain, model.domain.actions[name]
    variable = ~len(model.actions[name].schemas[0].members)
    own = [(~v, str(p.sort.name)) for v, p in enumerate(action.parameters)]
    fitting = [t for t, of in own if domain.is_subtype(of, kind) or domain.is_subtype(kind, of)]
    return [Literal(EQUAL, (variable, term), sign) for term in fitting for sign in (False, True)]


def _rules(
    model: Model,
    evidence: FiringEvidence,
    effects: Sequence[OwnEffect],
    stop: Callable[[], bool],
    most_alike: int,
) -> list[_Rated]:
    """The rules with these effects, the cheapest first, not too many that explain the same."""
    trials = []
    for effect in effects:
        if stop():
            return []
        trial = _Trial.of(evidence, effect)
        if trial.promise:
            trials.append(trial)
    trials.sort(key=lambda trial: -trial.promise)
    rated: list[_Rated] = []
    for trial in trials[:MAX_EFFECTS]:
        if not stop():
            rated += (one for one in trial.rated(model, evidence) if one.rule.needs_its_variable)
    rated.sort(key=lambda one: one.cost)
    alike: Counter[object] = Counter()
    chosen: list[_Rated] = []
    for one in rated:
        alike[one.explained] += 1
        if alike[one.explained] <= most_alike:
            chosen.append(one)
    return chosen


@dataclass(frozen=True, eq=False)
class _Trial:
    """One effect, and the instances of it that should have fired, or should not have."""

    effect: OwnEffect
    firings: Firings
    never: Numbers  #: instances that must not have fired
    groups: Numbers  #: of pairs of a group of wanted readings, numbered anew,
    instances: Numbers  #: and an instance that may have fired
    weights: Numbers  #: of the groups

    @classmethod
    def of(cls, evidence: FiringEvidence, effect: OwnEffect) -> _Trial:
        """The trial of an effect against all evidence."""
        change = effect.literal.predicate, effect.literal.positive
        readings, firings = evidence.readings[change], evidence.firings(change, effect)
        wanted = readings.wanted[firings.reading]
        never = np.unique(firings.instance[~wanted])
        allowed = wanted & ~np.isin(firings.instance, never)
        rows = firings.reading[allowed]
        groups, which = np.unique(readings.groups[rows], return_inverse=True)
        weights = np.zeros(len(groups), dtype=np.int64)
        np.maximum.at(weights, which, readings.weights[rows])
        return cls(effect, firings, never, which, firings.instance[allowed], weights)

    @property
    def promise(self) -> int:
        """How many examples it may explain."""
        return int(self.weights.sum())

    def rated(self, model: Model, evidence: FiringEvidence) -> Iterator[_Rated]:
        """The conditions that hold at none of the steps where it must not have fired."""
        if not len(self.never):
            if self.effect.kind and not self.effect.is_for_any:  # else it is an effect as all others
                yield self._rated(model, (), np.ones(len(self.weights), dtype=np.bool_), evidence)
            if not evidence.of_goals:
                return
        literals = self._literals(model)
        truth = self._truth(model, evidence, literals)
        at_never, held = truth[:, self.never], truth[:, self.instances]
        alone: Mask = np.logical_not(at_never.any(axis=1))
        for i in np.flatnonzero(alone & held.any(axis=1)).tolist():
            yield self._rated(model, (literals[i],), self._explained(held[i]), evidence)
        for i, j in self._pairs(at_never, held, alone):
            explained = self._explained(np.logical_and(held[i], held[j]))
            if explained.any():
                yield self._rated(model, (literals[i], literals[j]), explained, evidence)

    def _pairs(self, never: Mask, held: Mask, alone: Mask) -> list[tuple[int, int]]:
        """Pairs of literals that never hold together where it must not have fired, the most telling first."""
        both = never.astype(np.float32) @ never.T.astype(np.float32)
        shares = self.weights[self.groups] / np.bincount(self.groups)[self.groups]
        promise = (held * shares.astype(np.float32)) @ held.T.astype(np.float32)
        promise = np.where((both > 0) | alone[:, None] | alone[None, :], 0, promise)
        rows, columns = np.triu_indices(len(promise), 1)
        order = np.argsort(np.negative(promise[rows, columns]), kind="stable")[:MAX_PAIRS]
        order = order[promise[rows, columns][order] > 0]
        return list(zip(rows[order].tolist(), columns[order].tolist(), strict=True))

    def _explained(self, held: Mask) -> Mask:
        found: Mask = np.bincount(self.groups[held], minlength=len(self.weights)) > 0
        return found

    def _rated(
        self, model: Model, condition: tuple[Literal, ...], explained: Mask, evidence: FiringEvidence
    ) -> _Rated:
        rule = Conditional(self.effect, condition)
        left = max(0, evidence.wrong - int(self.weights[explained].sum()))
        return _Rated(rule, left, _cost(model, rule, left), explained.tobytes())

    def _literals(self, model: Model) -> list[Literal]:
        """What a condition may say; what it says of the variable comes first."""
        name, kind = self.effect.action, self.effect.kind
        own = [*literals_over_variable(model, name, kind), *_equalities(model, name, kind)] if kind else []
        found = [*own, *model.actions[name].tests]
        return found[:MAX_LITERALS]

    def _truth(self, model: Model, evidence: FiringEvidence, literals: Sequence[Literal]) -> Mask:
        """Which literals hold before which instances; shape (literals, instances)."""
        steps, schema = self.firings.steps, model.actions[self.effect.action].schemas[0]
        columns = dict(enumerate(evidence.arguments(self.effect.action, steps)))
        columns[~self.effect.variable] = self.firings.objects
        holds = HoldsAt(evidence.parents[steps], evidence.tables, schema, model.base)
        rows = [holds.rows(literal, columns, len(steps)) for literal in literals]
        return np.array(rows, dtype=np.bool_).reshape(len(literals), len(steps))


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
