"""The evaluation tasks of an episode: prepared by the language model in threads, tried on the executor.

Each task goes its own way from preparation to record, so the tasks of an episode overlap; a task that the
ledger knows is neither prepared nor tried again.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from typing import Any

from agents.llm.interface import LanguageModel
from ew.counterexample.doubts import Doubt
from experiments.config import shared
from experiments.evaluation.solve import Attempt
from experiments.methods.base import Kit
from experiments.runs.records import EpisodeRecord, Score, Spent, TaskRecord
from experiments.runs.units import EvaluationTask, Unit
from experiments.spending.capped import Meter

#: More than a table's tasks: it is the endpoint's own limit that decides how many are asked at once.
_THREADS = 16

#: Nothing was asked of the world.
_NOTHING = Score()

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Prepared:
    """What a task's solver is called with after the task's name; or why there is nothing to try."""

    arguments: tuple[Any, ...] = ()
    failed: Attempt | None = None
    origin: Any = None  #: what a better preparation would start from
    doubts: tuple[Doubt, ...] = ()  #: about the task's text, from elsewhere than an attempt


Prepare = Callable[[EvaluationTask, LanguageModel], Prepared]
Solve = Callable[..., Attempt]
#: A better preparation of a task: from the task, the one that failed, how it failed, and whom to ask.
Again = Callable[[EvaluationTask, Prepared, Attempt, LanguageModel], Prepared]


def run_tasks(
    unit: Unit, kit: Kit, prepare: Prepare, solve: Solve, again: Again | None = None, attempts: int = 1
) -> tuple[TaskRecord, ...]:
    """The records of tasks 1 … `unit.tasks`, in order; written down as they are finished.

    With `again`, a task whose preparation has an `origin` is tried up to `attempts` times, and its record is
    that of the best attempt; an attempt on which the planner gave no verdict is not made again. `prepare` and
    `again` run in threads and ask the model they are given; `solve` must be picklable. What they raise ends
    this after the tasks under way.
    """
    missing = [t for t in unit.evaluation_tasks if kit.ledger.task(unit.key, t.number) is None]
    with ThreadPoolExecutor(_THREADS, thread_name_prefix="prepare") as pool:
        run = _Run(unit, kit, prepare, solve, again, attempts, pool)
        try:
            for task in missing:
                run.begin(task)
            while run.under_way:
                run.settle()
        finally:
            run.abandon()
    records = (kit.ledger.task(unit.key, n) for n in range(1, unit.tasks + 1))
    return tuple(r for r in records if r is not None)


def episode_without_model(unit: Unit, tasks: tuple[TaskRecord, ...], started: float) -> EpisodeRecord:
    """The record of an episode that made no model, begun at `started` (`time.monotonic()`)."""
    return EpisodeRecord(
        **{**shared(unit, EpisodeRecord), "unit": unit.key, "tasks": len(tasks)},
        best=None,
        outcome=None,
        ew=None,
        makes_model=False,
        candidates=0,
        solved=sum(t.solved for t in tasks),
        spent=sum((t.spent for t in tasks), Spent()),
        world_queries=0,
        wall_s=round(time.monotonic() - started, 3),
    )


@dataclass(frozen=True)
class _Work:
    """A task on its way."""

    task: EvaluationTask
    meter: Meter
    prepared: Prepared | None = None  #: the last preparation
    failed: int = 0  #: attempts
    asked: Score = _NOTHING  #: what those asked of the world
    doubts: tuple[Doubt, ...] = ()  #: of the first attempt that raised any: it is the nearest to the text
    best: Attempt | None = None  #: of those, the first of equals


@dataclass(eq=False)
class _Run:
    """What is under way, in the order in which it was started."""

    unit: Unit
    kit: Kit
    prepare: Prepare
    solve: Solve
    again: Again | None
    attempts: int
    pool: ThreadPoolExecutor
    under_way: dict[Future[Any], _Work] = field(default_factory=dict)

    def begin(self, task: EvaluationTask) -> None:
        """Prepare a task."""
        meter = Meter(self.kit.model)
        self.under_way[self.pool.submit(self.prepare, task, meter)] = _Work(task, meter)

    def settle(self) -> None:
        """Wait for something to end and carry on with all that has ended."""
        stall_s = self.kit.stall_s
        done = wait(self.under_way, timeout=stall_s, return_when=FIRST_COMPLETED).done
        if not done:
            numbers = " ".join(
                str(number) for number in sorted(w.task.number for w in self.under_way.values())
            )
            _log.warning("%s: no progress for %g s: waiting for tasks %s", self.unit.name, stall_s, numbers)
        for future in [f for f in self.under_way if f in done]:
            work, result = self.under_way.pop(future), future.result()
            work = replace(work, doubts=work.doubts or result.doubts)
            if isinstance(result, Attempt):
                self._attempted(work, result)
            elif result.failed is not None:
                doubts = work.doubts or result.failed.doubts
                self._attempted(replace(work, prepared=result, doubts=doubts), result.failed)
            else:
                sent = self.kit.executor.submit(self.solve, work.task.name, *result.arguments)
                self.under_way[sent] = replace(work, prepared=result)

    def abandon(self) -> None:
        """Cancel what has not begun and wait for what runs."""
        wait([future for future in self.under_way if not future.cancel()])

    def _attempted(self, work: _Work, attempt: Attempt) -> None:
        """An attempt is made again from a better preparation, or becomes the task's record."""
        prepared, failed = work.prepared, work.failed + 1
        asked = work.asked.with_cost(attempt.score.world_queries, attempt.score.simulator)
        best = attempt if work.best is None else max(work.best, attempt, key=lambda made: made.rank)
        if self.again and prepared and prepared.origin and failed < self.attempts and attempt.may_be_told:
            retry = self.pool.submit(self.again, work.task, prepared, attempt, work.meter)
            self.under_way[retry] = replace(work, failed=failed, asked=asked, best=best)
            return
        record = _record(self.unit, replace(work, asked=asked), best)
        if self.kit.ledger.add_task(record):
            self.kit.progress.task(record)


def _record(unit: Unit, work: _Work, attempt: Attempt) -> TaskRecord:
    """A task's record: the best attempt, and what all of them took."""
    compared, asked = attempt.comparison, work.asked
    own = {
        "unit": unit.key,
        "task": work.task.number,
        "score": replace(attempt.score, world_queries=asked.world_queries, simulator=asked.simulator),
        "spent": work.meter.spent,
        "attempts": work.failed + 1,
        "told": dict(attempt.told),
        "meaning": compared.verdict.value if compared else "",
        "difference": compared.witness if compared and isinstance(compared.witness, str) else "",
        "doubts": work.doubts,
    }
    return TaskRecord(**{**shared(unit, TaskRecord), **shared(attempt, TaskRecord), **own})
