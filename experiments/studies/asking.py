"""What studies share that ask a language model: its flags, who answers, and what may be spent.

Answers come from a live server, from a recording, or from nobody. All go through the study's journal, so a
study that was stopped asks nothing twice, and its directory can be made a recording:

    python -m experiments.recordings export runs/goals experiments/recordings/goals.jsonl.gz

A unit of which nothing was answered (empty, refused, withheld, or its requests refused) is nobody's score:
its record says so, it stands in a table of its own and in no mean, the study ends with exit code 1, and
--retry-unanswered asks again.

A packaged recording holds some units of a study, with some settings. Where it was not named, it is taken as
far as it goes: units that it does not answer are left out, and told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from agents.llm.client import OpenAIModel
from agents.llm.errors import ErrorKind, LLMError
from agents.llm.interface import Completion, DescribedModel, LanguageModel, Message
from agents.llm.journal import Journal
from agents.llm.recording import RecordedModel, load_recording
from experiments.config import ConfigError, RunConfig, check
from experiments.driver.models import behind, endpoint_of, with_model
from experiments.recordings import shelf
from experiments.reporting.tables import Table
from experiments.runs.directory import RunDirectory
from experiments.spending.capped import calls_before
from experiments.spending.caps import Budget, caps_of
from experiments.spending.prices import Prices, read_prices
from experiments.studies.study import Record, StudyConfig, records_of
from experiments.studies.study import Unit as StudyUnit

#: The mark of a record of which nothing was answered; the records of all others do not have it.
UNANSWERED = "unanswered"
#: A method's name.
M = TypeVar("M", bound=str)
#: Flags of who is asked, and how: results depend on the answers alone.
_MACHINE = (
    "model", "base_url", "api_key_env", "concurrency", "request_timeout_s", "wait_s", "retry_unanswered",
    "recording", "max_calls", "max_tokens_total", "max_cost", "prices", "max_wall_s",
)  # fmt: skip


@dataclass(frozen=True)
class AskingFlags:
    """Flags of what asks a language model: who answers, and what may be spent."""

    model: str | None = None
    """Live: the model's name as its server knows it."""
    base_url: str | None = None
    """Live: an OpenAI-compatible server, http://host:port/v1; default: OpenAI's."""
    api_key_env: str = "OPENAI_API_KEY"
    """Live: the environment variable that holds the key (never the key itself)."""
    max_tokens: int | None = None
    """Live: the longest answer; default: 4096."""
    concurrency: int = 8
    """Live: requests at a time."""
    request_timeout_s: float | None = 180.0
    """Live: seconds that one request may take; None for no limit."""
    wait_s: float | None = 900.0
    """Live: seconds that a server which is busy, broken or away is waited for; None for no limit."""
    retry_unanswered: bool = False
    """Live: ask again for what was not answered (empty, refused or withheld) in earlier starts."""
    max_calls: int | None = None
    """Cap for the whole study: requests sent to the language model, answered or not; recorded: samples."""
    max_tokens_total: int | None = None
    """Cap for the whole study: tokens, prompts and completions together."""
    max_cost: float | None = None
    """Cap for the whole study: money, in the currency of --prices."""
    prices: Path | None = None
    """A JSON file of prices for a million tokens: {"MODEL": {"prompt": 2.5, "completion": 10}}."""
    max_wall_s: float | None = None
    """Cap for this start of the study: seconds, counted from the first question."""
    recording: str | None = None
    """Recorded: a packaged recording's name, a .jsonl(.gz) file, or a run directory of this study."""

    @property
    def is_live(self) -> bool:
        """Whether a server is asked."""
        return bool(self.model or self.base_url)

    def endpoint(self) -> RunConfig:
        """These flags as those of a run, with its checks. Raises ConfigError."""
        settings = RunConfig(
            model=self.model,
            base_url=self.base_url,
            api_key_env=self.api_key_env,
            max_tokens=self.max_tokens,
            concurrency=self.concurrency,
            request_timeout_s=self.request_timeout_s,
            wait_s=self.wait_s,
            retry_unanswered=self.retry_unanswered,
            max_calls=self.max_calls,
            max_tokens_total=self.max_tokens_total,
            max_cost=self.max_cost,
            prices=self.prices,
            max_wall_s=self.max_wall_s,
        )
        return check(settings)


@dataclass(frozen=True)
class AskingConfig(AskingFlags, StudyConfig):
    """Flags of a study that asks a language model."""

    def science(self) -> dict[str, Any]:
        """What results depend on."""
        return {key: value for key, value in super().science().items() if key not in _MACHINE}


@dataclass(frozen=True)
class Answering:
    """Who answers a study."""

    name: str  #: stays the same when the study goes on
    model: DescribedModel | None = None
    in_part: bool = False  #: units that it does not answer are left out

    def origin(self) -> Mapping[str, object]:
        """What a directory says of its calls, so that they can be exported: they cover no episode."""
        return {"covers": [], "answers": self.name}


NOBODY = Answering("nobody")


def answering_methods(
    config: AskingConfig, packaged: str, chosen: Sequence[M], asks: Container[str]
) -> Answering:
    """As `answering`, for a study of these methods; nobody is looked for if none of them `asks`."""
    if chosen and not any(method in asks for method in chosen):
        return NOBODY
    return answering(config, packaged)


def answered(known: Sequence[M], chosen: Sequence[M], asks: Container[str], who: Answering) -> tuple[M, ...]:
    """The methods that were chosen, or all that somebody answers, in the order of `known`.

    Raises ConfigError for one that was chosen and nobody answers.
    """
    silent = [method for method in known if method in asks and who.model is None]
    unanswered = [method for method in silent if method in chosen]
    if unanswered:
        raise ConfigError(
            f"--methods {' '.join(unanswered)}: nobody answers; give --model NAME or --recording FILE"
        )
    return tuple(method for method in known if (method in chosen or not chosen) and method not in silent)


def left_out(known: Sequence[M], methods: Sequence[M], chosen: Sequence[M]) -> Iterator[str]:
    """A line on the methods that are missing though nobody left them out."""
    missing = [method for method in known if method not in methods and not chosen]
    if missing:
        yield f"left out, as nobody answers: {', '.join(missing)}; give --model NAME or --recording FILE"


def answering(config: AskingFlags, packaged: str) -> Answering:
    """Who answers: a server, the recording named, else the packaged one of that name if there is one.

    Raises ConfigError, LLMError.
    """
    if config.is_live:
        if config.recording:
            raise ConfigError("--recording is for recorded answers; leave it out, or --model and --base-url")
        asked = with_model(config.endpoint())
        model = OpenAIModel(endpoint_of(asked))
        model.check()
        return Answering(f"{asked.model} at {asked.base_url or 'the default server'}", model)
    found = shelf(config.recording) if config.recording else [s for s in shelf(None) if s.name == packaged]
    if not found:
        return NOBODY
    recorded = RecordedModel(load_recording(Path(found[0].path)))
    return Answering(found[0].label, recorded, in_part=config.recording is None)


@contextmanager
def asking(config: AskingFlags, model: DescribedModel, directory: RunDirectory) -> Iterator[LanguageModel]:
    """The model behind the study's journal and caps; it raises BudgetReached, too. Raises ConfigError."""
    settings = config.endpoint()
    prices = Prices({}) if config.prices is None else read_prices(config.prices)
    price = prices.of(str(model.request((), 0.0, 0)["model"]))
    if config.max_cost is not None and price is None:
        raise ConfigError("--max-cost needs the model's price: give --prices FILE")
    caps = caps_of(settings)
    with Journal(directory.journal_path) as journal:
        budget = Budget(caps, calls_before(journal, prices) if caps else None)
        yield behind(model, journal, budget, price, config)


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


def asked_record(unit: StudyUnit, model: LanguageModel, ask: Callable[[LanguageModel], Record]) -> Record:
    """The record of a unit, made by `ask` with a model to ask. Raises what `ask` raises."""
    heard = Listening(model)
    record = {"key": unit.key, **ask(heard)}
    return {**record, UNANSWERED: True} if heard.unanswered else record


def written_records(directory: RunDirectory, config: AskingConfig) -> dict[str, Record]:
    """The records of a study by key, but for those that are to be asked again. Raises RunUnreadable."""
    known, again = records_of(directory), config.retry_unanswered
    return {key: record for key, record in known.items() if not (again and record.get(UNANSWERED))}


def scored(records: Iterable[Record]) -> tuple[Record, ...]:
    """The records that means are taken over: those that were answered, or that asked nobody."""
    return tuple(record for record in records if not record.get(UNANSWERED))


def unanswered_tables(records: Iterable[Record]) -> tuple[Table, ...]:
    """How many units of each method were not answered; no table if all were."""
    counts = Counter(record["method"] for record in records if record.get(UNANSWERED))
    rows = tuple((method, str(count)) for method, count in sorted(counts.items()))
    notes = ("In no other table; --retry-unanswered asks again.",)
    return (Table("Units without any answer", ("method", UNANSWERED), rows, notes),) if rows else ()


def is_left_out(error: LLMError, who: Answering) -> bool:
    """Whether an error says only that a recording, taken as far as it goes, does not answer."""
    return who.in_part and error.kind is ErrorKind.REPLAY_MISS
