"""The kinds of structural edits, and the best of what they propose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

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
    def cost(self) -> float:
        """The candidate's cost and the variant's own size; see `Candidate.weighed_cost`."""
        return self.variant.size + self.candidate.weighed_cost

    @property
    def rank(self) -> tuple[bool, float]:
        """Lower is better: what explains everything comes first, then what costs less."""
        return self.candidate.unexplained > 0, self.cost


def best_variant(
    repairs: Repairs, found: Candidate, stop: Callable[[], bool], *, disables: bool = False
) -> JudgedVariant | None:
    """The best variant that is better than `found`, the first of equals; None without one.

    Variants are proposed for `found`, and for the model as it is. Kinds behind one that explains everything
    are not asked. If `found` disables an action, all that explains everything is better.
    """
    limit = (True, 0.0) if disables else (found.unexplained > 0, found.weighed_cost)
    bases = [found] if not found.edits else [found, repairs.candidate(frozenset())]
    judged: list[JudgedVariant] = []
    for propose in PROPOSERS:
        for variant in (v for base in bases for v in propose(repairs, base, stop)):
            judged.append(JudgedVariant(variant, changed_repairs(repairs, variant).candidate(variant.edits)))
        better = [one for one in judged if one.rank < limit]
        if stop() or any(not one.candidate.unexplained for one in better):
            break
    return min(better, key=lambda one: one.rank, default=None)


#: In the order in which they are asked.
PROPOSERS: tuple[Proposer, ...] = (
    nested_literals,
    quantified_preconditions,
    conditional_effects,
    new_predicates,
    parameter_lists,
)
