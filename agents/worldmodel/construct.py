"""A world model, written action by action in dialogues, with a list of predicates that grows.

Each action has a dialogue of its own, which knows the predicates that the actions before it brought: a
request, its reply, and bounded turns of correction. A reply with faults is sent back with them. The dialogue
ends when a reply has none, when its turns are spent, or when it makes no progress: the language model repeats
itself, or no reply of the last few had fewer faults than the best before. It then ends with that best state.

There are at least two passes over the actions, so that early ones can use predicates that later ones brought;
a further pass writes each action anew, and if that fails the earlier version stays. Predicates that no action
uses in the end are left out.

Source: Guan et al. 2023, section 4.1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from agents.llm.interface import Completion, LanguageModel, Message, Usage
from agents.sampling import as_reply, derived_seed, sample, why_unanswered
from agents.worldmodel.brief import Brief
from agents.worldmodel.check import Fault, FaultKind, Judged, judge
from agents.worldmodel.model import WorldModel
from agents.worldmodel.requests import action_request, faults_turn

#: Fewer would leave early actions without the predicates that later ones bring.
FEWEST_PASSES = 2


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


@dataclass(frozen=True)
class Construction:
    """A world model and how it came about."""

    model: WorldModel
    dialogues: Mapping[str, Dialogue]  #: by action: the last one about it
    counts: Mapping[FaultKind, int]  #: faults of all replies of all passes
    usage: Usage
    unwritten: tuple[str, ...] = ()  #: actions that no reply without fault was given for


@dataclass(frozen=True)
class Constructor:
    """The language model at work. Stateless; raises what it raises (LLMError)."""

    llm: LanguageModel
    passes: int = FEWEST_PASSES
    settings: Settings = field(default_factory=Settings)

    def __post_init__(self) -> None:
        if self.passes < FEWEST_PASSES:
            raise ValueError(f"{self.passes} passes are too few; at least {FEWEST_PASSES} are needed")

    def construct(self, brief: Brief, seed: int) -> Construction:
        """The model of an environment. Bad replies are no error: they are counted, and end their dialogue."""
        model, dialogues = WorldModel(brief), dict[str, Dialogue]()
        counts, usage = Counter[FaultKind](), Usage()
        for number in range(self.passes):
            for action in brief.actions:
                asked = action_request(brief, action, model, self.settings.forbidden)
                own = derived_seed(seed, "pass", number)
                dialogue = converse(self.llm, asked, action.name, model, self.settings, own)
                dialogues[action.name], model = dialogue, dialogue.model
                counts.update(dialogue.counts)
                usage += dialogue.usage
        return Construction(model.pruned(), dialogues, dict(counts), usage, model.unwritten)
