"""The comparison of two ways to repair gets both to work on the same thing."""

from __future__ import annotations

from experiments.bench.repair import Compared, Tried, compare, figure
from experiments.bench.shared_evidence import SharedCase, shared_case, shared_figure


def test_both_ways_are_tried_on_the_same_case() -> None:
    case = compare("grippers", 3, 0)
    assert (case.searched.unexplained, case.constrained.unexplained) == (0, 0)
    assert case.proved and case.constrained.edits <= case.searched.edits <= 3
    line = figure([case])
    assert line.met and "1/1 explained" in line.value and "proved 1 of 1" in line.beside


def test_to_explain_more_is_better_than_to_need_fewer_edits() -> None:
    little, much = Tried(1, 5, 0.1), Tried(7, 0, 9.0)
    assert Compared("grippers", 3, little, much, True).better == 1
    assert Compared("grippers", 3, much, little, True).better == -1
    assert Compared("grippers", 3, much, Tried(7, 0, 0.1), True).better == 0
    assert not figure([Compared("grippers", 3, much, little, False)]).met


def test_with_what_another_repair_saw_the_same_model_is_found_for_fewer_queries() -> None:
    case = shared_case("blocksworld", 0)
    assert (case.alone_ew, case.shared_ew) == (1.0, 1.0) and case.shared_queries < case.alone_queries
    assert shared_figure([case]).met
    for worse in (SharedCase("grippers", 9, 3, 1.0, 0.9), SharedCase("grippers", 9, 9, 1.0, 1.0)):
        assert not shared_figure([worse]).met
