"""Two records of one part held against each other: the first difference, in words."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

#: Text by the file's path within the part.
Files = Mapping[str, str]
#: What is sent comes before what is made of the answers, and so is looked at first.
_REQUESTS = "requests.txt"
#: Cells that a row is named by, and characters of what differs that are shown.
_NAMING, _SHOWN = 4, 300


def first_difference(old: Files, new: Files, excerpts: Mapping[str, str]) -> str | None:
    """Where `new` first differs from `old`, requests first, then file by file by name; None if nowhere.

    `excerpts` has the last message of requests by their SHA-256, to be shown where a request is new.
    """
    for name in sorted(old.keys() | new.keys(), key=lambda name: (not name.endswith(_REQUESTS), name)):
        if name not in new:
            return f"{name}: is not written any more"
        if name not in old:
            return f"{name}: is new"
        if old[name] != new[name]:
            return f"{name}: {_in_text(name, old[name], new[name], excerpts)}"
    return None


def _in_text(name: str, old: str, new: str, excerpts: Mapping[str, str]) -> str:
    if name.endswith(_REQUESTS):
        return _in_requests(old, new, excerpts)
    if name.endswith(".csv"):
        return _in_rows(old, new)
    for number, (before, now) in enumerate(zip_longest(old.splitlines(), new.splitlines()), start=1):
        if before != now:
            if name.endswith(".jsonl") and None not in (before, now):
                return _in_values(number, json.loads(before), json.loads(now))
            return f"line {number}: {_pair(before, now)}"
    return "only line ends differ"


def _in_requests(old: str, new: str, excerpts: Mapping[str, str]) -> str:
    """Requests that were added and dropped, of both the first."""
    before, now = (dict(line.split(" ", 1) for line in text.splitlines()) for text in (old, new))
    added, dropped = sorted(now.keys() - before.keys()), sorted(before.keys() - now.keys())
    if not added and not dropped:
        name = next(name for name in before if before[name] != now[name])
        return f"request {name}: samples {_pair(before[name], now[name])}"
    told = [f"{len(added)} requests are new, {len(dropped)} are not sent any more"]
    told += [f"the first that is not: {dropped[0]}"] if dropped else []
    if added:
        told.append(f"the first new one: {added[0]}, its last message: {excerpts.get(added[0], '')!r}")
    return "; ".join(told)


def _in_rows(old: str, new: str) -> str:
    """The first row and column that differ."""
    (head, *before), (head_now, *now) = ([*csv.reader(io.StringIO(text))] or [[]] for text in (old, new))
    if head != head_now:
        return f"columns: {_pair(head, head_now)}"
    for number, (row, row_now) in enumerate(zip_longest(before, now), start=1):
        if row is None or row_now is None:
            return f"row {number}: {_pair(row, row_now)}"
        for column, cell, cell_now in zip_longest(head, row, row_now):
            if cell != cell_now:
                return f"row {number} ({', '.join(row[:_NAMING])}), column {column}: {_pair(cell, cell_now)}"
    return "only quotes or line ends differ"


def _in_values(number: int, old: Any, new: Any) -> str:
    """The first key of a line's object that differs; the line is named by its first keys."""
    naming = ", ".join(
        f"{key} {value}" for key, value in list(old.items())[:_NAMING] if not isinstance(value, dict)
    )
    path = ""
    while isinstance(old, dict) and isinstance(new, dict):
        key = next((k for k in [*old, *new] if old.get(k, ...) != new.get(k, ...)), None)
        if key is None:
            return f"line {number} ({naming}): the order of the keys differs"
        path, old, new = f"{path}.{key}" if path else key, old.get(key), new.get(key)
    return f"line {number} ({naming}), {path}: {_pair(old, new)}"


def _pair(before: object, now: object) -> str:
    """Two values; of long ones what comes after their common beginning."""
    was, found = (("nothing" if value is None else str(value)) for value in (before, now))
    start = next((i for i, (a, b) in enumerate(zip(was, found, strict=False)) if a != b), 0)
    start = max(0, start - _SHOWN // 2) if max(len(was), len(found)) > _SHOWN else 0
    lead = "…" if start else ""
    return f"was {lead}{was[start : start + _SHOWN]!r}, is {lead}{found[start : start + _SHOWN]!r}"
