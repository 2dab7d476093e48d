"""Grounding: the operators of a problem that can ever be reached, by relaxed reachability with clingo.

A trusted problem is ground in this process. A proposed one comes with `Limits`: if a cheap upper bound on
the work is small it is still ground here at once; otherwise in a child with limits. Too many operators,
conditions that are too large when their quantifiers are written out, too much processor time or memory is a
fault of the model and raises `GroundingExploded`. How busy the machine is decides none of these: a child that
cannot run, or does not end by its deadline, is the machine's fault and raises `GroundingFailed`.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import log10, prod
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from envs.pddl.interface import HasSignatures
from envs.pddl.language.structure import Problem
from envs.pddl.language.template import interface_vocabulary
from envs.pddl.language.vocabulary import Vocabulary
from envs.pddl.process import ChildStatus, run_child
from envs.pddl.simulation import lifted, reach
from envs.pddl.simulation.relaxation import combined, part_schema, parts_of, relaxed_program

#: How far the plain product of the members may exceed the bound that static facts give: clingo may join
#: in an order that does not profit from them.
_JOIN_SLACK = 50
#: Rule instances, effects and initial facts among them, that a child may make for one allowed operator.
_RULES_PER_OPERATOR = 5
#: Literals of all actions above which planning their joins may take clingo long, however few instances exist.
_LONG_CONDITIONS = 1000
#: Larger numbers are printed as powers of ten: nobody reads thousands of digits, and Python prints no more.
_LARGEST_PRINTED = 10**15
_REPLY_LIMIT = 1 << 27  #: bytes of the child's reply; far above what the default limits allow


#: Reachable operators that a model may always have.
_OPERATORS = 20_000
#: Reachable operators that no model may have, in whatever world; a larger one is walked without being ground.
_OPERATORS_AT_MOST = 200_000
#: Reachable operators for each ground action that a world's signatures have.
_OPERATORS_PER_GROUND_ACTION = 4
_LITERALS_PER_OPERATOR = 50


@dataclass(frozen=True)
class Limits:
    """How much an untrusted problem may cost."""

    max_groundings: int | None = None  #: reachable operators; None: by the world, see `operators`
    max_literals: int | None = None  #: of all operators, quantifiers written out; None: 50 for each of them
    max_condition: int = 20_000  #: literals of one action or the goal, quantifiers written out
    max_in_process: int = 100_000  #: upper bound of rule instances up to which no child is started
    cpu_s: float = 10.0  #: processor time of the child, or of walks in a model that is not ground
    deadline_s: float = 300.0  #: wall time of the child; a child that needs more is the machine's fault
    memory_mb: int = 1000  #: resident memory of the child
    ground_actions: int = 0  #: how many the world's signatures have: `ground_actions`

    @property
    def operators(self) -> int:
        """The reachable operators that are allowed.

        max(20,000, 4 times the ground actions of the world's signatures), but at most 200,000, so that no
        model is too large for being as large as its world.
        """
        if self.max_groundings is not None:
            return self.max_groundings
        by_world = min(_OPERATORS_PER_GROUND_ACTION * self.ground_actions, _OPERATORS_AT_MOST)
        return max(_OPERATORS, by_world)

    @property
    def literals(self) -> int:
        """The literals of all operators that are allowed."""
        if self.max_literals is not None:
            return self.max_literals
        return _LITERALS_PER_OPERATOR * max(_OPERATORS, self.operators)


def ground_actions(world: HasSignatures) -> int:
    """How many ground actions the world's signatures have: each one's fitting objects multiplied, summed."""
    return _counted(interface_vocabulary("", world, {}), world.objects)


def limits_in(world: HasSignatures, limits: Limits) -> Limits:
    """The limits for a model of this world."""
    return replace(limits, ground_actions=ground_actions(world))


def limits_of(problem: Problem) -> Limits:
    """The limits for a problem that is the world itself."""
    return Limits(ground_actions=_counted(problem.domain.vocabulary, problem.objects))


def _counted(words: Vocabulary, objects: Mapping[str, str]) -> int:
    kinds = Counter(objects.values())
    wanted = {kind for parameters in words.actions.values() for _, kind in parameters}
    fitting = {w: sum(n for k, n in kinds.items() if words.types.is_subtype(k, w)) for w in wanted}
    return sum(prod(fitting[kind] for _, kind in parameters) for parameters in words.actions.values())


class Explosion(StrEnum):
    """Which limit the grounding of a model broke."""

    OPERATORS = "operators"  #: more reachable operators than allowed
    RULES = "rules"  #: given up while instantiating, before the operators could be counted
    LITERALS = "literals"  #: conditions too large once quantifiers are written out
    CPU = "cpu"  #: the child's processor time
    MEMORY = "memory"  #: the child's memory


class GroundingExploded(ValueError):
    """The model is too large to be ground. Plain data; survives pickling."""

    def __init__(self, kind: Explosion, action: str, bound: int, limit: float):
        super().__init__(kind, action, bound, limit)
        self.kind = kind
        self.action = action  #: the action with the most groundings; "goal" if it is the goal
        self.bound = bound  #: reachable operators, literals, or the upper bound of the action's groundings
        self.limit = limit  #: in the unit of the kind: operators, literals, seconds, MiB

    def __str__(self) -> str:
        bound = f"10^{int(log10(self.bound))}" if self.bound > _LARGEST_PRINTED else str(self.bound)
        what = {
            Explosion.OPERATORS: f"{bound} operators are reachable, more than {self.limit}",
            Explosion.RULES: f"up to {bound} groundings made more than {self.limit} rules",
            Explosion.LITERALS: f"its conditions grow to {bound} literals, more than {self.limit}",
            Explosion.CPU: f"up to {bound} groundings took more than {self.limit:g} s of processor time",
            Explosion.MEMORY: f"up to {bound} groundings took more than {self.limit} MiB",
        }[self.kind]
        return (
            f"grounding explodes at `{self.action}`: {what}; give its parameters narrower types, use fewer "
            f"parameters or quantified variables, or tie them together with static predicates"
        )


class GroundingFailed(RuntimeError):
    """The child that grounds could not do its work, or not in time: never a fault of the model."""

    blame = "machine"


@dataclass(frozen=True)
class Grounding:
    """The reachable operators of a task, per schema."""

    task: lifted.LiftedTask
    #: one array a schema of `task.schemas`, shape (operators, arity): object numbers, rows sorted
    arguments: tuple[NDArray[np.int64], ...]


def ground(problem: Problem, limits: Limits | None = None) -> Grounding:
    """The relaxed-reachable operators; with `limits`, raises GroundingExploded instead of growing too large.

    Raises GroundingFailed if the child that large problems are ground in cannot run or does not end in time.
    """
    task = lifted.lift(problem)
    if limits is None:
        return Grounding(task, _reach_by_parts(task))
    signatures = [(f"a{i}", schema.arity) for i, schema in enumerate(task.schemas)]
    _check_written_out(task, [1] * len(task.schemas), limits)
    found = _reach_within(task, signatures, limits)
    counts = [len(rows) for rows in found]
    if sum(counts) > limits.operators:
        _, worst = max(zip(counts, task.schemas, strict=True), key=lambda counted: counted[0])
        raise GroundingExploded(Explosion.OPERATORS, worst.name, sum(counts), limits.operators)
    _check_written_out(task, counts, limits)
    return Grounding(task, tuple(map(_array, found, (schema.arity for schema in task.schemas))))


def _reach_by_parts(task: lifted.LiftedTask) -> tuple[NDArray[np.int64], ...]:
    """The reachable operators of each schema, put together from those of its independent parts."""
    splits = [parts_of(schema, task.fluents) for schema in task.schemas]
    pieces: list[lifted.Schema] = []
    signatures: list[tuple[str, int]] = []
    for i, (schema, split) in enumerate(zip(task.schemas, splits, strict=True)):
        for part in split:
            signatures.append((f"a{i}" if len(split) == 1 else f"a{len(splits) + len(pieces)}", len(part)))
            if len(split) > 1:
                pieces.append(part_schema(schema, part, first=part == split[0]))
    program = relaxed_program(replace(task, schemas=(*task.schemas, *pieces)))
    found = (
        _array(rows, n) for rows, (_, n) in zip(reach.derive(program, signatures), signatures, strict=True)
    )
    return tuple(
        combined(schema, split, [next(found) for _ in split])
        for schema, split in zip(task.schemas, splits, strict=True)
    )


def _array(rows: reach.Rows, arity: int) -> NDArray[np.int64]:
    return np.array(rows, dtype=np.int64).reshape(len(rows), arity)


def groundings_bound(schema: lifted.Schema, task: lifted.LiftedTask) -> int:
    """An upper bound of the rule instances that the schema grounds to; static facts are respected."""
    own = _joined_size([*range(schema.arity), *_inner(schema.precondition)], schema, task)
    effects = sum(own * _members(schema, [*e.variables, *_inner(e.condition)]) for e in schema.effects)
    conditions = [schema.precondition, *(e.condition for e in schema.effects)]
    return own + effects + sum(_auxiliary_size(c, schema) for c in conditions)


def written_out(condition: lifted.Condition, schema: lifted.Schema) -> int:
    """How many literals the condition has for one operator once its quantifiers are written out.

    Every assignment of a quantifier counts, also where no literal is left under it.
    """
    match condition:
        case lifted.And(parts=parts) | lifted.Or(parts=parts):
            return sum(written_out(part, schema) for part in parts)
        case lifted.Forall(variables=variables, body=body) | lifted.Exists(variables=variables, body=body):
            return _members(schema, variables) * max(1, written_out(body, schema))
    return 1


def _literals_of(schema: lifted.Schema) -> int:
    """Literals of one operator, effects included."""
    effects = (_members(schema, e.variables) * (1 + written_out(e.condition, schema)) for e in schema.effects)
    return written_out(schema.precondition, schema) + sum(effects)


def _inner(condition: lifted.Condition) -> list[int]:
    """The existential variables that become variables of the rule itself."""
    return [v for c in lifted.conjuncts(condition) if isinstance(c, lifted.Exists) for v in c.variables]


def _members(schema: lifted.Schema, variables: Iterable[int]) -> int:
    return prod(len(schema.members[v]) for v in variables)


def _auxiliary_size(condition: lifted.Condition, schema: lifted.Schema) -> int:
    """Instances of the rules, or the written-out literals, of the parts that are no plain literals."""
    plain = lifted.Literal | lifted.Equality | lifted.And
    parts = (part for part in lifted.conjuncts(condition) if not isinstance(part, plain))
    return sum(_members(schema, set(lifted.variables_of(part))) for part in parts)


def _joined_size(variables: Sequence[int], schema: lifted.Schema, task: lifted.LiftedTask) -> int:
    """Members of all variables multiplied, or the number of a static literal's facts where that is less."""
    unbound = dict.fromkeys(variables)
    size = 1
    literals = (c for c in lifted.conjuncts(schema.precondition) if isinstance(c, lifted.Literal))
    for literal in literals:
        if not literal.positive or literal.predicate in task.fluents:
            continue
        bound = [v for v in dict.fromkeys(lifted.variables_of(literal)) if v in unbound]
        facts = len(task.init.get(literal.predicate, ()))
        if bound and facts < _members(schema, bound):
            size *= facts
            for v in bound:
                del unbound[v]
    return size * _members(schema, unbound)


def _reach_within(
    task: lifted.LiftedTask, signatures: Sequence[tuple[str, int]], limits: Limits
) -> list[reach.Rows]:
    bounds = [groundings_bound(schema, task) for schema in task.schemas]
    plain = sum(_members(schema, range(schema.arity)) for schema in task.schemas)
    small = sum(bounds) <= limits.max_in_process and plain <= _JOIN_SLACK * limits.max_in_process
    if small and sum(map(_literals_of, task.schemas)) <= _LONG_CONDITIONS:
        return reach.derive(relaxed_program(task), signatures)
    return _ask_child(task, signatures, bounds, limits)


def _ask_child(
    task: lifted.LiftedTask, signatures: Sequence[tuple[str, int]], bounds: Sequence[int], limits: Limits
) -> list[reach.Rows]:
    rules = _RULES_PER_OPERATOR * limits.operators
    program = relaxed_program(task)
    request = {"program": program, "signatures": signatures, "limit": rules, "cpu_s": limits.cpu_s}
    child = run_child(
        [sys.executable, "-P", str(Path(reach.__file__).resolve())],
        wall_s=limits.deadline_s,
        memory_mb=limits.memory_mb,
        stdin=json.dumps(request),
        output_limit=_REPLY_LIMIT,
    )
    bound, worst = max(zip(bounds, task.schemas, strict=True), key=lambda bounded: bounded[0])
    name = worst.name
    if child.status is ChildStatus.TIMEOUT:
        raise GroundingFailed(
            f"the grounding child could not use its {limits.cpu_s:g} s of processor time within "
            f"{limits.deadline_s:g} s: the machine is overloaded, or was asleep; run again"
        )
    if child.status is ChildStatus.KILLED and -(child.returncode or 0) == reach.OUT_OF_CPU:
        raise GroundingExploded(Explosion.CPU, name, bound, limits.cpu_s)
    if child.status is ChildStatus.MEMORY:
        raise GroundingExploded(Explosion.MEMORY, name, bound, limits.memory_mb)
    if not child.succeeded:
        how = f"{child.status} (code {child.returncode})"
        raise GroundingFailed(f"the grounding child ended with {how}: {child.stderr[-500:].strip()}")
    rows: list[reach.Rows] | None = json.loads(child.stdout)["rows"]
    if rows is None:
        raise GroundingExploded(Explosion.RULES, name, bound, rules)
    return rows


def _check_written_out(task: lifted.LiftedTask, counts: Sequence[int], limits: Limits) -> None:
    """Each action alone, and all operators (`counts` of each action) and the goal together."""
    sizes = [(_literals_of(schema), schema.name) for schema in (*task.schemas, task.goal)]
    largest, name = max(sizes)
    if largest > limits.max_condition:
        raise GroundingExploded(Explosion.LITERALS, name, largest, limits.max_condition)
    all_sizes = [(n * size, name) for n, (size, name) in zip((*counts, 1), sizes, strict=True)]
    total = sum(size for size, _name in all_sizes)
    if total > limits.literals:
        raise GroundingExploded(Explosion.LITERALS, max(all_sizes)[1], total, limits.literals)
