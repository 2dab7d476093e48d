"""EW over tasks is Equation 2: laws, against an independent computation in exact fractions."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ew.score.several_tasks import NO_AGREEMENT, ew_over_tasks
from ew.score.uncertainty import harmonic_mean

SHARES = st.floats(0, 1, allow_subnormal=False).map(lambda share: 0.0 if share < 1e-9 else share)
TASKS = st.lists(st.tuples(SHARES, SHARES), min_size=1, max_size=12)


def equation_2(tasks: list[tuple[float, float]]) -> float:
    """2 / (1 / mean forward + 1 / mean backward), as it stands in the paper; 0 where a mean is 0."""
    means = [sum(map(Fraction, values)) / len(tasks) for values in zip(*tasks, strict=True)]
    return float(2 / sum(1 / mean for mean in means)) if all(means) else 0.0


@given(TASKS)
def test_it_is_equation_2(tasks: list[tuple[float, float]]) -> None:
    assert ew_over_tasks(tasks).score == pytest.approx(equation_2(tasks), abs=1e-12)


@given(SHARES, SHARES)
def test_of_one_task_it_is_exactly_its_own_score(forward: float, backward: float) -> None:
    found = ew_over_tasks([(forward, backward)])
    assert found.score == found.mean_of_tasks == harmonic_mean(forward, backward)


@given(TASKS)
def test_world_and_model_may_be_exchanged(tasks: list[tuple[float, float]]) -> None:
    assert ew_over_tasks([(b, f) for f, b in tasks]).score == ew_over_tasks(tasks).score


@given(TASKS, st.randoms(use_true_random=False))
def test_the_order_of_the_tasks_makes_no_difference(tasks, random) -> None:  # type: ignore[no-untyped-def]
    mixed = list(tasks)
    random.shuffle(mixed)
    assert ew_over_tasks(mixed) == ew_over_tasks(tasks)


@given(TASKS)
def test_it_is_never_below_the_mean_of_the_tasks_scores_nor_outside_them(tasks) -> None:  # type: ignore[no-untyped-def]
    found = ew_over_tasks(tasks)
    assert found.score >= found.mean_of_tasks - 1e-12
    assert found.mean_of_tasks == pytest.approx(sum(harmonic_mean(*t) for t in tasks) / len(tasks))
    every = [share for task in tasks for share in task]
    assert min(every) - 1e-12 <= found.score <= max(every) + 1e-12


@given(TASKS, st.integers(1, 4))
def test_tasks_that_agree_nowhere_only_lower_it(tasks: list[tuple[float, float]], more: int) -> None:
    with_empty = ew_over_tasks([*tasks, *[NO_AGREEMENT] * more])
    whole = ew_over_tasks(tasks).score
    assert with_empty.score == pytest.approx(whole * len(tasks) / (len(tasks) + more), abs=1e-12)


def test_tasks_that_fail_in_opposite_directions_show_the_difference() -> None:
    found = ew_over_tasks([(1.0, 0.5), (0.5, 1.0)])
    assert found.score == 0.75 and found.mean_of_tasks == pytest.approx(2 / 3)


def test_without_a_task_there_is_none() -> None:
    with pytest.raises(ValueError, match="one task at least"):
        ew_over_tasks([])
