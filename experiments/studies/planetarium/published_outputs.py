"""`planetarium --data FILE --outputs`: the outputs that the published data hold, judged anew.

Beside our verdicts stand the published ones, so that anybody can see where the two protocols part.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console

from envs.planetarium.files import ParquetMissing
from envs.planetarium.published import PublishedOutput, read_outputs
from experiments.config import ConfigError, RunConfig
from experiments.evaluation.pair_records import PairRecord
from experiments.reporting.pair_tables import MEASURES, Judgement
from experiments.reporting.tables import Table
from experiments.studies.planetarium.predictions import (
    judge_units,
    open_answers,
    pairs_of,
    unit_of,
    write_judgements,
)


def judge_outputs(config: RunConfig, file: Path, console: Console) -> int:
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
    out = config.out or Path("runs") / f"planetarium-{file.stem}"
    science = {"outputs": file.name, "problems": env.partition("#")[2] or "all", "tasks": config.tasks}
    with open_answers(out, science, config) as directory:
        records = judge_units(config, directory, units, console)
        found = [Judgement(_arm(o), 0, record) for o, record in zip(outputs, records, strict=True)]
        write_judgements(directory, found, console, (agreement(outputs, records),))
    return 0


def agreement(outputs: Sequence[PublishedOutput], records: Sequence[PairRecord]) -> Table:
    """For each measure, how often both judgements count an output, only one of them does, or neither."""
    rows = []
    for arm in sorted({_arm(output) for output in outputs}):
        held = [(o, r) for o, r in zip(outputs, records, strict=True) if _arm(o) == arm]
        for place, (name, counts) in enumerate(MEASURES):
            rows.append((arm, name, *_counted(held, place, counts)))
    columns = ("model", "measure", "n", "both", "only here", "only published", "neither")
    note = "published: as the columns parseable, valid and equivalent of the data say."
    return Table("Judgements beside the published ones", columns, tuple(rows), (note,))


def _counted(
    held: Sequence[tuple[PublishedOutput, PairRecord]], place: int, counts: Callable[[PairRecord], bool]
) -> tuple[str, ...]:
    cells = [(counts(record), output.judged[place]) for output, record in held]
    kinds = ((True, True), (True, False), (False, True), (False, False))
    return str(len(cells)), *(str(cells.count(kind)) for kind in kinds)


def _arm(output: PublishedOutput) -> str:
    return f"{output.model} {output.config}".strip()
