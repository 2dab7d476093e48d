"""What a tree of refinements has to beat with the same money: methods `best-of-n` and `restarts`.

Both differ from `chain` and `tree` in the search alone, and ask the same requests where they do the same: the
problems and the first batch of `best-of-n` are those of a tree of its size, the first line of `restarts` is
the chain. The third baseline, `repair`, is a chain with more turns.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from agents.refine import Refiner
from experiments.methods.base import Kit
from experiments.methods.refinement import RefinementMethod, asking, evaluator_of
from experiments.methods.searching import Searcher
from experiments.methods.warm import warm
from experiments.runs.seeds import derived_seed
from experiments.runs.units import Unit
from experiments.spending.bounds import Bound
from search.loop import SearchResult
from search.nodes import Node
from search.policies import Policy, first_best
from search.samples import Samples


@dataclass(frozen=True, kw_only=True)
class SamplingMethod(RefinementMethod):
    """Independent domains for `np` problems: `turns` batches of `nd` each, no feedback."""

    def bound(self, unit: Unit, longest: int) -> Bound:
        """All batches at once: none hears of those before it."""
        return super().bound(replace(unit, nd=unit.nd * unit.turns, turns=1), longest)

    def policy(self, unit: Unit) -> Policy[Any]:
        """Batch after batch, until one holds a solved domain."""
        return Samples(children=unit.nd, batches=unit.turns)


@dataclass(frozen=True, kw_only=True)
class RestartingMethod(RefinementMethod):
    """Up to `np` lines of `turns` turns, one after the other, until one ends solved.

    Each has a problem of its own, which is asked for when the line begins. The first is as greedy as a chain,
    the others are warm.
    """

    def search(self, unit: Unit, kit: Kit, refiner: Refiner) -> SearchResult:
        """Line after line, within the unit's budgets."""
        searcher = Searcher(unit, kit)
        best: Node | None = None
        nodes: list[Node] = []
        for number in range(1, unit.np + 1):
            asked = refiner if number == 1 else warm(refiner)
            seed = derived_seed(unit.seed, "problems", *(() if number == 1 else (number,)))
            root = searcher.roots(asked.problems(1, seed), number)
            found = searcher.search(self.policy(unit), root, asking(unit, asked), evaluator_of(unit, kit))
            nodes += found.nodes
            best = first_best((best, found.best))
            if searcher.purse.empty or (best is not None and best.evaluation.solved):
                break
        return SearchResult(best, tuple(nodes))
