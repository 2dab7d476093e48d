"""Folders in which one task's text is wrong: nobody blames the domain, and the wrong text is named."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from faulty_reader import FAULTY, Faulty, Reader, literals

from agents.llm.recording import load_recording
from agents.llm.scripted import ReplyFunction
from agents.llm.stub import StubServer, replies_from
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.render import render_formula
from envs.source import read_texts
from experiments.run import main

ANSWERS = Path(__file__).parents[2] / "data" / "faulty_answers"
METHODS = ("chain", "refine", "refine+repair")
FLAGS = ("--tasks", "4", "--executor", "serial")


def results(out: Path) -> dict[str, Any]:
    """The rows of the results and all events of a run."""
    events = [json.loads(line) for line in (out / "events.jsonl").read_text(encoding="utf-8").splitlines()]
    return {
        "rows": list(csv.DictReader((out / "results.csv").open(encoding="utf-8"))),
        "episodes": [e for e in events if e["event"] == "episode"],
        "tasks": [e for e in events if e["event"] == "task"],
        "nodes": [e for e in events if e["event"] == "node"],
    }


def run(out: Path, folder: Path, reader: ReplyFunction, *methods: str) -> dict[str, Any]:
    """A live run on a stub that answers as `reader` does."""
    width = () if methods == ("chain",) else ("--np", "1", "--nd", "1")
    with StubServer(reader) as stub:
        where = ("--env", str(folder), "--base-url", stub.url, "--out", str(out), *width)
        assert main([*where, "--method", *methods, *FLAGS]) == 0
    return results(out)


def demand(found: dict[str, Any], wrong: Faulty, methods: tuple[str, ...]) -> None:
    """Every right text is solved, no literal is changed, EW is 1, and the wrong text is named."""
    truth = literals((wrong.folder / "domain.pddl").read_text(encoding="utf-8"))
    assert sorted(e["method"] for e in found["episodes"]) == sorted(methods)
    for episode in found["episodes"]:
        assert episode["ew"] == 1.0 and episode["outcome"] == "SOLVED"
        assert literals(episode["domain"]) == truth
    for row in found["rows"]:
        if int(row["task"]) != wrong.task:
            assert (row["outcome"], row["ew"], row["doubts"]) == ("solved", "1.000000", "")
    doubted = {task["method"]: task["doubts"] for task in found["tasks"] if task["task"] == wrong.task}
    assert set(doubted) == set(methods)
    for doubts in doubted.values():
        assert doubts and {doubt["kind"] for doubt in doubts} == {wrong.kind}
        assert {doubt["subject"] for doubt in doubts} <= wrong.subjects
        assert {doubt["task"] for doubt in doubts} == {str(wrong.task)}


@pytest.mark.parametrize("wrong", FAULTY, ids=lambda wrong: wrong.name)
def test_the_one_wrong_text_differs_from_the_truth_in_the_named_way_and_the_others_do_not(
    wrong: Faulty,
) -> None:
    reader = Reader(wrong.folder)
    for number in range(1, 5):
        texts = read_texts(str(wrong.folder), number)
        facts, goal = reader.read(f"{texts.task}\n## Objects\n{texts.problem}")
        truth = read_problem(texts.problem, read_domain(texts.domain))
        same = set(facts) == {f"({' '.join(atom)})" for atom in truth.init}
        same = same and all(atom in render_formula(truth.goal) for atom in goal)
        assert same == (number != wrong.task)


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(f, marks=pytest.mark.slow if f.name in ("fluent_fact", "missing_fact") else ())
        for f in FAULTY
    ],
    ids=lambda wrong: wrong.name,
)
def test_a_wrong_text_is_named_by_a_chain(
    wrong: Faulty, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The fast ones are one of each kind."""
    demand(run(tmp_path, wrong.folder, Reader(wrong.folder), "chain"), wrong, ("chain",))
    printed = capsys.readouterr().out
    assert f"doubt about the text of task {wrong.task}: {wrong.kind} " in printed
    assert "Doubts about the texts of tasks" in printed
    for file in ("report.html", "tables.md"):
        assert any(subject in (tmp_path / file).read_text(encoding="utf-8") for subject in wrong.subjects)


@pytest.mark.slow
@pytest.mark.parametrize("wrong", FAULTY, ids=lambda wrong: wrong.name)
def test_right_texts_are_solved_and_the_wrong_one_is_named_by_refining_methods_too(
    tmp_path: Path, wrong: Faulty
) -> None:
    refining = METHODS[1:]
    demand(run(tmp_path, wrong.folder, Reader(wrong.folder), *refining), wrong, refining)


@pytest.mark.slow
@pytest.mark.parametrize("wrong", [f for f in FAULTY if f.kind == "fact"], ids=lambda wrong: wrong.name)
def test_a_text_that_is_wrong_where_the_domain_is_refined_costs_no_other_task(
    tmp_path: Path, wrong: Faulty
) -> None:
    """The first task is the wrong one: the initial state is corrected, and the domain stays right."""
    folder = tmp_path / wrong.name
    shutil.copytree(wrong.folder, folder)
    for suffix in ("pddl", "nl"):
        first, other = folder / f"p01.{suffix}", folder / f"p{wrong.task:02}.{suffix}"
        texts = other.read_text(encoding="utf-8"), first.read_text(encoding="utf-8")
        first.write_text(texts[0], encoding="utf-8")
        other.write_text(texts[1], encoding="utf-8")
    found = run(tmp_path / "run", folder, Reader(folder), "refine")
    truth = literals((folder / "domain.pddl").read_text(encoding="utf-8"))
    for episode in found["episodes"]:
        assert episode["ew"] == 1.0 and literals(episode["domain"]) == truth and episode["solved"] == 4
        assert {doubt["subject"] for doubt in episode["doubts"]} <= wrong.subjects and episode["doubts"]
    assert {node["wanted"] for node in found["nodes"]} == {"domain", "either"}
    assert not any("The problem stays as it is" in node["feedback"] for node in found["nodes"])


@pytest.mark.slow
@pytest.mark.parametrize(
    "wrong",
    [f for f in FAULTY if f.name not in ("fluent_fact", "missing_fact")],  # one of each kind
    ids=lambda wrong: wrong.name,
)
def test_the_same_holds_with_the_answers_of_a_language_model(tmp_path: Path, wrong: Faulty) -> None:
    recording = ANSWERS / f"{wrong.name}.jsonl.gz"
    answers = replies_from(load_recording(str(recording)))
    found = run(tmp_path, wrong.folder, answers, *METHODS)
    assert {e["method"] for e in found["episodes"]} == set(METHODS)
    for episode in found["episodes"]:
        assert episode["ew"] == 1.0
    for row in found["rows"]:
        if int(row["task"]) == wrong.task:
            named = {
                word for subject in wrong.subjects for word in subject.strip("()").split()[1:] or [subject]
            }
            assert any(word in row["doubts"] for word in named)
        else:
            assert row["outcome"] == "solved" and not row["doubts"]
