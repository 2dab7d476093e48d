"""EW scores of compiled candidates on tasks from 40 to 3,000 operators, and batched walks against pymimir."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.simulator import Task
from envs.source import read_texts
from ew.score.config import EWConfig
from ew.score.score import ew_score
from ew.walks.walk import sample_walks
from experiments.bench.kernel import grippers_problem
from experiments.bench.measure import Figure, median_seconds

#: Milliseconds that a score of 100 walks of at most 10 steps may take at so many operators.
_TARGETS_MS = ((100, 5.0), (3000, 30.0))
_WALKS, _STEPS = 100, 10


@dataclass(frozen=True)
class Ground:
    """A task as text, and compiled."""

    name: str
    domain: str
    problem: str
    task: Task


def grounds() -> tuple[Ground, ...]:
    """Five tasks from 40 to about 3,000 operators, the smallest first."""
    shipped = [("blocksworld", 1), ("grippers", 1), ("termes", 9), ("logistics", 10)]
    texts = [(f"{name} p{number:02}", read_texts(name, number)) for name, number in shipped]
    named = [(name, t.domain, t.problem) for name, t in texts]
    named.append(
        ("grippers, 10 rooms, 34 balls", read_texts("grippers", 1).domain, grippers_problem(2, 10, 34))
    )
    return tuple(Ground(n, d, p, compile_task(read_problem(p, read_domain(d)))) for n, d, p in named)


def bench_walks(repeats: int) -> Iterator[Figure]:
    """A score of each task against itself, how its cost grows, and steps against pymimir's."""
    tasks = grounds()
    seconds = [median_seconds(_score(ground.task), max(repeats, 5)) for ground in tasks]
    for ground, spent in zip(tasks, seconds, strict=True):
        operators = len(ground.task.operators)
        target = next(ms for most, ms in _TARGETS_MS if operators <= most)
        yield Figure(
            f"EW of a compiled candidate, {ground.name} ({operators:,} operators)",
            f"{spent * 1e3:.2f} ms",
            f"{target:.0f} ms",
            spent * 1e3 <= target,
            f"{_WALKS / spent:,.0f} walks/s, one core",
        )
    sizes = [len(ground.task.operators) for ground in tasks]
    slope = float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
    yield Figure("cost against operators, log-log slope", f"{slope:.2f}", "<= 1", slope <= 1)
    yield from _against_pymimir(tasks, repeats)


def _score(task: Task) -> Callable[[], None]:
    config = EWConfig(walks=_WALKS, t_max=_STEPS)

    def score() -> None:
        found = ew_score(task, task, np.random.default_rng(0), config)
        if found.score != 1.0:
            raise RuntimeError(f"a task differs from itself: EW {found.score}")

    return score


def _against_pymimir(tasks: tuple[Ground, ...], repeats: int) -> Iterator[Figure]:
    if find_spec("pymimir") is None:
        yield Figure("walks against pymimir", "not measured", "10x", False, "install pymimir to compare")
        return
    for ground in tasks:
        ours = _steps_a_second(lambda rng, t=ground.task: _batch(t, rng), repeats)  # type: ignore[misc]
        theirs = _steps_a_second(_pymimir_loop(ground), min(repeats, 3))
        yield Figure(
            f"walks in a batch of {_WALKS}, {ground.name}",
            f"{ours:,.0f} steps/s",
            "10x pymimir",
            ours >= 10 * theirs,
            f"{ours / theirs:.0f}x a loop over pymimir",
        )


def _steps_a_second(walk: Callable[[np.random.Generator], int], repeats: int) -> float:
    """Steps of one call, which must not differ between calls of one seed, by its median time."""
    steps = walk(np.random.default_rng(0))
    return steps / median_seconds(lambda: walk(np.random.default_rng(0)), repeats)


def _batch(task: Task, rng: np.random.Generator) -> int:
    return int(sample_walks(task, [_STEPS] * _WALKS, rng).lengths.sum())


def _pymimir_loop(ground: Ground) -> Callable[[np.random.Generator], int]:
    """The same walks, uniform over the applicable operators, one at a time."""
    import pymimir  # an oracle of the tests, not a dependency

    with tempfile.TemporaryDirectory(prefix="groundwalk-bench-") as folder:
        paths = [Path(folder) / "domain.pddl", Path(folder) / "problem.pddl"]
        for path, text in zip(paths, (ground.domain, ground.problem), strict=True):
            path.write_text(text, encoding="utf-8")
        problem = pymimir.Problem(pymimir.Domain(paths[0]), paths[1])

    def loop(rng: np.random.Generator) -> int:
        draws, steps = rng.random((_WALKS, _STEPS)).tolist(), 0
        for walk in draws:
            state = problem.get_initial_state()
            for draw in walk:
                actions = state.generate_applicable_actions()
                if not actions:
                    break
                state = actions[int(draw * len(actions))].apply(state)
                steps += 1
        return steps

    return loop
