"""What a model says of the goal: where on the walks it holds, and which of its parts nothing can ever reach.

A part of the goal is out of reach if it does not hold at the start and would not even hold if every operator
of the world had run somewhere, nothing were ever deleted and every negation were true. That is a necessary
condition alone, and a cheap one: a planner has the last word on what is within reach.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from agents.repair.candidate import Edit, effects_of
from agents.repair.model import Editable, Model
from agents.repair.search import Repairs
from agents.repair.states import Paths, Table, holds, keys_of
from envs.pddl.simulation.lifted import And, Condition, Exists, Forall, Literal, Or, Term, literals_of


def goal_held(model: Model, repairs: Repairs, edits: frozenset[Edit]) -> NDArray[np.bool_]:
    """At which nodes of the walks the goal holds in the model with these edits; shape (nodes,)."""
    nodes, goal = np.arange(repairs.lessons.walks.nodes), model.task.goal
    return holds(goal.precondition, {}, nodes, repairs.tables(edits), goal, model.base)


class GoalReach:
    """The goal of one model, along the walks and beyond them.

    `operators` are the world's, see `Teacher.own`.
    """

    def __init__(self, model: Model, repairs: Repairs, operators: Mapping[str, NDArray[np.int64]]):
        self._model, self._repairs, self._operators = model, repairs, operators
        self._goal = model.task.goal
        self._missing: dict[frozenset[Edit], tuple[int, ...]] = {}

    def held(self, edits: frozenset[Edit]) -> NDArray[np.bool_]:
        """At which nodes of the walks the goal holds in the model with these edits; shape (nodes,)."""
        return goal_held(self._model, self._repairs, edits)

    def contradicted(self, edits: frozenset[Edit], verdicts: Mapping[int, bool]) -> list[int]:
        """The nodes where the world says otherwise about the goal than that model does."""
        held = self.held(edits)
        return [node for node, verdict in verdicts.items() if held[node] != verdict]

    def confirmed(self, edits: frozenset[Edit], verdicts: Mapping[int, bool]) -> list[int]:
        """The nodes where the goal holds in the world and in that model."""
        held = self.held(edits)
        return [node for node, verdict in verdicts.items() if verdict and held[node]]

    def nearest(self, edits: frozenset[Edit]) -> int | None:
        """The node nearest to the start where the goal holds in that model; None if it holds at none."""
        held = np.flatnonzero(self.held(edits))
        depth = Paths.of(self._repairs.lessons.walks).depth[held]
        return int(held[depth.argmin()]) if len(held) else None

    def missing(self, edits: frozenset[Edit]) -> tuple[int, ...]:
        """The parts of the goal, by number, that the model with these edits can never reach."""
        if edits not in self._missing:
            self._missing[edits] = self._unreached(edits)
        return self._missing[edits]

    def distance(self, edits: frozenset[Edit]) -> int:
        """How many predicates stand in parts that are out of reach: so many effects are lacking or so."""
        parts = [self._parts[number] for number in self.missing(edits)]
        return len({literal.predicate for part in parts for literal in literals_of(part)})

    @cached_property
    def _parts(self) -> tuple[Condition, ...]:
        whole = self._goal.precondition
        return whole.parts if isinstance(whole, And) else (whole,)

    @cached_property
    def _predicates(self) -> list[str]:
        return sorted({predicate for predicate, positive in self._model.wanted if positive})

    def _unreached(self, edits: frozenset[Edit]) -> tuple[int, ...]:
        tables, start = self._reached(edits), np.zeros(1, dtype=np.int64)
        return tuple(
            number
            for number, part in enumerate(self._parts)
            if not holds(_hopeful(part), {}, start, tables, self._goal, self._model.base)[0]
        )

    def _reached(self, edits: frozenset[Edit]) -> dict[str, Table]:
        """The atoms that hold at the start, and all that some operator adds; one row each."""
        start = self._repairs.tables(edits)
        tables = {p: start[p][:1].copy() for p in self._predicates}
        for action in self._model.actions.values():
            for effect in effects_of(action, edits):
                if effect.positive and effect.predicate in tables:
                    self._add(tables[effect.predicate], action, effect.terms, ())
            for may in action.conditional:
                if may.adds and may.predicate in tables:
                    self._add(tables[may.predicate], action, may.terms, may.variables)
        return tables

    def _add(
        self, table: Table, action: Editable, terms: tuple[Term, ...], variables: tuple[int, ...]
    ) -> None:
        """Make true what one effect adds, by any operator."""
        rows = self._operators[action.schema.name]
        for objects in product(*(action.schema.members[v] for v in variables)):
            columns = dict(enumerate(rows.T))
            columns.update({v: np.full(len(rows), o) for v, o in zip(variables, objects, strict=True)})
            table[0, keys_of(terms, columns, len(rows), self._model.base)] = True


def _hopeful(condition: Condition) -> Condition:
    """The condition with every negated atom taken as true."""
    match condition:
        case Literal(positive=False):
            return And(())
        case And(parts=parts):
            return And(tuple(map(_hopeful, parts)))
        case Or(parts=parts):
            return Or(tuple(map(_hopeful, parts)))
        case Forall(variables=variables, body=body):
            return Forall(variables, _hopeful(body))
        case Exists(variables=variables, body=body):
            return Exists(variables, _hopeful(body))
        case _:
            return condition
