"""A finished run is done again from its own answers: the same bytes, or the lines that differ."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from gripper_answers import answer

from agents.llm.interface import Completion, Message
from agents.llm.journal import Journal
from agents.llm.keys import Profile
from agents.llm.stub import StubServer
from experiments.config import RunConfig
from experiments.driver.models import open_models
from experiments.driver.run_plan import RunPlan
from experiments.run import main
from experiments.studies.replay import differing_lines

SMALL = (
    "--env", "grippers", "--np", "1", "--nd", "2", "--turns", "2", "--tasks", "1",
    "--walks", "20", "--t-max", "5", "--executor", "serial", "--estimator", "survival",
)  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A live run of several methods with settings of its own; its server is gone."""
    out = tmp_path_factory.mktemp("made") / "run"
    with StubServer(answer) as server:
        live = ["--base-url", server.url, "--method", "tree", "refine", "intrinsic", "--planner-wall-s", "20"]
        assert main([*live, *SMALL, "--budget-tokens", "50000", "--out", str(out)]) == 0
    return out


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    """A copy of it that may be changed."""
    return shutil.copytree(made, tmp_path / "run")


def replay(run: Path, *flags: str) -> int:
    return main(["replay", str(run), "--executor", "serial", *flags])


def test_a_run_comes_out_the_same_without_any_server(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path.name: path.stat().st_mtime_ns for path in run.iterdir() if "sqlite" not in path.name}
    assert replay(run) == 0
    assert "came out the same, 3 tasks" in capsys.readouterr().out
    assert {path.name: path.stat().st_mtime_ns for path in run.iterdir() if path.name in before} == before


@pytest.mark.slow
def test_a_replay_can_be_kept_and_replayed(run: Path, tmp_path: Path) -> None:
    assert replay(run, "--out", str(tmp_path / "kept")) == 0
    same = [(folder / "results.csv").read_bytes() for folder in (run, tmp_path / "kept")]
    assert same[0] == same[1] and replay(tmp_path / "kept") == 0


def test_a_run_is_never_compared_with_what_was_there_before(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert replay(run, "--out", str(run)) == 2
    assert "holds a run; give another folder" in capsys.readouterr().err


@pytest.mark.slow
def test_a_run_of_recordings_is_replayed_too(tmp_path: Path) -> None:
    flags = ["--env", "grippers", "grippers_ood", "--method", "chain", "--seeds", "0", "--tasks", "1"]
    flags += ["--executor", "serial"]
    assert main([*flags, "--out", str(tmp_path / "run")]) == 0
    assert replay(tmp_path / "run") == 0


@pytest.mark.slow
def test_a_result_that_does_not_come_out_again_is_shown(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = run / "results.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("solved", "timeout", 1), encoding="utf-8")
    assert replay(run) == 1
    said = capsys.readouterr().out
    assert "did not come out the same" in said and "- grippers,refine,0,1,timeout" in said


def test_a_missing_answer_is_told_and_nobody_is_asked(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (run / "calls.sqlite").unlink()
    Journal(run / "calls.sqlite").close()
    assert replay(run) == 2
    assert "holds calls of 0 models" in capsys.readouterr().err


def _unfinish(run: Path) -> None:
    lines = (run / "events.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if json.loads(line)["event"] != "episode"]
    (run / "events.jsonl").write_text("".join(kept), encoding="utf-8")


def _change_world(run: Path) -> None:
    config = json.loads((run / "config.json").read_text(encoding="utf-8"))
    config["config"]["grippers.texts"] = "other"
    (run / "config.json").write_text(json.dumps(config), encoding="utf-8")


def _forget_settings(run: Path) -> None:
    config = json.loads((run / "config.json").read_text(encoding="utf-8"))
    config["config"] = {}
    (run / "config.json").write_text(json.dumps(config), encoding="utf-8")


def _forget_all_settings(run: Path) -> None:
    (run / "config.json").unlink()


def _forget_results(run: Path) -> None:
    (run / "results.csv").unlink()


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (_unfinish, "has finished 0 of its 3 episodes"),
        (_change_world, "grippers: not the same environment"),
        (_forget_settings, "does not name a run's episodes"),
        (_forget_results, "has no results.csv"),
        (_forget_all_settings, "has no config.json"),
    ],
)
def test_what_cannot_be_replayed_is_one_line(
    run: Path, spoil: Callable[[Path], None], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil(run)
    assert replay(run) == 2
    error = capsys.readouterr().err
    assert words in error and error.count("\n") == 1


def test_of_a_journal_of_two_models_each_answers_for_itself(tmp_path: Path) -> None:
    profiles = {name: Profile("http://h", name) for name in ("one", "other")}
    chat = [Message("user", "hi")]
    with Journal(tmp_path / "calls.sqlite") as journal:
        for name, profile in profiles.items():
            journal.record(profile.request(chat, 0.0, 1), {0: Completion(f"I am {name}.")})
    files = dict.fromkeys(profiles, tmp_path / "calls.sqlite")
    models = open_models(RunPlan(RunConfig(), "recorded", tmp_path, (), files, profiles=profiles))
    said = {name: model.sample(chat, 1, 0.0, 1)[0].text for name, model in models.items()}
    assert said == {"one": "I am one.", "other": "I am other."}


def test_only_the_first_differing_lines_are_shown() -> None:
    before, after = "\n".join(map(str, range(9))), "\n".join(map(str, range(1, 9)))
    found = differing_lines(before, after)
    assert found[:2] == ["1 - 0", "1 + 1"] and found[-1] == "and 4 more lines"
    assert differing_lines("a\nb", "a") == ["2 - b", "2 + (no line)"] and differing_lines("a", "a") == []


def test_recordings_of_one_model_are_told_apart_in_a_run_and_others_keep_their_endpoint(
    tmp_path: Path,
) -> None:
    files = {}
    for name, host in (("one", "http://here"), ("other", "http://here"), ("third", "http://there")):
        files[name] = tmp_path / f"{name}.sqlite"
        with Journal(files[name]) as journal:
            request = Profile(host, "m").request([Message("user", "Hello")], 0.0, 0)
            journal.record(request, {0: Completion(name)})
    models = open_models(RunPlan(RunConfig(), "recorded", tmp_path, (), files))
    asked = {name: model.request((), 0.0, 0)["endpoint"] for name, model in models.items()}
    assert len(set(asked.values())) == 3 and asked["third"] == "http://there"
    for name, model in models.items():
        assert model.sample([Message("user", "Hello")], 1, 0.0, 0)[0].text == name
