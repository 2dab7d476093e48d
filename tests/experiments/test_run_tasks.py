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
from experiments.episode import Kit
from experiments.judge import Judge
from experiments.ledger import Ledger
from experiments.progress import Counters, Progress
from experiments.records import TaskOutcome
from experiments.rundir import RunDirectory
from experiments.solve import Attempt
from experiments.tasks import Prepared, run_tasks
from experiments.units import Unit
from search.executors import SerialExecutor


def kit_of(unit: Unit, folder: Path) -> Kit:
    progress = Progress(Console(file=io.StringIO()), Counters).episode(unit.name, 0)
    judge = Judge.of(unit, None)
    return Kit(ScriptedModel(["unused"]), judge, SerialExecutor(), Ledger(RunDirectory(folder)), progress)


def test_a_wait_without_progress_names_the_tasks_that_are_waited_for(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    unit = Unit("grippers", "chain", 0, 1, 1, 4, 3, 20, 5, 5.0, 500, "nobody")

    def prepare(number: int, model: LanguageModel) -> Prepared:
        time.sleep(0 if number == 1 else 0.5)
        return Prepared((number,))

    kit = replace(kit_of(unit, tmp_path), stall_s=0.2)
    found = run_tasks(unit, kit, prepare, lambda task, _: Attempt(TaskOutcome.SOLVED))
    assert [record.task for record in found] == [1, 2, 3]
    assert "grippers-chain-0: no progress for 0.2 s: waiting for tasks 2 3" in caplog.text
