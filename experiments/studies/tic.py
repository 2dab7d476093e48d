"""`python -m experiments.run tic`: how well tasks are translated to PDDL problems, given the domain.

Methods x worlds x levels of the tasks' texts x tasks x runs, a run of the main job with other defaults: the
seven worlds and four methods of the published tables, 20 tasks, three seeds. With recordings it takes every
cell that they answer. Writes what the main job writes, and `tic.csv`: one row a translation.

With `--gold` no language model is asked: every task of a world is stated as an IR that holds what its text
has to say and nothing that follows from it (`envs.intermediate.gold_ir`). The ground truth has to come out
for all of them, as it is written but for names. Writes `tic.csv` and `table.md` into runs/tic-gold.
docs/tic.md says how to read both.

Source: Agarwal and Sreepathy 2024, section 5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated

import tyro

from agents.tic.infer import materialise, with_names_of
from envs.intermediate.gold_ir import gold_ir
from envs.intermediate.knowledge import worlds_with_rules
from envs.pddl.equivalence.as_written import same_as_written
from envs.pddl.equivalence.compare import Verdict
from envs.pddl.language.domain import read_domain, read_problem
from envs.reading import read_facts
from envs.registry import WORLDS
from envs.source import can_be_terse, canonical_name, read_texts
from envs.variants import WRITTEN, Level, split_variant
from experiments.config import (
    ConfigError,
    Count,
    EpisodeFlags,
    RunConfig,
    is_live,
    parse_job,
    pick,
    shared,
)
from experiments.driver.plan import resolve_cells, tasks_there
from experiments.driver.run_plan import RunPlan
from experiments.methods.registry import METHODS, without_prompts
from experiments.methods.translation import TranslationMethod, knowledge_of
from experiments.recordings import Shelved
from experiments.reporting.display import wide_console
from experiments.reporting.statistics import share
from experiments.reporting.tables import Table, write_csv
from experiments.reporting.tic_tables import PAPER_METHODS, PAPER_WORLDS
from experiments.run import run
from experiments.runs.records import content_key, world_label
from experiments.runs.units import WorkUnit, counted_task
from experiments.studies.study import Record, Study, StudyConfig

SEEDS = (0, 1, 2)
#: Of each world. Source: Agarwal and Sreepathy 2024, section 5.
TASKS = 20
_OUT = Path("runs/tic")
_COLUMNS = ("world", "task", "verdict", "detail")


@dataclass(frozen=True)
class TicConfig(EpisodeFlags):
    """Translate tasks to PDDL problems, by way of answer set programming or directly, and judge that.

    Without --model or --base-url it is made of the recordings there are: cells without one stay empty.
    """

    method: tuple[str, ...] = PAPER_METHODS
    """What is compared: llm+p, tic-ic, tic-g3, tic-g1."""
    env: tuple[str, ...] = ()
    """Worlds with rules.lp, or folders; default: the published seven, with --gold all."""
    levels: Annotated[tuple[Level, ...], tyro.conf.EnumChoicesFromValues] = ()
    """Which texts tasks have; default: given in a folder, else the four written ones, or those recorded."""
    tasks: Count | None = None
    """Tasks of each world, from the first; default: 20, in a folder as many of them as it has."""
    seeds: tuple[int, ...] = ()
    """One run of everything for each seed; default: 0 1 2, or those that are recorded."""
    corrections: int = 0
    """How often an answer that cannot be used, or holds mistakes, is sent back; published: never."""
    gold: bool = False
    """No language model: state each task of all worlds with rules as a gold IR, infer and compile that."""
    out: Path | None = None
    """The run directory; default: runs/tic, with --gold runs/tic-gold."""


def main(arguments: Sequence[str]) -> int:
    """Do the comparison of a command line; returns the exit code."""
    config = parse_job(TicConfig, "tic", arguments)
    if config.corrections < 0:
        raise ConfigError(f"--corrections must not be negative, not {config.corrections}")
    if config.gold:
        return gold_table(_gold(config))
    out, turns = config.out or _OUT, config.corrections + 1
    return run(RunConfig.of(config, env=envs_of(config), turns=turns, out=out), wide_console(), cells_of)


def envs_of(config: TicConfig) -> tuple[str, ...]:
    """Every world at every level asked for; one that is named with a level stays at that.

    Without a level, tasks of a built-in world come at the four that are written, those of a folder as given.
    """
    found = [
        env if split_variant(env)[1].level else f"{env}+{level}"
        for level in Level
        for env in config.env or PAPER_WORLDS
        if level in (config.levels or _levels_of(env))
    ]
    return tuple(dict.fromkeys(found))


def _levels_of(env: str) -> tuple[Level, ...]:
    if not _built_in(env):
        return (Level.GIVEN,)
    return (*WRITTEN, Level.TERSE) if can_be_terse(env) else WRITTEN


def _built_in(env: str) -> bool:
    return split_variant(canonical_name(env))[0] in WORLDS


def cells_of(config: RunConfig, shelf: Sequence[Shelved]) -> RunPlan:
    """Every cell, as far as there are answers; levels of which nothing is recorded are left out.

    Methods that would show an example of a folder's domain are left out where there is none, with a line.
    """
    if is_live(config):
        config = replace(config, seeds=config.seeds or SEEDS)
        lacking = {env: _lacking(config, env) for env in config.env}
        cells = [_cell(config, env, lacking[env]) for env in config.env]
        left_out = tuple(
            f"{world_label(env)}: left out, as {why}" for env in lacking for why in lacking[env].values()
        )
        if not any(cell.method for cell in cells):
            raise ConfigError("; ".join(left_out))
        plan = resolve_cells([cell for cell in cells if cell.method], shelf)
        return replace(plan, config=config, left_out=left_out)
    covered = {
        cover.env for recording in shelf for cover in recording.covers if cover.method in config.method
    }
    levels = {split_variant(env)[1].level for env in covered}
    envs = tuple(env for env in config.env if split_variant(env)[1].level in levels)
    return resolve_cells([replace(config, env=envs or config.env)], shelf)


def _cell(config: RunConfig, env: str, lacking: Mapping[str, str]) -> RunConfig:
    """The methods that one world can be asked about with, and as many tasks as it has."""
    tasks = config.tasks or (TASKS if _built_in(env) else tasks_there(env, asks=True, most=TASKS))
    methods = tuple(method for method in config.method if method not in lacking)
    return replace(config, env=(env,), tasks=tasks, method=methods)


def _lacking(config: RunConfig, env: str) -> dict[str, str]:
    """Of each method that lacks its example, what is missing."""
    methods = {name: METHODS.get(without_prompts(name)) for name in config.method}
    translating = {name: m for name, m in methods.items() if isinstance(m, TranslationMethod)}
    if not translating or _built_in(env):
        return {}
    knowledge = knowledge_of(env)
    return {name: why for name, method in translating.items() if (why := method.lacks(knowledge))}


def _gold(config: TicConfig) -> GoldConfig:
    """The flags that matter without a language model."""
    given = {k: v for k, v in shared(config, GoldConfig).items() if v is not None}
    return GoldConfig(**{**given, "planner_wall_s": GoldConfig.planner_wall_s})


@dataclass(frozen=True)
class GoldConfig(StudyConfig):
    """State every task as a gold IR, infer and compile it, and compare that with the ground truth."""

    tasks: Count = 20
    """Tasks of each world, from the first; beyond ten they are made on demand."""
    out: Path = Path("runs/tic-gold")
    """Where everything is written."""

    @property
    def worlds(self) -> tuple[str, ...]:
        """The worlds asked for, or all with rules. Raises ConfigError for one without."""
        known = worlds_with_rules()
        return tuple(pick("world with rules", name, known) for name in self.env) or known

    def units(self) -> list[IdealUnit]:
        """All tasks of all worlds. Raises ConfigError if a world lacks what its rules go with."""
        known = {world: content_key(asdict(knowledge_of(world)))[:16] for world in self.worlds}
        numbers = range(1, self.tasks + 1)
        return [IdealUnit(world, number, known[world]) for world in self.worlds for number in numbers]


@dataclass(frozen=True)
class IdealUnit(WorkUnit):
    """One task of one world."""

    world: str
    task: int
    knowledge: str  #: start of the content hash of the world's rules and all that goes with them


def work(unit: IdealUnit) -> Record:
    """What comes of a task: `verdict` of the comparison or of the inference, with its `detail`."""
    texts = read_texts(unit.world, counted_task(unit.world, unit.task))
    domain = read_domain(texts.domain)
    facts = read_facts(texts.problem, domain.vocabulary)
    knowledge = with_names_of(knowledge_of(unit.world), " ".join(facts.objects))
    found = materialise(gold_ir(unit.world, facts, knowledge.names.asp), knowledge)
    record = {"world": unit.world, "task": unit.task}
    if found.problem is None:
        return {**record, "verdict": found.ending.value, "detail": found.fault}
    same = same_as_written(read_problem(found.problem, domain), read_problem(texts.problem, domain))
    detail = same.witness if isinstance(same.witness, str) else ""
    return {**record, "verdict": same.verdict.value, "detail": detail}


def gold_table(config: GoldConfig) -> int:
    """Do what is not done and show the table; the exit code is 1 if a task does not come out."""
    with Study.open(config) as study:
        records = study.do(config.units(), work)
        rows = [[str(record[column]) for column in _COLUMNS] for record in records]
        study.report([_table(records)], {"tic.csv": write_csv(_COLUMNS, rows)}, tex=False)
    return 0 if all(_is_right(record) for record in records) else 1


def _is_right(record: Record) -> bool:
    return bool(record["verdict"] == Verdict.EQUIVALENT.value)


def _table(records: Sequence[Record]) -> Table:
    """A row for each world, one for all."""
    worlds = dict.fromkeys(record["world"] for record in records)
    groups = {world: [r for r in records if r["world"] == world] for world in worlds} | {"all": records}
    rows = []
    for world, found in groups.items():
        right = share(map(_is_right, found))
        others = [f"{r['world']} {r['task']}: {r['verdict']}" for r in found if not _is_right(r)]
        shown = (len(found), sum(map(_is_right, found)), right, "; ".join(others[:3]))
        rows.append((world, *map(str, shown)))
    columns = ("world", "tasks", "right", "share", "not right")
    return Table("Ideal IRs, inferred and compiled", columns, tuple(rows))
