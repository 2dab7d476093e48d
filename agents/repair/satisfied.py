"""Which examples satisfy parts of a precondition; what quantifiers and disjunctions say is decided once.

Parts that are no literals take long to be decided, and candidates differ in what such parts read far less
often than in literals. So what is known of them is kept by the tables that they read, example by example.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import ref

import numpy as np

from agents.repair.examples import HoldsAt, Mask, Numbers, Tables, TrainingExamples
from agents.repair.model import Editable
from envs.pddl.simulation.lifted import Condition, Literal, literals_of

#: Parts of preconditions, each in some states, of which is kept which examples satisfy them.
MOST_KEPT = 200


@dataclass(frozen=True, eq=False)
class _Decided:
    """Which examples of an action satisfy some parts, as far as that was asked."""

    states: list[ref[Mask]]  #: the tables that the parts read
    known: Mask
    held: Mask

    @classmethod
    def none(cls, states: Iterable[Mask], examples: int) -> _Decided:
        """Nothing decided yet."""
        return cls([ref(own) for own in states], *(np.zeros(examples, dtype=np.bool_) for _ in range(2)))

    def is_of(self, states: Sequence[Mask]) -> bool:
        """Whether these are the tables; others may have come to have the same identity."""
        return all(own() is state for own, state in zip(self.states, states, strict=True))


class Satisfied:
    """What was decided of one set of examples. Grows with use."""

    def __init__(self, seen: TrainingExamples, base: int):
        self._seen, self._base = seen, base
        #: by action, parts, what their variables range over, and tables
        self._kept: dict[tuple[Any, ...], _Decided] = {}

    def by(self, action: Editable, parts: Iterable[Condition], tables: Tables, which: Numbers | None) -> Mask:
        """Which of an action's examples, or of `which` of them, satisfy all parts in these states."""
        examples, parts = self._seen.of[action.name], tuple(parts)
        which = np.arange(len(examples.nodes)) if which is None else which
        literals = [part for part in parts if isinstance(part, Literal)]  # the same in all tasks
        holds = HoldsAt(examples.nodes[which], tables, action.schemas[0], self._base)
        held = holds.all(literals, examples.arguments[which])
        others = tuple(part for part in parts if not isinstance(part, Literal))
        if others and held.any():
            held[held] = self._decided(action, others, tables, which[held])
        return held

    def _decided(
        self, action: Editable, parts: tuple[Condition, ...], tables: Tables, which: Numbers
    ) -> Mask:
        """Which of some examples of an action satisfy parts that are no literals."""
        examples = self._seen.of[action.name]
        read = {literal.predicate for part in parts for literal in literals_of(part)}
        states = [tables[predicate] for predicate in sorted(read)]
        members = tuple(schema.members for schema in action.schemas)
        key = action.name, parts, members, tuple(map(id, states))
        kept = self._kept.get(key)
        if kept is None or not kept.is_of(states):
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            kept = self._kept[key] = _Decided.none(states, len(examples.nodes))
        new = which[~kept.known[which]]
        task = self._seen.walks.task[examples.nodes[new]]
        for number, schema in enumerate(action.schemas):
            own = new[task == number]
            holds = HoldsAt(examples.nodes[own], tables, schema, self._base)
            kept.held[own] = holds.all(parts, examples.arguments[own])
        kept.known[new] = True
        found: Mask = kept.held[which]
        return found
