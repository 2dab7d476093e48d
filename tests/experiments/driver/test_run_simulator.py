"""Jobs in a world of another package that is a simulator: it goes on, and says yes or no to an operator."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_run_plugin import EDITS, EXAMPLES, PLAN

from agents.llm.stub import StubServer
from experiments.run import main

#: The locker of examples/own_world.py without a list of what is applicable, and with facts.
WORLD = """
from envs.pddl.interface import Execution, PlanVerdict, Refusal
from own_world import Locker


class Quiet:
    name, types, objects = "quiet", Locker.types, Locker.objects
    description, task, actions = Locker.description, Locker.task, Locker.actions
    predicates, goal = {"is-open": (), "inside": (("?b", "bag"),)}, "(and (inside red) (inside blue))"

    def __init__(self):
        self._locker, self._walk = Locker(), ()

    def reset(self):
        self._walk = ()

    def step(self, operator):
        runs = self.executable((*self._walk, operator)).refusal is None
        self._walk += (operator,) * runs
        return runs

    def executable(self, walk):
        return self._locker.executable(walk)

    def verify(self, plan):
        return self._locker.verify(plan)

    def describe(self, walk=()):
        return self._locker.describe(walk)

    def facts(self, walk=()):
        is_open, inside = self._locker._state(walk)
        return frozenset([("is-open",)] * is_open + [("inside", bag) for bag in inside])




def open_quiet(problem):
    if problem != 1:
        raise LookupError("there is task 1 only")
    return Quiet()
"""


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The world as an installed distribution with its entry point."""
    site = tmp_path / "site"
    metadata = site / "quiet-1.0.dist-info"
    metadata.mkdir(parents=True)
    (site / "quiet_world.py").write_text(WORLD, encoding="utf-8")
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: quiet\nVersion: 1.0\n", "utf-8")
    entry = "[groundwalk.worlds]\nquiet = quiet_world:open_quiet\n"
    (metadata / "entry_points.txt").write_text(entry, encoding="utf-8")
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.syspath_prepend(str(EXAMPLES))


def test_a_model_is_repaired_and_the_steps_are_said_and_capped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from own_world import DOMAIN, PROBLEM

    (tmp_path / "mine.pddl").write_text(DOMAIN, encoding="utf-8")
    (tmp_path / "p.pddl").write_text(PROBLEM, encoding="utf-8")
    files = ["--domain", str(tmp_path / "mine.pddl"), "--problem", str(tmp_path / "p.pddl")]
    few = ["--env", "quiet", "--walks", "200"]
    assert main(["repair", *few, *files, "--out", str(tmp_path / "out")]) == 0
    told = capsys.readouterr().out
    assert "add (is-open) to the precondition of put" in told and "the repair itself: " in told
    found = json.loads((tmp_path / "out" / "repair.json").read_text("utf-8"))
    assert found["verdict"] == "agrees" and found["simulator"]["refused"] > 0
    capped = [*files, "--max-world-steps", "5", "--out", str(tmp_path / "capped")]
    assert main(["repair", *few, *capped]) == 0
    found = json.loads((tmp_path / "capped" / "repair.json").read_text("utf-8"))
    assert found["verdict"] == "out_of_queries" and found["simulator"]["steps"] <= 5


def test_operators_are_learned_and_the_steps_are_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["learn", "--env", "quiet", "--out", str(tmp_path / "out")]) == 0
    told = capsys.readouterr().out
    assert "4 operators learned, 0 not explained" in told and "simulator steps" in told


def test_a_score_in_a_run_is_by_prefix_and_says_what_the_simulator_did(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from own_world import PROBLEM

    def answer(messages: object, index: int, seed: int) -> str:
        asked = messages[-1].content  # type: ignore[index]
        if "def modify_action" in asked:
            return f"```python\n{EDITS}\n```"
        return f"```pddl\n{PROBLEM}\n```" if "PDDL problem" in asked else f"```\n{PLAN}\n```"

    with StubServer(answer) as stub:
        flags = ["--env", "quiet", "--method", "chain", "--base-url", stub.url, "--executor", "serial"]
        flags += ["--seeds", "0", "--estimator", "survival"]
        assert main([*flags, "--out", str(tmp_path / "run")]) == 0
        told = " ".join(capsys.readouterr().out.split())
        capped = [*flags, "--max-world-steps", "3", "--out", str(tmp_path / "capped")]
        assert main(capped) != 0
    assert "the world does not list what is applicable: EW is estimated by prefix, not survival" in told
    lines = (tmp_path / "run" / "events.jsonl").read_text("utf-8").splitlines()
    scores = [line["score"] for line in map(json.loads, lines) if "score" in line]
    assert all(score["simulator"]["steps"] > 0 for score in scores if score["ew"] is not None)
    assert any(score["ew"] == 1.0 for score in scores)
    assert "--max-world-steps" in (tmp_path / "capped" / "events.jsonl").read_text("utf-8")
