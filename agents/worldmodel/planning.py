"""The language model as a planner for instructions, with or without a world model to read or to check with.

It is asked for a plan, from the environment's description (`FromDescription`) or from a model in words
(`FromModel`); its steps are put into the form of actions (`admissible`). With an advisor, a plan
that the model finds fault with is sent back with the fault (`advice`), until it finds none, so many plans
were made, or the language model writes the same plan again. The last plan counts: whether it works is for the
environment to say.

A plan with thoughts is written as steps:

    Step 1:
    think: The box is in the drawer, and the drawer is closed.
    action: (open drawer1)

A reply that begins again with its first step has thought better of what it wrote before, so its last plan
counts. Thoughts are not read.

Source: Guan et al. 2023, section 4.3 and Appendix A.12.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from agents.llm.interface import Completion, Finish, LanguageModel, Message
from agents.replies import MAX_REPLY_CHARS, ReplyTooLarge
from agents.requests import plan_request
from agents.sampling import as_reply, derived_seed, sample, why_unanswered
from agents.texts import WorldTexts
from agents.worldmodel.admissible import Reader, Steps
from agents.worldmodel.advice import AdviceKind, Advisor
from agents.worldmodel.model import WorldModel
from agents.worldmodel.requests import (
    Messages,
    shown_plan_request,
    unsound_plan_turn,
    unsound_shown_turn,
)

#: Marks that a reply may set a line or a word in.
_MARKS = " \t>*_`-"
#: An action may stand behind the number of its step, and in the line below its name.
_ACTION = re.compile(
    rf"^[#{_MARKS}]*(?:(?:step[ \t]*)?\d+[.:)][{_MARKS}]*)?action[*_`]*[ \t]*:"
    rf"(?:[{_MARKS}]*\n[{_MARKS}]*(?=\())?(.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_FIRST = re.compile(rf"^[#{_MARKS}]*step[ \t]*0*1\b(?![.]\d)", re.IGNORECASE | re.MULTILINE)


class Manner(Protocol):
    """How plans are asked for, read and sent back."""

    @property
    def unreadable(self) -> str:
        """What is said of a reply without a plan."""
        ...

    def known(self, texts: WorldTexts) -> WorldTexts:
        """With the actions that steps are written with."""
        ...

    def request(self, texts: WorldTexts) -> Messages:
        """Ask for a plan for the task of `texts`."""
        ...

    def read(self, reader: Reader, text: str, seed: int) -> Steps | None:
        """The steps of a reply; None if it has none. Raises ReplyTooLarge, LLMError."""
        ...

    def sent_back(self, fault: str) -> Message:
        """What is wrong with the last plan."""
        ...


@dataclass(frozen=True)
class FromDescription:
    """Plans from the environment's description alone, in a code block."""

    unreadable: str = "It cannot be read: there is no code block with one step a line."

    def known(self, texts: WorldTexts) -> WorldTexts:
        """The environment's own actions."""
        return texts

    def request(self, texts: WorldTexts) -> Messages:
        """The request of the intrinsic baseline with reasoning."""
        return plan_request(texts, chain_of_thought=True)

    def read(self, reader: Reader, text: str, seed: int) -> Steps | None:
        """The steps in the last code block."""
        return reader.read(text, seed)

    def sent_back(self, fault: str) -> Message:
        """With the fault, the whole plan is asked for again."""
        return unsound_plan_turn(fault)


@dataclass(frozen=True)
class FromModel:
    """Plans from a model's actions in words, with two examples, in thoughts and actions.

    Source: Guan et al. 2023, Appendix A.12.1; their examples are of the environment itself.
    """

    model: WorldModel
    unreadable: str = "It cannot be read: there is no line `action: ...` in it."

    def known(self, texts: WorldTexts) -> WorldTexts:
        """The model's actions, whose parameters may be its own."""
        return replace(texts, actions=tuple(action.signature for action in self.model.draft.actions))

    def request(self, texts: WorldTexts) -> Messages:
        """All actions of the model, examples, the task."""
        return shown_plan_request(texts, self.model)

    def read(self, reader: Reader, text: str, seed: int) -> Steps | None:
        """The actions of the last plan; without any, the steps in the last code block."""
        actions = actions_of(text)
        return reader.steps(actions, seed) if actions else reader.read(text, seed)

    def sent_back(self, fault: str) -> Message:
        """With the fault, the whole plan is asked for again in the same form."""
        return unsound_shown_turn(fault)


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
    manner: Manner = field(default_factory=FromDescription)

    def plan(self, texts: WorldTexts, seed: int, advisor: Advisor | None = None) -> Planned:
        """A plan for the task of `texts`."""
        history, reader = self.manner.request(texts), Reader(self.llm, self.manner.known(texts))
        told, asked = Counter[AdviceKind](), 0
        seen: set[tuple[str, ...]] = set()
        steps: Steps | None = None
        for turn in range(self.turns if advisor is not None else 1):
            (completion,) = sample(self.llm, history, 1, derived_seed(seed, "plan", turn))
            if unanswered := why_unanswered(completion):
                return Planned(None, unanswered, completion.finish, dict(told), asked=asked)
            steps = self._read(reader, completion, derived_seed(seed, "plan", turn))
            asked += steps.asked if steps is not None else 0
            if advisor is None or (steps is not None and steps.plan in seen):
                break
            advice = advisor.advise(steps.plan) if steps is not None else None
            if steps is not None and advice is None:
                return Planned(steps.plan, told=dict(told), accepted=True, asked=asked)
            if turn < self.turns - 1:
                told.update([advice.kind] if advice is not None else [])
                words = advice.words if advice is not None else self.manner.unreadable
                history = (*history, as_reply(completion), self.manner.sent_back(words))
            seen.update([steps.plan] if steps is not None else [])
        if steps is None:
            return Planned(None, self.manner.unreadable, told=dict(told), asked=asked)
        return Planned(steps.plan, told=dict(told), asked=asked)

    def _read(self, reader: Reader, completion: Completion, seed: int) -> Steps | None:
        """The steps of a reply; None if it cannot be read."""
        try:
            return self.manner.read(reader, completion.text, seed)
        except ReplyTooLarge:
            return None


def actions_of(reply: str) -> tuple[str, ...]:
    """The actions of the last plan in `reply`, as they are written; empty if there is none.

    Raises ReplyTooLarge.
    """
    if len(reply) > MAX_REPLY_CHARS:
        raise ReplyTooLarge(len(reply))
    starts = [0, *(first.start() for first in _FIRST.finditer(reply))]
    ends = [*starts[1:], len(reply)]
    plans = [_actions(reply[start:end]) for start, end in zip(starts, ends, strict=True)]
    return next((plan for plan in reversed(plans) if plan), ())


def _actions(text: str) -> tuple[str, ...]:
    written = (found.strip(f"{_MARKS}\r") for found in _ACTION.findall(text))
    return tuple(action for action in written if action)
