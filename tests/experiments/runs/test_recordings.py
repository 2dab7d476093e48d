"""Recordings: found by name or path, listed with what they cover, made of runs."""

from __future__ import annotations

import csv
import gzip
import json
from itertools import product
from pathlib import Path

import pytest
from gripper_answers import answer

from agents.llm.recording import RecordedModel, load_recording
from agents.llm.stub import StubServer
from experiments.config import ConfigError
from experiments.recordings import Cover, covers_of, header_of, main, name_of, packaged, shelf
from experiments.run import main as run
from experiments.runs.directory import RunDirectory

#: Recordings of studies that are not run in episodes, so that their headers cover none.
STUDIES = ("goals", "guided")
COVER = Cover(env="grippers", method="tree", np=2, nd=3, turns=4, tasks=10, seeds=(0, 1))


def written(path: Path, header: object) -> Path:
    text = json.dumps({"recording": 1, "header": header}) + "\n"
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


@pytest.mark.parametrize("name", ["mine.jsonl", "mine.jsonl.gz"])
def test_a_header_is_read_back_from_a_file(tmp_path: Path, name: str) -> None:
    (found,) = shelf(str(written(tmp_path / name, header_of([COVER]))))
    assert found.name == "mine" == name_of(found.path) and found.covers == (COVER,)


def test_covers_survive_json() -> None:
    assert covers_of(json.loads(json.dumps(header_of([COVER])))) == (COVER,)


@pytest.mark.parametrize("header", [{}, {"covers": [{"env": "x"}]}, 5])
def test_a_file_without_covers_is_no_recording(tmp_path: Path, header: object) -> None:
    with pytest.raises(ConfigError, match="not a recording with a header"):
        shelf(str(written(tmp_path / "a.jsonl", header)))


def test_a_file_of_something_else_is_no_recording(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(b"not gzip")
    with pytest.raises(ConfigError, match="not a recording"):
        shelf(str(path))


def test_a_folder_of_something_else_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="not a run directory"):
        shelf(str(tmp_path))


def test_a_shelf_begins_with_the_default_and_goes_on_by_name(tmp_path: Path) -> None:
    for name in ("zebra.jsonl", "default.jsonl.gz", "ant.jsonl.gz", "README.md"):
        written(tmp_path / name, header_of([COVER]))
    assert [s.name for s in packaged(tmp_path)] == ["default", "ant", "zebra"]
    assert packaged(tmp_path / "nowhere") == ()


def test_a_recording_made_anew_has_another_label(tmp_path: Path) -> None:
    (old,) = shelf(str(written(tmp_path / "a.jsonl", header_of([COVER]))))
    (new,) = shelf(str(written(tmp_path / "a.jsonl", header_of([COVER, COVER]))))
    assert old.name == new.name and old.label != new.label


def test_every_packaged_recording_can_answer_what_it_covers() -> None:
    shelved = packaged()
    assert [s.name for s in shelved] == sorted((s.name for s in shelved), key=lambda n: (n != "default", n))
    for recording in shelved:
        assert bool(recording.covers) == (recording.name not in STUDIES)
        assert RecordedModel(load_recording(recording.path))


def test_a_run_is_exported_and_answers_the_same_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small = ["--executor", "serial", "--walks", "20", "--t-max", "5"]
    with StubServer(answer) as server:
        live = ["--base-url", server.url, "--method", "chain", "--env", "grippers", "--tasks", "2"]
        assert run([*live, *small, "--out", str(tmp_path / "run")]) == 0
    assert main(["export", str(tmp_path / "run"), str(tmp_path / "r.jsonl.gz")]) == 0
    assert "--env grippers --method chain --np 1 --nd 1" in capsys.readouterr().out
    again = [*small, "--recording", str(tmp_path / "r.jsonl.gz"), "--out", str(tmp_path / "again")]
    assert run(again) == 0
    same = [(tmp_path / name / "results.csv").read_bytes() for name in ("run", "again")]
    assert same[0] == same[1]


def test_what_cannot_be_exported_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(tmp_path), str(tmp_path / "r.jsonl")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(
    ("methods", "tasks"),
    [
        (("llm-actions",), 1),  # which needs nothing beside its answers
        pytest.param(
            ("llm-actions", "llm-operators", "parsing-learned", "parsing-true"), 3, marks=pytest.mark.slow
        ),
    ],
)
def test_goals_of_tasks_of_each_kind_are_recorded_for_four_methods(
    methods: tuple[str, ...], tasks: int, tmp_path: Path
) -> None:
    flags = ["--llm-tasks", str(tasks), "--executor", "serial", "--out", str(tmp_path)]
    assert run(["goals", "--methods", *methods, *flags]) == 0
    found = rows(tmp_path / "goals.csv")
    asked = {(row["method"], row["kind"], int(row["number"])) for row in found}
    assert asked == set(product(methods, ("four", "single"), range(1, 1 + tasks)))
    assert len(found) == 2 * tasks * len(methods)
    assert all(row["guesses"] and int(row["tokens"]) for row in found)


@pytest.mark.slow
def test_completions_of_operators_are_recorded_for_both_guided_methods(tmp_path: Path) -> None:
    methods = ("guided", "guided-resampled")
    assert run(["operators", "--methods", *methods, "--out", str(tmp_path)]) == 0
    assert sorted(row["method"] for row in rows(tmp_path / "operators.csv")) == list(methods)


def test_the_shelf_can_be_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show"]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert len(listed) == sum(len(s.covers) for s in packaged()) + len(STUDIES)


def test_a_run_that_is_not_finished_is_not_exported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cover = Cover(env="grippers", method="chain", np=1, nd=1, turns=2, tasks=1, seeds=(0, 1))
    RunDirectory.open(tmp_path / "run", {}, header_of((cover,)))
    assert main(["export", str(tmp_path / "run"), str(tmp_path / "r.jsonl")]) == 2
    assert "finished 0 of its 2 episodes" in capsys.readouterr().err and not (tmp_path / "r.jsonl").exists()
