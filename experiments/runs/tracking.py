"""A run logged to a tracking tool: tensorboard, wandb or mlflow, each an optional extra.

The tool gets what the ledger gets: settings, every candidate, every task, the tables at the end. Records are
sent from a thread of its own, and the run waits for none of them; the first error of the tool is logged, ends
the tracking and changes nothing else. Every start sends the whole run from the beginning, to a folder of its
own below `tracking/`: nothing leaves the machine unless the tool's own environment variables say so
(WANDB_MODE, MLFLOW_TRACKING_URI).
"""

from __future__ import annotations

import json
import logging
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, Protocol

from experiments.config import ConfigError
from experiments.runs.directory import RunDirectory, RunUnreadable
from experiments.runs.ledger import Ledger
from experiments.runs.marks import title
from experiments.runs.records import EpisodeRecord, NodeRecord, TaskRecord

TrackerName = Literal["tensorboard", "wandb", "mlflow"]
#: What each tool's extra brings.
MODULES: Mapping[TrackerName, str] = MappingProxyType(
    {"tensorboard": "tensorboardX", "wandb": "wandb", "mlflow": "mlflow"}
)
_PROJECT = "groundwalk"
#: mlflow refuses longer parameters.
_LONGEST_SETTING = 500
_UNFIT = re.compile(r"[^\w./ -]")

_log = logging.getLogger(__name__)


class Tool(Protocol):
    """What a tracking tool is asked to do; may raise anything."""

    def numbers(self, group: str, step: int, values: Mapping[str, float]) -> None:
        """The values of a group's series at one step."""
        ...

    def text(self, name: str, text: str) -> None:
        """A text in Markdown."""
        ...

    def close(self) -> None:
        """Nothing more will come."""
        ...


#: Makes a tool in a folder that is there and empty, for a run of that name with these settings.
Opening = Callable[[Path, str, Mapping[str, str]], Tool]


class _TensorBoard:
    def __init__(self, folder: Path, name: str, settings: Mapping[str, str]):
        from tensorboardX import SummaryWriter

        self._writer = SummaryWriter(str(folder))
        rows = "".join(f"| {key} | {value} |\n" for key, value in settings.items())
        self.text("settings", f"{name}\n\n| setting | value |\n| --- | --- |\n{rows}")

    def numbers(self, group: str, step: int, values: Mapping[str, float]) -> None:
        for name, value in values.items():
            self._writer.add_scalar(f"{group}/{name}", value, step)

    def text(self, name: str, text: str) -> None:
        self._writer.add_text(name, text)

    def close(self) -> None:
        self._writer.close()


class _Wandb:
    def __init__(self, folder: Path, name: str, settings: Mapping[str, str]):
        import wandb

        self._groups: set[str] = set()
        self._run = wandb.init(
            project=_PROJECT,
            name=name,
            dir=str(folder),
            mode=os.environ.get("WANDB_MODE", "offline"),
            config=dict(settings),
            settings=wandb.Settings(console="off", silent=True, disable_git=True, disable_code=True),
        )

    def numbers(self, group: str, step: int, values: Mapping[str, float]) -> None:
        axis = f"{group}/step"  # wandb's own step may never fall, and episodes run side by side
        if group not in self._groups:
            self._groups.add(group)
            self._run.define_metric(f"{group}/*", step_metric=axis)
        self._run.log({axis: step, **{f"{group}/{name}": value for name, value in values.items()}})

    def text(self, name: str, text: str) -> None:
        self._run.summary[name] = text

    def close(self) -> None:
        self._run.finish()


class _Mlflow:
    def __init__(self, folder: Path, name: str, settings: Mapping[str, str]):
        from mlflow import MlflowClient

        default = f"sqlite:///{folder / 'mlflow.db'}"
        self._client = MlflowClient(os.environ.get("MLFLOW_TRACKING_URI", default))
        known = self._client.get_experiment_by_name(_PROJECT)
        where = (folder / "artifacts").as_uri()
        experiment = known.experiment_id if known else self._client.create_experiment(_PROJECT, where)
        self._id = self._client.create_run(experiment, run_name=name).info.run_id
        for key, value in settings.items():
            self._client.log_param(self._id, key, value)

    def numbers(self, group: str, step: int, values: Mapping[str, float]) -> None:
        for name, value in values.items():
            self._client.log_metric(self._id, f"{group}/{name}", value, step=step)

    def text(self, name: str, text: str) -> None:
        self._client.log_text(self._id, text, f"{name}.md")

    def close(self) -> None:
        self._client.set_terminated(self._id)


OPENINGS: Mapping[TrackerName, Opening] = MappingProxyType(
    {"tensorboard": _TensorBoard, "wandb": _Wandb, "mlflow": _Mlflow}
)


def check_extra(name: TrackerName | None) -> None:
    """Raises ConfigError if the tool is not installed."""
    if name is not None and find_spec(MODULES[name]) is None:
        raise ConfigError(f"--track {name} needs its extra: pip install '{_PROJECT}[track-{name}]'")


@contextmanager
def tracked(
    name: TrackerName | None,
    run: RunDirectory,
    ledger: Ledger,
    openings: Mapping[TrackerName, Opening] = OPENINGS,
) -> Iterator[None]:
    """Inside, the ledger's records, old and new, are sent to the tool; at the end, the run's tables."""
    if name is None:
        yield
        return
    forwarder = RecordForwarder(name, run, ledger, openings)
    nodes = (node for unit, _ in ledger.begun for node in ledger.nodes(unit))
    known: Iterable[NodeRecord | TaskRecord | EpisodeRecord] = (*nodes, *ledger.tasks, *ledger.episodes)
    for record in known:
        forwarder(record)
    ledger.listen(forwarder)
    try:
        yield
    finally:
        forwarder.end(run.path / "tables.md")


class RecordForwarder:
    """Hands records to a tool, in order, on a thread of its own. Called with each record as it is written."""

    def __init__(
        self, name: TrackerName, run: RunDirectory, ledger: Ledger, openings: Mapping[TrackerName, Opening]
    ):
        self._name = name
        self._ledger = ledger
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="tracking")
        self._failed = False
        self._steps: Counter[str] = Counter()
        self._best: dict[str, float] = {}
        self._tool = self._pool.submit(
            lambda: openings[name](
                _free_folder(run.path / "tracking" / name),
                title(run.path.resolve().name, run.simulated),
                settings_of(run),
            )
        )
        self._tool.add_done_callback(self._watch)

    def __call__(self, record: NodeRecord | TaskRecord | EpisodeRecord) -> None:
        """Send one record; returns at once."""
        episode = _UNFIT.sub("_", title(self._ledger.name(record.unit), self._ledger.simulated))
        match record:
            case NodeRecord():
                self._node(episode, record)
            case TaskRecord():
                values = {"solved": float(record.solved), "EW": record.score.ew}
                self._numbers(f"{episode}/tasks", record.task, values)
            case EpisodeRecord():
                rate = None if record.unanswered else record.solved / max(1, record.tasks)
                self._numbers(episode, 0, {"solve rate": rate, "tokens": record.spent.tokens})

    def end(self, tables: Path) -> None:
        """Send the tables, and wait until everything is sent."""
        if tables.exists():
            self._submit(lambda tool: tool.text("tables", tables.read_text(encoding="utf-8")))
        self._send(lambda tool: tool.close())  # a tool that failed is closed as well
        self._pool.shutdown(wait=True)

    def _node(self, episode: str, node: NodeRecord) -> None:
        """EW of the candidate, the best so far, and how many have come to its outcome."""
        self._steps.update([episode, f"{episode}/{node.outcome}"])
        if node.score.ew is not None:
            self._best[episode] = max(node.score.ew, self._best.get(episode, 0.0))
        values = {"EW": node.score.ew, "best EW": self._best.get(episode)}
        values[f"outcome {node.outcome.lower()}"] = self._steps[f"{episode}/{node.outcome}"]
        self._numbers(f"{episode}/candidates", self._steps[episode], values)

    def _numbers(self, group: str, step: int, values: Mapping[str, float | None]) -> None:
        known = {name: value for name, value in values.items() if value is not None}
        self._submit(lambda tool: tool.numbers(group, step, known))

    def _submit(self, send: Callable[[Tool], None]) -> None:
        """Nothing once the tool has failed: what waits behind its error would only wait for it again."""
        self._send(lambda tool: None if self._failed else send(tool))

    def _send(self, send: Callable[[Tool], None]) -> None:
        self._pool.submit(lambda: send(self._tool.result())).add_done_callback(self._watch)

    def _watch(self, done: Future[Any]) -> None:
        """A tool may fail in any way; here its errors are results, and the first one is the last."""
        error = None if done.cancelled() else done.exception()
        if error is None or self._failed:
            return
        self._failed = True
        message = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        _log.warning("tracking with %s has ended, the run continues: %s", self._name, message)


def settings_of(run: RunDirectory) -> dict[str, str]:
    """The run's configuration as short texts; empty if it has none."""
    try:
        config = run.config()
    except (FileNotFoundError, RunUnreadable):
        return {}
    texts = {k: v if isinstance(v, str) else json.dumps(v) for k, v in config.items()}
    return {_UNFIT.sub("_", key): text[:_LONGEST_SETTING] for key, text in texts.items()}


def _free_folder(parent: Path) -> Path:
    """A new folder below `parent`: 1, 2, …"""
    folder = next(free for n in count(1) if not (free := (parent / str(n)).resolve()).exists())
    folder.mkdir(parents=True)
    return folder
