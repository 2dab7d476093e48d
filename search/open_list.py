"""Policies over an open list: the nodes that may be expanded, best first.

`BestFirst` takes the best of all nodes that were ever made and not yet expanded, so a branch that disappoints
is left for another one, and may be come back to. `Beam` takes the best of the newest generation and forgets
the others: it always goes deeper. Roots are the first generation.

Both advance in rounds, and their order among nodes (`best_first`) knows no equals, so the outcome depends
neither on the number of workers nor on which answer comes first. A round in which a node is solved is
finished, then the search stops. The best node ever made is kept, whether or not it can be expanded.

Source: Russell and Norvig, Artificial Intelligence, 4th edition: best-first search, local beam search.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace

from search.nodes import Expansion, Node
from search.policies import best_first, unasked


@dataclass(frozen=True)
class OpenListState:
    """What may be expanded, what is being expanded, and the best so far."""

    open: tuple[Node, ...]  #: best first
    pending: tuple[Node, ...] = ()  #: nodes of the current round whose children are awaited
    expanded: int = 0  #: expansions asked for
    rounds: int = 0  #: rounds asked for
    best: Node | None = None

    @property
    def solved(self) -> bool:
        """Whether a solved node has been found."""
        return self.best is not None and self.best.evaluation.solved


@dataclass(frozen=True)
class _OpenList(ABC):
    """What both policies share: a round takes nodes from the open list, and their children join it."""

    children: int  #: of one expansion

    def __post_init__(self) -> None:
        if min(astuple(self)) < 1:
            raise ValueError(f"{self}: every setting must be at least 1")

    def start(self, roots: Sequence[Node]) -> OpenListState:
        """All roots that can be expanded are open."""
        return OpenListState(_expandable(roots))

    def ask(self, state: OpenListState) -> tuple[OpenListState, tuple[Expansion, ...]]:
        """The next round, best node first."""
        taken, left = self._next(state)
        if not taken:
            return state, ()
        expanded, rounds = state.expanded + len(taken), state.rounds + 1
        asked = replace(state, open=left, pending=taken, expanded=expanded, rounds=rounds)
        return asked, tuple(Expansion(node, self.children) for node in taken)

    def tell(self, state: OpenListState, expansion: Expansion, children: Sequence[Node]) -> OpenListState:
        """The children join the open list as far as they can be expanded."""
        pending = tuple(node for node in state.pending if node.id != expansion.parent.id)
        if pending == state.pending:
            raise unasked(expansion)
        made = children if state.best is None else (state.best, *children)
        return replace(
            state,
            open=best_first((*state.open, *_expandable(children))),
            pending=pending,
            best=next(iter(best_first(made)), None),
        )

    def finished(self, state: OpenListState) -> bool:
        """Whether the round is complete and no other may follow."""
        return not state.pending and not self._next(state)[0]

    def best(self, state: OpenListState) -> Node | None:
        """The best node ever made; of equals the shallowest, then the first."""
        return state.best

    def _next(self, state: OpenListState) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
        """The nodes to expand now, and those that stay open then."""
        return ((), state.open) if state.pending or state.solved else self._split(state)

    @abstractmethod
    def _split(self, state: OpenListState) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
        """The nodes of the next round, and those that stay open."""


@dataclass(frozen=True)
class BestFirst(_OpenList):
    """Every round expands the `width` best open nodes, up to `expansions` in all. Settings are at least 1."""

    expansions: int
    width: int = 1

    def _split(self, state: OpenListState) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
        count = min(self.width, self.expansions - state.expanded)
        return state.open[:count], state.open[count:]


@dataclass(frozen=True)
class Beam(_OpenList):
    """Each of `turns` rounds expands the `width` best of the newest generation, or all if it has fewer."""

    turns: int
    width: int

    def _split(self, state: OpenListState) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
        return (state.open[: self.width], ()) if state.rounds < self.turns else ((), ())


def _expandable(nodes: Sequence[Node]) -> tuple[Node, ...]:
    return best_first(node for node in nodes if node.evaluation.expandable)
