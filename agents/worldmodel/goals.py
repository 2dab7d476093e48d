"""Instructions as goals over a model's predicates, which the language model translates.

An instruction becomes a problem: its start, which is translated like any task (`problems`), with the goals
that are translated by themselves. Where the instruction names an order there are several, the *stages*: each
is reached after the one before, and the last holds all that must be true in the end.

Source: Guan et al. 2023, Appendix A.13; stages are ours.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from agents.llm.interface import LanguageModel, Message
from agents.replies import ReplyTooLarge, code_blocks
from agents.sampling import as_reply, derived_seed, sample, why_unanswered
from agents.texts import WorldTexts
from agents.worldmodel.model import WorldModel
from agents.worldmodel.problems import Translator
from agents.worldmodel.requests import goal_request, mend_goal_turn
from envs.pddl.diagnose import diagnose
from envs.pddl.issues import Diagnosis, PDDLError
from envs.pddl.sexpr import Group, Source, read_sexprs

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
    start = Translator(llm, asked.told, seed).problem(model)
    if start.problem is None:
        return Stages((), start.fault, start.answered)
    messages, found = goal_request(asked.texts, asked.start, asked.instruction, model), Stages(())
    for attempt in range(_ATTEMPTS):
        (completion,) = sample(llm, messages, 1, derived_seed(seed, "goal", attempt))
        unanswered = why_unanswered(completion)
        if unanswered:
            found = Stages((), unanswered, answered=False)
        else:
            found = read_goals(completion.text, start.problem, model)
        if found.fault is None:
            break
        turn: Message = mend_goal_turn(found.fault, model)
        messages = (*messages, as_reply(completion), turn)
    return found


def read_goals(reply: str, problem: str, model: WorldModel) -> Stages:
    """The problems that a reply's goals make of `problem`, or what is wrong with them."""
    try:
        blocks = code_blocks(reply)
        nodes = read_sexprs(Source(blocks[-1] if blocks else "", "goals"))
    except (ReplyTooLarge, PDDLError) as fault:
        return Stages((), str(fault))
    goals = [str(node) for node in nodes if isinstance(node, Group) and node.head == ":goal"]
    if not goals or len(goals) != len(nodes) or len(goals) > MAX_STAGES:
        return Stages(
            (), f"expected: one code block with 1 to {MAX_STAGES} forms (:goal ...) and nothing else"
        )
    stages = tuple(with_goal(problem, goal) for goal in goals)
    for stage in stages:
        errors = diagnose(model.text(), stage).errors
        if errors:
            return Stages((), Diagnosis(errors).render())
    return Stages(stages)


def with_goal(problem: str, goal: str) -> str:
    """The problem with another goal, `(:goal ...)`."""
    (form,) = read_sexprs(Source(problem, "problem"))
    parts = form.items if isinstance(form, Group) else []
    kept = [str(part) for part in parts if not (isinstance(part, Group) and part.head == ":goal")]
    return f"({' '.join(kept[:2])}\n  " + "\n  ".join([*kept[2:], goal]) + ")\n"
