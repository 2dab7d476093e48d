"""Calls side by side: bounded, and no result lost to an error."""

import threading
import time

import pytest

from agents.llm.client import fan_out


class Outage(ConnectionError):
    pass


def test_every_item_is_called_once_whatever_the_width():
    for width in (1, 2, 9):
        assert sorted(fan_out(lambda i: i * i, range(7), width)) == [(i, i * i) for i in range(7)]
    assert list(fan_out(abs, [], 3)) == []


def test_results_come_as_calls_end():
    drawn = [threading.Event() for _ in range(4)]
    drawn[3].set()

    def call(item):
        assert drawn[item + 1].wait(60)

    for expected, (item, _) in zip((2, 1, 0), fan_out(call, range(3), 3), strict=True):
        assert item == expected
        drawn[item].set()


def test_as_many_calls_run_together_as_the_width_and_no_more():
    lock, running, most, together = threading.Lock(), [], [], threading.Barrier(4)

    def call(item):
        with lock:
            running.append(item)
            most.append(len(running))
        if item < 4:
            together.wait(60)
        time.sleep(0.01)  # for a call too many to be seen
        with lock:
            running.remove(item)

    list(fan_out(call, range(9), 4))
    assert max(most) == 4


def test_a_failure_is_raised_after_what_was_under_way_and_starts_nothing_more():
    started, together = [], threading.Barrier(3)

    def call(item):
        started.append(item)
        together.wait(60)
        if item > 0:
            raise Outage(f"no line for {item}")
        time.sleep(0.02)
        return "kept"

    results = fan_out(call, range(9), 3)
    assert next(results) == (0, "kept")
    with pytest.raises(Outage, match="no line for 1"):
        next(results)
    assert sorted(started) == [0, 1, 2]


def test_whoever_stops_drawing_starts_nothing_more():
    started = []
    results = fan_out(started.append, range(9), 1)
    next(results)
    results.close()
    assert len(started) <= 2
