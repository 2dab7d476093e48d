"""Texts for an environment that comes as PDDL alone, written by a language model from the PDDL.

Few-shot back-translation (Mahdavi et al. 2024, Appendix C): environments that are described already are the
examples for the description, the words and the first task; the first task that was told well is the example
for the others, so that all are told alike. Every answer is checked as far as it can be: a description must
name each action, words are judged by the caller, and a task's text is read back (`agents.read_back`). What a
check finds is sent back, a bounded number of times; the best answer is kept with what is still wrong with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from agents.llm.interface import Completion, LanguageModel, Message
from agents.prompts import load, render
from agents.read_back import Reader
from agents.replies import ReplyTooLarge, code_blocks
from agents.sampling import as_reply, derived_seed, sample, why_unanswered
from envs.pddl.language.extract import extract_pddl
from envs.pddl.language.vocabulary import Vocabulary

#: As many examples as Appendix C has: three for a description, two for a task.
_DESCRIBED, _TOLD = 3, 2
#: So many faults of one answer are sent back.
_MOST_FAULTS = 20


class Standing(StrEnum):
    """What became of a text, best first."""

    GOOD = "good"  #: it passed every check that there is for it
    UNCHECKED = "unchecked"  #: written, but its check could not be made
    DOUBTFUL = "doubtful"  #: written, but its check found something
    MISSING = "missing"  #: no answer could be used


@dataclass(frozen=True)
class Draft:
    """A text, unless its standing is MISSING, and what is wrong with it."""

    text: str | None
    standing: Standing
    faults: tuple[str, ...] = ()

    @property
    def rank(self) -> tuple[int, int]:
        """Lower is better."""
        return list(Standing).index(self.standing), len(self.faults)


_PDDL = Draft(None, Standing.MISSING, ("the text holds PDDL: write sentences",))


@dataclass(frozen=True)
class Showcase:
    """An environment that is described: an example of what is wanted."""

    domain: str  #: PDDL
    description: str
    words: str  #: the text of its words.json
    problem: str  #: PDDL
    task: str


@dataclass(frozen=True)
class Verdict:
    """A caller's verdict on words: whether they can be read at all, and what is wrong with them."""

    usable: bool
    faults: tuple[str, ...] = ()


Messages = tuple[Message, ...]


@dataclass(frozen=True)
class Describer:
    """Writes texts. Stateless; raises what the model raises (LLMError)."""

    model: LanguageModel
    showcases: tuple[Showcase, ...]
    attempts: int = 3  #: answers to one request, the first included

    def description(self, domain: str, vocabulary: Vocabulary, problem: str, seed: int) -> Draft:
        """A description of `domain` (PDDL); `problem` (PDDL) shows how it is used."""
        shots = [
            (_description_question(shown.domain, shown.problem), _block("text", shown.description))
            for shown in self.showcases[:_DESCRIBED]
        ]
        messages = _few_shot(shots, _description_question(domain, problem))
        return self._converse(messages, seed, lambda text, _: _judged_description(text, vocabulary))

    def words(self, domain: str, description: str, judge: Callable[[str], Verdict], seed: int) -> Draft:
        """The text of a `words.json`."""

        def judged(text: str, _: int) -> Draft:
            verdict = judge(text)
            if not verdict.usable:
                return Draft(None, Standing.MISSING, verdict.faults)
            return Draft(text, Standing.DOUBTFUL if verdict.faults else Standing.GOOD, verdict.faults)

        shots = [
            (_words_question(shown.domain, shown.description), _block("json", shown.words))
            for shown in self.showcases[:_TOLD]
        ]
        return self._converse(_few_shot(shots, _words_question(domain, description)), seed, judged)

    def task(self, problem: str, reader: Reader, told: tuple[str, str] | None, seed: int) -> Draft:
        """A text for `problem` (PDDL) that `reader` reads back.

        `told` is another task of the same environment with its text, for an example.
        """

        def judged(text: str, attempt: int) -> Draft:
            if holds_pddl(text):
                return _PDDL
            back = reader.compare(text, problem, derived_seed(seed, "read-back", attempt))
            if back.unread is not None:
                return Draft(text, Standing.UNCHECKED, (f"it could not be read back: {back.unread}",))
            return Draft(text, Standing.DOUBTFUL if back.differences else Standing.GOOD, back.differences)

        if told is None:
            shots = [
                (_task_question(shown.description, shown.problem), _block("text", shown.task))
                for shown in self.showcases[:_TOLD]
            ]
        else:
            shots = [(_task_question(reader.description, told[0]), _block("text", told[1]))]
        messages = _few_shot(shots, _task_question(reader.description, problem))
        return self._converse(messages, seed, judged, "describe/differences.md")

    def _converse(
        self,
        messages: Messages,
        seed: int,
        judge: Callable[[str, int], Draft],
        doubts: str = "describe/mend.md",
    ) -> Draft:
        """The best of up to `attempts` answers; each that is not good is sent back with its faults.

        `doubts` is the prompt that sends back a doubtful one.
        """
        drafts: list[Draft] = []
        for attempt in range(self.attempts):
            (completion,) = sample(self.model, messages, 1, derived_seed(seed, attempt))
            text = _text_of(completion)
            draft = judge(text, attempt) if isinstance(text, str) else text
            drafts.append(draft)
            if draft.standing in (Standing.GOOD, Standing.UNCHECKED):
                break
            prompt = "describe/mend.md" if draft.text is None else doubts
            mend = Message("user", render(prompt, faults=_shown(draft.faults)))
            messages = (*messages, as_reply(completion), mend)
        return min(drafts, key=lambda draft: draft.rank)


def _text_of(completion: Completion) -> str | Draft:
    """The last block of a reply, or all of it if it has none; a draft that says why there is no text."""
    fault = why_unanswered(completion)
    if fault is None:
        try:
            blocks = code_blocks(completion.text)
        except ReplyTooLarge as refusal:
            fault = str(refusal)
        else:
            text = (blocks[-1] if blocks else completion.text).strip()
            if text:
                return text
            fault = "the answer's last block is empty"
    return Draft(None, Standing.MISSING, (fault,))


def _judged_description(text: str, vocabulary: Vocabulary) -> Draft:
    if holds_pddl(text):
        return _PDDL
    unnamed = [name for name in vocabulary.actions if not mentions(text, name)]
    if unnamed and len(unnamed) == len(vocabulary.actions):
        return Draft(None, Standing.MISSING, ("the text names none of the actions",))
    faults = tuple(f"the action {name} is not named in the text" for name in unnamed)
    return Draft(text, Standing.DOUBTFUL if faults else Standing.GOOD, faults)


def holds_pddl(text: str) -> bool:
    """Whether a text for people holds a domain or a problem, whole or in pieces."""
    found = extract_pddl(text)
    return bool(found.domains or found.problems or found.unbalanced or found.too_large)


def mentions(text: str, name: str) -> bool:
    """Whether `name` stands in a text as a word of its own, in upper or lower case."""
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text, re.IGNORECASE) is not None


def _shown(faults: Sequence[str]) -> str:
    more = len(faults) - _MOST_FAULTS
    rest = [f"- and {more} more of the kind"] if more > 0 else []
    return "\n".join([*(f"- {fault}" for fault in faults[:_MOST_FAULTS]), *rest])


def _few_shot(shots: Sequence[tuple[str, str]], question: str) -> Messages:
    turns = [turn for asked, given in shots for turn in (Message("user", asked), Message("assistant", given))]
    return (Message("system", load("describe/system.md")), *turns, Message("user", question))


def _block(label: str, text: str) -> str:
    return f"```{label}\n{text.strip()}\n```"


def _description_question(domain: str, problem: str) -> str:
    return render("describe/description.md", domain=domain.strip(), problem=problem.strip())


def _words_question(domain: str, description: str) -> str:
    return render("describe/words.md", domain=domain.strip(), description=description.strip())


def _task_question(description: str, problem: str) -> str:
    return render("describe/task.md", description=description.strip(), problem=problem.strip())
