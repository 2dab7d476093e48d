"""Tracking tells a tool what a run writes down, and can do it no harm."""

from __future__ import annotations

import importlib.util
import logging
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from sample_records import EPISODE, NODE, TASK

from experiments.run import main
from experiments.runs.directory import RunDirectory
from experiments.runs.ledger import Ledger
from experiments.runs.records import Score
from experiments.runs.tracking import MODULES, OPENINGS, Tool, TrackerName, settings_of, tracked


class Heard:
    """A tool that keeps what it is told, and fails where it is asked to."""

    def __init__(self, fails_at: str = ""):
        self.calls: list[tuple[object, ...]] = []
        self.fails_at = fails_at

    def open(self, folder: Path, name: str, settings: Mapping[str, str]) -> Tool:
        self._note("open", folder.name, name, dict(settings))
        return self

    def numbers(self, group: str, step: int, values: Mapping[str, float]) -> None:
        self._note("numbers", group, step, dict(values))

    def text(self, name: str, text: str) -> None:
        self._note("text", name, text)

    def close(self) -> None:
        self._note("close")

    def _note(self, *call: object) -> None:
        self.calls.append(call)
        if call[0] == self.fails_at:
            raise SystemExit("the tool gives up")


def write(run: RunDirectory, tool: Heard) -> None:
    """A run of two nodes, a task and an episode, of which the first node was there before."""
    ledger = Ledger(run)
    ledger.begin("u", "grippers-tree-0")
    ledger.add_node(replace(NODE, id="1.1"))
    with tracked("wandb", run, ledger, {"wandb": tool.open}):
        ledger.add_node(replace(NODE, id="1.2", score=Score(0.25)))
        ledger.add_node(replace(NODE, id="1.2", score=Score(0.25)))
        ledger.add_task(TASK)
        ledger.add_episode(EPISODE)
        run.write("tables.md", "| a |")


def opened(folder: Path) -> RunDirectory:
    return RunDirectory.open(folder / "run", {"model": "m", "grippers.tree@5.np": 2}, {})


def test_the_whole_run_is_told_in_order_each_record_once(tmp_path: Path) -> None:
    heard = Heard()
    write(opened(tmp_path), heard)
    assert heard.calls == [
        ("open", "1", "run", {"model": "m", "grippers.tree_5.np": "2"}),
        ("numbers", "grippers-tree-0/candidates", 1, {"EW": 0.5, "best EW": 0.5, "outcome walked": 1}),
        ("numbers", "grippers-tree-0/candidates", 2, {"EW": 0.25, "best EW": 0.5, "outcome walked": 2}),
        ("numbers", "grippers-tree-0/tasks", 3, {"solved": 1.0}),
        ("numbers", "grippers-tree-0", 0, {"solve rate": 1.0, "tokens": 11}),
        ("text", "tables", "| a |"),
        ("close",),
    ]


@pytest.mark.parametrize("where", ["open", "numbers", "text", "close"])
def test_a_tool_that_fails_is_named_once_and_the_run_is_as_without_it(
    tmp_path: Path, where: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        write(opened(tmp_path), Heard(where))
        write(opened(tmp_path / "other"), Heard())
    assert [r.message for r in caplog.records] == [
        "tracking with wandb has ended, the run continues: SystemExit: the tool gives up"
    ]
    with_tool, without = (tmp_path / "run" / "events.jsonl", tmp_path / "other" / "run" / "events.jsonl")
    assert with_tool.read_bytes() == without.read_bytes()


def test_after_its_first_error_a_tool_is_only_closed(tmp_path: Path) -> None:
    heard = Heard("numbers")
    write(opened(tmp_path), heard)
    assert [call[0] for call in heard.calls] == ["open", "numbers", "close"]


def test_every_start_of_a_run_has_its_own_folder(tmp_path: Path) -> None:
    run = opened(tmp_path)
    for number in ("1", "2"):
        heard = Heard()
        with tracked("mlflow", run, Ledger(run), {"mlflow": heard.open}):
            pass
        assert heard.calls[0][1] == number


def test_a_run_without_tracking_leaves_no_trace(tmp_path: Path) -> None:
    run = opened(tmp_path)
    with tracked(None, run, Ledger(run)):
        pass
    assert not (run.path / "tracking").exists() and settings_of(RunDirectory(tmp_path / "none")) == {}


def test_an_extra_that_is_missing_is_named_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("experiments.runs.tracking.find_spec", lambda name: None)
    assert main(["--track", "wandb", "--out", str(tmp_path / "run")]) == 2
    assert capsys.readouterr().err == (
        "error: --track wandb needs its extra: pip install 'groundwalk[track-wandb]'\n"
    )
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("name", list(MODULES))
def test_the_tool_itself_takes_what_it_is_told(
    tmp_path: Path, name: TrackerName, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    if importlib.util.find_spec(MODULES[name]) is None:
        pytest.skip(f"{MODULES[name]} is not installed (pip install 'groundwalk[track-{name}]')")
    for variable in ("WANDB_MODE", "MLFLOW_TRACKING_URI"):
        monkeypatch.delenv(variable, raising=False)
    run = opened(tmp_path)
    ledger = Ledger(run)
    ledger.begin("u", "grippers_ood+undocumented-tree@5-tokens-0")
    with (
        caplog.at_level(logging.WARNING, logger="experiments.runs.tracking"),
        tracked(name, run, ledger, OPENINGS),
    ):
        ledger.add_node(NODE)
        ledger.add_task(TASK)
        ledger.add_episode(EPISODE)
        run.write("tables.md", "| a |")
    assert not [r for r in caplog.records if r.name == "experiments.runs.tracking"]
    assert any(path.is_file() for path in (run.path / "tracking" / name / "1").rglob("*"))
