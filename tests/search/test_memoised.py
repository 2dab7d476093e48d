"""Equal calls are made once, and give what they would have given."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from operator import floordiv
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.boundary import WorkerError
from search.executors import Executor, SerialExecutor
from search.fakes import NumberEvaluator, NumberPayload, number_roots, propose_numbers
from search.loop import run_search
from search.memoised import MemoisedExecutor, call_key
from search.policies import BestFirst


class Counting(Executor):
    """Serial; counts the calls that reach it."""

    def __init__(self) -> None:
        self.calls = 0
        self._serial = SerialExecutor()

    def submit(self, fn: Callable[..., Any], /, *args: Any) -> Future[Any]:
        self.calls += 1
        return self._serial.submit(fn, *args)

    def check(self) -> None: ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class Pair:
    one: tuple[str, ...]
    other: tuple[str, ...]

    def __call__(self) -> tuple[str, ...]:
        return (*self.one, *self.other)


@given(st.lists(st.integers(0, 5), max_size=12))
def test_every_call_gives_its_own_result_and_equal_ones_are_made_once(numbers: list[int]) -> None:
    behind = Counting()
    memoised = MemoisedExecutor(behind)
    payloads = [NumberPayload(n) for n in numbers]
    assert memoised.map(NumberEvaluator(), payloads) == SerialExecutor().map(NumberEvaluator(), payloads)
    assert behind.calls == len(set(numbers))


@given(st.lists(st.text(max_size=3), max_size=3))
def test_equality_is_by_value_whatever_parts_are_one_object(words: list[str]) -> None:
    shared = tuple(words)
    apart = tuple("".join(list(word)) for word in words)
    assert call_key(Pair(shared, shared), ()) == call_key(Pair(shared, apart), ())
    assert call_key(Pair(shared, (*shared, "x")), ()) != call_key(Pair((*shared, "x"), shared), ())


def test_an_error_is_never_kept() -> None:
    behind = Counting()
    memoised = MemoisedExecutor(behind)
    for _ in range(2):
        with pytest.raises(WorkerError):
            memoised.submit(floordiv, 1, 0).result()
    assert behind.calls == 2


def test_what_cannot_be_pickled_is_handed_on() -> None:
    behind = Counting()
    memoised = MemoisedExecutor(behind)
    assert [memoised.submit(lambda: 7).result() for _ in range(2)] == [7, 7] and behind.calls == 2


def test_no_more_results_than_allowed_are_kept() -> None:
    behind = Counting()
    memoised = MemoisedExecutor(behind, most=2)
    for number in (1, 2, 1, 3, 1, 2):  # 2 was used least when 3 came
        memoised.submit(abs, number).result()
    assert behind.calls == 4


def test_a_search_that_begins_like_another_evaluates_only_what_is_new() -> None:
    def search(expansions: int, executor: Executor) -> Any:
        policy = BestFirst(3, expansions)
        return run_search(policy, number_roots(2), propose_numbers, NumberEvaluator(), executor)

    behind = Counting()
    memoised = MemoisedExecutor(behind)
    found = [search(n, memoised) for n in (1, 4, 4)]
    assert found == [search(n, SerialExecutor()) for n in (1, 4, 4)]
    assert behind.calls == len({node.payload for result in found for node in result.nodes})
