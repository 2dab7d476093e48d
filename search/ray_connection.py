"""Getting to a Ray cluster: start one here or join one, and look at its nodes before work is paid for.

A cluster of our own belongs to this machine and user: it listens on the loopback address, has no dashboard,
sends no usage reports, and keeps its sessions in a folder of the user's own. One that an address names is
used as it is. A *canary*, a call that costs nothing, runs on every node: it must come back in time, with the
driver's versions of Python and of this package.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from getpass import getuser
from pathlib import Path
from types import FrameType
from typing import Any

from search.boundary import identify
from search.executors import ExecutorUnavailable

#: How long a node may take for its first task, in seconds.
CANARY_S = 60
#: Payloads are a few kilobytes; Ray's default would claim a third of the machine's memory.
OBJECT_STORE_BYTES = 128 * 2**20
#: Ray puts sockets up to 62 characters below its folder, and the path of a socket has at most 103 (macOS).
MAX_FOLDER_LENGTH = 40


@contextmanager
def interrupts_wait() -> Iterator[None]:
    """Hold the first ctrl-C back until the block has ended; a second one is passed on at once.

    A process whose start of Ray was broken off may crash when it ends, and leave Ray's processes behind.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[int] = []
    before = signal.getsignal(signal.SIGINT)

    def hold(number: int, frame: FrameType | None) -> None:
        held.append(number)
        if len(held) > 1 and callable(before):
            before(number, frame)

    signal.signal(signal.SIGINT, hold)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if held:
            signal.raise_signal(signal.SIGINT)


def import_ray() -> Any:
    """The ray package, with its usage reports off."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray
    except ImportError as error:
        raise ExecutorUnavailable(
            f"the Ray executor needs the package `ray` ({error}): "
            "install it, or use the serial or the process executor"
        ) from error
    return ray


def connect(ray: Any, address: str | None, workers: int | None) -> None:
    """Join the cluster at `address`, or start one on this machine if that is None."""
    settings: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address is None:
        failed = "Ray does not start on this machine"
        mend = "set RAY_TMPDIR to a folder with a short path, or use the serial or the process executor"
        settings |= {
            "num_cpus": workers,
            "include_dashboard": False,
            "object_store_memory": OBJECT_STORE_BYTES,
            "_temp_dir": _session_folder(),
        }
    else:
        failed = f"no Ray cluster at {address}"
        mend = (
            "start one with `ray start --head`, mend the address or RAY_ADDRESS, set RAY_AUTH_MODE and "
            "RAY_AUTH_TOKEN as the cluster does, or leave the address out to use this machine"
        )
    try:
        _probe(address or "")
        ray.init(address or "local", **settings)
    except (OSError, RuntimeError, ValueError) as error:
        raise ExecutorUnavailable(f"{failed} ({error}): {mend}") from error


def _session_folder() -> str | None:
    """A folder of this user's own for Ray's sessions; None (Ray's choice) if its path would be too long.

    None also if RAY_TMPDIR is set, which Ray reads itself.
    """
    owner = os.getuid() if hasattr(os, "getuid") else getuser()
    folder = str(Path(tempfile.gettempdir()) / f"groundwalk-ray-{owner}")
    return None if "RAY_TMPDIR" in os.environ or len(folder) > MAX_FOLDER_LENGTH else folder


def _probe(address: str) -> None:
    """Raises OSError if nothing listens at a host:port address; Ray itself would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), timeout=5).close()


def check_workers(ray: Any, workers: int | None) -> None:
    """A canary on every node: it must import this package, in the driver's versions, within CANARY_S."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    cpus = int(ray.cluster_resources().get("CPU", 0))
    if cpus < (workers or 1):
        raise ExecutorUnavailable(
            f"the Ray cluster has {cpus} CPUs, asked for are {workers or 1}: ask for fewer"
        )
    canary = ray.remote(num_cpus=0, max_retries=0)(identify)
    nodes = sorted(
        (node["NodeName"], node["NodeID"])
        for node in ray.nodes()
        if node["Alive"] and node["Resources"].get("CPU")
    )
    replies = [
        canary.options(scheduling_strategy=NodeAffinitySchedulingStrategy(identity, soft=False)).remote()
        for _, identity in nodes
    ]
    for (name, _), reply in zip(nodes, replies, strict=True):
        try:
            there = ray.get(reply, timeout=CANARY_S)
        except ray.exceptions.RayError as error:
            raise ExecutorUnavailable(
                f"Ray node {name} cannot run this package: {error}. Install groundwalk there, "
                "or pass it along with a working_dir"
            ) from error
        here = identify()
        if there != here:
            raise ExecutorUnavailable(
                f"Ray node {name} runs Python and groundwalk {there}, the driver {here}: make them equal"
            )
