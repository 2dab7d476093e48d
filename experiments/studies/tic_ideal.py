"""What inference and compilation make of ideal IRs: the part of TIC in which no language model has a say.

Every task of a world is stated as an IR that holds what its text has to say and nothing that follows from it
(`envs.intermediate.ideal`). The ground truth has to come out for all of them, as it is written but for names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console

from agents.tic.materialise import materialise, with_names_of
from envs.intermediate.ideal import ideal_ir
from envs.intermediate.knowledge import worlds_with_rules
from envs.pddl.equivalence.as_written import same_as_written
from envs.pddl.equivalence.compare import Verdict
from envs.pddl.language.domain import read_domain, read_problem
from envs.source import read_texts
from envs.tasks import read_facts
from experiments.config import pick
from experiments.methods.tic_knowledge import knowledge_of
from experiments.reporting.display import rich_table
from experiments.reporting.statistics import rate
from experiments.reporting.tables import Table, markdown, write_csv
from experiments.runs.records import content_key
from experiments.runs.units import counted_task
from experiments.studies.study import Record, StudyConfig, do_units, open_study, unit_key

_COLUMNS = ("world", "task", "verdict", "detail")


@dataclass(frozen=True)
class IdealConfig(StudyConfig):
    """State every task as an ideal IR, infer and compile it, and compare that with the ground truth."""

    tasks: int = 20
    """Tasks of each world, from the first; beyond ten they are made on demand."""
    out: Path = Path("runs/tic-ideal")
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
class IdealUnit:
    """One task of one world."""

    world: str
    task: int
    knowledge: str  #: start of the content hash of the world's rules and all that goes with them

    @property
    def key(self) -> str:
        """Content hash."""
        return unit_key(self)


def work(unit: IdealUnit) -> Record:
    """What comes of a task: `verdict` of the comparison or of the inference, with its `detail`."""
    texts = read_texts(unit.world, counted_task(unit.world, unit.task))
    domain = read_domain(texts.domain)
    facts = read_facts(texts.problem, domain.vocabulary)
    knowledge = with_names_of(knowledge_of(unit.world), " ".join(facts.objects))
    found = materialise(ideal_ir(unit.world, facts, knowledge.names.asp), knowledge)
    record = {"world": unit.world, "task": unit.task}
    if found.problem is None:
        return {**record, "verdict": found.ending.value, "detail": found.fault}
    same = same_as_written(read_problem(found.problem, domain), read_problem(texts.problem, domain))
    detail = same.witness if isinstance(same.witness, str) else ""
    return {**record, "verdict": same.verdict.value, "detail": detail}


def ideal_table(config: IdealConfig, console: Console) -> int:
    """Do what is not done and show the table; the exit code is 1 if a task does not come out."""
    with open_study(config, config.out) as directory:
        records = do_units(config, directory, config.units(), work, console)
        table = _table(records)
        directory.write("tic.csv", write_csv(_COLUMNS, [[str(r[c]) for c in _COLUMNS] for r in records]))
        directory.write("table.md", markdown(table))
        console.print(rich_table(table))
        console.print(f"written to {directory.path}", soft_wrap=True)
    return 0 if all(_is_right(record) for record in records) else 1


def _is_right(record: Record) -> bool:
    return bool(record["verdict"] == Verdict.EQUIVALENT.value)


def _table(records: Sequence[Record]) -> Table:
    """A row for each world, one for all."""
    worlds = dict.fromkeys(record["world"] for record in records)
    groups = {world: [r for r in records if r["world"] == world] for world in worlds} | {"all": records}
    rows = tuple(_row(world, found) for world, found in groups.items())
    return Table("Ideal IRs, inferred and compiled", ("world", "tasks", "right", "share", "not right"), rows)


def _row(world: str, records: Sequence[Record]) -> tuple[str, ...]:
    right = sum(map(_is_right, records))
    others = [f"{r['world']} {r['task']}: {r['verdict']}" for r in records if not _is_right(r)]
    return world, str(len(records)), str(right), str(rate(right, len(records))), "; ".join(others[:3])
