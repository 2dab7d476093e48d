"""What a user sees: plain lines off a terminal, one live line on it."""

from __future__ import annotations

import io
import logging
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from rich.console import Console
from sample_records import EPISODE, NODE, REPAIRED, TASK

from envs.pddl.diagnosis.diagnose import diagnose
from envs.pddl.language.issues import Diagnosis
from ew.counterexample.feedback import (
    EditsRefused,
    Failure,
    Faults,
    InsaneDomain,
    NoEdit,
    NoInitialAction,
    render_failure,
)
from ew.score.rating import Outcome
from ew.walks.budget import SimulatorCost
from ew.walks.simulator_cost import Meter
from experiments.config import RunConfig
from experiments.driver.job import stall_after_s
from experiments.driver.run_plan import RunPlan
from experiments.runs.progress import Counters, Progress, first_fault, simulators_shown, warnings_shown_by
from experiments.runs.records import Score


def watched(*, terminal: bool, units: int = 1, at_once: int = 1) -> tuple[Progress, io.StringIO]:
    out = io.StringIO()
    console = Console(file=out, force_terminal=terminal, width=200, legacy_windows=False)
    return Progress(console, lambda: Counters(7, 2, 12345, 1), units, at_once), out


def tell(progress: Progress) -> None:
    with progress:
        episode = progress.episode("grippers-tree-0", 12)
        episode.node(NODE, "walked EW 0.500")
        episode.task(TASK)
        episode.done(EPISODE)


def test_off_a_terminal_every_event_is_one_plain_line() -> None:
    progress, out = watched(terminal=False)
    tell(progress)
    assert out.getvalue().splitlines() == [
        "grippers-tree-0: at most 12 candidates",
        "  node 1.2: walked EW 0.500",
        "  task 3: solved, plan of 5 steps",
        "  solved 1 of 1 tasks in 0.3 s",
    ]


def test_an_episode_whose_model_agrees_says_what_was_not_seen() -> None:
    progress, out = watched(terminal=False)
    record = replace(EPISODE, ew=1.0, not_exercised=("drop", "pick"))
    progress.episode("grippers-tree-0", 12).done(record)
    assert out.getvalue().splitlines()[-1] == (
        "  the model agrees as far as seen; no walk executed in the environment: drop, pick"
    )


def test_lines_of_several_episodes_at_once_name_their_episode() -> None:
    progress, out = watched(terminal=False, units=2, at_once=2)
    first, second = (progress.episode(f"grippers-tree-{seed}", 12) for seed in (0, 1))
    second.node(NODE, "walked EW 0.500")
    first.say("problem 2 cannot be used")
    assert out.getvalue().splitlines()[2:] == [
        "grippers-tree-1: node 1.2: walked EW 0.500",
        "grippers-tree-0: problem 2 cannot be used",
    ]


def test_a_repair_tells_its_edits_and_the_score_before_and_nobody_comes_between() -> None:
    progress, out = watched(terminal=False)
    progress.episode("grippers-tree-0", 12).node(REPAIRED, "walked EW 0.500", 0.25)
    assert out.getvalue().splitlines()[1:] == [
        "  node 1.2: repair of 1 (EW 0.250), 812 world queries, no language model",
        "    - add (a) to the effect of b",
        "  node 1.2: walked EW 0.500",
    ]


@pytest.mark.parametrize(
    ("outcome", "failure", "words"),
    [
        (Outcome.NO_ANSWER, NoEdit("The answer was empty."), "no_answer: The answer was empty."),
        (Outcome.NO_EDIT, NoEdit(), "no_edit"),
        (Outcome.NO_EDIT, NoEdit("No call was found."), "no_edit: No call was found."),
        (Outcome.REFUSED_EDIT, EditsRefused(("one is wrong", "two")), "refused_edit: one is wrong"),
        (Outcome.INSANE_DOMAIN, InsaneDomain(("move", "pick")), "insane_domain: move"),
        (Outcome.NO_INITIAL_ACTION, NoInitialAction("a state"), "no_initial_action"),
        (Outcome.REFUSED_EDIT, EditsRefused(("x" * 500,)), f"refused_edit: {'x' * 200}..."),
    ],
)
def test_an_unusable_candidate_says_its_first_fault(outcome: Outcome, failure: Failure, words: str) -> None:
    progress, out = watched(terminal=False)
    record = replace(NODE, outcome=outcome.name, score=Score(), feedback=render_failure(failure))
    progress.episode("grippers-tree-0", 12).node(record, "-")
    assert out.getvalue().splitlines()[1:] == [f"  node 1.2: {words}"]


def test_errors_of_pddl_say_the_first_with_its_place() -> None:
    issues = diagnose("(define (domain d) (:predicates (p ?x)) (:action a :effect (and (q) (r))))").errors
    text = render_failure(Faults(Diagnosis(issues)))
    found = first_fault(replace(NODE, outcome="INVALID_DOMAIN", feedback=text))
    assert found.startswith("domain:1:") and "q" in found and "\n" not in found


@pytest.mark.parametrize(
    ("llm", "timeout_s", "least"), [("recorded", 180.0, 60), ("live", 600.0, 601), ("live", None, 900)]
)
def test_nothing_is_said_within_the_time_that_a_request_may_take(
    llm: Literal["recorded", "live"], timeout_s: float | None, least: float
) -> None:
    plan = RunPlan(RunConfig(request_timeout_s=timeout_s), llm, Path("out"), ())
    assert stall_after_s(plan) >= least


def test_on_a_terminal_the_live_line_counts_and_goes_away() -> None:
    progress, out = watched(terminal=True)
    with progress:
        progress.episode("grippers-tree-0", 12).node(NODE, "walked EW 0.500")
        line = str(progress._line())
    assert "candidates 1/12 · best walked EW 0.500 · calls 7 (+2 cached) · tokens 12,345" in line
    assert out.getvalue().endswith("\x1b[?25h") or "\x1b[2K" in out.getvalue()
    progress.stop()


def test_the_live_line_shows_cost_and_what_went_wrong_with_calls() -> None:
    console = Console(file=io.StringIO(), width=200)
    counters = Counters(7, 0, 12345, failed=1, retries=3, not_whole=2, cost="0.0312 USD")
    line = str(Progress(console, lambda: counters)._line())
    assert "tokens 12,345 · cost 0.0312 USD · retries 3 · not whole 2 · failed calls 1" in line
    quiet = str(Progress(console, lambda: Counters(7, 0, 12345))._line())
    assert not any(word in quiet for word in ("cost", "retries", "not whole", "failed"))


def test_the_live_line_sums_over_the_episodes_under_way() -> None:
    progress, _ = watched(terminal=True, units=4, at_once=2)
    first, second = (progress.episode(f"grippers-tree-{seed}", 12) for seed in (0, 1))
    first.node(NODE, "walked EW 0.500")
    second.node(NODE, "walked EW 0.500")
    assert str(progress._line()).startswith("2 episodes (0/4) · candidates 2/24 · calls 7")
    first.done(EPISODE)
    assert str(progress._line()).startswith("grippers-tree-1 (1/4) · candidates 1/12 · best walked EW")
    second.stopped()
    assert str(progress._line()).startswith("0 episodes (1/4) · calls 7")


def test_the_live_line_says_what_finished_work_took_of_simulators() -> None:
    progress, _ = watched(terminal=True)
    episode = progress.episode("lake-tree-0", 12)
    episode.node(NODE, "walked EW 0.500")
    assert "simulators" not in str(progress._line())
    node = replace(NODE, id="1.3", score=replace(NODE.score, simulator=SimulatorCost(900, 5, 100)))
    episode.node(node, "walked EW 0.500")
    episode.node(replace(node, id="1.4"), "walked EW 0.500")  # an equal one is not walked again
    episode.task(replace(TASK, score=replace(TASK.score, simulator=SimulatorCost(1, 1, 0))))
    assert " · in simulators: 1,001 operators tried, 6 resets · " in str(progress._line())


def test_warnings_become_lines_inside_and_only_there() -> None:
    progress, out = watched(terminal=False)
    with warnings_shown_by(progress):
        logging.getLogger("agents.llm").warning("waiting on %s", "endpoint")
    logging.getLogger("agents.llm").warning("not told")
    assert out.getvalue() == "  warning: waiting on endpoint\n"


@pytest.mark.parametrize("terminal", [False, True])
def test_a_line_says_what_is_tried_in_simulators_on_a_terminal_alone(terminal: bool) -> None:
    out = io.StringIO()
    console = Console(file=out, force_terminal=terminal, width=200, legacy_windows=False)
    with simulators_shown(console):
        assert out.getvalue() == ""  # nothing is walked in yet
        for _ in range(3):
            Meter().count(steps=1000, resets=2, refused=7)
    assert ("in simulators: 3,021 operators tried, 6 resets" in out.getvalue()) == terminal
    assert terminal or out.getvalue() == ""
