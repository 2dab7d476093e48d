"""Caps hold over all threads and all starts of a run; what was found before one was reached is kept."""

from __future__ import annotations

import csv
import json
import pickle
import re
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from gripper_answers import answer
from passing_clock import PassingClock

from agents.llm.errors import LLMError
from agents.llm.faults import Behaviour, Fault
from agents.llm.interface import Completion, Message, Usage, charged, most_prompt_tokens
from agents.llm.journal import Journal
from agents.llm.journaled import JournaledModel
from agents.llm.scripted import ScriptedModel
from agents.llm.stub import StubServer
from ew.counterexample.explained import MAX_FURTHER
from experiments.config import ConfigError
from experiments.evaluation.solve import Attempt
from experiments.run import main
from experiments.runs.records import Score
from experiments.spending.capped import CappedExecutor, CappedModel
from experiments.spending.caps import Amount, Budget, BudgetReached, Cap, Price, Prices, read_prices
from search.boundary import WorkerError
from search.executors import Executor, SerialExecutor

CHAT = (Message("user", "Write the domain, please."),)
PROMPT = most_prompt_tokens(CHAT)
ONE = Amount(calls=1)


def used_up(budget: Budget, most: Amount) -> bool:
    """Whether so much does not fit any more."""
    try:
        budget.reserve(most).release()
    except BudgetReached:
        return True
    return False


# The budget.


def test_what_fits_to_the_last_bit_is_let_through_and_nothing_after_it() -> None:
    budget = Budget({Cap.CALLS: 3})
    for _ in range(3):
        with budget.reserve(ONE) as reservation:
            reservation.settle(ONE)
    assert budget.used == Amount(calls=3) and used_up(budget, ONE)


def test_what_was_set_aside_and_not_used_is_there_for_others() -> None:
    budget = Budget({Cap.TOKENS: 10})
    with budget.reserve(Amount(tokens=10)) as reservation:
        reservation.settle(Amount(tokens=1))
    assert not used_up(budget, Amount(tokens=9)) and used_up(budget, Amount(tokens=10))


def test_after_the_first_refusal_nothing_is_let_through() -> None:
    budget = Budget({Cap.TOKENS: 10})
    assert used_up(budget, Amount(tokens=11)) and used_up(budget, Amount(tokens=1)) and used_up(budget, ONE)


def test_what_has_no_cap_is_let_through() -> None:
    budget = Budget({Cap.CALLS: 1})
    assert not used_up(budget, Amount(tokens=10**9, cost=1e9, queries=10**9))


def test_what_does_not_fit_beside_work_under_way_waits_for_it() -> None:
    budget = Budget({Cap.CALLS: 2})
    first = budget.reserve(ONE.times(2))
    with ThreadPoolExecutor(1) as pool:
        second = pool.submit(budget.reserve, ONE)
        first.settle(ONE, ONE)
        assert not second.done()
        first.release()
        assert second.result(10).left == ONE


def test_work_that_only_waiting_threads_could_do_is_not_waited_for() -> None:
    budget = Budget({Cap.CALLS: 2})
    both_hold = threading.Barrier(2)

    def two_at_once() -> str:
        with budget.reserve(ONE):
            both_hold.wait(10)
            with pytest.raises(BudgetReached) as caught:
                budget.reserve(ONE)
            return str(caught.value)

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.submit(two_at_once), pool.submit(two_at_once)
        assert first.result(10) == second.result(10) and "0 of 2 used" in first.result()


def test_whoever_waits_when_a_cap_is_reached_is_told() -> None:
    budget = Budget({Cap.CALLS: 1, Cap.TOKENS: 1})
    under_way = budget.reserve(ONE)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(budget.reserve, ONE)
        assert used_up(budget, Amount(tokens=2))
        with pytest.raises(BudgetReached, match="--max-tokens-total"):
            waiting.result(10)
    under_way.release()


def test_time_is_up_for_all_work_that_has_not_begun() -> None:
    now = [100.0]
    budget = Budget({Cap.WALL: 5}, clock=lambda: now[0])
    assert not used_up(budget, ONE)
    now[0] = 105.0
    with pytest.raises(BudgetReached, match=r"--max-wall-s is reached: 5 of 5 used; what was found is kept"):
        budget.reserve(ONE)


def test_what_earlier_starts_spent_counts() -> None:
    assert used_up(Budget({Cap.CALLS: 3}, Amount(calls=3)), ONE)
    assert not used_up(Budget({Cap.CALLS: 4}, Amount(calls=3)), ONE)


def test_a_reached_cap_survives_pickling_and_says_how_to_go_on() -> None:
    error = pickle.loads(pickle.dumps(BudgetReached(Cap.COST, 0.5, 0.6, 0.25)))  # noqa: S301 (our own bytes)
    assert (error.cap, error.used, error.allowed, error.wanted) == (Cap.COST, 0.5, 0.6, 0.25)
    assert "--max-cost is reached: 0.5 of 0.6 used, and what comes next may take 0.25" in str(error)
    assert "the same command with a larger --max-cost resumes the run" in str(error)


def test_threads_together_never_exceed_a_cap_and_use_all_of_it() -> None:
    budget = Budget({Cap.CALLS: 50})
    most_at_once, lock = [0], threading.Lock()

    def work(number: int) -> int:
        done = 0
        while True:
            try:
                reservation = budget.reserve(ONE.times(1 + number % 2))
            except BudgetReached:
                return done
            with reservation:
                with lock:
                    most_at_once[0] = max(most_at_once[0], budget.used.calls)
                reservation.settle(ONE)  # never more than one is used
                done += 1

    with ThreadPoolExecutor(8) as pool:
        assert 49 <= sum(pool.map(work, range(8))) <= 50
    assert budget.used.calls <= 50 and most_at_once[0] < 50


# The language model.


def capped(
    budget: Budget, replies: Callable[..., str | Completion], price: Price | None = None
) -> tuple[CappedModel, ScriptedModel]:
    inner = ScriptedModel(replies)
    return CappedModel(inner, budget, price, max_tokens=100), inner


def test_an_answer_of_the_journal_costs_nothing(tmp_path: Path) -> None:
    with Journal(tmp_path / "calls.sqlite") as journal:
        budget = Budget({Cap.CALLS: 2})
        model, inner = capped(budget, lambda messages, index, seed: str(index))
        asked = JournaledModel(model, journal)
        first = asked.sample(CHAT, 2, 0.7, 1)
        assert asked.sample(CHAT, 2, 0.7, 1) == first and inner.requests == 1
        with pytest.raises(BudgetReached):
            asked.sample(CHAT, 1, 0.0, 2)
        assert inner.requests == 1 and [c.failure for c in journal.calls()] == [None, None]


def test_all_samples_of_a_request_are_set_aside_before_the_first_is_asked_for() -> None:
    model, inner = capped(Budget({Cap.CALLS: 2}), lambda messages, index, seed: str(index))
    with pytest.raises(BudgetReached, match="0 of 2 used, and what comes next may take 3"):
        model.sample(CHAT, 3, 0.7, 1)
    assert inner.requests == 0


def test_real_tokens_take_the_place_of_the_estimate() -> None:
    budget = Budget({Cap.TOKENS: 3 * (PROMPT + 100)})
    model, _ = capped(budget, lambda messages, index, seed: Completion("x", usage=Usage(7, 2)))
    model.sample(CHAT, 3, 0.7, 1)
    assert budget.used == Amount(3, 27)


def test_a_server_that_counts_no_tokens_is_charged_by_the_length_of_texts() -> None:
    budget = Budget({})
    model, _ = capped(budget, lambda messages, index, seed: "x" * 10, Price(1e6, 2e6))
    model.sample(CHAT, 1, 0.0, 1)
    assert budget.used == Amount(1, PROMPT + 5, PROMPT + 10.0)
    assert charged(Completion(""), 5) == Usage() and charged(Completion("ab", usage=Usage(1)), 5) == Usage(1)


def test_a_failed_call_gives_back_what_was_set_aside_for_it() -> None:
    def replies(messages: Sequence[Message], index: int, seed: int) -> str:
        return ["a", "b"][index]

    budget = Budget({Cap.CALLS: 5})
    inner = ScriptedModel(["a", "b"])
    with pytest.raises(LLMError):
        CappedModel(inner, budget, None, 100).sample(CHAT, 3, 0.7, 1)
    assert budget.used.calls == 2 and not used_up(budget, ONE.times(3))


# Evaluations.


class Held(Executor):
    """Calls end when they are told to."""

    def __init__(self) -> None:
        self.futures: list[Future[Any]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any) -> Future[Any]:
        self.futures.append(Future())
        return self.futures[-1]

    def check(self) -> None: ...

    def close(self) -> None: ...


def asking(queries: int) -> Attempt:
    return Attempt(outcome=None, score=Score(world_queries=queries))  # type: ignore[arg-type]


def test_world_queries_are_counted_as_evaluations_come_back() -> None:
    budget = Budget({Cap.QUERIES: 25})
    executor = CappedExecutor(SerialExecutor(), budget, most=10)
    assert [executor.submit(asking, 7).result().score.world_queries for _ in range(3)] == [7, 7, 7]
    with pytest.raises(BudgetReached, match="21 of 25 used, and what comes next may take 10"):
        executor.submit(asking, 7)


def test_an_evaluation_that_would_not_fit_waits_for_those_under_way() -> None:
    budget, held = Budget({Cap.QUERIES: 25}), Held()
    executor = CappedExecutor(held, budget, most=10)
    for _ in range(2):
        executor.submit(asking, 7)
    with ThreadPoolExecutor(1) as pool:
        third = pool.submit(executor.submit, asking, 7)
        held.futures[0].set_result(asking(2))
        third.result(10)
    held.futures[1].cancel()
    held.futures[2].set_exception(WorkerError("x", "lost", True, ""))
    assert budget.used.queries == 2 and not used_up(budget, Amount(queries=23))


# Prices.


def test_prices_are_for_a_million_tokens_and_a_star_is_any_other_model(tmp_path: Path) -> None:
    file = tmp_path / "prices.json"
    file.write_text(
        '{"m": {"prompt": 2.5, "completion": 10}, "*": {"prompt": 0, "completion": 1}, "currency": "EUR"}',
        encoding="utf-8",
    )
    prices = read_prices(file)
    assert prices.of("m") == Price(2.5, 10.0) and prices.of("other") == Price(0.0, 1.0)
    assert Price(2.5, 10.0).of(Usage(1_000_000, 100_000)) == 3.5
    assert prices.shown(0.03125) == "0.0312 EUR" and Prices({}).of("m") is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "cannot be read as JSON"),
        ("[]", "the file is []"),
        ('{"m": 3}', "'m' is 3; write"),
        ('{"m": {"prompt": 1}}', "'m' is"),
        ('{"m": {"prompt": 1, "completion": -1}}', "'m' is"),
        ('{"m": {"prompt": 1, "completion": NaN}}', "'m' is"),
        ('{"m": {"prompt": true, "completion": 1}}', "'m' is"),
        ('{"currency": 1}', "currency must be a word"),
    ],
)
def test_a_wrong_price_table_is_refused_with_what_is_wrong(text: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "prices.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=re.escape(words)):
        read_prices(file)


# Whole runs.

SMALL = (
    "--env", "grippers", "--np", "2", "--nd", "3", "--turns", "2", "--tasks", "3", "--walks", "20",
    "--t-max", "5", "--protocol", "paper",
)  # fmt: skip


@pytest.fixture
def stub() -> Iterator[StubServer]:
    with StubServer(answer) as server:
        yield server


@pytest.fixture
def priced(tmp_path: Path) -> str:
    file = tmp_path / "prices.json"
    file.write_text('{"stub": {"prompt": 1, "completion": 2}, "currency": "USD"}', encoding="utf-8")
    return str(file)


def live(server: StubServer, out: Path, *flags: str) -> int:
    given = ["--base-url", server.url, "--executor", "serial", "--max-tokens", "500", "--out", str(out)]
    return main([*given, *SMALL, *flags])


def calls(out: Path) -> list[tuple[str, int]]:
    with sqlite3.connect(out / "calls.sqlite") as journal:
        return sorted(journal.execute("SELECT key, sample FROM calls"))


def faults(out: Path) -> list[str]:
    found = json.loads((out / "summary.json").read_text(encoding="utf-8"))["faults"]
    return [fault["kind"] for fault in found]


@pytest.mark.slow
def test_a_run_with_ever_larger_caps_ends_as_one_without(
    stub: StubServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert live(stub, tmp_path / "whole") == 0
    made = stub.seen.requests
    for cap in (1, made // 2, made - 1):
        assert live(stub, tmp_path / "run", "--max-calls", str(cap)) == 3
        said = capsys.readouterr().err.strip()
        assert "\n" not in said and f"of {cap} used" in said and "larger --max-calls" in said
        assert stub.seen.requests == made + cap and faults(tmp_path / "run") == ["budget"]
    assert live(stub, tmp_path / "run", "--max-calls", str(made)) == 0 and faults(tmp_path / "run") == []
    assert calls(tmp_path / "run") == calls(tmp_path / "whole")
    whole, pieces = ((tmp_path / name / "results.csv").read_bytes() for name in ("whole", "run"))
    assert whole == pieces


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--max-tokens-total", "12000"), "--max-tokens-total is reached"),
        (("--max-cost", "0.012"), "--max-cost is reached"),
        (("--max-world-queries", "150"), "--max-world-queries is reached"),
        (("--max-wall-s", "0.000001"), "--max-wall-s is reached"),
    ],
)
def test_every_cap_ends_a_run_and_a_larger_one_takes_it_up(
    stub: StubServer,
    tmp_path: Path,
    priced: str,
    capsys: pytest.CaptureFixture[str],
    flags: tuple[str, str],
    words: str,
) -> None:
    out = tmp_path / "run"
    assert live(stub, out, *flags, "--prices", priced) == 3
    assert words in capsys.readouterr().err and faults(out) == ["budget"]
    assert live(stub, out, flags[0], "1000000000", "--prices", priced) == 0
    with Journal(out / "calls.sqlite", read_only=True) as journal:
        usage = sum((c.completion.usage for c in journal.calls() if c.completion is not None), Usage())
    cost = (usage.prompt_tokens + 2 * usage.completion_tokens) / 1e6
    assert f"cost of the run so far: {cost:.4f} USD" in capsys.readouterr().out
    rows = list(csv.DictReader((out / "results.csv").open(encoding="utf-8")))
    assert [row["outcome"] for row in rows] == ["solved"] * 3


def test_caps_hold_over_several_episodes_and_their_threads(tmp_path: Path) -> None:
    with StubServer(answer, Behaviour(delay_s=0.01)) as server:
        flags = ("--seeds", "0", "1", "2", "--episodes", "3")
        assert live(server, tmp_path, *flags, "--max-calls", "17") == 3
        assert server.seen.requests == 17 and server.seen.samples == len(calls(tmp_path))


def test_a_cap_of_calls_counts_requests_that_are_not_answered_over_all_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agents.llm.retry.Clock", PassingClock)
    with StubServer(answer, Behaviour(always=Fault.SERVER_ERROR)) as server:
        for cap, sent in ((5, 5), (5, 5), (7, 7)):
            assert live(server, tmp_path, "--max-calls", str(cap)) == 3
            assert server.seen.requests == sent
        server.behaviour = Behaviour(always=Fault.EMPTY)
        assert live(server, tmp_path, "--max-calls", "9") == 3
        assert server.seen.requests == 9
    with Journal(tmp_path / "calls.sqlite", read_only=True) as journal:
        assert journal.requests_sent == 9


@pytest.mark.slow  # an executor's cap is tried above, a run's without workers too
def test_a_cap_of_world_queries_holds_over_workers(stub: StubServer, tmp_path: Path) -> None:
    flags = ("--seeds", "0", "1", "--episodes", "2", "--executor", "process", "--workers", "2")
    assert live(stub, tmp_path, *flags, "--max-world-queries", str(MAX_FURTHER + 400)) == 3
    lines = (tmp_path / "events.jsonl").read_text(encoding="utf-8").splitlines()
    scored = [e for e in map(json.loads, lines) if e["event"] in ("node", "task")]
    evaluated = {(e["unit"], e.get("key", e.get("task"))): e["score"]["world_queries"] for e in scored}
    assert 0 < sum(evaluated.values()) <= MAX_FURTHER + 400


def test_a_cap_of_cost_without_a_price_is_refused_before_anything_is_asked(
    stub: StubServer, tmp_path: Path, priced: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert live(stub, tmp_path / "run", "--max-cost", "1") == 2
    assert "--max-cost needs the price of" in capsys.readouterr().err
    assert live(stub, tmp_path / "run", "--max-cost", "1", "--prices", priced, "--model", "other") == 2
    assert "needs the price of other" in capsys.readouterr().err
    assert stub.seen.requests == 0 and not (tmp_path / "run").exists()


def test_answers_that_are_not_whole_were_paid_for_and_count(tmp_path: Path) -> None:
    with StubServer(answer, Behaviour(always=Fault.LENGTH)) as server:
        flags = ["--base-url", server.url, "--executor", "serial", "--out", str(tmp_path), "--tasks", "3"]
        for _ in range(2):
            assert main([*flags, "--env", "grippers", "--method", "intrinsic", "--max-calls", "2"]) == 3
        assert server.seen.samples == 2
