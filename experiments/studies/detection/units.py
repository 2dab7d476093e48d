"""The units of the detection study: one wrong domain each, and what exposes it at which price.

The wrong domains are single-literal mutations of a world's own. Of each one is known what planning and the
published EW score make of it, after how many world queries each way of walking exposes it
(`ew.counterexample.exposure`), and, if none does, whether a search through all pairs of states
(`ew.counterexample.difference`) finds anything wrong at all.

A mutation is `saturated` if its EW score is 1 and its task is not solved: what the score alone cannot tell
from a right domain.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from envs.pddl.mutation.mutate import Mutation, MutationKind, mutated, mutations, sample_mutations
from envs.pddl.planning.planner import Planner
from envs.pddl.simulation.simulator import Task
from ew.counterexample.difference import Kind, first_difference
from ew.counterexample.exposure import ExposureConfig, expose
from ew.score.score import ew_score
from ew.walks.policies import Hints, make_policy
from experiments.runs.seeds import stream
from experiments.studies.candidates import Truth, truth
from experiments.studies.study import Record, unit_key

#: Rivals that the disagreement policy is given besides the candidate.
RIVALS = 3
#: Steps that a walk may make after the longest prefix of a plan.
_AFTER_PLAN = 10


class Pool(StrEnum):
    """Where a unit's mutation comes from."""

    SAMPLE = "sample"  #: a random sample, the kinds in turn; every one is walked
    REMOVALS = "removals"  #: every single removal; only saturated ones are walked


@dataclass(frozen=True)
class Way:
    """One way of walking: a policy, and how long its walks are."""

    policy: str
    horizon: int = 40
    staggered: bool = False


#: By the name in the tables. `paper` has the lengths of the EW score.
WAYS: Mapping[str, Way] = MappingProxyType(
    {
        "paper": Way("uniform", 10, staggered=True),
        "uniform": Way("uniform"),
        "schema_first": Way("schema_first"),
        "coverage": Way("coverage"),
        "plan_prefix": Way("plan_prefix"),
        "reach": Way("reach"),
        "disagreement": Way("disagreement"),
    }
)


@dataclass(frozen=True)
class MutantUnit:
    """One mutation of one world, walked `repeats` times in every way."""

    env: str
    problem: int
    pool: Pool
    number: int  #: the mutation's place in its pool
    mutants: int  #: the size of a sample; of no meaning for REMOVALS
    budget: int
    repeats: int
    max_states: int
    seed: int
    planner: str | None
    planner_wall_s: float

    @property
    def key(self) -> str:
        """Content hash."""
        return unit_key(self)


def pool_size(env: str, problem: int, pool: Pool, mutants: int) -> int:
    """How many mutations a pool has."""
    listed = mutations(truth(env, problem).domain)
    if pool is Pool.REMOVALS:
        return len(listed[MutationKind.REMOVE])
    return min(mutants, sum(map(len, listed.values())))


def work(unit: MutantUnit) -> Record:
    """The record of one unit; runs in a worker."""
    true = truth(unit.env, unit.problem)
    drawn = _pool(unit, true)
    mutation = drawn[unit.number]
    record: Record = {
        "env": unit.env,
        "pool": unit.pool.value,
        "kind": mutation.kind.value,
        "mutation": str(mutation),
    }
    text = mutated(true.domain, mutation)
    model = true.model(text)
    if model is None:
        return {**record, "exploded": True}
    outcome, plan, works = true.plan(text, Planner(unit.planner, wall_s=unit.planner_wall_s))
    rng = stream(unit.seed, "ew", unit.env, unit.pool.value, unit.number)
    score = ew_score(true.task, model, rng).score
    record |= {"exploded": False, "outcome": outcome.value, "works": works, "ew": score}
    if unit.pool is Pool.REMOVALS and (works or score != 1.0):
        return record
    hints = Hints(model, plan, _rivals(unit, true, drawn, model))
    exposures = {name: [_expose(unit, true, name, hints, r) for r in range(unit.repeats)] for name in WAYS}
    exposed = any(found["listed"] is not None for runs in exposures.values() for found in runs)
    difference = Kind.EXECUTABLE if exposed else first_difference(true.task, model, unit.max_states).kind
    return {**record, "difference": difference.value, "ways": exposures}


def _pool(unit: MutantUnit, true: Truth) -> tuple[Mutation, ...]:
    if unit.pool is Pool.REMOVALS:
        return mutations(true.domain)[MutationKind.REMOVE]
    return sample_mutations(true.domain, unit.mutants, stream(unit.seed, "mutants", unit.env))


def _rivals(unit: MutantUnit, true: Truth, drawn: tuple[Mutation, ...], model: Task) -> tuple[Task, ...]:
    """The candidate and those that come after it in its pool."""
    others = [drawn[(unit.number + i) % len(drawn)] for i in range(1, min(RIVALS, len(drawn) - 1) + 1)]
    models = [true.model(mutated(true.domain, other)) for other in others]
    return (model, *(other for other in models if other is not None))


def _expose(unit: MutantUnit, true: Truth, name: str, hints: Hints, repeat: int) -> Record:
    """What one way of walking found."""
    assert hints.model is not None, "only candidates that could be ground are walked"
    way = WAYS[name]
    horizon = max(way.horizon, len(hints.plan) + _AFTER_PLAN) if way.policy == "plan_prefix" else way.horizon
    config = ExposureConfig(unit.budget, horizon=horizon, staggered=way.staggered)
    rng = stream(unit.seed, "walks", unit.env, unit.pool.value, unit.number, name, repeat)
    found = expose(true.task, hints.model, make_policy(way.policy, hints), rng, config)
    return {"chosen": found.chosen, "listed": found.listed, "steps": len(found.walk)}
