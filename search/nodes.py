"""Nodes of a search tree: frozen, picklable, keyed by content. Search never learns what the payload is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol


class Ordered(Protocol):
    """Anything with a total order."""

    def __lt__(self, other: Any, /) -> bool: ...


class Payload(Protocol):
    """A proposal: picklable, with a key that two equal proposals share in every process."""

    @property
    def key(self) -> str:
        """Content hash (hexadecimal SHA-256)."""


class Evaluation(Protocol):
    """What the evaluation of a payload found: an order among candidates, and whether the search may end."""

    @property
    def rating(self) -> Ordered:
        """Higher is better."""

    @property
    def solved(self) -> bool:
        """Whether nothing better can be found."""

    @property
    def expandable(self) -> bool:
        """Whether children of this node can make sense at all."""


@dataclass(frozen=True)
class Node:
    """One proposal with its evaluation. `id` is its path, e.g. `2.1.3`: root 2, child 1, its child 3."""

    id: str
    parent: str | None
    payload: Any  #: a Payload
    evaluation: Any  #: an Evaluation

    @property
    def depth(self) -> int:
        """0 for a root."""
        return self.id.count(".")

    @property
    def line(self) -> tuple[str, ...]:
        """The ids of its ancestors, root first, and its own."""
        parts = self.id.split(".")
        return tuple(".".join(parts[:end]) for end in range(1, len(parts) + 1))


def roots_of(payloads: Sequence[Any], evaluations: Sequence[Any]) -> tuple[Node, ...]:
    """Root nodes `1`, `2`, … of payloads whose evaluations are known."""
    pairs = zip(payloads, evaluations, strict=True)
    return tuple(Node(str(i), None, payload, evaluation) for i, (payload, evaluation) in enumerate(pairs, 1))


def order_of(node: Node) -> tuple[int, ...]:
    """Sort key: the place of a node in the tree, depth first, `2.9` before `2.10`."""
    return tuple(int(part) for part in node.id.split("."))


@dataclass(frozen=True)
class Expansion:
    """A request of a policy: make `count` children of `parent`.

    A policy that returns to a node for more of them continues the count.
    """

    parent: Node
    count: int
    first: int = 1  #: number of the first of them, the last part of its id
