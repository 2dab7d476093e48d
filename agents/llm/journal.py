"""The call journal: one SQLite file that is the record, the cache and the replay source of all LLM calls.

Every sample is a row, committed before its text is used, so a killed run loses nothing that it was given.
Rows are never changed. A failed call and an answer that is not whole (`length`, refusal, empty, ...) are
rows too. For each key the first whole answer stays the answer; answers that are not whole stand beside it in
the order in which they were given.

Tables: `requests(id, hash, request)` holds each canonical request once, verbatim; `calls(id, key, request,
sample, reply, error, served, at)` one row a sample, `reply` and `error` as JSON, `at` in Unix seconds;
`sent(id, requests)` how many requests were sent to a server, answered or not. One process writes a journal;
its threads share it.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import msgspec

from .errors import CallFailure, ErrorKind, failed
from .interface import Completion, Finish, Usage
from .keys import KEY_VERSION, call_key, canonical, digest

_SCHEMA = """
CREATE TABLE IF NOT EXISTS requests(id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, request TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS calls(
    id INTEGER PRIMARY KEY, key TEXT NOT NULL, request INTEGER NOT NULL REFERENCES requests(id),
    sample INTEGER NOT NULL, reply TEXT, error TEXT, served INTEGER NOT NULL, at REAL NOT NULL);
CREATE INDEX IF NOT EXISTS calls_by_key ON calls(key);
CREATE UNIQUE INDEX IF NOT EXISTS calls_served ON calls(key) WHERE served = 1;
CREATE TABLE IF NOT EXISTS sent(id INTEGER PRIMARY KEY CHECK (id = 1), requests INTEGER NOT NULL);
"""


@dataclass(frozen=True)
class RecordedCall:
    """One row of a journal: exactly one of `completion` and `failure` is there."""

    request: Mapping[str, Any]
    sample: int
    completion: Completion | None
    failure: CallFailure | None
    served: bool  #: whether the cache answers with this row


#: What is new in a row of `calls`: sample, reply and error, of which one is None, and whether it is whole.
_Row = tuple[int, str | None, str | None, bool]


class Journal:
    """An open call journal. Thread-safe, a context manager; raises LLMError(journal) on a bad file."""

    def __init__(self, path: str | Path, *, read_only: bool = False) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        with self._guarded():
            self._db = _open(self.path, read_only)

    def find(self, request: Mapping[str, Any], sample: int) -> Completion | None:
        """The whole answer recorded for this sample, or None."""
        found = self._rows("SELECT reply FROM calls WHERE key = ? AND served = 1", call_key(request, sample))
        return completion_from_json(json.loads(found[0][0])) if found else None

    def unanswered(self, request: Mapping[str, Any], sample: int) -> tuple[Completion, ...]:
        """What was given for this sample and is no answer, oldest first; refused requests too."""
        wanted = "SELECT reply FROM calls WHERE key = ? AND served = 0 AND reply IS NOT NULL ORDER BY id"
        rows = self._rows(wanted, call_key(request, sample))
        given = (completion_from_json(json.loads(reply)) for (reply,) in rows)
        return tuple(completion for completion in given if completion.unanswered)

    def note_request(self) -> None:
        """Count a request that is about to be sent; on disk when this returns.

        In a journal that was begun before requests were counted, each of its rows counts as one.
        """
        with self._guarded(), self._db:
            self._db.execute(
                "INSERT INTO sent(id, requests) VALUES (1, (SELECT COUNT(*) FROM calls) + 1)"
                " ON CONFLICT(id) DO UPDATE SET requests = requests + 1"
            )

    @property
    def requests_sent(self) -> int | None:
        """How many requests were sent; None if no server was asked, or requests were not counted."""
        counts = self._rows("SELECT 1 FROM sqlite_master WHERE name = 'sent'")
        found = self._rows("SELECT requests FROM sent") if counts else []
        return int(found[0][0]) if found else None

    def record(self, request: Mapping[str, Any], reply: Mapping[int, Completion]) -> dict[int, Completion]:
        """Add the answers of one reply by sample, all or none; on disk when this returns.

        Returns the answer that stands for each sample. That is another one only if a second thread asked the
        same at the same time and was answered first.
        """
        rows = [(i, canonical(completion_to_json(c)), None, c.whole) for i, c in reply.items()]
        self._add(request, rows)
        return {i: (self.find(request, i) or c) if c.whole else c for i, c in reply.items()}

    def record_failure(self, request: Mapping[str, Any], sample: int, failure: CallFailure) -> None:
        """Add one failed call; on disk when this returns."""
        self._add(request, [(sample, None, canonical(asdict(failure)), False)])

    def calls(self) -> Iterator[RecordedCall]:
        """Every row, oldest first. Neighbours of one request share it, and it is read once."""
        rows = self._rows("SELECT request, sample, reply, error, served FROM calls ORDER BY id")
        for number, neighbours in groupby(rows, key=itemgetter(0)):
            ((request,),) = self._rows("SELECT request FROM requests WHERE id = ?", number)
            request = json.loads(request)
            for _, sample, reply, error, served in neighbours:
                completion = completion_from_json(json.loads(reply)) if reply is not None else None
                failure = msgspec.convert(json.loads(error), CallFailure) if error is not None else None
                yield RecordedCall(request, sample, completion, failure, bool(served))

    def requests(self) -> Iterator[Mapping[str, Any]]:
        """Every canonical request once, oldest first; read one by one."""
        last = 0
        while found := self._rows("SELECT id, request FROM requests WHERE id > ? ORDER BY id LIMIT 1", last):
            ((last, request),) = found
            yield json.loads(request)

    def close(self) -> None:
        """Close the file. Closing twice is harmless."""
        self._db.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _add(self, request: Mapping[str, Any], rows: Sequence[_Row]) -> None:
        """All rows in one transaction."""
        name = digest(request)
        with self._guarded(), self._db:
            self._db.execute(
                "INSERT INTO requests(hash, request) VALUES (?, ?) ON CONFLICT(hash) DO NOTHING",
                (name, canonical(request)),
            )
            for sample, reply, error, whole in rows:
                key = call_key(request, sample)
                self._db.execute(
                    "INSERT INTO calls(key, request, sample, reply, error, served, at) VALUES (?,"
                    " (SELECT id FROM requests WHERE hash = ?), ?, ?, ?,"
                    " ? AND NOT EXISTS (SELECT 1 FROM calls WHERE key = ? AND served = 1), ?)",
                    (key, name, sample, reply, error, whole, key, time.time()),
                )

    def _rows(self, query: str, *values: object) -> list[Any]:
        with self._guarded():
            return self._db.execute(query, values).fetchall()

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        with self._lock:
            try:
                yield
            except sqlite3.Error as error:
                raise failed(
                    ErrorKind.JOURNAL,
                    f"{self.path}: {error}; check that the file is a call journal, that its folder can be "
                    "written and has space, and that no other run is writing to it",
                ) from error


def _open(path: Path, read_only: bool) -> sqlite3.Connection:
    """A connection with the journal's tables, after a check that the file is of this key version."""
    target = path.absolute().as_uri() + (_reading_mode(path) if read_only else "")
    db = sqlite3.connect(target, uri=True, timeout=30, check_same_thread=False)
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version not in ((KEY_VERSION,) if read_only else (0, KEY_VERSION)):
        db.close()
        raise failed(
            ErrorKind.JOURNAL,
            f"{path}: not a call journal of key version {KEY_VERSION} (found {version}); start a new one",
        )
    if not read_only:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")  # an answer may have cost money: it survives a power cut too
        db.executescript(_SCHEMA)
        db.execute(f"PRAGMA user_version = {KEY_VERSION}")
    return db


def _reading_mode(path: Path) -> str:
    """Read without leaving files beside the journal, so that it may lie where nothing can be written.

    Only a journal that is being written, or whose writer was killed, has a log beside it to be read too.
    """
    log = path.with_name(f"{path.name}-wal")
    return "?mode=ro" if log.exists() else "?mode=ro&immutable=1"


def completion_to_json(completion: Completion) -> dict[str, Any]:
    """A completion as JSON; fields at their default are left out."""
    plain = asdict(completion)
    default = asdict(Completion(""))
    return {name: value for name, value in plain.items() if name == "text" or value != default[name]}


def completion_from_json(reply: Mapping[str, Any]) -> Completion:
    """The completion that `completion_to_json` wrote."""
    usage, finish = Usage(**reply.get("usage", {})), Finish(reply.get("finish", Finish.STOP))
    return Completion(**{**reply, "usage": usage, "finish": finish})
