"""The run directory: written as things happen, resumed by running the same command again.

    config.json     what was asked for, resolved, and what it ran on (versions, git state)
    calls.sqlite    every call of the language model (written by `agents.llm.journal`)
    events.jsonl    one line per finished node, task and episode; the source of every table
    results.csv     one row per task; summary.json, tables.*, models/ and plots/ beside it
    lock            held by the one process that writes (`DirectoryLock`); reading needs no lock

Where nothing can be written, a run is read: files that hold what they should are never written again.

Lines are appended and flushed one by one, whole files are replaced in one step, so a run that is killed
at any point loses nothing that was finished. A torn last line is cut off when the directory is opened.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import socket
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any, Self

from experiments.runs.marks import SIMULATED_BY, MixedResults, label_of
from experiments.runs.records import Event

if sys.platform != "win32":
    import fcntl

_log = logging.getLogger(__name__)
_UNSUPPORTED = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP)
#: What a disk, a folder or a file that must not be written to is refused with.
_FORBIDDEN = (errno.EROFS, errno.EACCES, errno.EPERM)
#: Keys that differ, so many of which a message names.
_SHOWN = 6


class ConfigDrift(ValueError):
    """A run directory holds results of another configuration."""

    def __init__(self, path: Path, changed: tuple[str, ...]):
        super().__init__(path, changed)
        self.path, self.changed = path, changed

    def __str__(self) -> str:
        more = len(self.changed) - _SHOWN
        changed = "; ".join([*self.changed[:_SHOWN], *([f"and {more} more"] if more > 0 else [])])
        return (
            f"{self.path} holds a run of another configuration ({changed}); "
            "give the old values, another --out, or --fresh to set the old run aside"
        )


class RunUnreadable(ValueError):
    """A file of a run directory does not hold what a run writes there; the message is one line."""


class RunDirectory:
    """One run's files. Made by its path it is for reading; `open` gives the one that may write.

    Appending is safe from several threads of one process. A context manager while it is open.
    """

    def __init__(self, path: Path, right: DirectoryLock | None = None):
        self.path = path
        self._right = right
        self._lock = threading.Lock()

    @classmethod
    def open(
        cls, path: Path, config: Mapping[str, Any], provenance: Mapping[str, Any], *, fresh: bool = False
    ) -> RunDirectory:
        """Make the directory, or take up a run of the same `config`, and be its one writer until closed.

        Raises ConfigDrift on a run of another configuration, RunBusy if another process writes there. A run
        that is there and must not be written to is opened for reading: it is not `writable`.
        With `fresh` an old run is set aside as `NAME.1`, `NAME.2`, …, never deleted. `provenance` says what
        the run started on; that of a resumed run is kept.
        """
        if fresh and (path / "config.json").exists():
            with DirectoryLock(path):
                older = (path.with_name(f"{path.name}.{number}") for number in count(1))
                path.rename(next(free for free in older if not free.exists()))
        path.mkdir(parents=True, exist_ok=True)
        with ExitStack() as undo:
            run = undo.enter_context(cls(path, _right_to_write(path)))
            run.check(config)
            if not run.config_path.exists():
                run.write("config.json", to_json({"config": config, "provenance": provenance}))
            run._cut_torn_line()
            undo.pop_all()
        return run

    def close(self) -> None:
        """Let another process write. Closing twice is harmless."""
        if self._right is not None:
            self._right.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def writable(self) -> bool:
        """Whether this process may write here."""
        return self._right is not None

    def check(self, config: Mapping[str, Any]) -> None:
        """Raises ConfigDrift if there is a run of another configuration here."""
        changed = differences(self.config(), config) if self.config_path.exists() else ()
        if changed:
            raise ConfigDrift(self.path, changed)

    @property
    def config_path(self) -> Path:
        """Where the resolved configuration is."""
        return self.path / "config.json"

    @property
    def events_path(self) -> Path:
        """Where the events are."""
        return self.path / "events.jsonl"

    @property
    def journal_path(self) -> Path:
        """Where the language model's calls are."""
        return self.path / "calls.sqlite"

    def config(self) -> dict[str, Any]:
        """The configuration that this directory was made for. Raises FileNotFoundError, RunUnreadable."""
        return self._part("config")

    def provenance(self) -> dict[str, Any]:
        """What the run was started on. Raises FileNotFoundError, RunUnreadable."""
        return self._part("provenance")

    @cached_property
    def simulated(self) -> str:
        """The label of the simulated language model that answers in this run; empty if none does.

        Raises RunUnreadable.
        """
        if not self.config_path.exists():
            return ""
        try:
            return label_of(self.provenance().get("profiles", {}))
        except MixedResults as error:
            raise RunUnreadable(f"{self.path}: {error}") from error

    def append(self, event: Event, data: Mapping[str, Any]) -> None:
        """Write one line and hand it to the operating system before returning.

        Raises OSError, after which the file ends as it did before: no half line is left to be added to.
        """
        mark = {SIMULATED_BY: self.simulated} if self.simulated else {}
        line = json.dumps({"event": event.value, **data, **mark}, ensure_ascii=False) + "\n"
        rest = memoryview(line.encode("utf-8"))
        with self._lock, self.events_path.open("ab", buffering=0) as file:
            end = file.seek(0, os.SEEK_END)
            try:
                while rest:
                    rest = rest[file.write(rest) :]
            except OSError as error:
                file.truncate(end)
                raise OSError(error.errno, error.strerror, str(self.events_path)) from error

    def events(self) -> Iterator[dict[str, Any]]:
        """Every whole line, in the order of writing. Raises RunUnreadable if one is no event.

        One by one: a large run's lines take more memory together than what is kept of them.
        """
        if not self.events_path.exists():
            return
        with self.events_path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line.endswith(b"\n"):  # else a line that is just being written, or was cut off
                    yield self._event(number, line)

    def _event(self, number: int, line: bytes) -> dict[str, Any]:
        try:
            data: dict[str, Any] = json.loads(line)
            Event(data["event"])
        except (ValueError, KeyError, TypeError) as error:
            raise RunUnreadable(
                f"{self.events_path}:{number} is no event of a run; take the line out (what it told is done "
                "again), or give --fresh to set the run aside"
            ) from error
        return data

    def unreadable(self, number: int, why: str) -> RunUnreadable:
        """The error for a line that is an event, but not one that this version can read."""
        return RunUnreadable(
            f"{self.events_path}:{number} cannot be read: {why}; another version wrote it, or it was "
            "changed. Take the line out (what it records is done again), or give --fresh to set the run aside"
        )

    def _part(self, name: str) -> dict[str, Any]:
        """One half of `config.json`."""
        try:
            return dict(json.loads(self.config_path.read_text(encoding="utf-8"))[name])
        except (ValueError, KeyError, TypeError) as error:
            raise RunUnreadable(
                f"{self.config_path} is not the configuration of a run; give another --out, or --fresh to "
                "set the folder aside"
            ) from error

    def write(self, name: str, text: str) -> Path:
        """Replace a file of the run in one step; parent folders are made. `name` may hold slashes.

        A file that holds this text is left alone.
        """
        target = self.path / name
        if target.is_file() and target.read_bytes() == text.encode("utf-8"):
            return target
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = target.with_name(target.name + ".part")
        draft.write_text(text, encoding="utf-8", newline="\n")
        os.replace(draft, target)
        return target

    def _cut_torn_line(self) -> None:
        if not self.writable or not self.events_path.exists():
            return
        data = self.events_path.read_bytes()
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            with self.events_path.open("r+b") as file:
                file.truncate(whole)


def is_read_only(error: OSError) -> bool:
    """Whether an error says that something must not be written to, not that writing failed."""
    return error.errno in _FORBIDDEN


def _right_to_write(path: Path) -> DirectoryLock | None:
    """The right to write to a run; None for one that is there and must not be written to."""
    try:
        return DirectoryLock(path)
    except OSError as error:
        if not is_read_only(error) or not (path / "config.json").exists():
            raise
        return None


def to_json(data: Any) -> str:
    """Indented JSON with a line break at the end."""
    return json.dumps(data, indent=2, ensure_ascii=False, sort_keys=True) + "\n"


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[str, ...]:
    """The keys whose values differ, sorted, each with both values; values are compared as JSON."""
    now = json.loads(json.dumps(now))
    return tuple(
        f"{key}: was {json.dumps(before.get(key))}, now {json.dumps(now.get(key))}"
        for key in sorted({*before, *now})
        if before.get(key) != now.get(key)
    )


class RunBusy(ValueError):
    """Another process writes to the directory; the message is one line and names it."""


class DirectoryLock:
    """The right to write to a directory, from construction to `release`. Raises RunBusy if another has it.

    The operating system takes it back when its process ends, however. It is advisory and lies on the open
    file `lock` in the directory: children do not inherit it, reading needs none, and a file that is left
    behind means nothing. Where there is no such lock (Windows, a file system without them), it is the user's
    care that no two runs write to one directory.
    """

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

    def __exit__(self, *_: object) -> None:
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
