"""Getting to a Ray cluster: start one here or join one, and look at its nodes before work is paid for.

Both are tried by a process of their own first (`search.ray_head`), so they end by a deadline or by ctrl-C.

A cluster of our own belongs to this machine and user: it listens on the loopback address, has no dashboard,
sends no usage reports, and keeps its sessions in a folder of the user's own. One that an address names is
used as it is; if its dashboard, through which anybody can run anything, is open to the network, a warning
says so. A *canary*, a call that costs nothing, runs on every node: it must come back in time, and what it
finds there must be what the driver runs.
"""

from __future__ import annotations

import ipaddress
import logging
import os
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from getpass import getuser
from pathlib import Path
from types import FrameType
from typing import Any

from search.boundary import call_guarded, identify
from search.executors import MAX_RETRIES, ExecutorUnavailable
from search.ray_head import Keeper

_log = logging.getLogger(__name__)

#: How long a node may take for its first task, in seconds.
CANARY_S = 60
#: Payloads are a few kilobytes; Ray's default would claim a third of the machine's memory.
OBJECT_STORE_BYTES = 128 * 2**20
#: Ray puts sockets up to 62 characters below its folder, and the path of a socket has at most 103 (macOS).
MAX_FOLDER_LENGTH = 40


@contextmanager
def interrupts_wait() -> Iterator[None]:
    """Hold ctrl-C and SIGTERM back until the block has ended; a second ctrl-C is passed on at once.

    A process whose joining of a cluster was broken off may crash when it ends. The handlers that were found
    are there afterwards: Ray puts one of its own in the place of that of SIGTERM.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[int] = []
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def hold(number: int, frame: FrameType | None) -> None:
        held.append(number)
        handler = before[signal.SIGINT]
        if len(held) > 1 and callable(handler):
            handler(number, frame)

    signal.signal(signal.SIGINT, hold)
    try:
        with _blocked(signal.SIGTERM):
            try:
                yield
            finally:
                for number, handler in before.items():
                    if handler is not None:  # None: it is not Python's, and cannot be put back
                        signal.signal(number, handler)
    finally:
        if held:
            signal.raise_signal(signal.SIGINT)


@contextmanager
def _blocked(number: signal.Signals) -> Iterator[None]:
    """Hold a signal back from this thread until the block has ended."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {number})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def import_ray(*, alone: bool) -> Any:
    """The ray package. `alone`: for a cluster of our own, which nobody else is to reach.

    Ray reads its settings when it is first imported. Raises ExecutorUnavailable without it.
    """
    settings = {
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
        "RAY_task_oom_retries": str(MAX_RETRIES),  # else a call that takes too much memory is tried for ever
    }
    if alone:  # as its name does not say: with 0, Ray listens on the loopback address only, on Linux too
        settings["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
        # whoever joins must present the token that Ray keeps in a file of the user's own; a driver that has
        # imported Ray before cannot be made to, and so its cluster must not ask
        settings["RAY_AUTH_MODE"] = "disabled" if "ray" in sys.modules else "token"
    for name, value in settings.items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ImportError as error:
        raise ExecutorUnavailable(
            f"the Ray executor needs the package `ray` ({error}): "
            "install it, or use the serial or the process executor"
        ) from error
    return ray


def start_here(workers: int | None) -> tuple[Keeper, str]:
    """Start a cluster on this machine; what holds it, and its address. Raises ExecutorUnavailable."""
    try:
        keeper = Keeper("search.ray_connection:start", workers)
        return keeper, keeper.address()
    except ExecutorUnavailable as error:
        raise ExecutorUnavailable(
            f"Ray does not start on this machine ({error}): set RAY_TMPDIR to a folder with a short path, or "
            "use the serial or the process executor"
        ) from error


def try_address(address: str) -> str:
    """The cluster's own address. The driver joins nothing.

    Raises ExecutorUnavailable if no Ray cluster answers at `address` in time.
    """
    try:
        _probe(address)
        keeper = Keeper("search.ray_connection:join", address)
        try:
            return keeper.address()
        finally:
            keeper.close()
    except (OSError, ExecutorUnavailable) as error:
        raise _no_cluster(address, str(error)) from error


def connect(ray: Any, address: str) -> None:
    """Join the cluster at `address`, which was tried. Raises ExecutorUnavailable."""
    joining = partial(ray.init, address, log_to_driver=False, logging_level=logging.ERROR)
    found = call_guarded(joining, ())  # Ray raises bare exceptions, so all have to be caught
    if found.error is not None:
        raise _no_cluster(address, found.error.message)
    _warn_of_open_dashboard(found.value.dashboard_url)


def refuse_another(ray: Any, address: str) -> None:
    """Raises ExecutorUnavailable unless `address` is that of the cluster that this process has joined."""
    joined = str(ray.get_runtime_context().gcs_address)
    if joined != address and joined != try_address(address):
        raise ExecutorUnavailable(
            f"this process has joined the Ray cluster at {joined} and cannot join the one at {address}: call "
            "ray.shutdown() before, or name the cluster that was joined"
        )


def start(workers: int | None) -> str:
    """In the keeper: a cluster of our own; its address."""
    ray = import_ray(alone=True)
    ray.init(
        "local",
        num_cpus=workers,
        include_dashboard=False,
        object_store_memory=OBJECT_STORE_BYTES,
        log_to_driver=False,
        logging_level=logging.ERROR,
        _temp_dir=_swept(_session_folder()),
        _system_config={"prestart_worker_first_driver": False},  # the first driver is the keeper
    )
    return str(ray.get_runtime_context().gcs_address)


def join(address: str) -> str:
    """In the keeper: join a cluster; its address."""
    ray = import_ray(alone=False)
    ray.init(address, log_to_driver=False, logging_level=logging.ERROR)
    return str(ray.get_runtime_context().gcs_address)


def _no_cluster(address: str, reason: str) -> ExecutorUnavailable:
    return ExecutorUnavailable(
        f"no Ray cluster at {address} ({reason}): start one with `ray start --head`, correct the address or "
        "RAY_ADDRESS, set RAY_AUTH_MODE and RAY_AUTH_TOKEN as the cluster does, or leave the address out to "
        "use this machine"
    )


def _warn_of_open_dashboard(url: str | None) -> None:
    """`url` is host:port. One that listens on every address has the node's own."""
    host = (url or "").rpartition(":")[0].strip("[]")
    if host and not _loopback(host):
        _log.warning(
            "the dashboard of this Ray cluster is open to the network at %s: whoever reaches that can run "
            "programs on every node. Start the head with --dashboard-host=127.0.0.1, or close the port",
            url,
        )


def _loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _session_folder() -> str | None:
    """A folder of this user's own for Ray's sessions; None (Ray's choice) if its path would be too long.

    None also if RAY_TMPDIR is set, which Ray reads itself.
    """
    owner = os.getuid() if hasattr(os, "getuid") else getuser()
    folder = str(Path(tempfile.gettempdir()) / f"groundwalk-ray-{owner}")
    return None if "RAY_TMPDIR" in os.environ or len(folder) > MAX_FOLDER_LENGTH else folder


def _swept(folder: str | None) -> str | None:
    """`folder` without the sessions of drivers that have ended: Ray keeps them for good.

    A session is named after the process that began it, `session_2026-11-22_21-03-38_539195_29826`.
    """
    sessions = Path(folder).glob("session_*_*") if folder and os.name == "posix" else ()
    for session in sessions:
        driver = session.name.rpartition("_")[2]
        if driver.isdecimal() and not session.is_symlink() and not _runs(int(driver)):
            shutil.rmtree(session, ignore_errors=True)
    return folder


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # somebody else's
        return True
    return True


def _probe(address: str) -> None:
    """Raises OSError if nothing listens at a host:port address; Ray itself would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), timeout=5).close()


def check_workers(ray: Any, workers: int | None, needs: tuple[str, ...]) -> None:
    """Raises ExecutorUnavailable with too few CPUs, or naming a node on which the canary fails."""
    cpus = int(ray.cluster_resources().get("CPU", 0))
    if cpus < (workers or 1):
        raise ExecutorUnavailable(
            f"the Ray cluster has {cpus} CPUs, asked for are {workers or 1}: ask for fewer"
        )
    deadline = time.monotonic() + CANARY_S
    nodes = {_name(node): node["NodeID"] for node in ray.nodes() if _works(node)}
    replies = {name: _canary(ray, identity, needs) for name, identity in sorted(nodes.items())}
    here = identify(needs)
    for name, reply in replies.items():
        try:
            there = ray.get(reply, timeout=max(0.0, deadline - time.monotonic()))
        except ray.exceptions.GetTimeoutError:
            raise ExecutorUnavailable(
                f"Ray node {name} did not answer in {CANARY_S} s: look at it with `ray status` on its "
                "cluster, or take it out"
            ) from None
        except (ray.exceptions.TaskUnschedulableError, ray.exceptions.NodeDiedError):
            continue  # it has left the cluster since; nothing will be sent there
        except ray.exceptions.RayError as error:
            raise ExecutorUnavailable(
                f"Ray node {name} cannot run this package: {_last_line(error)}. Install groundwalk there, "
                "or pass it along with a working_dir"
            ) from error
        if there != here:
            raise ExecutorUnavailable(f"Ray node {name} runs {there}, the driver {here}: make them equal")


def _works(node: Mapping[str, Any]) -> bool:
    """Whether calls may be sent to the node."""
    return bool(node["Alive"] and node["Resources"].get("CPU"))


def _name(node: Mapping[str, Any]) -> str:
    """Unique: the node's name, its address if that is another, and the start of its id, as in Ray's logs."""
    name, address = node["NodeName"], node["NodeManagerAddress"]
    return f"{name} ({'' if name == address else f'{address}, '}{node['NodeID'][:8]})"


def _last_line(error: Exception) -> str:
    """Ray puts stacks of several processes before what matters."""
    return str(error).strip().splitlines()[-1]


def _canary(ray: Any, node: str, needs: tuple[str, ...]) -> Any:
    """A reference to what the node says that it is."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    there = NodeAffinitySchedulingStrategy(node, soft=False)
    return ray.remote(num_cpus=0, max_retries=0, scheduling_strategy=there)(identify).remote(needs)
