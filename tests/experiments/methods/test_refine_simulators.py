"""`refine` on a simulator whose description has no rules: the rule is found out, and plans work in it."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from simulator_models import LAKE, WRONG_LAKE, problem_of
from wide import wide

from agents.llm.interface import Message
from agents.llm.stub import StubServer
from agents.refine import edit_calls
from agents.texts import WorldTexts
from envs.pddl.language.domain import read_domain
from envs.pddl.planning.planner import Planner
from envs.world import open_world
from experiments.recordings import shelf
from experiments.run import main

LAKE_WORLD = "toytext:FrozenLake"
PROBLEMS = {open_world(LAKE_WORLD, task).task: problem_of(LAKE_WORLD, task) for task in (1, "f01", "f02")}


def _reader(messages: Sequence[Message], _index: int, _seed: int) -> str:
    """One that thinks that holes can be left and the west is anywhere, until the environment says no."""
    asked = messages[-1].content
    if "modify_action" in asked:
        domain = WRONG_LAKE if "def modify_action" in asked else LAKE
        texts = cast(WorldTexts, SimpleNamespace(actions=open_world(LAKE_WORLD).actions))
        return edit_calls(read_domain(domain), texts)
    task = max(PROBLEMS, key=asked.rfind)
    name = re.findall(r"\(:domain ([^)]+)\)", asked)[-1]
    return f"```pddl\n{PROBLEMS[task].replace('(:domain frozen-lake)', f'(:domain {name})')}\n```"


def test_a_rule_that_is_not_described_is_found_and_the_plan_works_in_the_simulator(tmp_path: Path) -> None:
    command = ["--method", "refine", "--env", f"{LAKE_WORLD}+outlined", "--np", "1", "--nd", "1"]
    command += ["--turns", "3", "--tasks", "1", "--seeds", "0", "--executor", "serial"]
    with StubServer(_reader) as stub:
        assert main([*command, "--base-url", stub.url, "--out", str(tmp_path)]) == 0
        asked = [body["messages"][-1]["content"] for body in stub.seen.bodies]
    assert not any("must be ice" in text for text in asked)
    (feedback,) = (text for text in asked if "The current domain is" in text)
    assert "State of the environment before this action:\nThe walker is in cell-" in feedback
    events = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text("utf-8").splitlines()]
    assert [event["outcome"] for event in events if event["event"] == "task"] == ["solved"]
    solved = [event for event in events if event["event"] == "node" and event["outcome"] == "SOLVED"]
    assert [node["task"] for node in solved] == ["f01", "f02"]
    # the problem of a node is that of its first task
    plan = Planner().plan(solved[-1]["domain"], solved[-1]["problem"]).plan
    assert plan and open_world(LAKE_WORLD, "f01").verify(plan).valid


RECORDED = {"refine": "simulators-refine", "chain": "simulators-once"}
OUTLINED = tuple(f"{world}+outlined" for world in ("toytext:Taxi", LAKE_WORLD, "minigrid:DoorKey-5x5"))


@pytest.mark.parametrize("method", RECORDED)
def test_three_simulators_of_an_outline_are_recorded(method: str) -> None:
    (recording,) = shelf(RECORDED[method])
    covers = {(cover.env, cover.method, cover.tasks, cover.turns) for cover in recording.covers}
    assert covers == {(env, method, 3, 6 if method == "refine" else 1) for env in OUTLINED}


@pytest.mark.parametrize("method", wide(RECORDED, "chain"))
def test_every_request_is_answered_by_the_recording(tmp_path: Path, method: str) -> None:
    command = [
        "--llm",
        "recorded",
        "--recording",
        RECORDED[method],
        "--method",
        method,
        "--executor",
        "serial",
    ]
    assert main([*command, "--env", *OUTLINED, "--out", str(tmp_path)]) == 0
    with (tmp_path / "results.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["env"], row["task"]) for row in rows] == [
        (env, t) for env in sorted(OUTLINED) for t in "123"
    ]
    assert "replay_miss" not in (tmp_path / "events.jsonl").read_text("utf-8")
