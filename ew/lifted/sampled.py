"""Systems that are walked without listing their operators: one state at a time, operators as texts.

A model that permits too much has more operators than can be listed, and a world may answer nothing but
whether a walk runs. A `SampledSystem` draws a uniform applicable operator and says whether a given one runs;
where it can, it also counts and lists. `GroundSystem` makes one of any TransitionSystem.

`LiftedSystem` makes one of a PDDL problem: nothing is ground, so a model of millions of operators is no
burden. Applicable operators are counted and drawn by `ew.lifted.relations`, schema by schema: first a schema
with a probability proportional to its count, then one of its operators uniformly, which together is uniform
over all operators. Where a schema's choice is a superset with a test, all of it is drawn anew until a draw
passes: rejection over the union keeps the distribution uniform.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from envs.pddl.interface import TransitionSystem
from envs.pddl.language.domain import Problem
from envs.pddl.language.operators import format_operator, parse_operator
from envs.pddl.simulation.lifted import LiftedTask, Schema, lift
from ew.lifted.relations import CannotWalk, Choice, Holds, Relations, choice, relations_of, successor
from ew.walks.simulator_cost import simulated


class SamplingGaveUp(CannotWalk):
    """No applicable operator was found among very many drawn."""


#: The message of `SamplingGaveUp`, with the number of operators drawn.
NONE_DRAWN = (
    "none of {} drawn operators is applicable, yet it is not certain that none is: the state may be a dead "
    "end, or its operators are too rare to be found by drawing"
)


class SampledSystem(Protocol):
    """States and operators that single walks can be run in. A state is opaque and never changed."""

    def initial(self) -> Any:
        """The initial state."""

    def draw(self, state: Any, rng: np.random.Generator) -> str | None:
        """A uniformly chosen applicable operator; None if there is none. May raise SamplingGaveUp."""

    def runs(self, state: Any, operator: str) -> bool:
        """Whether the operator is applicable; False for one the system does not know."""

    def successor(self, state: Any, operator: str) -> Any:
        """The state after an applicable operator."""

    def count(self, state: Any) -> int | None:
        """How many operators are applicable; None if that is not known without listing them."""

    def listed(self, state: Any) -> tuple[str, ...] | None:
        """The applicable operators, sorted; None if they are too many to list."""

    @property
    def asked(self) -> int:
        """How many questions about states and operators were answered so far; world queries of a world."""


class GroundSystem:
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
        tried = simulated(self._system)
        if tried is not None and not tried.lists:
            self.asked += 1
            drawn = int(tried.drawn(state.row, np.array([rng.random()]))[0])
            return None if drawn < 0 else self._system.operators[drawn]
        options = self.listed(state)
        number = rng.random()
        return options[min(int(number * len(options)), len(options) - 1)] if options else None

    def runs(self, state: Any, operator: str) -> bool:
        """Whether the operator is applicable."""
        tried = simulated(self._system)
        if tried is not None and not tried.lists and state.mask is None:
            if operator not in self._index:
                return False
            self.asked += 1
            return bool(tried.executes(state.row, np.array([self._index[operator]]))[0])
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


#: Draws that may fail one after another.
MAX_TRIES = 20_000
#: Operators that are still listed.
MAX_LISTED = 10_000


class LiftedState:
    """The relations of a state and, once asked, what may run there."""

    __slots__ = ("choices", "relations")

    def __init__(self, relations: Relations):
        self.relations = relations
        self.choices: tuple[Choice, ...] | None = None


@dataclass(frozen=True)
class _Named:
    """An operator as numbers."""

    schema: Schema
    arguments: tuple[int, ...]


class LiftedSystem:
    """A SampledSystem of a problem. Costs depend on facts and ties, not on how many operators there are."""

    def __init__(self, problem: Problem):
        self._task: LiftedTask = lift(problem)
        self._base = len(self._task.objects)
        self._goal = self._task.goal
        self.asked = 0

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        return {name: i for i, name in enumerate(self._task.objects)}

    @cached_property
    def _schemas(self) -> Mapping[str, Schema]:
        return {schema.name: schema for schema in self._task.schemas}

    def initial(self) -> LiftedState:
        """The initial state."""
        return LiftedState(relations_of(self._task))

    def goal_reached(self, state: LiftedState) -> bool:
        """Whether the goal holds."""
        return bool(Holds(self._goal, state.relations, self._base).rows(self._goal.precondition, {}, 1)[0])

    def draw(self, state: LiftedState, rng: np.random.Generator) -> str | None:
        """A uniform applicable operator. Raises SamplingGaveUp if drawing finds none; JoinTooLarge."""
        choices = self._choices(state)
        ends = np.cumsum([float(c.size) for c in choices])
        if not len(ends) or ends[-1] == 0:
            return None
        for _ in range(MAX_TRIES):
            number = min(int(np.searchsorted(ends, rng.random() * ends[-1], side="right")), len(ends) - 1)
            schema, options = self._task.schemas[number], choices[number]
            if not options.size:
                continue
            arguments = options.draw(schema.arity, rng)
            if options.exact or self._passes(state, schema, options, arguments):
                return self._text(schema, arguments)
        raise SamplingGaveUp(NONE_DRAWN.format(MAX_TRIES))

    def runs(self, state: LiftedState, operator: str) -> bool:
        """Whether the operator is well typed and applicable."""
        self.asked += 1
        named = self._named(operator)
        if named is None:
            return False
        columns = {v: np.array([o], dtype=np.int64) for v, o in enumerate(named.arguments)}
        holds = Holds(named.schema, state.relations, self._base)
        return bool(holds.rows(named.schema.precondition, columns, 1)[0])

    def successor(self, state: LiftedState, operator: str) -> LiftedState:
        """The state after an applicable operator. Raises ValueError for one the problem does not have."""
        named = self._named(operator)
        if named is None:
            raise ValueError(f"no operator of this problem: {operator}")
        return LiftedState(successor(named.schema, named.arguments, state.relations, self._base))

    def count(self, state: LiftedState) -> int | None:
        """How many operators are applicable; None if some schema is only known as a superset."""
        choices = self._choices(state)
        return sum(c.size for c in choices) if all(c.exact or not c.size for c in choices) else None

    def listed(self, state: LiftedState) -> tuple[str, ...] | None:
        """The applicable operators, sorted; None if they may be more than MAX_LISTED."""
        choices = self._choices(state)
        if sum(c.size for c in choices) > MAX_LISTED:
            return None
        return tuple(
            sorted(
                self._text(schema, arguments)
                for schema, options in zip(self._task.schemas, choices, strict=True)
                for arguments in (options.rows(schema.arity) if options.size else ())
                if options.exact or self._passes(state, schema, options, arguments)
            )
        )

    def _choices(self, state: LiftedState) -> tuple[Choice, ...]:
        if state.choices is None:
            self.asked += 1
            state.choices = tuple(choice(s, state.relations, self._base) for s in self._task.schemas)
        return state.choices

    def _passes(
        self, state: LiftedState, schema: Schema, options: Choice, arguments: tuple[int, ...]
    ) -> bool:
        columns = {v: np.array([o], dtype=np.int64) for v, o in enumerate(arguments)}
        holds = Holds(schema, state.relations, self._base)
        return all(bool(holds.rows(test, columns, 1)[0]) for test in options.tests)

    def _text(self, schema: Schema, arguments: tuple[int, ...]) -> str:
        return format_operator(schema.name, [self._task.objects[i] for i in arguments])

    def _named(self, operator: str) -> _Named | None:
        """The operator's schema and arguments; None if names, arity or types do not fit."""
        name, words = parse_operator(operator)
        schema = self._schemas.get(name)
        if schema is None or len(words) != schema.arity or any(w not in self._numbers for w in words):
            return None
        arguments = tuple(self._numbers[w] for w in words)
        fits = all(o in schema.members[v] for v, o in enumerate(arguments))
        return _Named(schema, arguments) if fits else None
