"""Child processes: the one place where other programs are started, limited and ended.

A child runs in a session of its own, so that it and everything it starts can be ended together, in a
folder the caller owns, with an environment without secrets. Its wall time, its output and, where `/proc`
exists (Linux), the resident memory of its whole session are limited. Whatever happens, also an exception
or ctrl-C in the caller, no member of the session outlives the call. Elsewhere than on Linux the memory
limit is not watched.

A result says how the child ended and never what that means; the caller knows the exit codes.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from subprocess import PIPE
from typing import IO

from envs.pddl.scratch import scratch_folder

_TICK_S = 0.05
_GRACE_S = 1.0  #: between SIGTERM and SIGKILL
_CHUNK = 1 << 16
_SECRET_ENDINGS = ("_API_KEY", "_TOKEN", "_SECRET", "_PASSWORD")
_PROC = Path("/proc")
_NOT_A_PROGRAM = (FileNotFoundError, PermissionError, NotADirectoryError)


class ChildStatus(StrEnum):
    """How a child ended."""

    EXITED = "exited"  #: by itself; `returncode` says how
    TIMEOUT = "timeout"  #: ended by us at the wall limit
    MEMORY = "memory"  #: ended by us at the memory limit
    KILLED = "killed"  #: by a signal that was not ours
    MISSING = "missing"  #: never started: no such program, or it cannot be executed


@dataclass(frozen=True)
class ChildResult:
    """What is left of a child. Output is read as UTF-8 with replacement and loses its middle if too long."""

    status: ChildStatus
    returncode: int | None  #: minus the signal's number after a signal; None if MISSING
    stdout: str
    stderr: str
    wall_s: float
    truncated: bool = False  #: whether `stdout` or `stderr` lacks its middle

    @property
    def succeeded(self) -> bool:
        """Whether the child exited by itself with code 0."""
        return self.status is ChildStatus.EXITED and self.returncode == 0


def run_child(
    argv: Sequence[str],
    *,
    wall_s: float,
    cwd: str | Path | None = None,
    memory_mb: float | None = None,
    stdin: str | bytes | None = None,
    env: Mapping[str, str] | None = None,
    output_limit: int = 4_000_000,
) -> ChildResult:
    """Run `argv` (program first, never through a shell) in the existing folder `cwd` and wait for its end.

    Without `cwd` it runs in a temporary folder of its own. `memory_mb` limits the resident memory of all
    processes of the child together, in MiB. `stdin` is the whole input, none if absent. `env` is added to
    `child_environment(cwd)`. At most about `output_limit` bytes are kept of each of stdout and stderr,
    however much is written. Thread-safe. Raises FileNotFoundError if `cwd` is no folder, and OSError if the
    machine cannot start any process (no memory, too many processes).
    """
    place = scratch_folder() if cwd is None else contextlib.nullcontext(cwd)
    with place as name, _input_file(stdin) as source:
        folder, started = Path(name), time.monotonic()
        if not folder.is_dir():
            raise FileNotFoundError(f"no folder {folder} to run {argv[0]} in; make it first")
        env = child_environment(folder) | dict(env or {})
        try:
            child = subprocess.Popen(
                argv, cwd=folder, env=env, stdin=source, stdout=PIPE, stderr=PIPE, start_new_session=True
            )
        except OSError as error:
            if not isinstance(error, _NOT_A_PROGRAM) and error.errno != errno.ENOEXEC:
                raise  # the machine's trouble
            said = f"cannot execute {argv[0]}: {error.strerror}"
            return ChildResult(ChildStatus.MISSING, None, "", said, 0.0)
        return _supervise(child, started, wall_s, memory_mb, output_limit)


def child_environment(folder: Path) -> dict[str, str]:
    """Our environment without secrets (`*_API_KEY` and the like), with `folder` for temporary files."""
    kept = {k: v for k, v in os.environ.items() if not k.upper().endswith(_SECRET_ENDINGS)}
    own = str(folder.resolve())
    return kept | {"TMPDIR": own, "TEMP": own, "TMP": own, "PYTHONHASHSEED": "0", "PYTHONIOENCODING": "utf-8"}


def _supervise(
    child: subprocess.Popen[bytes], started: float, wall_s: float, memory_mb: float | None, output_limit: int
) -> ChildResult:
    """Wait for the child's end or end it, clear its session away, and collect what it said."""
    assert child.stdout is not None and child.stderr is not None
    drains = [_Drain(pipe, output_limit) for pipe in (child.stdout, child.stderr)]
    try:
        ended_by_us = _watch(child, drains, started + wall_s, memory_mb)
        if ended_by_us is ChildStatus.TIMEOUT:
            _signal_group(child, kill=False)
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(_GRACE_S)
    finally:
        _end_session(child)
    out, err = (drain.finish() for drain in drains)
    status = ended_by_us or (ChildStatus.KILLED if child.returncode < 0 else ChildStatus.EXITED)
    wall = time.monotonic() - started
    return ChildResult(status, child.returncode, out, err, wall, any(drain.dropped for drain in drains))


def _watch(
    child: subprocess.Popen[bytes], drains: Sequence[_Drain], deadline: float, memory_mb: float | None
) -> ChildStatus | None:
    """Wait until the child ends (None), or say which limit it has passed; it still runs then."""
    tick = _TICK_S
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            return None if child.poll() is not None else ChildStatus.TIMEOUT
        if _wait(child, drains, min(tick, left)):
            return None
        if memory_mb is not None:
            scan_started = time.monotonic()
            if sum(resident for _, resident in _session(child.pid)) > memory_mb * 2**20:
                return ChildStatus.MEMORY
            # On a machine with many processes a scan is slow: never spend more than a tenth on it.
            tick = max(_TICK_S, 10 * (time.monotonic() - scan_started))


def _wait(child: subprocess.Popen[bytes], drains: Sequence[_Drain], timeout: float) -> bool:
    """Whether the child ends within `timeout` s. Closed pipes wake us at once; `Popen.wait` would poll."""
    until = time.monotonic() + timeout
    for drain in drains:
        drain.join(max(0.0, until - time.monotonic()))
    try:
        child.wait(max(0.0, until - time.monotonic()))
    except subprocess.TimeoutExpired:
        return False
    return True


class _Drain:
    """Reads a pipe to its end, so that the child never blocks on it, and keeps its first and last bytes."""

    def __init__(self, pipe: IO[bytes], limit: int):
        self.dropped = 0
        self._pipe = pipe
        self._half = max(1, limit // 2)
        self._head = bytearray()
        self._tail = bytearray()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while chunk := os.read(self._pipe.fileno(), _CHUNK):
            room = self._half - len(self._head)
            self._head += chunk[:room]
            self._tail += chunk[room:]
            if len(self._tail) > 2 * self._half:
                self._cut()

    def _cut(self) -> None:
        surplus = len(self._tail) - self._half
        if surplus > 0:
            self.dropped += surplus
            del self._tail[:surplus]

    def join(self, timeout: float) -> None:
        """Wait for the pipe's end, at most `timeout` s."""
        self._thread.join(timeout)

    def finish(self) -> str:
        """What was read. Called after the session's end, so the pipe's end is near."""
        self.join(_GRACE_S)
        if not self._thread.is_alive():
            self._pipe.close()
            self._cut()
        gap = f"\n[... {self.dropped} bytes left out ...]\n".encode() if self.dropped else b""
        return (bytes(self._head) + gap + bytes(self._tail)).decode("utf-8", "replace")


@contextlib.contextmanager
def _input_file(content: str | bytes | None) -> Iterator[IO[bytes] | int]:
    """The child's standard input: an unnamed file, as writing to a pipe could block for good."""
    if content is None:
        yield subprocess.DEVNULL
        return
    with tempfile.TemporaryFile() as file:
        file.write(content.encode("utf-8") if isinstance(content, str) else content)
        file.seek(0)
        yield file


def _end_session(child: subprocess.Popen[bytes]) -> None:
    """Kill whatever is left of the child's session, also members that left its process group; then reap."""
    _signal_group(child, kill=True)
    deadline = time.monotonic() + _GRACE_S  # a member that is not ours to kill must not hold us for good
    while (members := [pid for pid, _ in _session(child.pid)]) and time.monotonic() < deadline:
        for pid in members:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_TICK_S / 50)
    child.wait()


def _signal_group(child: subprocess.Popen[bytes], *, kill: bool) -> None:
    """Send SIGTERM or SIGKILL to the child's process group; end the child alone where there are no groups."""
    if sys.platform == "win32":
        child.terminate()
        return
    # macOS answers EPERM for a group of which only zombies are left.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL if kill else signal.SIGTERM)


def _session(leader: int) -> Iterator[tuple[int, int]]:
    """(pid, resident bytes) of the living processes of the session that `leader` founded."""
    if not sys.platform.startswith("linux"):
        return
    page = os.sysconf("SC_PAGE_SIZE")
    for entry in os.listdir(_PROC):
        if not entry.isdigit():
            continue
        try:
            stat = (_PROC / entry / "stat").read_bytes()
        except OSError:  # it has ended since the listing
            continue
        # The name, in parentheses, may hold anything; fields are counted from behind it (man 5 proc).
        fields = stat[stat.rindex(b")") + 2 :].split()
        if int(fields[3]) == leader and fields[0] not in (b"Z", b"X"):
            yield int(entry), int(fields[21]) * page
