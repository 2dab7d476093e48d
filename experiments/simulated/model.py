"""The simulated language model: a `DescribedModel` that needs no server, no key and no recording.

`simulated_model` makes that of a run: what it has to know, and which methods it can answer. It keeps nothing
between requests. An answer depends on the messages, the temperature, the seed, the sample's index and the
rates alone, so it is the same in any order, in any process, and when a run is resumed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from agents.llm.errors import ErrorKind, failed
from agents.llm.interface import Completion, DescribedModel, Finish, Message, Usage
from agents.llm.keys import Profile, canonical
from envs.pddl.planning.planner import Planner
from experiments.config import ConfigError
from experiments.driver.preflight import tasks_of
from experiments.driver.run_plan import RunPlan
from experiments.methods.registry import method_named
from experiments.simulated.answers import Answerer
from experiments.simulated.gold import Gold, NoGoldPlan, UnknownTask, cut_off
from experiments.simulated.rates import Named, named
from experiments.simulated.reading import Request, Unreadable, read_request

#: What the stand-in may take for the plan of a true task, at least, in seconds: what it knows does not depend
#: on how long the planner of a run may search.
PLANNING_S = 600.0
#: Characters of a token. An answer holds no reasoning, so it takes fewer tokens than a language model's.
_CHARACTERS = 4
#: Stands for the server in requests.
ENDPOINT = "simulated"


def simulated_model(plan: RunPlan, longest: int) -> SimulatedModel:
    """The simulated model that a plan names, with the truth about its tasks and `longest` tokens an answer.

    Raises ConfigError if its rates cannot be read, a method asks what it cannot answer, or see `Gold.of`.
    """
    config = plan.config
    refused = sorted({unit.method for unit in plan.units if not method_named(unit.method).can_be_simulated()})
    if refused:
        raise ConfigError(
            f"a simulated language model writes PDDL, edits and plans, and {', '.join(refused)} asks for "
            "something else (a program, or a model in words); leave it out"
        )
    if any(unit.translator != "llm" for unit in plan.units):
        raise ConfigError("a simulated language model writes no answer set programs; leave out --translator")
    name = named(config.model or "")
    wall_s = max(config.planner_wall_s, PLANNING_S)
    planner = Planner(config.planner, wall_s=wall_s, memory_mb=config.planner_memory_mb)
    gold = Gold.of(tasks_of(plan))
    return SimulatedModel(name, Answerer(gold, name.rates, planner), longest)


@dataclass(frozen=True)
class SimulatedModel(DescribedModel):
    """A stand-in for a language model. Thread-safe."""

    name: Named
    answerer: Answerer
    max_tokens: int  #: of one answer; what is longer is cut off

    def request(self, messages: Sequence[Message], temperature: float, seed: int) -> Mapping[str, Any]:
        """The canonical request; its parameters are the rates."""
        profile = Profile(ENDPOINT, self.name.label, asdict(self.name.rates))
        return profile.request(messages, temperature, seed)

    def arrivals(
        self, messages: Sequence[Message], samples: Sequence[int], temperature: float, seed: int
    ) -> Iterator[Mapping[int, Completion]]:
        """The answers with these indices, one at a time. Raises LLMError(config) for what it cannot read."""
        decisive = Profile(ENDPOINT, ENDPOINT, asdict(self.name.rates)).request(messages, temperature, seed)
        request = canonical(decisive)  # without the label: the rates decide, whatever their file is called
        try:
            read = read_request(messages)
        except Unreadable as error:
            raise failed(ErrorKind.CONFIG, f"{self.name.label}: {error}") from error
        for index in samples:
            digest = hashlib.sha256(f"{request}/{index}".encode()).digest()
            made = self._completion(messages, read, np.random.default_rng(list(digest)))
            # A server reads the prompt once for all samples of a request.
            yield {index: made if index == 0 else replace(made, usage=replace(made.usage, prompt_tokens=0))}

    def _completion(
        self, messages: Sequence[Message], request: Request, rng: np.random.Generator
    ) -> Completion:
        truncated = rng.random() < self.answerer.rates.truncate
        try:
            text = self.answerer.answer(request, rng)
        except (UnknownTask, NoGoldPlan) as error:
            raise failed(ErrorKind.CONFIG, f"{self.name.label}: {error}") from error
        if truncated or tokens(text) > self.max_tokens:
            text = cut_off(text[: self.max_tokens * _CHARACTERS], rng)
            truncated = True
        usage = Usage(sum(tokens(m.content) for m in messages), tokens(text))
        finish = Finish.LENGTH if truncated else Finish.STOP
        return Completion(text, finish, usage, self.name.label)


def tokens(text: str) -> int:
    """About as many tokens as a tokenizer makes of a text."""
    return -(-len(text) // _CHARACTERS)
