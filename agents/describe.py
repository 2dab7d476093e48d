"""Texts for an environment that comes as PDDL alone, written by a language model from the PDDL.

Few-shot back-translation (Mahdavi et al. 2024, Appendix C): environments that are described already are the
examples for the description, the words and the first task; the first task that was told well is the example
for the others, so that all are told alike. Every answer is checked as far as it can be: a description must
name each action, words are judged by the caller, and a task's text is read back. What a check finds is sent
back, a bounded number of times; the best answer is kept with what is still wrong with it.

To read a text back, a language model that sees only the text writes it as PDDL (`Reader`). The reader knows
the environment's description, the predicates with a phrase for each, and the objects; not the problem. Its
facts are compared with the problem's, atom by atom. A difference is a fault of the text or of the reader;
that there is none says that the text was enough for this reader.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from agents.llm.interface import Completion, LanguageModel, Message
from agents.prompts import Messages, load, request, turn
from agents.replies import ReplyTooLarge, last_block
from agents.sampling import as_reply, derived_seed, sample, why_unanswered
from envs.pddl.diagnosis.problem import CheckedProblem, check_problem
from envs.pddl.language.extract import extract_pddl
from envs.pddl.language.issues import Diagnosis
from envs.pddl.language.sexpr import Group, Node
from envs.pddl.language.template import problem_template
from envs.pddl.language.vocabulary import Vocabulary

#: A reply that cannot be read is sent back once with what is wrong with it.
_ATTEMPTS = 2
_LOGIC = frozenset(("or", "imply", "exists", "forall", "="))


@dataclass(frozen=True)
class ReadBack:
    """How a text, read back, compares with its problem."""

    differences: tuple[str, ...] = ()  #: what only one of the two says, in words
    unread: str | None = None  #: why nothing can be told: no usable reply, or a goal that is no list of atoms

    @property
    def agrees(self) -> bool:
        """Whether the text was read back and says exactly what the problem says."""
        return not self.differences and self.unread is None


@dataclass(frozen=True)
class Reader:
    """Reads texts of one environment back. Stateless; raises what the model raises (LLMError)."""

    model: LanguageModel
    vocabulary: Vocabulary
    description: str
    predicates: str  #: a line for each predicate: its declaration, and how it is said

    def compare(self, text: str, problem: str, seed: int) -> ReadBack:
        """Read `text` back and compare it with `problem` (PDDL without errors)."""
        wanted = check_problem(problem, self.vocabulary)
        messages = self._request(text, wanted)
        fault = ""
        for attempt in range(_ATTEMPTS):
            (completion,) = sample(self.model, messages, 1, derived_seed(seed, attempt))
            found = self._facts(completion)
            if isinstance(found, CheckedProblem):
                return compared(found, wanted)
            fault = found
            messages = (*messages, as_reply(completion), turn("describe/mend.md", faults=f"- {fault}"))
        return ReadBack(unread=fault)

    def _request(self, text: str, wanted: CheckedProblem) -> Messages:
        own = {name: kind for name, kind in wanted.objects.items() if name not in self.vocabulary.constants}
        return request(
            "describe/reader_system.md",
            "describe/read_back.md",
            description=self.description.strip(),
            predicates=self.predicates.strip(),
            text=text.strip(),
            problem_template=problem_template("task", self.vocabulary.name, own).strip(),
        )

    def _facts(self, completion: Completion) -> CheckedProblem | str:
        """The facts of a reply, or what is wrong with it."""
        if unanswered := why_unanswered(completion):
            return unanswered
        text = extract_pddl(completion.text).problem
        if text is None:
            return "the answer holds no whole (define (problem ...) ...)"
        found = check_problem(text, self.vocabulary)
        errors = Diagnosis(found.issues).errors
        return Diagnosis(errors).render() if errors else found


def compared(found: CheckedProblem, wanted: CheckedProblem) -> ReadBack:
    """What only one of two checked problems says. Costs and names do not count."""
    said, meant = _goal(found.goal), _goal(wanted.goal)
    differences = (
        *_only("the initial fact", _atoms(wanted.init), _atoms(found.init)),
        *_only("the goal", [p for p in meant if not _is_logic(p)], [p for p in said if not _is_logic(p)]),
    )
    if not differences and sorted(map(str, said)) != sorted(map(str, meant)):
        return ReadBack(unread="the goal is more than a list of facts, so it was not compared")
    return ReadBack(differences)


def _only(what: str, meant: Iterable[object], said: Iterable[object]) -> Iterator[str]:
    wanted, found = dict.fromkeys(map(str, meant)), dict.fromkeys(map(str, said))
    yield from (f"{what} {atom} was not found in the text" for atom in wanted if atom not in found)
    yield from (
        f"{what} {atom} was found in the text, but the task has none such"
        for atom in found
        if atom not in wanted
    )


def _atoms(init: Iterable[tuple[str, ...]]) -> list[str]:
    return sorted(f"({' '.join(atom)})" for atom in init)


def _goal(goal: Node | None) -> list[Group]:
    """The conjuncts of a goal, each once, in its order."""
    if not isinstance(goal, Group) or not goal.items:
        return []
    parts = [part for node in goal.parts for part in _goal(node)] if goal.head == "and" else [goal]
    return list({str(part): part for part in parts}.values())


def _is_logic(part: Group) -> bool:
    """Whether a conjunct is neither an atom nor a negated atom."""
    inner = part.parts[0] if part.head == "not" and part.parts else part
    return not isinstance(inner, Group) or inner.head in _LOGIC or inner.head in ("and", "not")


#: As many examples as Appendix C has: three for a description, two for a task.
_DESCRIBED, _TOLD = 3, 2
#: So many faults of one answer are sent back.
_MOST_FAULTS = 20


class TextStanding(StrEnum):
    """What became of a text, best first."""

    GOOD = "good"  #: it passed every check that there is for it
    UNCHECKED = "unchecked"  #: written, but its check could not be made
    DOUBTFUL = "doubtful"  #: written, but its check found something
    MISSING = "missing"  #: no answer could be used


@dataclass(frozen=True)
class Draft:
    """A text, unless its standing is MISSING, and what is wrong with it."""

    text: str | None
    standing: TextStanding
    faults: tuple[str, ...] = ()

    @property
    def rank(self) -> tuple[int, int]:
        """Lower is better."""
        return list(TextStanding).index(self.standing), len(self.faults)


_PDDL = Draft(None, TextStanding.MISSING, ("the text holds PDDL: write sentences",))


@dataclass(frozen=True)
class Showcase:
    """An environment that is described: an example of what is wanted."""

    domain: str  #: PDDL
    description: str
    words: str  #: the text of its words.json
    problem: str  #: PDDL
    task: str


@dataclass(frozen=True)
class Describer:
    """Writes texts. Stateless; raises what the model raises (LLMError)."""

    model: LanguageModel
    showcases: tuple[Showcase, ...]
    attempts: int = 3  #: answers to one request, the first included

    def description(self, domain: str, vocabulary: Vocabulary, problem: str, seed: int) -> Draft:
        """A description of `domain` (PDDL); `problem` (PDDL) shows how it is used."""
        shots = map(vars, self.showcases[:_DESCRIBED])
        messages = _few_shot("description", "text", shots, domain=domain, problem=problem)
        return self._converse(messages, seed, lambda text, _: _judged_description(text, vocabulary))

    def words(self, domain: str, description: str, judge: Callable[[str], Draft], seed: int) -> Draft:
        """The text of a `words.json`, which is the caller's to judge."""
        shots = map(vars, self.showcases[:_TOLD])
        messages = _few_shot("words", "json", shots, domain=domain, description=description)
        return self._converse(messages, seed, lambda text, _: judge(text))

    def task(self, problem: str, reader: Reader, shown: tuple[str, str] | None, seed: int) -> Draft:
        """A text for `problem` (PDDL) that `reader` reads back.

        `shown` is another task of the same environment with its text, for an example.
        """

        def judged(text: str, attempt: int) -> Draft:
            if holds_pddl(text):
                return _PDDL
            back = reader.compare(text, problem, derived_seed(seed, "read-back", attempt))
            if back.unread is not None:
                return Draft(text, TextStanding.UNCHECKED, (f"it could not be read back: {back.unread}",))
            return checked(text, back.differences)

        shots = list(map(vars, self.showcases[:_TOLD]))
        if shown is not None:
            shots = [{"description": reader.description, "problem": shown[0], "task": shown[1]}]
        messages = _few_shot("task", "text", shots, description=reader.description, problem=problem)
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
            if draft.standing in (TextStanding.GOOD, TextStanding.UNCHECKED):
                break
            more = len(draft.faults) - _MOST_FAULTS
            faults = [f"- {fault}" for fault in draft.faults[:_MOST_FAULTS]]
            faults += [f"- and {more} more of the kind"] if more > 0 else []
            further = turn("describe/mend.md" if draft.text is None else doubts, faults="\n".join(faults))
            messages = (*messages, as_reply(completion), further)
        return min(drafts, key=lambda draft: draft.rank)


def checked(text: str, faults: tuple[str, ...]) -> Draft:
    """A text that was checked, with what the check found."""
    return Draft(text, TextStanding.DOUBTFUL if faults else TextStanding.GOOD, faults)


def missing(*faults: str) -> Draft:
    """No text, and why."""
    return Draft(None, TextStanding.MISSING, faults)


def _text_of(completion: Completion) -> str | Draft:
    """The last block of a reply, or all of it if it has none; a draft that says why there is no text."""
    if fault := why_unanswered(completion):
        return missing(fault)
    try:
        return last_block(completion.text) or missing("the answer's last block is empty")
    except ReplyTooLarge as refusal:
        return missing(str(refusal))


def _judged_description(text: str, vocabulary: Vocabulary) -> Draft:
    if holds_pddl(text):
        return _PDDL
    unnamed = [name for name in vocabulary.actions if not mentions(text, name)]
    if unnamed and len(unnamed) == len(vocabulary.actions):
        return missing("the text names none of the actions")
    return checked(text, tuple(f"the action {name} is not named in the text" for name in unnamed))


def holds_pddl(text: str) -> bool:
    """Whether a text for people holds a domain or a problem, whole or in pieces."""
    found = extract_pddl(text)
    return bool(found.domains or found.problems or found.unbalanced or found.too_large)


def mentions(text: str, name: str) -> bool:
    """Whether `name` stands in a text as a word of its own, in upper or lower case."""
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text, re.IGNORECASE) is not None


def _few_shot(prompt: str, label: str, shots: Iterable[Mapping[str, str]], **asked: str) -> Messages:
    """Questions with their answers, then the question that is asked.

    `shots` are the fields of showcases; the answer is the field of the prompt's name.
    """

    def question(values: Mapping[str, str]) -> Message:
        return turn(f"describe/{prompt}.md", **{key: values[key].strip() for key in asked})

    turns: list[Message] = []
    for shot in shots:
        turns += question(shot), Message("assistant", f"```{label}\n{shot[prompt].strip()}\n```")
    return (Message("system", load("describe/system.md")), *turns, question(asked))
