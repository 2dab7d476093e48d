"""Ray at arm's length: what may hang or fail when Ray starts does so in a process that can be ended.

`ray.init` can wait for ever, for a head that does not come up or for an address where something else listens,
and a process in which it was broken off may crash later. So a cluster of our own is started by a *keeper*, a
process with a session of its own, and the driver joins it by its address: the start has a deadline, ctrl-C
works meanwhile, and signals to the driver's process group do not reach the cluster. The keeper ends the
cluster when it is closed, or when the driver has ended, however that ended. Likewise an address is tried by
a process of that kind before the driver joins it.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from typing import Any

from search.executors import ExecutorUnavailable

#: How long a cluster may take to start or to answer, in seconds.
START_S = 60
#: How long a cluster of our own may take to stop before its processes are killed, in seconds.
STOP_S = 15

_GROUP_SIGNALS = {signal.SIGINT, signal.SIGTERM}
_MASKS = hasattr(signal, "pthread_sigmask")


class Keeper:
    """A process that holds a Ray of ours, or looks at one; a context manager that ends it."""

    def __init__(self, work: Callable[..., str], *args: Any):
        """Start `work(*args)` there; it returns an address and leaves Ray connected."""
        spawn = multiprocessing.get_context("spawn")
        self._ours, theirs = spawn.Pipe()
        self._process = spawn.Process(target=_keep, args=(theirs, work, args), name="ray-keeper", daemon=True)
        with signals_blocked(_GROUP_SIGNALS):  # it inherits that, until it has a session of its own
            self._process.start()
        theirs.close()

    def address(self) -> str:
        """The cluster's address, once it answers. Raises ExecutorUnavailable, after all has been ended."""
        try:
            if not self._ours.poll(START_S):
                raise ExecutorUnavailable(f"no answer in {START_S} s")
            fault, address = self._ours.recv()
        except BaseException as error:  # also ctrl-C
            self.kill()
            if isinstance(error, EOFError | OSError):
                raise ExecutorUnavailable("its process ended without a word") from error
            raise
        if fault:
            self.close()
            raise ExecutorUnavailable(fault)
        return str(address)

    def close(self) -> None:
        """Let Ray be stopped in good order, and end the process. Closing twice is harmless."""
        self._ours.close()
        self._process.join(STOP_S)
        self.kill()

    def kill(self) -> None:
        """End the process and all that Ray has started in its session."""
        self._ours.close()
        if self._process.is_alive():
            if hasattr(os, "killpg"):
                with suppress(ProcessLookupError, PermissionError):  # it has no session of its own yet
                    os.killpg(self._process.pid or 0, signal.SIGKILL)
            self._process.kill()
            self._process.join()


@contextmanager
def signals_blocked(numbers: Collection[signal.Signals]) -> Iterator[None]:
    """Hold these signals back from this thread, and from what it starts, until the block has ended."""
    if not _MASKS:
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _keep(driver: Connection, work: Callable[..., str], args: tuple[Any, ...]) -> None:
    """The keeper's program: do the work, say what came of it, and hold it until the driver lets go."""
    if hasattr(os, "setsid"):
        os.setsid()
    if _MASKS:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _GROUP_SIGNALS)
    try:
        answer = ("", work(*args))
    except Exception as error:  # Ray raises bare ones; as text, since they may not survive the way
        answer = (f"{type(error).__name__}: {_last_line(error)}", "")
    with suppress(OSError):
        driver.send(answer)
    with suppress(EOFError, OSError):
        driver.recv()
    import ray

    ray.shutdown()


def _last_line(error: Exception) -> str:
    """Ray puts stacks of several processes before what matters."""
    return (str(error).strip() or "no reason given").splitlines()[-1]
