"""Algorithm 1: a branch for every root, best of n in every turn, the best ever kept.

In a turn a branch makes `children` children of its current node. The best of them becomes the branch's
current node, even if it is worse than the one before: the conversation goes on from it. The best node of the
branch and of all branches is kept beside that, the first of equals.

The published pseudo-code runs branch after branch and stops as soon as a candidate is solved. Here the
branches advance together, in rounds: turn c of all branches, then turn c + 1. A round in which a node is
solved is finished for every branch, then the search stops. So the outcome depends neither on the number of
workers nor on which answer comes first. The price: a lucky first branch no longer saves the others' turns up
to the round it is lucky in; the gain: it saves all their later ones, and a round's answers are waited for
together.

A branch ends early if the best of its turn cannot be expanded, or if a turn brings no children at all:
the same question would get the same answer.

Source: Mahdavi et al. 2024, Algorithm 1 (`children` is n_d, `turns` is c_max; n_p is the number of roots).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from search.nodes import Expansion, Node
from search.policies import first_best, unasked


@dataclass(frozen=True)
class Branch:
    """One root's line of best-of-turn nodes."""

    current: Node
    best: Node | None = None
    turns: int = 0  #: finished turns
    pending: bool = False  #: whether the children of `current` have been asked for
    open: bool = True


@dataclass(frozen=True)
class Algorithm1State:
    """The branches, in root order."""

    branches: tuple[Branch, ...]

    @property
    def solved(self) -> bool:
        """Whether a solved node has been found."""
        return any(b.best is not None and b.best.evaluation.solved for b in self.branches)

    @property
    def pending(self) -> bool:
        """Whether a tell is awaited."""
        return any(b.pending for b in self.branches)


@dataclass(frozen=True)
class Algorithm1:
    """The policy. `children` and `turns` are at least 1."""

    children: int = 10
    turns: int = 4

    def __post_init__(self) -> None:
        if self.children < 1 or self.turns < 1:
            raise ValueError(f"children={self.children}, turns={self.turns}: both must be at least 1")

    def start(self, roots: Sequence[Node]) -> Algorithm1State:
        """A branch for every root; one that cannot be expanded is closed from the start."""
        return Algorithm1State(tuple(Branch(root, open=root.evaluation.expandable) for root in roots))

    def ask(self, state: Algorithm1State) -> tuple[Algorithm1State, tuple[Expansion, ...]]:
        """The rest of the current round: every open branch that has made the fewest turns."""
        waiting = [b for b in state.branches if b.open]
        if state.solved or not waiting:
            return state, ()
        turn = min(b.turns for b in waiting)
        asked = [b.open and not b.pending and b.turns == turn for b in state.branches]
        branches = tuple(
            replace(b, pending=True) if now else b for b, now in zip(state.branches, asked, strict=True)
        )
        wishes = (
            Expansion(b.current, self.children) for b, now in zip(state.branches, asked, strict=True) if now
        )
        return replace(state, branches=branches), tuple(wishes)

    def tell(self, state: Algorithm1State, expansion: Expansion, children: Sequence[Node]) -> Algorithm1State:
        """Ends the turn of the branch whose current node was expanded."""
        for i, branch in enumerate(state.branches):
            if branch.pending and branch.current.id == expansion.parent.id:
                told = self._after_turn(branch, children)
                return replace(state, branches=(*state.branches[:i], told, *state.branches[i + 1 :]))
        raise unasked(expansion)

    def finished(self, state: Algorithm1State) -> bool:
        """Whether the round is complete and either a node is solved or no branch is open."""
        return not state.pending and (state.solved or not any(b.open for b in state.branches))

    def best(self, state: Algorithm1State) -> Node | None:
        """The best of all branches' best nodes, the first branch's of equals."""
        return first_best(b.best for b in state.branches)

    def _after_turn(self, branch: Branch, children: Sequence[Node]) -> Branch:
        chosen = first_best(children)
        if chosen is None:
            return replace(branch, turns=branch.turns + 1, pending=False, open=False)
        return Branch(
            current=chosen,
            best=first_best((branch.best, chosen)),
            turns=branch.turns + 1,
            open=branch.turns + 1 < self.turns and chosen.evaluation.expandable,
        )
