"""Goal inference: parsing a long plan, extending one by three rounds, and ranking goals of either kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from agents.goals.extension import Bounds, extend
from agents.goals.parsing import ground_plan, parse
from agents.goals.ranking import infer
from experiments.bench.measure import Figure, median_seconds
from experiments.studies.goals.tasks import GoalTask, kept, space_of
from experiments.studies.goals.units import GuessUnit

STEPS, ROUNDS = 200, 3


def bench_goals(repeats: int) -> Iterator[Figure]:
    """One line for each; the targets are those of the project, without one for ranking."""
    task = max(kept().values(), key=lambda task: len(task.plan))
    observed = GuessUnit("ranking-true", task, 1, 0).observed
    long = replace(observed, plan=(task.plan * (STEPS // len(task.plan) + 1))[:STEPS])
    yield _seconds(f"parse a plan of {STEPS} steps", median_seconds(lambda: long.graph, repeats), 0.05)
    graph = parse(ground_plan(long.operators, long.plan))
    facts = long.reached

    def grow() -> None:
        extend(graph, long.operators, long.objects, long.vocabulary, facts, Bounds(ROUNDS))

    yield _seconds(f"extend it by {ROUNDS} rounds", median_seconds(grow, repeats), 1.0)
    yield _ranking(kept()["four", 1, 0])
    yield _ranking(kept()["single", 1, 0])


def _ranking(task: GoalTask) -> Figure:
    """Without a language model, from the true operators."""
    unit = GuessUnit("ranking-true", task, 1, 0)
    seen, space = unit.observed, space_of(task.kind)
    taken = median_seconds(lambda: infer(seen, space, whole=unit.whole), 1)
    what = f"rank goals of a plan of {len(seen.plan)} steps, {'whole' if unit.whole else 'cut'}"
    return _seconds(what, taken, None)


def _seconds(what: str, seconds: float, target: float | None) -> Figure:
    told = "" if target is None else f"< {1000 * target:.0f} ms"
    return Figure(what, f"{1000 * seconds:.0f} ms", told, target is None or seconds < target)
