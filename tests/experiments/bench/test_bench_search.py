"""The search benches measure real runs; their figures are for people."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.bench.search import draw_scaling, measure_scaling, tree_run


@pytest.mark.slow
def test_a_tree_run_makes_every_call_it_can_and_knows_its_critical_path() -> None:
    run = tree_run(np=2, nd=6, turns=2, tasks=2, latency_s=0.05)
    assert run.nodes == 24
    assert run.requests == 2 + 24 + 1
    assert run.rounds == 2 + 2 * 3 + 1
    assert run.one_by_one == 2 + 2 * 6 + 1
    assert run.wall_s > run.rounds * 0.05


@pytest.mark.slow
def test_scaling_is_measured_on_real_workers_and_drawn(tmp_path: Path) -> None:
    found = dict(measure_scaling((1, 2), pause_s=0.002))
    assert list(found) == [1, 2] and all(seconds > 0 for seconds in found.values())
    assert [path.name for path in draw_scaling(found, tmp_path / "scaling")] == ["scaling.png", "scaling.svg"]
