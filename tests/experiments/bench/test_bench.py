"""The bench measures the real thing; its figures are for people, so only their presence is tested."""

from __future__ import annotations

import pytest

from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.simulation.compile import compile_task
from envs.pddlgym_suite import missing
from experiments.bench.__main__ import main
from experiments.bench.estimators import estimator_costs, wrong_models
from experiments.bench.kernel import bench_ew, bench_steps, cases, grippers_problem
from experiments.bench.measure import Figure, peak_memory
from experiments.bench.walks import bench_walks, grounds
from experiments.bench.worlds import against_pddlgym, batched, large_map, tasks_a_second

needs_pddlgym = pytest.mark.skipif(missing() is not None, reason=str(missing()))


def test_the_cases_have_the_sizes_that_they_stand_for() -> None:
    sizes = [len(compile_task(read_problem(c.problem, read_domain(c.domain))).operators) for c in cases()]
    assert 80 <= sizes[0] <= 120 and 500 <= sizes[1] <= 800 and sizes[2] == 2600


@pytest.mark.parametrize(("robots", "rooms", "balls"), [(1, 2, 1), (3, 4, 5)])
def test_a_generated_task_has_the_operators_that_its_size_promises(
    robots: int, rooms: int, balls: int
) -> None:
    problem = read_problem(grippers_problem(robots, rooms, balls), read_domain(cases()[0].domain))
    expected = robots * rooms**2 + 2 * robots * rooms * balls * 2
    assert len(compile_task(problem).operators) == expected


def test_every_figure_has_a_value_and_a_target() -> None:
    memory = peak_memory()
    figures: list[Figure | None] = [*bench_ew(1), *bench_steps(1), memory]
    assert len(figures) == 5
    assert all(f is None or (f.what and f.value and f.target) for f in figures)


def test_the_bench_runs_from_its_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["steps", "--repeats", "1"]) in (0, 1)
    assert "environment steps" in capsys.readouterr().out


@needs_pddlgym
def test_both_simulators_are_stepped_and_their_rates_compared() -> None:
    median, worst = against_pddlgym(("gripper", "blocks"))
    assert median.what.endswith("2 domains") and float(median.value.rstrip("x")) > 0
    assert float(worst.value.rstrip("x")) <= float(median.value.rstrip("x"))


def test_worlds_are_measured_in_their_smallest_sizes() -> None:
    assert batched(1, states=10, steps=3).value.endswith("/s")
    assert tasks_a_second("grippers", rounds=1) > 0


@pytest.mark.slow
def test_a_large_map_is_opened_in_a_process_of_its_own() -> None:
    figure = large_map()
    assert figure.value.endswith("MB") and figure.beside.endswith("operators")


def test_walks_are_measured_on_five_tasks_from_40_to_3000_operators() -> None:
    sizes = [len(ground.task.operators) for ground in grounds()]
    assert sizes == sorted(sizes) and sizes[0] == 40 and 2800 <= sizes[-1] <= 3000 and len(sizes) == 5


@pytest.mark.slow
def test_walks_have_their_figures() -> None:
    figures = list(bench_walks(1))
    assert len(figures) == 11 and all(f.what and f.value and f.target for f in figures)


def test_the_cost_of_every_estimator_is_told_on_every_wrong_model() -> None:
    costs = list(estimator_costs(8, walks=20))
    assert len(costs) == 3 * len(wrong_models())
    for cost in costs:
        assert 0 < cost.mean < 1 and cost.reaching <= cost.queries
        assert cost.queries_for(cost.deviation) == pytest.approx(cost.queries)
        assert cost.queries_for(cost.deviation / 2) == pytest.approx(4 * cost.queries)
        least = 20 if cost.estimator == "paper" else 2
        assert cost.queries_for(1.0) == pytest.approx(cost.queries * least / 20)


def test_no_repeats_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["steps", "--repeats", "0"]) == 2 and "--repeats" in capsys.readouterr().err
