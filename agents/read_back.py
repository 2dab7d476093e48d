"""Does a task's text say what its PDDL says? A language model that sees only the text writes it as PDDL.

The reader knows the environment's description, the predicates with a phrase for each, and the objects; not
the problem. Its facts are compared with the problem's, atom by atom. A difference is a fault of the text or
of the reader; that there is none says that the text was enough for this reader.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from agents.llm.interface import Completion, LanguageModel, Message
from agents.prompts import load, render
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
            mend = Message("user", render("describe/mend.md", faults=f"- {fault}"))
            messages = (*messages, as_reply(completion), mend)
        return ReadBack(unread=fault)

    def _request(self, text: str, wanted: CheckedProblem) -> tuple[Message, ...]:
        own = {name: kind for name, kind in wanted.objects.items() if name not in self.vocabulary.constants}
        question = render(
            "describe/read_back.md",
            description=self.description.strip(),
            predicates=self.predicates.strip(),
            text=text.strip(),
            problem_template=problem_template("task", self.vocabulary.name, own).strip(),
        )
        return Message("system", load("describe/reader_system.md")), Message("user", question)

    def _facts(self, completion: Completion) -> CheckedProblem | str:
        """The facts of a reply, or what is wrong with it."""
        unanswered = why_unanswered(completion)
        if unanswered:
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
