"""Rows as Parquet files. The package `pyarrow` is an extra: it is large, and all else works without it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

#: Rows that are held before they are written as one group.
_GROUP = 1000


class ParquetMissing(RuntimeError):
    """Parquet cannot be read or written here; the message says how to mend that."""


class ParquetRows:
    """A Parquet file that is being written. The first rows decide on the columns."""

    def __init__(self, path: Path):
        """Raises ParquetMissing."""
        self._arrow, self._parquet = _pyarrow(), _pyarrow(".parquet")
        self._path = path
        self._held: list[Mapping[str, Any]] = []
        self._writer: Any = None

    def add(self, row: Mapping[str, Any]) -> None:
        """Write one row."""
        self._held.append(row)
        if len(self._held) == _GROUP:
            self._flush()

    def close(self) -> None:
        """No more rows."""
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        table = self._arrow.Table.from_pylist(self._held)
        if self._writer is None:
            self._writer = self._parquet.ParquetWriter(self._path, table.schema)
        if self._held:
            self._writer.write_table(table)
        self._held = []


def read_parquet(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a file, in order. Raises OSError, ParquetMissing."""
    for batch in _pyarrow(".parquet").ParquetFile(path).iter_batches():
        yield from batch.to_pylist()


def _pyarrow(part: str = "") -> Any:
    try:
        return import_module(f"pyarrow{part}")
    except ImportError as error:
        raise ParquetMissing(
            "Parquet needs the package pyarrow: pip install 'groundwalk[parquet]', or choose --format jsonl"
        ) from error
