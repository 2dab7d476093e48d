"""Planning: plans, every other ending, and calls that leave nothing behind and never meet."""

from __future__ import annotations

import contextlib
import os
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from envs.pddl.planning.planner import Planner, PlannerMissing, PlanOutcome

DOMAIN = """
(define (domain ferry) (:requirements :strips :typing)
  (:types place car)
  (:predicates (at-ferry ?p - place) (at ?c - car ?p - place) (on ?c - car) (empty))
  (:action sail :parameters (?from ?to - place)
    :precondition (at-ferry ?from) :effect (and (at-ferry ?to) (not (at-ferry ?from))))
  (:action board :parameters (?c - car ?p - place)
    :precondition (and (at ?c ?p) (at-ferry ?p) (empty))
    :effect (and (on ?c) (not (at ?c ?p)) (not (empty))))
  (:action debark :parameters (?c - car ?p - place)
    :precondition (and (on ?c) (at-ferry ?p)) :effect (and (at ?c ?p) (empty) (not (on ?c)))))
"""


def problem(goal: str, cars: int = 2, init: str = "(empty)") -> str:
    names = [f"c{i}" for i in range(cars)]
    return f"""
(define (problem crossing) (:domain ferry)
  (:objects A B - place {" ".join(names)} - car)
  (:init (at-ferry a) {init} {" ".join(f"(at {n} a)" for n in names)})
  (:goal {goal}))
"""


GOAL = "(and (at c0 b) (at c1 b))"
#: A pigeonhole: no plan, and far too many states to find that out.
HARD_DOMAIN = """
(define (domain holes) (:requirements :strips :typing) (:types pigeon hole)
  (:predicates (free ?h - hole) (in ?p - pigeon ?h - hole) (housed ?p - pigeon) (out ?p - pigeon))
  (:action enter :parameters (?p - pigeon ?h - hole) :precondition (and (out ?p) (free ?h))
    :effect (and (in ?p ?h) (housed ?p) (not (free ?h)) (not (out ?p))))
  (:action leave :parameters (?p - pigeon ?h - hole) :precondition (in ?p ?h)
    :effect (and (out ?p) (free ?h) (not (in ?p ?h)) (not (housed ?p)))))
"""


def holes(count: int) -> str:
    pigeons = [f"p{i}" for i in range(count + 1)]
    return f"""
(define (problem full) (:domain holes)
  (:objects {" ".join(pigeons)} - pigeon {" ".join(f"h{i}" for i in range(count))} - hole)
  (:init {" ".join(f"(free h{i})" for i in range(count))} {" ".join(f"(out {p})" for p in pigeons)})
  (:goal (and {" ".join(f"(housed {p})" for p in pigeons)})))
"""


def test_a_plan_comes_back_as_canonical_operator_texts() -> None:
    result = Planner().plan(DOMAIN, problem("(at c0 b)"))
    assert result.outcome is PlanOutcome.SOLVED
    assert result.plan == ("(board c0 a)", "(sail a b)", "(debark c0 b)")
    assert result.wall_s > 0 and "Solution found" in result.log_tail


def test_a_goal_that_already_holds_has_the_empty_plan() -> None:
    assert Planner().plan(DOMAIN, problem("(at c0 a)")).plan == ()


def test_an_action_without_parameters_is_one_word() -> None:
    domain = "(define (domain d) (:predicates (p)) (:action go :parameters () :effect (p)))"
    task = "(define (problem t) (:domain d) (:init) (:goal (p)))"
    assert Planner().plan(domain, task).plan == ("(go)",)


def test_the_same_task_gets_the_same_plan_under_any_hash_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    plans = set()
    for seed in ("0", "1"):
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        plans.add(Planner().plan(DOMAIN, problem(GOAL, cars=5)).plan)
    assert len(plans) == 1


@pytest.mark.parametrize(
    ("domain", "task", "outcome"),
    [
        (DOMAIN, problem("(and (at c0 a) (at c0 b))"), PlanOutcome.UNSOLVABLE_PROVED),
        (DOMAIN, problem("(on c0)", init=""), PlanOutcome.UNSOLVABLE_PROVED),
        (HARD_DOMAIN, holes(3), PlanOutcome.UNSOLVABLE_PROVED),
        ("(define (domain", problem(GOAL), PlanOutcome.INVALID_INPUT),
        (DOMAIN, problem(GOAL).replace("(:goal", "(:gaol"), PlanOutcome.INVALID_INPUT),
        (DOMAIN.replace("(on ?c) (at-ferry", "(onn ?c) (at-ferry"), problem(GOAL), PlanOutcome.INVALID_INPUT),
        (DOMAIN.replace(":strips", ":durative-actions"), problem(GOAL), PlanOutcome.UNSUPPORTED),
        (
            DOMAIN.replace("?from ?to - place", "?from ?to - (either place car)"),
            problem(GOAL),
            PlanOutcome.UNSUPPORTED,
        ),
    ],
    ids=[
        "contradictory",
        "unreachable",
        "exhausted",
        "cut off",
        "no goal",
        "undeclared",
        "requirement",
        "either",
    ],
)
def test_every_other_ending_has_its_name_and_no_plan(domain: str, task: str, outcome: PlanOutcome) -> None:
    result = Planner().plan(domain, task)
    assert result.outcome is outcome and result.plan is None and result.log_tail


def test_a_search_that_the_planner_does_not_know_is_our_crash_and_not_a_verdict_on_the_task() -> None:
    result = Planner(search="no_such_search()").plan(DOMAIN, problem(GOAL))
    assert result.outcome is PlanOutcome.CRASH and result.outcome.infrastructure


def test_an_error_inside_the_planner_is_its_own_and_not_a_verdict_on_the_task() -> None:
    result = Planner().plan(DOMAIN, "")  # its parser raises on a text without any form
    assert result.outcome is PlanOutcome.CRASH and "Traceback" in result.log_tail


def test_a_hard_task_ends_at_the_wall_limit() -> None:
    result = Planner(wall_s=0.5).plan(HARD_DOMAIN, holes(12))
    assert result.outcome is PlanOutcome.TIMEOUT and result.plan is None


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is limited on Linux only")
@pytest.mark.parametrize("memory_mb", [10, 45])
def test_a_hard_task_ends_at_the_memory_limit(memory_mb: int) -> None:
    result = Planner(memory_mb=memory_mb).plan(HARD_DOMAIN, holes(12))
    assert result.outcome is PlanOutcome.MEMOUT


def everything_below(folder: Path) -> set[Path]:
    return set(folder.rglob("*"))


def test_parallel_calls_from_one_folder_do_not_meet_and_leave_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, temporary = tmp_path / "here", tmp_path / "temporary"
    here.mkdir()
    temporary.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    tasks = [problem("(and " + " ".join(f"(at c{i} b)" for i in range(n)) + ")", cars=n) for n in range(1, 6)]
    with ThreadPoolExecutor(5) as pool:
        plans = [result.plan for result in pool.map(lambda task: Planner().plan(DOMAIN, task), tasks)]
    for cars, plan in enumerate(plans, start=1):
        assert plan is not None
        assert sorted(step for step in plan if step.startswith("(board")) == sorted(
            f"(board c{i} a)" for i in range(cars)
        )
    assert everything_below(here) == set() and everything_below(temporary) == set()


def test_an_early_end_leaves_no_file_and_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert Planner(wall_s=0.5).plan(HARD_DOMAIN, holes(12)).outcome is PlanOutcome.TIMEOUT
    assert everything_below(tmp_path) == set()
    if sys.platform.startswith("linux"):
        assert not processes_that_know(tmp_path)


def processes_that_know(folder: Path) -> list[Path]:
    """The processes with `folder` in their environment, as every child of a planning call has."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if str(folder).encode() in (entry / "environ").read_bytes():
                found.append(entry)
    return found


def test_check_names_the_version() -> None:
    assert "Fast Downward" in Planner().check()


def test_the_driver_can_be_named_by_file_or_folder_also_from_another_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = Path(Planner()._command()[-1])
    monkeypatch.chdir(driver.parent)
    planners = [Planner(path=driver.name), Planner(path="."), Planner(path=str(driver.parent))]
    monkeypatch.chdir(tmp_path)
    for planner in planners:
        assert planner.plan(DOMAIN, problem("(at c0 b)")).plan == (
            "(board c0 a)",
            "(sail a b)",
            "(debark c0 b)",
        )


def script(path: Path, body: str) -> str:
    path.write_text(f"#!{sys.executable}\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


@pytest.mark.skipif(os.name != "posix", reason="executable scripts are POSIX")
def test_another_executable_with_the_same_command_line_is_run_as_it_is(tmp_path: Path) -> None:
    fake = script(
        tmp_path / "planner", 'open("plan", "w", encoding="utf-8").write("(GO  a b )\\n; cost = 1\\n")'
    )
    assert Planner(path=fake).plan(DOMAIN, problem(GOAL)).plan == ("(go a b)",)


@pytest.mark.skipif(os.name != "posix", reason="executable scripts are POSIX")
@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ("", PlanOutcome.CRASH),  # says it has a plan, and there is none
        ('open("plan", "wb").write(b"(\xff)")', PlanOutcome.CRASH),  # no text
        ('open("plan", "w").write("((go a) (go b))")', PlanOutcome.CRASH),  # no operators
        ("raise SystemExit(77)", PlanOutcome.CRASH),
        ("import os; os.kill(os.getpid(), 9)", PlanOutcome.KILLED),
        ("raise SystemExit(256 - 11)", PlanOutcome.KILLED),
    ],
)
def test_a_broken_planner_is_infrastructure(tmp_path: Path, body: str, outcome: PlanOutcome) -> None:
    planner = Planner(path=script(tmp_path / "planner", body))
    assert planner.plan(DOMAIN, problem(GOAL)).outcome is outcome
    with pytest.raises(PlannerMissing):
        planner.check()


def test_a_missing_planner_raises_and_says_how_to_mend_it(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no program", encoding="utf-8")
    for path in [tmp_path / "absent", tmp_path, tmp_path / "text"]:
        planner = Planner(path=str(path))
        for call in (planner.check, lambda planner=planner: planner.plan(DOMAIN, problem(GOAL))):
            with pytest.raises(PlannerMissing, match="--planner PATH"):
                call()


def test_an_absent_wheel_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("envs.pddl.planning.planner._WHEEL", "no_such_wheel")
    with pytest.raises(PlannerMissing, match=r"no_such_wheel.*pip install"):
        Planner().check()


def test_planner_results_and_errors_survive_pickling() -> None:
    planner = Planner(wall_s=5)
    result = planner.plan(DOMAIN, problem("(at c0 b)"))
    error = PlannerMissing("nowhere")
    assert pickle.loads(pickle.dumps((planner, result))) == (planner, result)  # noqa: S301 (our own bytes)
    assert str(pickle.loads(pickle.dumps(error))) == "nowhere"  # noqa: S301 (our own bytes)


@pytest.mark.parametrize("search", ["eager_wastar([ff()], w=1)", "lazy_greedy([ff()])"])
def test_a_search_that_goes_through_all_states_proves_that_there_is_no_plan(search: str) -> None:
    found = Planner(search=search).plan(HARD_DOMAIN, holes(3))
    assert found.outcome is PlanOutcome.UNSOLVABLE_PROVED


def test_a_search_with_a_bound_that_finds_no_plan_proves_nothing() -> None:
    """The same task is solved without the bound."""
    domain = (
        "(define (domain steps) (:predicates (a) (b) (c)) "
        "(:action one :parameters () :precondition (a) :effect (and (b) (not (a)))) "
        "(:action two :parameters () :precondition (b) :effect (and (c) (not (b)))))"
    )
    problem = "(define (problem p) (:domain steps) (:init (a)) (:goal (c)))"
    bounded = Planner(search="lazy_greedy([ff()], bound=1)")
    assert Planner().plan(domain, problem).outcome is PlanOutcome.SOLVED
    assert bounded.plan(domain, problem).outcome is PlanOutcome.UNSOLVABLE_INCOMPLETE
