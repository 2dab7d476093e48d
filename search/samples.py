"""Best of n: independent children of the roots, batch after batch, and nothing is built on any of them.

What refinement has to beat: the same number of proposals without feedback. A batch is a round: `children` of
every root that can be expanded. The search stops after the batch in which a node is solved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from search.nodes import Expansion, Node
from search.policies import first_best, unasked


@dataclass(frozen=True)
class SamplesState:
    """The roots to draw from, what is pending, and the best so far of each root, in root order."""

    roots: tuple[Node, ...]
    best: tuple[Node | None, ...]
    batches: int = 0  #: begun
    pending: frozenset[str] = frozenset()  #: ids of roots


@dataclass(frozen=True)
class Samples:
    """The policy. `children` and `batches` are at least 1."""

    children: int = 10
    batches: int = 4

    def __post_init__(self) -> None:
        if self.children < 1 or self.batches < 1:
            raise ValueError(f"children={self.children}, batches={self.batches}: both must be at least 1")

    def start(self, roots: Sequence[Node]) -> SamplesState:
        """Roots that cannot be expanded are left out."""
        usable = tuple(root for root in roots if root.evaluation.expandable)
        return SamplesState(usable, (None,) * len(usable))

    def ask(self, state: SamplesState) -> tuple[SamplesState, tuple[Expansion, ...]]:
        """The next batch of every root."""
        if state.pending or self.finished(state):
            return state, ()
        first = 1 + state.batches * self.children
        asked = tuple(Expansion(root, self.children, first) for root in state.roots)
        pending = frozenset(root.id for root in state.roots)
        return replace(state, batches=state.batches + 1, pending=pending), asked

    def tell(self, state: SamplesState, expansion: Expansion, children: Sequence[Node]) -> SamplesState:
        """Keeps the best of the root's children, the first of equals."""
        if expansion.parent.id not in state.pending:
            raise unasked(expansion)
        best = tuple(
            first_best((kept, *children)) if root.id == expansion.parent.id else kept
            for root, kept in zip(state.roots, state.best, strict=True)
        )
        return replace(state, best=best, pending=state.pending - {expansion.parent.id})

    def finished(self, state: SamplesState) -> bool:
        """Whether the last batch is in, or one in which a node is solved."""
        if state.pending:
            return False
        best = self.best(state)
        solved = best is not None and best.evaluation.solved
        return solved or not state.roots or state.batches == self.batches

    def best(self, state: SamplesState) -> Node | None:
        """The best of all roots' children, the first root's of equals."""
        return first_best(state.best)
