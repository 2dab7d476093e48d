"""Tables: from records, in any order, to the same text."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import replace
from itertools import cycle, permutations

import pytest

from experiments.reporting.results import (
    Summary,
    cost_table,
    outcome_table,
    refinement_table,
    result_table,
    results_csv,
    summarise,
)
from experiments.reporting.tables import Table, latex, markdown
from experiments.runs.frames import RunFrames
from experiments.runs.records import EpisodeRecord, NodeRecord, Score, Spent, TaskOutcome, TaskRecord

EPISODE = EpisodeRecord(
    "u0", "grippers", "tree", 0, "1.1", "SOLVED", 1.0, True, 6, 1, 2, Spent(9, 90, 9), 40, 2.5
)
TASK = TaskRecord("u0", "grippers", "tree", 0, 1, TaskOutcome.SOLVED, Score(1.0, 1.0, 1.0, 0.01, 9, "scored"),
                  5, None, "", Spent(1, 10, 1), 0.25)  # fmt: skip
LOST = replace(TASK, task=2, outcome=TaskOutcome.NO_PROBLEM, score=Score(), plan_length=None)
EPISODES = (EPISODE, replace(EPISODE, unit="u1", seed=1, wall_s=1.5))
TASKS = (TASK, LOST, replace(TASK, unit="u1", seed=1), replace(TASK, unit="u1", seed=1, task=2))


def summarised(episodes: Iterable[EpisodeRecord], tasks: Iterable[TaskRecord]) -> tuple[Summary, ...]:
    return summarise(RunFrames(tuple(episodes), tuple(tasks)))


def csv_of(tasks: Iterable[TaskRecord]) -> str:
    return results_csv(RunFrames((), tuple(tasks)).tasks)


def test_the_summary_takes_all_seeds_together() -> None:
    (found,) = summarised(EPISODES, TASKS)
    assert (found.seeds, found.solve_rate.mean, found.solve_rate.n) == (2, 0.75, 4)
    assert found.ew is not None and found.ew.mean == 0.75 and found.ew_unscored == 1
    assert (found.best_solve_rate, found.best_ew) == (1.0, 1.0)
    assert found.outcomes == {"no_problem": 1, "solved": 3}
    assert (found.spent, found.world_queries, found.wall_s) == (Spent(18, 180, 18), 80, 4.0)


def test_the_best_seed_is_one_seed_with_both_of_its_numbers() -> None:
    worse = replace(TASK, score=Score(0.5, 0.5, 0.5))
    tasks = (worse, replace(worse, task=2), replace(LOST, unit="u1", seed=1, score=TASK.score),
             replace(TASK, unit="u1", seed=1, task=1))  # fmt: skip
    (found,) = summarised(EPISODES, tasks)
    assert (found.best_solve_rate, found.best_ew) == (1.0, 0.5)
    equal = (worse, replace(TASK, unit="u1", seed=1))
    (found,) = summarised(EPISODES, equal)
    assert (found.best_solve_rate, found.best_ew) == (1.0, 1.0)


def test_ew_is_equation_2_over_the_tasks_of_a_seed_and_the_mean_of_their_scores_stays_beside_it() -> None:
    directions = [(1.0, 0.5), (0.5, 1.0)]
    tasks = [replace(TASK, task=n, score=Score(2 / 3, *both)) for n, both in enumerate(directions, start=1)]
    (found,) = summarised([EPISODE], tasks)
    assert found.ew is not None and found.ew.mean == 0.75 == found.best_ew
    assert found.ew_mean_of_tasks is not None and round(found.ew_mean_of_tasks.mean or 0, 6) == 0.666667
    assert found.ew_forward == found.ew_backward
    table = result_table([found])
    assert table.rows[0][4:] == ("0.75", "1.00 / 0.75") and any("Equation 2" in note for note in table.notes)
    assert [row["ew"] for row in csv.DictReader(csv_of(tasks).splitlines())] == ["0.666666"] * 2
    two_seeds = [EPISODE, EPISODES[1]]
    (found,) = summarised(two_seeds, [tasks[0], replace(tasks[1], unit="u1", seed=1)])
    assert found.ew is not None and round(found.ew.mean or 0, 6) == 0.666667  # over seeds it is a plain mean


def test_a_score_without_its_directions_is_refused() -> None:
    with pytest.raises(ValueError, match="without its two directions"):
        summarised([EPISODE], [replace(TASK, score=Score(0.5))])


def test_a_method_with_a_budget_is_another_one() -> None:
    bound = [replace(EPISODES[1], budget_tokens=n, unit=f"b{n}") for n in (900, 80)]
    tasks = [replace(TASK, unit=e.unit, budget_tokens=e.budget_tokens) for e in bound]
    found = summarised([EPISODE, *bound], [TASK, *tasks])
    assert [s.method for s in found] == ["tree", "tree@80-tokens", "tree@900-tokens"]
    rows = csv.DictReader(csv_of([*tasks, TASK]).splitlines())
    assert [row["budget_tokens"] for row in rows] == ["", "80", "900"]


def test_the_order_of_the_records_makes_no_difference() -> None:
    texts = {csv_of(order) for order in permutations(TASKS)}
    summaries = {
        repr(summarised(EPISODES[::step], order))
        for order, step in zip(permutations(TASKS), cycle((1, -1)), strict=False)
    }
    assert len(texts) == 1 and len(summaries) == 1


def test_results_hold_no_times() -> None:
    assert csv_of(TASKS) == csv_of([replace(t, wall_s=99.0) for t in TASKS])
    assert csv_of([LOST]).splitlines()[1] == "grippers,tree,0,2,no_problem,,,,,,,none,0,1,10,1,,,,,0,"


def test_an_episode_without_an_end_mark_is_in_no_summary() -> None:
    (found,) = summarised(EPISODES[:1], TASKS)
    assert found.seeds == 1 and found.solve_rate.mean == 0.5


def test_methods_without_a_model_have_no_ew() -> None:
    (found,) = summarised([replace(EPISODE, makes_model=False, best=None)], [replace(TASK, score=Score())])
    assert found.ew is None and found.best_ew is None and found.ew_unscored == 0
    assert result_table([found]).rows[0][4:] == ("–", "1.00 / –")


def test_a_method_that_ends_without_a_model_agrees_with_nothing() -> None:
    lost = replace(EPISODE, best=None, outcome=None, ew=None, candidates=0)
    (found,) = summarised([lost], [replace(LOST, outcome=TaskOutcome.NO_DOMAIN)])
    assert found.ew is not None and found.ew.mean == 0.0 and found.ew_unscored == 1


def test_the_tables_say_what_the_summary_says() -> None:
    found = summarised(EPISODES, TASKS)
    assert result_table(found).columns[-1] == "Best@2"
    assert result_table(found).rows[0][:3] == ("grippers", "tree", "2")
    assert outcome_table(found).rows == (("grippers", "tree", "1 no_problem, 3 solved", "0", "1", "0"),)
    assert cost_table(found).rows[0][2:] == ("12", "18", "180", "18", "80", "4.0")


def test_nothing_gives_empty_tables() -> None:
    assert summarised((), ()) == () and csv_of(()).count("\n") == 1 and result_table(()).rows == ()


def test_markdown_and_latex_escape_what_they_must() -> None:
    table = Table("T", ("a|b", "c"), (("no_plan", "5 %"),))
    assert markdown(table) == "T\n\n| a\\|b | c |\n| --- | --- |\n| no_plan | 5 % |\n"
    assert r"no\_plan & 5 \% \\" in latex(table) and r"\begin{tabular}{ll}" in latex(table)


def test_notes_stand_under_a_table() -> None:
    table = Table("T", ("a",), (("b",),), ("Mind the gap.",))
    assert markdown(table).endswith("| b |\n\nMind the gap.\n") and "% Mind the gap." in latex(table)


def test_refinement_is_counted_turn_by_turn_and_roots_are_no_candidates() -> None:
    def node(id: str, ew: float | None, outcome: str = "WALKED") -> NodeRecord:
        return NodeRecord("u0", id, id, outcome, Score(ew), None, None, "", None, None, None, 0.0)

    nodes = [
        node("1", None, "NO_EDIT"),
        node("1.1", 0.5),
        node("1.2", None, "INVALID_DOMAIN"),
        node("1.1.1", 0.25),
        node("1.1.2", 1.0, "SOLVED"),
    ]
    for order in [*permutations(nodes)][::7]:
        assert refinement_table(RunFrames([EPISODE], (), order)).rows == (
            ("grippers", "tree", "1", "2", "1", "0.50", "0.50", "0"),
            ("grippers", "tree", "2", "2", "0", "0.62", "1.00", "1"),
        )
    assert refinement_table(RunFrames([replace(EPISODE, unit="other")], (), nodes)).rows == ()


def test_where_nothing_was_walked_there_is_no_best_score() -> None:
    node = NodeRecord("u0", "1.1", "k", "NO_EDIT", Score(), None, "NoEdit", "", "p", "d", "r", 0.1)
    assert refinement_table(RunFrames([EPISODE], (), [node])).rows == (
        ("grippers", "tree", "1", "1", "1", "–", "–", "0"),
    )
