"""What a search policy is: settings in the object, state in the caller's hand.

A policy decides which node gets children next. It is asked for all expansions that may run now and told
the children of each as they are done, in any order. Its settings are a frozen dataclass; its state is a plain
frozen dataclass that the caller keeps, so a search can be pickled in the middle and continued elsewhere.

`ask` counts what is still pending: it never hands out the same expansion twice and never more than is of
use, so nothing that was paid for is thrown away. An empty answer means "wait for a tell" until `finished`.

A policy asks in rounds: while anything is pending, `ask` hands out nothing more. So what is asked depends on
finished rounds alone, and so does the set of nodes that are known at that moment: neither changes with the
order in which answers come, nor with the number of workers. Whoever makes proposals may use both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from search.nodes import Expansion, Node, order_of

S = TypeVar("S")


class Policy(Protocol[S]):
    """A search as a pure state machine. Every method leaves the state it is given as it was."""

    def start(self, roots: Sequence[Node]) -> S:
        """The state before anything was asked. Roots carry their evaluation already."""
        ...

    def ask(self, state: S) -> tuple[S, tuple[Expansion, ...]]:
        """The next round: all expansions that may run now, and the state in which they are pending.

        Nothing while an expansion of the last round is pending.
        """
        ...

    def tell(self, state: S, expansion: Expansion, children: Sequence[Node]) -> S:
        """The state after a pending expansion's children are known; fewer than asked for is allowed.

        The order of tells makes no difference. Raises ValueError if `expansion` is not pending.
        """
        ...

    def finished(self, state: S) -> bool:
        """Whether nothing is pending and nothing will be asked any more."""
        ...

    def best(self, state: S) -> Node | None:
        """The best node made so far (roots do not count); None before the first."""
        ...


def best_first(nodes: Iterable[Node]) -> tuple[Node, ...]:
    """The nodes in an order that no two share: by rating, highest first, then shallower, then by id."""
    by_place = sorted(nodes, key=lambda node: (node.depth, order_of(node)))
    return tuple(
        sorted(by_place, key=lambda node: node.evaluation.rating, reverse=True)
    )  # keeps equals' order


def first_best(nodes: Iterable[Node | None]) -> Node | None:
    """The node of the highest rating, the first of equals; None if there is none."""
    best: Node | None = None
    for node in nodes:
        if node is not None and (best is None or best.evaluation.rating < node.evaluation.rating):
            best = node
    return best


def unasked(expansion: Expansion) -> ValueError:
    """What `tell` raises about an expansion that is not pending."""
    return ValueError(f"node {expansion.parent.id} is not being expanded: tell what ask handed out, once")
