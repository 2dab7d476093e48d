"""Charts from records, and their files."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from sample_records import EPISODE, NODE, TASK

from experiments.reporting.charts import (
    COLOURS,
    Chart,
    Point,
    Series,
    best_so_far,
    charts_of,
    ew_over_turns,
    solve_rate_against_tokens,
    write_all,
)
from experiments.reporting.html import page
from experiments.reporting.html.page import InlineFigures
from experiments.runs import load
from experiments.runs.directory import RunDirectory
from experiments.runs.frames import RunFrames
from experiments.runs.ledger import Ledger
from experiments.runs.records import NodeRecord, Score, Spent, TaskOutcome


def nodes(**ews: float | None) -> list[NodeRecord]:
    return [replace(NODE, id=name[1:].replace("_", "."), score=Score(ew)) for name, ew in ews.items()]


def ledger_of(folder: Path, *methods: str) -> Ledger:
    """One episode of each method, seed and unit by number."""
    ledger = Ledger(RunDirectory.open(folder, {}, {}))
    for number, method in enumerate(methods):
        unit = f"u{number}"
        ledger.add_node(replace(NODE, unit=unit))
        ledger.add_episode(replace(EPISODE, unit=unit, method=method, seed=number))
    return ledger


def test_the_best_so_far_never_falls_and_starts_with_the_first_score() -> None:
    found = nodes(n1_1=None, n1_1_1=0.5, n1_1_2=0.75, n1_1_1_1=0.25, n1_1_1_1_1=1.0)
    line = best_so_far(RunFrames(node_records=found).nodes)
    assert list(line.items()) == [(2, 0.75), (3, 0.75), (4, 1.0)]


def test_without_scores_there_is_no_line() -> None:
    for found in (nodes(n1_1=None), []):
        assert best_so_far(RunFrames(node_records=found).nodes).empty


def test_the_only_method_of_an_environment_shows_its_seeds(tmp_path: Path) -> None:
    ledger_of(tmp_path, "tree", "tree")
    (chart,) = ew_over_turns(load(tmp_path))
    assert (chart.name, [s.label for s in chart.series]) == ("ew-grippers-tree", ["seed 0", "seed 1"])
    assert chart.series[0] == Series("seed 0", (Point(1, 0.5),), (Point(1, 0.5),))


def test_several_methods_of_an_environment_stand_side_by_side(tmp_path: Path) -> None:
    ledger = ledger_of(tmp_path, "chain", "tree", "tree")
    ledger.add_episode(replace(EPISODE, unit="i", method="intrinsic", makes_model=False, candidates=0))
    (chart,) = ew_over_turns(load(tmp_path))
    assert (chart.name, [s.label for s in chart.series]) == ("ew-grippers", ["chain", "tree"])


def test_a_search_that_has_ended_keeps_its_best_in_the_mean(tmp_path: Path) -> None:
    ledger = ledger_of(tmp_path, "chain", "tree", "tree")
    for node in nodes(n1_1_1=0.9, n1_1_1_1=0.7):
        ledger.add_node(replace(node, unit="u1"))
    (chart,) = ew_over_turns(load(tmp_path))
    assert chart.series[1].line == (Point(1, 0.5), Point(2, 0.7), Point(3, 0.7))


def test_the_solve_rate_stands_at_what_an_episode_spent_on_the_average(tmp_path: Path) -> None:
    ledger = ledger_of(tmp_path)
    for number, (env, solved) in enumerate((("a", True), ("b", False))):
        unit, spent = f"u{number}", Spent(1, 1000 * number + 100, 0)
        ledger.add_episode(replace(EPISODE, unit=unit, env=env, spent=spent))
        outcome = TaskOutcome.SOLVED if solved else TaskOutcome.TIMEOUT
        ledger.add_task(replace(TASK, unit=unit, env=env, outcome=outcome))
    (chart,) = solve_rate_against_tokens(load(tmp_path))
    (series,) = chart.series
    assert [(p.x, p.y) for p in series.line] == [(600.0, 0.5)]
    assert [(p.x, p.y) for p in series.dots] == [(100.0, 1.0), (1100.0, 0.0)]
    assert series.line[0].low is not None and series.line[0].low > 0 and chart.log_x


def test_episodes_that_spent_nothing_have_no_place_on_a_scale_of_tokens(tmp_path: Path) -> None:
    ledger = ledger_of(tmp_path)
    ledger.add_episode(replace(EPISODE, spent=Spent()))
    assert solve_rate_against_tokens(load(tmp_path)) == ()


@pytest.mark.slow
def test_every_chart_is_drawn_as_png_and_svg_with_the_same_bytes_each_time(tmp_path: Path) -> None:
    ledger_of(tmp_path / "run", "chain", "tree")
    charts = charts_of(load(tmp_path / "run"))
    first, second = (write_all(map(replace, charts), tmp_path / name) for name in ("a", "b"))
    assert [p.name for p in first[:2]] == ["solve-rate-tokens.png", "solve-rate-tokens.svg"]
    assert len(first) == 2 * len(charts) and [p.read_bytes() for p in first] == [
        p.read_bytes() for p in second
    ]


def test_a_chart_without_any_value_is_drawn_empty(tmp_path: Path) -> None:
    drawn = Chart("none", "none", "x", "y", (Series("s"),))
    assert drawn.png.startswith(b"\x89PNG")


HOSTILE = "</text><script>alert(1)</script> $\\frac{"


def test_a_figure_on_the_page_has_its_values_as_titles_and_neither_style_nor_id_of_another() -> None:
    points = (Point(1200, 0.5, 0.4, 0.6), Point(2400, 1.0))
    chart = Chart("a", HOSTILE, HOSTILE, "y", (Series(HOSTILE, points, points[:1]), Series("b", points[:1])))
    figures = InlineFigures()
    one, other = (figures.add(chart) for _ in range(2))
    assert re.findall("<title>(.*?)</title>", one) == ["1.2k: 0.50", "2.4k: 1.00", "1.2k: 0.50", "1.2k: 0.50"]
    assert "<script" not in one and "style=" not in one and "<style" not in one
    ids = [set(re.findall('id="([^"]*)"', made)) for made in (one, other)]
    assert ids[0] and not ids[0] & ids[1]
    for made, own in zip((one, other), ids, strict=True):
        assert set(re.findall(r'(?:href="#|url\(#)([^")]*)', made)) <= own
    rules = dict(re.findall(r"^\.(\w+) { (.*) }$", figures.style, re.MULTILINE))
    assert set(re.findall('class="([^"]*)"', one + other)) == set(rules)
    assert "var(--s0)" in figures.style and "var(--s1)" in figures.style


def test_the_series_of_a_figure_have_the_colours_of_the_page() -> None:
    style = Path(page.__file__).with_name("report.css").read_text(encoding="utf-8")
    assert tuple(re.findall(r"--s\d: light-dark\((#\w{6})", style)) == COLOURS


def test_ticks_are_numbers_as_they_are_read() -> None:
    points = (Point(9_000, 0.5), Point(150_000, 1.0))
    tokens = Chart("c", "c", "tokens", "solved", (Series("chain", points),), log_x=True).svg
    assert ">10,000</text>" in tokens and ">100,000</text>" in tokens and "math" not in tokens
    turn = Chart("c", "c", "turn", "EW", (Series("chain", (Point(1, 1.0),)),), whole_x=True)
    assert ">1</text>" in turn.svg and ">1.00" not in turn.svg
