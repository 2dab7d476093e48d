"""A model tells plans by the three kinds of faults and by their order; steps mean the nearest actions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from true_answers import brief_of, modelled, true_domain

from agents.llm.interface import Message
from agents.llm.scripted import ScriptedModel
from agents.texts import WorldTexts
from agents.worldmodel.planning import InstructedPlanner, StepReader, edit_distance, nearest
from agents.worldmodel.problems import MAX_STAGES, Asked, read_stages, translate
from agents.worldmodel.saying import Advice, AdviceKind, Advisor
from envs.instructions import make_instruction
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.planning.validate import validate_plan
from envs.source import read_texts
from envs.world import open_world

MODEL = modelled(true_domain("logistics"), brief_of("logistics"))
TEXTS = WorldTexts.of(open_world("logistics", 1))
PROBLEM = read_texts("logistics", 1).problem
A, B = "(:goal (package-at package3 location2))", "(:goal (package-at package1 location6))"
BOTH = "(:goal (and (package-at package3 location2) (package-at package1 location6)))"
MOVE_A = (
    "(drive-truck truck1 location2 location3 city1)",
    "(load-truck package3 truck1 location3)",
    "(drive-truck truck1 location3 location2 city1)",
    "(unload-truck package3 truck1 location2)",
)
MOVE_B = (
    "(load-truck package1 truck2 location5)",
    "(drive-truck truck2 location5 location6 city2)",
    "(unload-truck package1 truck2 location6)",
)


def with_goal(problem: str, *goals: str) -> str:
    """The problem with other goals, one behind the other."""
    return problem[: problem.index("(:goal")] + "\n".join(goals) + ")"


def advise(plan: Sequence[str], *goals: str) -> Advice | None:
    return Advisor(MODEL, tuple(with_goal(PROBLEM, goal) for goal in goals)).advise(plan)


def test_a_plan_that_works_is_told_nothing() -> None:
    assert advise((*MOVE_A, *MOVE_B), BOTH) is None
    assert advise((*MOVE_A, *MOVE_B), A, B, BOTH) is None


@pytest.mark.parametrize(
    ("plan", "goals", "kind", "says"),
    [
        (MOVE_A[1:], (A,), AdviceKind.PRECONDITION, "truck-at of truck1 and location3"),
        (MOVE_A[:3], (A,), AdviceKind.GOAL, "package-at of package3 and location2"),
        (("(load-truck package3 truck9 location3)",), (A,), AdviceKind.PARAMETER, "no object truck9"),
        (("(load-truck package3 location3)",), (A,), AdviceKind.PARAMETER, "takes 3 arguments"),
        (("(load-truck package3 plane1 location3)",), (A,), AdviceKind.PARAMETER, "must be a truck"),
        (("please wait",), (A,), AdviceKind.PARAMETER, "no action"),
        (MOVE_B + MOVE_A, (A, B, BOTH), AdviceKind.ORDER, "package-at of package3 and location2"),
    ],
)
def test_a_fault_is_told_by_its_kind(
    plan: tuple[str, ...], goals: tuple[str, ...], kind: AdviceKind, says: str
) -> None:
    found = advise(plan, *goals)
    assert found is not None and found.kind is kind and says in found.words
    assert "(package-at" not in found.words.replace("".join(plan), "")


def test_a_validator_with_the_true_model_agrees_with_the_simulator_on_random_plans() -> None:
    rng = np.random.default_rng(0)
    problem = read_problem(with_goal(PROBLEM, A), read_domain(MODEL.text()))
    for _ in range(30):
        steps = [(*MOVE_A, *MOVE_B)[int(i)] for i in rng.permutation(7)[: int(rng.integers(1, 8))]]
        assert (advise(steps, A) is None) == validate_plan(problem, steps).valid


@pytest.mark.parametrize(
    ("written", "means"),
    [
        ("(load-truck package3 truck1 location3)", "(load-truck package3 truck1 location3)"),
        ("Load_Truck PACKAGE3 truck-1 Location_3", "(load-truck package3 truck1 location3)"),
        ("load-trucks pakage3 truck1 location3", "(load-truck package3 truck1 location3)"),
        ("load-truck package3 truck9 location3", None),
        ("load package3 truck1 location3", None),
        ("load-truck package3 location3", None),
        ("", None),
    ],
)
def test_a_step_means_the_nearest_action_or_nothing(written: str, means: str | None) -> None:
    assert nearest(written, TEXTS) == means


def test_every_operator_is_nearest_to_itself_and_distances_are_a_metric() -> None:
    for operator in open_world("logistics", 1).applicable():
        assert nearest(operator, TEXTS) == operator
    words = ["", "truck", "track", "tr", "uck", "location"]
    for one in words:
        for other in words:
            assert edit_distance(one, other) == edit_distance(other, one) >= abs(len(one) - len(other))
            assert (edit_distance(one, other) == 0) == (one == other)
            assert all(
                edit_distance(one, other) <= edit_distance(one, w) + edit_distance(w, other) for w in words
            )


def test_only_what_cannot_be_read_is_asked_for_and_only_once() -> None:
    asked: list[str] = []

    def reply(messages: Sequence[Message], sample: int, seed: int) -> str:
        asked.append(messages[-1].content)
        return "```\n1. (load-truck package3 truck1 location3)\n2. none\n```"

    reader = StepReader(ScriptedModel(reply), TEXTS)
    text = f"```\n1. {MOVE_A[0]}\n2. put package3 into truck1 there\n3. do something\n```"
    steps = reader.read(text, seed=0)
    assert steps is not None and len(asked) == 1
    assert steps == (MOVE_A[0], MOVE_A[1], "do something")
    assert "1. put package3 into truck1 there" in asked[0] and MOVE_A[0] not in asked[0].split("## Steps")[1]
    assert reader.read("no plan", seed=0) is None


def test_what_stands_beside_a_step_does_not_hide_it() -> None:
    asked: list[str] = []

    def reply(messages: Sequence[Message], sample: int, seed: int) -> str:
        asked.append(messages[-1].content)
        return f"1. {MOVE_A[0]}"

    lines = ("Load_Truck(package3, truck1, location3)", "Step 2: drive truck1 to location3 (in city1)")
    steps = StepReader(ScriptedModel(reply), TEXTS).read("```\n" + "\n".join(lines) + "\n```", seed=0)
    assert steps is not None and steps == (MOVE_A[1], MOVE_A[0])
    assert "1. drive truck1 to location3 (in city1)" in asked[0]


def test_goals_are_stages_of_one_start() -> None:
    found = read_stages(f"First.\n```pddl\n{with_goal(PROBLEM, A, B, BOTH)}\n```", TEXTS, MODEL)
    assert found.fault is None and len(found.problems) == 3
    domain = read_domain(MODEL.text())
    expected = [read_problem(with_goal(PROBLEM, goal), domain) for goal in (A, B, BOTH)]
    stages = [read_problem(stage, domain) for stage in found.problems]
    assert [(s.init, s.goal) for s in stages] == [(e.init, e.goal) for e in expected]


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        ("I cannot.", "no whole (define (problem"),
        (A, "no whole (define (problem"),
        (with_goal(PROBLEM), "no goal"),
        (with_goal(PROBLEM, "(:goal (and))"), "no goal"),
        (with_goal(PROBLEM, A, "(:goal (lit lamp1))", BOTH), "lit"),
        (with_goal(PROBLEM, A)[:-1], "do not balance"),
        (with_goal(PROBLEM, "(:goal (package-at package77 location1))"), "package77"),
        (with_goal(PROBLEM, *[A] * (MAX_STAGES + 1)), "11 goals"),
    ],
)
def test_goals_that_cannot_be_used_say_why(reply: str, says: str) -> None:
    found = read_stages(reply, TEXTS, MODEL)
    assert not found.problems and found.fault is not None and says in found.fault


def test_an_instruction_is_translated_and_what_cannot_be_used_is_sent_back_once() -> None:
    made = make_instruction("logistics", 1)
    problem = read_texts("logistics", made.task).problem

    def reply(messages: Sequence[Message], sample: int, seed: int) -> str:
        assert made.text in messages[1].content and made.start in messages[1].content
        return f"```pddl\n{problem if len(messages) > 2 else with_goal(problem, '(:goal (lit lamp1))')}\n```"

    llm = ScriptedModel(reply)
    asked = Asked(WorldTexts.of(open_world("logistics", made.task)), made.start, made.text)
    found = translate(llm, asked, MODEL, seed=0)
    domain = read_domain(MODEL.text())
    assert found.fault is None and len(found.problems) == 1
    (stage,) = found.problems
    assert read_problem(stage, domain).init == read_problem(problem, domain).init


@pytest.mark.parametrize("advised", [False, True])
def test_a_planner_with_an_advisor_mends_its_plan(advised: bool) -> None:
    heard: list[str] = []

    def reply(messages: Sequence[Message], sample: int, seed: int) -> str:
        heard.append(messages[-1].content)
        plan = MOVE_A if len(messages) > 2 else MOVE_A[1:]
        return "```\n" + "\n".join(plan) + "\n```"

    advisor = Advisor(MODEL, (with_goal(PROBLEM, A),)) if advised else None
    planned = InstructedPlanner(ScriptedModel(reply)).plan(TEXTS, 0, advisor)
    assert planned.plan == (MOVE_A if advised else MOVE_A[1:])
    assert len(heard) == 1 + advised and (advisor is None or advisor.advise(planned.plan or ()) is None)
    assert dict(planned.told) == ({AdviceKind.PRECONDITION: 1} if advised else {})


def test_a_planner_that_repeats_itself_or_writes_no_plan_ends() -> None:
    advisor = Advisor(MODEL, (with_goal(PROBLEM, A),))
    stubborn = ScriptedModel(lambda *_: "```\n" + "\n".join(MOVE_A[1:]) + "\n```")
    planned = InstructedPlanner(stubborn, turns=9).plan(TEXTS, 0, advisor)
    assert planned.plan == MOVE_A[1:] and stubborn.requests == 2 and sum(planned.told.values()) == 1
    silent = InstructedPlanner(ScriptedModel(lambda *_: "I cannot."), turns=3).plan(TEXTS, 0, advisor)
    assert silent.plan is None and silent.fault is not None and "code block" in silent.fault
