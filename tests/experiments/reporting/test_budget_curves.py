"""Laws of the curves against budgets: from drawn searches, from records, and from runs."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from gripper_answers import answer
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_records import EPISODE, NODE, TASK

from agents.llm.stub import StubServer
from ew.score.rating import Outcome, Rating
from experiments.report import write_report
from experiments.reporting.budget_curves import BudgetPoint, budget_points, budget_tables, curves_csv
from experiments.reporting.charts import charts_of, curves_against_budget
from experiments.reporting.results import summarise
from experiments.reporting.statistics import Estimate
from experiments.run import main
from experiments.runs import load
from experiments.runs.directory import RunDirectory
from experiments.runs.frames import RunFrames
from experiments.runs.ledger import Ledger
from experiments.runs.records import EpisodeRecord, NodeRecord, Score, Spent, TaskOutcome, TaskRecord

BUDGETS = (10, 30, 100, 300)
ratings = st.builds(
    lambda outcome, ew, tasks: Rating(outcome, {Outcome.WALKED: ew, Outcome.SOLVED: 1.0}.get(outcome), tasks),
    st.sampled_from([Outcome.INVALID_DOMAIN, Outcome.NO_INITIAL_ACTION, Outcome.WALKED, Outcome.SOLVED]),
    st.floats(0, 1),
    st.integers(0, 1),
)
#: The candidates of one search: what each cost, and what became of it.
searches = st.lists(st.tuples(st.integers(1, 90), ratings), max_size=8)
#: Searches by method, then by environment and seed.
runs = st.dictionaries(
    st.sampled_from(["chain", "refine", "tree"]),
    st.dictionaries(st.tuples(st.sampled_from(["a", "b"]), st.integers(0, 1)), searches, min_size=1),
    min_size=1,
)
#: Every point takes two bootstraps, so a few runs take seconds.
few = settings(max_examples=8, deadline=None)
Run = dict[str, dict[tuple[str, int], list[tuple[int, Rating]]]]
Records = tuple[list[EpisodeRecord], dict[str, tuple[NodeRecord, ...]]]


def records_of(run: Run) -> Records:
    """The episodes of all searches at all budgets, with their nodes: those within the budget count."""
    episodes, nodes = [], {}
    for method, places in run.items():
        for (env, seed), made in places.items():
            for budget in BUDGETS:
                unit = f"{method} {env} {seed} {budget}"
                nodes[unit] = tuple(node(unit, i, *one) for i, one in enumerate(made, start=1))
                spent, best = 0, None
                for found, (cost, rating) in zip(nodes[unit], made, strict=True):
                    spent += cost
                    if spent <= budget and (best is None or best[1] < rating):
                        best = found, rating
                episodes.append(episode(unit, method, env, seed, budget, best))
    return episodes, nodes


def node(unit: str, number: int, cost: int, rating: Rating) -> NodeRecord:
    return replace(
        NODE, unit=unit, id=f"1.{number}", key=f"k{number}", outcome=rating.outcome.name,
        score=Score(rating.ew, world_queries=3), tasks_solved=rating.tasks, spent=Spent(1, cost, 0),
    )  # fmt: skip


def episode(
    unit: str, method: str, env: str, seed: int, budget: int, best: tuple[NodeRecord, Rating] | None
) -> EpisodeRecord:
    record = replace(
        EPISODE, unit=unit, method=method, env=env, seed=seed, budget_tokens=budget, best=None, outcome=None,
        ew=None, tasks=4, solved=0,
    )  # fmt: skip
    if best is None:
        return record
    found, rating = best
    solved = int(4 * (rating.ew or 0.0))
    return replace(record, best=found.id, outcome=found.outcome, ew=rating.ew, solved=solved)


def frames(episodes: Sequence[EpisodeRecord], nodes: Mapping[str, Sequence[NodeRecord]]) -> RunFrames:
    return RunFrames(episodes, (), [node for found in nodes.values() for node in found])


def curves(points: tuple[BudgetPoint, ...]) -> list[list[BudgetPoint]]:
    return [[p for p in points if p.method == m] for m in dict.fromkeys(p.method for p in points)]


@few
@given(runs)
def test_the_curves_of_ew_and_of_feedback_tasks_solved_never_fall(run: Run) -> None:
    points = budget_points(frames(*records_of(run)))
    for curve in curves(points):
        assert [p.budget for p in curve] == [*BUDGETS]
        for less, more in pairwise(curve):
            assert value(less.ew) <= value(more.ew) and value(less.found) <= value(more.found)


@few
@given(runs, st.data())
def test_they_never_fall_where_episodes_are_missing_either(run: Run, data: st.DataObject) -> None:
    """Every point of a curve is over the same environments and seeds, and the others are listed."""
    episodes, nodes = records_of(run)
    lost = data.draw(st.sets(st.sampled_from([e.unit for e in episodes])))
    points = budget_points(frames([e for e in episodes if e.unit not in lost], nodes))
    for curve in curves(points):
        assert len({p.over for p in curve}) == 1
        assert all(value(less.ew) <= value(more.ew) for less, more in pairwise(curve))
        method = curve[0].method
        whole = {
            place
            for place in run[method]
            if not any(f"{method} {place[0]} {place[1]} {p.budget}" in lost for p in curve)
        }
        assert set(curve[0].over) == whole


@pytest.mark.slow
@few
@given(runs, st.randoms(use_true_random=False))
def test_the_order_of_records_makes_no_difference(run: Run, random: Random) -> None:
    episodes, nodes = records_of(run)
    shuffled = {unit: random.sample(found, len(found)) for unit, found in nodes.items()}
    mixed = random.sample(episodes, len(episodes))
    assert budget_points(frames(mixed, shuffled)) == budget_points(frames(episodes, nodes))
    assert curves_csv(budget_points(frames(mixed, shuffled))) == curves_csv(
        budget_points(frames(episodes, nodes))
    )


@few
@given(runs)
def test_an_interval_holds_its_mean_and_lies_in_zero_to_one(run: Run) -> None:
    for point in budget_points(frames(*records_of(run))):
        for found in (point.solved, point.ew, point.found):
            low = value(found) if found.low is None else found.low
            high = value(found) if found.high is None else found.high
            assert -1e-9 <= low <= value(found) <= high <= 1 + 1e-9


@pytest.mark.slow
@few
@given(runs)
def test_every_point_is_what_the_tables_of_results_come_to(run: Run) -> None:
    """The share of tasks solved is the mean over environments and seeds of what `Results` counts."""
    episodes, nodes = records_of(run)
    by_cell = {(s.env, s.method): s for s in summarise(RunFrames(episodes, tasks_of(episodes)))}
    for point in budget_points(frames(episodes, nodes)):
        cells = [by_cell[env, f"{point.method}@{point.budget}-tokens"] for env in sorted({*places(point)})]
        seeds = sum(cell.seeds for cell in cells)
        solved = sum(value(cell.solve_rate) * cell.seeds for cell in cells) / seeds
        assert seeds == point.episodes and solved == pytest.approx(value(point.solved))


def places(point: BudgetPoint) -> Iterator[str]:
    yield from (env for env, _ in point.over)


def tasks_of(episodes: list[EpisodeRecord]) -> list[TaskRecord]:
    return [
        replace(
            TASK, unit=e.unit, env=e.env, method=e.method, seed=e.seed, task=number,
            budget_tokens=e.budget_tokens,
            outcome=TaskOutcome.SOLVED if number <= e.solved else TaskOutcome.TIMEOUT,
        )
        for e in episodes
        for number in range(1, e.tasks + 1)
    ]  # fmt: skip


def value(found: Estimate) -> float:
    assert found.mean is not None
    return found.mean


def test_a_candidate_on_its_second_task_has_solved_the_first() -> None:
    one = replace(EPISODE, method="refine", budget_tokens=10, ew=0.9)
    other = replace(one, unit="v", budget_tokens=20, ew=0.2)
    nodes = {"u": (NODE,), "v": (replace(NODE, unit="v", tasks_solved=1),)}
    points = budget_points(frames([one, other], nodes))
    assert [(p.ew.mean, p.found.mean) for p in points] == [(0.9, 0.0), (1.0, 1.0)]


def test_folders_of_one_name_are_two_environments() -> None:
    one = replace(EPISODE, env="x/world", budget_tokens=10)
    points = budget_points(frames([one, replace(one, unit="v", env="y/world", budget_tokens=20)], {}))
    assert points == ()


def test_what_a_curve_leaves_out_and_curves_over_different_seeds_are_said() -> None:
    both = [replace(EPISODE, unit=str(b), budget_tokens=b) for b in (10, 20)]
    more = replace(EPISODE, unit="m", seed=1, budget_tokens=10)
    (table,) = budget_tables(budget_points(frames([*both, more], {})))
    assert "Left out of tree, as not at all of its budgets: grippers seed 1." in table.notes
    other = replace(EPISODE, unit="c", method="chain", seed=1, budget_tokens=10)
    (table,) = budget_tables(budget_points(frames([*both, other], {})))
    assert any("do not compare" in note for note in table.notes)
    (table,) = budget_tables(budget_points(frames(both, {})))
    assert len(table.notes) == 2


def test_both_curves_are_drawn_with_their_intervals(tmp_path: Path) -> None:
    ledger = Ledger(RunDirectory.open(tmp_path, {}, {}))
    for seed, ew in ((0, 0.25), (1, 0.75)):
        unit = f"u{seed}"
        ledger.add_node(replace(NODE, unit=unit))
        ledger.add_episode(replace(EPISODE, unit=unit, seed=seed, ew=ew, budget_tokens=10))
    solved, ew_chart = curves_against_budget(load(tmp_path))
    assert (solved.name, ew_chart.name) == ("solve-rate-budget-tokens", "ew-budget-tokens")
    (line,) = (series.line for series in ew_chart.series)
    assert [(p.x, p.y, p.low, p.high) for p in line] == [(10, 0.5, 0.25, 0.75)]


def test_curves_of_a_simulated_model_say_so(tmp_path: Path) -> None:
    profiles = {"any": {"model": "simulated:weak", "endpoint": "simulated"}}
    run = RunDirectory.open(tmp_path, {}, {"profiles": profiles})
    ledger = Ledger(run)
    ledger.add_node(NODE)
    ledger.add_episode(replace(EPISODE, budget_tokens=10))
    write_report(run, ledger)
    (row,) = rows(run.path / "curves.csv")
    assert row["simulated"] == "simulated:weak"
    assert all("simulated" in chart.title.lower() for chart in charts_of(load(tmp_path)))
    named = list((run.path / "tables").glob("simulated-*-solve-rate-against-tokens.csv"))
    assert len(named) == 1 and rows(named[0])[0]["tokens"] == "10"


SMALL = ("--env", "grippers", "--tasks", "1", "--walks", "20", "--t-max", "5", "--turns", "2")


def budgets(out: Path, *flags: str) -> Path:
    with StubServer(answer) as server:
        live = ["budgets", "--base-url", server.url, "--out", str(out), "--tokens", "4000", "8000"]
        assert main([*live, *SMALL, *flags]) == 0
    return out


def rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.open(encoding="utf-8")))


def test_curves_of_a_run_are_its_results_and_what_is_equal_is_evaluated_once(tmp_path: Path) -> None:
    run = budgets(tmp_path, "--method", "chain", "--seeds", "0", "--executor", "serial")
    found, results = rows(run / "curves.csv"), rows(run / "results.csv")
    for row in found:
        solved = [r["outcome"] == "solved" for r in results if r["budget_tokens"] == row["budget"]]
        assert solved and float(row["solved"]) == sum(solved) / len(solved)
    assert [float(row["ew"]) for row in found] == [0.0, 1.0]
    events = map(json.loads, (run / "events.jsonl").read_text(encoding="utf-8").splitlines())
    walls: dict[str, list[float]] = {}
    for event in events:
        if event["event"] == "node" and event["domain"] is not None:
            walls.setdefault(event["id"], []).append(event["wall_s"])
    assert max(map(len, walls.values())) == 2 and all(len({*seconds}) == 1 for seconds in walls.values())


@pytest.mark.slow
def test_curves_are_the_same_of_equal_runs_and_under_any_workers(tmp_path: Path) -> None:
    ways = {
        "one": ("--executor", "serial", "--episodes", "1"),
        "workers": ("--executor", "process", "--workers", "2", "--episodes", "3"),
    }
    wanted = ("--method", "chain", "refine", "--seeds", "0")
    curves = [
        (budgets(tmp_path / name, *wanted, *way) / "curves.csv").read_bytes() for name, way in ways.items()
    ]
    assert curves[0] == curves[1]


@pytest.mark.slow
def test_no_method_s_curve_of_ew_falls_with_a_model_that_errs(tmp_path: Path) -> None:
    methods = ("chain", "tree", "best-of-n", "restarts", "refine", "refine+repair")
    size = ("--env", "grippers", "--seeds", "0", "--tasks", "1", "--walks", "10", "--t-max", "5")
    flags = ("--method", *methods, "--tokens", "3000", "6000", "--executor", "serial")
    assert main(["budgets", "--model", "simulated:weak", *size, *flags, "--out", str(tmp_path)]) == 0
    found = rows(tmp_path / "curves.csv")
    assert {row["method"] for row in found} == {*methods}
    for method in methods:
        curve = [row for row in found if row["method"] == method]
        assert [int(row["budget"]) for row in curve] == [3000, 6000]
        for less, more in pairwise(curve):
            assert float(less["ew"]) <= float(more["ew"])
            assert float(less["feedback_solved"]) <= float(more["feedback_solved"])
