"""The kinds of structural edits, and the best of what they propose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agents.repair.model import Candidate
from agents.repair.nested import nested_literals
from agents.repair.quantified import quantified_preconditions
from agents.repair.search import Repairs
from agents.repair.variants import Proposer, Variant, changed_repairs, parameter_lists


@dataclass(frozen=True, eq=False)
class JudgedVariant:
    """A variant, its model, and the candidate with the variant's edits there."""

    variant: Variant
    candidate: Candidate

    @property
    def rank(self) -> tuple[float, int, int]:
        """As that of candidates, with the variant's own size; see `Candidate.rank`."""
        cost, starts, effects = self.candidate.rank
        return self.variant.size + cost, starts, effects


def best_variant(repairs: Repairs, found: Candidate, stop: Callable[[], bool]) -> JudgedVariant | None:
    """The best variant that is better than `found`, the first of equals; None if there is none.

    Variants are proposed for `found`, and for the model as it is. If `found` explains everything, so has the
    variant to. Kinds behind one that explains everything are not asked.
    """
    bases = [found] if not found.edits else [found, repairs.candidate(frozenset())]
    better: list[JudgedVariant] = []
    for propose in PROPOSERS if found.unexplained else EXPLAINING:
        for base in bases:
            for variant in propose(repairs, base, stop):
                candidate = changed_repairs(repairs, variant).candidate(variant.edits)
                judged = JudgedVariant(variant, candidate)
                if judged.rank < found.rank and (found.unexplained or not candidate.unexplained):
                    better.append(judged)
        if stop() or any(not judged.candidate.unexplained for judged in better):
            break
    return min(better, key=lambda judged: judged.rank, default=None)


#: Kinds that may explain at less cost what literals explain, in the order in which they are asked.
EXPLAINING: tuple[Proposer, ...] = (nested_literals, quantified_preconditions)
#: All kinds, in this order.
PROPOSERS = (*EXPLAINING, parameter_lists)
