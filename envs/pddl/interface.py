"""What an agent may touch of an environment, and what a walk may touch of any transition system.

`World` is the real environment as an agent sees it: names, signatures, executability, goal verification
and states in words; nothing of the rules behind it. Any Python object with that surface is a World.
`TransitionSystem` is the batched form that walks run in; a compiled PDDL task is one, and a World may
offer one through `transitions()` so that many walks can be run at once.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

#: A batch of states, one row a state. Opaque: only the system that made it can read it.
States = NDArray[Any]
#: An index into `TransitionSystem.operators`, one a row; -1 leaves the row's state as it is.
OperatorIndices = NDArray[np.int64]


class Refusal(StrEnum):
    """Why the world refused an operator. Never which condition was false: that would give the model away."""

    NOT_EXECUTABLE = "not_executable"
    UNKNOWN_NAME = "unknown_name"
    WRONG_ARITY = "wrong_arity"


@dataclass(frozen=True)
class Execution:
    """How far a sequence of operators ran from the initial state."""

    steps: int  #: how many operators ran before one was refused, or all of them
    refusal: Refusal | None = None  #: why operator number `steps` was refused; None if all ran


@dataclass(frozen=True)
class PlanVerdict:
    """Whether a plan works in the world."""

    execution: Execution
    goal_reached: bool  #: whether the goal holds after the executed steps

    @property
    def valid(self) -> bool:
        """Every step ran and the goal holds at the end."""
        return self.execution.refusal is None and self.goal_reached


#: The former name, for one release: environments in other packages import it.
Verdict = PlanVerdict


@dataclass(frozen=True)
class Parameter:
    """One typed parameter of an action: its variable with the question mark, and its type's name."""

    name: str
    type: str


@dataclass(frozen=True)
class ActionSignature:
    """Name and typed parameters of a lifted action, without conditions."""

    name: str
    parameters: tuple[Parameter, ...]

    def __str__(self) -> str:
        typed = " ".join(f"{p.name} - {p.type}" for p in self.parameters)
        return f"({self.name} {typed})" if typed else f"({self.name})"


@runtime_checkable
class TransitionSystem(Protocol):
    """States and operators that walks can be run in, a batch at a time."""

    @property
    def operators(self) -> tuple[str, ...]:
        """Every operator's text, `(move robot1 room1 room2)`, sorted; its place here is its index."""

    def initial(self, batch: int) -> States:
        """`batch` fresh copies of the initial state."""

    def applicable(self, states: States) -> NDArray[np.bool_]:
        """Which operators may run: shape (len(states), len(operators))."""

    def successors(self, states: States, operators: OperatorIndices) -> States:
        """New states after one operator a row (-1: unchanged). Operators must be applicable; not checked."""


class HasSignatures(Protocol):
    """The names that a world's operators are made of."""

    @property
    def types(self) -> Mapping[str, str | None]:
        """Type name to its parent's name (None below the root `object`, which is not listed)."""

    @property
    def objects(self) -> Mapping[str, str]:
        """Object name to the name of its type."""

    @property
    def actions(self) -> tuple[ActionSignature, ...]:
        """The action interface."""


class World(HasSignatures, Protocol):
    """The real environment, as far as an agent may touch it. Texts are for the language model.

    Walks and plans are sequences of operator texts such as `(pick robot1 ball1 room1 left1)`, run from
    the task's initial state.
    """

    @property
    def name(self) -> str:
        """The world's name, e.g. `grippers`."""

    @property
    def description(self) -> str:
        """The domain in natural language."""

    @property
    def task(self) -> str:
        """The task in natural language: initial state and goal."""

    def executable(self, walk: Sequence[str]) -> Execution:
        """How many operators of `walk` run before one is refused."""

    def verify(self, plan: Sequence[str]) -> PlanVerdict:
        """Whether every step of `plan` runs and the goal holds afterwards."""

    def describe(self, walk: Sequence[str] = ()) -> str:
        """The state after `walk` in natural language. Raises ValueError if `walk` is refused."""


@runtime_checkable
class ListsApplicable(Protocol):
    """A World that lists what may run after a walk. Without that, operators are tried one after another."""

    def applicable(self, walk: Sequence[str] = ()) -> tuple[str, ...]:
        """The operators that may run after `walk`, sorted. Raises ValueError if `walk` itself is refused."""


@runtime_checkable
class NamesConstants(Protocol):
    """A World whose tasks share some objects, which the rules of its domain may name."""

    @property
    def constants(self) -> Mapping[str, str]:
        """Of the objects, those that every task has: name to the name of its type."""


@runtime_checkable
class DescribesSteps(Protocol):
    """A World that describes a state as it bears on an operator."""

    def describe_step(self, walk: Sequence[str]) -> str:
        """The state before the last operator of `walk`, in words, with what bears on that operator's objects.

        Never which condition it needs. Raises ValueError if the operators before it are refused.
        """


@runtime_checkable
class ShowsStates(Protocol):
    """A World whose states can be seen as facts, its goal as a condition, and of its rules nothing."""

    @property
    def predicates(self) -> Mapping[str, tuple[tuple[str, str], ...]]:
        """What states are said in: each predicate's variables and their types."""

    @property
    def goal(self) -> str:
        """The goal as a PDDL condition."""

    def facts(self, walk: Sequence[str] = ()) -> frozenset[tuple[str, ...]]:
        """All atoms that hold after `walk`, static ones included. Raises ValueError if it is refused."""


@runtime_checkable
class NamesDomain(Protocol):
    """A World whose tasks are written for a domain by name, and may say what its actions cost."""

    @property
    def domain_name(self) -> str:
        """The domain's name, as tasks give it."""

    @property
    def functions(self) -> Mapping[str, tuple[tuple[str, str], ...]]:
        """The numbers that tasks may give, such as the length of a road: variables and their types."""

    @property
    def costs(self) -> Mapping[str, str]:
        """What actions add to the total cost, in PDDL over their parameters; some add nothing."""


@runtime_checkable
class Steps(Protocol):
    """A World that has a current state and goes on from it: a walk that goes on is not run again.

    The current state is apart from walks: what is asked about a walk (`executable`, `describe`, …) leaves it
    as it is.
    """

    def reset(self) -> None:
        """Make the task's initial state the current one."""

    def step(self, operator: str) -> bool:
        """Run `operator` in the current state; whether it was executed. A refused one changes nothing."""


@runtime_checkable
class ListsHere(Steps, Protocol):
    """A World that steps, and lists what may run in its current state."""

    def applicable_here(self) -> tuple[str, ...]:
        """The operators that may run in the current state, sorted."""


@runtime_checkable
class Snapshots(Steps, Protocol):
    """A World that steps, and whose current state can be kept."""

    def snapshot(self) -> Any:
        """The current state, opaque; later steps do not change what was returned."""

    def restore(self, snapshot: Any) -> None:
        """Make a state that `snapshot` returned the current one, any number of times."""


@runtime_checkable
class Forks(Steps, Protocol):
    """A World that steps, and that can be copied as it is."""

    def fork(self) -> Self:
        """Another world of the same task in the current state; steps of one do not change the other."""


@runtime_checkable
class Fingerprints(Steps, Protocol):
    """A World that steps, and whose states can be told apart."""

    def fingerprint(self) -> Hashable:
        """A key of the current state: equal states have equal keys, and equal keys stand for equal states."""


@runtime_checkable
class CountsSteps(Protocol):
    """A World that counts what its simulator does; else the operators that are tried in it are counted."""

    @property
    def simulator_steps(self) -> int:
        """Steps that the simulator made since the world was opened, tries and repetitions included."""

    @property
    def simulator_resets(self) -> int:
        """How often it was reset."""


@runtime_checkable
class BatchedWorld(World, Protocol):
    """A World that can also be walked in a batch at a time."""

    def transitions(self) -> TransitionSystem:
        """The task as a transition system with opaque states."""
