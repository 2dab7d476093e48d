"""`python -m experiments.run operators-guided`: a language model completes what was learned.

Demonstrations teach operators by name alone; a language model completes them, once (`guided`) or with
proposals that a demonstration refutes asked for again (`guided-resampled`). Beside them stand the methods of
`operators` that ask nobody. Writes `operators.csv`, `table.md`, `table.tex` and the figure `operators`, as
`operators` does, and `calls.sqlite`, from which

    python -m experiments.recordings export runs/operators-guided experiments/recordings/guided.jsonl.gz

makes the recording that answers a study without --model. Source: Siegel et al. 2024, section 6 and Figure 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import tyro

from agents.llm.interface import DescribedModel
from agents.llm.journal import Journal
from agents.llm.journaled import JournaledModel
from experiments.config import ConfigError, RunConfig
from experiments.goals_llm import answering, origin
from experiments.guided_units import TRIES, ask
from experiments.operator_plots import draw_operators
from experiments.operator_tables import Recovering, operator_tables, operators_csv
from experiments.operator_units import LearnUnit, drawn, work
from experiments.provenance import provenance
from experiments.records import Event
from experiments.report import rich_table, wide_console
from experiments.rundir import RunDirectory
from experiments.study import Record, StudyConfig, do_units
from experiments.tables import latex, markdown

#: The packaged recording of this study.
RECORDING = "guided"


@dataclass(frozen=True)
class GuidedConfig(StudyConfig):
    """Complete learned operators with a language model. --env is minecraft alone."""

    env: tuple[str, ...] = ("minecraft",)
    """Where the demonstrations are from."""
    methods: tuple[Literal["symbolic", "guided", "guided-resampled", "known"], ...] = (
        "symbolic", "guided", "guided-resampled", "known",
    )  # fmt: skip
    """By name alone; completed; completed and asked again; with arguments known."""
    counts: tuple[int, ...] = (100,)
    """Numbers of demonstrations."""
    repeats: int = 1
    """Times that demonstrations are drawn."""
    states: int = 4
    """Of each action, states of held-out demonstrations that operators are tried in."""
    model: str | None = None
    """Live: the model's name as its server knows it."""
    base_url: str | None = None
    """Live: an OpenAI-compatible server, http://host:port/v1; default: OpenAI's."""
    api_key_env: str = "OPENAI_API_KEY"
    """Live: the environment variable that holds the key (never the key itself)."""
    max_tokens: int | None = None
    """Live: the longest answer; default: 4096."""
    concurrency: int = 8
    """Requests at a time."""
    recording: str | None = None
    """Recorded: a packaged recording's name, a .jsonl(.gz) file, or a run directory of this study."""
    out: Path = Path("runs/operators-guided")
    """Where everything is written."""

    def units(self) -> list[LearnUnit]:
        """All units, method by method."""
        return [
            LearnUnit(method, count, repeat, (1, 4), 200, self.states, self.seed)
            for method in self.methods
            for count in self.counts
            for repeat in range(self.repeats)
        ]

    def live(self) -> RunConfig:
        """The settings of a live server."""
        return RunConfig(
            model=self.model,
            base_url=self.base_url,
            api_key_env=self.api_key_env,
            max_tokens=self.max_tokens,
            concurrency=self.concurrency,
        )

    def science(self) -> dict[str, Any]:
        """What results depend on."""
        machine = ("api_key_env", "base_url", "model", "recording", "concurrency")
        return {k: v for k, v in super().science().items() if k not in machine}


def main(arguments: Sequence[str]) -> int:
    """Do the study of a command line; returns the exit code. Raises ConfigError, LLMError and more."""
    config = tyro.cli(GuidedConfig, prog="python -m experiments.run operators-guided", args=list(arguments))
    _check(config)
    answers, model = _answering(config)
    console = wide_console()
    started = {**provenance(config.planning().check()), **origin(answers)}
    science = {**config.science(), "answers": answers}
    with RunDirectory.open(config.out, science, started, fresh=config.fresh) as directory:
        records: list[Record] = []
        for unit in config.units():
            if unit.method in TRIES and model is not None:
                records.append(_asked(unit, model, directory, config.concurrency))
            else:
                records += do_units(config, directory, [unit], work, console)
        found = Recovering(records)
        tables = operator_tables(found)
        directory.write("operators.csv", operators_csv(found))
        directory.write("table.md", "\n".join(map(markdown, tables)))
        directory.write("table.tex", "\n".join(map(latex, tables)))
        draw_operators(found, directory.path / "operators")
        for table in tables:
            console.print(rich_table(table))
        console.print(f"answers: {answers}; written to {directory.path}", soft_wrap=True)
    return 0


def _asked(unit: LearnUnit, model: DescribedModel, directory: RunDirectory, at_once: int) -> Record:
    """The record of a unit; what is written already is not asked again."""
    known = {event["key"]: event for event in directory.events() if event["event"] == Event.UNIT}
    if unit.key not in known:
        with Journal(directory.journal_path) as journal:
            record = {"key": unit.key, **ask(unit, JournaledModel(model, journal), at_once)}
        directory.append(Event.UNIT, record)
        known[unit.key] = record
    return known[unit.key]


def _answering(config: GuidedConfig) -> tuple[str, DescribedModel | None]:
    """Who answers. Raises ConfigError if a method asks and nobody does."""
    if not any(method in TRIES for method in config.methods):
        return "nobody", None
    answers, model = answering(config.live(), config.recording, RECORDING)
    if model is None:
        raise ConfigError("nobody answers; give --model NAME or --recording FILE, or name other --methods")
    return answers, model


def _check(config: GuidedConfig) -> None:
    """Raises ConfigError for what cannot be meant."""
    if config.env != ("minecraft",):
        raise ConfigError("--env: demonstrations are there for minecraft alone")
    if not config.counts or min(config.counts) < 1:
        raise ConfigError("--counts must be positive")
    if min(config.repeats, config.states, config.concurrency) < 1:
        raise ConfigError("--repeats, --states and --concurrency must be positive")
    there = len(drawn(config.seed, 0))
    if max(config.counts) > there:
        raise ConfigError(f"--counts: there are {there} demonstrations, not {max(config.counts)}")
