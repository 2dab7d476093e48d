"""The language model as a planner for instructions, alone or with a world model that checks its plans.

It is asked for a plan; its steps are put into the form of actions (`admissible`). With an advisor, a plan
that the model finds fault with is sent back with the fault (`advice`), until it finds none, so many plans
were made, or the language model writes the same plan again. The last plan counts: whether it works is for the
environment to say.

Source: Guan et al. 2023, section 4.3 and Appendix A.12.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from agents.llm.interface import Completion, Finish, LanguageModel
from agents.replies import ReplyTooLarge
from agents.requests import plan_request
from agents.sampling import as_reply, derived_seed, sample, why_unanswered
from agents.texts import WorldTexts
from agents.worldmodel.admissible import Reader, Steps
from agents.worldmodel.advice import Advice, AdviceKind, Advisor
from agents.worldmodel.requests import unsound_plan_turn

_UNREADABLE = "It cannot be read: there is no code block with one step a line."


@dataclass(frozen=True)
class Planned:
    """The last plan, or why there is none: exactly one of `plan` and `fault` is None."""

    plan: tuple[str, ...] | None
    fault: str | None = None
    finish: Finish = Finish.STOP
    told: Mapping[AdviceKind, int] = field(default_factory=dict)  #: faults that were sent back
    accepted: bool = False  #: whether the advisor found no fault with it
    asked: int = 0  #: steps that had to be put into the form of actions by the language model


@dataclass(frozen=True)
class InstructedPlanner:
    """Plans for instructions. Stateless; raises what the language model raises (LLMError)."""

    llm: LanguageModel
    turns: int = 4  #: plans at most; without an advisor there is one

    def plan(self, texts: WorldTexts, seed: int, advisor: Advisor | None = None) -> Planned:
        """A plan for the task of `texts`."""
        history, reader = plan_request(texts, chain_of_thought=True), Reader(self.llm, texts)
        told, asked = Counter[AdviceKind](), 0
        seen: set[tuple[str, ...]] = set()
        steps: Steps | None = None
        for turn in range(self.turns if advisor is not None else 1):
            (completion,) = sample(self.llm, history, 1, derived_seed(seed, "plan", turn))
            if unanswered := why_unanswered(completion):
                return Planned(None, unanswered, completion.finish, dict(told), asked=asked)
            steps = _read(reader, completion, derived_seed(seed, "plan", turn))
            asked += steps.asked if steps is not None else 0
            if advisor is None or (steps is not None and steps.plan in seen):
                break
            advice = advisor.advise(steps.plan) if steps is not None else None
            if steps is not None and advice is None:
                return Planned(steps.plan, told=dict(told), accepted=True, asked=asked)
            if turn < self.turns - 1:
                told.update([advice.kind] if advice is not None else [])
                history = (*history, as_reply(completion), unsound_plan_turn(_words(advice)))
            seen.update([steps.plan] if steps is not None else [])
        if steps is None:
            return Planned(None, _UNREADABLE, told=dict(told), asked=asked)
        return Planned(steps.plan, told=dict(told), asked=asked)


def _read(reader: Reader, completion: Completion, seed: int) -> Steps | None:
    """The steps of a reply; None if it cannot be read."""
    try:
        return reader.read(completion.text, seed)
    except ReplyTooLarge:
        return None


def _words(advice: Advice | None) -> str:
    return advice.words if advice is not None else _UNREADABLE
