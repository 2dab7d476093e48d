"""The kinds of structural edits, and the best of what they propose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agents.repair.model import Candidate, Model
from agents.repair.quantified import quantified_preconditions
from agents.repair.search import Repairs
from agents.repair.variants import Proposer, Variant, parameter_lists


@dataclass(frozen=True, eq=False)
class JudgedVariant:
    """A variant and what it costs."""

    variant: Variant
    cost: float  #: with its edits, its own size included; see `Candidate.weighed_cost`


def best_variant(repairs: Repairs, found: Candidate, stop: Callable[[], bool]) -> JudgedVariant | None:
    """The variant of the lowest cost, the first of equals; None if there is none before `stop`."""
    judged: list[JudgedVariant] = []
    for propose in PROPOSERS:
        for variant in propose(repairs, found, stop):
            model = Model.of(variant.problems[0])
            cost = variant.size + Repairs(model, repairs.seen).candidate(variant.edits).weighed_cost
            judged.append(JudgedVariant(variant, cost))
    return min(judged, key=lambda one: one.cost, default=None)


#: In the order in which they are asked.
PROPOSERS: tuple[Proposer, ...] = (quantified_preconditions, parameter_lists)
