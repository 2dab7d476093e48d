"""Tasks as problems over the predicates of a world model, which the language model translates.

A problem is needed to walk in a model or to follow a plan. It depends on the predicates alone, so it is asked
for again only when these change. A problem that cannot be used is sent back once.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from agents.llm.interface import LanguageModel, Message, Usage
from agents.problems import ProblemReading, read_problem_reply
from agents.requests import mend_problem_turn
from agents.sampling import as_reply, derived_seed, sample, why_unanswered
from agents.texts import WorldTexts
from agents.worldmodel.model import WorldModel
from agents.worldmodel.requests import problem_request

_ATTEMPTS = 2


@dataclass(frozen=True)
class Translator:
    """Translates one task. It remembers what it was asked before; raises LLMError."""

    llm: LanguageModel
    texts: WorldTexts
    seed: int
    _known: dict[str, tuple[ProblemReading, Usage]] = field(default_factory=dict, repr=False, compare=False)

    def problem(self, model: WorldModel) -> ProblemReading:
        """The task's problem for `model`, or why there is none."""
        key = model.listed_predicates()
        if key not in self._known:
            self._known[key] = self._asked(model)
        return self._known[key][0]

    @property
    def usage(self) -> Usage:
        """The tokens of all translations."""
        total = Usage()
        for _, usage in self._known.values():
            total += usage
        return total

    def _asked(self, model: WorldModel) -> tuple[ProblemReading, Usage]:
        messages: tuple[Message, ...] = problem_request(self.texts, model)
        usage, reading = Usage(), ProblemReading(None)
        for attempt in range(_ATTEMPTS):
            (completion,) = sample(self.llm, messages, 1, derived_seed(self.seed, "problem", attempt))
            usage += completion.usage
            unanswered = why_unanswered(completion)
            reading = (
                ProblemReading(None, unanswered, answered=False)
                if unanswered
                else read_problem_reply(completion.text, self.texts, model.draft)
            )
            if reading.problem is not None:
                break
            words = f"The problem cannot be used.\n\n{reading.fault}"
            messages = (*messages, as_reply(completion), mend_problem_turn(words, model.draft))
        return reading, usage
