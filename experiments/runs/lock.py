"""One writer a run directory: a lock that the operating system takes back when its process ends, however.

It is advisory and lies on the open file `lock` in the directory: children do not inherit it, reading needs
none, and a file that is left behind means nothing. Where there is no such lock (Windows, a file system
without them), it is the user's care that no two runs write to one directory.
"""

from __future__ import annotations

import errno
import logging
import os
import socket
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

if sys.platform != "win32":
    import fcntl

_log = logging.getLogger(__name__)
_UNSUPPORTED = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP)


class RunBusy(ValueError):
    """Another process writes to the directory; the message is one line and names it."""


class DirectoryLock:
    """The right to write to a directory, from construction to `release`. Raises RunBusy if another has it."""

    def __init__(self, folder: Path):
        self._file = -1
        if sys.platform == "win32":
            return
        self._file = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o666)
        try:
            _take(self._file)
        except BlockingIOError:
            holder = os.read(self._file, 200).decode("utf-8", "replace") or "another process"
            self.release()
            raise RunBusy(
                f"{folder} is being written by {holder}; wait for its end or stop it, or give another --out"
            ) from None
        os.ftruncate(self._file, 0)
        os.write(self._file, f"process {os.getpid()} on {socket.gethostname()}".encode())

    def release(self) -> None:
        """Give the right back. Releasing twice is harmless."""
        file, self._file = self._file, -1
        if file >= 0:
            os.close(file)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


if sys.platform != "win32":

    def _take(file: int) -> None:
        """Lock the open file. Raises BlockingIOError if somebody else has."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in _UNSUPPORTED:
                raise
            _log.warning("this file system has no locks: let no second run write to the same directory")
