"""Laws of the places where calls run: who is who, what is started and ended once, what is kept."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import threading
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import SimpleNamespace

import pytest

from search import process_executor
from search.boundary import WorkerError, identify
from search.executors import Executor, FallbackExecutor, SerialExecutor
from search.memoised import MemoisedExecutor, call_key
from search.nodes import Node, order_of
from search.process_executor import ProcessExecutor


def test_a_checkout_that_is_not_installed_differs_from_an_installed_one_by_its_version_alone(monkeypatch):
    installed = identify()

    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("search.boundary.version", missing)
    bare = identify()
    assert (bare.python, bare.sources) == (installed.python, installed.sources)
    assert bare.version == "not installed" and bare.python in str(bare)


class Counting(SerialExecutor):
    """Counts how often it is started."""

    def __init__(self) -> None:
        self.starts = 0

    def start(self) -> None:
        self.starts += 1


@pytest.mark.parametrize("calls", [0, 1, 5])
def test_however_many_calls_are_made_workers_are_started_once(calls: int) -> None:
    first, second = Counting(), Counting()
    with FallbackExecutor(first, second, "here instead") as executor:
        executor.start()
        assert executor.map(abs, range(-calls, 0)) == list(range(calls, 0, -1))
    assert (first.starts, second.starts) == (1, 0)


def test_an_error_s_class_text_and_whether_it_may_pass_are_kept_apart() -> None:
    for text, retryable in (("some words", True), ("", False), ("True", False)):
        error = ValueError(text)
        error.retryable = retryable
        found = WorkerError.of(error)
        assert (found.type_name, found.message, found.retryable) == ("builtins.ValueError", text, retryable)


class Logging(Executor):
    """Serial; logs the calls that reach it."""

    def __init__(self) -> None:
        self.made: list[int] = []

    def submit(self, fn, /, *args):
        self.made.append(args[0])
        return SerialExecutor().submit(fn, *args)

    def check(self) -> None: ...

    def close(self) -> None: ...


@pytest.mark.parametrize("most", [1, 2, 4])
def test_what_is_kept_are_the_last_results_that_were_asked_for(most: int) -> None:
    """Held against a list in which whatever is asked for moves to the end."""
    behind, drawn, kept, made = Logging(), random.Random(most), [], []
    executor = MemoisedExecutor(behind, most)
    for _ in range(200):
        number = drawn.randrange(6)
        assert executor.submit(abs, number).result() == number
        if number in kept:
            kept.remove(number)
        else:
            made.append(number)
        kept = [*kept, number][-most:]
    assert behind.made == made


def test_the_key_of_a_call_is_that_of_its_values_not_of_which_are_one_object() -> None:
    one, again = ("some", "words"), tuple(["some", "words"])
    assert call_key(abs, (one, one)) == call_key(abs, (one, again)) != call_key(abs, (one, ("other",)))


def test_a_line_has_every_ancestor_once_and_grows_by_one_a_step() -> None:
    for id_ in ("1", "2.1.3", "10.9.11.1"):
        node = Node(id_, None, None, None)
        assert len(node.line) == node.depth + 1 and node.line[-1] == id_
        for shorter, longer in zip(node.line, node.line[1:], strict=False):
            assert longer.rpartition(".")[0] == shorter
        assert [int(part.rpartition(".")[2]) for part in node.line] == list(order_of(node))


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes are listed in another way there")
def test_a_closed_executor_leaves_no_process() -> None:
    with ProcessExecutor(1) as executor:
        worker = executor.submit(os.getpid).result()
        assert worker != os.getpid() and Path(f"/proc/{worker}").exists()
    assert not Path(f"/proc/{worker}").exists()


@pytest.mark.parametrize("has_driver", [True, False])
def test_a_worker_ends_after_its_driver_and_not_before(monkeypatch, has_driver: bool) -> None:
    done: list[str] = []
    driver = SimpleNamespace(join=lambda: done.append("driver"))
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: driver if has_driver else None)
    monkeypatch.setattr(os, "_exit", lambda code: done.append("worker"))
    process_executor._end_with_driver()
    assert done == (["driver", "worker"] if has_driver else [])


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="there are no such signals there")
def test_waiting_for_the_driver_keeps_no_worker_alive(monkeypatch) -> None:
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    go_on, waiting = threading.Event(), []

    def wait() -> None:
        waiting.append(threading.current_thread())
        go_on.wait(10)

    monkeypatch.setattr(process_executor, "_end_with_driver", wait)
    try:
        process_executor._belong_to_driver()
        for number in before:
            signal.raise_signal(number)  # is left to the driver
        for thread in threading.enumerate():
            if thread.name == "end-with-driver":
                assert thread.daemon
                go_on.set()
                thread.join()
        assert len(waiting) == 1
    finally:
        go_on.set()
        for number, handler in before.items():
            signal.signal(number, handler)
