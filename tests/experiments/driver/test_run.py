"""The main job over HTTP against the stub endpoint: results, resumption, faults, and what is refused."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from gripper_answers import answer
from wide import wide

from agents.llm.faults import Behaviour, Fault
from agents.llm.stub import StubServer
from envs.pddlgym_suite import missing
from experiments.report import main as report
from experiments.run import main

needs_pddlgym = pytest.mark.skipif(missing() is not None, reason=str(missing()))

SMALL = (
    "--env",
    "grippers",
    "--np",
    "2",
    "--nd",
    "3",
    "--turns",
    "2",
    "--tasks",
    "2",
    "--walks",
    "40",
    "--t-max",
    "5",
)


@pytest.fixture
def stub() -> Iterator[StubServer]:
    with StubServer(answer) as server:
        yield server


def live(server: StubServer, out: Path, *flags: str) -> int:
    return main(["--base-url", server.url, "--executor", "serial", "--out", str(out), *SMALL, *flags])


def rows(out: Path) -> list[dict[str, str]]:
    return list(csv.DictReader((out / "results.csv").open(encoding="utf-8")))


def events(out: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (out / "events.jsonl").read_text(encoding="utf-8").splitlines()]


def test_feedback_raises_the_score_and_the_plans_work(stub: StubServer, tmp_path: Path) -> None:
    assert live(stub, tmp_path) == 0
    assert [(r["task"], r["outcome"], r["ew"]) for r in rows(tmp_path)] == [
        ("1", "solved", "1.000000"),
        ("2", "solved", "1.000000"),
    ]
    nodes = {e["id"]: e for e in events(tmp_path) if e["event"] == "node"}
    first = [n["score"]["ew"] for i, n in nodes.items() if i.count(".") == 1]
    second = [n["score"]["ew"] for i, n in nodes.items() if i.count(".") == 2]
    assert max(ew or 0 for ew in first) < 1 and set(second) == {1.0}
    assert "(:action drop" in nodes["2.1.1"]["domain"]


@pytest.mark.usefixtures("figures")
def test_the_run_directory_holds_what_the_design_says(stub: StubServer, tmp_path: Path) -> None:
    live(stub, tmp_path)
    assert {p.name for p in tmp_path.iterdir()} >= {
        "config.json", "calls.sqlite", "events.jsonl", "results.csv", "summary.json", "tables.md", "plots",
        "models",
    }  # fmt: skip
    config = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    assert config["config"]["grippers.tree.np"] == 2 and config["config"]["model"] == "stub"
    origin = config["provenance"]
    assert origin["packages"]["numpy"] and origin["planner"] and "feedback.md" in origin["prompts"]
    summary = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))["summaries"][0]
    assert summary["solve_rate"]["mean"] == 1.0 and summary["outcomes"] == {"solved": 2}
    assert (tmp_path / "plots" / "ew-grippers-tree.png").stat().st_size > 1000


@pytest.mark.slow
def test_the_second_run_makes_no_call_and_changes_no_byte(stub: StubServer, tmp_path: Path) -> None:
    live(stub, tmp_path)
    asked = stub.seen.requests
    before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file() and "sqlite" not in p.name}
    assert live(stub, tmp_path) == 0
    assert stub.seen.requests == asked
    assert {p: p.read_bytes() for p in before} == before


@pytest.mark.slow
def test_a_report_from_the_events_alone_is_the_same_to_the_byte(stub: StubServer, tmp_path: Path) -> None:
    live(stub, tmp_path)
    names = ("results.csv", "summary.json", "tables.md", "tables.tex", "models/grippers-tree-0.domain.pddl")
    before = {name: (tmp_path / name).read_bytes() for name in names}
    for name in names:
        (tmp_path / name).unlink()
    assert report([str(tmp_path), "--no-plots"]) == 0
    assert {name: (tmp_path / name).read_bytes() for name in names} == before


@pytest.mark.slow
def test_a_run_is_replayed_from_its_own_directory_with_equal_results(
    stub: StubServer, tmp_path: Path
) -> None:
    live(stub, tmp_path / "live", "--seeds", "3", "4")
    asked = stub.seen.requests
    again = ["--recording", str(tmp_path / "live"), "--out", str(tmp_path / "again"), "--executor", "serial"]
    assert main([*again, "--walks", "40", "--t-max", "5"]) == 0 and stub.seen.requests == asked
    assert (tmp_path / "again" / "results.csv").read_bytes() == (
        tmp_path / "live" / "results.csv"
    ).read_bytes()


@pytest.mark.slow
def test_faults_of_the_endpoint_are_waited_out(tmp_path: Path) -> None:
    faults = (Fault.RATE_LIMIT, Fault.RATE_LIMIT, Fault.LENGTH)
    with StubServer(answer, Behaviour(faults=faults, ignore_n=True)) as server:
        assert live(server, tmp_path) == 0
    assert [r["outcome"] for r in rows(tmp_path)] == ["solved", "solved"]


@pytest.mark.parametrize("method", wide(["chain", "intrinsic", "intrinsic-cot"], "chain", "intrinsic-cot"))
def test_every_method_runs(stub: StubServer, tmp_path: Path, method: str) -> None:
    flags = ["--base-url", stub.url, "--executor", "serial", "--out", str(tmp_path), "--method", method]
    assert main([*flags, "--tasks", "2", "--walks", "20", "--seeds", "0", "1"]) == 0
    found = rows(tmp_path)
    assert len(found) == 4 and {r["method"] for r in found} == {method}
    assert all((r["ew"] == "") == method.startswith("intrinsic") for r in found)


def test_a_world_of_ones_own_is_given_as_a_folder(
    stub: StubServer, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)
    flags = ["--base-url", stub.url, "--env", "mine", "--method", "chain", "--tasks", "2", "--walks", "20"]
    assert main([*flags, "--executor", "serial"]) == 0
    assert [r["outcome"] for r in rows(tmp_path / "runs" / "mine-chain")] == ["solved", "solved"]


@pytest.mark.slow
def test_an_error_of_ours_is_listed_as_internal(
    stub: StubServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def broken(proposal: object) -> None:
        raise ZeroDivisionError("a fault of the program")

    with monkeypatch.context() as patch:
        patch.setattr(
            "experiments.evaluation.evaluate.Evaluator.find", lambda self, proposal: broken(proposal)
        )
        assert live(stub, tmp_path) == 1
    assert "internal error: grippers-tree-0: builtins.ZeroDivisionError" in capsys.readouterr().out
    assert report([str(tmp_path), "--no-plots"]) == 1
    assert live(stub, tmp_path) == 0 and report([str(tmp_path), "--no-plots"]) == 0


@pytest.mark.slow
def test_another_configuration_in_the_same_directory_is_refused(
    stub: StubServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    live(stub, tmp_path / "run")
    asked = stub.seen.requests
    assert live(stub, tmp_path / "run", "--seeds", "5") == 2
    assert "seeds: was [0], now [5]" in capsys.readouterr().err and stub.seen.requests == asked
    assert live(stub, tmp_path / "run", "--seeds", "5", "--fresh") == 0
    assert {p.name for p in tmp_path.iterdir()} == {"run", "run.1"}


def one_line(capsys: pytest.CaptureFixture[str]) -> str:
    said = capsys.readouterr().err.strip()
    assert "\n" not in said
    return said


def test_without_a_planner_nothing_is_asked_and_nothing_scored(
    stub: StubServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert live(stub, tmp_path / "run", "--planner", str(tmp_path / "nowhere")) == 3
    assert "no planner at" in one_line(capsys)
    assert stub.seen.requests == 0 and not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("flags", "code", "words"),
    [
        (["--env", "gripers"], 2, "did you mean grippers"),
        (["--method", "tre", "--model", "m"], 2, "did you mean tree"),
        (["--recording", "nothing"], 2, "unknown recording 'nothing'"),
        (["--llm", "live"], 2, "needs --model NAME, or --base-url"),
        (["--model", "m"], 2, "OPENAI_API_KEY"),
        (["--base-url", "http://127.0.0.1:9/v1", "--model", "m"], 3, "127.0.0.1:9"),
        (["--base-url", "nonsense", "--model", "m"], 2, "nonsense"),
        pytest.param(
            ["--env", "pddlgym:blocks", "--model", "m", "--tasks", "1"],
            2,
            "not described in words",
            marks=needs_pddlgym,
        ),
        (["--executor", "ray", "--ray-address", "127.0.0.1:9"], 3, "no Ray cluster at 127.0.0.1:9"),
    ],
)
def test_what_cannot_work_is_one_line_before_anything_is_done(
    flags: list[str],
    code: int,
    words: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert main([*flags, "--out", str(tmp_path / "run")]) == code
    assert words in one_line(capsys) and not (tmp_path / "run").exists()


def test_the_resolved_configuration_can_be_looked_at(
    stub: StubServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert live(stub, tmp_path / "run", "--print-config") == 0
    shown = json.loads(capsys.readouterr().out)
    assert (
        shown["grippers.tree.nd"] == 3 and shown["executor"] == "serial" and not (tmp_path / "run").exists()
    )


@pytest.mark.slow
def test_a_planner_that_dies_is_a_fault_and_no_score(stub: StubServer, tmp_path: Path) -> None:
    script = tmp_path / "planner.py"
    script.write_text(_DIES_AFTER_THE_CHECK, encoding="utf-8")
    assert live(stub, tmp_path / "run", "--planner", str(script)) == 3
    assert rows(tmp_path / "run") == []
    faults = json.loads((tmp_path / "run" / "summary.json").read_text(encoding="utf-8"))["faults"]
    assert [f["kind"] for f in faults] == ["machine"] and "killed" in faults[0]["message"]
    asked = stub.seen.requests
    assert live(stub, tmp_path / "run") == 0
    assert [r["outcome"] for r in rows(tmp_path / "run")] == ["solved", "solved"]
    assert stub.seen.requests == asked + 2  # the tasks' translations; the search was all in the journal


_DIES_AFTER_THE_CHECK = """
import os, signal, sys
from pathlib import Path
if "--version" in sys.argv:
    print("dying planner")
elif "finish" in Path("domain.pddl").read_text(encoding="utf-8"):
    Path("plan").write_text("(finish)\\n", encoding="utf-8")
else:
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_world_that_was_changed_does_not_keep_its_old_results(
    stub: StubServer, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ["--base-url", stub.url, "--env", str(folder), "--method", "intrinsic", "--tasks", "1"]
    flags += ["--executor", "serial", "--out", str(tmp_path / "run")]
    assert main(flags) == 0
    with (folder / "p01.nl").open("a", encoding="utf-8") as file:
        file.write("One thing more.")
    assert main(flags) == 2 and "mine.texts: was" in one_line(capsys)


def test_more_tasks_than_a_folder_has_are_refused_before_anything_is_done(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ["--model", "m", "--tasks", "11", "--env", str(folder), "--out", str(tmp_path / "run")]
    assert main(flags) == 2 and "task 3 of environment" in one_line(capsys)
    assert not (tmp_path / "run").exists()


def test_a_job_of_an_unknown_name_is_refused_with_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tabel2", "--dry-run"]) == 2
    said = one_line(capsys)
    assert "unknown job 'tabel2' (did you mean table2?); there is: " in said and "planetarium-data" in said


def test_environments_that_tables_could_not_tell_apart_are_refused(
    tmp_path: Path, copy_grippers: Callable[[Path], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    worlds = [str(copy_grippers(tmp_path / n / "depot")) for n in "ab"]
    assert main(["--model", "m", "--env", *worlds]) == 2
    assert "have the same name" in one_line(capsys)


@pytest.mark.parametrize("file", ["config.json", "events.jsonl"])
def test_a_directory_with_a_broken_file_is_refused_in_one_line(
    stub: StubServer, tmp_path: Path, capsys: pytest.CaptureFixture[str], file: str
) -> None:
    (tmp_path / file).write_text("garbage\n", encoding="utf-8")
    assert live(stub, tmp_path) == 2 and file in one_line(capsys)
    if file == "events.jsonl":
        assert report([str(tmp_path)]) == 2 and file in one_line(capsys)


def test_why_no_problem_can_be_used_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with StubServer(["I would rather not.", "(define (problem p"]) as server:
        assert live(server, tmp_path) == 0
    said = capsys.readouterr().out
    assert "problem 1 cannot be used: the reply holds no whole (define (problem" in said
    assert "problem 2 cannot be used: the parentheses" in said
    assert [r["outcome"] for r in rows(tmp_path)] == ["no_domain", "no_domain"]


def test_without_a_number_as_many_tasks_are_solved_as_there_are(
    stub: StubServer, folder: Path, tmp_path: Path
) -> None:
    flags = ["--base-url", stub.url, "--env", str(folder), "--method", "intrinsic", "--executor", "serial"]
    assert main([*flags, "--out", str(tmp_path / "run")]) == 0
    assert [r["task"] for r in rows(tmp_path / "run")] == ["1", "2"]
