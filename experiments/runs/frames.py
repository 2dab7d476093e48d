"""A run directory as pandas data frames: a frame for each kind of record, a row for each record.

The columns of a frame are the fields of its record (`experiments.runs.records`), with score, cost and derived
values as columns of their own. A missing value is NaN among floats, NA among `Int64`, else None.
docs/frames.md lists every column with its type and unit. pandas is imported when a frame is made, not before.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from agents.llm.errors import LLMError
from agents.llm.journal import Journal
from agents.llm.keys import digest
from ew.walks.budget import SimulatorCost
from experiments.runs.details import KINDS
from experiments.runs.directory import RunDirectory, RunUnreadable
from experiments.runs.ledger import Ledger
from experiments.runs.records import EpisodeRecord, Event, NodeRecord, Score, Spent, TaskRecord, world_label

if TYPE_CHECKING:
    import pandas as pd

Row = dict[str, Any]
#: What tables are made of; pandas itself is imported when a frame is made.
DataFrame: TypeAlias = "pd.DataFrame"
Column: TypeAlias = "pd.Series[Any]"
_Columns = Mapping[str, str]

_UNIT = "unit:object env:object world:object method:object condition:object seed:int64"
_SCORE = (
    "ew:float64 forward:float64 backward:float64 stderr:float64 low:float64 high:float64 ew_verdict:object "
    "actions:object not_exercised:object"
)
_COST = (
    "world_queries:int64 simulator_steps:Int64 simulator_resets:Int64 simulator_refused:Int64 "
    "completions:int64 prompt_tokens:int64 completion_tokens:int64 tokens:int64 "
    "wall_s:float64"
)
#: What simulators did, in every frame with a cost; missing where walks are batched.
SIMULATOR = tuple(f"simulator_{field.name}" for field in fields(SimulatorCost))
_BUDGETS = "budget_tokens:Int64 budget_queries:Int64"
#: The columns of each frame with their types, in order; those of `units` are each study's own.
COLUMNS: Mapping[str, _Columns] = MappingProxyType(
    {
        frame: dict(column.split(":") for column in columns.split())
        for frame, columns in {
            "episodes": (
                f"{_UNIT} name:object best:object outcome:object ew:float64 makes_model:bool "
                f"candidates:int64 tasks:int64 solved:int64 unanswered:bool {_COST} np:int64 nd:int64 "
                f"turns:int64 protocol:object {_BUDGETS} not_exercised:object problem:object domain:object"
            ),
            "tasks": (
                f"{_UNIT} task:int64 outcome:object solved:bool undecided:bool unanswered:bool {_SCORE} "
                f"plan_length:Int64 failed_step:Int64 attempts:int64 {_COST} {_BUDGETS} meaning:object "
                "difference:object doubts:object told:object detail:object"
            ),
            "nodes": (
                f"unit:object id:object parent:object turn:int64 key:object outcome:object {_SCORE} "
                f"plan:object failure:object task:object tasks_solved:int64 {_COST} wanted:object "
                "asked:object feedback:object problem:object domain:object reply:object"
            ),
            "begun": "unit:object name:object state:object blame:object message:object",
            "doubts": (
                "unit:object task:object kind:object subject:object says:object showed:object "
                "evidence:object explains:int64 contradicts:int64"
            ),
            "calls": (
                "request:object sample:int64 model:object temperature:float64 finish:object answer:bool "
                "prompt_tokens:Int64 completion_tokens:Int64 latency_s:float64 retries:int64 "
                "truncated_prompt:bool failure:object text:object note:object"
            ),
        }.items()
    }
)  # fmt: skip
#: What only some records have, with the columns that say whose it is: the steps of a counterexample, details.
DETAILS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"story": ("unit", "id"), **{kind.name: kind.whose for kind in KINDS}}
)


@dataclass(frozen=True)
class RunFrames:
    """The records of a run as data frames, each made when it is first looked at and then kept."""

    episode_records: Sequence[EpisodeRecord] = ()
    task_records: Sequence[TaskRecord] = ()
    node_records: Sequence[NodeRecord] = ()
    names: Sequence[tuple[str, str]] = ()  #: unit and name of every episode that was begun
    faults: Sequence[Mapping[str, Any]] = ()  #: episodes that were given up
    run: RunDirectory | None = None  #: None for records that are in no directory

    @classmethod
    def of(cls, run: RunDirectory, ledger: Ledger) -> RunFrames:
        """The records that a ledger has read or written."""
        units = dict.fromkeys([*(unit for unit, _ in ledger.begun), *(e.unit for e in ledger.episodes)])
        nodes = [node for unit in units for node in ledger.nodes(unit)]
        return cls(ledger.episodes, ledger.tasks, nodes, ledger.begun, ledger.faults, run)

    @cached_property
    def answered(self) -> RunFrames:
        """The same records without those of unanswered episodes, over which no mean is taken."""
        silent = self._silent
        if not silent:
            return self
        return RunFrames(
            [e for e in self.episode_records if not e.unanswered],
            [t for t in self.task_records if t.unit not in silent],
            [n for n in self.node_records if n.unit not in silent],
            run=self.run,
        )

    @property
    def _silent(self) -> frozenset[str]:
        return frozenset(e.unit for e in self.episode_records if e.unanswered)

    @cached_property
    def config(self) -> dict[str, Any]:
        """The resolved flags of the run. Raises FileNotFoundError, RunUnreadable."""
        return self._directory.config()

    @cached_property
    def provenance(self) -> dict[str, Any]:
        """Versions, git state and language models of the run. Raises FileNotFoundError, RunUnreadable."""
        return self._directory.provenance()

    @property
    def simulated(self) -> str:
        """The simulated language model that answered, which titles are marked with; empty for any other."""
        return self.run.simulated if self.run else ""

    @property
    def _directory(self) -> RunDirectory:
        if self.run is None:
            raise FileNotFoundError("these records are in no run directory")
        return self.run

    @cached_property
    def episodes(self) -> DataFrame:
        """Finished episodes, in the order of finishing."""
        return frame_of(map(_row, self.episode_records), COLUMNS["episodes"])

    @cached_property
    def tasks(self) -> DataFrame:
        """Finished evaluation tasks, those of unfinished episodes too, in the order of finishing."""
        silent = self._silent
        return frame_of(
            (
                _row(task)
                | {"unanswered": task.unit in silent}
                | {"doubts": "; ".join(f"{doubt.kind} {doubt.subject}" for doubt in task.doubts)}
                for task in self.task_records
            ),
            COLUMNS["tasks"],
        )

    @cached_property
    def nodes(self) -> DataFrame:
        """Evaluated candidates: by the name of their episode, then by id."""
        return frame_of(map(_row, self.node_records), COLUMNS["nodes"])

    @cached_property
    def begun(self) -> DataFrame:
        """Every episode that was begun, by name; its state: finished, unanswered, given up or open."""
        ended = {e.unit: "unanswered" if e.unanswered else "finished" for e in self.episode_records}
        faults = {str(fault["unit"]): fault for fault in self.faults}
        rows = []
        for unit, name in self.names:
            fault = faults.get(unit, {})
            state = ended.get(unit, "given up" if fault else "open")
            rows.append(
                {"unit": unit, "name": name, "state": state, "blame": fault.get("kind")}
                | {"message": fault.get("message")}
            )
        return frame_of(rows, COLUMNS["begun"])

    @cached_property
    def doubts(self) -> DataFrame:
        """Doubts about texts: those of tasks first, then of episodes, then of candidates."""
        records: tuple[Any, ...] = (*self.task_records, *self.episode_records, *self.node_records)
        return frame_of(({"unit": r.unit} | _row(d) for r in records for d in r.doubts), COLUMNS["doubts"])

    @cached_property
    def calls(self) -> DataFrame:
        """Calls of the language model, oldest first. Raises RunUnreadable."""
        return frame_of(_calls(self._directory.journal_path), COLUMNS["calls"])

    @cached_property
    def units(self) -> DataFrame:
        """The finished units of a study, with the study's own columns; empty for any other run."""
        lines = (line for line in self._directory.events() if line["event"] == Event.UNIT)
        return frame_of({k: v for k, v in line.items() if k != "event"} for line in lines)

    def details(self, name: str) -> DataFrame:
        """All of that name in DETAILS, with the columns that say whose they are; else empty.

        Raises KeyError for a name that is not in DETAILS.
        """
        keys = DETAILS[name]
        records: Iterable[Any] = self.node_records if "id" in keys else self.task_records
        if keys == ("unit",):
            records = self.episode_records
        if name == "story":
            found = [(record, record.story) for record in self.node_records if record.story is not None]
        else:
            found = [(record, own) for record in records for own in record.details if own.name == name]
        return frame_of({key: getattr(record, key) for key in keys} | _row(own) for record, own in found)


def frame_of(rows: Iterable[Mapping[str, Any]], columns: Mapping[str, str] | None = None) -> DataFrame:
    """Rows as a frame with these columns and types; without them, with the rows' own."""
    import pandas as pd  # takes a second

    made = pd.DataFrame(list(rows), columns=list(columns) if columns else None, dtype=object)
    return made.astype(dict(columns)) if columns else made.infer_objects()


def _row(record: Any) -> Row:
    """Fields and properties of a record, with its score and its cost as columns of their own."""
    row: Row = {name: getattr(record, name) for name in _names(record.__class__)}
    if "score" in row:
        score: Score = row.pop("score")
        row |= {name: getattr(score, name) for name in _names(Score)} | {"ew_verdict": score.verdict}
        if score.actions is not None:
            counts = map(asdict, score.actions)
            row["actions"] = {count.pop("action"): count for count in counts}
    if "simulator" in row:
        did = row.pop("simulator")
        row |= {name: getattr(did, name.removeprefix("simulator_"), None) for name in SIMULATOR}
    if "spent" in row:
        spent: Spent = row.pop("spent")
        row |= asdict(spent) | {"tokens": spent.tokens}
    if "env" in row:
        row["world"] = world_label(record.env)
    if isinstance(record, NodeRecord):
        row |= {"parent": record.id.rpartition(".")[0], "turn": record.id.count(".")}
    return {name: str(value) if isinstance(value, StrEnum) else value for name, value in row.items()}


@cache
def _names(kind: Any) -> tuple[str, ...]:
    """The fields of a record, then its properties."""
    own = [name for name, _ in inspect.getmembers(kind, lambda member: isinstance(member, property))]
    return (*(field.name for field in fields(kind)), *own)


def _calls(journal: Path) -> Iterator[Row]:
    """The rows of a call journal; none if there is no journal."""
    if not journal.exists():
        return
    try:
        with Journal(journal, read_only=True) as calls:
            for call in calls.calls():
                row = {"request": digest(call.request), "sample": call.sample, "answer": False, "retries": 0}
                row |= {"model": str(call.request["model"]), "temperature": call.request["temperature"]}
                row |= {"truncated_prompt": False, "text": None, "note": "", "failure": None}
                if call.failure is not None:
                    row |= {"failure": str(call.failure.kind), "retries": call.failure.attempts - 1}
                if call.completion is not None:
                    completion = asdict(call.completion)
                    asked, finish = row["model"], str(completion["finish"])
                    row |= completion | completion["usage"] | {"model": asked, "finish": finish}
                    row |= {"answer": not completion["note"]}
                yield row
    except LLMError as error:
        raise RunUnreadable(str(error)) from error
