"""The search benches measure real runs; their figures are for people, so only their arithmetic is tested."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.bench.scaling import Scaling, draw_scaling, measure_scaling
from experiments.bench.search import TreeRun, tree_run


def test_a_tree_run_makes_every_call_it_can_and_knows_its_critical_path() -> None:
    run = tree_run(np=2, nd=6, turns=2, tasks=2, latency_s=0.05)
    assert run.nodes == 24
    assert run.requests == 2 + 24 + 1
    assert run.rounds == 2 + 2 * 3 + 1
    assert run.one_by_one == 2 + 2 * 6 + 1
    assert run.wall_s > run.critical_s == pytest.approx(0.45)


def test_overhead_is_what_is_left_beyond_the_critical_path_for_each_node() -> None:
    run = TreeRun(wall_s=50, nodes=200, requests=214, rounds=19, one_by_one=46, latency_s=2)
    assert (run.critical_s, run.overhead_s) == (38, pytest.approx(0.06))


def test_scaling_is_measured_on_real_workers_and_drawn(tmp_path: Path) -> None:
    found = tuple(measure_scaling((1, 2), pause_s=0.002))
    assert [one.workers for one in found] == [1, 2]
    assert all(0 < one.efficiency <= 1 for one in found)
    assert [path.name for path in draw_scaling(found, tmp_path / "scaling")] == ["scaling.png", "scaling.svg"]


def test_efficiency_is_the_share_of_the_workers_time_that_is_work() -> None:
    assert Scaling(workers=4, wall_s=5, work_s=16).efficiency == pytest.approx(0.8)
