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
    def rank(self) -> tuple[bool, float, int]:
        """Lower is better: what explains everything comes first, then what costs less; see `_rank`."""
        return _rank(self.candidate, self.variant.size)


def _rank(candidate: Candidate, size: int = 0) -> tuple[bool, float, int]:
    """Of a candidate in a model that has changed by so much; of equals, fewer initial atoms are better."""
    return candidate.unexplained > 0, size + candidate.weighed_cost, candidate.starts


def best_variant(
    repairs: Repairs, found: Candidate, stop: Callable[[], bool], *, disables: bool = False
) -> JudgedVariant | None:
    """The best variant that is better than `found`, the first of equals; None if there is none.

    Variants are proposed for `found`, and for the model as it is. Kinds behind one that explains everything
    are not asked; where `found` explains everything itself, only those that are cheap to ask. If it disables
    an action, all that explains everything is better.
    """
    limit = (True, 0.0, 0) if disables else _rank(found)
    bases = [found] if not found.edits else [found, repairs.candidate(frozenset())]
    better: list[JudgedVariant] = []
    for propose in PROPOSERS if limit[0] else _CHEAP:
        if stop():
            break
        own = bases[:1] if propose is parameter_lists else bases
        for variant in (v for base in own for v in propose(repairs, base, stop)):
            judged = JudgedVariant(variant, changed_repairs(repairs, variant).candidate(variant.edits))
            if judged.rank < limit:
                better.append(judged)
        if any(not judged.candidate.unexplained for judged in better):
            break
    return min(better, key=lambda judged: judged.rank, default=None)


_CHEAP: tuple[Proposer, ...] = (nested_literals, quantified_preconditions, conditional_effects)
#: In the order in which they are asked.
PROPOSERS: tuple[Proposer, ...] = (*_CHEAP, parameter_lists, new_predicates)
