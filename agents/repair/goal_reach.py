"""Which parts of a goal a model can never reach, as a cheap test before any planner is asked.

A part of the goal is out of reach if it does not hold at the start and would not even hold if every operator
of the world had run somewhere, nothing were ever deleted and every negation were true. That is a necessary
condition alone, and a cheap one: a planner has the last word on what is within reach.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from agents.repair.candidate import Edit
from agents.repair.examples import HoldsAt, Mask, Numbers, bindings, keys_of
from agents.repair.search import Repairs
from envs.pddl.simulation.lifted import And, Condition, LiftedEffect, Literal, literals_of
from ew.lifted.relations import Columns


class _Hopeful(HoldsAt):
    """Decides conditions with every negated atom taken as true."""

    def rows(self, condition: Condition, columns: Columns, count: int) -> Mask:
        if isinstance(condition, Literal) and not condition.positive:
            return np.ones(count, dtype=np.bool_)
        return super().rows(condition, columns, count)


class GoalReach:
    """Which parts of the goal of one task of a model are out of reach.

    `operators` are those of the task's world, see `ExampleMaker.own`.
    """

    def __init__(self, repairs: Repairs, operators: Mapping[str, Numbers], task: int = 0):
        self._model, self._operators, self._task = repairs.model, operators, task
        self._starts = Repairs(repairs.model, repairs.seen.towards(())[0])
        self._goal = self._model.tasks[task].goal
        whole = self._goal.precondition
        self._parts = whole.parts if isinstance(whole, And) else (whole,)
        self._predicates = sorted({p.predicate for p in literals_of(whole) if p.positive})
        self._missing: dict[frozenset[Edit], tuple[int, ...]] = {}
        self._keys: dict[tuple[str, LiftedEffect], Numbers] = {}

    def missing(self, edits: frozenset[Edit]) -> tuple[int, ...]:
        """The parts of the goal, by number, that the model with these edits can never reach."""
        if edits not in self._missing:
            tables, start = self._reached(edits), np.zeros(1, dtype=np.int64)
            holds = _Hopeful(start, tables, self._goal, self._model.base)
            reached = [holds.rows(part, {}, 1)[0] for part in self._parts]
            self._missing[edits] = tuple(number for number, held in enumerate(reached) if not held)
        return self._missing[edits]

    def distance(self, edits: frozenset[Edit]) -> int:
        """How many predicates stand in parts that are out of reach: so many effects are lacking or so."""
        parts = [self._parts[number] for number in self.missing(edits)]
        return len({literal.predicate for part in parts for literal in literals_of(part)})

    def _reached(self, edits: frozenset[Edit]) -> dict[str, Mask]:
        """The atoms that hold at the start, and all that some operator adds; one row each."""
        start = self._starts.tables(edits)
        tables = {p: start[p][self._task : self._task + 1].copy() for p in self._predicates}
        for name, effects in self._starts.effects(edits).items():
            for effect in effects:
                if effect.adds and effect.predicate in tables:
                    tables[effect.predicate][0, self._added(name, effect)] = True
        return tables

    def _added(self, action: str, effect: LiftedEffect) -> Numbers:
        """The keys of the atoms that an effect adds by some operator of its action, ascending."""
        if (action, effect) not in self._keys:
            schema, rows = self._model.actions[action].schemas[self._task], self._operators[action]
            bound = bindings(effect.variables, schema, rows)
            keys = [keys_of(effect.terms, columns, len(rows), self._model.base) for columns in bound]
            self._keys[action, effect] = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *keys]))
        return self._keys[action, effect]
