"""Three kinds of workers, one behaviour."""

import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor, wait
from operator import floordiv
from pathlib import Path
from types import SimpleNamespace

import pytest

from search.boundary import WorkerError, call_guarded, identify
from search.executors import MAX_RETRIES, ExecutorUnavailable, FallbackExecutor, SerialExecutor
from search.fakes import NumberEvaluation, NumberEvaluator, NumberPayload, NumberRefused
from search.process_executor import ProcessExecutor, _Process
from search.ray_connection import try_address
from search.ray_executor import RayExecutor
from search.ray_head import Keeper

#: The executors whose calls leave this process.
OTHER_PROCESSES = ["process", pytest.param("ray", marks=pytest.mark.slow)]


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_results_come_in_the_order_of_the_items(executor):
    payloads = [NumberPayload(i) for i in range(20)]
    assert executor.map(NumberEvaluator(), payloads) == [NumberEvaluation(i) for i in range(20)]


def test_an_error_crosses_as_plain_data(executor):
    with pytest.raises(WorkerError) as caught:
        executor.submit(floordiv, 1, 0).result()
    error = caught.value
    assert (error.type_name, error.retryable) == ("builtins.ZeroDivisionError", False)
    assert "ZeroDivisionError" in error.traceback_text
    assert error == SerialExecutor().submit(floordiv, 1, 0).exception()


def test_map_raises_the_first_item_s_error(executor):
    with pytest.raises(WorkerError, match="insufficient_quota for 3"):
        executor.map(NumberEvaluator(refused=3), [NumberPayload(i) for i in range(6)])


def test_worker_errors_survive_pickling_and_wrapping():
    error = WorkerError.of(NumberRefused("insufficient_quota"))
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 (our own bytes)
    assert again == error and str(again) == str(error) and hash(again) == hash(error)
    assert again.retryable
    assert WorkerError.of(error) is error


def test_an_error_that_cannot_be_pickled_crosses_all_the_same():
    class Nasty(Exception):
        def __reduce__(self):
            raise TypeError("no way")

    def fail():
        raise Nasty("with words")

    returned = call_guarded(fail, ())
    assert returned.error.message == "with words"
    assert pickle.loads(pickle.dumps(returned)).error == returned.error  # noqa: S301 (our own bytes)


def test_the_traceback_begins_in_the_called_function():
    lines = call_guarded(NumberEvaluator(3), (NumberPayload(3),)).error.traceback_text.splitlines()
    assert "in __call__" in lines[1]


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_is_not_an_error_of_the_call(stop):
    def interrupt():
        raise stop

    with pytest.raises(stop):
        SerialExecutor().submit(interrupt)


def die_once(marker: Path) -> str:
    if not marker.exists():
        marker.touch()
        die()
    return "second life"


def test_a_call_whose_process_is_lost_is_run_again_in_another(tmp_path):
    with ProcessExecutor(2) as executor:
        beside = [executor.submit(pow, n, 2) for n in range(20)]
        assert executor.submit(die_once, tmp_path / "marker").result() == "second life"
        assert [future.result() for future in beside] == [n * n for n in range(20)]


def test_a_call_that_loses_every_process_fails_alone(tmp_path):
    def tried(marker: Path) -> int:
        return len(list(marker.parent.glob("tried-*")))

    with ProcessExecutor(1) as executor:
        doomed = executor.submit(die_each_time, tmp_path)
        beside = [executor.submit(pow, n, 2) for n in range(5)]
        with pytest.raises(WorkerError) as caught:
            doomed.result()
        assert caught.value.retryable and tried(tmp_path / "tried") == 1 + MAX_RETRIES
        assert [future.result() for future in beside] == [n * n for n in range(5)]


def die_each_time(folder: Path) -> None:
    (folder / f"tried-{os.getpid()}").touch()
    die()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals there")
def test_signals_to_the_process_group_do_not_reach_a_worker_s_work():
    with ProcessExecutor(1) as executor:
        assert executor.submit(signalled).result() == "went on"
        assert executor.submit(dispositions).result() == ["default", "default"]


def signalled() -> str:
    for number in (signal.SIGTERM, signal.SIGINT):
        os.kill(os.getpid(), number)
    return "went on"


def dispositions() -> list[str]:
    """Of SIGINT and SIGTERM in a program that a worker starts."""
    look = (
        "import signal; print(*('default' if signal.getsignal(n) != signal.SIG_IGN and "
        "n not in signal.pthread_sigmask(signal.SIG_BLOCK, []) else 'deaf' "
        "for n in (signal.SIGINT, signal.SIGTERM)))"
    )
    return subprocess.run([sys.executable, "-c", look], capture_output=True, text=True).stdout.split()


@pytest.mark.parametrize("executor", OTHER_PROCESSES, indirect=True)
def test_what_cannot_be_sent_is_an_error_that_no_retry_mends(executor):
    with pytest.raises(WorkerError) as caught:
        executor.submit(id, threading.Lock()).result()
    assert not caught.value.retryable
    with pytest.raises(WorkerError) as caught:
        executor.submit(threading.Lock).result()
    assert not caught.value.retryable


def test_calls_may_come_from_several_threads(executor):
    with ThreadPoolExecutor(8) as threads:
        futures = list(threads.map(lambda n: executor.submit(pow, n, 2), range(40)))
    assert [future.result() for future in futures] == [n * n for n in range(40)]


@pytest.mark.parametrize("kind", [ProcessExecutor, pytest.param(RayExecutor, marks=pytest.mark.slow)])
def test_a_first_call_from_several_threads_starts_workers_once(kind, request):
    if kind is RayExecutor:
        request.getfixturevalue("ray_executor").start()
    with kind(workers=1) as executor, ThreadPoolExecutor(4) as threads:
        futures = list(threads.map(lambda n: executor.submit(os.getpid), range(4)))
        assert len({future.result() for future in futures}) <= 2


def slots(monkeypatch, workers, calls):
    """How many slots take so many calls, which all wait for the last to be queued; run in their threads."""
    go_on = threading.Event()

    def run(process, call):
        go_on.wait()
        return SerialExecutor().submit(call_guarded, call.fn, call.args)

    monkeypatch.setattr(_Process, "run", run)
    before = set(threading.enumerate())
    with ProcessExecutor(workers) as executor:
        futures = [executor.submit(pow, n, 2) for n in range(calls)]
        started = len(set(threading.enumerate()) - before)
        go_on.set()
        assert [future.result() for future in futures] == [n * n for n in range(calls)]
    return started


@pytest.mark.parametrize(("workers", "calls"), [(1, 3), (2, 1), (2, 5), (4, 3)])
def test_there_are_as_many_slots_as_calls_and_no_more_than_workers(workers, calls, monkeypatch):
    assert slots(monkeypatch, workers, calls) == min(workers, calls)


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="a process uses all CPUs there")
def test_by_default_there_is_a_worker_for_each_cpu_that_this_process_may_use(monkeypatch):
    own = {0, os.getpid()}
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {3, 5, 6} if pid in own else {1})
    assert slots(monkeypatch, None, 9) == 3


@pytest.mark.parametrize("executor", OTHER_PROCESSES, indirect=True)
def test_a_queued_call_can_be_cancelled(executor):
    futures = [executor.submit(pow, 3, 1000 + i) for i in range(200)]
    cancelled = [future.cancel() for future in futures]
    wait([f for f, gone in zip(futures, cancelled, strict=True) if not gone])
    assert any(cancelled)
    assert executor.submit(pow, 2, 3).result() == 8


@pytest.mark.parametrize(("kind", "package"), [(ProcessExecutor, "concurrent"), (RayExecutor, "ray")])
def test_an_unused_executor_starts_nothing_and_closes(kind, package):
    pytest.importorskip(package)
    with kind() as executor:
        executor.check()
    executor.close()


def test_a_lost_ray_worker_s_call_is_run_again(ray_executor, tmp_path):
    def die_once(marker: Path) -> str:
        if not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return "second life"

    assert ray_executor.submit(die_once, tmp_path / "marker").result() == "second life"


def test_a_ray_worker_that_is_lost_every_time_is_a_retryable_error(ray_executor):
    def die_always() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(WorkerError, match="WorkerCrashedError") as caught:
        ray_executor.submit(die_always).result()
    assert caught.value.retryable


def test_a_cluster_that_runs_already_is_used_and_left_running(ray_executor):
    import ray

    ray_executor.start()
    with RayExecutor(workers=2) as second:
        assert second.submit(pow, 2, 5).result() == 32
    assert ray.is_initialized()
    assert ray_executor.submit(pow, 2, 6).result() == 64


def test_a_process_that_has_joined_a_cluster_works_on_no_other_one(ray_executor, monkeypatch):
    import ray

    ray_executor.start()
    joined = ray.get_runtime_context().gcs_address
    with RayExecutor(joined) as same:
        assert same.submit(pow, 2, 5).result() == 32
    with pytest.raises(ExecutorUnavailable, match=r"no Ray cluster at 127\.0\.0\.1:9"):
        RayExecutor("127.0.0.1:9").start()
    monkeypatch.setattr("search.ray_connection.try_address", lambda address: address)
    with pytest.raises(ExecutorUnavailable, match=f"has joined the Ray cluster at {joined} and cannot join"):
        RayExecutor("10.0.0.1:6379").start()


def test_more_workers_than_the_cluster_has_are_refused(ray_executor):
    ray_executor.start()
    with pytest.raises(ExecutorUnavailable, match="2 CPUs, asked for are 64"):
        RayExecutor(workers=64).start()


def test_a_node_in_another_version_is_named(ray_executor, monkeypatch):
    ray_executor.start()
    monkeypatch.setattr("search.boundary.version", lambda name: "0.0.1-other")
    with pytest.raises(ExecutorUnavailable, match=r"Ray node \S+ \(\w+\) runs .* make them equal"):
        RayExecutor().start()
    assert identify().version == "0.0.1-other"


def test_an_address_where_nobody_listens_is_refused_at_once(monkeypatch):
    ray = pytest.importorskip("ray")
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    with socket.socket() as silent:  # bound, but not listening: nobody else can take the port
        silent.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(ExecutorUnavailable, match=f"no Ray cluster at {address}"):
            RayExecutor(address).check()
        monkeypatch.setenv("RAY_ADDRESS", address)
        with pytest.raises(ExecutorUnavailable, match=f"no Ray cluster at {address}"):
            RayExecutor().check()


def test_without_ray_the_error_names_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ExecutorUnavailable, match="package `ray`"):
        RayExecutor().check()


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes are listed in another way there")
def test_workers_end_with_a_driver_that_was_killed():
    program = (
        "import os, signal\nfrom search.process_executor import ProcessExecutor\n"
        "if __name__ == '__main__':\n"
        "    print(ProcessExecutor(1).submit(os.getpid).result(), flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    driver = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert driver.returncode == -signal.SIGKILL
    for _ in range(200):
        if not Path(f"/proc/{int(driver.stdout)}").exists():
            return
        time.sleep(0.05)
    pytest.fail("the worker is still there")


def test_an_interrupt_waits_until_ray_has_started_and_ray_is_stopped_then(monkeypatch):
    done = []
    fake = SimpleNamespace(is_initialized=lambda: False, shutdown=lambda: done.append("stopped"))

    def connect(*_):
        signal.raise_signal(signal.SIGINT)
        done.append("started")

    join_only(monkeypatch, fake, connect)
    with pytest.raises(KeyboardInterrupt), RayExecutor() as executor:
        executor.start()
    assert done == ["started", "stopped"]


def test_a_second_interrupt_does_not_wait_for_ray(monkeypatch):
    went_on = []

    def connect(*_):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        went_on.append(True)

    fake = SimpleNamespace(is_initialized=lambda: False)
    join_only(monkeypatch, fake, connect)
    with pytest.raises(KeyboardInterrupt):
        RayExecutor().start()
    assert not went_on


class Kept:
    """A keeper that holds nothing."""

    def close(self) -> None:
        pass


def join_only(monkeypatch, fake, connect):
    """Have `RayExecutor` start nothing, and join by `connect`."""
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setattr("search.ray_executor.import_ray", lambda **_: fake)
    monkeypatch.setattr("search.ray_executor.start_here", lambda workers: (Kept(), "here:1"))
    monkeypatch.setattr("search.ray_executor.connect", connect)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals there")
@pytest.mark.parametrize("found", [signal.SIG_DFL, signal.SIG_IGN, signal.default_int_handler])
def test_the_handlers_are_those_that_were_found_after_ray_has_put_in_its_own(monkeypatch, found):
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def connect(*_):
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(15))  # as `ray.init` does

    join_only(monkeypatch, SimpleNamespace(is_initialized=lambda: False), connect)
    monkeypatch.setattr("search.ray_executor.check_workers", lambda *_: (_ for _ in ()).throw(Joined))
    try:
        for number in before:
            signal.signal(number, found)
        with pytest.raises(Joined):
            RayExecutor().start()
        assert {signal.getsignal(number) for number in before} == {found}
        assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == set()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class Joined(Exception):
    pass


@pytest.fixture
def silent():
    """An address where something listens and never answers."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield f"127.0.0.1:{listener.getsockname()[1]}"


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such process there")
def test_what_answers_at_an_address_and_is_no_cluster_is_refused_in_time(silent, monkeypatch):
    pytest.importorskip("ray")
    monkeypatch.setattr("search.ray_head.START_S", 0.2)
    with pytest.raises(ExecutorUnavailable, match=rf"no Ray cluster at {silent} \(no answer in 0.2 s\)"):
        try_address(silent)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such process there")
@pytest.mark.parametrize(
    ("work", "within", "fault"),
    [
        ("search_probe:hangs", 1, "no answer in 1 s"),
        ("search_probe:raises", 60, "Exception: the last words"),
        ("search_probe:dies", 60, "ended without an answer"),
    ],
)
def test_what_hangs_raises_or_dies_as_ray_starts_is_ended_and_told(
    work, within, fault, tmp_path, monkeypatch
):
    (tmp_path / "search_probe.py").write_text(PROBE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("search.ray_head.START_S", within)
    keeper = Keeper(work, str(tmp_path / "pid"))
    with pytest.raises(ExecutorUnavailable, match=fault):
        keeper.address()
    for begun in tmp_path.glob("pid"):  # on a busy machine it may not have come so far
        assert not alive(int(begun.read_text()))


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such process there")
def test_ctrl_c_while_ray_starts_ends_the_start(tmp_path, monkeypatch):
    (tmp_path / "search_probe.py").write_text(PROBE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    keeper = Keeper("search_probe:hangs", str(tmp_path / "pid"))

    def interrupt():
        while not (tmp_path / "pid").exists():
            time.sleep(0.01)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        interrupting = threading.Thread(target=interrupt)
        interrupting.start()
        with pytest.raises(KeyboardInterrupt):
            keeper.address()
        interrupting.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert not alive(int((tmp_path / "pid").read_text()))


PROBE = """
import os, subprocess, sys, time

def _here(path):
    with open(path + ".part", "w") as file:
        file.write(str(os.getpid()))
    os.replace(path + ".part", path)

def hangs(path):
    _here(path)
    time.sleep(600)

def raises(path):
    _here(path)
    raise Exception("first words\\nthe last words")

def dies(path):
    _here(path)
    os._exit(3)
"""


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


class Unavailable(SerialExecutor):
    """As a Ray that does not start."""

    def __init__(self, at: str):
        self._at = at

    def check(self) -> None:
        if self._at == "check":
            raise ExecutorUnavailable("Ray does not start on this machine\n(no answer)")

    def start(self) -> None:
        if self._at == "start":
            raise ExecutorUnavailable("Ray does not start on this machine\n(no answer)")


@pytest.mark.parametrize("at", ["check", "start", "never"])
def test_calls_go_to_the_second_executor_with_one_line_where_the_first_does_not_start(at, caplog):
    with FallbackExecutor(Unavailable(at), SerialExecutor(), "here instead") as executor:
        executor.check()
        executor.start()
        assert executor.map(floordiv_by_two, [4, 6]) == [2, 3]
    said = ["Ray does not start on this machine (no answer); here instead"] if at != "never" else []
    assert [record.getMessage() for record in caplog.records] == said


def test_where_the_second_executor_is_unavailable_too_that_is_raised():
    with (
        FallbackExecutor(Unavailable("start"), Unavailable("start"), "here instead") as executor,
        pytest.raises(ExecutorUnavailable),
    ):
        executor.start()


def floordiv_by_two(number: int) -> int:
    return number // 2
