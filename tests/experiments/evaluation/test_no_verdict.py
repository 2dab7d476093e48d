"""A planner that ends without a verdict is nobody's fault: no words for it, no request, no wrong attempt.

The planner is a real child process with the exit codes of Fast Downward; the language model a real server.
"""

from __future__ import annotations

import csv
import importlib.util
import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from gripper_answers import MENDED, problem_text
from wide import wide

from agents.llm.interface import Message
from agents.llm.stub import StubServer
from envs.pddl.planning.planner import PlanOutcome
from envs.source import read_texts
from experiments.evaluation.solve import Attempt
from experiments.run import main
from experiments.runs.records import Score, TaskOutcome

STEMS: tuple[int | str, ...] = ("f01", "f02", 1, 2)
SMALL = (
    "--env", "grippers", "--turns", "3", "--tasks", "1", "--walks", "20", "--t-max",
    "5", "--executor", "serial",
)  # fmt: skip
#: Does what the check asks for, solves what is not named in its text, and ends with a code for the rest.
PLANNER = """
import os, sys, time
if "--version" in sys.argv:
    print("stand-in"); sys.exit(0)
task = open("domain.pddl").read() + open("problem.pddl").read()
if "(domain check)" in task:
    open("plan", "w").write("(finish)\\n"); sys.exit(0)
if {marker!r} in task:
    time.sleep({sleep}); print("no answer within limits", file=sys.stderr); sys.exit({code})
os.execv(sys.executable, [sys.executable, {driver!r}, *sys.argv[1:]])
"""
ENDINGS = {
    "timeout": dict(code=23, sleep=0),
    "slow": dict(code=0, sleep=60),
    "memout": dict(code=22, sleep=0),
    "exhausted": dict(code=12, sleep=0),
}


def planner(tmp_path: Path, marker: str, code: int, sleep: int) -> Path:
    (wheel,) = importlib.util.find_spec("up_fast_downward").submodule_search_locations
    driver = str(Path(wheel) / "downward" / "fast-downward.py")
    script = tmp_path / "planner.py"
    text = PLANNER.format(marker=marker, code=code, sleep=sleep, driver=driver)
    script.write_text(text, encoding="utf-8")
    return script


def right(messages: Sequence[Message], index: int, seed: int) -> str:
    """Always right: what is not solved is the planner's doing."""
    asked = messages[-1].content
    if "def modify_action" in asked or "current domain" in asked:
        return MENDED
    stem = max(STEMS, key=lambda name: asked.rfind(read_texts("grippers", name).task.strip()))
    return f"```pddl\n{problem_text(stem)}\n```"


def run(tmp_path: Path, marker: str, ending: dict[str, int], *flags: str) -> tuple[list[str], Path, int]:
    """The last turns of all requests, the run directory and the exit code."""
    out, script = tmp_path / "run", planner(tmp_path, marker, **ending)
    wall_s = "4" if ending["sleep"] else "120"  # the real planner answers in time on any machine
    with StubServer(right) as server:
        live = ("--base-url", server.url, "--out", str(out), "--planner", str(script))
        code = main([*live, *SMALL, "--planner-wall-s", wall_s, *flags])
        asked = [body["messages"][-1]["content"] for body in server.seen.bodies]
    return asked, out, code


def rows(out: Path) -> list[dict[str, str]]:
    return list(csv.DictReader((out / "results.csv").open(encoding="utf-8")))


def test_the_stand_in_is_no_fault_of_its_own(tmp_path: Path) -> None:
    asked, out, code = run(tmp_path, "(nothing has this name)", ENDINGS["timeout"], "--method", "chain")
    assert code == 0 and [row["outcome"] for row in rows(out)] == ["solved"] and len(asked) == 3


@pytest.mark.parametrize(
    "ending", ["timeout", *(pytest.param(e, marks=pytest.mark.slow) for e in ("exhausted", "slow", "memout"))]
)
def test_no_request_is_made_because_the_planner_gave_no_verdict_on_a_candidate(
    tmp_path: Path, ending: str
) -> None:
    asked, out, code = run(tmp_path, "(define", ENDINGS[ending], "--method", "chain")
    assert code == 0
    assert not any("Incorrect" in text or "planner found no plan" in text for text in asked)
    assert len(asked) == 3  # a problem, a domain, and the problem of the counted task
    events = [json.loads(line) for line in (out / "events.jsonl").read_text(encoding="utf-8").splitlines()]
    (node,) = [e for e in events if e["event"] == "node" and "." in e["id"]]
    assert node["failure"] == "NoVerdict" and node["feedback"] == "" and node["score"]["ew"] == 1.0
    name = "timeout" if ending == "slow" else ending
    assert [(row["outcome"], row["undecided"]) for row in rows(out)] == [(name, "1")]


@pytest.mark.parametrize(
    "ending", ["timeout", *(pytest.param(name, marks=pytest.mark.slow) for name in ("memout", "exhausted"))]
)
def test_a_counted_task_without_a_verdict_is_not_asked_for_again_and_has_a_column(
    tmp_path: Path, ending: str
) -> None:
    counted, *heard = (set(re.findall(r"\([^()]+\)", problem_text(stem))) for stem in (1, "f01", "f02"))
    only_there = min(counted.difference(*heard))
    asked, out, code = run(
        tmp_path, only_there, ENDINGS[ending], "--method", "refine", "--np", "1", "--nd", "1"
    )
    assert code == 0 and not any("Then write the whole problem again" in text for text in asked)
    (row,) = rows(out)
    assert (row["outcome"], row["undecided"]) == (ending, "1")
    table = (out / "tables" / "tasks-by-outcome.csv").read_text(encoding="utf-8")
    assert [row["undecided"] for row in csv.DictReader(table.splitlines())] == ["1"]
    assert json.loads((out / "summary.json").read_text(encoding="utf-8"))["summaries"][0]["undecided"] == 1
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "1 undecided by the planner" in page and f"? {ending}" in page and f"✗ {ending}" not in page


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "words"),
    [(11, "has proved that the goal"), (31, "rejects the PDDL"), (34, "does not support")],
)
def test_what_the_planner_says_of_the_model_is_told_in_its_own_words(
    tmp_path: Path, code: int, words: str
) -> None:
    asked, _, _ = run(tmp_path, "(define", {"code": code, "sleep": 0}, "--method", "chain")
    told = [text for text in asked if text.startswith("Incorrect")]
    assert told and all(words in text for text in told)


@pytest.mark.parametrize("code", wide([247, 32], 247))
def test_a_killed_or_crashed_planner_gives_up_the_episode_and_is_told_to_nobody(
    tmp_path: Path, code: int
) -> None:
    asked, out, exit_code = run(tmp_path, "(define", {"code": code, "sleep": 0}, "--method", "chain")
    assert exit_code == 3 and not any("Incorrect" in text for text in asked) and rows(out) == []
    table = (out / "tables" / "tasks-by-outcome.csv").read_text(encoding="utf-8")
    assert [row["episodes given up"] for row in csv.DictReader(table.splitlines())] == ["1"]


def test_only_an_attempt_that_was_judged_may_be_told_and_the_best_ranks_first() -> None:
    for outcome in TaskOutcome:
        attempt = Attempt(outcome)
        assert attempt.may_be_told == (not attempt.solved and not outcome.undecided)
        assert Attempt(outcome, feedback="Incorrect.").may_be_told == (not attempt.solved)
        assert Attempt(TaskOutcome.SOLVED).rank >= attempt.rank
        assert Attempt(outcome, Score(ew=0.5)).rank > attempt.rank or attempt.solved
    wrong = (TaskOutcome.STEP_REJECTED, TaskOutcome.UNSOLVABLE, TaskOutcome.INVALID_PROBLEM)
    for outcome in filter(lambda o: o.undecided, TaskOutcome):
        assert all(Attempt(outcome).rank > Attempt(other).rank for other in wrong)
    assert {o for o in PlanOutcome if o.judges} & {o for o in PlanOutcome if o.infrastructure} == set()
