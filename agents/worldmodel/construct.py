"""A world model, written action by action in dialogues with a growing list of predicates, and then corrected.

Each action has a dialogue of its own, which knows the predicates that the actions before it brought: a
request, its reply, and bounded turns of correction. A reply with faults is sent back with them. The dialogue
ends when a reply has none, when its turns are spent, or when it makes no progress: the language model repeats
itself, or no reply of the last few had fewer faults than the best before. It then ends with that best state.

There are at least two passes over the actions, so that early ones can use predicates that later ones brought;
a further pass writes each action anew, and if that fails the earlier version stays. Predicates that no action
uses in the end are left out.

A source's remarks correct it, one after another, each in the dialogue that wrote the action. A remark goes on
from the construction dialogue of the action that it concerns, so the language model sees what it was told and
wrote there. Its reply may revise other actions too. The correction ends when the source is content or cannot
judge, after so many remarks, or when some remarks made no progress: the model was no better to the source
than the best one before, and not as good either with that remark answered. It ends with the best model.

Source: Guan et al. 2023, sections 4.1 and 4.2; that the world itself corrects is ours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from agents.llm.interface import Completion, LanguageModel, Message
from agents.sampling import as_reply, derived_seed, sample, why_unanswered
from agents.worldmodel.check import Judged, ReplyFault, ReplyFaultKind, judge
from agents.worldmodel.model import Brief, WorldModel
from agents.worldmodel.remarks import Opinion, Remark, RemarkSource, Review, Worth
from agents.worldmodel.requests import action_request, faults_turn, remark_turn

#: Fewer would leave early actions without the predicates that later ones bring.
FEWEST_PASSES = 2


class DialogueEnding(StrEnum):
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
    faults: tuple[ReplyFault, ...]  #: that the best reply still has
    ending: DialogueEnding
    counts: Counter[ReplyFaultKind]  #: faults of all replies


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
    history, counts = tuple(messages), Counter[ReplyFaultKind]()
    best: Judged | None = None
    said: set[str] = set()
    ending, stale = DialogueEnding.TURNS_SPENT, 0
    for turn in range(settings.turns + 1):
        (completion,) = sample(llm, history, 1, derived_seed(seed, action, turn))
        history = (*history, as_reply(completion))
        found = _judged(completion, model, action, settings)
        counts.update(fault.kind for fault in found.faults)
        stale = 0 if best is None or len(found.faults) < len(best.faults) else stale + 1
        best = found if not stale or best is None else best
        if not found.faults:
            ending = DialogueEnding.CLEAN
        elif completion.text.strip() in said:
            ending = DialogueEnding.REPEATED
        elif stale >= settings.patience:
            ending = DialogueEnding.NO_FEWER_FAULTS
        if ending is not DialogueEnding.TURNS_SPENT or turn == settings.turns:
            break
        said.add(completion.text.strip())
        history = (*history, faults_turn(found.faults, model))
    assert best is not None, "at least one reply is asked for"
    return Dialogue(action, history, best.model, best.faults, ending, counts)


def _judged(completion: Completion, model: WorldModel, action: str, settings: Settings) -> Judged:
    if unanswered := why_unanswered(completion):
        fault = ReplyFault(ReplyFaultKind.UNANSWERED, f"{unanswered}: answer again, in whole")
        return Judged(model, (fault,))
    return judge(completion.text, model, action, settings.forbidden)


@dataclass(frozen=True)
class Construction:
    """A world model and how it came about; actions that no reply without fault was given for are missing."""

    model: WorldModel
    dialogues: Mapping[str, Dialogue] = field(default_factory=dict)  #: by action: the last one about it
    counts: Counter[ReplyFaultKind] = field(default_factory=Counter)  #: faults of all replies

    def after(self, dialogue: Dialogue) -> Construction:
        """With what a further dialogue brought."""
        dialogues = {**self.dialogues, dialogue.action: dialogue}
        return Construction(dialogue.model, dialogues, self.counts + dialogue.counts)


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
        made = Construction(WorldModel(brief))
        for number in range(self.passes):
            for action in brief.actions:
                asked = action_request(brief, action, made.model, self.settings.forbidden)
                own = derived_seed(seed, "pass", number)
                made = made.after(converse(self.llm, asked, action.name, made.model, self.settings, own))
        return replace(made, model=made.model.pruned())


class CorrectionEnding(StrEnum):
    """Why a correction ended."""

    CONTENT = "content"  #: the source has nothing more to say
    CANNOT_JUDGE = "cannot judge"  #: the source cannot judge the model; see the note
    REMARKS_SPENT = "remarks spent"
    NO_PROGRESS = "no progress"  #: for as many remarks as the patience allows


@dataclass(frozen=True, kw_only=True)
class Correction(Construction):
    """What became of a construction: the best model that was seen, and the faults of the correction alone."""

    worth: Worth  #: of the model, to the source
    ending: CorrectionEnding
    remarks: tuple[Remark, ...]
    world_queries: int
    worth_before: Worth  #: of the construction
    note: str = ""  #: why it ended, in words
    met: frozenset[str] = frozenset()  #: actions that the source's last review saw at work


@dataclass(frozen=True)
class Corrector:
    """The language model at work. Stateless; raises what it raises (LLMError)."""

    llm: LanguageModel
    remarks: int = 20  #: at most so many are made
    patience: int = 4  #: remarks without progress, since there last was a better model
    settings: Settings = field(default_factory=Settings)

    def correct(self, construction: Construction, source: RemarkSource, seed: int) -> Correction:
        """The model of a construction after the remarks of `source`. Raises what the source raises."""
        now = replace(construction, counts=Counter())
        made: list[Remark] = []
        review = source.review(now.model, made)
        best, before, stale, queries = now.model, review.worth, 0, review.world_queries
        worth = before
        while not (ending := self._ending(review.opinion, len(made), stale)) and review.remark:
            made.append(review.remark)
            now = now.after(self._answered(now, review.remark, derived_seed(seed, "remark", len(made))))
            review = source.review(now.model, made)
            queries += review.world_queries
            answered = review.worth == worth and not _is_old(review, made)
            stale = 0 if review.worth > worth else stale + (not answered)
            if review.worth > worth or answered:
                best, worth = now.model, review.worth
        ending = ending or CorrectionEnding.CONTENT
        return Correction(
            model=best,
            dialogues=now.dialogues,
            counts=now.counts,
            worth=worth,
            ending=ending,
            remarks=tuple(made),
            world_queries=queries,
            worth_before=before,
            note=review.note or self._note(ending),
            met=review.met,
        )

    def _answered(self, now: Construction, remark: Remark, seed: int) -> Dialogue:
        """The dialogue about the action that a remark concerns, gone on with."""
        model, turn = now.model, remark_turn(remark.words, now.model)
        if earlier := now.dialogues.get(remark.action):
            messages = (*earlier.messages, turn)
        elif brief := model.brief.action(remark.action):
            *asked, first = action_request(model.brief, brief, model, self.settings.forbidden)
            messages = (*asked, Message("user", f"{first.content}\n\n{turn.content}"))
        else:
            raise ValueError(f"the remark concerns no action of the model: {remark.action}")
        return converse(self.llm, messages, remark.action, model, self.settings, seed)

    def _ending(self, opinion: Opinion, made: int, stale: int) -> CorrectionEnding | None:
        if opinion is not Opinion.OBJECTS:
            return CorrectionEnding(opinion.value)
        if stale >= self.patience:
            return CorrectionEnding.NO_PROGRESS
        return CorrectionEnding.REMARKS_SPENT if made >= self.remarks else None

    def _note(self, ending: CorrectionEnding) -> str:
        return {
            CorrectionEnding.CONTENT: "nothing more is said against the model",
            CorrectionEnding.NO_PROGRESS: f"{self.patience} remarks made the model no better",
            CorrectionEnding.REMARKS_SPENT: f"{self.remarks} remarks were made, and more could be",
        }.get(ending, "")


def _is_old(review: Review, made: Sequence[Remark]) -> bool:
    """Whether a review says what was said before, to whichever dialogue."""
    return review.remark is not None and review.remark.words in [remark.words for remark in made]
