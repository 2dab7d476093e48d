"""One dialogue about one action: a request, its reply, and bounded turns of correction.

A reply with faults is sent back with them. The dialogue ends when a reply has none, when its turns are spent,
or when it makes no progress: the language model repeats itself, or no reply of the last few had fewer faults
than the best before. It then ends with that best state.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from agents.llm.interface import Completion, LanguageModel, Message, Usage
from agents.sampling import as_reply, derived_seed, sample, why_unanswered
from agents.worldmodel.check import Fault, FaultKind, Judged, judge
from agents.worldmodel.model import WorldModel
from agents.worldmodel.requests import faults_turn


class Ending(StrEnum):
    """Why a dialogue ended."""

    CLEAN = "clean"  #: the last reply has no fault
    TURNS_SPENT = "turns spent"
    REPEATED = "repeated itself"  #: the language model wrote the same reply again
    NO_FEWER_FAULTS = "no fewer faults"  #: for as many turns as `Settings.patience` allows


@dataclass(frozen=True)
class Settings:
    """How long a dialogue may go on, and what it may use."""

    turns: int = 4  #: of correction, after the first reply
    patience: int = 2  #: turns in a row without fewer faults
    forbidden: tuple[str, ...] = ()  #: words that conditions and effects must do without, such as `forall`


@dataclass(frozen=True)
class Dialogue:
    """A dialogue as it ended. Its messages are what a correction goes on from."""

    action: str
    messages: tuple[Message, ...]
    model: WorldModel  #: after the best reply
    faults: tuple[Fault, ...]  #: that the best reply still has
    ending: Ending
    counts: Mapping[FaultKind, int] = field(default_factory=dict)  #: faults of all replies
    replies: int = 0
    usage: Usage = field(default_factory=Usage)


def converse(
    llm: LanguageModel,
    messages: Sequence[Message],
    action: str,
    model: WorldModel,
    settings: Settings,
    seed: int,
) -> Dialogue:
    """Ask, and send faults back until the dialogue ends; `model` is what the replies change.

    Raises LLMError as the language model does.
    """
    history, counts, usage = tuple(messages), Counter[FaultKind](), Usage()
    best: Judged | None = None
    said: set[str] = set()
    ending, stale, replies = Ending.TURNS_SPENT, 0, 0
    for turn in range(settings.turns + 1):
        (completion,) = sample(llm, history, 1, derived_seed(seed, action, turn))
        history, usage, replies = (*history, as_reply(completion)), usage + completion.usage, replies + 1
        found = _judged(completion, model, action, settings)
        counts.update(fault.kind for fault in found.faults)
        stale = 0 if best is None or len(found.faults) < len(best.faults) else stale + 1
        best = found if not stale or best is None else best
        if not found.faults:
            ending = Ending.CLEAN
        elif completion.text.strip() in said:
            ending = Ending.REPEATED
        elif stale >= settings.patience:
            ending = Ending.NO_FEWER_FAULTS
        if ending is not Ending.TURNS_SPENT or turn == settings.turns:
            break
        said.add(completion.text.strip())
        history = (*history, faults_turn(found.faults, model))
    assert best is not None, "at least one reply is asked for"
    return Dialogue(action, history, best.model, best.faults, ending, dict(counts), replies, usage)


def _judged(completion: Completion, model: WorldModel, action: str, settings: Settings) -> Judged:
    unanswered = why_unanswered(completion)
    if unanswered:
        return Judged(model, (Fault(FaultKind.UNANSWERED, f"{unanswered}: answer again, in whole"),))
    return judge(completion.text, model, action, settings.forbidden)
