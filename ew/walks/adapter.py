"""Any World as a transition system.

A World that can be walked in batches offers `transitions()`. For any other Python object with the World
surface, the adapter's state is the history: the operators executed since the start, as a tuple of texts. It
asks the world `applicable(history)`, so it is slow, but it needs nothing else of the world. The world must be
deterministic, as a history stands for the state it leads to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from envs.pddl.interface import BatchedWorld, OperatorIndices, States, TransitionSystem, World
from envs.pddl.language.operators import format_operator

#: An action interface with more operators than this is not enumerated.
MAX_OPERATORS = 2_000_000


def transitions_of(world: World) -> TransitionSystem:
    """The world's own transition system if it offers one, else an adapter around its World surface."""
    if isinstance(world, BatchedWorld):
        return world.transitions()
    return HistorySystem(world)


class HistorySystem:
    """A TransitionSystem over a World; a state is the tuple of operator texts that led to it."""

    def __init__(self, world: World):
        self._world = world

    @cached_property
    def operators(self) -> tuple[str, ...]:
        """Every operator that the action interface and the object list allow, sorted.

        Raises ValueError if there are more than MAX_OPERATORS.
        """
        members = members_of(self._world.name, self._world.types, self._world.objects)
        return tuple(sorted(_enumerate(self._world, members)))

    @cached_property
    def _index(self) -> Mapping[str, int]:
        return {text: i for i, text in enumerate(self.operators)}

    def initial(self, batch: int) -> States:
        """`batch` empty histories."""
        return _histories([()] * batch)

    def applicable(self, states: States) -> NDArray[np.bool_]:
        """Asks the world once a row. Raises ValueError if it names an operator outside its interface."""
        mask = np.zeros((len(states), len(self.operators)), dtype=np.bool_)
        for row, history in enumerate(states):
            for text in self._world.applicable(history):
                if text not in self._index:
                    raise ValueError(
                        f"world {self._world.name!r}: applicable operator {text!r} fits no action"
                    )
                mask[row, self._index[text]] = True
        return mask

    def successors(self, states: States, operators: OperatorIndices) -> States:
        """The histories with one operator more (-1: unchanged)."""
        return _histories(
            [s if o < 0 else (*s, self.operators[int(o)]) for s, o in zip(states, operators, strict=True)]
        )


def _histories(rows: list[tuple[str, ...]]) -> States:
    """A one-dimensional array of tuples (numpy would make a matrix of tuples of equal length)."""
    states = np.empty(len(rows), dtype=object)
    for row, history in enumerate(rows):
        states[row] = history
    return states


def members_of(
    world: str, types: Mapping[str, str | None], objects: Mapping[str, str]
) -> Mapping[str, list[str]]:
    """Type name to its objects, those of its subtypes included; `object` has all.

    Raises ValueError, in the name of the world, for a type that `types` lacks or that is its own ancestor.
    """
    members: dict[str, list[str]] = {name: [] for name in ("object", *types)}
    for name, type_name in objects.items():
        current: str | None = type_name
        while current is not None and current != "object":
            if current not in types or name in members[current][-1:]:
                raise ValueError(f"world {world!r}: object {name!r} has {_fault(current, types)}")
            members[current].append(name)
            current = types[current]
        members["object"].append(name)
    return members


def _fault(type_name: str, types: Mapping[str, str | None]) -> str:
    if type_name in types:
        return f"the type {type_name!r}, which is its own ancestor: correct its parents"
    return f"the type {type_name!r}, which the world's types lack: add it to them"


def _enumerate(world: World, members: Mapping[str, list[str]]) -> Iterator[str]:
    """The text of every well-typed operator. Raises ValueError if there are too many."""
    domains = {a.name: [members[p.type] for p in a.parameters] for a in world.actions}
    total = sum(prod(len(d) for d in columns) for columns in domains.values())
    if total > MAX_OPERATORS:
        raise ValueError(
            f"world {world.name!r} has {total} operators, more than {MAX_OPERATORS}: "
            "offer transitions() with its own, smaller operator list, or choose a smaller task"
        )
    return (format_operator(name, args) for name, columns in domains.items() for args in product(*columns))
