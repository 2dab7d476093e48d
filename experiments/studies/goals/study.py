"""`python -m experiments.run goals`: what is an agent in Mini-Minecraft after?

Writes `goals.csv` (one row a method and task), `table.md`, `table.tex` (Pass@3 by kind and method) and the
figure `goals` as PNG and SVG. Tasks, guesses and calls are kept as they come, so the same command resumes
where it stopped. Without a language model, methods that ask one are left out and listed:

    goals                                         what is recorded, and all methods without a language model
    goals --model NAME --base-url URL             a live server
    goals --methods ranking-true ranking-learned  no language model

Source of the comparison: Siegel et al. 2024, section 6 and Figure 5; see `experiments.studies.goals.tasks`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import tyro
from rich.console import Console

from agents.goals.asking import Presentation, predict
from agents.llm.errors import LLMError
from agents.llm.interface import LanguageModel
from experiments.config import EXIT_UNANSWERED, ConfigError
from experiments.driver.console import wide_console
from experiments.reporting.display import rich_table
from experiments.reporting.tables import latex, markdown
from experiments.runs.directory import RunDirectory
from experiments.runs.provenance import provenance
from experiments.runs.records import Event
from experiments.runs.seeds import derived_seed
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
from experiments.studies.goals.report import Guessing, draw_goals, goals_csv, goals_tables
from experiments.studies.goals.tasks import KINDS, PUBLISHED, WALL_S, GoalTask, space_of, task_of
from experiments.studies.goals.units import (
    METHODS,
    VIEWS,
    GuessUnit,
    Method,
    TaskUnit,
    guess,
    judged,
    make,
    units_of,
)
from experiments.studies.operators.demonstrations import drawn
from experiments.studies.study import Record, do_units

#: The packaged recording of this study.
RECORDING = "goals"
#: Tasks of each kind that it answers.
RECORDED_TASKS = 10


@dataclass(frozen=True)
class GoalsConfig(AskingConfig):
    """Infer goals from plans, seen whole or in part. --env is minecraft alone."""

    env: tuple[str, ...] = ("minecraft",)
    """Where the agent acts."""
    methods: tuple[Method, ...] = ()
    """How goals are guessed; default: all that somebody answers."""
    four: int = PUBLISHED["four"]
    """Tasks of four subgoals, whose plans are seen whole."""
    single: int = PUBLISHED["single"]
    """Tasks of one item, the last three steps of whose plans are not seen."""
    learned_from: int = 100
    """Demonstrations of other tasks that operators are learned from."""
    planner_wall_s: float = WALL_S
    """Seconds that one call of the planner may take when tasks are made; those of seed 0 come made."""

    told: Literal["loose", "hanging"] = "loose"
    """Effects of a parsed plan in a request: loose ones (ours), or, as published, those of hanging steps."""
    extension: Literal["bounded", "unbounded"] = "bounded"
    """Extensions of a round: the likeliest ones (ours), or, as published, all."""
    together: bool = False
    """Plan for the subgoals of four at once, as published; such tasks are planned for anew."""
    llm_tasks: int | None = None
    """Tasks of each kind that a language model is asked about; default: all if live, else the first 10."""
    out: Path = Path("runs/goals")
    """Where everything is written."""

    def presentation(self) -> Presentation:
        """How a parsed plan is presented to a language model."""
        return Presentation(self.told == "hanging", self.extension == "unbounded")

    def asked(self) -> int:
        """Tasks of each kind that a language model is asked about."""
        return self.llm_tasks or (max(self.four, self.single) if self.is_live else RECORDED_TASKS)

    def science(self) -> dict[str, Any]:
        """What results depend on."""
        found = {key: value for key, value in super().science().items() if key != "methods"}
        return found | {"llm_tasks": self.asked()}


def main(arguments: Sequence[str]) -> int:
    """Do the study of a command line; returns the exit code. Raises ConfigError, LLMError and more."""
    config = tyro.cli(GoalsConfig, prog="python -m experiments.run goals", args=list(arguments))
    _check(config)
    who = answering_methods(config, RECORDING, config.methods, VIEWS)
    methods = answered(METHODS, config.methods, VIEWS, who)
    science = {**config.science(), "methods": list(methods), "answers": who.name}
    console = wide_console()
    started = {**provenance(config.planning().check()), **who.origin()}
    with RunDirectory.open(config.out, science, started, fresh=config.fresh) as directory:
        tasks = _tasks(config, directory, console)
        guesses = _guesses(config, directory, methods, tasks, who, console)
        found, silent = Guessing(scored(guesses)), unanswered_tables(guesses)
        tables = (*goals_tables(found), *silent)
        directory.write("goals.csv", goals_csv(found))
        directory.write("table.md", "\n".join(map(markdown, tables)))
        directory.write("table.tex", "\n".join(map(latex, tables)))
        if found.records and directory.writable:
            draw_goals(found, directory.path / "goals")
        for table in tables:
            console.print(rich_table(table))
        for line in _left_out(config, methods, tasks, Guessing(guesses)):
            console.print(line, soft_wrap=True)
        console.print(f"answers: {who.name}; written to {directory.path}", soft_wrap=True)
    return EXIT_UNANSWERED if silent else 0


def _tasks(config: GoalsConfig, directory: RunDirectory, console: Console) -> list[GoalTask]:
    """The tasks, planned for where they do not come with a plan. Raises ConfigError if none is solved."""
    units = [
        TaskUnit(kind, number, config.seed, config.planner, config.planner_wall_s, config.together)
        for kind, count in zip(KINDS, (config.four, config.single), strict=True)
        for number in range(1, count + 1)
    ]
    records = do_units(config, directory, units, make, console)
    tasks = [task_of(record["task"]) for record in records if record["task"] is not None]
    if not tasks:
        raise ConfigError("no task was solved in the planner's time; raise --planner-wall-s")
    return tasks


def _guesses(
    config: GoalsConfig,
    directory: RunDirectory,
    methods: Sequence[Method],
    tasks: Sequence[GoalTask],
    who: Answering,
    console: Console,
) -> list[Record]:
    """The records of all methods, in their order."""
    found: dict[Method, list[Record]] = {}
    silent = [method for method in methods if method not in VIEWS]
    units = units_of(silent, tasks, config.learned_from, config.seed)
    for unit, record in zip(units, do_units(config, directory, units, guess, console), strict=True):
        found.setdefault(unit.method, []).append(record)
    if who.model is not None:
        told = [task for task in tasks if task.number <= config.asked()]
        with asking(config, who.model, directory) as model:
            for method in (method for method in methods if method in VIEWS):
                asked = units_of([method], told, config.learned_from, config.seed, config.presentation())
                found[method] = ask_units(asked, model, who, directory, config)
    return [record for method in methods for record in found.get(method, ())]


def ask_units(
    units: Sequence[GuessUnit],
    model: LanguageModel,
    who: Answering,
    directory: RunDirectory,
    config: AskingConfig,
) -> list[Record]:
    """The record of every unit that is answered, in order; what is written already is not asked again.

    Raises what the model raises at the first unit that it cannot answer, after all that are under way.
    """
    known = written_records(directory, config)
    missing = [unit for unit in units if unit.key not in known]
    with ThreadPoolExecutor(config.concurrency) as pool:
        futures = {pool.submit(asked_record, unit, model, partial(ask, unit)): unit for unit in missing}
        try:
            for future in as_completed(futures):
                error = future.exception()
                if not (isinstance(error, LLMError) and is_left_out(error, who)):
                    record = future.result()
                    directory.append(Event.UNIT, record)
                    known[record["key"]] = record
        finally:
            for future in futures:
                future.cancel()
    return [known[unit.key] for unit in units if unit.key in known]


def ask(unit: GuessUnit, model: LanguageModel) -> Record:
    """The record of one unit. Raises what the model raises.

    The seed does not depend on the method: methods that ask the same are answered the same.
    """
    guesses = predict(
        model,
        unit.observed,
        space_of(unit.task.kind),
        VIEWS[unit.method],
        whole=unit.whole,
        examples=unit.examples,
        seed=derived_seed(unit.seed, "goals", unit.task.kind, unit.task.number),
        presentation=unit.presentation,
    )
    tokens = guesses.usage.prompt_tokens + guesses.usage.completion_tokens
    return judged(unit, guesses.goals, guesses.fault, tokens)


def _left_out(
    config: GoalsConfig, methods: Sequence[Method], tasks: Sequence[GoalTask], found: Guessing
) -> Iterator[str]:
    """What nobody was asked, or did not answer."""
    yield from left_out(METHODS, methods, config.methods)
    asked = sum(task.number <= config.asked() for task in tasks)
    for method in (method for method in methods if method in VIEWS):
        done = sum(len(found.of(kind, method)) for kind in KINDS)
        if done < asked:
            yield f"left out, as they are not recorded: {asked - done} of {asked} tasks of {method}"


def _check(config: GoalsConfig) -> None:
    """Raises ConfigError for what cannot be meant."""
    config.endpoint()
    if config.env != ("minecraft",):
        raise ConfigError("--env: the goals study has tasks of minecraft alone")
    if min(config.four, config.single, config.seed) < 0 or config.four + config.single < 1:
        raise ConfigError("--four, --single and --seed must not be negative, and there must be some task")
    if min(config.planner_wall_s, config.concurrency, config.learned_from) <= 0:
        raise ConfigError("--planner-wall-s, --concurrency and --learned-from must be positive")
    if config.llm_tasks is not None and config.llm_tasks < 1:
        raise ConfigError("--llm-tasks must be positive")
    there = len(drawn(config.seed, 0))
    if config.learned_from > there:
        raise ConfigError(f"--learned-from: there are {there} demonstrations, not {config.learned_from}")
