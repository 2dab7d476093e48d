"""Instructions carried out: all can be, in their order, by a planner that has the true model."""

from __future__ import annotations

import pytest

from envs.instructions import Instruction, make_instruction
from envs.pddl.planning.planner import Planner
from envs.pddl.simulation.grounding import Limits
from envs.source import read_texts
from envs.tasks import Literal
from ew.score.config import EWConfig
from experiments.evaluation.instructed import InstructionSolver, Ready, asked_of, task_of
from experiments.evaluation.judge import Judge
from experiments.runs.records import TaskOutcome

JUDGE = Judge(EWConfig(), Planner(), Limits())
#: Every fourth is ordered and planned for in parts; one of these is also tried below. That each order can be
#: kept is tried in `test_instructions`.
NUMBERS = [pytest.param(n, marks=() if n < 2 else pytest.mark.slow) for n in (*range(1, 9), 20)]


def literal_text(literal: Literal) -> str:
    holds, atom = literal
    return f"({' '.join(atom)})" if holds else f"(not ({' '.join(atom)}))"


def stages(made: Instruction) -> tuple[str, ...]:
    """The problems of an instruction, as the world has them."""
    problem = read_texts(made.world, made.task).problem
    start = problem[: problem.index("(:goal")]
    parts = [*((literal,) for literal in made.order), made.goal]
    return tuple(f"{start}(:goal (and {' '.join(map(literal_text, part))})))" for part in parts)


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("world", ["household", "logistics"])
def test_every_instruction_is_carried_out_with_the_true_model(world: str, number: int) -> None:
    ready = Ready(domain=read_texts(world, 1).domain, stages=stages(make_instruction(world, number)))
    attempt = InstructionSolver(world, JUDGE)(number, number, ready)
    assert attempt.outcome is TaskOutcome.SOLVED and attempt.plan_length


def test_an_order_is_judged_on_the_executed_plan() -> None:
    solver, domain = InstructionSolver("logistics", JUDGE), read_texts("logistics", 1).domain
    first, then, whole = stages(make_instruction("logistics", 4))
    right = solver(4, 4, Ready(domain=domain, stages=(first, then, whole), told={"unmet goal": 1}))
    assert right.outcome is TaskOutcome.SOLVED and right.told == {"unmet goal": 1}
    turned = solver(4, 4, Ready(domain=domain, stages=(then, first, whole)))
    assert turned.outcome is TaskOutcome.OUT_OF_ORDER and turned.plan_length is not None


def test_what_cannot_be_planned_or_read_is_no_plan_of_anybody() -> None:
    solver, domain = InstructionSolver("logistics", JUDGE), read_texts("logistics", 1).domain
    (whole,) = stages(make_instruction("logistics", 1))
    stuck = domain.replace("(truck-at ?t ?l))", "(truck-at ?t ?l) (not (truck-at ?t ?l)))")
    assert solver(1, 1, Ready(domain=stuck, stages=(whole,))).outcome is TaskOutcome.UNSOLVABLE
    lost = whole.replace("(package-at", "(lies-at")
    assert solver(1, 1, Ready(domain=domain, stages=(lost,))).outcome is TaskOutcome.INVALID_PROBLEM
    assert solver(1, 1, Ready(("do something",))).outcome is TaskOutcome.STEP_REJECTED


def test_a_world_without_instructions_of_its_own_is_asked_for_its_tasks_as_told() -> None:
    assert task_of("logistics+anonymised", 3) == (3, None)
    asked = asked_of("logistics+anonymised", 3)
    assert asked.start == asked.texts.task and asked.start in asked.told.task
    assert task_of("logistics+compact", 3)[1] == make_instruction("logistics", 3)
