"""The evaluation as a job: live against a stub, recorded, done again, and from a file of predictions."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from agents.llm.interface import Completion, Message, Usage
from agents.llm.stub import StubServer
from envs.planetarium.pairs import Pair
from envs.planetarium.source import pairs_behind
from experiments.config import ConfigError, RunConfig
from experiments.driver.models import model_names, prices_of
from experiments.recordings import main as recordings
from experiments.reporting.display import wide_console
from experiments.run import main
from experiments.runs.details import JudgedTranslation
from experiments.runs.directory import RunDirectory
from experiments.runs.ledger import Ledger
from experiments.runs.records import TaskOutcome, TaskRecord
from experiments.spending.dry_run import upper_bounds
from experiments.studies.planetarium.data import DataConfig, make
from experiments.studies.planetarium.predictions import pairs_named, read_predictions
from experiments.studies.planetarium.study import PlanetariumConfig, cells_of, envs_of, pairs_there

COUNT = 4
SMALL = ("planetarium", "--executor", "serial", "--tasks", str(COUNT))


@cache
def drawn_pairs() -> list[Pair]:
    """Drawn where a test needs them: it takes seconds, which each worker would spend on collecting tests."""
    return [pair for world in ("blocksworld", "gripper") for pair in pairs_behind(world, COUNT)]


def answered(pair: Pair) -> str:
    """The second pair of a world gets no problem, the third one that cannot be read, the rest are right."""
    place = drawn_pairs().index(pair) % COUNT
    problem = pair.problem.replace("(:init", "(:init (nothing)") if place == 2 else pair.problem
    return "I would rather not." if place == 1 else f"```pddl\n{problem}```"


def answer(messages: Sequence[Message], index: int, seed: int) -> Completion:
    asked = messages[-1].content
    pair = next(pair for pair in drawn_pairs() if pair.text in asked)
    text = answered(pair)
    return Completion(text, usage=Usage(len(asked) // 4, len(text) // 4), model="hand")


def rows(out: Path) -> list[dict[str, str]]:
    return list(csv.DictReader((out / "planetarium.csv").open(encoding="utf-8")))


def told(out: Path) -> list[tuple[str, str, str]]:
    return [(row["pair"], row["answer"], row["verdict"]) for row in rows(out)]


def expected() -> list[tuple[str, str, str]]:
    kinds = [("problem", "equivalent"), ("no_problem", ""), ("unreadable", ""), ("problem", "equivalent")]
    return [(pair.id, *kinds[i % COUNT]) for i, pair in enumerate(drawn_pairs())]


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory, figures_of_shared_runs: None) -> Path:
    """A live run, to be read only."""
    out = tmp_path_factory.mktemp("pairs") / "live"
    with StubServer(answer) as server:
        assert main([*SMALL, "--base-url", server.url, "--out", str(out)]) == 0
        assert server.seen.requests == len(drawn_pairs())
    return out


def test_a_live_run_is_recorded_and_replayed(live: Path, tmp_path: Path) -> None:
    again, file = tmp_path / "again", tmp_path / "pairs.jsonl.gz"
    assert told(live) == expected()
    outcomes = {task.outcome for task in Ledger(RunDirectory(live)).tasks}
    assert {TaskOutcome.NO_PROBLEM, TaskOutcome.INVALID_PROBLEM, TaskOutcome.SOLVED} <= outcomes
    tables = (live / "tables.md").read_text(encoding="utf-8")
    assert "| zero-shot | all | 8 | 0.50 [0.22, 0.78] | 0.50 [0.22, 0.78] | 0.50 [0.22, 0.78] |" in tables
    assert (live / "plots" / "planetarium.png").is_file()
    assert recordings(["export", str(live), str(file)]) == 0
    replay = [*SMALL, "--recording", str(file), "--out", str(again)]
    assert main(replay) == 0
    assert (again / "planetarium.csv").read_bytes() == (live / "planetarium.csv").read_bytes()
    events = (again / "events.jsonl").read_bytes()
    assert main(replay) == 0 and (again / "events.jsonl").read_bytes() == events


def write_predictions(path: Path, given: dict[str, str]) -> Path:
    lines = (json.dumps({"id": name, "prediction": text}) for name, text in given.items())
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_predictions_are_judged_as_a_model_is_and_once(tmp_path: Path) -> None:
    file = write_predictions(
        tmp_path / "mine.jsonl", {pair.id: answered(pair) for pair in reversed(drawn_pairs())}
    )
    command = [*SMALL, "--predictions", str(file), "--out", str(tmp_path / "run")]
    assert main(command) == 0
    assert told(tmp_path / "run") == expected()
    assert {row["arm"] for row in rows(tmp_path / "run")} == {"mine"}
    events = (tmp_path / "run" / "events.jsonl").read_bytes()
    assert main(command) == 0 and (tmp_path / "run" / "events.jsonl").read_bytes() == events


def test_a_data_set_of_ones_own_is_evaluated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "data"
    make(
        DataConfig(world=("gripper", "barman"), pairs=8, seed=3, executor="serial", out=data), wide_console()
    )
    envs = envs_of(data)
    assert [Path(env).name for env in envs] == ["barman", "gripper"]
    pairs = [pair for env in envs for pair in pairs_behind(env.partition(":")[2], 100)]
    file = write_predictions(tmp_path / "right.jsonl", {pair.id: pair.problem for pair in pairs})
    flags = ["--data", str(data), "--predictions", str(file), "--out", str(tmp_path / "run")]
    assert main(["planetarium", "--executor", "serial", *flags]) == 0
    assert [row["verdict"] for row in rows(tmp_path / "run")] == ["equivalent"] * len(pairs)
    assert "have no row" not in capsys.readouterr().out
    few = write_predictions(tmp_path / "few.jsonl", {pairs[0].id: pairs[0].problem})
    flags = ["--data", str(data), "--predictions", str(few), "--out", str(tmp_path / "few")]
    assert main(["planetarium", "--executor", "serial", *flags]) == 0
    assert f"{len(pairs) - 1} pairs of the data have no row" in capsys.readouterr().out
    assert pairs_there(envs) == min(len(pairs_behind(env.partition(":")[2], 100)) for env in envs) < 30
    assert pairs_there(("barman", *envs)) is None
    plan = cells_of(RunConfig.of(PlanetariumConfig(model="m", env=envs, tasks=2)), ())
    assert [(Path(unit.env).name, unit.tasks) for unit in plan.units] == [("barman", 2), ("gripper", 2)]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "no answers"),
        ('{"id": "x"}', "row 1 needs"),
        ('{"id": "x", "prediction": "a"}\n{"id": "x", "prediction": "b"}', "second time"),
        ("{", "not JSON"),
    ],
)
def test_files_that_hold_no_answers_are_refused(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=complaint):
        read_predictions(file)
    with pytest.raises(ConfigError, match=r"none\.jsonl cannot be read: No such file"):
        read_predictions(tmp_path / "none.jsonl")


def test_answers_to_unknown_pairs_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no pairs gripper-9-9"):
        pairs_named(["gripper-9-9", drawn_pairs()[-1].id], ["planetarium:gripper"], COUNT)
    with pytest.raises(ConfigError, match="not barman"):
        pairs_named(["barman-p01"], ["barman"], COUNT)
    with pytest.raises(ConfigError, match="planetarium-data"):
        envs_of(tmp_path)


def test_a_run_asks_at_most_once_a_pair_and_by_default_for_sixty() -> None:
    config = RunConfig.of(PlanetariumConfig(model="m"))
    plan = cells_of(replace(config, tasks=pairs_there(config.env)), ())
    assert [(unit.env, unit.method, unit.tasks, unit.seed) for unit in plan.units] == [
        ("planetarium:blocksworld", "zero-shot", 30, 0),
        ("planetarium:gripper", "zero-shot", 30, 0),
    ]
    bounds = upper_bounds(plan, prices_of(plan.config, model_names(plan))[1])
    assert [bound.bound.calls for bound in bounds.values()] == [30, 30]


def test_records_survive_json(live: Path) -> None:
    tasks = Ledger(RunDirectory(live)).tasks
    assert len(tasks) == len(drawn_pairs())
    for task in tasks:
        assert TaskRecord.from_json(json.loads(json.dumps(task.to_json()))) == task
        assert task.added(JudgedTranslation) is not None
