"""The published data set of Zuo et al. 2024, read as it is, from a file that a user has.

The file is the published SQLite database, or the table `problems` alone as Parquet or JSON lines; the other
tables are then files of their names in the same folder. Only the columns that are named here are read:

    problems      id, domain, init, goal, num_objects, problem_pddl, natural_language, is_placeholder,
                  init_is_abstract, goal_is_abstract, init_num_propositions, goal_num_propositions
    domains       name, domain_pddl; without this table, DOMAIN.pddl in the file's folder
    splits        problem_id, split_type, split; only for a split that is asked for
    llm_outputs   problem_id, output, model_name, config, parseable, valid, equivalent

Problems are taken in the order of their ids. Texts, problems and domains are used as they stand.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from envs.planetarium.files import FORMATS, read_rows
from envs.planetarium.pairs import Pair

_DATABASES = (".db", ".sqlite", ".sqlite3")
_SPLIT = "#"


@dataclass(frozen=True)
class PublishedOutput:
    """What a language model answered to a published problem, with the published judgement of it."""

    problem: str  #: the pair's id
    text: str
    model: str
    config: str
    judged: tuple[bool, bool, bool]  #: parseable, valid, equivalent


@dataclass(frozen=True)
class PublishedData:
    """The pairs of a file, in order of their ids, and the domains that they are of, by name."""

    pairs: tuple[Pair, ...]
    domains: Mapping[str, str]


def is_published(name: str) -> bool:
    """Whether a name is that of a file: `FILE` or `FILE#TYPE/SPLIT`; data sets of ours are folders."""
    return Path(name.partition(_SPLIT)[0]).is_file()


def published_name(file: Path, split: str | None) -> str:
    """The name of a file's problems: all of them, or those of a split, `TYPE/SPLIT`."""
    return f"{file.resolve()}{_SPLIT}{split}" if split else str(file.resolve())


@lru_cache(maxsize=2)
def read_published(name: str) -> PublishedData:
    """The problems behind a name. Raises ValueError for what the file lacks, OSError, ParquetMissing."""
    place, _, split = name.partition(_SPLIT)
    file = Path(place)
    chosen = _chosen(file, split) if split else None
    rows = (row for row in _rows(file, "problems") if chosen is None or _text(row, "id", file) in chosen)
    pairs = tuple(sorted((_pair(row, file) for row in rows), key=_place))
    if not pairs:
        raise ValueError(f"{file} holds no problems" + (f" of the split {split}" if split else ""))
    return PublishedData(pairs, {world: _domain(file, world) for world in {pair.world for pair in pairs}})


def read_outputs(file: Path) -> Iterator[PublishedOutput]:
    """The table `llm_outputs`, in its order. Raises as `read_published`."""
    for row in _rows(file, "llm_outputs"):
        yield PublishedOutput(
            problem=_text(row, "problem_id", file),
            text=str(row.get("output") or ""),
            model=_text(row, "model_name", file),
            config=str(row.get("config") or ""),
            judged=(bool(row.get("parseable")), bool(row.get("valid")), bool(row.get("equivalent"))),
        )


def _pair(row: Mapping[str, Any], file: Path) -> Pair:
    size = _number(row, "init_num_propositions") + _number(row, "goal_num_propositions")
    return Pair(
        id=_text(row, "id", file),
        world=_text(row, "domain", file),
        text=_text(row, "natural_language", file),
        problem=_text(row, "problem_pddl", file),
        placeholder=bool(row.get("is_placeholder")),
        init_abstract=bool(row.get("init_is_abstract")),
        goal_abstract=bool(row.get("goal_is_abstract")),
        init_layout=str(row.get("init") or ""),
        goal_layout=str(row.get("goal") or ""),
        size=size,
        objects=_number(row, "num_objects"),
    )


def _chosen(file: Path, split: str) -> frozenset[str]:
    """The ids of a split. Raises ValueError that names the splits there are."""
    wanted, found, there = tuple(split.split("/")), set[str](), set[str]()
    for row in _rows(file, "splits"):
        kind, part = str(row.get("split_type")), str(row.get("split"))
        there.add(f"{kind}/{part}")
        if (kind, part) == wanted:
            found.add(_text(row, "problem_id", file))
    if not found:
        raise ValueError(f"{file} has no split {split}; its splits are: {', '.join(sorted(there)) or 'none'}")
    return frozenset(found)


def _domain(file: Path, world: str) -> str:
    """The PDDL of a domain. Raises ValueError that says where it may be put."""
    if _has(file, "domains"):
        for row in _rows(file, "domains"):
            if row.get("name") == world:
                return _text(row, "domain_pddl", file)
    beside = file.parent / f"{world}.pddl"
    if beside.is_file():
        return beside.read_text(encoding="utf-8")
    raise ValueError(f"{file} has problems of the domain {world!r}, whose PDDL is missing: write {beside}")


def _rows(file: Path, table: str) -> Iterator[dict[str, Any]]:
    """The rows of a table, in its order."""
    if file.suffix in _DATABASES:
        yield from _database_rows(file, table)
        return
    place = file if table == "problems" else _beside(file, table)
    if place is None:
        raise ValueError(f"{file.parent} has no {table}{file.suffix}, which holds the table {table}")
    yield from read_rows(place)


def _database_rows(file: Path, table: str) -> Iterator[dict[str, Any]]:
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as database:
            database.row_factory = sqlite3.Row
            for row in database.execute(f"SELECT * FROM {table} ORDER BY rowid"):
                yield dict(row)
    except sqlite3.Error as error:
        raise ValueError(f"{file}, table {table}: {error}") from error


def _has(file: Path, table: str) -> bool:
    if file.suffix not in _DATABASES:
        return _beside(file, table) is not None
    with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as database:
        found = database.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    return found is not None


def _beside(file: Path, table: str) -> Path | None:
    """The file of another table in the same folder."""
    paths = (file.parent / f"{table}.{form}" for form in FORMATS)
    return next((path for path in paths if path.is_file()), None)


def _text(row: Mapping[str, Any], column: str, file: Path) -> str:
    """A column that every row needs, as text. Raises ValueError."""
    value = row.get(column)
    if value is None:
        raise ValueError(f"{file}: row {row.get('id', row.get('problem_id', '?'))} has no {column}")
    return str(value)


def _number(row: Mapping[str, Any], column: str) -> int:
    """A whole number, or the sum of a list of them, as some versions give numbers of objects by type."""
    value = row.get(column)
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except json.JSONDecodeError:
            return 0
    if isinstance(value, list):
        return sum(part for part in value if isinstance(part, int))
    return int(value) if isinstance(value, int | float) else 0


def _place(pair: Pair) -> tuple[int, str]:
    """Ids that are numbers by number, before all others."""
    return (int(pair.id), "") if pair.id.isdecimal() else (10**18, pair.id)
