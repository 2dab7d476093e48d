"""The tasks of an episode: each goes its own way, and waiting is not silent."""

from __future__ import annotations

import io
import time
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from agents.llm.interface import LanguageModel
from agents.llm.scripted import ScriptedModel
from experiments.driver.tasks import Prepared, run_tasks
from experiments.evaluation.judge import Judge
from experiments.evaluation.solve import Attempt
from experiments.methods.base import Kit
from experiments.runs.directory import RunDirectory
from experiments.runs.ledger import Ledger
from experiments.runs.progress import Counters, Progress
from experiments.runs.records import Score, TaskOutcome
from experiments.runs.units import EvaluationTask, Unit
from search.executors import SerialExecutor


def unit_of(env: str, method: str, tasks: int = 3) -> Unit:
    return Unit(
        env=env, method=method, seed=0, np=1, nd=1, turns=4, tasks=tasks, walks=20, t_max=5,
        planner_wall_s=5.0, planner_memory_mb=500, answers="nobody",
    )  # fmt: skip


def kit_of(unit: Unit, folder: Path) -> Kit:
    progress = Progress(Console(file=io.StringIO()), Counters).episode(unit.name, 0)
    judge = Judge.of(unit, None)
    return Kit(ScriptedModel(["unused"]), judge, SerialExecutor(), Ledger(RunDirectory(folder)), progress)


#: What comes of each attempt at each task: outcome and EW.
MADE: dict[int, list[tuple[TaskOutcome, float]]] = {
    1: [(TaskOutcome.GOAL_NOT_REACHED, 1.0), (TaskOutcome.STEP_REJECTED, 0.2), (TaskOutcome.UNSOLVABLE, 0.5)],
    2: [(TaskOutcome.STEP_REJECTED, 0.5), (TaskOutcome.TIMEOUT, 1.0), (TaskOutcome.SOLVED, 1.0)],
    3: [(TaskOutcome.STEP_REJECTED, 1.0), (TaskOutcome.SOLVED, 0.5), (TaskOutcome.STEP_REJECTED, 1.0)],
}


def as_made(task: int | str, number: int, attempt: int) -> Attempt:
    outcome, ew = MADE[number][attempt]
    return Attempt(outcome, Score(ew=ew, world_queries=1))


def solved_as(name: int | str, prepared: int | str) -> Attempt:
    """Solved, with what it was called with as its detail."""
    return Attempt(TaskOutcome.SOLVED, detail=f"{name} {prepared}")


def test_of_several_attempts_the_best_is_kept_and_all_are_counted(tmp_path: Path) -> None:
    unit = unit_of("grippers", "refine")

    def again(task: EvaluationTask, failed: Prepared, attempt: Attempt, model: LanguageModel) -> Prepared:
        return Prepared((task.number, failed.origin), origin=failed.origin + 1)

    kit = kit_of(unit, tmp_path)
    found = run_tasks(
        unit, kit, lambda task, _: Prepared((task.number, 0), origin=1), as_made, again, attempts=3
    )
    kept = [(r.outcome.value, r.score.ew, r.attempts, r.score.world_queries) for r in found]
    assert kept == [("goal_not_reached", 1.0, 3, 3), ("timeout", 1.0, 2, 2), ("solved", 0.5, 2, 2)]


def test_a_wait_without_progress_names_the_tasks_that_are_waited_for(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    unit = unit_of("grippers", "chain")

    def prepare(task: EvaluationTask, model: LanguageModel) -> Prepared:
        deadline = time.monotonic() + 60
        while task.number > 1 and "waiting for tasks 2 3" not in caplog.text and time.monotonic() < deadline:
            time.sleep(0.01)
        return Prepared((task.number,))

    kit = replace(kit_of(unit, tmp_path), stall_s=0.2)
    found = run_tasks(unit, kit, prepare, solved_as)
    assert [record.task for record in found] == [1, 2, 3]
    assert "grippers-chain-0: no progress for 0.2 s: waiting for tasks 2 3" in caplog.text


@pytest.mark.parametrize(("env", "eleventh"), [("grippers", "g1"), ("grippers+compact", "g1"), ("lamp", 11)])
def test_a_task_is_prepared_and_solved_under_one_name_and_recorded_by_its_number(
    env: str, eleventh: int | str, tmp_path: Path
) -> None:
    unit = unit_of(env, "chain", tasks=12)
    found = run_tasks(unit, kit_of(unit, tmp_path), lambda task, _: Prepared((task.name,)), solved_as)
    assert [record.task for record in found] == list(range(1, 13))
    assert {record.detail for record in found} >= {f"{name} {name}" for name in (*range(1, 11), eleventh)}
    assert all(len(set(record.detail.split())) == 1 for record in found)
