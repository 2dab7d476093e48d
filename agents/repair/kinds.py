"""The kinds of structural edits, and the best of what they propose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agents.repair.conditional import conditional_effects
from agents.repair.model import Candidate, Model
from agents.repair.new_predicate import new_predicates
from agents.repair.quantified import quantified_preconditions
from agents.repair.search import Repairs
from agents.repair.variants import Proposer, Variant, parameter_lists


@dataclass(frozen=True, eq=False)
class JudgedVariant:
    """A variant and what it costs."""

    variant: Variant
    cost: float  #: with its edits, its own size included; see `Candidate.weighed_cost`
    unexplained: int


def best_variant(repairs: Repairs, found: Candidate, stop: Callable[[], bool]) -> JudgedVariant | None:
    """The variant of the lowest cost, the first of equals; None if there is none before `stop`."""
    judged: list[JudgedVariant] = []
    bases = [found] if not found.edits else [found, repairs.candidate(frozenset())]
    for propose in PROPOSERS:
        if propose is parameter_lists and any(not one.unexplained for one in judged):
            break
        for variant in (v for base in bases for v in propose(repairs, base, stop)):
            model = Model.of(*variant.problems)
            candidate = Repairs(model, repairs.seen).candidate(variant.edits)
            cost = variant.size + candidate.weighed_cost
            judged.append(JudgedVariant(variant, cost, candidate.unexplained))
    return min(judged, key=lambda one: (one.unexplained > 0, one.cost), default=None)


#: In the order in which they are asked.
PROPOSERS: tuple[Proposer, ...] = (
    quantified_preconditions,
    conditional_effects,
    new_predicates,
    parameter_lists,
)
