"""Methods side by side: every cell in its place, what differs is marked, differences are paired."""

from __future__ import annotations

from dataclasses import replace

from experiments.reporting.comparison import (
    Cells,
    best_table,
    comparison_tables,
    differences_table,
    methods_table,
)
from experiments.reporting.results import Summary
from experiments.reporting.statistics import Estimate
from experiments.runs.records import Spent


def cell(env: str, method: str, solved: float, ew: float | None, seeds: int = 4) -> Summary:
    """A cell whose mean and best are the same."""
    estimate = None if ew is None else Estimate(seeds, ew)
    spent = Spent(seeds * 10, seeds * 1000, seeds * 100)
    return Summary(
        env, method, seeds, Estimate(40, solved), estimate, 0, solved, ew, {}, seeds * 5, spent, seeds * 7,
        seeds * 2.0, tasks=10, np=5, nd=10, turns=4, protocol="apart",
    )  # fmt: skip


FULL = (
    cell("barman", "tree", 0.0, 1.0),
    cell("barman", "intrinsic", 0.0, None),
    cell("termes", "tree", 1.0, 0.5),
    cell("termes", "intrinsic", 0.5, None),
)


def test_rows_are_environments_columns_methods_and_the_last_row_averages() -> None:
    table = best_table(Cells.of(FULL))
    assert table.columns == ("env", "intrinsic", "tree") and table.title.startswith("Best@4")
    assert table.rows == (
        ("barman", "0.00 / –", "0.00 / 1.00"),
        ("termes", "0.50 / –", "1.00 / 0.50"),
        ("Average", "0.25 / –", "0.50 / 0.75"),
    )


def test_a_single_method_is_compared_with_nothing() -> None:
    assert comparison_tables(Cells.of(FULL[:1])) == () and comparison_tables(Cells.of(())) == ()


def test_what_was_asked_for_and_is_not_there_is_a_dash() -> None:
    table = best_table(Cells.of(FULL[:1], ("movie", "barman"), ("tree", "refine")))
    assert table.columns == ("env", "tree", "refine")
    assert table.rows[0] == ("movie", "–", "–") and table.rows[1] == ("barman", "0.00 / 1.00", "–")
    assert table.rows[2] == ("Average", "0.00 / 1.00 (1 of 2)", "–")


def test_averages_over_different_environments_say_so_and_stand_beside_those_of_what_is_shared() -> None:
    table = best_table(Cells.of((*FULL, cell("movie", "tree", 0.2, 0.2))))
    assert table.rows[-2] == ("Average", "0.25 / – (2 of 3)", "0.40 / 0.56")
    assert table.rows[-1] == ("Average of 2", "0.25 / –", "0.50 / 0.75")


def test_fewer_seeds_and_tasks_are_marked() -> None:
    odd = replace(cell("termes", "tree", 1.0, 0.5, seeds=1), tasks=5)
    table = best_table(Cells.of((*FULL[:2], odd, FULL[3])))
    assert table.rows[1][2] == "1.00 / 0.50 (k 1, 5 tasks)" and any("chance" in note for note in table.notes)


def test_other_protocols_and_settings_are_told() -> None:
    other = replace(FULL[2], protocol="paper", np=2)
    told = " ".join(best_table(Cells.of((FULL[0], other, FULL[3]))).notes)
    assert "apart, refined on tasks that are not counted: barman tree." in told
    assert "paper, refined on task 1, which is counted: termes tree." in told
    assert "tree: np 5, nd 10, turns 4 (barman); np 2, nd 10, turns 4 (termes)." in told
    assert "intrinsic" not in told


def test_more_methods_than_fit_stand_below_each_other() -> None:
    many = [cell("barman", f"refine@{n}-tokens", 0.1, 0.1) for n in range(1, 9)]
    table = best_table(Cells.of(many))
    assert table.columns == ("method", "barman", "Average") and len(table.rows) == 8


def test_a_methods_cost_is_that_of_an_episode() -> None:
    row = methods_table(Cells.of(FULL)).rows[1]
    assert row[:3] == ("tree", "2", "8") and row[5:] == ("10", "1000", "100", "7", "2.0")


def test_differences_are_paired_and_those_of_the_mirror_image() -> None:
    table = differences_table(Cells.of(FULL))
    assert table.rows == (("tree − intrinsic", "2", "+0.25 [+0.00, +0.50]", "1.000", "–", "–"),)
    assert differences_table(Cells.of(tuple(reversed(FULL)))).rows == table.rows


def test_cells_with_other_tasks_or_protocols_are_no_pair() -> None:
    for other in (replace(FULL[2], tasks=5), replace(FULL[2], env="movie")):
        assert differences_table(Cells.of((*FULL[:2], other, FULL[3]))).rows == ()
    refined = [replace(FULL[i], method="refine", protocol="paper") for i in (0, 2)]
    pairs = [row[0] for row in differences_table(Cells.of((*FULL, *refined))).rows]
    assert pairs == ["refine − intrinsic", "tree − intrinsic"]


def test_only_equal_budgets_are_set_against_each_other() -> None:
    cells = [
        cell(env, f"{method}@{n}-tokens", 0.1, 0.1)
        for env in ("barman", "termes")
        for method in ("tree", "refine")
        for n in (10, 20)
    ]
    pairs = {row[0] for row in differences_table(Cells.of(cells)).rows}
    assert pairs == {"refine@10-tokens − tree@10-tokens", "refine@20-tokens − tree@20-tokens"}
