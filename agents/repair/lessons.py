"""What the walks teach about each action: operators in states, and whether the world executes them.

Every typed operator of every state that the world was asked about is an example. Where there are too many,
those that the world refuses are thinned out, evenly and always in the same way; those that it executes stay.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from agents.repair.states import Forest, forest
from envs.pddl.lifted import LiftedTask, Schema
from envs.pddl.operators import parse_operator
from ew.world_walks import Seen

#: More examples of one action than this are thinned out.
MAX_EXAMPLES = 120_000


@dataclass(frozen=True, eq=False)
class Examples:
    """One action's, a row each."""

    nodes: NDArray[np.int64]
    arguments: NDArray[np.int64]  #: shape (rows, arity)
    positive: NDArray[np.int64]  #: indices of the rows that the world executes
    negative: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Lessons:
    """All that was seen, as examples by action, and the walks to compute states along."""

    walks: Forest
    examples: dict[str, Examples]


def lessons(task: LiftedTask, operators: tuple[str, ...], seen: Seen) -> Lessons:
    """What `seen` teaches; `operators` are the world's, by number."""
    numbers = {name: i for i, name in enumerate(task.objects)}
    parsed = []
    for text in operators:
        name, words = parse_operator(text)
        parsed.append((name, tuple(numbers[word] for word in words)))
    index = {operator: i for i, operator in enumerate(parsed)}
    walks = forest(seen.parents, seen.operators, parsed)
    return Lessons(walks, {s.name: _examples(s, index, seen) for s in task.schemas})


def _examples(schema: Schema, index: dict[tuple[str, tuple[int, ...]], int], seen: Seen) -> Examples:
    rows = list(product(*schema.members[: schema.arity]))
    numbers = np.array([index.get((schema.name, row), -1) for row in rows], dtype=np.int64)
    executed = np.zeros((len(seen.asked), len(rows)), dtype=np.bool_)
    known = numbers >= 0
    executed[:, known] = seen.applicable[:, numbers[known]]
    kept = np.ones(executed.shape, dtype=np.bool_)
    if executed.size > MAX_EXAMPLES:
        step = -(-executed.size // MAX_EXAMPLES)
        kept = executed | (np.arange(executed.size) % step == 0).reshape(executed.shape)
    states, operators = np.nonzero(kept)
    label = executed[states, operators]
    arguments = np.array(rows, dtype=np.int64).reshape(len(rows), schema.arity)
    return Examples(
        seen.asked[states], arguments[operators], np.flatnonzero(label), np.flatnonzero(~label)
    )
