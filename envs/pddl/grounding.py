"""Grounding: the operators of a problem that can ever be reached, by relaxed reachability with clingo.

A trusted problem is ground in this process. A proposed one comes with `Limits`: if a cheap upper bound on
the work is small it is still ground here at once; otherwise in a child with a deadline and a memory limit.
Too many operators, or conditions that are too large when their quantifiers are written out, is a fault of
the model and raises `GroundingExploded`; a child that cannot run is the machine's and raises
`GroundingFailed`.
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from envs.pddl import reach
from envs.pddl.language import Problem
from envs.pddl.lifted import (
    And,
    Condition,
    Exists,
    Forall,
    LiftedTask,
    Literal,
    Or,
    Schema,
    lift,
)
from envs.pddl.process import ChildResult, ChildStatus, run_child
from envs.pddl.relaxation import relaxed_program

#: How far the plain product of the members may exceed the bound that static facts give: clingo may join
#: in an order that does not profit from them.
_JOIN_SLACK = 50


@dataclass(frozen=True)
class Limits:
    """How much an untrusted problem may cost."""

    max_groundings: int = 20_000  #: reachable operators
    max_literals: int = 4_000_000  #: literals of all operators, quantifiers written out
    max_in_process: int = 100_000  #: upper bound of rule instances up to which no child is started
    deadline_s: float = 10.0  #: wall time of the child
    memory_mb: int = 1000  #: resident memory of the child


class Explosion(StrEnum):
    """Which limit the grounding of a model broke."""

    OPERATORS = "operators"
    LITERALS = "literals"
    DEADLINE = "deadline"
    MEMORY = "memory"


class GroundingExploded(ValueError):
    """The model is too large to be ground. Plain data; survives pickling."""

    def __init__(self, kind: Explosion, action: str, bound: int, limit: float):
        super().__init__(kind, action, bound, limit)
        self.kind = kind
        self.action = action  #: the action with the most groundings; "goal" if it is the goal
        self.bound = bound  #: reachable operators, literals, or the upper bound of the action's groundings
        self.limit = limit  #: in the unit of the kind: operators, literals, seconds, MiB

    def __str__(self) -> str:
        what = {
            Explosion.OPERATORS: f"{self.bound} operators are reachable, more than {self.limit}",
            Explosion.LITERALS: f"its conditions grow to {self.bound} literals, more than {self.limit}",
            Explosion.DEADLINE: f"up to {self.bound} groundings took more than {self.limit:g} s",
            Explosion.MEMORY: f"up to {self.bound} groundings took more than {self.limit} MiB",
        }[self.kind]
        return (
            f"grounding explodes at `{self.action}`: {what}; give its parameters narrower types, use fewer "
            f"parameters or quantified variables, or tie them together with static predicates"
        )


class GroundingFailed(RuntimeError):
    """The child that grounds could not do its work: a fault of the machine or of ours, not of the model."""


@dataclass(frozen=True)
class Grounding:
    """The reachable operators of a task, per schema."""

    task: LiftedTask
    #: one array a schema of `task.schemas`, shape (operators, arity): object numbers, rows sorted
    arguments: tuple[NDArray[np.int64], ...]


def ground(problem: Problem, limits: Limits | None = None) -> Grounding:
    """The relaxed-reachable operators; with `limits`, raises GroundingExploded instead of growing too large.

    Raises GroundingFailed if the child that large problems are ground in cannot run.
    """
    task = lift(problem)
    signatures = [(f"a{i}", schema.arity) for i, schema in enumerate(task.schemas)]
    if limits is None:
        found = reach.derive(relaxed_program(task), signatures)
    else:
        _check_written_out(task, [1] * len(task.schemas), limits)
        found = _reach_within(task, signatures, limits)
        counts = [len(rows) for rows in found]
        _check_operators(task, counts, limits)
        _check_written_out(task, counts, limits)
    arrays = (
        np.array(rows, dtype=np.int64).reshape(len(rows), schema.arity)
        for rows, schema in zip(found, task.schemas, strict=True)
    )
    return Grounding(task, tuple(arrays))


def groundings_bound(schema: Schema, task: LiftedTask) -> int:
    """An upper bound of the schema's rule instances: members of its variables, static facts respected.

    Counts existential variables of the precondition and the largest universal effect.
    """
    inner = [v for c in _conjuncts(schema.precondition) if isinstance(c, Exists) for v in c.variables]
    own = _joined_size([*range(schema.arity), *inner], schema, task)
    universal = [math.prod(len(schema.members[v]) for v in e.variables) for e in schema.effects]
    return own * max(universal, default=1)


def written_out(condition: Condition, schema: Schema) -> int:
    """How many literals the condition has for one operator once its quantifiers are written out."""
    match condition:
        case And(parts=parts) | Or(parts=parts):
            return sum(written_out(part, schema) for part in parts)
        case Forall(variables=variables, body=body) | Exists(variables=variables, body=body):
            return math.prod(len(schema.members[v]) for v in variables) * written_out(body, schema)
    return 1


def _literals_of(schema: Schema) -> int:
    """Literals of one operator, effects included."""
    effects = (
        math.prod(len(schema.members[v]) for v in e.variables) * (1 + written_out(e.condition, schema))
        for e in schema.effects
    )
    return written_out(schema.precondition, schema) + sum(effects)


def _conjuncts(condition: Condition) -> Sequence[Condition]:
    return condition.parts if isinstance(condition, And) else (condition,)


def _joined_size(variables: Sequence[int], schema: Schema, task: LiftedTask) -> int:
    """Members of all variables multiplied, or the number of a static literal's facts where that is less."""
    open_variables = dict.fromkeys(variables)
    size = 1
    for literal in _conjuncts(schema.precondition):
        if not isinstance(literal, Literal) or not literal.positive or literal.predicate in task.fluents:
            continue
        bound = [v for v in dict.fromkeys(~t for t in literal.terms if t < 0) if v in open_variables]
        facts = len(task.init.get(literal.predicate, ()))
        if bound and facts < math.prod(len(schema.members[v]) for v in bound):
            size *= facts
            for v in bound:
                del open_variables[v]
    return size * math.prod(len(schema.members[v]) for v in open_variables)


def _plain_size(schema: Schema) -> int:
    return math.prod(len(schema.members[v]) for v in range(schema.arity))


def _reach_within(
    task: LiftedTask, signatures: Sequence[tuple[str, int]], limits: Limits
) -> Sequence[Sequence[Sequence[int]]]:
    bounds = [groundings_bound(schema, task) for schema in task.schemas]
    plain = sum(_plain_size(schema) for schema in task.schemas)
    if sum(bounds) <= limits.max_in_process and plain <= _JOIN_SLACK * limits.max_in_process:
        return reach.derive(relaxed_program(task), signatures)
    request = {
        "program": relaxed_program(task),
        "signatures": signatures,
        "limit": limits.max_groundings,
    }
    reply = _ask_child(json.dumps(request), task, bounds, limits)
    if reply["rows"] is None:
        _check_operators(task, reply["counts"], limits)
    rows: Sequence[Sequence[Sequence[int]]] = reply["rows"]
    return rows


def _ask_child(request: str, task: LiftedTask, bounds: Sequence[int], limits: Limits) -> Mapping[str, list]:  # type: ignore[type-arg]
    with tempfile.TemporaryDirectory(prefix="groundwalk-") as folder:
        child = run_child(
            [sys.executable, "-P", str(Path(reach.__file__).resolve())],
            cwd=folder,
            wall_s=limits.deadline_s,
            memory_mb=limits.memory_mb,
            stdin=request,
            output_limit=1 << 27,
        )
    if child.status in (ChildStatus.TIMEOUT, ChildStatus.MEMORY):
        worst = max(range(len(bounds)), key=bounds.__getitem__)
        timeout = child.status is ChildStatus.TIMEOUT
        kind, limit = (
            (Explosion.DEADLINE, limits.deadline_s) if timeout else (Explosion.MEMORY, limits.memory_mb)
        )
        raise GroundingExploded(kind, task.schemas[worst].name, bounds[worst], limit)
    return _read_reply(child)


def _read_reply(child: ChildResult) -> Mapping[str, list]:  # type: ignore[type-arg]
    if not child.succeeded:
        raise GroundingFailed(
            f"the grounding child ended with {child.status} (code {child.returncode}): {child.stderr[-500:]}"
        )
    reply: Mapping[str, list] = json.loads(child.stdout)  # type: ignore[type-arg]
    return reply


def _check_operators(task: LiftedTask, counts: Sequence[int], limits: Limits) -> None:
    if sum(counts) > limits.max_groundings:
        worst = max(range(len(counts)), key=counts.__getitem__)
        name = task.schemas[worst].name
        raise GroundingExploded(Explosion.OPERATORS, name, sum(counts), limits.max_groundings)


def _check_written_out(task: LiftedTask, counts: Sequence[int], limits: Limits) -> None:
    sizes = [(n * _literals_of(s), s.name) for n, s in zip(counts, task.schemas, strict=True)]
    sizes.append((_literals_of(task.goal), task.goal.name))
    if sum(size for size, _name in sizes) > limits.max_literals:
        bound, name = max(sizes)
        raise GroundingExploded(Explosion.LITERALS, name, bound, limits.max_literals)
