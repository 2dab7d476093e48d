"""A PDDL problem that is walked lifted: nothing is ground, so a model of millions of operators is no burden.

Applicable operators are counted and drawn by `ew.lifted.joins`, schema by schema: first a schema with a
probability proportional to its count, then one of its operators uniformly, which together is uniform over all
operators. Where a schema's choice is a superset with a test, all of it is drawn anew until a draw passes:
rejection over the union keeps the distribution uniform.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from envs.pddl.language.domain import Problem
from envs.pddl.language.operators import format_operator, parse_operator
from envs.pddl.simulation.lifted import LiftedTask, Schema, lift
from ew.lifted.joins import Choice, choice
from ew.lifted.relations import Holds, Relations, relations_of, successor
from ew.lifted.sampled import SamplingGaveUp

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
        raise SamplingGaveUp(MAX_TRIES)

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
