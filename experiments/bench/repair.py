"""Repairs, compared two by two on the same broken worlds.

Two ways to find the fewest edits, search and constraints: each case is a world with some of its rules' terms
removed, and what its first walks teach. Both ways get the same model and the same training examples, and as
much time. Shown are their edits, how many operators they leave without an explanation, and their seconds; for
the constraints also how often they prove that fewer do not suffice.

What a repair saves by beginning with what another one saw of the same world: each case is a world broken
twice, by two seeds. The second model is repaired alone, and beginning with what the repair of the first one
walked, with the same generator and limits. Shown are the world queries of both ways, and EW of both repaired
models on the same fresh walks.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import replace
from time import monotonic
from typing import NamedTuple

from agents.repair.constraints import fewest_edits
from agents.repair.examples import TrainingExamples
from agents.repair.model import Model
from agents.repair.operators import ExampleMaker
from agents.repair.repair import repair
from agents.repair.repaired import Repaired
from agents.repair.search import Repairs, best_first
from agents.repair.session import RepairTask
from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.mutation.faults import BreakKind
from envs.world import open_world
from ew.walks.adapter import transitions_of
from ew.walks.policies import make_policy
from ew.walks.walk_policy import policy_walks
from ew.walks.world_walks import Evidence, WorldWalks
from experiments.bench.measure import BenchSettings, Figure, timed
from experiments.methods.repair_step import BETWEEN
from experiments.runs.seeds import stream
from experiments.studies.candidates import model_of
from experiments.studies.repair.cases import break_world, fresh_ew

_WALL_S = 20.0
_WALKS, _LENGTH = 30, 15
_EXPANSIONS = 2000  #: the most that a repair allows one search
_SHARED_REMOVED, _FRESH_WALKS = 3, 1000
_LIMITS = replace(BETWEEN, constraints_s=15.0, wall_s=60.0)  #: a program that takes minutes is no news here


def repair_figures(_settings: BenchSettings) -> Iterator[Figure]:
    """Search and constraints: one line for each world and number of removed terms; medians over the seeds."""
    for env in ("barman", "depot", "grippers", "hiking", "termes", "urnsong"):
        for count in (1, 3, 5, 10):
            cases = [compare_searches(env, count, seed) for seed in range(3)]
            yield searches_figure(f"repair {env}, {count} removed, by constraints", cases)


def shared_figures(_settings: BenchSettings) -> Iterator[Figure]:
    """Repairs after another one: one line for each world."""
    for env in ("blocksworld", "grippers", "hiking", "miconic", "termes", "urnsong"):
        cases = [compare_shared(env, seed) for seed in range(5)]
        yield shared_figure(f"repair {env}, {_SHARED_REMOVED} removed, after another one", cases)


class EditSearch(NamedTuple):
    """What one way to find edits came to; the less of it the better, in this order."""

    unexplained: int
    edits: int
    wall_s: float


def compare_searches(
    env: str, count: int, seed: int, wall_s: float = _WALL_S
) -> tuple[EditSearch, EditSearch, bool]:
    """One case by search and by constraints, and whether these prove that fewer edits do not do."""
    model = Model.of(_broken(env, count, seed))
    examples = first_examples(env, model, seed)
    until = monotonic() + wall_s
    best, searching_s = timed(
        lambda: best_first(Repairs(model, examples), frozenset(), _EXPANSIONS, lambda: monotonic() > until)
    )
    fewest, constraining_s = timed(lambda: fewest_edits(Repairs(model, examples), wall_s))
    constrained = EditSearch(fewest.candidate.unexplained, fewest.candidate.cost, constraining_s)
    return EditSearch(best.unexplained, best.cost, searching_s), constrained, fewest.proved


def first_examples(env: str, model: Model, seed: int) -> TrainingExamples:
    """What some walks by coverage teach about a model, as in the first look of a repair."""
    walks = WorldWalks(transitions_of(open_world(env, 1)))
    policy = make_policy("coverage")(walks)
    policy_walks(walks, policy, [_LENGTH] * _WALKS, stream(seed, "repair bench", env))
    return TrainingExamples.of_tasks([ExampleMaker(model.tasks[0], walks.operators)], [walks.seen()], [{}])


def searches_figure(what: str, cases: Sequence[tuple[EditSearch, EditSearch, bool]]) -> Figure:
    """Cases as one line. The target: by constraints never more is left, nor as much by dearer edits."""
    searched, constrained, proved = zip(*cases, strict=True)
    met = all(mine[:2] <= theirs[:2] for mine, theirs in zip(constrained, searched, strict=True))
    beside = f"proved {sum(proved)} of {len(cases)}; by search {_shown(searched)}"
    return Figure(what, _shown(constrained), "no worse", met, beside)


def _shown(results: Sequence[EditSearch]) -> str:
    explained = sum(not one.unexplained for one in results)
    edits = statistics.mean(one.edits for one in results)
    seconds = statistics.median(one.wall_s for one in results)
    return f"{explained}/{len(results)} explained, {edits:.1f} edits, {seconds:.2f} s"


class RepairResult(NamedTuple):
    """A repair, and the EW score of its model on fresh walks."""

    queries: int
    ew: float | None


def compare_shared(env: str, seed: int) -> tuple[RepairResult, RepairResult]:
    """The model broken by `seed`, repaired alone and after the one broken by the next seed."""
    alone = _repaired(env, seed)
    shared = _repaired(env, seed, _repaired(env, seed + 1).walked)
    return _result(env, alone, seed), _result(env, shared, seed)


def shared_figure(what: str, cases: Sequence[tuple[RepairResult, RepairResult]]) -> Figure:
    """Cases of one world. The target: no model is worse, and fewer queries over all."""
    alone, shared = zip(*cases, strict=True)
    fewer = sum(one.queries for one in shared) < sum(one.queries for one in alone)
    met = fewer and all((other.ew or 0.0) >= (one.ew or 0.0) for one, other in cases)
    return Figure(what, _queries_shown(shared), "fewer, no worse", met, f"alone {_queries_shown(alone)}")


def _queries_shown(results: Sequence[RepairResult]) -> str:
    queries = statistics.mean(one.queries for one in results)
    return f"{queries:,.0f} queries, {sum(one.ew == 1.0 for one in results)}/{len(results)} of EW 1"


def _repaired(env: str, seed: int, known: tuple[Evidence, ...] = ()) -> Repaired:
    given = _broken(env, _SHARED_REMOVED, seed)
    task = RepairTask(open_world(env, 1), given, *known)
    return repair([task], stream(seed, "shared bench", env), _LIMITS)


def _result(env: str, found: Repaired, seed: int) -> RepairResult:
    world = open_world(env, 1)
    model = model_of(read_problem(found.problems[0], read_domain(found.domain)), world)
    ew = fresh_ew(world, model, _FRESH_WALKS, stream(seed, "fresh", env))
    return RepairResult(found.world_queries, ew)


def _broken(env: str, count: int, seed: int) -> Problem:
    """The first task of a world, with so many terms of its rules removed."""
    return break_world(env, 1, BreakKind.REMOVED, count, seed).given
