"""Ray at arm's length: what may hang or fail when Ray starts does so in a process that can be ended.

`ray.init` can wait for ever, for a head that does not come up or for an address where something else listens,
and a process in which it was broken off may crash later. So a cluster of our own is started by a *keeper*, a
process with a session of its own, and the driver joins it by its address: the start has a deadline, ctrl-C
works meanwhile, and signals to the driver's process group do not reach the cluster. The keeper ends the
cluster when it is closed, or when the driver has ended, however that ended. Likewise an address is tried by
a process of that kind before the driver joins it.

A keeper is a program, not a child of `multiprocessing`, as that would import the driver's main module again.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from importlib import import_module
from typing import Any

from search.boundary import WorkerError, call_guarded
from search.executors import ExecutorUnavailable

#: How long a cluster may take to start or to answer, in seconds.
START_S = 90
#: How long a cluster of our own may take to stop before its processes are killed, in seconds.
STOP_S = 15

_PROGRAM = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); import search.ray_head as h; h.keep()"


class Keeper:
    """A process that holds a Ray of ours, or looks at one. Its owner closes it."""

    def __init__(self, work: str, *args: Any):
        """Start `work(*args)` there, a function `module:name` that connects Ray and returns an address.

        `args` are plain data. Raises ExecutorUnavailable where no such process can be started.
        """
        if not hasattr(os, "posix_spawn"):
            raise ExecutorUnavailable("this system has no posix_spawn")
        theirs_in, self._hold = os.pipe()
        self._said, theirs_out = os.pipe()
        argv = [sys.executable, "-c", _PROGRAM, json.dumps([os.path.abspath(p) for p in sys.path]), work]
        redirect = [(os.POSIX_SPAWN_DUP2, theirs_in, 0), (os.POSIX_SPAWN_DUP2, theirs_out, 1)]
        try:
            self._pid: int | None = os.posix_spawn(
                sys.executable,
                [*argv, json.dumps(args)],
                os.environ,
                file_actions=redirect,
                setsid=True,
                setsigmask=(),
                setsigdef=(signal.SIGINT, signal.SIGTERM),
            )
        except OSError as error:
            os.close(self._hold)
            os.close(self._said)
            raise ExecutorUnavailable(str(error)) from error
        finally:
            os.close(theirs_in)
            os.close(theirs_out)

    def address(self) -> str:
        """The cluster's address, once it answers.

        Raises ExecutorUnavailable if none does within `START_S`; then, as after ctrl-C, all has been ended.
        """
        with ExitStack() as undo:
            undo.callback(self.kill)
            answer = self._answer(time.monotonic() + START_S)
            undo.pop_all()
        if "address" not in answer:
            self.close()
            raise ExecutorUnavailable(answer["fault"])
        return str(answer["address"])

    def close(self) -> None:
        """Let Ray be stopped in good order, and end the process. Closing twice is harmless."""
        if self._pid is None:
            return
        os.close(self._hold)
        self._hold = -1
        deadline = time.monotonic() + STOP_S
        while not self._ended() and time.monotonic() < deadline:
            time.sleep(0.02)
        self.kill()

    def kill(self) -> None:
        """End the process and all that Ray has started in its session."""
        if self._pid is None:
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._pid, signal.SIGKILL)
        while not self._ended():
            time.sleep(0.02)
        self._pid = None
        for end in (self._hold, self._said):
            with suppress(OSError):
                os.close(end)

    def _ended(self) -> bool:
        """Whether the process has ended; it is reaped then, and stays the leader of its group till `kill`."""
        assert self._pid is not None
        try:
            return os.waitpid(self._pid, os.WNOHANG) != (0, 0)
        except ChildProcessError:  # reaped before
            return True

    def _answer(self, deadline: float) -> dict[str, str]:
        """The line that the process prints."""
        line = b""
        while not line.endswith(b"\n"):
            left = max(0.0, deadline - time.monotonic())
            if not select.select([self._said], [], [], left)[0]:
                raise ExecutorUnavailable(f"no answer in {START_S} s")
            more = os.read(self._said, 4096)
            if not more:
                raise ExecutorUnavailable("its process ended without an answer")
            line += more
        return dict(json.loads(line))


def keep() -> None:
    """The keeper's program: do the work, print what came of it, and hold it until the driver lets go."""
    hold, said = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2, 1)  # Ray prints what it likes
    found = call_guarded(_do, (sys.argv[2], json.loads(sys.argv[3])))  # Ray raises bare exceptions
    answer = {"address": found.value} if found.error is None else {"fault": _in_a_line(found.error)}
    with suppress(OSError):
        os.write(said, json.dumps(answer).encode() + b"\n")
    with suppress(OSError):
        os.read(hold, 1)  # ends when the driver closes its end, or has ended
    if "ray" in sys.modules:
        sys.modules["ray"].shutdown()


def _do(entry: str, arguments: Sequence[Any]) -> Any:
    """Call the function behind an entry point, `module:name`."""
    module, _, name = entry.partition(":")
    return getattr(import_module(module), name)(*arguments)


def _in_a_line(error: WorkerError) -> str:
    """The error's class and last line: Ray puts stacks of several processes before what matters."""
    reason = (error.message.strip() or "no reason given").splitlines()[-1]
    return f"{error.type_name.rpartition('.')[2]}: {reason}"
