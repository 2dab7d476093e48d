"""Instructions as problems over a model's predicates, which the language model translates.

An instruction becomes a problem: its start, like any task's (`problems`), and its goal. Where the instruction
names an order there are several goals, the *stages*: each is reached after the one before, and the last holds
all that must be true in the end. They stand one behind the other in the one problem that is asked for.

Source: Guan et al. 2023, Appendix A.13; stages are ours, and that the start is translated with the goal.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from agents.llm.interface import LanguageModel
from agents.problems import read_problem_reply
from agents.requests import mend_problem_turn
from agents.sampling import as_reply, derived_seed, sample, why_unanswered
from agents.texts import WorldTexts
from agents.worldmodel.model import WorldModel
from agents.worldmodel.requests import instruction_request
from envs.pddl.language.extract import extract_pddl
from envs.pddl.language.issues import PDDLError
from envs.pddl.language.sexpr import Group, Node, Source, read_sexprs

_ATTEMPTS = 2
#: An instruction has at most so many stages.
MAX_STAGES = 10


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
    for attempt in range(_ATTEMPTS):
        (completion,) = sample(llm, messages, 1, derived_seed(seed, "instruction", attempt))
        unanswered = why_unanswered(completion)
        if unanswered:
            found = Stages((), unanswered, answered=False)
        else:
            found = read_stages(completion.text, asked.texts, model)
        if found.fault is None:
            break
        turn = mend_problem_turn(f"The problem cannot be used.\n\n{found.fault}", model.draft)
        messages = (*messages, as_reply(completion), turn)
    return found


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
    parts = [part for form in read_sexprs(Source(problem, "problem")) for part in _parts(form)]
    goals = [part for part in parts if _is_goal(part)]
    return tuple(_with_goal(parts, goal) for goal in goals)


def _with_goal(parts: list[Node], goal: Node) -> str:
    kept = [str(part) for part in parts if not _is_goal(part)]
    return "(" + "\n  ".join([*kept, str(goal)]) + ")\n"


def _is_goal(part: Node) -> bool:
    return isinstance(part, Group) and part.head == ":goal"


def _parts(form: Node) -> list[Node]:
    return form.items if isinstance(form, Group) else []
