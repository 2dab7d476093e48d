"""Searches: a live `tree` run on the stub endpoint against the critical path, and scaling over workers.

The endpoint takes 2 s for a request and ignores `n`, so every sample is a request of its own and up to
`Endpoint.fan_out` of them go side by side. Every answer is another one, nothing is found twice and nothing
solves early: the run makes every call it can. Its critical path is the longest chain of calls that wait for
each other, and no program can be faster: the problems, then in every turn the domains of a branch (the
request that is answered with one sample only, then the others), then the translations of the tasks, all at
once.

How a search scales is measured by the same evaluations on 1, 2, 4 and 8 worker processes. An evaluation is a
sleep, as a planner's call is for the process that waits for it, so what is measured is the loop, the executor
and the rounds of the policy, on a machine with any number of cores. The workers have started before the clock
does.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from math import ceil
from pathlib import Path
from typing import NamedTuple

from agents.llm.faults import Behaviour
from agents.llm.interface import Message
from agents.llm.stub import StubServer
from envs.folder import TaskTexts
from envs.source import read_texts
from experiments.bench.measure import BenchSettings, Figure, at_least, at_most, seconds, timed
from experiments.reporting.display import new_figure, save
from experiments.run import main
from experiments.runs.directory import RunDirectory
from experiments.runs.ledger import Ledger
from search.fakes import NumberEvaluator, NumberPayload, number_roots
from search.loop import run_search
from search.nodes import Expansion, Node
from search.policies import Algorithm1
from search.process_executor import ProcessExecutor

#: Requests side by side in a branch.
FAN_OUT = 4
_ENV, _TASKS = "grippers", 10
_LATENCY_S = 2.0

WORKERS = (1, 2, 4, 8)
_BRANCHES, _CHILDREN, _TURNS = 5, 16, 2
_EVALUATIONS = _BRANCHES * _CHILDREN * _TURNS
_PAUSE_S, _TARGET = 0.1, 0.8

#: Edits of a model that can be walked and is wrong: it picks up from afar. The seed makes it one of its kind.
_DOMAIN = """```python
add_or_update_predicates(["(at-robby ?r - robot ?x - room)", "(at ?o - obj ?x - room)", \
"(free ?r - robot ?g - gripper)", "(carry ?r - robot ?o - obj ?g - gripper)", "(seen-SEED ?o - obj)"])
modify_action("move", ["(at-robby ?r ?from)"], ["(at-robby ?r ?to)", "(not (at-robby ?r ?from))"])
modify_action("pick", ["(at ?obj ?room)"], ["(carry ?r ?obj ?g)", "(not (at ?obj ?room))"])
modify_action("drop", ["(carry ?r ?obj ?g)"], ["(at ?obj ?room)", "(not (carry ?r ?obj ?g))"])
```"""


class TreeRun(NamedTuple):
    """A finished run of method `tree`."""

    wall_s: float
    nodes: int
    requests: int
    rounds: int  #: requests one after another on the critical path
    one_by_one: int  #: the same without requests side by side in a branch


def search_figures(_settings: BenchSettings) -> Iterator[Figure]:
    """The published tree on ten tasks: wall time, and what the program adds to a node."""
    run = tree_run(np=5, nd=10, turns=4, tasks=_TASKS, latency_s=_LATENCY_S)
    critical_s = run.rounds * _LATENCY_S
    what = f"tree on the stub, {run.requests} requests of {_LATENCY_S:.0f} s, {FAN_OUT} at a time in a branch"
    beside = f"{run.wall_s:.1f} s; {run.one_by_one * _LATENCY_S:.0f} s one by one"
    yield at_most(what, run.wall_s / critical_s, 1.25, "x critical path", beside)
    beside = f"{run.nodes} nodes, executor start, tasks and plans included"
    added = 1e3 * (run.wall_s - critical_s) / run.nodes
    yield at_most("what the program adds to a node", added, 150, "ms", beside)


def tree_run(*, np: int, nd: int, turns: int, tasks: int, latency_s: float) -> TreeRun:
    """Run method `tree` from nothing to its report, with as many requests at a time as its branches want.

    Raises RuntimeError if the run did not make all of its candidates and tasks.
    """
    with (
        tempfile.TemporaryDirectory(prefix="groundwalk-bench-") as folder,
        StubServer(_reply, Behaviour(ignore_n=True, delay_s=latency_s)) as stub,
    ):
        flags = (
            f"--env {_ENV} --method tree --seeds 0 --np {np} --nd {nd} --turns {turns} --tasks {tasks} "
            f"--model stub --base-url {stub.url} --protocol paper --executor process --out {folder}/run "
            f"--fan-out {FAN_OUT} --concurrency {np * FAN_OUT}"
        )
        said = StringIO()
        with redirect_stdout(said):
            code, wall_s = timed(lambda: main(flags.split()))
        episodes = Ledger(RunDirectory(Path(folder) / "run")).episodes
    nodes = np * nd * turns
    if code or [(e.candidates, e.tasks) for e in episodes] != [(nodes, tasks)]:
        raise RuntimeError(f"the run ended with {code} before all of its tasks: {said.getvalue()[-500:]}")
    rounds = _rounds(np) + turns * _rounds(nd) + 1
    return TreeRun(wall_s, nodes, stub.seen.requests, rounds, np + turns * nd + 1)


def _rounds(samples: int) -> int:
    """Requests one after another for so many samples of one call."""
    return 1 + ceil((samples - 1) / FAN_OUT)


def _reply(messages: Sequence[Message], index: int, seed: int) -> str:
    """Edits unlike any others where edits are asked for, else the right problem of the task that is meant."""
    asked = messages[-1].content
    if "def modify_action" in asked or "Reason about the cause first" in asked:
        return _DOMAIN.replace("SEED", str(seed))
    task = max(range(1, _TASKS + 1), key=lambda number: asked.rfind(_texts(number).task))
    return f"```pddl\n; {seed}\n{_texts(task).problem}\n```"


@cache
def _texts(task: int) -> TaskTexts:
    return read_texts(_ENV, task)


def measure_scaling(workers: Sequence[int], pause_s: float = _PAUSE_S) -> Iterator[tuple[int, float]]:
    """The seconds of the same search on each number of workers."""
    for count in workers:
        with ProcessExecutor(count) as executor:
            executor.map(NumberEvaluator(pause_s=5 * pause_s), [NumberPayload(i) for i in range(2 * count)])
            yield count, seconds(lambda: _search(executor, pause_s))


def scaling_figures(settings: BenchSettings) -> Iterator[Figure]:
    """The share of the workers' time that is work, at each number of them; drawn if that is wished."""
    found, work_s = dict(measure_scaling(WORKERS)), _EVALUATIONS * _PAUSE_S
    for workers, wall_s in found.items():
        what = f"search with sleeping evaluations, workers: {workers}"
        beside = f"{wall_s:.2f} s for {work_s:.0f} s of work"
        yield at_least(what, work_s / wall_s / workers, _TARGET, "efficiency", beside)
    if settings.plot is not None:
        draw_scaling({workers: work_s / wall_s for workers, wall_s in found.items()}, settings.plot)


def draw_scaling(speed_up: Mapping[int, float], path: Path) -> tuple[Path, Path]:
    """Speed-up over one worker without any overhead, beside the best that there can be; returns the files."""
    figure = new_figure(4.8, 3.6)
    axes = figure.add_subplot()
    workers = list(speed_up)
    axes.plot(workers, workers, color="0.6", linestyle="--", label="all of the workers' time is work")
    axes.plot(workers, [_TARGET * count for count in workers], color="0.6", linestyle=":", label="target")
    axes.plot(workers, list(speed_up.values()), color="tab:blue", marker="o", label="measured")
    axes.set_xticks(workers)
    axes.set(xlabel="workers", ylabel="speed-up")
    axes.legend(loc="upper left")
    axes.set_title(f"A search of {_EVALUATIONS} evaluations of {_PAUSE_S:g} s")
    return save(figure, path)


def _search(executor: ProcessExecutor, pause_s: float) -> None:
    policy = Algorithm1(children=_CHILDREN, turns=_TURNS)
    run_search(policy, number_roots(_BRANCHES), _propose, NumberEvaluator(pause_s=pause_s), executor)


def _propose(expansion: Expansion, known: tuple[Node, ...]) -> list[NumberPayload]:
    """Numbers that differ from all others and solve nothing."""
    parent = int(expansion.parent.id.replace(".", ""))
    return [NumberPayload(100 * parent + i) for i in range(expansion.count)]
