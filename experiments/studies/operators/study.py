"""`python -m experiments.run operators`: how many of Mini-Minecraft's operators demonstrations teach.

Demonstrations teach operators by name alone (`symbolic`) or with arguments known (`known`); what was learned
by name alone a language model completes, once (`guided`) or with proposals that a demonstration refutes asked
for again (`guided-resampled`). Guided methods are left out if nobody answers, and told:

    operators                                     what is recorded, and the methods without a language model
    operators --model NAME --base-url URL         a live server

Writes `operators.csv` (one row a unit), `table.md`, `table.tex` (the share recovered against the number of
demonstrations, EW with the true domain, what was not recovered and why) and the figure `operators` as PNG and
SVG. Records and calls are kept as they come; all else is made from them.
Source of the comparison: Siegel et al. 2024, section 6 and Figure 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import tyro
from rich.console import Console

from agents.llm.errors import LLMError
from agents.llm.interface import LanguageModel
from experiments.config import EXIT_UNANSWERED, ConfigError
from experiments.reporting.display import rich_table, wide_console
from experiments.reporting.tables import latex, markdown
from experiments.runs.directory import RunDirectory
from experiments.runs.provenance import provenance
from experiments.runs.records import Event
from experiments.studies.asking import (
    Answering,
    AskingConfig,
    answered,
    answering_methods,
    asked_record,
    asking,
    is_left_out,
    left_out,
    scored,
    unanswered_tables,
    written_records,
)
from experiments.studies.operators.guided import TRIES, ask
from experiments.studies.operators.plots import draw_operators
from experiments.studies.operators.tables import Recovering, operator_tables, operators_csv
from experiments.studies.operators.units import LearnUnit, drawn, work
from experiments.studies.study import Record, do_units

Method = Literal["symbolic", "guided", "guided-resampled", "known"]
METHODS: tuple[Method, ...] = get_args(Method)
#: The packaged recording of this study.
RECORDING = "guided"


@dataclass(frozen=True)
class OperatorsConfig(AskingConfig):
    """Learn operators from demonstrations and compare them with the true ones. --env is minecraft alone."""

    env: tuple[str, ...] = ("minecraft",)
    """Where the demonstrations are from."""
    methods: tuple[Method, ...] = ()
    """How operators are learned; default: all, the guided ones if somebody answers."""
    counts: tuple[int, ...] = (1, 2, 5, 10, 20, 50, 100)
    """Numbers of demonstrations."""
    repeats: int = 5
    """Times that demonstrations are drawn."""
    guided_counts: tuple[int, ...] = (100,)
    """Numbers of demonstrations of the guided methods."""
    guided_repeats: int = 1
    """Times that demonstrations are drawn for the guided methods, the first draws of all."""
    resampling: Literal["reasoned", "plain"] = "reasoned"
    """After a refuted proposal: ask with the reason (ours), or, as published, sample the request again."""
    tasks: tuple[int, ...] = (1, 4)
    """The world's tasks that EW is taken in."""
    walks: int = 200
    """Fresh walks of one EW score."""
    states: int = 4
    """Of each action, states of held-out demonstrations that learned operators are tried in."""
    out: Path = Path("runs/operators")
    """Where everything is written."""

    def units_of(self, method: Method) -> list[LearnUnit]:
        """All units of a method."""
        guided = method in TRIES
        counts, repeats = self.counts, self.repeats
        plain = guided and self.resampling == "plain"
        if guided:
            counts, repeats = self.guided_counts, self.guided_repeats
        return [
            LearnUnit(method, count, repeat, self.tasks, self.walks, self.states, self.seed, plain)
            for count in counts
            for repeat in range(repeats)
        ]

    def science(self) -> dict[str, Any]:
        """What results depend on."""
        return {key: value for key, value in super().science().items() if key != "methods"}


def main(arguments: Sequence[str]) -> int:
    """Do the study of a command line; returns the exit code. Raises ConfigError, LLMError and more."""
    config = tyro.cli(OperatorsConfig, prog="python -m experiments.run operators", args=list(arguments))
    _check(config)
    who = answering_methods(config, RECORDING, config.methods, TRIES)
    methods = answered(METHODS, config.methods, TRIES, who)
    console = wide_console()
    science = {**config.science(), "methods": list(methods), "answers": who.name}
    started = {**provenance(config.planning().check()), **who.origin()}
    with RunDirectory.open(config.out, science, started, fresh=config.fresh) as directory:
        records = _records(config, directory, methods, who, console)
        found, silent = Recovering(scored(records)), unanswered_tables(records)
        tables = (*operator_tables(found), *silent)
        directory.write("operators.csv", operators_csv(found))
        directory.write("table.md", "\n".join(map(markdown, tables)))
        directory.write("table.tex", "\n".join(map(latex, tables)))
        if found.records and directory.writable:
            draw_operators(found, directory.path / "operators")
        for table in tables:
            console.print(rich_table(table))
        for line in _left_out(config, methods, Recovering(records)):
            console.print(line, soft_wrap=True)
        console.print(f"answers: {who.name}; written to {directory.path}", soft_wrap=True)
    return EXIT_UNANSWERED if silent else 0


def _records(
    config: OperatorsConfig,
    directory: RunDirectory,
    methods: Sequence[Method],
    who: Answering,
    console: Console,
) -> list[Record]:
    """The records of all methods, in their order."""
    units = [unit for method in methods if method not in TRIES for unit in config.units_of(method)]
    records = do_units(config, directory, units, work, console)
    if who.model is not None:
        with asking(config, who.model, directory) as model:
            for unit in (u for method in methods if method in TRIES for u in config.units_of(method)):
                records += _asked(unit, model, who, directory, config)
    return sorted(records, key=lambda record: methods.index(record["method"]))


def _asked(
    unit: LearnUnit, model: LanguageModel, who: Answering, directory: RunDirectory, config: OperatorsConfig
) -> Iterator[Record]:
    """The record of a unit, if it is answered; what is written already is not asked again."""
    known = written_records(directory, config)
    if unit.key in known:
        yield known[unit.key]
        return
    try:
        record = asked_record(unit, model, lambda heard: ask(unit, heard, config.concurrency))
    except LLMError as error:
        if not is_left_out(error, who):
            raise
        return
    directory.append(Event.UNIT, record)
    yield record


def _left_out(config: OperatorsConfig, methods: Sequence[Method], found: Recovering) -> Iterator[str]:
    """What nobody was asked, or did not answer."""
    yield from left_out(METHODS, methods, config.methods)
    for method in (method for method in methods if method in TRIES):
        units = config.units_of(method)
        missing = len(units) - sum(record["method"] == method for record in found.records)
        if missing:
            yield f"left out, as they are not recorded: {missing} of {len(units)} units of {method}"


def _check(config: OperatorsConfig) -> None:
    """Raises ConfigError for what cannot be meant."""
    config.endpoint()
    if config.env != ("minecraft",):
        raise ConfigError("--env: demonstrations are there for minecraft alone")
    counts = (*config.counts, *config.guided_counts)
    if not (config.counts and config.guided_counts) or min(counts) < 1:
        raise ConfigError("--counts and --guided-counts must be positive")
    if min(config.repeats, config.guided_repeats, config.states, config.concurrency) < 1:
        raise ConfigError("--repeats, --guided-repeats, --states and --concurrency must be positive")
    if config.walks < 2 or config.seed < 0:
        raise ConfigError("--walks must be 2 or more, and --seed must not be negative")
    there = len(drawn(config.seed, 0))
    if max(counts) > there:
        raise ConfigError(f"--counts: there are {there} demonstrations to learn from, not {max(counts)}")
