"""How a search scales: the same evaluations on 1, 2, 4 and 8 worker processes.

An evaluation is a sleep, as a planner's call is for the process that waits for it. So what is measured is the
loop, the executor and the rounds of the policy, on a machine with any number of cores. The workers have
started before the clock does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from experiments.bench.measure import Figure, seconds
from experiments.reporting.display import new_figure, save
from search.algorithm1 import Algorithm1
from search.fakes import NumberEvaluator, NumberPayload, number_roots
from search.loop import run_search
from search.nodes import Expansion, Node
from search.process_executor import ProcessExecutor

WORKERS = (1, 2, 4, 8)
_BRANCHES, _CHILDREN, _TURNS = 5, 16, 2
_EVALUATIONS = _BRANCHES * _CHILDREN * _TURNS
_PAUSE_S, _TARGET = 0.1, 0.8


@dataclass(frozen=True)
class Scaling:
    """One search: its workers, and how long it took."""

    workers: int
    wall_s: float
    work_s: float  #: sum of all evaluations

    @property
    def speed_up(self) -> float:
        """Against one worker without any overhead."""
        return self.work_s / self.wall_s

    @property
    def efficiency(self) -> float:
        """The share of the workers' time that is work."""
        return self.speed_up / self.workers


def measure_scaling(workers: Sequence[int], pause_s: float = _PAUSE_S) -> Iterator[Scaling]:
    """The same search on each number of workers."""
    for count in workers:
        with ProcessExecutor(count) as executor:
            executor.map(NumberEvaluator(pause_s=5 * pause_s), [NumberPayload(i) for i in range(2 * count)])
            wall_s = seconds(lambda: _search(executor, pause_s))
        yield Scaling(count, wall_s, _EVALUATIONS * pause_s)


def bench_scaling(plot: Path | None) -> Iterator[Figure]:
    """Efficiency at each number of workers; `plot` is where to draw it, without an ending."""
    found = tuple(measure_scaling(WORKERS))
    for one in found:
        yield Figure(
            f"search with sleeping evaluations, workers: {one.workers}",
            f"{one.efficiency:.2f} efficiency",
            f"{_TARGET}",
            one.efficiency >= _TARGET,
            f"{one.wall_s:.2f} s for {one.work_s:.0f} s of work",
        )
    if plot is not None:
        draw_scaling(found, plot)


def draw_scaling(found: Sequence[Scaling], path: Path) -> tuple[Path, Path]:
    """Speed-up over workers beside the best that there can be; returns the files."""
    figure = new_figure(4.8, 3.6)
    axes = figure.add_subplot()
    workers = [one.workers for one in found]
    axes.plot(workers, workers, color="0.6", linestyle="--", label="all of the workers' time is work")
    axes.plot(workers, [_TARGET * count for count in workers], color="0.6", linestyle=":", label="target")
    axes.plot(workers, [one.speed_up for one in found], color="tab:blue", marker="o", label="measured")
    axes.set_xticks(workers)
    axes.set_xlabel("workers")
    axes.set_ylabel("speed-up")
    axes.legend(loc="upper left")
    axes.set_title(f"A search of {_EVALUATIONS} evaluations of {found[0].work_s / _EVALUATIONS:g} s")
    return save(figure, path)


def _search(executor: ProcessExecutor, pause_s: float) -> None:
    policy = Algorithm1(children=_CHILDREN, turns=_TURNS)
    run_search(policy, number_roots(_BRANCHES), _propose, NumberEvaluator(pause_s=pause_s), executor)


def _propose(expansion: Expansion, known: tuple[Node, ...]) -> list[NumberPayload]:
    """Numbers that differ from all others and solve nothing."""
    parent = int(expansion.parent.id.replace(".", ""))
    return [NumberPayload(100 * parent + i) for i in range(expansion.count)]
