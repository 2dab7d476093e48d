"""What all studies share: their flags, who answers, and a study's directory with the doing of its units.

A study is a list of units, plain frozen dataclasses (`experiments.runs.units.WorkUnit`), and functions that
turn one unit into a record of plain data: by a worker, or in the driver by asking a language model. Records
are written down as they come, so the same command again does only what is missing; results do not depend on
the executor or its workers.

Answers come from a live server, from a recording, or from nobody. All go through the study's journal, so a
study that was stopped asks nothing twice, and its directory can be made a recording:

    python -m experiments.recordings export runs/goals experiments/recordings/goals.jsonl.gz

A unit of which nothing was answered (empty, refused, withheld, or its requests refused) has no score:
its record says so, it stands in a table of its own and in no mean, the study ends with exit code 1, and
--retry-unanswered asks again.

A packaged recording holds some units of a study, with some settings. Where it was not named, it is taken as
far as it goes: units that it does not answer are left out, and listed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, Self, TypeVar

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from agents.llm.client import OpenAIModel
from agents.llm.errors import ErrorKind, LLMError
from agents.llm.interface import Completion, DescribedModel, LanguageModel, Message
from agents.llm.recording import RecordedModel, load_recording
from envs.pddl.planning.planner import Planner
from envs.plugins import is_plugin
from envs.registry import worlds
from envs.source import WorldNotFound, canonical_name, has_files
from experiments.config import (
    AnswerFlags,
    AskingFlags,
    CapFlags,
    ConfigError,
    MachineFlags,
    Positive,
    is_live,
    pick,
)
from experiments.driver.engine import carry_out, make_executor, unfinished
from experiments.driver.models import asked_through, endpoint_of, prices_of, with_model
from experiments.recordings import shelf
from experiments.reporting.display import rich_table, wide_console
from experiments.reporting.tables import Table, latex, markdown
from experiments.runs.directory import RunDirectory
from experiments.runs.ledger import UNANSWERED, Ledger
from experiments.runs.provenance import provenance
from experiments.runs.units import WorkUnit
from experiments.spending.capped import calls_before
from search.boundary import WorkerError

Record = dict[str, Any]
U = TypeVar("U", bound=WorkUnit)
#: A method's name.
M = TypeVar("M", bound=str)


def _names(*groups: type) -> set[str]:
    return {f.name for group in groups for f in fields(group)}


@dataclass(frozen=True)
class StudyConfig(MachineFlags):
    """Flags of every study."""

    env: tuple[str, ...] = ()
    """Worlds to study, bundled ones, folders or pddlgym:DOMAIN; default: all bundled ones."""
    problem: int = 1
    """The task of each world."""
    seed: int = 0
    """Everything random follows from it."""
    planner_wall_s: Positive = 5.0
    """Seconds that one call of the planner may take; a plan that takes longer counts as not found."""
    fresh: bool = False
    """Set an old study in --out aside instead of resuming it."""
    out: Path = Path("runs/study")
    """Where everything is written."""

    @property
    def worlds(self) -> tuple[str, ...]:
        """The worlds asked for. Raises ConfigError for an unknown name."""
        return tuple(map(_world, self.env)) or worlds()

    def science(self) -> dict[str, Any]:
        """What results depend on, for the run directory."""
        machine = _names(MachineFlags) | {"fresh", "out"}
        return {key: value for key, value in asdict(self).items() if key not in machine} | {
            "env": list(self.worlds)
        }


@dataclass(frozen=True)
class AskingConfig(AskingFlags, StudyConfig):
    """Flags of a study that asks a language model."""

    def science(self) -> dict[str, Any]:
        """What results depend on: of the answers, how long they may be; `Study.open` is told the methods."""
        machine = _names(AnswerFlags, CapFlags) - {"max_tokens"} | {"methods", "published"}
        return {key: value for key, value in super().science().items() if key not in machine}


def _world(name: str) -> str:
    """A world of PDDL by the name that all processes know it by. Raises ConfigError if there is none."""
    try:
        if is_plugin(name) and not has_files(name):
            raise ConfigError(f"{name} has no rules in PDDL, which this study needs: take a world that has")
        return canonical_name(name) if has_files(name) else pick("world", name, worlds())
    except WorldNotFound as error:
        raise ConfigError(str(error)) from error


@dataclass(frozen=True)
class Answering:
    """Who answers a study."""

    name: str  #: stays the same when the study is resumed
    model: DescribedModel | None = None
    in_part: bool = False  #: units that it does not answer are left out

    def origin(self) -> Mapping[str, object]:
        """What a directory says of its calls, so that they can be exported: they cover no episode."""
        return {"covers": [], "answers": self.name}


NOBODY = Answering("nobody")


def answering(config: AnswerFlags, packaged: str) -> Answering:
    """Who answers: a server, the recording named, else the packaged one of that name if there is one.

    Raises ConfigError, LLMError.
    """
    if is_live(config):
        asked = with_model(config)
        model = OpenAIModel(endpoint_of(asked))
        model.check()
        return Answering(f"{asked.model} at {asked.base_url or 'the default server'}", model)
    found = shelf(config.recording) if config.recording else [s for s in shelf(None) if s.name == packaged]
    if not found:
        return NOBODY
    recorded = RecordedModel(load_recording(Path(found[0].path)))
    return Answering(found[0].label, recorded, in_part=config.recording is None)


def answering_methods(
    config: AnswerFlags, packaged: str, known: Sequence[M], chosen: Sequence[M], asks: Container[str]
) -> tuple[Answering, tuple[M, ...]]:
    """Who answers, and of the methods `known` those that were chosen, or all that somebody answers.

    Nobody is looked for if none of those that were chosen `asks`. Raises as `answering`, and ConfigError for
    a method that was chosen and nobody answers.
    """
    wanted = tuple(method for method in known if method in chosen or not chosen)
    asking_ones = [method for method in wanted if method in asks]
    who = answering(config, packaged) if asking_ones else NOBODY
    if who.model is None and asking_ones:
        if chosen:
            raise ConfigError(
                f"--methods {' '.join(asking_ones)}: nobody answers; give --model NAME or --recording FILE"
            )
        wanted = tuple(method for method in wanted if method not in asks)
    return who, wanted


def left_out(
    known: Sequence[M],
    chosen: Sequence[M],
    units: Mapping[M, Sequence[U]],
    records: Sequence[Record],
    what: str,
) -> Iterator[str]:
    """Lines on methods missing though nobody left them out, and on units (`what`) without a record."""
    missing = [method for method in known if method not in units and not chosen]
    if missing:
        yield f"left out, as nobody answers: {', '.join(missing)}; give --model NAME or --recording FILE"
    done = Counter(record["method"] for record in records)
    for method, own in units.items():
        if lacking := len(own) - done[method]:
            yield f"left out, as they are not recorded: {lacking} of {len(own)} {what} of {method}"


@contextmanager
def asking(config: AskingFlags, who: Answering, directory: RunDirectory) -> Iterator[LanguageModel]:
    """Who answers, behind the journal of `directory` and the caps. Raises ConfigError.

    The model raises BudgetReached, too.
    """
    assert who.model is not None, "nobody can be asked"
    prices = prices_of(config, {who.name: str(who.model.request((), 0.0, 0)["model"])})
    with asked_through(directory, {who.name: who.model}, config, prices, calls_before) as (models, _):
        yield models[who.name]


class Listening:
    """Hands everything on to `model`, and knows whether anything was answered. Thread-safe."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._asked = self._answered = False

    def sample(
        self, messages: Sequence[Message], k: int, temperature: float, seed: int
    ) -> tuple[Completion, ...]:
        """What `model` says."""
        completions = self._model.sample(messages, k, temperature, seed)
        self._asked = True
        self._answered = self._answered or not all(c.unanswered for c in completions)
        return completions

    @property
    def unanswered(self) -> bool:
        """Whether something was asked and nothing answered."""
        return self._asked and not self._answered


def _succeeded(ended: Future[Record]) -> bool:
    return ended.done() and not ended.cancelled() and ended.exception() is None


class Study:
    """A study's directory, open for writing, and the doing of its units. A context manager."""

    def __init__(self, config: MachineFlags, directory: RunDirectory, who: Answering = NOBODY):
        self.config, self.directory, self.who = config, directory, who
        self.ledger = Ledger(directory)
        self.console = wide_console()
        self._stack = ExitStack()
        self._stack.enter_context(directory)

    @classmethod
    def open(cls, config: StudyConfig, who: Answering = NOBODY, **science: Any) -> Study:
        """The study in `config.out`, after the planner was tried; results depend on `science` besides.

        Raises ConfigDrift, PlannerMissing, ConfigError.
        """
        if config.seed < 0:
            raise ConfigError("--seed must not be negative")
        settings = {**config.science(), **science}
        started = provenance(Planner(config.planner, wall_s=config.planner_wall_s).check())
        if isinstance(config, AskingConfig):
            settings["answers"] = who.name
            started |= who.origin()
        return cls(config, RunDirectory.open(config.out, settings, started, fresh=config.fresh), who)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @cached_property
    def model(self) -> LanguageModel:
        """Who is asked, behind journal and caps. Raises ConfigError."""
        assert isinstance(self.config, AskingConfig), "a study that asks has the flags for it"
        return self._stack.enter_context(asking(self.config, self.who, self.directory))

    def do(self, units: Sequence[U], work: Callable[[U], Record]) -> list[Record]:
        """The record of every unit, in order, made by `work` in a worker where it is not written already.

        Raises the first unit's WorkerError, after all others were done.
        """
        missing = unfinished(units, self.ledger)
        errors: dict[str, WorkerError] = {}
        begun: dict[U, Future[Record]] = {}
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        try:
            with make_executor(self.config) as executor, Progress(*columns, console=self.console) as progress:
                done = len(units) - len(missing)
                bar = progress.add_task(str(self.directory.path), total=len(units), completed=done)

                def begin(unit: U) -> Future[Record]:
                    begun[unit] = executor.submit(work, unit)
                    return begun[unit]

                def finish(unit: U, ended: Future[Record]) -> None:
                    try:
                        self._write(unit, ended.result())
                        progress.advance(bar)
                    except WorkerError as error:
                        errors[unit.key] = error

                carry_out(missing, begin, finish)
        finally:  # after an interrupt the executor waits for what is under way, which is kept
            for unit, ended in begun.items():
                if unit.key not in self.ledger.records and _succeeded(ended):
                    self._write(unit, ended.result())
        for unit in missing if errors else ():
            if unit.key in errors:
                raise errors[unit.key]
        return [self.ledger.records[unit.key] for unit in units]

    def ask(
        self, units: Sequence[U], ask: Callable[[U, LanguageModel], Record], at_once: int
    ) -> list[Record]:
        """The record of every unit that is answered, in order, made by `ask` in threads of the driver.

        What is written already is not asked again, unless that is wanted (`retry_unanswered`). Raises what
        the model raises at the first unit that it cannot answer, after all that are under way.
        """
        if self.who.model is None:
            return []
        again = isinstance(self.config, AskingConfig) and self.config.retry_unanswered
        missing = unfinished(units, self.ledger, again=again)

        def listening(unit: U) -> Record:
            heard = Listening(self.model)
            record = ask(unit, heard)
            return {**record, UNANSWERED: True} if heard.unanswered else record

        def finish(unit: U, ended: Future[Record]) -> None:
            error = ended.exception()
            lacking = isinstance(error, LLMError) and error.kind is ErrorKind.REPLAY_MISS
            if not (lacking and self.who.in_part):
                self._write(unit, ended.result())

        _ = self.model  # opened by this thread, as it is closed by it
        with ThreadPoolExecutor(at_once) as pool:
            carry_out(missing, lambda unit: pool.submit(listening, unit), finish)
        return [self.ledger.records[unit.key] for unit in units if unit.key in self.ledger.records]

    def of_methods(
        self,
        units: Mapping[M, Sequence[U]],
        asks: Container[str],
        work: Callable[[U], Record],
        ask: Callable[[U, LanguageModel], Record],
        at_once: int,
    ) -> list[Record]:
        """The records of the units of each method, in order; of those in `asks` by `ask`, else by `work`."""
        records = self.do([unit for m, own in units.items() if m not in asks for unit in own], work)
        for method, own in units.items():
            records += self.ask(own, ask, at_once) if method in asks else []
        return sorted(records, key=lambda record: list(units).index(record["method"]))

    def _write(self, unit: WorkUnit, record: Record) -> None:
        self.ledger.add_record({"key": unit.key, **record})

    def report(
        self,
        tables: Sequence[Table],
        files: Mapping[str, str],
        draw: Callable[[Path], object] | None = None,
        *,
        tex: bool = True,
        lines: Iterable[str] = (),
    ) -> None:
        """Write the study's `files`, tables and figures, and print its tables, `lines` and where it lies.

        `draw` is called with the study's folder, if that may be written to.
        """
        forms = {"table.md": markdown, **({"table.tex": latex} if tex else {})}
        texts = {name: "\n".join(map(form, tables)) for name, form in forms.items()}
        for name, text in {**files, **texts}.items():
            self.directory.write(name, text)
        if draw is not None and self.directory.writable:
            draw(self.directory.path)
        for table in tables:
            self.console.print(rich_table(table))
        for line in lines:
            self.console.print(line, soft_wrap=True)
        who = f"answers: {self.who.name}; " if isinstance(self.config, AskingConfig) else ""
        self.console.print(f"{who}written to {self.directory.path}", soft_wrap=True)


def scored(records: Iterable[Record]) -> tuple[Record, ...]:
    """The records that means are taken over: those that were answered, or that asked nobody."""
    return tuple(record for record in records if not record.get(UNANSWERED))


def unanswered_tables(records: Iterable[Record]) -> tuple[Table, ...]:
    """How many units of each method were not answered; no table if all were."""
    counts = Counter(record["method"] for record in records if record.get(UNANSWERED))
    rows = tuple((method, str(count)) for method, count in sorted(counts.items()))
    notes = ("In no other table; --retry-unanswered asks again.",)
    return (Table("Units without any answer", ("method", UNANSWERED), rows, notes),) if rows else ()
