"""Files of a data set: one folder a world, in it one file a split, as JSON lines or Parquet.

    README.md                 the data card, which says to the `datasets` library where the splits are
    WORLD/domain.pddl         the domain that the problems are of
    WORLD/train.jsonl         one pair a line; or train.parquet
    WORLD/test.jsonl

Rows are written one by one and never held together, so a data set may be of any size. A file that is not
finished bears another name. Parquet needs the package `pyarrow`, an extra: it is large, and all else works
without it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from envs.planetarium.pairs import Pair, Split

Format = Literal["jsonl", "parquet"]
FORMATS: tuple[Format, ...] = ("jsonl", "parquet")
_UNFINISHED = ".part"


class JsonRows:
    """A file of rows that is being written, one JSON object a line."""

    def __init__(self, path: Path):
        self._file = path.open("w", encoding="utf-8", newline="\n")

    def add(self, row: Mapping[str, Any]) -> None:
        """Write one row; all rows of a file have the same keys."""
        self._file.write(json.dumps(row, ensure_ascii=False) + "\n")

    def close(self) -> None:
        """No more rows."""
        self._file.close()


@contextmanager
def row_file(path: Path) -> Iterator[JsonRows | ParquetRows]:
    """A file to add rows to, which takes its name when it is whole.

    Raises ParquetMissing if the name ends in `.parquet` and that cannot be written here.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(path.name + _UNFINISHED)
    rows = ParquetRows(draft) if path.suffix == ".parquet" else JsonRows(draft)
    with closing(rows):
        yield rows
    os.replace(draft, path)


def split_file(folder: Path, split: Split, form: Format | None = None) -> Path:
    """The file of a split in a world's folder: in that form, or in the one that is there."""
    if form is not None:
        return folder / f"{split}.{form}"
    paths = [folder / f"{split}.{form}" for form in FORMATS]
    return next((path for path in paths if path.is_file()), paths[0])


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a file, in order. Raises OSError, ValueError that names the line, ParquetMissing."""
    if path.suffix == ".parquet":
        for batch in _pyarrow(".parquet").ParquetFile(path).iter_batches():
            yield from batch.to_pylist()
        return
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                raise ValueError(f"{path}:{number} is not JSON: {error}") from error
            if not isinstance(row, dict):
                raise ValueError(f"{path}:{number} is not an object")
            yield row


def read_pairs(path: Path) -> Iterator[Pair]:
    """The pairs of a file, in order. Raises as `read_rows`."""
    for number, row in enumerate(read_rows(path), start=1):
        try:
            yield Pair.from_json(row)
        except KeyError as error:
            raise ValueError(f"{path}: row {number} is no pair: it has no {error}") from error


#: Rows that are held before they are written as one group.
_GROUP = 1000


class ParquetMissing(RuntimeError):
    """Parquet cannot be read or written here; the message says what to install."""


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


def _pyarrow(part: str = "") -> Any:
    try:
        return import_module(f"pyarrow{part}")
    except ImportError as error:
        raise ParquetMissing(
            "Parquet needs the package pyarrow: pip install 'groundwalk[parquet]', or choose --format jsonl"
        ) from error
