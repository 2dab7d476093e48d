"""Systems that are walked without listing their operators: one state at a time, operators as texts.

A model that permits too much has more operators than can be listed, and a world may answer nothing but
whether a walk runs. A `SampledSystem` draws a uniform applicable operator and says whether a given one runs;
where it can, it also counts and lists. `Listed` makes one of any TransitionSystem.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from envs.pddl.interface import OperatorIndices, States, TransitionSystem


class SamplingGaveUp(RuntimeError):
    """No applicable operator was found among very many drawn. Plain data; survives pickling."""

    def __init__(self, tries: int):
        super().__init__(tries)
        self.tries = tries

    def __str__(self) -> str:
        return (
            f"none of {self.tries} drawn operators is applicable, yet it is not certain that none is: the "
            "state may be a dead end, or its operators are too rare to be found by drawing"
        )


class SampledSystem(Protocol):
    """States and operators that single walks can be run in. A state is opaque and never changed."""

    def initial(self) -> Any:
        """The initial state."""
        ...

    def draw(self, state: Any, rng: np.random.Generator) -> str | None:
        """A uniformly chosen applicable operator; None if there is none. May raise SamplingGaveUp."""
        ...

    def runs(self, state: Any, operator: str) -> bool:
        """Whether the operator is applicable; False for one the system does not know."""
        ...

    def successor(self, state: Any, operator: str) -> Any:
        """The state after an applicable operator."""
        ...

    def count(self, state: Any) -> int | None:
        """How many operators are applicable; None if that cannot be told without listing them."""
        ...

    def listed(self, state: Any) -> tuple[str, ...] | None:
        """The applicable operators, sorted; None if they are too many to list."""
        ...

    @property
    def asked(self) -> int:
        """How many questions about states and operators were answered so far; world queries of a world."""
        ...


class Listed:
    """A TransitionSystem as a SampledSystem. Asked once for a state, whatever is then asked about it."""

    def __init__(self, system: TransitionSystem):
        self._system = system
        self.asked = 0

    @cached_property
    def _index(self) -> Mapping[str, int]:
        return {text: i for i, text in enumerate(self._system.operators)}

    def initial(self) -> Any:
        """The initial state, with its applicable operators once they are known."""
        return _Seen(self._system.initial(1))

    def draw(self, state: Any, rng: np.random.Generator) -> str | None:
        """One of the applicable operators; takes one number of `rng`, also in a dead end."""
        options = self.listed(state)
        number = rng.random()
        return options[min(int(number * len(options)), len(options) - 1)] if options else None

    def runs(self, state: Any, operator: str) -> bool:
        """Whether the operator is applicable."""
        self.listed(state)
        return operator in self._index and bool(state.mask[self._index[operator]])

    def successor(self, state: Any, operator: str) -> Any:
        """The state after an applicable operator."""
        return _Seen(self._system.successors(state.row, np.array([self._index[operator]], dtype=np.int64)))

    def count(self, state: Any) -> int:
        """How many operators are applicable."""
        return len(self.listed(state))

    def listed(self, state: Any) -> tuple[str, ...]:
        """The applicable operators, sorted."""
        if state.mask is None:
            self.asked += 1
            state.mask = self._system.applicable(state.row)[0]
            state.options = tuple(self._system.operators[int(i)] for i in np.flatnonzero(state.mask))
        options: tuple[str, ...] = state.options
        return options


class _Seen:
    """A state's row and, once asked, what is applicable there."""

    __slots__ = ("mask", "options", "row")

    def __init__(self, row: Any):
        self.row = row
        self.mask: Any = None
        self.options: tuple[str, ...] = ()


class NamedOperators:
    """A SampledSystem as a TransitionSystem of some operators alone; those it does not know never run."""

    def __init__(self, system: SampledSystem, operators: Iterable[str]):
        self._system = system
        self.operators = tuple(sorted(set(operators)))

    def initial(self, batch: int) -> States:
        """The initial state, `batch` times."""
        return _objects([self._system.initial() for _ in range(batch)])

    def applicable(self, states: States) -> NDArray[np.bool_]:
        """Which of the operators may run."""
        runs = [[self._system.runs(state, o) for o in self.operators] for state in states]
        return np.array(runs, dtype=np.bool_).reshape(len(states), len(self.operators))

    def successors(self, states: States, operators: OperatorIndices) -> States:
        """The states one operator further (-1: unchanged)."""
        moves = zip(states, operators.tolist(), strict=True)
        return _objects([s if o < 0 else self._system.successor(s, self.operators[o]) for s, o in moves])


def _objects(rows: Sequence[Any]) -> States:
    """An array with one opaque state a row."""
    states = np.empty(len(rows), dtype=object)
    for row, state in enumerate(rows):
        states[row] = state
    return states
