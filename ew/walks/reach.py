"""Walks of a model to the first use of each of its action schemas, found without asking the world.

A breadth-first search that keeps a state only if it makes an atom true for the first time (where states
cannot be read: an operator applicable). That is cheap, and reaches what can be reached by collecting one fact
after the other; what needs two hard facts at once may be missed.

Source: the pruning is iterated width 1, Lipovetzky and Geffner 2012.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from envs.pddl.interface import States, TransitionSystem
from envs.pddl.simulation.simulator import Task
from ew.walks.choosing import schemas_of
from ew.walks.coverage import atom_bits

#: One node: the index of its parent (-1 for the initial state) and the operator that led here.
_Nodes = list[tuple[int, int]]


def reaching_walks(model: TransitionSystem, max_states: int = 2000) -> tuple[tuple[str, ...], ...]:
    """For each schema that the search meets, a shortest of its walks that ends in it; sorted by length.

    `max_states` bounds the states that are looked at.
    """
    _, schemas = schemas_of(model)
    states, nodes = model.initial(1), [(-1, -1)]
    numbers = np.zeros(1, dtype=np.int64)
    seen = _features(model, states)[0].astype(bool)
    found: dict[int, tuple[int, int]] = {}
    while len(states) and len(nodes) <= max_states:
        rows, operators = np.nonzero(model.applicable(states))
        for place in np.unique(schemas[operators], return_index=True)[1].tolist():
            found.setdefault(
                int(schemas[operators[place]]), (int(numbers[rows[place]]), int(operators[place]))
            )
        after = model.successors(states[rows], operators.astype(np.int64))
        kept = _novel(_features(model, after).astype(bool), seen)
        nodes += [(int(numbers[rows[k]]), int(operators[k])) for k in kept]
        states = after[kept]
        numbers = np.arange(len(nodes) - len(kept), len(nodes))
    walks = [_trace(model, nodes, node, operator) for node, operator in found.values()]
    return tuple(sorted(walks, key=lambda walk: (len(walk), walk)))


def _novel(features: NDArray[np.bool_], seen: NDArray[np.bool_]) -> list[int]:
    """The rows with a feature that neither `seen` nor a row before has; `seen` takes them in."""
    kept: list[int] = []
    for row in np.flatnonzero((features & ~seen).any(axis=1)).tolist():
        if (features[row] & ~seen).any():
            seen |= features[row]
            kept.append(row)
    return kept


def _features(model: TransitionSystem, states: States) -> NDArray[np.uint8] | NDArray[np.bool_]:
    """The atoms that hold where they can be read, else the operators that are applicable."""
    return atom_bits(model, states) if isinstance(model, Task) else model.applicable(states)


def _trace(model: TransitionSystem, nodes: _Nodes, node: int, operator: int) -> tuple[str, ...]:
    """The operators from the initial state to `node`, and `operator`."""
    backwards = [operator]
    while nodes[node][0] >= 0:
        node, operator = nodes[node]
        backwards.append(operator)
    return tuple(model.operators[o] for o in reversed(backwards))
