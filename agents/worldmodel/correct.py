"""Correction in words: a source's remarks, one after another, each in the dialogue that wrote the action.

A remark goes on from the construction dialogue of the action that it concerns, so the language model sees
what it was told and wrote there. Its reply may revise other actions too. The correction ends when the source
is content or cannot judge, after so many remarks, or when some remarks made no progress: the model was no
better to the source than the best one before, and not as good either with that remark answered. It ends with
the best model.

Source: Guan et al. 2023, section 4.2; that the world itself corrects is ours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from agents.llm.interface import LanguageModel, Message, Usage
from agents.sampling import derived_seed
from agents.worldmodel.check import FaultKind
from agents.worldmodel.construct import Construction, Dialogue, Settings, converse
from agents.worldmodel.model import WorldModel
from agents.worldmodel.remarks import Opinion, Remark, RemarkSource, Review, Worth
from agents.worldmodel.requests import action_request, remark_turn


class CorrectionEnding(StrEnum):
    """Why a correction ended."""

    CONTENT = "content"  #: the source has nothing more to say
    CANNOT_JUDGE = "cannot judge"  #: the source cannot judge the model; see the note
    REMARKS_SPENT = "remarks spent"
    NO_PROGRESS = "no progress"  #: for as many remarks as the patience allows


@dataclass(frozen=True)
class Correction:
    """What became of a construction."""

    model: WorldModel  #: the best one that was seen
    worth: Worth  #: to the source
    ending: CorrectionEnding
    remarks: tuple[Remark, ...]
    dialogues: Mapping[str, Dialogue]  #: by action: the last one about it
    counts: Mapping[FaultKind, int]  #: faults of all replies of the correction
    usage: Usage
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
        state = _State(construction.model, dict(construction.dialogues))
        made: list[Remark] = []
        review = source.review(state.model, made)
        best, before, stale, queries = state.model, review.worth, 0, review.world_queries
        worth = before
        while (
            ending := self._ending(review.opinion, len(made), stale)
        ) is None and review.remark is not None:
            made.append(review.remark)
            state.answer(self, review.remark, derived_seed(seed, "remark", len(made)))
            review = source.review(state.model, made)
            queries += review.world_queries
            answered = review.worth == worth and not _is_old(review, made)
            stale = 0 if review.worth > worth else stale + (not answered)
            if review.worth > worth or answered:
                best, worth = state.model, review.worth
        ending = ending or CorrectionEnding.CONTENT
        note = review.note or self._note(ending)
        return Correction(
            best,
            worth,
            ending,
            tuple(made),
            state.dialogues,
            dict(state.counts),
            state.usage,
            queries,
            before,
            note,
            review.met,
        )

    def _ending(self, opinion: Opinion, made: int, stale: int) -> CorrectionEnding | None:
        if opinion is Opinion.CONTENT:
            return CorrectionEnding.CONTENT
        if opinion is Opinion.CANNOT_JUDGE:
            return CorrectionEnding.CANNOT_JUDGE
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


@dataclass
class _State:
    """The model as it stands, and the dialogues behind it."""

    model: WorldModel
    dialogues: dict[str, Dialogue]
    counts: Counter[FaultKind] = field(default_factory=Counter)
    usage: Usage = field(default_factory=Usage)

    def answer(self, corrector: Corrector, remark: Remark, seed: int) -> None:
        """Go on with the dialogue of the action that a remark concerns."""
        earlier, turn = self.dialogues.get(remark.action), remark_turn(remark.words, self.model)
        if earlier is None:
            brief = self.model.brief.action(remark.action)
            if brief is None:
                raise ValueError(f"the remark concerns no action of the model: {remark.action}")
            asked = action_request(self.model.brief, brief, self.model, corrector.settings.forbidden)
            first = Message("user", f"{asked[-1].content}\n\n{turn.content}")
            messages = (*asked[:-1], first)
        else:
            messages = (*earlier.messages, turn)
        dialogue = converse(corrector.llm, messages, remark.action, self.model, corrector.settings, seed)
        self.dialogues[remark.action], self.model = dialogue, dialogue.model
        self.counts.update(dialogue.counts)
        self.usage += dialogue.usage
