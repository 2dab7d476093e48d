"""Temporary folders that outlive a killed process only until the next start.

A folder is locked by the process that made it, as long as it is in use; the operating system takes a lock
back when its process ends, however. So a folder of ours that can be locked is one of a process that was
killed, and `sweep` removes it. Who makes a folder and finds it locked, or gone, was overtaken by a sweep and
makes another. Where there are no such locks (Windows, some file systems), nothing is swept.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

if sys.platform != "win32":
    import fcntl

#: What the names of our folders begin with; nothing else does.
PREFIX = "groundwalk-scratch-"


@contextlib.contextmanager
def scratch_folder() -> Iterator[str]:
    """A new empty folder, removed in the end as far as possible. Raises OSError if none can be made."""
    folder, lock = _made()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if lock >= 0:
            os.close(lock)


def sweep() -> int:
    """Remove the folders of processes of this user that were killed; returns how many."""
    if sys.platform == "win32":
        return 0
    swept = 0
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):  # gone by now, or in use
            if folder.lstat().st_uid == os.getuid():
                lock = _locked(str(folder))
                shutil.rmtree(folder, ignore_errors=True)
                os.close(lock)
                swept += 1
    return swept


def _made() -> tuple[str, int]:
    """A folder and the lock that is held on it; -1 where there are no locks."""
    while True:
        folder = tempfile.mkdtemp(prefix=PREFIX)
        if sys.platform == "win32":
            return folder, -1
        try:
            lock = _locked(folder)
        except (BlockingIOError, FileNotFoundError):
            continue
        except OSError:
            return folder, -1
        if os.path.isdir(folder):
            return folder, lock
        os.close(lock)


if sys.platform != "win32":

    def _locked(folder: str) -> int:
        """A descriptor that holds the folder's lock. Raises BlockingIOError if another has it, OSError."""
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
            raise
        return lock
