"""The planner of this folder's tests remembers what it said, and nothing else: the fixture `planned_once`."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envs.pddl.planning.planner import Planner, PlannerMissing, PlanOutcome, PlanResult
from envs.source import read_texts

TEXTS = read_texts("grippers", 1)
#: Nothing is free, so nothing can be picked up.
STUCK = TEXTS.problem.replace("(free", "; (free")


def asked_anew(planner: Planner, problem: str) -> PlanResult:
    """The answer of a new process."""
    found: PlanResult = Planner.plan.__wrapped__(planner, TEXTS.domain, problem)  # type: ignore[attr-defined]
    return found


@pytest.mark.parametrize("problem", [TEXTS.problem, STUCK], ids=["solved", "stuck"])
def test_what_is_remembered_is_what_the_planner_says_again(problem: str) -> None:
    first = Planner().plan(TEXTS.domain, problem)
    assert Planner(wall_s=90.0).plan(TEXTS.domain, problem) is first
    again = asked_anew(Planner(), problem)
    assert (again.outcome, again.plan) == (first.outcome, first.plan)
    assert first.outcome is (
        PlanOutcome.SOLVED if problem is TEXTS.problem else PlanOutcome.UNSOLVABLE_PROVED
    )


def test_who_has_less_time_than_the_answer_took_is_asked_again_and_limits_are_not_remembered() -> None:
    first = Planner().plan(TEXTS.domain, TEXTS.problem)
    late = Planner(wall_s=first.wall_s / 1000).plan(TEXTS.domain, TEXTS.problem)
    assert late.outcome is PlanOutcome.TIMEOUT
    assert Planner().plan(TEXTS.domain, TEXTS.problem) is first


def test_another_planner_or_question_is_another_answer() -> None:
    first = Planner().plan(TEXTS.domain, TEXTS.problem)
    with pytest.raises(PlannerMissing):
        replace(Planner(), path="nowhere").plan(TEXTS.domain, TEXTS.problem)
    assert Planner().plan(TEXTS.domain, TEXTS.problem + "\n") is not first
