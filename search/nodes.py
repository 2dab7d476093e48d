"""Nodes of a search tree: frozen, picklable, keyed by content. Search never learns what the payload is."""

from __future__ import annotations

from collections.abc import Hashable
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
        ...


class Evaluation(Protocol):
    """What the evaluation of a payload found: an order among candidates, and whether the search may end."""

    @property
    def rating(self) -> Ordered:
        """Higher is better."""
        ...

    @property
    def solved(self) -> bool:
        """Whether nothing better can be found."""
        ...

    @property
    def expandable(self) -> bool:
        """Whether children of this node can make sense at all."""
        ...


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


@dataclass(frozen=True)
class Expansion:
    """A wish of a policy: make `count` children of `parent`."""

    parent: Node
    count: int

    @property
    def key(self) -> Hashable:
        """What tells this wish from every other of the same search."""
        return (self.parent.id, self.count)
