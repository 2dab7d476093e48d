"""The method `refine` end to end: problems are mended, tasks are added, what was refuted is remembered."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from gripper_answers import FIRST_DOMAINS, MENDED

from agents.draft import DomainDraft
from agents.llm.interface import Completion, Message
from agents.llm.stub import StubServer
from agents.proposal import Proposal
from agents.refine import Wanted, read_domain_reply
from agents.texts import WorldTexts
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.planning.planner import Planner
from envs.pddl.simulation.compile import compile_task
from envs.source import read_texts
from envs.world import open_world
from ew.counterexample.disagreement import Observation
from ew.score.rating import Outcome, Rating
from ew.score.score import EWConfig
from experiments.config import RunConfig
from experiments.driver.plan import resolve
from experiments.evaluation.counterexamples import step_by_step
from experiments.evaluation.evaluate import CandidateEvaluation, TasksEvaluator
from experiments.evaluation.judge import Judge
from experiments.methods.refine import failing_of, observation_of, observations_of
from experiments.methods.registry import ABLATIONS
from experiments.run import main
from experiments.runs.records import NodeRecord
from search.nodes import Node

STEMS: tuple[int | str, ...] = ("f01", "f02", *range(1, 11))
JUDGE = Judge(EWConfig(walks=40, t_max=5, estimator="survival"), Planner(wall_s=20), feedback="shortest")
EVALUATOR = TasksEvaluator("grippers", ("f01", "f02"), 0, JUDGE)
FLAGS = ("--env", "grippers", "--np", "1", "--nd", "2", "--turns", "6", "--tasks", "3", "--walks", "40")


def right(stem: int | str) -> str:
    """The right translation of a task."""
    return read_texts("grippers", stem).problem.replace("gripper-strips", "grippers")


def careless(stem: int | str) -> str:
    """Nothing is said of the first robot, so what it does at the start differs."""
    lines = right(stem).splitlines()
    return "\n".join(line for line in lines if "robot1" not in line or " - robot" in line)


def aimless(stem: int | str) -> str:
    """The goal holds at the start, whatever was asked for."""
    return f"{right(stem).partition('(:goal')[0]}(:goal (free robot1 lgripper1)))"


def candidate(problem: str, reply: str = MENDED) -> Proposal:
    texts = WorldTexts.of(open_world("grippers", "f01"))
    root = Proposal(problem, DomainDraft.empty("grippers", texts.types, texts.actions))
    return read_domain_reply(root, (Message("user", "write"),), Completion(reply))


@cache
def first_domain_evaluated() -> CandidateEvaluation:
    """What is found of the right problem in the first domain, which several tests begin with."""
    return EVALUATOR(candidate(right("f01"), FIRST_DOMAINS[0]))


def task_of(text: str) -> int | str:
    """The task that was named last."""
    return max(STEMS, key=lambda stem: text.rfind(read_texts("grippers", stem).task.strip()))


def answering(wrong: dict[int | str, Callable[[int | str], str]]) -> Callable[..., str]:
    """Answers by what is asked; the problems of some tasks are wrong until they are found at fault."""

    def answer(messages: Sequence[Message], index: int, seed: int) -> str:
        asked = messages[-1].content
        told = task_of("\n".join(m.content for m in messages))
        if "The fault is in the domain, in the problem" in asked:
            return f"{MENDED}```pddl\n{right(told)}\n```"
        if "Then write the whole problem again" in asked:
            return f"```pddl\n{right(told)}\n```"
        if "Reason about the cause first" in asked:
            return MENDED
        if "def modify_action" in asked:
            return FIRST_DOMAINS[0]
        stem = task_of(asked)
        return f"```pddl\n{wrong.get(stem, right)(stem)}\n```"

    return answer


def ask(stub: StubServer, out: Path, *flags: str) -> None:
    where = ("--base-url", stub.url, "--out", str(out), "--executor", "serial")
    job = ["study-ablation"] if set(flags) & set(ABLATIONS) else []
    assert main([*job, *where, *FLAGS, *(flags or ("--method", "refine"))]) == 0


def run(out: Path, wrong: dict[int | str, Callable[[int | str], str]], *flags: str) -> dict[str, Any]:
    """Nodes by id, tasks by number and the rows of the results of a live run."""
    with StubServer(answering(wrong)) as stub:
        ask(stub, out, *flags)
    events = [json.loads(line) for line in (out / "events.jsonl").read_text(encoding="utf-8").splitlines()]
    nodes = {e["id"]: e for e in events if e["event"] == "node"}
    tasks = {e["task"]: e for e in events if e["event"] == "task"}
    return {
        "nodes": nodes,
        "tasks": tasks,
        "rows": list(csv.DictReader((out / "results.csv").open(encoding="utf-8"))),
    }


def test_a_candidate_is_tried_on_one_task_after_another() -> None:
    one = EVALUATOR(candidate(right("f01")))
    assert one.rating.outcome is Outcome.SOLVED and one.wanted is Wanted.TASK and not one.solved
    assert one.expandable and one.task == "f01"
    both = EVALUATOR(candidate(right("f01")).with_problem(1, right("f02")))
    assert both.solved and both.rating == Rating(Outcome.SOLVED, 1.0, tasks=1) and one.rating < both.rating
    second_wrong = EVALUATOR(candidate(right("f01")).with_problem(1, careless("f02")))
    assert one.rating < second_wrong.rating < both.rating
    assert (second_wrong.task, second_wrong.wanted) == ("f02", Wanted.EITHER)


@pytest.mark.parametrize("problem", [careless, aimless])
def test_a_fault_that_may_be_the_problems_asks_for_either(problem: Callable[[str], str]) -> None:
    wrong = candidate(problem("f01"))
    assert EVALUATOR(wrong).wanted is Wanted.EITHER
    assert replace(EVALUATOR, corrects_problems=False)(wrong).wanted is Wanted.DOMAIN


def test_a_plan_that_fails_is_told_only_if_it_may_be() -> None:
    wrong = candidate(aimless("f01"))
    told, silent = (replace(EVALUATOR, tells_plans=tells)(wrong) for tells in (True, False))
    assert told.plan == silent.plan == "solved" and told.rating == silent.rating
    assert "the goal is not reached" in told.feedback and silent.feedback == "Incorrect."


def test_what_was_observed_is_held_against_a_candidate_without_asking_the_world() -> None:
    wrong = candidate(right("f01"), FIRST_DOMAINS[0])
    found = first_domain_evaluated()
    assert found.story is not None and found.failure == "Explained"
    seen = observation_of("f01", found.story)
    assert seen is not None
    again = EVALUATOR(replace(wrong, observations=(seen,)))
    assert again.failure == "Repeated" and again.feedback.endswith(found.feedback)
    assert again.rating == found.rating
    elsewhere = EVALUATOR(replace(wrong, observations=(replace(seen, task="f02"),)))
    assert elsewhere.failure == "Explained"


def test_a_right_candidate_contradicts_nothing_that_wrong_ones_were_refuted_by() -> None:
    wrong = [candidate(right("f01"), FIRST_DOMAINS[0]), candidate(careless("f01"))]
    found = [first_domain_evaluated(), EVALUATOR(wrong[1])]
    nodes = [Node(str(i), None, *both) for i, both in enumerate(zip(wrong, found, strict=True), start=1)]
    seen = observations_of(nodes)
    assert len(seen) == 2 and observations_of(reversed(nodes)) == seen
    assert EVALUATOR(replace(candidate(right("f01")), observations=seen)).rating.outcome is Outcome.SOLVED


def test_a_story_shows_where_the_sides_part_and_what_changed() -> None:
    world = open_world("grippers", "f01")
    found = first_domain_evaluated().story
    assert found is not None
    *ran, last = found.steps
    assert all(step.world and step.model for step in ran) and last.world != last.model
    assert found.start == tuple(world.describe().splitlines())
    walk = [step.operator for step in ran]
    lines = set(found.start)
    for step in ran:
        lines = (lines - set(step.world_loses)) | set(step.world_gains)
    assert lines == set(world.describe(walk).splitlines())


def test_a_story_ends_where_each_side_refuses() -> None:
    texts = read_texts("grippers", 1)
    model = compile_task(read_problem(texts.problem, read_domain(texts.domain)))
    world = open_world("grippers", 1)
    walk = ("(move robot1 room2 room1)", "(move robot1 room2 room1)", "(move robot1 room1 room2)")
    story = step_by_step(world, model, "forward", walk)
    assert [(s.world, s.model) for s in story.steps] == [(True, True), (False, False), (False, False)]
    assert story.steps[0].model_gains == ("(at-robby robot1 room1)",)
    assert observation_of("1", story) is None
    assert observation_of("1", replace(story, steps=(replace(story.steps[0], model=False),))) == (
        Observation.of("1", (), walk[0], executed=True)
    )


@pytest.mark.slow
def test_problems_are_mended_in_the_search_and_after_it(tmp_path: Path) -> None:
    found = run(tmp_path, {"f01": careless, "f02": aimless, 2: aimless, 3: aimless})
    assert [row["outcome"] for row in found["rows"]] == ["solved"] * 3
    assert {n: t["attempts"] for n, t in found["tasks"].items()} == {1: 1, 2: 2, 3: 2}
    best = max(found["nodes"].values(), key=lambda node: (node["tasks_solved"], node["outcome"] == "SOLVED"))
    assert best["tasks_solved"] == 1 and best["outcome"] == "SOLVED" and best["task"] == "f02"
    assert {node["wanted"] for node in found["nodes"].values()} == {"domain", "either", "task"}


def test_under_the_published_protocol_task_1_gets_its_further_attempts_too(tmp_path: Path) -> None:
    made = answering({1: aimless})

    def answer(messages: Sequence[Message], index: int, seed: int) -> str:
        return MENDED if "def modify_action" in messages[-1].content else made(messages, index, seed)

    with StubServer(answer) as stub:
        flags = ("--env", "grippers", "--method", "refine", "--protocol", "paper", "--np", "1", "--nd", "1")
        live = ("--base-url", stub.url, "--out", str(tmp_path), "--executor", "serial", "--walks", "40")
        assert main([*live, *flags, "--turns", "1", "--tasks", "1"]) == 0
        *_, mending = stub.seen.bodies
    lines = (tmp_path / "events.jsonl").read_text(encoding="utf-8").splitlines()
    (task,) = [e for e in map(json.loads, lines) if e["event"] == "task"]
    assert (task["outcome"], task["attempts"]) == ("solved", 2)
    *_, question, problem, turn = [message["content"] for message in mending["messages"]]
    assert open_world("grippers", 1).task.strip() in question and "(free robot1 lgripper1)" in problem
    assert "Then write the whole problem again" in turn


@pytest.mark.slow
def test_with_a_budget_a_counted_task_is_tried_once_as_by_all_other_methods(tmp_path: Path) -> None:
    found = run(tmp_path, {2: aimless}, "--method", "refine", "--budget-tokens", "1000000")
    assert [row["outcome"] for row in found["rows"]] == ["solved", "goal_not_reached", "solved"]
    assert {task["attempts"] for task in found["tasks"].values()} == {1}


def test_what_a_candidate_of_another_line_was_refuted_by_is_told_even_if_the_numbers_are_alike() -> None:
    wrong = candidate(right("f01"), FIRST_DOMAINS[0])
    sibling, parent = Node("1.1", "1", wrong, first_domain_evaluated()), candidate(right("f01"))
    unit = replace(resolve(RunConfig(model="m", method=("refine",)), ()).units[0], protocol="apart")
    for name, told in (("1.1.1", 0), ("1.12", 1)):
        node = Node(name, "1", parent, replace(EVALUATOR(parent), task="f01"))
        assert len(failing_of(unit, node, (sibling, node)).elsewhere) == told


@pytest.mark.parametrize(
    "method",
    [
        "refine-one-task",
        *(
            pytest.param(f"refine-{part}", marks=pytest.mark.slow)
            for part in ("no-problems", "no-plans", "beam", "algorithm1")
        ),
    ],
)
def test_every_part_can_be_switched_off(tmp_path: Path, method: str) -> None:
    found = run(tmp_path, {2: aimless}, "--method", method)
    outcomes = {int(row["task"]): row["outcome"] for row in found["rows"]}
    assert outcomes[1] == outcomes[3] == "solved"
    assert (outcomes[2] == "solved") == (method != "refine-no-problems")
    assert ("f02" in {n["task"] for n in found["nodes"].values()}) == (method != "refine-one-task")


@pytest.fixture(scope="module")
def endpoint() -> Iterator[StubServer]:
    """It states the first problem wrongly at first."""
    with StubServer(answering({"f01": careless})) as stub:
        yield stub


@pytest.fixture(scope="module")
def whole(endpoint: StubServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished run on it, to be read only."""
    out = tmp_path_factory.mktemp("refined") / "whole"
    ask(endpoint, out)
    return out


def test_a_resumed_search_remembers_the_same(endpoint: StubServer, whole: Path, tmp_path: Path) -> None:
    cut = shutil.copytree(whole, tmp_path / "cut")
    lines = (cut / "events.jsonl").read_bytes().splitlines(keepends=True)
    (cut / "events.jsonl").write_bytes(b"".join(lines[:5]))
    (cut / "results.csv").unlink()
    asked = endpoint.seen.requests
    ask(endpoint, cut)
    assert endpoint.seen.requests == asked
    assert (whole / "results.csv").read_bytes() == (cut / "results.csv").read_bytes()


def test_an_evaluation_on_several_tasks_survives_its_record(whole: Path) -> None:
    lines = (whole / "events.jsonl").read_text(encoding="utf-8").splitlines()
    nodes = [event for event in map(json.loads, lines) if event["event"] == "node"]
    assert len(nodes) > 1
    for plain in nodes:
        record = NodeRecord.from_json(plain)
        found = CandidateEvaluation.of_record(record)
        assert found.rating.tasks == record.tasks_solved and found.wanted.value == record.wanted
        assert NodeRecord.from_json(json.loads(json.dumps(record.to_json()))) == record


@pytest.mark.slow
def test_a_reply_that_changes_nothing_is_not_asked_for_again(tmp_path: Path) -> None:
    """The same question is put once: then the domain's fault is sought in the problem too, then it ends."""

    def stubborn(messages: Sequence[Message], index: int, seed: int) -> str:
        asked = messages[-1].content
        if "Reason about the cause first" in asked:
            return FIRST_DOMAINS[0]
        return answering({})(messages, index, seed)

    for method in ("refine", "chain"):
        out = tmp_path / method
        with StubServer(stubborn) as stub:
            flags = ("--env", "grippers", "--tasks", "1", "--walks", "40")
            flags += ("--np", "1", "--nd", "1") if method == "refine" else ()
            where = ("--base-url", stub.url, "--out", str(out), "--executor", "serial", *flags)
            assert main([*where, "--method", method]) == 0
            asked = [str(body["messages"][-1]["content"]) for body in stub.seen.bodies]
        again = [text for text in asked if "The current domain is:" in text]
        either = [text for text in again if "The fault is in the domain, in the problem" in text]
        assert 1 <= len(again) <= 4 and len(set(again)) == len(again)
        assert bool(either) == (method == "refine")


@pytest.mark.slow
def test_a_task_whose_problem_stays_as_it_was_is_not_tried_again(tmp_path: Path) -> None:
    def stubborn(messages: Sequence[Message], index: int, seed: int) -> str:
        if "Then write the whole problem again" in messages[-1].content:
            return f"```pddl\n{aimless(2)}\n```"
        return answering({2: aimless})(messages, index, seed)

    with StubServer(stubborn) as stub:
        ask(stub, tmp_path)
        asked = [str(body["messages"][-1]["content"]) for body in stub.seen.bodies]
    again = [text for text in asked if "Then write the whole problem again" in text]
    assert len(again) == 1
    assert "it solved another task of this environment" in again[0]
    assert "Either its precondition" not in again[0]
