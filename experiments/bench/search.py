"""A live `tree` run on the stub endpoint, against the critical path of its calls.

The endpoint takes 2 s for a request and ignores `n`, so every sample is a request of its own and up to
`Endpoint.fan_out` of them go side by side. Every answer is another one, nothing is found twice and nothing
solves early: the run makes every call it can. Its critical path is the longest chain of calls that wait for
each other, and no program can be faster: the problems, then in every turn the domains of a branch (the
request that is answered with one sample only, then the others), then the translations of the tasks, all at
once.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache
from math import ceil
from pathlib import Path

from rich.console import Console

from agents.llm.client import OpenAIModel
from agents.llm.faults import Behaviour
from agents.llm.interface import Message
from agents.llm.journal import Journal
from agents.llm.stub import StubServer
from envs.source import WorldTexts, read_texts
from experiments.bench.measure import Figure, seconds
from experiments.config import RunConfig
from experiments.driver.job import Job, make_executor
from experiments.driver.models import endpoint_of, journaled
from experiments.driver.plan import resolve
from experiments.runs.directory import RunDirectory
from experiments.runs.ledger import Ledger
from experiments.runs.progress import Counters, Progress, told_by
from experiments.spending.caps import Budget

#: Requests side by side in a branch.
FAN_OUT = 4
_ENV, _TASKS = "grippers", 10
_LATENCY_S = 2.0
_SLACK, _PER_NODE_S = 1.25, 0.15

#: Edits of a model that can be walked and is wrong: it picks up from afar. The seed makes it one of its kind.
_DOMAIN = """```python
add_or_update_predicates(["(at-robby ?r - robot ?x - room)", "(at ?o - obj ?x - room)", \
"(free ?r - robot ?g - gripper)", "(carry ?r - robot ?o - obj ?g - gripper)", "(seen-SEED ?o - obj)"])
modify_action("move", ["(at-robby ?r ?from)"], ["(at-robby ?r ?to)", "(not (at-robby ?r ?from))"])
modify_action("pick", ["(at ?obj ?room)"], ["(carry ?r ?obj ?g)", "(not (at ?obj ?room))"])
modify_action("drop", ["(carry ?r ?obj ?g)"], ["(at ?obj ?room)", "(not (carry ?r ?obj ?g))"])
```"""


@dataclass(frozen=True)
class TreeRun:
    """A finished run of method `tree`."""

    wall_s: float
    nodes: int
    requests: int
    rounds: int  #: requests one after another on the critical path
    one_by_one: int  #: the same without requests side by side in a branch
    latency_s: float

    @property
    def critical_s(self) -> float:
        """Seconds of the critical path."""
        return self.rounds * self.latency_s

    @property
    def overhead_s(self) -> float:
        """Seconds beyond the critical path, for each node."""
        return (self.wall_s - self.critical_s) / self.nodes


def bench_search() -> Iterator[Figure]:
    """The published tree on ten tasks: wall time, and what the program adds to a node."""
    run = tree_run(np=5, nd=10, turns=4, tasks=_TASKS, latency_s=_LATENCY_S)
    yield Figure(
        f"tree on the stub, {run.requests} requests of {_LATENCY_S:.0f} s, {FAN_OUT} at a time in a branch",
        f"{run.wall_s:.1f} s",
        f"{_SLACK} x {run.critical_s:.0f} s",
        run.wall_s <= _SLACK * run.critical_s,
        f"{run.wall_s / run.critical_s:.2f} x critical path; {run.one_by_one * _LATENCY_S:.0f} s one by one",
    )
    yield Figure(
        "what the program adds to a node",
        f"{run.overhead_s * 1e3:.0f} ms",
        f"{_PER_NODE_S * 1e3:.0f} ms",
        run.overhead_s < _PER_NODE_S,
        f"{run.nodes} nodes, executor start, tasks and plans included",
    )


def tree_run(*, np: int, nd: int, turns: int, tasks: int, latency_s: float) -> TreeRun:
    """Run method `tree` from nothing to its last task, with as many requests at a time as its branches want.

    Raises RuntimeError if the run did not make all of its candidates and tasks.
    """
    with (
        tempfile.TemporaryDirectory(prefix="groundwalk-bench-") as folder,
        StubServer(_reply, Behaviour(ignore_n=True, delay_s=latency_s)) as stub,
    ):
        config = RunConfig(
            env=(_ENV,), method=("tree",), seeds=(0,), np=np, nd=nd, turns=turns, tasks=tasks,
            model="stub", base_url=stub.url, protocol="paper", executor="process", out=Path(folder) / "run",
        )  # fmt: skip
        wall_s = seconds(lambda: _work(config, np * FAN_OUT))
        (episode,) = Ledger(RunDirectory(Path(folder) / "run")).episodes
    nodes = np * nd * turns
    if (episode.candidates, episode.tasks) != (nodes, tasks):
        raise RuntimeError(f"the run stopped early: {episode.candidates} candidates, {episode.tasks} tasks")
    rounds = _rounds(np) + turns * _rounds(nd) + 1
    return TreeRun(wall_s, nodes, stub.seen.requests, rounds, np + turns * nd + 1, latency_s)


def _rounds(samples: int) -> int:
    """Requests one after another for so many samples of one call."""
    return 1 + ceil((samples - 1) / FAN_OUT)


def _work(config: RunConfig, concurrency: int) -> None:
    """The main job, with as many requests in flight as that."""
    plan = resolve(config, ())
    endpoint = replace(endpoint_of(config), fan_out=FAN_OUT, concurrency=concurrency)
    with (
        closing(OpenAIModel(endpoint)) as model,
        make_executor(config) as executor,
        RunDirectory.open(plan.out, plan.science(), {}) as directory,
        Journal(directory.journal_path) as journal,
    ):
        given = {unit.answers: model for unit in plan.units}
        models = journaled(given, journal, Budget({}), dict.fromkeys(given), config)
        with Progress(Console(quiet=True), Counters) as progress, told_by(progress):
            Job(plan, models, executor, Ledger(directory), progress).run()


def _reply(messages: Sequence[Message], index: int, seed: int) -> str:
    """Edits unlike any others where edits are asked for, else the right problem of the task that is meant."""
    asked = messages[-1].content
    if "def modify_action" in asked or "Reason about the cause first" in asked:
        return _DOMAIN.replace("SEED", str(seed))
    task = max(range(1, _TASKS + 1), key=lambda number: asked.rfind(_texts(number).task))
    return f"```pddl\n; {seed}\n{_texts(task).problem}\n```"


@cache
def _texts(task: int) -> WorldTexts:
    return read_texts(_ENV, task)
