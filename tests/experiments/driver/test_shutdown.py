"""Once a shutdown has begun nothing new is started, and whoever waits is woken."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from concurrent.futures import CancelledError, Future, wait

import pytest

from agents.llm.interface import Completion, Message
from agents.llm.scripted import ScriptedModel
from experiments.driver.engine import Shutdown, StoppableExecutor, StoppableModel, Stopped
from search.executors import Executor, SerialExecutor
from search.process_executor import ProcessExecutor

ASKED: Sequence[Message] = (Message("user", "hello"),)


def test_without_a_shutdown_models_and_executors_work_as_before() -> None:
    shutdown = Shutdown()
    assert StoppableModel(ScriptedModel(["hi"]), shutdown).sample(ASKED, 1, 0.0, 0)[0].text == "hi"
    assert StoppableExecutor(SerialExecutor(), shutdown).submit(pow, 2, 3).result() == 8


def test_once_a_shutdown_has_begun_neither_requests_nor_calls_start() -> None:
    shutdown = Shutdown()
    shutdown.begin()
    with pytest.raises(Stopped):
        StoppableModel(ScriptedModel(["hi"]), shutdown).sample(ASKED, 1, 0.0, 0)
    with pytest.raises(Stopped):
        StoppableExecutor(SerialExecutor(), shutdown).submit(pow, 2, 3)


def test_what_is_under_way_when_a_shutdown_begins_ends_and_is_kept() -> None:
    shutdown, asked, may_answer = Shutdown(), threading.Event(), threading.Event()

    class Slow:
        def sample(
            self, messages: Sequence[Message], k: int, temperature: float, seed: int
        ) -> tuple[Completion, ...]:
            asked.set()
            may_answer.wait()
            return (Completion("late"),)

    answers: list[str] = []
    model = StoppableModel(Slow(), shutdown)
    asking = threading.Thread(target=lambda: answers.append(model.sample(ASKED, 1, 0.0, 0)[0].text))
    asking.start()
    asked.wait()
    shutdown.begin()
    may_answer.set()
    asking.join()
    assert answers == ["late"]


@pytest.mark.parametrize("late", [False, True])
def test_calls_that_have_not_begun_are_cancelled_and_waiters_wake(late: bool) -> None:
    shutdown = Shutdown()
    with ProcessExecutor(1) as inner:
        executor: Executor = StoppableExecutor(inner, shutdown)
        futures: list[Future[object]] = [executor.submit(time.sleep, 0.3) for _ in range(20)]
        closing = threading.Timer(0.1 if late else 0, shutdown.begin)
        closing.start()
        assert not wait(futures, timeout=20).not_done
        assert sum(future.cancelled() for future in futures) >= 15
        with pytest.raises(CancelledError):
            futures[-1].result()
