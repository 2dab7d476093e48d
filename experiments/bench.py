"""Speed and memory: `python -m experiments.bench [all|ew|steps|job]`.

Every figure is the median of several repeats of the real code, with its target beside it. The last column
compares with a slower way of doing the same, timed in the same run, since ratios travel between machines
better than seconds do.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import tyro
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from envs.environment import WorldEnv
from envs.pddl.compile import compile_task
from envs.pddl.grounding import Limits
from envs.pddl.language import Problem, read_domain, read_problem
from envs.pddl.process import run_child
from envs.pddl.reference import ReferenceSimulator
from envs.pddl.simulator import Task
from envs.source import read_texts
from ew.score import EWConfig, ew_score
from experiments.config import fail

_JOB_LIMIT_S, _JOB_MEMORY_MB = 600.0, 8000


@dataclass(frozen=True)
class Bench:
    """Measure speed and memory, with the targets beside."""

    what: tyro.conf.Positional[Literal["all", "ew", "steps", "job"]] = "all"
    """An EW score end to end, steps of the environment, the default job, or all of them."""
    repeats: int = 9
    """Timings of which the median is shown."""


@dataclass(frozen=True)
class Figure:
    """One line of the result."""

    what: str
    value: str
    target: str
    met: bool
    beside: str = ""  #: a comparison, taken in the same run


@dataclass(frozen=True)
class Case:
    """A task as text, and how long its EW score may take."""

    name: str
    domain: str
    problem: str
    target_ms: float


def cases() -> tuple[Case, ...]:
    """A small, a middle and a large task: about 100, 700 and 2,600 operators."""
    grippers, termes = read_texts("grippers", 1), read_texts("termes", 9)
    return (
        Case("grippers p01", grippers.domain, grippers.problem, 20.0),
        Case("termes p09", termes.domain, termes.problem, 60.0),
        Case("grippers, 10 rooms, 30 balls", grippers.domain, grippers_problem(2, 10, 30), 250.0),
    )


def grippers_problem(robots: int, rooms: int, balls: int) -> str:
    """A grippers task of any size: every robot has two grippers, every ball is to be moved by one room."""
    hands = [(f"robot{i}", f"{side}gripper{i}") for i in range(1, robots + 1) for side in "lr"]
    at = [f"(at-robby robot{i} room{1 + i % rooms})" for i in range(1, robots + 1)]
    free = [f"(free {robot} {hand})" for robot, hand in hands]
    lying = [f"(at ball{i} room{1 + i % rooms})" for i in range(1, balls + 1)]
    goal = [f"(at ball{i} room{1 + (i + 1) % rooms})" for i in range(1, balls + 1)]
    objects = (
        [f"robot{i} - robot" for i in range(1, robots + 1)]
        + [f"{hand} - gripper" for _, hand in hands]
        + [f"room{i} - room" for i in range(1, rooms + 1)]
        + [f"ball{i} - obj" for i in range(1, balls + 1)]
    )
    return (
        f"(define (problem large) (:domain gripper-strips) (:objects {' '.join(objects)})\n"
        f"(:init {' '.join(at + free + lying)})\n(:goal (and {' '.join(goal)})))"
    )


def bench_ew(repeats: int) -> Iterator[Figure]:
    """Read, ground and compile a candidate and take its EW score; the world is compiled before."""
    for case in cases():
        world = compile_task(_read(case))

        def score(case: Case = case, world: Task = world) -> None:
            model = compile_task(_read(case), Limits())
            found = ew_score(world, model, np.random.default_rng(0), EWConfig())
            if found.score != 1.0:
                raise RuntimeError(f"{case.name} differs from itself: EW {found.score}")

        seconds = _median(score, repeats)
        compiled = _median(lambda case=case: compile_task(_read(case), Limits()), repeats)  # type: ignore[misc]
        slow = _reference_walk(_read(case)) / _task_walk(world)
        yield Figure(
            f"EW score, {case.name} ({len(world.operators):,} operators)",
            f"{seconds * 1e3:.1f} ms",
            f"{case.target_ms:.0f} ms",
            seconds * 1e3 <= case.target_ms,
            f"{compiled / seconds:.0%} of it compiling; a step: {slow:,.0f}x the reference",
        )


def bench_steps(repeats: int) -> Iterator[Figure]:
    """Random steps in one grippers environment, the action mask included."""
    rates = [_steps_per_second(2000) for _ in range(repeats)]
    rate, words = statistics.median(rates), _steps_per_second(2000, "text")
    yield Figure(
        "environment steps, grippers, with mask",
        f"{rate:,.0f} /s",
        "15,000 /s",
        rate >= 15_000,
        f"{rate / words:.1f}x the steps with states in words",
    )


def bench_job() -> Iterator[Figure]:
    """The default job in a new directory and process, Ray's start included, then resumed."""
    with tempfile.TemporaryDirectory(prefix="groundwalk-bench-") as folder:
        first, log = _job(folder)
        second, _ = _job(folder)
    if first is None or second is None:
        yield Figure("default job", "failed", "60 s", False, log)
        return
    yield Figure("default job", f"{first:.1f} s", "60 s", first <= 60)
    yield Figure("default job again", f"{second:.1f} s", "5 s", second <= 5, f"{first / second:.0f}x faster")


def peak_memory() -> Figure | None:
    """The highest resident memory of this process so far; None where the system does not tell."""
    if sys.platform == "win32":
        return None
    import resource  # absent on Windows

    unit = 1 if sys.platform == "darwin" else 1024
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20
    return Figure("peak memory of this process", f"{megabytes:.0f} MB", "300 MB", megabytes <= 300)


def _read(case: Case) -> Problem:
    return read_problem(case.problem, read_domain(case.domain))


def _median(call: Callable[[], object], repeats: int) -> float:
    """Seconds of one call, after one that is not counted."""
    call()
    return statistics.median(_seconds(call) for _ in range(repeats))


def _seconds(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def _task_walk(task: Task) -> float:
    """Seconds a step of a walk in a batch of 50."""

    def walk() -> None:
        states = task.initial(50)
        for _ in range(10):
            chosen = task.applicable(states).argmax(axis=1).astype(np.int64)
            states = task.successors(states, chosen)

    return _median(walk, 3) / 500


def _reference_walk(problem: Problem) -> float:
    """Seconds a step of the same walk in the reference simulator."""
    simulator = ReferenceSimulator(problem)
    state = simulator.initial()
    started = time.perf_counter()
    for _ in range(3):
        state = simulator.successor(state, simulator.applicable(state)[0])
    return (time.perf_counter() - started) / 3


def _steps_per_second(steps: int, observation: Literal["facts", "text"] = "facts") -> float:
    env = WorldEnv("grippers", 1, action_interface="discrete", observation=observation)
    draws = np.random.default_rng(0).random(steps)
    _, info = env.reset(seed=0)
    started = time.perf_counter()
    for draw in draws:
        choices = np.flatnonzero(info["action_mask"])
        _, _, terminated, _, info = env.step(choices[int(draw * len(choices))])
        if terminated:
            _, info = env.reset()
    return steps / (time.perf_counter() - started)


def _job(folder: str) -> tuple[float | None, str]:
    """Wall seconds of the default job with its results in `folder`, None if it failed; and its last words."""
    command = [sys.executable, "-m", "experiments.run", "--out", f"{folder}/run"]
    child = run_child(command, cwd=folder, wall_s=_JOB_LIMIT_S, memory_mb=_JOB_MEMORY_MB)
    return (child.wall_s if child.succeeded else None), (child.stderr or child.stdout)[-200:].strip()


def show(figures: Sequence[Figure], console: Console) -> None:
    """The figures as a table."""
    table = Table(box=SIMPLE)
    for column in ("what", "measured", "target", "", "beside"):
        table.add_column(column, justify="right" if column in ("measured", "target") else "left")
    for f in figures:
        table.add_row(f.what, f.value, f.target, "ok" if f.met else "MISSED", f.beside)
    console.print(table)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and show; exit code 1 if a target is missed, 2 if a flag is wrong."""
    config = tyro.cli(Bench, prog="python -m experiments.bench", args=arguments)
    if config.repeats < 1:
        return fail(f"--repeats must be positive, not {config.repeats}", 2)
    figures: list[Figure] = []
    if config.what in ("all", "ew"):
        figures += bench_ew(config.repeats)
    if config.what in ("all", "steps"):
        figures += bench_steps(config.repeats)
    memory = peak_memory()
    if memory is not None and config.what != "job":
        figures.append(memory)
    if config.what in ("all", "job"):
        figures += bench_job()
    show(figures, Console())
    return 0 if all(f.met for f in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
