"""Every method of the table runs end to end, under both protocols; the published ones as published."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from gripper_answers import answer

from agents.llm.interface import Message
from agents.llm.stub import StubServer
from envs.source import read_texts
from experiments.config import RunConfig
from experiments.driver.plan import resolve
from experiments.methods.registry import METHODS, PUBLISHED
from experiments.run import main

SMALL = (
    "--env", "grippers", "--np", "1", "--nd", "2", "--turns", "2", "--tasks", "1", "--walks", "20", "--t-max",
    "5", "--executor", "serial",
)  # fmt: skip


def test_the_published_settings_are_the_published_ones() -> None:
    """Mahdavi et al. 2024, section 5: n_p, n_d and c_max of each method, with the published protocol."""
    plan = resolve(RunConfig(model="m", method=PUBLISHED, env=("grippers",), protocol="paper"), ())
    found = {u.method: (u.np, u.nd, u.turns, u.walks, u.t_max, u.estimator, u.feedback) for u in plan.units}
    assert found == {
        "intrinsic": (1, 1, 4, 100, 10, "paper", "paper"),
        "intrinsic-cot": (1, 1, 4, 100, 10, "paper", "paper"),
        "chain": (1, 1, 4, 100, 10, "paper", "paper"),
        "tree": (5, 10, 4, 100, 10, "paper", "paper"),
        "tree-domprop": (5, 10, 4, 100, 10, "paper", "paper"),
    }
    assert {u.feedback_tasks for u in plan.units} == {1}


@pytest.mark.parametrize(
    ("protocol", "methods"),
    [
        ("apart", (*PUBLISHED[::2], "refine")),
        pytest.param("apart", (*METHODS,), marks=pytest.mark.slow),
        pytest.param("paper", (*METHODS,), marks=pytest.mark.slow),
    ],
    ids=["apart-some", "apart", "paper"],
)
def test_every_method_runs_end_to_end_and_hears_of_the_right_tasks(
    tmp_path: Path, protocol: str, methods: Sequence[str]
) -> None:
    with StubServer(answer) as server:
        live = ["--base-url", server.url, "--protocol", protocol, "--out", str(tmp_path)]
        assert main([*live, "--method", *methods, *SMALL]) == 0
        asked = ["\n".join(m["content"] for m in body["messages"]) for body in server.seen.bodies]
    rows = list(csv.DictReader((tmp_path / "results.csv").open(encoding="utf-8")))
    assert {row["method"] for row in rows} == set(methods)
    summaries = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))
    assert summaries["faults"] == [] and len(summaries["summaries"]) == len(methods)
    domains = [text for text in asked if "def modify_action" in text]
    feedback, counted = (read_texts("grippers", task).task.strip() for task in ("f01", 1))
    refined_on, not_refined_on = (counted, feedback) if protocol == "paper" else (feedback, counted)
    assert domains and all(not_refined_on not in text for text in domains)
    assert any(refined_on in text for text in domains)


@pytest.mark.slow
def test_a_task_that_was_refined_on_is_not_translated_again_but_a_counted_one_is(tmp_path: Path) -> None:
    asked = {}
    for protocol in ("apart", "paper"):
        with StubServer(answer) as server:
            live = ["--base-url", server.url, "--protocol", protocol, "--out", str(tmp_path / protocol)]
            assert main([*live, "--method", "tree", *SMALL]) == 0
            asked[protocol] = server.seen.samples
    assert asked["apart"] == asked["paper"] + 1


@pytest.mark.parametrize("method", ["zero-shot", pytest.param("intrinsic", marks=pytest.mark.slow)])
def test_tasks_beyond_the_bundled_ones_are_asked_for_and_tried(method: str, tmp_path: Path) -> None:
    """In a world of small tasks: its problems are answered as they are, and no plan is an answer."""
    texts = [read_texts("movie", name) for name in (*range(1, 11), "g1")]

    def answer_all(messages: Sequence[Message], index: int, seed: int) -> str:
        (problem,) = {t.problem for t in texts if t.task.strip() in messages[-1].content}
        return f"```pddl\n{problem}\n```"

    with StubServer(answer_all) as server:
        live = ["--base-url", server.url, "--env", "movie", "--tasks", "11", "--out", str(tmp_path)]
        few = ["--walks", "20", "--t-max", "5", "--executor", "serial"]
        assert main([*live, "--method", method, *few]) == 0
        asked = ["\n".join(m["content"] for m in body["messages"]) for body in server.seen.bodies]
    assert any(texts[-1].task.strip() in text for text in asked)
    rows = list(csv.DictReader((tmp_path / "results.csv").open(encoding="utf-8")))
    assert [int(row["task"]) for row in rows] == list(range(1, 12))
    assert method == "intrinsic" or {row["outcome"] for row in rows} == {"solved"}
