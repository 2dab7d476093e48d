"""`python -m experiments.run goals`: what is an agent in Mini-Minecraft after?

Writes `goals.csv` (one row a method and task), `table.md`, `table.tex` (Pass@3 by kind and method) and the
figure `goals` as PNG and SVG. Tasks, guesses and calls are kept as they come, so the same command goes on
where it stopped. Methods that ask a language model are left out if nobody answers:

    goals                                         the packaged recording, if there is one
    goals --model NAME --base-url URL             a live server
    goals --methods ranking-true ranking-learned  no language model

Source of the comparison: Siegel et al. 2024, section 6 and Figure 5; see `experiments.goals_tasks`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro
from rich.console import Console

from agents.llm.interface import DescribedModel
from experiments.config import ConfigError, RunConfig
from experiments.goals_llm import answering, ask_units, origin
from experiments.goals_plots import draw_goals
from experiments.goals_tables import Guessing, goals_csv, goals_tables
from experiments.goals_tasks import KINDS, PUBLISHED, WALL_S, GoalTask, task_of
from experiments.goals_units import METHODS, VIEWS, Method, TaskUnit, guess, make, units_of
from experiments.operator_units import drawn
from experiments.provenance import provenance
from experiments.report import rich_table, wide_console
from experiments.rundir import RunDirectory
from experiments.study import Record, StudyConfig, do_units
from experiments.tables import latex, markdown

#: Tasks of each kind that a recording answers.
RECORDED_TASKS = 10


@dataclass(frozen=True)
class GoalsConfig(StudyConfig):
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
    llm_tasks: int | None = None
    """Tasks of each kind that a language model is asked about; default: all if live, else the first 10."""
    out: Path = Path("runs/goals")
    """Where everything is written."""

    def live(self) -> RunConfig:
        """The settings of a live server."""
        return RunConfig(
            model=self.model,
            base_url=self.base_url,
            api_key_env=self.api_key_env,
            max_tokens=self.max_tokens,
            concurrency=self.concurrency,
        )

    def asked(self) -> int:
        """Tasks of each kind that a language model is asked about."""
        live = bool(self.model or self.base_url)
        return self.llm_tasks or (max(self.four, self.single) if live else RECORDED_TASKS)

    def science(self) -> dict[str, Any]:
        """What results depend on."""
        machine = ("api_key_env", "base_url", "model", "recording", "concurrency", "llm_tasks", "methods")
        return {k: v for k, v in super().science().items() if k not in machine} | {"llm_tasks": self.asked()}


def main(arguments: Sequence[str]) -> int:
    """Do the study of a command line; returns the exit code. Raises ConfigError, LLMError and more."""
    config = tyro.cli(GoalsConfig, prog="python -m experiments.run goals", args=list(arguments))
    _check(config)
    answers, model = _answering(config)
    methods = _methods(config, model)
    science = {**config.science(), "methods": list(methods), "answers": answers}
    console = wide_console()
    started = {**provenance(config.planning().check()), **origin(answers)}
    with RunDirectory.open(config.out, science, started, fresh=config.fresh) as directory:
        tasks = _tasks(config, directory, console)
        found = Guessing(_guesses(config, directory, methods, tasks, model, console))
        tables = goals_tables(found)
        directory.write("goals.csv", goals_csv(found))
        directory.write("table.md", "\n".join(map(markdown, tables)))
        directory.write("table.tex", "\n".join(map(latex, tables)))
        draw_goals(found, directory.path / "goals")
        for table in tables:
            console.print(rich_table(table))
        console.print(f"answers: {answers}; written to {directory.path}", soft_wrap=True)
    return 0


def _answering(config: GoalsConfig) -> tuple[str, DescribedModel | None]:
    """Who answers; nobody is looked for if no method asks."""
    if config.methods and not any(method in VIEWS for method in config.methods):
        return "nobody", None
    return answering(config.live(), config.recording)


def _methods(config: GoalsConfig, model: DescribedModel | None) -> tuple[Method, ...]:
    """The methods asked for, in the usual order. Raises ConfigError for one that nobody answers."""
    chosen = config.methods or tuple(m for m in METHODS if model is not None or m not in VIEWS)
    unanswered = [method for method in chosen if method in VIEWS and model is None]
    if unanswered:
        raise ConfigError(
            f"--methods {' '.join(unanswered)}: nobody answers; give --model NAME or --recording FILE"
        )
    return tuple(method for method in METHODS if method in chosen)


def _tasks(config: GoalsConfig, directory: RunDirectory, console: Console) -> list[GoalTask]:
    """The tasks, planned for where they do not come with a plan. Raises ConfigError if none is solved."""
    units = [
        TaskUnit(kind, number, config.seed, config.planner, config.planner_wall_s)
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
    model: DescribedModel | None,
    console: Console,
) -> list[Record]:
    """The records of all methods, in their order."""
    records: list[Record] = []
    for method in methods:
        if method not in VIEWS:
            units = units_of([method], tasks, config.learned_from, config.seed)
            records += do_units(config, directory, units, guess, console)
        elif model is not None:
            told = [task for task in tasks if task.number <= config.asked()]
            units = units_of([method], told, config.learned_from, config.seed)
            records += ask_units(units, model, directory, config.concurrency)
    return records


def _check(config: GoalsConfig) -> None:
    """Raises ConfigError for what cannot be meant."""
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
