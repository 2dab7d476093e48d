"""The operators bench runs, in its smallest size."""

import pytest

from experiments.bench.operators import bench_operators, demonstrations_of_length


def test_walks_are_as_long_as_wanted():
    traces = demonstrations_of_length(3, 5)
    assert [len(trace.steps) for trace in traces.traces] == [5, 5, 5]


@pytest.mark.slow
def test_the_lines_are_there():
    figures = list(bench_operators(20))
    assert [figure.met for figure in figures][:3] == [True] * 3 and "operators" in figures[1].beside
