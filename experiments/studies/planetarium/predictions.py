"""Answers that are there already, judged against the pairs that they are for; no language model is asked.

They come from a file of predictions (`planetarium --predictions FILE`), or are the outputs that the published
data hold (`planetarium --data FILE --outputs`): beside our verdicts on these stand the published ones, so
that anybody can see where the two protocols part. A run of it is a study: a unit is one answer, and its
record is written down when it is judged, so the same command again judges only what is missing.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console

from envs.folder import PAIRS_PREFIX
from envs.pddl.language.domain import read_domain
from envs.pddl.planning.planner import Planner
from envs.planetarium.files import ParquetMissing, read_rows
from envs.planetarium.pairs import Pair
from envs.planetarium.published import PublishedOutput, read_outputs
from envs.planetarium.source import NoSuchPair, domain_behind, pairs_behind
from experiments.config import ConfigError, EpisodeFlags
from experiments.evaluation.judging import invariants_at, judged
from experiments.reporting.display import rich_table
from experiments.reporting.pair_tables import MEASURES, Judgement, draw_pairs, pair_tables, pairs_csv
from experiments.reporting.tables import Table, latex, markdown
from experiments.runs.details import JudgedTranslation, read_details
from experiments.runs.directory import RunDirectory
from experiments.runs.provenance import provenance
from experiments.runs.units import WorkUnit
from experiments.studies.study import Record, Study


@dataclass(frozen=True)
class AnswerUnit(WorkUnit):
    """An answer, the pair that it is for, and how it is planned for."""

    pair: Pair
    prediction: str
    domain: str  #: PDDL
    invariants: str
    planner: str | None
    planner_wall_s: float
    planner_memory_mb: int


def work(unit: AnswerUnit) -> Record:
    """Judge an answer. Raises MachineFault, PlannerMissing, LabellingFailed, BadRules."""
    planner = Planner(unit.planner, unit.planner_wall_s, unit.planner_memory_mb)
    record, _ = judged(unit.prediction, unit.pair, read_domain(unit.domain), planner, unit.invariants)
    return {JudgedTranslation.name: asdict(record)}


def judge_predictions(config: EpisodeFlags, file: Path, from_data: bool, console: Console) -> int:
    """Judge the answers in a file and write the tables; returns the exit code. Raises ConfigError.

    `from_data`: the pairs are all those of a data set, not the first `tasks` that are drawn.
    """
    answers = read_predictions(file)
    pairs = pairs_named(answers, config.env, sys.maxsize if from_data else config.tasks or 1)
    units = [unit_of(pair, answers[pair.id], env, config) for env, pair in pairs]
    _judge(config, file, {"predictions": file.stem}, units, [file.stem] * len(units), console)
    if from_data and (silent := sum(len(pairs_of(env, sys.maxsize)) for env in config.env) - len(pairs)):
        console.print(f"{silent} pairs of the data have no row in {file} and are not counted", soft_wrap=True)
    return 0


def judge_outputs(config: EpisodeFlags, file: Path, console: Console) -> int:
    """Judge all outputs for the problems of `config.env` and write the tables; returns the exit code.

    `config.tasks`: only for the first so many problems. Raises ConfigError.
    """
    (env,) = config.env
    pairs = {pair.id: pair for pair in pairs_of(env, config.tasks or sys.maxsize)}
    try:
        outputs = [output for output in read_outputs(file) if output.problem in pairs]
    except (OSError, ValueError, ParquetMissing) as error:
        raise ConfigError(str(error)) from error
    if not outputs:
        raise ConfigError(f"{file} holds no outputs for the {len(pairs)} problems that were chosen")
    units = [unit_of(pairs[output.problem], output.text, env, config) for output in outputs]
    science = {"outputs": file.name, "problems": env.partition("#")[2] or "all", "tasks": config.tasks}
    _judge(config, file, science, units, list(map(_condition, outputs)), console, outputs)
    return 0


def unit_of(pair: Pair, answer: str, env: str, config: EpisodeFlags) -> AnswerUnit:
    """An answer to a pair of an environment. Raises ConfigError if the pair's domain cannot be read."""
    try:
        domain = domain_behind(env.removeprefix(PAIRS_PREFIX), pair)
    except (OSError, ValueError) as error:
        raise ConfigError(str(error)) from error
    planner = (config.planner, config.planner_wall_s, config.planner_memory_mb)
    return AnswerUnit(pair, answer, domain, invariants_at(env, pair), *planner)


def _judge(
    config: EpisodeFlags,
    file: Path,
    science: Mapping[str, object],
    units: Sequence[AnswerUnit],
    conditions: Sequence[str],
    console: Console,
    published: Sequence[PublishedOutput] = (),
) -> None:
    """Judge the answers of a file, write and print the tables, and draw the figure.

    What the run directory holds is not judged again. `science` identifies the set of answers; each stands
    under its condition. Beside those that are `published` stand the judgements that were.
    """
    version = Planner(config.planner, memory_mb=config.planner_memory_mb).check()
    settings = {**science, "planner_wall_s": config.planner_wall_s}
    out = config.out or Path("runs") / f"planetarium-{file.stem}"
    with RunDirectory.open(out, settings, provenance(version), fresh=config.fresh) as directory:
        made = (read_details(record) for record in Study(config, directory).do(units, work))
        records = [record for (record,) in made if isinstance(record, JudgedTranslation)]
        found = [Judgement(name, 0, record) for name, record in zip(conditions, records, strict=True)]
        tables = [*pair_tables(found), *([agreement(published, records)] if published else [])]
        directory.write("planetarium.csv", pairs_csv(found))
        directory.write("tables.md", "\n".join(map(markdown, tables)))
        directory.write("tables.tex", "\n".join(map(latex, tables)))
        if directory.writable:
            draw_pairs(found, directory.path / "plots" / "planetarium")
    for table in tables:
        console.print(rich_table(table))
    console.print(f"written to {directory.path}", soft_wrap=True)


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


def pairs_named(names: Iterable[str], envs: Sequence[str], most: int) -> list[tuple[str, Pair]]:
    """The pairs of those names among the first of each environment, each with it, in order.

    Raises ConfigError if a name is not among them.
    """
    left, found = set(names), list[tuple[str, Pair]]()
    for env in envs:
        if not env.startswith(PAIRS_PREFIX):
            raise ConfigError(
                f"--predictions are for pairs: name {PAIRS_PREFIX}WORLD, or give --data, not {env}"
            )
        found += [(env, p) for p in pairs_of(env, most) if p.id in left]
    left -= {pair.id for _, pair in found}
    if left:
        raise ConfigError(
            f"there are no pairs {', '.join(sorted(left)[:3])}{' …' if len(left) > 3 else ''} in "
            f"{' '.join(envs)}; give the data set that they come from with --data, or more --tasks"
        )
    return found


def pairs_of(env: str, most: int) -> tuple[Pair, ...]:
    """The first pairs of an environment, at most so many. Raises ConfigError."""
    try:
        return pairs_behind(env.removeprefix(PAIRS_PREFIX), most)
    except (NoSuchPair, OSError, ValueError, ParquetMissing) as error:
        raise ConfigError(str(error)) from error


def agreement(outputs: Sequence[PublishedOutput], records: Sequence[JudgedTranslation]) -> Table:
    """For each measure, how often both judgements count an output, only one of them does, or neither."""
    rows = []
    kinds = ((True, True), (True, False), (False, True), (False, False))
    for condition in sorted(set(map(_condition, outputs))):
        held = [(o, r) for o, r in zip(outputs, records, strict=True) if _condition(o) == condition]
        for place, (name, counts) in enumerate(MEASURES):
            cells = [(counts(record), output.judged[place]) for output, record in held]
            rows.append((condition, name, str(len(cells)), *(str(cells.count(kind)) for kind in kinds)))
    columns = ("model", "measure", "n", "both", "only here", "only published", "neither")
    note = "published: as the columns parseable, valid and equivalent of the data say."
    return Table("Judgements beside the published ones", columns, tuple(rows), (note,))


def _condition(output: PublishedOutput) -> str:
    return f"{output.model} {output.config}".strip()
