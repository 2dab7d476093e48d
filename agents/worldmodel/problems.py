"""Tasks as problems over the predicates of a world model, which the language model translates.

A problem is needed to walk in a model or to follow a plan. It depends on the predicates alone, so it is asked
for again only when these change. A problem that cannot be used is sent back once. One that can be used may
still be wrong; whoever finds that asks for a mended one, and keeps it if it turns out better.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from agents.llm.interface import LanguageModel, Message, Usage
from agents.problems import ProblemReading, read_problem_reply
from agents.requests import mend_problem_turn
from agents.sampling import as_reply, derived_seed, sample, why_unanswered
from agents.texts import WorldTexts
from agents.worldmodel.model import WorldModel
from agents.worldmodel.requests import problem_request

_ATTEMPTS = 2


class Problems(Protocol):
    """One task over the predicates of whatever model."""

    def problem(self, model: WorldModel) -> ProblemReading:
        """The task's problem for `model`, or why there is none."""
        ...

    def mended(self, model: WorldModel, words: str) -> ProblemReading:
        """Another problem, after the present one failed in this way. The present one stays until `keep`."""
        ...

    def keep(self, model: WorldModel, reading: ProblemReading) -> None:
        """Use this problem for `model` from now on."""
        ...


@dataclass
class _Translated:
    """A translation, and the conversation that brought it."""

    reading: ProblemReading
    messages: tuple[Message, ...]


@dataclass
class Translator:
    """Translates one task. It remembers its problems, by the predicates that they use; raises LLMError."""

    llm: LanguageModel
    texts: WorldTexts
    seed: int
    usage: Usage = field(default_factory=Usage)  #: of all translations so far
    _known: dict[str, _Translated] = field(default_factory=dict, repr=False)
    _mended: dict[tuple[str, str], ProblemReading] = field(default_factory=dict, repr=False)

    def problem(self, model: WorldModel) -> ProblemReading:
        """The task's problem for `model`, or why there is none."""
        key = model.listed_predicates()
        if key not in self._known:
            self._known[key] = self._translated(model)
        return self._known[key].reading

    def mended(self, model: WorldModel, words: str) -> ProblemReading:
        """Another problem, after the present one failed in this way; asked for once."""
        key = model.listed_predicates()
        if (key, words) not in self._mended:
            self.problem(model)
            messages = (*self._known[key].messages, mend_problem_turn(words, model.draft))
            self._mended[key, words] = self._asked(messages, model, _ATTEMPTS)[0]
        return self._mended[key, words]

    def keep(self, model: WorldModel, reading: ProblemReading) -> None:
        """Use this problem for `model` from now on."""
        self.problem(model)
        self._known[model.listed_predicates()].reading = reading

    def _translated(self, model: WorldModel) -> _Translated:
        messages, reading = problem_request(self.texts, model), ProblemReading(None)
        for attempt in range(_ATTEMPTS):
            reading, messages = self._asked(messages, model, attempt)
            if reading.problem is not None or attempt == _ATTEMPTS - 1:
                break
            words = f"The problem cannot be used.\n\n{reading.fault}"
            messages = (*messages, mend_problem_turn(words, model.draft))
        return _Translated(reading, messages)

    def _asked(
        self, messages: tuple[Message, ...], model: WorldModel, attempt: int
    ) -> tuple[ProblemReading, tuple[Message, ...]]:
        """What one reply brings, and the conversation with it."""
        (completion,) = sample(self.llm, messages, 1, derived_seed(self.seed, "problem", attempt))
        self.usage += completion.usage
        unanswered = why_unanswered(completion)
        reading = (
            ProblemReading(None, unanswered, answered=False)
            if unanswered
            else read_problem_reply(completion.text, self.texts, model.draft)
        )
        return reading, (*messages, as_reply(completion))
