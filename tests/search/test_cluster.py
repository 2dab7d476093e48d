"""A cluster of several nodes: the same results on all of them, whatever happens to one.

The nodes are real ones of Ray on this machine, each with a raylet and workers of its own. They share the
head of the other tests, and a test that adds a node removes it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from search.boundary import WorkerError
from search.executors import Executor, ExecutorUnavailable, SerialExecutor
from search.fakes import NumberEvaluation, NumberEvaluator, NumberPayload, number_roots, propose_numbers
from search.loop import SearchResult, run_search
from search.policies import Algorithm1
from search.ray_connection import OBJECT_STORE_BYTES, connect
from search.ray_executor import RayExecutor

HEAD_CPUS = 2
#: Longer than any machine that works at all takes for what is waited for here.
DEADLINE_S = 240.0


def waiting() -> Callable[[Callable[[], bool]], None]:
    """A function that can be sent to workers, which cannot import this module."""

    def wait_until(happened: Callable[[], bool]) -> None:
        """Return as soon as it has; fails after the deadline."""
        deadline = time.monotonic() + DEADLINE_S
        while not happened():
            if time.monotonic() > deadline:
                raise TimeoutError("it never happened")
            time.sleep(0.02)

    return wait_until


wait_until = waiting()


@contextmanager
def another_node(cluster: Any, name: str, **environment: str) -> Iterator[Any]:
    """A node of two CPUs, with these variables in its environment."""
    size = {"num_cpus": 2, "object_store_memory": OBJECT_STORE_BYTES}
    node = cluster.add_node(node_name=name, env_vars=environment, **size)
    try:
        yield node
    finally:
        if node in cluster.worker_nodes:
            cluster.remove_node(node)


@contextmanager
def busy_head(executor: Executor, folder: Path) -> Iterator[None]:
    """Inside, the head has no CPU free."""

    def hold(begun: Path, until: Path) -> None:
        begun.touch()
        wait_until(until.exists)

    until = folder / "until"
    begun = [folder / f"begun-{number}" for number in range(HEAD_CPUS)]
    held = [executor.submit(hold, path, until) for path in begun]
    wait_until(lambda: all(path.exists() for path in begun))
    try:
        yield
    finally:
        until.touch()
        for future in held:
            future.result()


def search(executor: Executor, evaluate: Callable[[Any], NumberEvaluation]) -> SearchResult:
    return run_search(Algorithm1(children=4, turns=3), number_roots(2), propose_numbers, evaluate, executor)


def test_two_nodes_find_what_one_process_finds(
    ray_cluster: Any, ray_executor: RayExecutor, tmp_path: Path
) -> None:
    ray_executor.start()

    def evaluate(payload: NumberPayload) -> NumberEvaluation:
        import ray

        (tmp_path / ray.get_runtime_context().get_node_id()).touch()
        wait_until(lambda: len(list(tmp_path.iterdir())) == 2)  # the first calls, until both nodes work
        return NumberEvaluator()(payload)

    with another_node(ray_cluster, "second"):
        assert search(ray_executor, evaluate) == search(SerialExecutor(), NumberEvaluator())
    assert len(list(tmp_path.iterdir())) == 2


def test_a_node_that_is_killed_changes_no_result(
    ray_cluster: Any, ray_executor: RayExecutor, tmp_path: Path
) -> None:
    ray_executor.start()
    killed = tmp_path / "killed"

    def evaluate(payload: NumberPayload) -> NumberEvaluation:
        import ray

        (tmp_path / ray.get_runtime_context().get_node_id()).touch()
        wait_until(killed.exists)
        return NumberEvaluator()(payload)

    with another_node(ray_cluster, "doomed") as node:
        payloads = [NumberPayload(n) for n in range(12)]
        futures = [ray_executor.submit(evaluate, payload) for payload in payloads]
        wait_until((tmp_path / node.node_id).exists)
        ray_cluster.remove_node(node, allow_graceful=False)
        killed.touch()
        assert [future.result() for future in futures] == [NumberEvaluation(n) for n in range(12)]


def test_a_worker_beyond_the_memory_limit_is_tried_again_and_then_a_retryable_error(
    ray_cluster: Any, ray_executor: RayExecutor, tmp_path: Path
) -> None:
    ray_executor.start()
    any_memory_is_too_much = {
        "RAY_memory_usage_threshold": "0.0001",
        "RAY_memory_monitor_refresh_ms": "700",
    }

    def work() -> None:
        time.sleep(DEADLINE_S)

    with (
        busy_head(ray_executor, tmp_path),
        another_node(ray_cluster, "poor", **any_memory_is_too_much),
        pytest.raises(WorkerError, match="low on memory") as caught,
    ):
        ray_executor.submit(work).result(timeout=DEADLINE_S)
    assert caught.value.retryable and "\n" not in caught.value.message
    assert caught.value.type_name == "ray.exceptions.OutOfMemoryError"


LACKING = "import sys; sys.modules['search'] = None"
OTHER = "import importlib.metadata as m; m.version = lambda name: '0.0.1'"


@pytest.mark.parametrize(
    ("start", "complaint"),
    [
        (LACKING, "cannot run this package: .*search.* Install groundwalk there"),
        (OTHER, r"runs .*groundwalk 0\.0\.1 .*make them equal"),
    ],
)
def test_the_node_that_lacks_the_package_or_has_another_is_named(
    ray_cluster: Any, ray_executor: RayExecutor, tmp_path: Path, start: str, complaint: str
) -> None:
    ray_executor.start()
    (tmp_path / "sitecustomize.py").write_text(start, encoding="utf-8")
    with (
        another_node(ray_cluster, "odd-one", PYTHONPATH=str(tmp_path)),
        pytest.raises(ExecutorUnavailable, match=rf"^Ray node odd-one \(.*\) {complaint}"),
    ):
        RayExecutor(ray_cluster.address).start()


def test_a_node_that_does_not_answer_is_named(
    ray_cluster: Any, ray_executor: RayExecutor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver, told = os.getpid(), tmp_path / "told"

    def asleep(needs: tuple[str, ...]) -> None:
        if os.getpid() != driver:
            wait_until(told.exists)

    ray_executor.start()
    monkeypatch.setattr("search.ray_connection.CANARY_S", 0.5)
    monkeypatch.setattr("search.ray_connection.identify", asleep)
    with pytest.raises(ExecutorUnavailable, match=r"Ray node \S+ \(\w+\) did not answer in 0.5 s"):
        RayExecutor(ray_cluster.address).start()
    told.touch()


JOINS = """
import sys
from search.ray_executor import RayExecutor
with RayExecutor(sys.argv[1]) as executor:
    assert executor.submit(pow, 2, 5).result() == 32
"""


def test_a_cluster_is_left_running_by_a_driver_that_joined_it(
    ray_cluster: Any, ray_executor: RayExecutor
) -> None:
    ray_executor.start()
    subprocess.run([sys.executable, "-c", JOINS, ray_cluster.address], check=True, timeout=60)
    assert ray_executor.submit(pow, 2, 6).result() == 64


ALONE = """
import os, signal, socket
from search.ray_executor import RayExecutor
executor = RayExecutor(workers=1)
def look():
    import ray
    return ray.get_runtime_context().gcs_address
host, _, port = executor.submit(look).result().rpartition(":")
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as route:
    route.connect(("192.0.2.1", 9))  # sends nothing, but says by which address it would go out
    mine = route.getsockname()[0]
socket.create_connection((host, int(port)), timeout=5).close()
if mine != host:
    try:
        socket.create_connection((mine, int(port)), timeout=5)
        raise SystemExit(f"open at {mine}")
    except ConnectionRefusedError:
        pass
print(port, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes are listed in another way there")
def test_a_cluster_of_our_own_is_closed_to_the_network_and_ends_with_a_killed_driver() -> None:
    pytest.importorskip("ray")
    alone = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    driver = subprocess.run(
        [sys.executable, "-c", ALONE], env=alone, stdout=subprocess.PIPE, text=True, timeout=90
    )
    assert driver.returncode == -signal.SIGKILL
    port = driver.stdout.strip().splitlines()[-1].encode()
    wait_until(lambda: not any(port in line for line in command_lines_of_ray()))


def command_lines_of_ray() -> Iterator[bytes]:
    """Of all its processes on this machine that know the head's port."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            line = path.read_bytes()
            if b"gcs-address=" in line or b"gcs_server" in line:
                yield line


@pytest.mark.parametrize(
    ("url", "told"),
    [("127.0.0.1:8265", False), ("[::1]:8265", False), ("", False), (None, False), ("10.0.0.7:8265", True)],
)
def test_a_dashboard_that_is_open_to_the_network_is_told(
    url: str | None, told: bool, caplog: pytest.LogCaptureFixture
) -> None:
    ray = SimpleNamespace(init=lambda *_, **settings: SimpleNamespace(dashboard_url=url))
    connect(ray, "auto")
    assert ("open to the network at 10.0.0.7:8265" in caplog.text) is told
