"""The condition of a conditional effect, by the steps at which it must have fired and must not have.

A condition has one or two literals, which hold before none of the steps where the effect must not have fired,
or one that does so only where an earlier step would have deleted it: then the effect consumes its condition.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import log2

import numpy as np

from agents.repair.candidate import UNEXPLAINED
from agents.repair.examples import HoldsAt, Mask, Numbers
from agents.repair.model import EQUAL, Model
from agents.repair.rules.firing import FiringEvidence, Firings, OwnEffect
from envs.pddl.language.vocabulary import OBJECT
from envs.pddl.simulation.lifted import Literal

#: Literals of a condition that are tried; pairs of them that are counted.
MAX_LITERALS, MAX_PAIRS = 250, 200
#: Literals for each effect that are tried as conditions which it consumes.
MAX_CONSUMED = 3


@dataclass(frozen=True)
class Conditional:
    """An effect and its condition, which may be empty if the effect has a variable."""

    effect: OwnEffect
    condition: tuple[Literal, ...]
    besides: Literal | None = None  #: another effect under the same condition, of the same variable

    @property
    def needs_its_variable(self) -> bool:
        """Whether the effect or its condition names the variable, if there is one, and does not equate it.

        What is equal to a parameter needs no variable.
        """
        if not self.effect.kind:
            return True
        named = [p for p in (self.effect.literal, *self.condition) if self.effect.variable in p.terms]
        return bool(named) and not any(p.predicate == EQUAL and p.positive for p in named)

    def size(self, model: Model) -> int:
        """How many edits it counts as; one more if it changes what nothing else in the model changes."""
        effects = [p for p in (self.effect.literal, self.besides) if p is not None]
        static = any(p.predicate not in model.tasks[0].fluents for p in effects)
        return 1 + len(self.condition) + bool(self.effect.kind) + static + len(effects) - 1


@dataclass(frozen=True, eq=False)
class RatedRule:
    """A conditional effect, about what it would cost with what it leaves wrong, and what it explains."""

    rule: Conditional
    left: int  #: examples that it leaves wrong
    cost: float
    explained: bytes


def cost_with(model: Model, rule: Conditional, left: int) -> float:
    """What a rule costs that leaves so many examples wrong."""
    return rule.size(model) + 2 * UNEXPLAINED * log2(1 + left)


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


@dataclass(frozen=True, eq=False)
class EffectTrial:
    """One effect, and the instances of it that should have fired, or should not have."""

    effect: OwnEffect
    firings: Firings
    never: Numbers  #: instances that must not have fired
    groups: Numbers  #: of pairs of a group of wanted readings, numbered anew,
    instances: Numbers  #: and an instance that may have fired
    weights: Numbers  #: of the groups

    @classmethod
    def of(cls, evidence: FiringEvidence, effect: OwnEffect) -> EffectTrial:
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

    def rated(self, model: Model, evidence: FiringEvidence) -> Iterator[RatedRule]:
        """The effect with each condition by which it fires nowhere that it must not have."""
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
        likely = [
            i
            for i in np.flatnonzero(~alone & held.any(axis=1)).tolist()
            if self._can_be_consumed(model, literals[i])
        ]
        likely.sort(key=lambda i: -int(self.weights[self._explained(held[i])].sum()))
        for i in likely[:MAX_CONSUMED]:
            yield from self._consuming(model, evidence, literals[i], truth[i])
        for i, j in self._pairs(at_never, held, alone):
            explained = self._explained(np.logical_and(held[i], held[j]))
            if explained.any():
                yield self._rated(model, (literals[i], literals[j]), explained, evidence)

    def _can_be_consumed(self, model: Model, literal: Literal) -> bool:
        """Whether a condition is an atom about the variable that actions change, and not the effect's own."""
        predicate, variable = literal.predicate, self.effect.variable
        if predicate not in model.tasks[0].fluents or predicate == self.effect.literal.predicate:
            return False
        return bool(self.effect.kind) and literal.positive and variable in literal.terms

    def _consuming(
        self, model: Model, evidence: FiringEvidence, condition: Literal, held: Mask
    ) -> Iterator[RatedRule]:
        """The rule that also deletes its own condition, if it then fires nowhere that it must not have.

        What moves is no longer where it was, so that the same does not happen to it again.
        """
        ends = replace(self.effect, literal=replace(condition, positive=False))
        fires = held & ~evidence.made_before(ends, self.firings.steps, self.firings.objects)
        if fires[self.never].any():
            return
        explained, left = self._explained(fires[self.instances]), evidence.wrong
        if not explained.any():
            return
        if (ends.literal.predicate, False) in evidence.readings:
            other = EffectTrial.of(evidence, ends)
            if len(other.never):
                return
            left -= other.promise
        left = max(0, left - int(self.weights[explained].sum()))
        rule = Conditional(self.effect, (condition,), ends.literal)
        yield RatedRule(rule, left, cost_with(model, rule, left), explained.tobytes())

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
    ) -> RatedRule:
        rule = Conditional(self.effect, condition)
        left = max(0, evidence.wrong - int(self.weights[explained].sum()))
        return RatedRule(rule, left, cost_with(model, rule, left), explained.tobytes())

    def _literals(self, model: Model) -> list[Literal]:
        """What a condition may say; what it says of the variable comes first.

        Never the effect itself: where it holds it has nothing to do, but to take back another effect.
        """
        name, kind = self.effect.action, self.effect.kind
        own = [*literals_over_variable(model, name, kind), *_equalities(model, name, kind)] if kind else []
        found = [p for p in (*own, *model.actions[name].tests) if p != self.effect.literal]
        return found[:MAX_LITERALS]

    def _truth(self, model: Model, evidence: FiringEvidence, literals: Sequence[Literal]) -> Mask:
        """Which literals hold before which instances; shape (literals, instances)."""
        steps, schema = self.firings.steps, model.actions[self.effect.action].schemas[0]
        columns = dict(enumerate(evidence.arguments(self.effect.action, steps)))
        columns[~self.effect.variable] = self.firings.objects
        holds = HoldsAt(evidence.parents[steps], evidence.tables, schema, model.base)
        rows = [holds.rows(literal, columns, len(steps)) for literal in literals]
        return np.array(rows, dtype=np.bool_).reshape(len(literals), len(steps))
