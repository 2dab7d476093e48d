"""Figures from records."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from test_ledger import EPISODE, NODE

from experiments.ledger import Ledger
from experiments.plots import best_so_far, draw_all
from experiments.records import Score
from experiments.rundir import RunDirectory


def nodes(**ews: float | None) -> list[object]:
    return [replace(NODE, id=name[1:].replace("_", "."), score=Score(ew)) for name, ew in ews.items()]


def test_the_best_so_far_never_falls_and_starts_with_the_first_score() -> None:
    found = nodes(n1_1=None, n1_1_1=0.5, n1_1_2=0.75, n1_1_1_1=0.25, n1_1_1_1_1=1.0)
    assert best_so_far(found) == [(2, 0.75), (3, 0.75), (4, 1.0)]


def test_without_scores_there_is_no_line() -> None:
    assert best_so_far(nodes(n1_1=None)) == [] == best_so_far([])


def test_there_is_a_figure_for_each_environment_and_method_with_a_search(tmp_path: Path) -> None:
    ledger = Ledger(RunDirectory.open(tmp_path, {}, {}))
    for number, method in enumerate(("chain", "tree", "tree")):
        unit = f"u{number}"
        ledger.add_node(replace(NODE, unit=unit))
        ledger.add_episode(replace(EPISODE, unit=unit, method=method, seed=number))
    ledger.add_episode(replace(EPISODE, unit="i", method="intrinsic", makes_model=False, candidates=0))
    drawn = draw_all(ledger, tmp_path / "plots")
    assert [p.name for p in drawn] == ["ew-grippers-chain.png", "ew-grippers-tree.png"]
    assert all(p.read_bytes().startswith(b"\x89PNG") for p in drawn)
