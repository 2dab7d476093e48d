"""What a repair saves by beginning with what another one saw of the same world.

Each case is a world broken twice, by two seeds. The second model is repaired alone, and beginning with what
the repair of the first one walked, with the same generator and limits. Printed are the world queries of both
ways, and EW of both repaired models on the same fresh walks.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from agents.repair.repair import Repaired, repair
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.mutation.faults import BreakKind
from envs.world import open_world
from ew.walks.world_walks import Evidence
from experiments.bench.measure import Figure
from experiments.methods.repair_step import BETWEEN
from experiments.runs.seeds import stream
from experiments.studies.repair.cases import break_world, fresh_ew, model_of

WORLDS = ("blocksworld", "grippers", "hiking", "miconic", "termes", "urnsong")
SEEDS = (0, 1, 2, 3, 4)
_COUNT = 3  #: terms removed
_WALKS = 1000
_LIMITS = replace(BETWEEN, constraints_s=15.0, wall_s=60.0)  #: a program that takes minutes is no news here


@dataclass(frozen=True)
class SharedCase:
    """One world's second model, repaired both ways."""

    env: str
    alone_queries: int
    shared_queries: int
    alone_ew: float | None
    shared_ew: float | None

    @property
    def worse(self) -> bool:
        """Whether the model that is found with evidence has the lower EW."""
        return (self.shared_ew or 0.0) < (self.alone_ew or 0.0)


def shared_case(env: str, seed: int) -> SharedCase:
    """The model broken by `seed`, repaired alone and after the one broken by the next seed."""
    alone = _repaired(env, seed)
    shared = _repaired(env, seed, _repaired(env, seed + 1).walked)
    return SharedCase(
        env, alone.world_queries, shared.world_queries, _ew(env, alone, seed), _ew(env, shared, seed)
    )


def bench_shared() -> Iterator[Figure]:
    """One line for each world."""
    for env in WORLDS:
        yield shared_figure([shared_case(env, seed) for seed in SEEDS])


def shared_figure(cases: Sequence[SharedCase]) -> Figure:
    """Cases of one world. The target: no model is worse, and fewer queries over all."""
    alone = statistics.mean(case.alone_queries for case in cases)
    shared = statistics.mean(case.shared_queries for case in cases)
    return Figure(
        f"repair {cases[0].env}, {_COUNT} removed, after another one",
        _told(shared, [case.shared_ew for case in cases]),
        "fewer, no worse",
        shared < alone and not any(case.worse for case in cases),
        f"alone {_told(alone, [case.alone_ew for case in cases])}",
    )


def _told(queries: float, ews: Sequence[float | None]) -> str:
    return f"{queries:,.0f} queries, {sum(ew == 1.0 for ew in ews)}/{len(ews)} of EW 1"


def _repaired(env: str, seed: int, known: Evidence | None = None) -> Repaired:
    given = break_world(env, 1, BreakKind.REMOVED, _COUNT, seed).given
    return repair(open_world(env, 1), given, stream(seed, "shared bench", env), _LIMITS, known)


def _ew(env: str, found: Repaired, seed: int) -> float | None:
    world = open_world(env, 1)
    model = model_of(read_problem(found.problem, read_domain(found.domain)), world)
    return fresh_ew(world, model, _WALKS, stream(seed, "fresh", env))
