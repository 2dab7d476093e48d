"""The bench measures the real thing; its figures are for people, so only their presence is tested."""

from __future__ import annotations

import pytest

from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.simulation.compile import compile_task
from envs.pddlgym_suite import missing
from envs.source import read_texts
from experiments.bench.__main__ import main
from experiments.bench.kernel import (
    estimator_costs,
    ew_figures,
    grippers_problem,
    step_figures,
    task_texts,
    wrong_models,
)
from experiments.bench.measure import BenchSettings, at_least, at_most, shown, small_memory
from experiments.bench.worlds import against_pddlgym, batched, large_map, tasks_a_second

needs_pddlgym = pytest.mark.skipif(missing() is not None, reason=str(missing()))


def test_the_five_tasks_have_the_sizes_that_they_stand_for() -> None:
    sizes = [len(compile_task(text.read()).operators) for text in task_texts()]
    assert sizes == sorted(sizes) and sizes[0] == 40 and 2800 <= sizes[-1] <= 3000 and len(sizes) == 5


def test_a_figure_is_met_up_to_its_limit_and_only_if_all_else_is_right() -> None:
    assert at_most("a", 5, 5, "s").met and not at_most("a", 5.1, 5, "s").met
    assert at_least("a", 5, 5, "s").met and not at_least("a", 4.9, 5, "s").met
    assert not at_most("a", 1, 5, "s", only_if=False).met
    assert at_least("a", 12345.6, 15000, "/s").target == ">= 15,000 /s"
    assert [shown(value, "s") for value in (0.123, 12.34, 1234.5)] == ["0.12 s", "12.3 s", "1,234 s"]


@pytest.mark.parametrize(("robots", "rooms", "balls"), [(1, 2, 1), (3, 4, 5)])
def test_a_generated_task_has_the_operators_that_its_size_promises(
    robots: int, rooms: int, balls: int
) -> None:
    problem = read_problem(
        grippers_problem(robots, rooms, balls), read_domain(read_texts("grippers", 1).domain)
    )
    expected = robots * rooms**2 + 2 * robots * rooms * balls * 2
    assert len(compile_task(problem).operators) == expected


def test_every_figure_has_a_value_and_a_target() -> None:
    figures = [*step_figures(BenchSettings(1)), *small_memory(BenchSettings(1))]
    assert 1 <= len(figures) <= 2  # a system may not tell its memory
    assert all(f.what and f.value and f.target for f in figures)


def test_the_bench_runs_from_its_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["steps", "--repeats", "1"]) in (0, 1)
    assert "environment steps" in capsys.readouterr().out


@needs_pddlgym
@pytest.mark.slow  # the bench's figures are for people
def test_both_simulators_are_stepped_and_their_rates_compared() -> None:
    median, worst = against_pddlgym(("gripper", "blocks"))
    assert median.what.endswith("2 domains") and float(median.value.rstrip("x ")) > 0
    assert float(worst.value.rstrip("x ")) <= float(median.value.rstrip("x "))


def test_worlds_are_measured_in_their_smallest_sizes() -> None:
    assert batched(1, states=10, steps=3).value.endswith("/s")
    assert tasks_a_second("grippers", rounds=1) > 0


@pytest.mark.slow
def test_a_large_map_is_opened_in_a_process_of_its_own() -> None:
    opened, memory = large_map()
    assert memory.value.endswith("MB") and opened.beside.endswith("operators")


@pytest.mark.slow
def test_scores_and_walks_have_their_figures() -> None:
    figures = list(ew_figures(BenchSettings(1)))
    assert len(figures) == 16 and all(f.what and f.value and f.target for f in figures)


def test_the_cost_of_every_estimator_is_told_on_every_wrong_model() -> None:
    costs = [cost for wrong in wrong_models() for cost in estimator_costs(wrong, 8, walks=20)]
    assert len(costs) == 3 * len(wrong_models())
    for cost in costs:
        assert 0 < cost.mean < 1 and cost.reaching <= cost.queries
        assert cost.queries_for(cost.deviation) == pytest.approx(cost.queries)
        assert cost.queries_for(cost.deviation / 2) == pytest.approx(4 * cost.queries)
        least = 20 if cost.config.estimator == "paper" else 2
        assert cost.queries_for(1.0) == pytest.approx(cost.queries * least / 20)


def test_no_repeats_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["steps", "--repeats", "0"]) == 2 and "--repeats" in capsys.readouterr().err
