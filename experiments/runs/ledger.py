"""What a run directory already knows, and writing down what is new.

Records are found by their episode's key and their own, so a finished node or task is never computed twice;
adding a record that is there already changes nothing.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from experiments.runs.directory import RunDirectory
from experiments.runs.marks import SIMULATED_BY
from experiments.runs.records import EpisodeRecord, Event, NodeRecord, TaskRecord, world_label

#: The mark of a study's record of which nothing was answered; the records of all others do not have it.
UNANSWERED = "unanswered"
#: Hears of each record that is new, in the order of writing.
Listener = Callable[[NodeRecord | TaskRecord | EpisodeRecord], None]


#: What the lines of a study's unit, of an episode's start and of a fault have at least; all of it is text.
_UNIT, _STARTED, _FAULT = (
    msgspec.defstruct("Line", [(name, str) for name in names.split()])
    for names in ("key", "unit name", "unit name kind message")
)


class Ledger:
    """The records of a run, in memory and on disk. Thread-safe."""

    def __init__(self, run: RunDirectory):
        self._run = run
        self.simulated = run.simulated  #: what `experiments.runs.marks.title` marks titles with
        self._lock = threading.RLock()
        self._nodes: dict[str, dict[str, NodeRecord]] = {}
        self._tasks: dict[tuple[str, int], TaskRecord] = {}
        self._numbers: dict[str, list[int]] = {}  # of the tasks above, by unit
        self._texts: dict[str, str] = {}
        self._episodes: dict[str, EpisodeRecord] = {}
        self._faults: dict[str, dict[str, Any]] = {}
        self._names: dict[str, str] = {}
        self._listeners: list[Listener] = []
        self.records: dict[str, dict[str, Any]] = {}  #: of a study's units, by key; the last one stands
        with _without_collection():
            for number, line in enumerate(run.events(), start=1):
                try:
                    self._take(Event(line["event"]), line)
                except msgspec.ValidationError as error:
                    raise run.unreadable(number, str(error)) from error

    def _take(self, event: Event, line: dict[str, Any]) -> None:
        """The first record of a task or episode stands, and a fault until its episode is begun again.

        Of a node the last one stands: an answer that was cut off is asked for anew when a run is resumed,
        and the search then continues from the new one. Tasks are solved with the model that a search has
        found, so those that were solved before it continued are done again.
        """
        unit = line.get("unit", "")
        match event:
            case Event.NODE:
                node = NodeRecord.from_json(self._shared(line))
                self._nodes.setdefault(unit, {})[node.id] = node
                self._forget_tasks(unit)
            case Event.TASK:
                task = TaskRecord.from_json(line)
                if (unit, task.task) not in self._tasks:
                    self._tasks[unit, task.task] = task
                    self._numbers.setdefault(unit, []).append(task.task)
            case Event.EPISODE:
                self._episodes.setdefault(unit, EpisodeRecord.from_json(line))
            case Event.UNIT:
                msgspec.convert(line, _UNIT)
                self.records[line["key"]] = line
            case Event.FAULT:
                msgspec.convert(line, _FAULT)
                self._faults[unit] = {k: v for k, v in line.items() if k not in ("event", SIMULATED_BY)}
            case Event.STARTED:
                msgspec.convert(line, _STARTED)
                self._names[unit] = line["name"]
                self._faults.pop(unit, None)
                if unit in self._episodes:
                    self._forget(unit)

    def _forget(self, unit: str) -> None:
        """An episode that ended unanswered is asked again from its beginning."""
        del self._episodes[unit]
        self._nodes.pop(unit, None)
        self._forget_tasks(unit)

    def _forget_tasks(self, unit: str) -> None:
        for number in self._numbers.pop(unit, ()):
            del self._tasks[unit, number]

    def _shared(self, line: dict[str, Any]) -> dict[str, Any]:
        """The line with one object for each text that earlier nodes have too: siblings share most of them."""
        texts = self._texts
        return {key: texts.setdefault(v, v) if isinstance(v, str) else v for key, v in line.items()}

    @property
    def asked(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The environments and methods (with budgets) that the run was asked to compare, in that order.

        More than there are episodes of, where no recording answered. Empty for a run that did not say.
        """
        if not self._run.config_path.exists():
            return (), ()
        asked = self._run.provenance().get("asked", {"env": (), "arm": ()})
        return tuple(world_label(env) for env in asked["env"]), tuple(asked["arm"])

    def listen(self, listener: Listener) -> None:
        """From now on, call `listener` with each record that is added; it must be quick and raise nothing."""
        self._listeners.append(listener)

    def begin(self, unit: str, name: str) -> None:
        """An episode begins, or begins again."""
        self._write(Event.STARTED, {"unit": unit, "name": name})

    def add_node(self, record: NodeRecord) -> bool:
        """Write a node down; False if it was known with the same content."""
        with self._lock:
            before = self._nodes.get(record.unit, {}).get(record.id)
            known = before is not None and before.key == record.key
            if not known:
                self._add(Event.NODE, record)
            return not known

    def add_task(self, record: TaskRecord) -> bool:
        """Write a task down; False if it was known."""
        with self._lock:
            known = (record.unit, record.task) in self._tasks
            if not known:
                self._add(Event.TASK, record)
            return not known

    def add_episode(self, record: EpisodeRecord) -> None:
        """Write an episode's end mark."""
        self._add(Event.EPISODE, record)

    def add_record(self, record: dict[str, Any]) -> None:
        """Write down a study's unit; `record` holds its `key`."""
        self._write(Event.UNIT, record)

    def add_fault(self, unit: str, name: str, kind: str, message: str) -> None:
        """Write down that an episode was given up."""
        self._write(Event.FAULT, {"unit": unit, "name": name, "kind": kind, "message": message})

    def cancel(self) -> None:
        """Write down that the user stopped the run."""
        self._write(Event.CANCELLED, {})

    def name(self, unit: str) -> str:
        """The name of an episode that was begun, or its key."""
        return self._names.get(unit, unit)

    def nodes(self, unit: str) -> tuple[NodeRecord, ...]:
        """The nodes of an episode, by id."""
        with self._lock:
            found = list(self._nodes.get(unit, {}).values())
        return tuple(sorted(found, key=lambda n: [int(part) for part in n.id.split(".")]))

    def task(self, unit: str, number: int) -> TaskRecord | None:
        """A finished task."""
        return self._tasks.get((unit, number))

    def episode(self, unit: str) -> EpisodeRecord | None:
        """A finished episode."""
        return self._episodes.get(unit)

    def is_finished(self, unit: str, *, again: bool) -> bool:
        """Whether a unit is done; with `again`, not if nothing that was asked in it was answered."""
        episode, record = self._episodes.get(unit), self.records.get(unit)
        if episode is not None:
            return not (again and episode.unanswered)
        return record is not None and not (again and record.get(UNANSWERED))

    @property
    def begun(self) -> tuple[tuple[str, str], ...]:
        """Unit key and name of every episode that was begun, finished or not, by name."""
        return tuple(sorted(self._names.items(), key=lambda item: (item[1], item[0])))

    @property
    def episodes(self) -> tuple[EpisodeRecord, ...]:
        """All finished episodes."""
        return tuple(self._episodes.values())

    @property
    def tasks(self) -> tuple[TaskRecord, ...]:
        """All finished tasks."""
        return tuple(self._tasks.values())

    @property
    def scored_tasks(self) -> tuple[TaskRecord, ...]:
        """All finished tasks but those of episodes that were not answered."""
        silent = {e.unit for e in self.episodes if e.unanswered}
        return tuple(t for t in self.tasks if t.unit not in silent)

    @property
    def faults(self) -> tuple[dict[str, Any], ...]:
        """The episodes that were given up and not finished since, by name."""
        open_ones = [f for unit, f in self._faults.items() if unit not in self._episodes]
        return tuple(sorted(open_ones, key=lambda f: str(f["name"])))

    def _add(self, event: Event, record: NodeRecord | TaskRecord | EpisodeRecord) -> None:
        with self._lock:
            self._write(event, record.to_json())
            for listener in self._listeners:
                listener(record)

    def _write(self, event: Event, data: dict[str, Any]) -> None:
        with self._lock:
            self._run.append(event, data)
            self._take(event, data)


@contextmanager
def _without_collection() -> Iterator[None]:
    """No garbage collection: records hold no cycles, and a million of them are searched again and again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
