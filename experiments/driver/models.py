"""Who answers: recordings or a live endpoint, always behind the run's journal."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import Any, TypeVar

from agents.llm.client import OpenAIModel
from agents.llm.endpoint import DEFAULT_MAX_TOKENS, Endpoint
from agents.llm.errors import ErrorKind, LLMError, failed
from agents.llm.interface import Completion, DescribedModel, Message, Usage
from agents.llm.journal import Journal
from agents.llm.journaled import FRESH_SAMPLES, JournaledModel
from agents.llm.keys import Profile, digest
from agents.llm.recording import RecordedModel, Recording, load_recording
from experiments.config import AnswerFlags, AskingFlags, CapFlags, ConfigError, asks_server
from experiments.driver.run_plan import RunPlan
from experiments.methods.registry import NOBODY
from experiments.runs.directory import RunDirectory
from experiments.runs.marks import NO_ENDPOINT, is_simulated
from experiments.runs.progress import Counters
from experiments.spending.capped import CappedModel, counting_requests
from experiments.spending.caps import Amount, Budget, Price, Prices, caps_of, read_prices

#: Answers of a unit (`Unit.answers`) to the model that gives them.
Models = Mapping[str, DescribedModel]
#: The table of prices, and the price of the model behind each `Unit.answers`.
Priced = tuple[Prices, Mapping[str, Price | None]]
#: What earlier starts of a run have spent, by its journal, at those prices.
SpentBefore = Callable[[Journal, Prices], Amount]
A = TypeVar("A", bound=AnswerFlags)


#: How a server answers that gives no list of models.
_NO_LIST = (ErrorKind.NOT_FOUND, ErrorKind.BAD_REQUEST, ErrorKind.BAD_REPLY)


def endpoint_of(flags: AnswerFlags) -> Endpoint:
    """The endpoint of a live run. Raises LLMError(config) if the settings cannot work.

    A simulated model has none: the commands that ask for one send requests that it cannot answer.
    """
    if is_simulated(flags.model):
        raise failed(
            ErrorKind.CONFIG,
            f"{flags.model} answers no requests of this command, only those of methods that write PDDL, "
            "edits or plans (docs/simulated.md); name a model of a server",
        )
    return Endpoint(
        flags.model or "unnamed",
        base_url=flags.base_url,
        api_key_env=flags.api_key_env,
        timeout_s=flags.request_timeout_s,
        total_s=flags.wait_s,
        concurrency=flags.concurrency,
        fan_out=flags.fan_out,
        max_tokens=longest_answer(flags),
    )


def with_model(config: A) -> A:
    """`config` with server and model named, wherever the names come from: a run is resumed with the same.

    A server of the user's own may be asked what it serves. Raises ConfigError if there is nothing to choose,
    LLMError if the server does not answer.
    """
    if not asks_server(config):
        return config
    config = replace(config, base_url=config.base_url or os.environ.get("OPENAI_BASE_URL") or None)
    if config.model:
        return config
    if config.base_url is None:
        raise ConfigError("--llm live needs --model NAME, or --base-url URL of a server of yours")
    try:
        names = OpenAIModel(endpoint_of(config)).models()
    except LLMError as error:
        if error.kind not in _NO_LIST:
            raise
        raise ConfigError(f"{error}; or name the model with --model") from error
    if not names:
        raise ConfigError(f"{config.base_url} lists no models; name one with --model")
    return replace(config, model=names[0])


def longest_answer(flags: AnswerFlags) -> int:
    """The most tokens of one completion."""
    return flags.max_tokens or DEFAULT_MAX_TOKENS


def prices_of(flags: CapFlags, names: Mapping[str, str]) -> Priced:
    """The user's table, and the price of each model in it; `names` are the models' own, by `Unit.answers`.

    Raises ConfigError if the table cannot be read, or if cost is capped and a model has no price.
    """
    prices = Prices({}) if flags.prices is None else read_prices(flags.prices)
    found = {answers: prices.of(name) for answers, name in names.items()}
    unpriced = sorted({names[a] for a, price in found.items() if price is None and a != NOBODY})
    if flags.max_cost is not None and unpriced:
        raise ConfigError(
            f"--max-cost needs the price of {', '.join(unpriced)}: give --prices FILE with "
            '{"MODEL": {"prompt": ..., "completion": ...}}, for a million tokens each'
        )
    return prices, found


def model_names(plan: RunPlan) -> dict[str, str]:
    """The models' own names, by `Unit.answers`; asks no server, and reads recordings only for prices."""
    named: Mapping[str, str] = {}
    unnamed = plan.config.model or "the model"
    if plan.llm == "recorded" and plan.config.prices is not None:
        named = {answers: _recording(plan, answers).profile.model for answers in plan.recordings}
        unnamed = NOBODY
    return {unit.answers: named.get(unit.answers, unnamed) for unit in plan.units}


def open_models(plan: RunPlan) -> Models:
    """The models of a plan.

    Raises LLMError if a recording cannot be read or the endpoint cannot be asked, ConfigError if a simulated
    model cannot answer.
    """
    if plan.llm == "recorded":
        found: dict[str, DescribedModel] = dict(_recorded(plan))
        return found | {unit.answers: NobodyModel() for unit in plan.units if unit.answers == NOBODY}
    if is_simulated(plan.config.model):
        from experiments.simulated.model import simulated_model  # knows the truth of every task

        simulated = simulated_model(plan, longest_answer(plan.config))
        return {unit.answers: simulated for unit in plan.units}
    model = OpenAIModel(endpoint_of(plan.config))
    model.check()
    return {unit.answers: model for unit in plan.units}


class NobodyModel(DescribedModel):
    """Stands for the language model in episodes that ask none; being asked is an error of ours."""

    def request(self, messages: Sequence[Message], temperature: float, seed: int) -> Mapping[str, Any]:
        """A request that nobody answers."""
        return Profile(NO_ENDPOINT, NOBODY).request(messages, temperature, seed)

    def arrivals(
        self, messages: Sequence[Message], samples: Sequence[int], temperature: float, seed: int
    ) -> Iterator[Mapping[int, Completion]]:
        """Raises LLMError: this method was said to ask no language model."""
        raise failed(ErrorKind.CONFIG, "this method asks no language model, and yet it did")


def _recorded(plan: RunPlan) -> Iterator[tuple[str, RecordedModel]]:
    """The recorded models; those of one profile under different labels, as the run's journal is one."""
    recordings = {answers: _recording(plan, answers) for answers in plan.recordings}
    profiles = Counter(digest(asdict(recording.profile)) for recording in recordings.values())
    for answers, recording in recordings.items():
        profile = recording.profile
        shared = profiles[digest(asdict(profile))] > 1
        yield answers, RecordedModel(recording, f"{profile.endpoint} {answers}" if shared else None)


def _recording(plan: RunPlan, answers: str) -> Recording:
    """What answers under that name: of a journal of several models, the calls of the one that is meant."""
    recording = load_recording(plan.recordings[answers])
    profile = plan.profiles.get(answers)
    if profile is None:
        return recording
    return replace(
        recording, requests=tuple(r for r in recording.requests if Profile.of(r.request) == profile)
    )


def profiles_of(models: Models) -> dict[str, Mapping[str, Any]]:
    """What all requests of each model share, by `Unit.answers`: a request without messages."""
    return {answers: model.request((), 0.0, 0) for answers, model in models.items()}


def served_models(models: Models) -> dict[str, list[str] | None]:
    """What each endpoint says that it serves, by URL; None if it does not say. Nothing for recordings."""
    found: dict[str, list[str] | None] = {}
    for model in models.values():
        if isinstance(model, OpenAIModel):
            try:
                found[model.endpoint.url] = list(model.models())
            except LLMError:
                found[model.endpoint.url] = None
    return found


@contextmanager
def asked_through(
    directory: RunDirectory, models: Models, flags: AskingFlags, prices: Priced, spent: SpentBefore
) -> Iterator[tuple[dict[str, JournaledModel], Budget]]:
    """Each model behind its caps, and these behind the journal of a run; and what is left of the caps.

    `spent` says what earlier starts of the run have spent, by the journal. A live model is asked anew for
    what is no answer.
    """
    table, by_answers = prices
    longest = longest_answer(flags)
    with Journal(directory.journal_path) as journal:
        caps = caps_of(flags)
        budget = Budget(caps, spent(journal, table)) if caps or table.by_model else Budget({})

        def behind(model: DescribedModel, price: Price | None) -> JournaledModel:
            if not isinstance(model, OpenAIModel):
                return JournaledModel(CappedModel(model, budget, price, longest), journal)
            counting_requests(model, budget, journal)
            capped = CappedModel(model, budget, price, longest, calls=0)
            again = flags.retry_unanswered
            return JournaledModel(capped, journal, fresh=FRESH_SAMPLES, retry_unanswered=again)

        yield {name: behind(model, by_answers[name]) for name, model in models.items()}, budget


def stop_waiting(models: Models) -> None:
    """Have no live model wait for its server any more."""
    for model in models.values():
        if isinstance(model, OpenAIModel):
            model.stop_waiting()


def counters_of(models: Mapping[str, JournaledModel], prices: Prices, budget: Budget) -> Counters:
    """What all of them were asked in this process, and what the whole run has cost."""
    counts = [model.counters for model in models.values()]
    usage = sum((c.usage for c in counts), Usage())
    return Counters(
        calls=sum(c.made for c in counts),
        cached=sum(c.served for c in counts),
        tokens=usage.prompt_tokens + usage.completion_tokens,
        failed=sum(c.failed for c in counts),
        retries=sum(c.retries for c in counts),
        not_whole=sum(c.not_whole for c in counts),
        cost=prices.shown(budget.used.cost) if prices.by_model else "",
    )
