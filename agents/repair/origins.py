"""Which effect made each atom what it is, at every node of the walks.

An atom's origin at a node is the effect without which it would have another value there: the one that changed
it last, if no other effect has written the same value again since then. So an observation that depends on the
atom is evidence for that effect. What conditional effects change has no origin.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from agents.repair.states import Forest, Level, Tables, keys_of
from envs.pddl.simulation.lifted import Literal

#: No effect, or more than one. All numbers below 0 say this.
_NONE = -1
#: The atom's value is new in this step, and nothing has been found yet that wrote it.
_NEW = -2
#: Predicate to the numbers of the effects, of the shape of its table; negative where there is no origin.
Origins = Mapping[str, NDArray[np.int16]]
#: The effects of each action, numbered.
Numbered = Mapping[str, Sequence[tuple[int, Literal]]]


def origins(walks: Forest, effects: Numbered, tables: Tables, base: int) -> Origins:
    """The origins of the atoms of all predicates in `tables`, which are the states that the effects make."""
    found = {p: np.full(table.shape, _NONE, dtype=np.int16) for p, table in tables.items()}
    for level in walks.levels:
        for group in level:
            for predicate, table in tables.items():
                rows = found[predicate][group.parents]
                rows[table[group.nodes] != table[group.parents]] = _NEW
                found[predicate][group.nodes] = rows
            own = [(number, effect) for number, effect in effects[group.schema] if effect.predicate in tables]
            for number, effect in sorted(own, key=lambda e: e[1].positive):  # deletes come before adds
                _write(group, number, effect, tables, found, base)
    return found


def _write(group: Level, number: int, effect: Literal, tables: Tables, found: Origins, base: int) -> None:
    """Note what one effect did at a group of nodes."""
    columns = dict(enumerate(group.arguments.T))
    keys = keys_of(effect.terms, columns, len(group.nodes), base)
    origin = found[effect.predicate]
    known = origin[group.nodes, keys]
    lasting = tables[effect.predicate][group.nodes, keys] == effect.positive
    written = np.where((known == _NEW) | (known == number), number, _NONE)
    # what is deleted and added at once is true by the adding alone, whatever it was before
    origin[group.nodes, keys] = np.where(lasting, written, _NEW)
