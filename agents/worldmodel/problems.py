"""Tasks and instructions as problems over the predicates of a world model, which the language model
translates.

A task's problem is needed to walk in a model or to follow a plan. It depends on the predicates alone, so it
is asked for again only when these change. A problem that cannot be used is sent back once. One that can be
used may still be wrong; a source of remarks that finds that asks for another one, and keeps it if it turns
out better.

An instruction becomes a problem too: its start, like any task's, and its goal. Where the instruction names an
order there are several goals, the *stages*: each is reached after the one before, and the last holds all that
must be true in the end. They stand one behind the other in the one problem that is asked for.

Source: Guan et al. 2023, Appendix A.13; stages are ours, and that the start is translated with the goal.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from agents.llm.interface import LanguageModel, Message
from agents.problems import ProblemReading, read_problem_completion, read_problem_reply
from agents.prompts import Messages
from agents.requests import problem_correction_turn
from agents.sampling import as_reply, derived_seed, sample, why_unanswered
from agents.texts import WorldTexts
from agents.worldmodel.model import WorldModel
from agents.worldmodel.requests import instruction_request, problem_request
from envs.pddl.language.extract import extract_pddl
from envs.pddl.language.issues import PDDLError
from envs.pddl.language.sexpr import Group, Node, Source, read_sexprs

#: A problem that cannot be used is sent back once.
ATTEMPTS = 2
#: An instruction has at most so many stages.
MAX_STAGES = 10


@dataclass
class TaskTranslator:
    """Translates one task. It remembers its problems, by the predicates that they use; raises LLMError."""

    llm: LanguageModel
    texts: WorldTexts
    seed: int
    #: by predicates: the problem in use, and the conversation that brought the first one
    _known: dict[str, tuple[ProblemReading, Messages]] = field(default_factory=dict, repr=False)
    _others: dict[tuple[str, str], ProblemReading] = field(default_factory=dict, repr=False)

    def problem(self, model: WorldModel) -> ProblemReading:
        """The task's problem for `model`, or why there is none."""
        key = model.listed_predicates()
        if key not in self._known:
            self._known[key] = self._translated(model)
        return self._known[key][0]

    def another(self, model: WorldModel, words: str) -> ProblemReading:
        """Another problem, after the present one failed in this way; asked for once."""
        key = model.listed_predicates()
        if (key, words) not in self._others:
            self.problem(model)
            messages = (*self._known[key][1], problem_correction_turn(words, model.draft))
            self._others[key, words] = self._asked(messages, model, ATTEMPTS)[0]
        return self._others[key, words]

    def keep(self, model: WorldModel, reading: ProblemReading) -> None:
        """Use this problem for `model` from now on."""
        self.problem(model)
        key = model.listed_predicates()
        self._known[key] = reading, self._known[key][1]

    def _translated(self, model: WorldModel) -> tuple[ProblemReading, Messages]:
        messages = problem_request(self.texts, model)
        reading, messages = self._asked(messages, model, 0)
        for attempt in range(1, ATTEMPTS):
            if reading.problem is not None:
                break
            turn = _unusable(reading.fault, model)
            reading, messages = self._asked((*messages, turn), model, attempt)
        return reading, messages

    def _asked(self, messages: Messages, model: WorldModel, attempt: int) -> tuple[ProblemReading, Messages]:
        """What one reply brings, and the conversation with it."""
        (completion,) = sample(self.llm, messages, 1, derived_seed(self.seed, "problem", attempt))
        reading = read_problem_completion(completion, self.texts, model.draft)
        return reading, (*messages, as_reply(completion))


@dataclass(frozen=True)
class Asked:
    """An instruction in words, with the start that it is given in."""

    texts: WorldTexts  #: of the environment; its task is that of no instruction
    start: str  #: what is the case at first, in words
    instruction: str

    @property
    def told(self) -> WorldTexts:
        """The environment with the instruction as its task."""
        task = f"{self.start.strip()}\n\nThis is asked for: {self.instruction.strip()}"
        return replace(self.texts, task=task)


@dataclass(frozen=True)
class Stages:
    """The problems of an instruction: same start, one goal after another. Empty if there is a fault."""

    problems: tuple[str, ...]  #: PDDL; the last is what has to be true in the end
    fault: str | None = None
    answered: bool = True  #: False if a reply was cut off, refused, withheld or empty


def translate(llm: LanguageModel, asked: Asked, model: WorldModel, seed: int) -> Stages:
    """The problems of an instruction for `model`; what cannot be used is sent back once. Raises LLMError."""
    messages = instruction_request(asked.texts, asked.start, asked.instruction, model)
    found = Stages(())
    for attempt in range(ATTEMPTS):
        (completion,) = sample(llm, messages, 1, derived_seed(seed, "instruction", attempt))
        if unanswered := why_unanswered(completion):
            found = Stages((), unanswered, answered=False)
        else:
            found = read_stages(completion.text, asked.texts, model)
        if found.fault is None:
            break
        messages = (*messages, as_reply(completion), _unusable(found.fault, model))
    return found


def _unusable(fault: str | None, model: WorldModel) -> Message:
    """What sends a problem back."""
    return problem_correction_turn(f"The problem cannot be used.\n\n{fault}", model.draft)


def read_stages(reply: str, texts: WorldTexts, model: WorldModel) -> Stages:
    """The problems in a reply, one for each of its goals, or what is wrong with the first that is wrong."""
    try:
        written = _by_goal(extract_pddl(reply).problem)
    except PDDLError as fault:
        return Stages((), str(fault))
    if len(written) > MAX_STAGES:
        return Stages((), f"the problem has {len(written)} goals; expected: 1 to {MAX_STAGES}")
    readings = [read_problem_reply(text, texts, model.draft) for text in written or (reply,)]
    faults = [reading.fault for reading in readings if reading.fault is not None]
    if faults:
        return Stages((), faults[0])
    return Stages(tuple(reading.problem for reading in readings if reading.problem is not None))


def _by_goal(problem: str | None) -> tuple[str, ...]:
    """A problem for each goal of `problem`; none if it has none."""
    if problem is None:
        return ()
    forms = read_sexprs(Source(problem, "problem"))
    parts = [part for form in forms if isinstance(form, Group) for part in form.items]
    kept = [str(part) for part in parts if not _is_goal(part)]
    goals = [str(part) for part in parts if _is_goal(part)]
    return tuple("(" + "\n  ".join([*kept, goal]) + ")\n" for goal in goals)


def _is_goal(part: Node) -> bool:
    return isinstance(part, Group) and part.head == ":goal"
