"""The comparison of two ways to repair gets both to work on the same thing."""

from __future__ import annotations

import pytest

from experiments.bench.repair import (
    EditSearch,
    RepairResult,
    compare_searches,
    compare_shared,
    searches_figure,
    shared_figure,
)


def test_both_ways_are_tried_on_the_same_case() -> None:
    case = searched, constrained, proved = compare_searches("grippers", 3, 0)
    assert (searched.unexplained, constrained.unexplained) == (0, 0)
    assert proved and constrained.edits <= searched.edits <= 3
    line = searches_figure("grippers", [case])
    assert line.met and "1/1 explained" in line.value and "proved 1 of 1" in line.beside


def test_to_explain_more_is_better_than_to_need_fewer_edits() -> None:
    little, much = EditSearch(5, 1, 0.1), EditSearch(0, 7, 9.0)
    assert searches_figure("a", [(little, much, True)]).met
    assert not searches_figure("a", [(much, little, True)]).met
    assert searches_figure("a", [(much, EditSearch(0, 7, 0.1), True)]).met
    assert not searches_figure("a", [(little, much, False), (much, little, False)]).met


@pytest.mark.slow  # test_shared_evidence states it of the repair itself
def test_with_what_another_repair_saw_the_same_model_is_found_for_fewer_queries() -> None:
    case = alone, shared = compare_shared("blocksworld", 0)
    assert (alone.ew, shared.ew) == (1.0, 1.0) and shared.queries < alone.queries
    assert shared_figure("a", [case]).met


def test_the_figure_is_missed_for_a_worse_model_and_for_as_many_queries() -> None:
    alone = RepairResult(9, 1.0)
    assert shared_figure("a", [(alone, RepairResult(3, 1.0))]).met
    for shared in (RepairResult(3, 0.9), alone):
        assert not shared_figure("a", [(alone, shared)]).met
