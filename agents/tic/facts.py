"""What a model says, as plain data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Facts:
    """A model, in constants (`agents.tic.names`); everything sorted. Picklable."""

    objects: tuple[tuple[str, str], ...]  #: (object, type), every type of each
    init: tuple[tuple[str, ...], ...]  #: (predicate, argument, ...)
    goal: tuple[tuple[bool, tuple[str, ...]], ...]  #: (True if it has to hold, (predicate, argument, ...))

    @classmethod
    def of(cls, model: dict[str, Any]) -> Facts:
        """A model as a child tells it."""
        return cls(
            tuple((thing, kind) for thing, kind in model["objects"]),
            tuple(map(tuple, model["init"])),
            tuple((holds, tuple(fact)) for holds, fact in model["goal"]),
        )

    def statements(self) -> Iterator[str]:
        """Each fact as an IR would state it."""
        yield from (f"object({thing}, {kind})" for thing, kind in self.objects)
        yield from (f"init({show_fact(fact)})" for fact in self.init)
        yield from (show_goal(holds, fact) for holds, fact in self.goal)


def show_fact(fact: Sequence[str]) -> str:
    """`on(a, b)`, or `has_block`."""
    predicate, *arguments = fact
    return f"{predicate}({', '.join(arguments)})" if arguments else predicate


def show_goal(holds: bool, fact: Sequence[str]) -> str:
    """`goal(on(a, b))`, or `goal(-on(a, b))`."""
    return f"goal({'' if holds else '-'}{show_fact(fact)})"
