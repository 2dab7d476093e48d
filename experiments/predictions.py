"""A file of answers, judged against the pairs that they are for: nobody is asked, nothing is paid.

A run of it is a study: a unit is one answer, and its record is written down when it is judged, so the same
command again judges only what is missing.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console

from envs.invariants import world_invariants
from envs.pddl.language import read_domain
from envs.pddl.planner import Planner
from envs.planetarium.files import read_rows
from envs.planetarium.pairs import Pair
from envs.planetarium.parquet import ParquetMissing
from envs.planetarium.source import NoSuchPair, pairs_behind
from envs.registry import WORLDS_FOLDER
from envs.source import PAIRS_PREFIX
from experiments.config import ConfigError, RunConfig
from experiments.pair_judging import judged
from experiments.pair_plots import draw_pairs
from experiments.pair_records import PairRecord
from experiments.pair_tables import Judgement, pair_tables, pairs_csv
from experiments.provenance import provenance
from experiments.report import rich_table
from experiments.rundir import RunDirectory
from experiments.study import Record, StudyConfig, do_units, unit_key
from experiments.tables import latex, markdown


@dataclass(frozen=True)
class AnswerUnit:
    """An answer, the pair that it is for, and how it is planned for."""

    pair: Pair
    prediction: str
    planner: str | None
    planner_wall_s: float
    planner_memory_mb: int

    @property
    def key(self) -> str:
        """Content hash."""
        return unit_key(self)


def work(unit: AnswerUnit) -> Record:
    """Judge an answer. Raises MachineFault, PlannerMissing, LabellingFailed, BadRules."""
    domain = read_domain((WORLDS_FOLDER / unit.pair.world / "domain.pddl").read_text(encoding="utf-8"))
    planner = Planner(unit.planner, unit.planner_wall_s, unit.planner_memory_mb)
    record, _ = judged(unit.prediction, unit.pair, domain, planner, world_invariants(unit.pair.world))
    return {"pair": asdict(record)}


def judge_predictions(config: RunConfig, file: Path, from_data: bool, console: Console) -> int:
    """Judge the answers in a file and write the tables; returns the exit code. Raises ConfigError.

    `from_data`: the pairs are all those of a data set, not the first `tasks` that are drawn.
    """
    out = config.out or Path("runs") / f"planetarium-{file.stem}"
    answers = read_predictions(file)
    pairs = pairs_named(answers, config.env, sys.maxsize if from_data else config.tasks or 1)
    units = [
        AnswerUnit(pair, answers[pair.id], config.planner, config.planner_wall_s, config.planner_memory_mb)
        for pair in pairs
    ]
    study = StudyConfig(executor=config.executor, ray_address=config.ray_address, workers=config.workers)
    version = Planner(config.planner, memory_mb=config.planner_memory_mb).check()
    science = {"predictions": file.stem, "planner_wall_s": config.planner_wall_s}
    with RunDirectory.open(out, science, provenance(version), fresh=config.fresh) as directory:
        records = do_units(study, directory, units, work, console)
        found = [Judgement(file.stem, 0, _pair_record(record)) for record in records]
        _write(directory, found, console)
    if from_data and (silent := _number_of_pairs(config.env) - len(pairs)):
        console.print(f"{silent} pairs of the data have no row in {file} and are not counted", soft_wrap=True)
    return 0


def read_predictions(file: Path) -> dict[str, str]:
    """The answers of a file by the pairs' names. Raises ConfigError."""
    found: dict[str, str] = {}
    try:
        for number, row in enumerate(read_rows(file), start=1):
            name, answer = row.get("id"), row.get("prediction")
            if not isinstance(name, str) or not isinstance(answer, str):
                raise ConfigError(f"{file}: row {number} needs the texts id and prediction")
            if found.setdefault(name, answer) != answer:
                raise ConfigError(f"{file}: row {number} answers {name} a second time, and differently")
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror}") from error
    except (ValueError, ParquetMissing) as error:
        raise ConfigError(str(error)) from error
    if not found:
        raise ConfigError(f"{file} holds no answers")
    return found


def pairs_named(names: Iterable[str], envs: Sequence[str], most: int) -> list[Pair]:
    """The pairs of those names among the first of each world, in order. Raises ConfigError if one is not."""
    left, found = set(names), list[Pair]()
    for env in envs:
        if not env.startswith(PAIRS_PREFIX):
            raise ConfigError(
                f"--predictions are for pairs: name {PAIRS_PREFIX}WORLD, or give --data, not {env}"
            )
        found += [pair for pair in _behind(env.removeprefix(PAIRS_PREFIX), most) if pair.id in left]
    left -= {pair.id for pair in found}
    if left:
        raise ConfigError(
            f"there are no pairs {', '.join(sorted(left)[:3])}{' …' if len(left) > 3 else ''} in "
            f"{' '.join(envs)}; give the data set that they come from with --data, or more --tasks"
        )
    return found


def _number_of_pairs(envs: Iterable[str]) -> int:
    return sum(len(_behind(env.removeprefix(PAIRS_PREFIX), sys.maxsize)) for env in envs)


def _behind(name: str, most: int) -> tuple[Pair, ...]:
    try:
        return pairs_behind(name, most)
    except (NoSuchPair, ValueError) as error:
        raise ConfigError(str(error)) from error


def _pair_record(record: Record) -> PairRecord:
    data = record["pair"]
    return PairRecord(**{**data, "mistakes": tuple(data["mistakes"])})


def _write(directory: RunDirectory, found: Sequence[Judgement], console: Console) -> None:
    tables = pair_tables(found)
    directory.write("planetarium.csv", pairs_csv(found))
    directory.write("tables.md", "\n".join(map(markdown, tables)))
    directory.write("tables.tex", "\n".join(map(latex, tables)))
    draw_pairs(found, directory.path / "plots" / "planetarium")
    for table in tables:
        console.print(rich_table(table))
    console.print(f"written to {directory.path}", soft_wrap=True)
