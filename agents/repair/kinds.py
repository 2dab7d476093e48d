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
    def cost(self) -> float:
        """The candidate's cost and the variant's own size; see `Candidate.weighed_cost`."""
        return self.variant.size + self.candidate.weighed_cost


def best_variant(repairs: Repairs, found: Candidate, stop: Callable[[], bool]) -> JudgedVariant | None:
    """The variant of the lowest cost that is below that of `found`, the first of equals; None without one.

    Variants are proposed for `found`, and for the model as it is. Kinds behind one that explains everything
    are not asked.
    """
    bases = [found] if not found.edits else [found, repairs.candidate(frozenset())]
    judged: list[JudgedVariant] = []
    for propose in PROPOSERS:
        for base in bases:
            for variant in propose(repairs, base, stop):
                candidate = changed_repairs(repairs, variant).candidate(variant.edits)
                judged.append(JudgedVariant(variant, candidate))
        better = [one for one in judged if one.cost < found.weighed_cost]
        if stop() or any(not one.candidate.unexplained for one in better):
            break
    return min(better, key=lambda one: one.cost, default=None)


#: In the order in which they are asked.
PROPOSERS: tuple[Proposer, ...] = (
    nested_literals,
    quantified_preconditions,
    parameter_lists,
)
