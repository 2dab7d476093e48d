"""The kernel, the EW score and the environment of one small world, against slower ways of doing the same."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from envs.environment import WorldEnv
from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.grounding import Limits
from envs.pddl.simulation.reference import ReferenceSimulator
from envs.pddl.simulation.simulator import Task
from envs.source import read_texts
from ew.score.score import EWConfig, ew_score
from experiments.bench.measure import Figure, median_seconds


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
    """Read, check, ground and compile a candidate and take its EW score; the world is compiled before."""
    for case in cases():
        world = compile_task(_read(case))

        def score(case: Case = case, world: Task = world) -> None:
            model = compile_task(_read(case), Limits())
            found = ew_score(world, model, np.random.default_rng(0), EWConfig())
            if found.score != 1.0:
                raise RuntimeError(f"{case.name} differs from itself: EW {found.score}")

        seconds = median_seconds(score, repeats)
        compiled = median_seconds(lambda case=case: compile_task(_read(case), Limits()), repeats)  # type: ignore[misc]
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


def _read(case: Case) -> Problem:
    return read_problem(case.problem, read_domain(case.domain))


def _task_walk(task: Task) -> float:
    """Seconds a step of a walk in a batch of 50."""

    def walk() -> None:
        states = task.initial(50)
        for _ in range(10):
            chosen = task.applicable(states).argmax(axis=1).astype(np.int64)
            states = task.successors(states, chosen)

    return median_seconds(walk, 3) / 500


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
