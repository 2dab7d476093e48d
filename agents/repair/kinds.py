"""The kinds of structural edits, and the best of what they propose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from sys import maxsize

from agents.repair.conditional import conditional_effects
from agents.repair.model import Candidate
from agents.repair.nested import nested_literals
from agents.repair.new_predicate import new_predicates
from agents.repair.quantified import quantified_preconditions
from agents.repair.search import Repairs
from agents.repair.variants import Proposer, Variant, changed_repairs, parameter_lists


@dataclass(frozen=True, eq=False)
class JudgedVariant:
    """A variant, and the candidate with the variant's edits in its model."""

    variant: Variant
    candidate: Candidate

    @property
    def rank(self) -> tuple[bool, float, int]:
        """Lower is better: what explains everything comes first, then what costs less; see `_rank`."""
        return _rank(self.candidate, self.variant.size)


def _rank(candidate: Candidate, size: int = 0) -> tuple[bool, float, int]:
    """Of a candidate in a model that has changed by so much; of equals, fewer initial atoms are better."""
    return candidate.unexplained > 0, size + candidate.weighed_cost, candidate.starts


def best_variant(
    repairs: Repairs, found: Candidate, stop: Callable[[], bool], most: float | None = None
) -> JudgedVariant | None:
    """The best variant that is better than `found`, the first of equals; None if there is none.

    Variants are proposed for `found`, and for the model as it is. Kinds behind one that explains everything,
    and that are no cheaper, are not asked; where `found` explains everything itself, only quick ones are.
    With `most`, those that explain everything for that cost at most are better than `found`, and no others.
    """
    limit = _rank(found) if most is None else (False, most, maxsize)
    asks_all = found.unexplained > 0 if most is None else most >= _NEW_PREDICATE
    bases = [found] if not found.edits else [found, repairs.candidate(frozenset())]
    better: list[JudgedVariant] = []
    for propose in PROPOSERS if asks_all else _CHEAP:
        if stop():
            break
        own = bases[:1] if propose is parameter_lists else bases
        for variant in (v for base in own for v in propose(repairs, base, stop)):
            judged = JudgedVariant(variant, changed_repairs(repairs, variant).candidate(variant.edits))
            if judged.rank < limit:
                better.append(judged)
        explaining_all = [judged.rank[1] for judged in better if not judged.candidate.unexplained]
        if explaining_all and min(explaining_all) <= _NEW_PREDICATE:
            break
    return min(better, key=lambda judged: judged.rank, default=None)


#: What a new predicate costs at the least: it is declared, set and needed.
_NEW_PREDICATE = 3
_CHEAP: tuple[Proposer, ...] = (nested_literals, quantified_preconditions, conditional_effects)
#: In the order in which they are asked.
PROPOSERS: tuple[Proposer, ...] = (*_CHEAP, parameter_lists, new_predicates)


@dataclass(frozen=True)
class Structure:
    """The structural edits that were taken."""

    words: tuple[str, ...] = ()
    size: int = 0  #: how many edits they count as

    def and_with(self, variant: Variant) -> Structure:
        """These and one more."""
        return Structure((*self.words, variant.words), self.size + variant.size)

    def fitted(self, words: tuple[str, ...]) -> Structure:
        """These and what the world asks for anyhow."""
        return Structure((*self.words, *words), self.size)
