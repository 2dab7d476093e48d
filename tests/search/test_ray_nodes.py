"""What is said of a cluster's nodes and left as it was found, with a stand-in for Ray; real ones are slow.

`test_cluster` and `test_executors` try the same on real nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from search.boundary import WorkerError, identify
from search.executors import ExecutorUnavailable
from search.ray_connection import check_workers, refuse_another
from search.ray_executor import RayExecutor

NEEDS = ("search",)


class RayError(Exception):
    """As those of Ray."""


ERRORS = SimpleNamespace(
    RayError=RayError,
    **{
        name: type(name, (RayError,), {})
        for name in (
            *("GetTimeoutError", "TaskUnschedulableError", "NodeDiedError", "WorkerCrashedError"),
            *("OutOfMemoryError", "LocalRayletDiedError", "ObjectLostError", "OutOfDiskError", "RpcError"),
            "RaySystemError",
        )
    },
)


def node(name: str, alive: bool = True) -> Mapping[str, Any]:
    """One of two CPUs."""
    address = f"at-{name}"
    return {"NodeName": name, "NodeManagerAddress": address, "NodeID": f"{name}-0123456789", "Alive": alive,
            "Resources": {"CPU": 2.0}}  # fmt: skip


def cluster(monkeypatch: pytest.MonkeyPatch, *found: Mapping[str, Any], **replies: object) -> Any:
    """A cluster of these nodes; `replies` are what the canary on them brings, or raises."""

    def get(name: str, timeout: float) -> object:
        reply = replies.get(name, identify(NEEDS))
        if isinstance(reply, Exception):
            raise reply
        return reply

    def canary(ray: object, identity: str, needs: tuple[str, ...]) -> str:
        return identity.partition("-")[0]

    monkeypatch.setattr("search.ray_connection._canary", canary)
    cpus = sum(one["Resources"]["CPU"] for one in found)
    return SimpleNamespace(
        cluster_resources=lambda: {"CPU": cpus}, nodes=lambda: list(found), get=get, exceptions=ERRORS
    )


def test_nodes_that_are_what_the_driver_is_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    check_workers(cluster(monkeypatch, node("a"), node("b")), 4, NEEDS)


def test_more_workers_than_there_are_cpus_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ExecutorUnavailable, match="has 4 CPUs, asked for are 5: ask for fewer"):
        check_workers(cluster(monkeypatch, node("a"), node("b")), 5, NEEDS)


@pytest.mark.parametrize(
    ("reply", "complaint"),
    [
        (lambda: replace(identify(NEEDS), version="0.0.1"), r"runs .*groundwalk 0\.0\.1 .*make them equal"),
        (lambda: ERRORS.GetTimeoutError(), r"did not answer in \d+ s: look at it"),
        (lambda: RayError("stacks\nNo module named 'search'"), "cannot run this package: No module .*search"),
    ],
)
def test_the_node_on_which_the_canary_fails_is_named(
    monkeypatch: pytest.MonkeyPatch, reply: Callable[[], object], complaint: str
) -> None:
    ray = cluster(monkeypatch, node("good"), node("odd"), odd=reply())
    with pytest.raises(ExecutorUnavailable, match=rf"^Ray node odd \(at-odd, odd-0123\) {complaint}"):
        check_workers(ray, None, NEEDS)


@pytest.mark.parametrize("error", [ERRORS.NodeDiedError, ERRORS.TaskUnschedulableError])
def test_a_node_that_has_left_is_passed_over(monkeypatch: pytest.MonkeyPatch, error: type[Exception]) -> None:
    check_workers(cluster(monkeypatch, node("good"), node("left"), left=error()), None, NEEDS)
    silent = RuntimeError("nobody asks it")
    check_workers(cluster(monkeypatch, node("good"), node("dead", False), dead=silent), None, NEEDS)


def test_a_process_that_has_joined_a_cluster_joins_no_other_one(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = SimpleNamespace(get_runtime_context=lambda: SimpleNamespace(gcs_address="here:1"))
    refuse_another(ray, "here:1")
    monkeypatch.setattr("search.ray_connection.try_address", lambda address: "here:1")
    refuse_another(ray, "alias:1")
    monkeypatch.setattr("search.ray_connection.try_address", lambda address: address)
    with pytest.raises(ExecutorUnavailable, match="has joined the Ray cluster at here:1 and cannot join"):
        refuse_another(ray, "there:1")


def joined(monkeypatch: pytest.MonkeyPatch, answer: Callable[[Future[Any]], None]) -> tuple[Any, list[str]]:
    """A cluster that this process has joined, whose tasks end as `answer` says; and what was done to it."""
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    done: list[str] = []

    def remote(fn: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        future: Future[Any] = Future()
        answer(future)
        return SimpleNamespace(future=lambda: future)

    ray = cluster(monkeypatch, node("a"))
    ray.is_initialized = lambda: True
    ray.shutdown = lambda: done.append("shutdown")
    ray.remote = lambda **settings: lambda fn: SimpleNamespace(remote=remote)
    monkeypatch.setattr("search.ray_executor.import_ray", lambda **_: ray)
    return ray, done


def test_a_cluster_that_ran_already_is_used_and_left_running(monkeypatch: pytest.MonkeyPatch) -> None:
    _, done = joined(monkeypatch, lambda future: None)
    with RayExecutor(workers=2) as executor:
        executor.start()
    assert not done


def test_a_cluster_that_ran_already_is_asked_for_what_the_calls_come_from(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    joined(monkeypatch, lambda future: None)
    asked: list[tuple[str, ...]] = []
    monkeypatch.setattr("search.ray_executor.check_workers", lambda ray, least, needs: asked.append(needs))
    with RayExecutor(needs=lambda: ("search", "experiments.methods")) as executor:
        executor.start()
    assert asked == [("search", "experiments.methods")]


@pytest.mark.parametrize("name", ["WorkerCrashedError", "NodeDiedError", "OutOfMemoryError"])
def test_what_the_machine_lost_is_a_retryable_error(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    joined(monkeypatch, lambda future: future.set_exception(getattr(ERRORS, name)("it is gone")))
    with RayExecutor() as executor, pytest.raises(WorkerError, match="gone") as caught:
        executor.submit(pow, 2, 3).result(timeout=60)
    assert caught.value.retryable and name in caught.value.type_name
