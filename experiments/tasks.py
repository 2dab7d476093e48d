"""The evaluation tasks of an episode: prepared by the language model in threads, tried on the executor.

Each task goes its own way from preparation to record, so the tasks of an episode overlap; a task that the
ledger knows is neither prepared nor tried again.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from agents.llm.interface import LanguageModel
from experiments.episode import Kit
from experiments.meter import Meter
from experiments.records import Spent, TaskRecord
from experiments.solve import Attempt
from experiments.units import Unit

_THREADS = 8


@dataclass(frozen=True)
class Prepared:
    """What a task's solver is called with after the task's number; or why there is nothing to try."""

    arguments: tuple[Any, ...] = ()
    failed: Attempt | None = None


Prepare = Callable[[int, LanguageModel], Prepared]
Solve = Callable[..., Attempt]


def run_tasks(unit: Unit, kit: Kit, prepare: Prepare, solve: Solve) -> tuple[TaskRecord, ...]:
    """The records of tasks 1 … `unit.tasks`, in order; written down as they are finished.

    `prepare` runs in threads and asks the model it is given; `solve` must be picklable. What they raise ends
    this after the tasks under way.
    """
    missing = [n for n in range(1, unit.tasks + 1) if kit.ledger.task(unit.key, n) is None]
    with ThreadPoolExecutor(_THREADS, thread_name_prefix="prepare") as pool:
        under_way: dict[Future[Any], _Work] = {}
        try:
            for number in missing:
                meter = Meter(kit.model)
                under_way[pool.submit(prepare, number, meter)] = _Work(number, meter)
            while under_way:
                done = wait(under_way, return_when=FIRST_COMPLETED).done
                for future in [f for f in under_way if f in done]:
                    _advance(unit, kit, solve, under_way, future)
        finally:
            wait([future for future in under_way if not future.cancel()])
    records = (kit.ledger.task(unit.key, n) for n in range(1, unit.tasks + 1))
    return tuple(r for r in records if r is not None)


@dataclass(frozen=True)
class _Work:
    number: int
    meter: Meter


def _advance(
    unit: Unit, kit: Kit, solve: Solve, under_way: dict[Future[Any], _Work], done: Future[Any]
) -> None:
    """A preparation that ended becomes an attempt, an attempt that ended becomes a record."""
    work, result = under_way.pop(done), done.result()
    attempt: Attempt | None = result.failed if isinstance(result, Prepared) else result
    if attempt is None:
        under_way[kit.executor.submit(solve, work.number, *result.arguments)] = work
        return
    record = _record(unit, work.number, attempt, work.meter.spent)
    if kit.ledger.add_task(record):
        kit.progress.task(record)


def _record(unit: Unit, number: int, attempt: Attempt, spent: Spent) -> TaskRecord:
    return TaskRecord(
        unit=unit.key,
        env=unit.env,
        method=unit.method,
        seed=unit.seed,
        task=number,
        outcome=attempt.outcome,
        score=attempt.score,
        plan_length=attempt.plan_length,
        failed_step=attempt.failed_step,
        detail=attempt.detail,
        spent=spent,
        wall_s=attempt.wall_s,
        budget_tokens=unit.budget_tokens,
        budget_queries=unit.budget_queries,
    )
