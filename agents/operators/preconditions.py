"""Preconditions of an action whose arguments are known: an intersection, and what refusals say of it.

A literal that was false in an example that ran is no precondition. All others may be: to keep every one of
them is safe, as whatever runs then did run in a state like it; to keep fewer is a guess about states that
were not seen. Where an example was refused and a single literal could be why, that literal is needed: it is
proven. Which of the others are kept is the bias:

  safe      all: the intersection of all states that it ran in, with negations and inequalities
  plain     atoms, and negations that name no constant, save those that all states satisfy for all objects
            of such types, as these exclude nothing; and inequalities of one type; of the rest, what
            refusals ask for. A negation of a constant would say "none of the kinds that were not seen": a
            list, not a rule
  smallest  what refusals ask for, and nothing else: a set cover, found greedily

Sources: the intersection is that of Siegel et al. 2024, over all arguments instead of those of the effects;
that of refused examples is the version space of Mitchell 1982 for conjunctions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

import numpy as np

from agents.operators.examples import Example, Examples, Sorts, Table, some
from agents.operators.lifted import EQUAL, Literal, overlapping
from envs.pddl.language.vocabulary import Vocabulary


class Bias(StrEnum):
    """Which literals are kept that nothing decides; see the module."""

    SAFE = "safe"
    PLAIN = "plain"
    SMALLEST = "smallest"


@dataclass(frozen=True)
class Preconditions:
    """What was found. All tuples are sorted."""

    kept: tuple[Literal, ...]
    proven: tuple[Literal, ...]
    undetermined: tuple[Literal, ...]  #: all possible ones that are not proven, kept or not
    unexplained: tuple[Example, ...]  #: refused, though every possible literal is known to hold


@dataclass(frozen=True, eq=False)
class _Possible:
    """The literals that may be preconditions, atoms first, and where they are known to hold or not to."""

    literals: tuple[Literal, ...]
    holds: Table  #: shape (refused examples, literals)
    fails: Table  #: likewise


def learn_preconditions(seen: Examples, vocabulary: Vocabulary, bias: Bias, sorts: Sorts) -> Preconditions:
    """The preconditions of an action with at least one example that ran; `sorts` are those of all traces."""
    possible = _possible(seen, vocabulary)
    # A literal that may be false counts: an unknown one may be why.
    blamed = ~possible.holds
    # So does an atom of which nothing is known whenever it ran: it, or its negation, may be why.
    hidden = not some(seen.before.known).all()
    single = (np.count_nonzero(blamed, axis=1) == 1) & (not hidden)
    proven = some(blamed[single])
    favoured = _Favoured(bias, dict(seen.parameters), vocabulary, sorts)
    kept = proven | np.array([favoured(literal) for literal in possible.literals], dtype=np.bool_)
    kept = _covering(kept, possible.fails)
    return Preconditions(
        _chosen(possible.literals, kept),
        _chosen(possible.literals, proven),
        _chosen(possible.literals, ~proven),
        tuple(
            example for example, why in zip(seen.refused, blamed, strict=True) if not (hidden or why.any())
        ),
    )


@dataclass(frozen=True)
class _Favoured:
    """Which literals a bias keeps though nothing proves them."""

    bias: Bias
    kinds: Mapping[str, str]
    vocabulary: Vocabulary
    sorts: Sorts

    def __call__(self, literal: Literal) -> bool:
        """Whether it keeps this one."""
        if self.bias is not Bias.PLAIN:
            return self.bias is Bias.SAFE
        if literal.predicate == EQUAL:
            return literal.positive or len({self.kinds[term] for term in literal.terms}) == 1
        if literal.names_constants:
            return literal.positive
        return self._excludes(literal)

    def _excludes(self, literal: Literal) -> bool:
        """Whether it does not hold everywhere of objects of its variables' types."""
        kinds = [self.kinds[term] for term in literal.terms]
        return any(
            name == literal.predicate
            and all(self.vocabulary.types.is_subtype(o, k) for o, k in zip(own, kinds, strict=True))
            for name, own in (self.sorts.untrue if literal.positive else self.sorts.true)
        )


def _possible(seen: Examples, vocabulary: Vocabulary) -> _Possible:
    """Literals that no example that ran refutes, and that at least one of them is known to satisfy."""
    before, refused = seen.before, seen.refused_in
    atoms = ~some(before.false) & some(before.true)
    negations = ~some(before.true) & some(before.false)
    equalities = _equalities(seen, vocabulary)
    literals = (
        *_of(seen.atoms, atoms),
        *(atom.negated for atom in _of(seen.atoms, negations)),
        *equalities,
    )
    equal = _equal(equalities, seen.refused)
    parts = refused.true[:, atoms], refused.false[:, atoms]
    opposite = refused.true[:, negations], refused.false[:, negations]
    holds = np.concatenate([parts[0], opposite[1], equal], axis=1)
    fails = np.concatenate([parts[1], opposite[0], ~equal], axis=1)
    return _Possible(literals, holds, fails)


def _equalities(seen: Examples, vocabulary: Vocabulary) -> tuple[Literal, ...]:
    """Of each two parameters that may be the same object: how they were related whenever it ran."""
    found = []
    for (one, kind), (other, its) in combinations(seen.parameters, 2):
        if overlapping(kind, its, vocabulary.types):
            found += [Literal(EQUAL, (one, other), False), Literal(EQUAL, (one, other), True)]
    literals = tuple(found)
    return _of(literals, ~some(~_equal(literals, seen.executed)))


def _equal(equalities: Sequence[Literal], examples: Sequence[Example]) -> Table:
    """Which equalities hold in which examples; shape (examples, equalities)."""
    rows = [
        [(e.binding[q.terms[0]] == e.binding[q.terms[1]]) == q.positive for q in equalities] for e in examples
    ]
    return np.array(rows, dtype=np.bool_).reshape(len(examples), len(equalities))


def _covering(kept: Table, fails: Table) -> Table:
    """With few further literals, so that refused examples are excluded; of equals, the first."""
    kept = kept.copy()
    left = fails[~fails[:, kept].any(axis=1)]
    while len(left):
        gains = left.sum(axis=0)
        best = int(gains.argmax())
        if not gains[best]:
            break
        kept[best] = True
        left = left[~left[:, best]]
    return kept


def _of(literals: Sequence[Literal], mask: Table) -> tuple[Literal, ...]:
    return tuple(literals[i] for i in np.flatnonzero(mask).tolist())


def _chosen(literals: Sequence[Literal], mask: Table) -> tuple[Literal, ...]:
    return tuple(sorted(_of(literals, mask)))
