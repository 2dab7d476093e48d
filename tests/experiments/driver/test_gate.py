"""A closed gate lets nothing through, and wakes whoever waits behind it."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from concurrent.futures import CancelledError, Future, wait

import pytest

from agents.llm.interface import Completion, Message
from agents.llm.scripted import ScriptedModel
from experiments.driver.shutdown import Gate, GatedExecutor, GatedModel, Stopped
from search.executors import Executor, SerialExecutor
from search.process_executor import ProcessExecutor

ASKED: Sequence[Message] = (Message("user", "hello"),)


def test_an_open_gate_is_not_noticed() -> None:
    gate = Gate()
    assert GatedModel(ScriptedModel(["hi"]), gate).sample(ASKED, 1, 0.0, 0)[0].text == "hi"
    assert GatedExecutor(SerialExecutor(), gate).submit(pow, 2, 3).result() == 8


def test_a_closed_gate_lets_neither_questions_nor_calls_through() -> None:
    gate = Gate()
    gate.close()
    with pytest.raises(Stopped):
        GatedModel(ScriptedModel(["hi"]), gate).sample(ASKED, 1, 0.0, 0)
    with pytest.raises(Stopped):
        GatedExecutor(SerialExecutor(), gate).submit(pow, 2, 3)


def test_what_is_under_way_when_the_gate_is_closed_ends_and_is_kept() -> None:
    gate, asked, may_answer = Gate(), threading.Event(), threading.Event()

    class Slow:
        def sample(
            self, messages: Sequence[Message], k: int, temperature: float, seed: int
        ) -> tuple[Completion, ...]:
            asked.set()
            may_answer.wait()
            return (Completion("late"),)

    answers: list[str] = []
    model = GatedModel(Slow(), gate)
    asking = threading.Thread(target=lambda: answers.append(model.sample(ASKED, 1, 0.0, 0)[0].text))
    asking.start()
    asked.wait()
    gate.close()
    may_answer.set()
    asking.join()
    assert answers == ["late"]


@pytest.mark.parametrize("late", [False, True])
def test_calls_that_have_not_begun_are_cancelled_and_waiters_wake(late: bool) -> None:
    gate = Gate()
    with ProcessExecutor(1) as inner:
        executor: Executor = GatedExecutor(inner, gate)
        futures: list[Future[object]] = [executor.submit(time.sleep, 0.3) for _ in range(20)]
        closing = threading.Timer(0.1 if late else 0, gate.close)
        closing.start()
        assert not wait(futures, timeout=20).not_done
        assert sum(future.cancelled() for future in futures) >= 15
        with pytest.raises(CancelledError):
            futures[-1].result()
