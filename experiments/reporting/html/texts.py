"""The texts of a page: each stored once, compressed in chunks that a browser unpacks one at a time.

A text is referred to by its number. Texts that are added one after another share a chunk, and with it the
window of the compression: a candidate's domain costs little beside its parent's. What would make the page
larger than its limit is left out and has the number LEFT_OUT.
"""

from __future__ import annotations

import base64
import gzip
import json

#: Stands for a text that the page has no room for.
LEFT_OUT = -1
#: A text is shown to this length; the whole of it is in the run's files.
MAX_CHARACTERS = 200_000
#: Characters of a chunk: small enough to be unpacked unnoticed, large enough to compress well.
_CHUNK = 400_000
_LEVEL = 6


class Texts:
    """Texts on their way into a page; `limit` bounds what `chunks` come to, in bytes."""

    def __init__(self, limit: int):
        self._limit = limit
        self._numbers: dict[str, int] = {}
        self._open: list[str] = []
        self._open_size = 0
        self._packed: list[str] = []
        self._packed_size = 0
        self._starts: list[int] = []
        self.left_out = 0  #: how many texts there was no room for

    def add(self, text: str | None) -> int | None:
        """The number of `text`; None of None."""
        if text is None:
            return None
        known = self._numbers.get(text)
        if known is not None:
            return known
        if self._packed_size >= self._limit:
            self.left_out += 1
            return LEFT_OUT
        number = self._numbers[text] = len(self._numbers)
        if not self._open:
            self._starts.append(number)
        self._open.append(shortened(text))
        self._open_size += len(self._open[-1])
        if self._open_size >= _CHUNK:
            self._close()
        return number

    def chunks(self) -> tuple[tuple[int, str], ...]:
        """Every chunk: the number of its first text, and its texts as base64 of gzip of a JSON list."""
        self._close()
        return tuple(zip(self._starts, self._packed, strict=True))

    def _close(self) -> None:
        if self._open:
            self._packed.append(packed(self._open))
            self._packed_size += len(self._packed[-1])
            self._open, self._open_size = [], 0


def shortened(text: str) -> str:
    """The text, or its start and how much more there is."""
    more = len(text) - MAX_CHARACTERS
    return text if more <= 0 else f"{text[:MAX_CHARACTERS]}\n… and {more:,} characters more"


def packed(value: object) -> str:
    """A value as base64 of gzip of JSON; equal values give equal text."""
    data = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return base64.b64encode(gzip.compress(data, _LEVEL, mtime=0)).decode("ascii")
