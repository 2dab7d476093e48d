"""The table of endings: complete, and no machine's failure is ever a verdict on a task."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path

import pytest

from envs.pddl.planning.planner import EXIT_CODES, PlanOutcome, classify
from envs.pddl.process import ChildResult, ChildStatus


def ended(status: ChildStatus, code: int | None, stdout: str = "", stderr: str = "") -> ChildResult:
    return ChildResult(status, code, stdout, stderr, 0.1)


def exited(code: int, stdout: str = "", stderr: str = "") -> ChildResult:
    return ended(ChildStatus.EXITED, code, stdout, stderr)


def documented_codes() -> dict[str, int]:
    """The exit codes that the installed planner's own driver names."""
    spec = importlib.util.find_spec("up_fast_downward")
    assert spec is not None and spec.submodule_search_locations
    path = Path(spec.submodule_search_locations[0]) / "downward" / "driver" / "returncodes.py"
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {
        node.targets[0].id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Constant)
    }


def test_the_table_holds_all_codes_that_the_planner_names() -> None:
    """And one that newer versions of it name."""
    assert set(EXIT_CODES) == set(documented_codes().values()) | {13}


@pytest.mark.parametrize(
    ("word", "outcomes"),
    [
        ("PLAN_FOUND", {PlanOutcome.SOLVED}),
        ("UNSOLVABLE", {PlanOutcome.UNSOLVABLE_PROVED}),
        ("UNSOLVED_INCOMPLETE", {PlanOutcome.UNSOLVABLE_INCOMPLETE}),
        ("UNSUPPORTED", {PlanOutcome.UNSUPPORTED}),
        ("CRITICAL_ERROR", {PlanOutcome.CRASH}),
        ("TRANSLATE_OUT_OF_MEMORY", {PlanOutcome.MEMOUT}),
        ("SEARCH_OUT_OF_TIME", {PlanOutcome.TIMEOUT}),
    ],
)
def test_the_codes_mean_what_their_names_say(word: str, outcomes: set[PlanOutcome]) -> None:
    assert {EXIT_CODES[code] for name, code in documented_codes().items() if word in name} == outcomes


def test_a_verdict_on_a_task_is_no_failure_of_the_machine() -> None:
    assert not any(outcome.infrastructure for outcome in PlanOutcome if outcome.judges)
    assert PlanOutcome.SOLVED.judges


def test_every_exit_code_has_an_outcome_and_none_makes_a_plan_of_nothing() -> None:
    codes = range(-64, 256)
    assert not [c for c in codes if classify(exited(c), has_plan=False) is PlanOutcome.SOLVED]
    unlisted = [c for c in codes if c not in EXIT_CODES]
    assert unlisted and not [c for c in unlisted if not classify(exited(c), has_plan=True).infrastructure]


@pytest.mark.parametrize("has_plan", [True, False])
def test_our_limits_come_before_the_exit_code(has_plan: bool) -> None:
    assert classify(ended(ChildStatus.TIMEOUT, 0), has_plan) is PlanOutcome.TIMEOUT
    assert classify(ended(ChildStatus.MEMORY, 0), has_plan) is PlanOutcome.MEMOUT
    assert classify(ended(ChildStatus.KILLED, -9), has_plan) is PlanOutcome.KILLED


def test_a_signal_that_a_driver_hands_on_is_still_a_signal() -> None:
    for signal in (6, 9, 11):
        assert classify(exited(256 - signal), has_plan=False) is PlanOutcome.KILLED


def test_legal_pddl_that_the_planner_cannot_read_is_unsupported() -> None:
    refusal = "Reason: Invalid requirement. Got: :durative-actions"
    assert classify(exited(31, refusal), has_plan=False) is PlanOutcome.UNSUPPORTED
    assert classify(exited(31, "Missing ')'"), has_plan=False) is PlanOutcome.INVALID_INPUT


def test_memory_that_runs_out_before_the_planner_can_say_so_is_a_memout() -> None:
    assert classify(exited(30, stderr="...\nMemoryError\n"), has_plan=False) is PlanOutcome.MEMOUT


def test_a_driver_that_dies_of_an_error_of_its_own_is_a_crash_though_its_code_means_a_plan() -> None:
    assert (
        classify(exited(1, stderr="Traceback (most recent call last)"), has_plan=False) is PlanOutcome.CRASH
    )


def test_a_planner_that_never_started_has_no_outcome() -> None:
    with pytest.raises(ValueError, match="PlannerMissing"):
        classify(ended(ChildStatus.MISSING, None), has_plan=False)
