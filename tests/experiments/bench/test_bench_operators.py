"""The operators bench runs, in its smallest size."""

import pytest

from experiments.bench.learning import demonstrations_of_length, operators_figures
from experiments.bench.measure import BenchSettings


def test_walks_are_as_long_as_wanted():
    traces = demonstrations_of_length(3, 5)
    assert [len(trace.steps) for trace in traces.traces] == [5, 5, 5]


@pytest.mark.slow
def test_the_lines_are_there():
    figures = list(operators_figures(BenchSettings(), count=20))
    assert [figure.met for figure in figures][:3] == [True] * 3 and "operators" in figures[1].beside
