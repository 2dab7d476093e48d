"""Problems of counted tasks, for a model that was found: written by the language model, or by TIC.

TIC's example is the task that the model was refined on: its text, and its problem stated as an IR. What the
objects of a task are is known from the environment; there are no rules beside that.
"""

from __future__ import annotations

from agents.llm.interface import LanguageModel
from agents.problems import ProblemReading, read_problem_reply
from agents.proposal import Proposal
from agents.texts import WorldTexts
from agents.tic.knowledge import Knowledge
from agents.tic.materialise import Ending
from agents.tic.names import NameTable
from agents.tic.translate import Style, Translator
from envs.intermediate.ideal import plain_ir
from envs.pddl.language.domain import read_vocabulary
from envs.reading import read_facts
from experiments.methods.tic import Inferring
from search.executors import Executor


def translated_by_tic(
    model: LanguageModel,
    executor: Executor,
    first: WorldTexts,
    solution: Proposal,
    task: WorldTexts,
    seed: int,
) -> ProblemReading:
    """The problem of `task` for the domain of `solution`, whose first problem is that of `first`.

    Raises LLMError, WorkerError.
    """
    try:
        knowledge = knowledge_from(first, solution, task)
    except ValueError as fault:
        return ProblemReading(None, f"the first task's problem cannot be an example: {fault}")
    found = Translator(Style.IN_CONTEXT, knowledge, model, run=Inferring(executor)).translate(task.task, seed)
    if found.problem is None:
        return ProblemReading(None, found.fault, answered=found.ending is not Ending.NO_ANSWER)
    return read_problem_reply(found.problem, task, solution.draft)


def knowledge_from(first: WorldTexts, solution: Proposal, task: WorldTexts) -> Knowledge:
    """What a translator of `task` may know. Raises ValueError if the first problem cannot be stated."""
    if solution.problem is None:
        raise ValueError(f"there is none: {solution.fault}")
    domain = read_vocabulary(solution.domain)
    facts = read_facts(solution.problem, domain)
    asp, asp_of_first = (_names(solution, texts).asp for texts in (task, first))
    return Knowledge(
        solution.domain,
        rules="\n".join(f"object({asp(name)}, {asp(kind)})." for name, kind in task.objects.items()),
        example_task=first.task,
        example_ir=plain_ir(facts, domain, asp_of_first),
        example_problem=solution.problem,
        objects=tuple(task.objects),
    )


def _names(solution: Proposal, texts: WorldTexts) -> NameTable:
    """The constants of the domain's names and of a task's objects."""
    return Knowledge(solution.domain, objects=tuple(texts.objects)).names
