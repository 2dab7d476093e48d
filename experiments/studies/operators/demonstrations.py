"""Demonstrations in Mini-Minecraft: tasks with random goals, and Fast Downward's plans for them.

Two kinds of tasks, as published: random conjunctions of four subgoals, and single items. Which task a number
stands for follows from its kind alone; the plans are kept in `experiments/data/minecraft_plans.jsonl.gz`,
since planning takes longest, and are made again by

    python -m experiments.run minecraft-plans demonstrations --four 60 --single 60 --out plans.jsonl.gz

A number whose task the planner did not solve in its time is kept without a plan, and is no demonstration.
A trace is made of a plan by running it by the world's rules; its states are whole. Of every thirty numbers,
the first ten are held out for tests. Source of the tasks: Siegel et al. 2024, section 6.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np

from agents.operators.lifted import Operator
from agents.operators.reading import operators_of
from envs.generators.minecraft import Minecraft
from envs.pddl.language.domain import Domain, Problem, read_domain, read_problem
from envs.pddl.language.operators import parse_operator
from envs.pddl.planning.planner import Planner, planner_texts
from envs.pddl.simulation.compile import compile_task
from envs.pddl.traces.trace import SeenState, Step, Trace, Traces, trace_of
from envs.source import read_texts
from envs.tasks import problem_text, shuffled
from ew.walks.walk import choose
from experiments.runs.seeds import stream

Kind = Literal["four", "single"]
T = TypeVar("T")
WORLD = "minecraft"
#: Greedy search by landmarks and the FF heuristic: tasks of four goals are far from their goals.
SEARCH = (
    "let(landmarks, landmark_sum(lm_factory=lm_reasonable_orders_hps(lm_rhw()), pref=false), "
    "let(h, ff(), lazy_greedy([h, landmarks], preferred=[h, landmarks])))"
)
_PLANS = "minecraft_plans.jsonl.gz"


@dataclass(frozen=True)
class Demonstration:
    """A task by kind and number, and the plan for it; None if the planner found none in its time."""

    kind: Kind
    number: int
    plan: tuple[str, ...] | None

    @property
    def order(self) -> tuple[int, str]:
        """What demonstrations are sorted by: number and kind."""
        return self.number, self.kind


def size_of(kind: Kind, number: int) -> Minecraft:
    """How large a task is: maps and recipes go round; every tenth item takes the most steps that any does."""
    rows, columns = ((2, 2), (2, 3), (3, 3))[number % 3]
    if kind == "four":
        return Minecraft(rows, columns, goals=4, steps=3 + number % 5, extras=2)
    return Minecraft(rows, columns, goals=1, steps=1 + number % 9 if number % 10 else 12, extras=2)


def demonstrated(kind: Kind, number: int) -> Problem:
    """The task of that number, from 1."""
    domain = minecraft()
    facts = size_of(kind, number).generate(stream(0, "demonstration", kind, number))
    return read_problem(problem_text(f"{kind}-{number}", domain.vocabulary, facts), domain)


@cache
def minecraft() -> Domain:
    """The world's own rules."""
    return read_domain(read_texts(WORLD, 1).domain)


def demonstrate(kind: Kind, number: int, planner: Planner) -> Demonstration:
    """Plan for a task. Raises PlannerMissing."""
    texts = planner_texts(demonstrated(kind, number))
    return Demonstration(kind, number, replace(planner, search=SEARCH).plan(*texts).plan)


@cache
def demonstrations() -> tuple[Demonstration, ...]:
    """Those that come with the project, by number and kind."""
    return tuple(read_plans(packaged(_PLANS), Demonstration))


def packaged(name: str) -> Path:
    """A file of plans that comes with the project."""
    return Path(str(resources.files("experiments") / "data" / name))


def read_plans(path: Path, record: Callable[..., T]) -> list[T]:
    """The records of a file of plans, JSON lines, gzipped; none if it is not there."""
    if not path.exists():
        return []
    with gzip.open(path, "rt", encoding="utf-8") as file:
        entries = [json.loads(line) for line in file]
    return [record(**{**entry, "plan": entry["plan"] and tuple(entry["plan"])}) for entry in entries]


def save_plans(path: Path, made: Iterable[Any]) -> None:
    """Write records of plans, dataclasses, by their `order`."""
    ordered = sorted(made, key=lambda record: record.order)
    text = "".join(json.dumps(asdict(record)) + "\n" for record in ordered)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode("utf-8"), mtime=0))


def held_out(demonstration: Demonstration) -> bool:
    """Whether it is for tests, and nothing is learned from it."""
    return demonstration.number // 10 % 3 == 0


def drawn(seed: int, repeat: int) -> list[Demonstration]:
    """The demonstrations to learn from, in the order of one repeat."""
    pool = [d for d in demonstrations() if d.plan is not None and not held_out(d)]
    return shuffled(stream(seed, "operators", repeat), pool)


def traces_of(chosen: Iterable[Demonstration]) -> Traces:
    """The traces of those that have a plan, in order."""
    solved = (d for d in chosen if d.plan is not None)
    return Traces(minecraft().vocabulary, tuple(_trace(d) for d in solved))


@cache
def _trace(demonstration: Demonstration) -> Trace:
    """The states along a plan. Raises ValueError if it does not run."""
    problem = demonstrated(demonstration.kind, demonstration.number)
    plan = demonstration.plan or ()
    states = [problem.init]
    for number, text in enumerate(plan, start=1):
        name, arguments = parse_operator(text)
        operator = rules()[name]
        binding = operator.bound(arguments)
        if not operator.runs(binding, states[-1]):
            raise ValueError(f"step {number} of the plan for {problem.name}, {text}, does not run")
        states.append(operator.applied(binding, states[-1]))
    steps = [Step(text, True, i, i + 1) for i, text in enumerate(plan)]
    return trace_of(problem.name, problem.objects, [SeenState(state) for state in states], steps)


@cache
def rules() -> dict[str, Operator]:
    """The world's own operators by name."""
    return {operator.name: operator for operator in operators_of(minecraft())}


def test_states(each: int, astray: Sequence[int]) -> list[tuple[Trace, int]]:
    """States that learned operators are tried in, as traces and numbers of states in them.

    Of each action, those before its first `each` steps in the demonstrations that are held out, and where
    random walks of the lengths `astray` lead from there: plans alone stay close to what is needed.
    """
    counts: Counter[str] = Counter()
    found: list[tuple[Trace, int]] = []
    for demonstration in filter(held_out, demonstrations()):
        seen: set[int] = set()
        for step in _trace(demonstration).steps if demonstration.plan is not None else ():
            counts[step.action] += 1
            if counts[step.action] <= each:
                seen.add(step.before)
        if seen:
            trace = _straying(demonstration, sorted(seen), astray)
            found += [(trace, number) for number in range(len(trace.whole))]
    return found


def _straying(demonstration: Demonstration, numbers: Sequence[int], astray: Sequence[int]) -> Trace:
    """These states of a demonstration, and where random walks lead from them; no steps."""
    trace = _trace(demonstration)
    task = compile_task(demonstrated(demonstration.kind, demonstration.number))
    rng = stream(0, "astray", demonstration.kind, demonstration.number)
    states = np.stack([task.state_of(trace.state(n).true) for n in numbers])
    found = [SeenState(task.atoms_of(row)) for row in states]
    for length in astray:
        reached = states
        for _ in range(length):
            reached = task.successors(reached, choose(task.applicable(reached), rng.random(len(reached))))
        found += [SeenState(task.atoms_of(row)) for row in reached]
    return trace_of(trace.name, trace.objects, found, ())
