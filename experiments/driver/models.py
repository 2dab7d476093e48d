"""Who answers: recordings or a live endpoint, always behind the run's journal."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Protocol

from agents.llm.client import OpenAIModel
from agents.llm.endpoint import DEFAULT_MAX_TOKENS, Endpoint
from agents.llm.errors import ErrorKind, LLMError, failed
from agents.llm.interface import Completion, DescribedModel, Message, Usage
from agents.llm.journal import Journal
from agents.llm.journaled import FRESH_SAMPLES, JournaledModel
from agents.llm.keys import Profile, digest
from agents.llm.recording import RecordedModel, Recording, load_recording
from experiments.config import ConfigError, RunConfig, asks_server
from experiments.driver.run_plan import RunPlan
from experiments.methods.registry import NOBODY
from experiments.runs.marks import NO_ENDPOINT, is_simulated
from experiments.runs.progress import Counters
from experiments.spending.capped import CappedModel, counting_requests
from experiments.spending.caps import Budget
from experiments.spending.prices import Price, Prices, read_prices

#: Answers of a unit (`Unit.answers`) to the model that gives them.
Models = Mapping[str, DescribedModel]


class Asked(Protocol):
    """Of the flags of a run or a study, those about answers."""

    @property
    def max_tokens(self) -> int | None:
        """The longest answer."""
        ...

    @property
    def retry_unanswered(self) -> bool:
        """Whether what was not answered is asked again."""
        ...


#: How a server answers that gives no list of models.
_NO_LIST = (ErrorKind.NOT_FOUND, ErrorKind.BAD_REQUEST, ErrorKind.BAD_REPLY)


def endpoint_of(config: RunConfig) -> Endpoint:
    """The endpoint of a live run. Raises LLMError(config) if the settings cannot work.

    A simulated model has none: the commands that ask for one send requests that it cannot answer.
    """
    if is_simulated(config.model):
        raise failed(
            ErrorKind.CONFIG,
            f"{config.model} answers no requests of this command, only those of methods that write PDDL, "
            "edits or plans (docs/simulated.md); name a model of a server",
        )
    endpoint = Endpoint(
        config.model or "unnamed",
        base_url=config.base_url,
        api_key_env=config.api_key_env,
        timeout_s=config.request_timeout_s,
        total_s=config.wait_s,
        concurrency=config.concurrency,
        fan_out=config.fan_out,
    )
    return replace(endpoint, max_tokens=config.max_tokens) if config.max_tokens else endpoint


def with_model(config: RunConfig) -> RunConfig:
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


def longest_answer(config: Asked) -> int:
    """The most tokens of one completion."""
    return config.max_tokens or DEFAULT_MAX_TOKENS


def prices_of(plan: RunPlan) -> tuple[Prices, Mapping[str, Price | None]]:
    """The user's table, and the price of the model behind each `Unit.answers`; asks no server.

    Raises ConfigError if they cannot be read, or if cost is capped and a model has no price.
    """
    config = plan.config
    prices = Prices({}) if config.prices is None else read_prices(config.prices)
    names = _names(plan) if prices.by_model else dict.fromkeys((u.answers for u in plan.units), "the model")
    found = {answers: prices.of(name) for answers, name in names.items()}
    unpriced = sorted({names[a] for a, price in found.items() if price is None and a != NOBODY})
    if config.max_cost is not None and unpriced:
        raise ConfigError(
            f"--max-cost needs the price of {', '.join(unpriced)}: give --prices FILE with "
            '{"MODEL": {"prompt": ..., "completion": ...}}, for a million tokens each'
        )
    return prices, found


def _names(plan: RunPlan) -> dict[str, str]:
    """The models' own names, by `Unit.answers`."""
    if plan.llm == "recorded":
        named = {answers: _recording(plan, answers).profile.model for answers in plan.recordings}
        return {unit.answers: named.get(unit.answers, NOBODY) for unit in plan.units}
    return dict.fromkeys((unit.answers for unit in plan.units), plan.config.model or "the model")


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


def journaled(
    models: Models,
    journal: Journal,
    budget: Budget,
    prices: Mapping[str, Price | None],
    config: Asked,
) -> dict[str, JournaledModel]:
    """Each model behind the journal of a run, and behind that, its caps."""
    return {name: behind(model, journal, budget, prices[name], config) for name, model in models.items()}


def behind(
    model: DescribedModel,
    journal: Journal,
    budget: Budget,
    price: Price | None,
    config: Asked,
) -> JournaledModel:
    """A model behind a journal and caps. A live one is asked anew for what is no answer."""
    longest = longest_answer(config)
    if not isinstance(model, OpenAIModel):
        return JournaledModel(CappedModel(model, budget, price, longest), journal)
    counting_requests(model, budget, journal)
    capped = CappedModel(model, budget, price, longest, calls=0)
    return JournaledModel(capped, journal, fresh=FRESH_SAMPLES, retry_unanswered=config.retry_unanswered)


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
