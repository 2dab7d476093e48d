"""From the text of an IR to a problem, in one step that can be sent to a worker."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum

from agents.tic.allow import IRError, read_ir
from agents.tic.compile import compile_problem
from agents.tic.infer import Inference, Limits, Outcome, infer
from agents.tic.knowledge import Knowledge

#: A name that is no constant of ASP, as texts and PDDL write it.
_HYPHENATED = re.compile(r"(?<![\w-])[a-z_][a-z0-9_]*(?:-[a-z0-9_]+)+(?![\w-])")


class Ending(StrEnum):
    """What became of a translation. None of them is the machine's fault."""

    TRANSLATED = "translated"  #: there is a problem
    NO_ANSWER = "no_answer"  #: the reply was cut off, refused, withheld or empty
    REFUSED = "refused"  #: the reply is no program that may be run, or no PDDL
    CONTRADICTION = "contradiction"  #: what the program says cannot all be true
    AMBIGUOUS = "ambiguous"  #: it leaves open what is true
    TIMEOUT = "timeout"
    MEMOUT = "memout"
    UNFIT = "unfit"  #: what it says does not fit the domain


_ENDINGS = {
    Outcome.NONE: Ending.CONTRADICTION,
    Outcome.SEVERAL: Ending.AMBIGUOUS,
    Outcome.REFUSED: Ending.REFUSED,
    Outcome.TIMEOUT: Ending.TIMEOUT,
    Outcome.MEMOUT: Ending.MEMOUT,
}


class InferenceFailed(RuntimeError):
    """The machine or our program failed, so nothing is known about the IR. Survives pickling."""

    blame = "machine"


class RulesFailed(RuntimeError):
    """The world's rules cannot be run, so nothing is known about the IR. Survives pickling."""

    blame = "world"


@dataclass(frozen=True)
class Materialised:
    """The problem (PDDL) that an IR comes to, or what is wrong with it in words. Picklable."""

    ending: Ending
    problem: str | None = None
    fault: str = ""
    notes: tuple[str, ...] = ()  #: what looks wrong in an IR that has a problem, in words
    mistakes: tuple[str, ...] = ()  #: what is wrong in it all the same, in words


def materialise(text: str, knowledge: Knowledge, limits: Limits = Limits()) -> Materialised:  # noqa: B008
    """Read, infer and compile.

    Raises InferenceFailed; and, if the knowledge's own rules are at fault, IRError or RulesFailed.
    """
    try:
        ir = read_ir(text, knowledge)
    except IRError as error:
        return Materialised(Ending.REFUSED, fault=str(error))
    found = infer(ir, knowledge, limits)
    if found.facts is None:
        return Materialised(_ending(found), fault=found.fault)
    compiled = compile_problem(found.facts, knowledge)
    if compiled.problem is None:
        return Materialised(Ending.UNFIT, fault="\n".join([*compiled.faults, *found.mistakes]))
    return Materialised(Ending.TRANSLATED, compiled.problem, notes=found.notes, mistakes=found.mistakes)


def with_names_of(knowledge: Knowledge, task: str) -> Knowledge:
    """`knowledge` with the names in a task's text that would not come back from a program as they are.

    `tile_0-1` becomes the constant `tile_0_1`, and is `tile_0-1` again in the problem.
    """
    found = dict.fromkeys((*knowledge.objects, *_HYPHENATED.findall(task)))
    return replace(knowledge, objects=tuple(found))


def _ending(found: Inference) -> Ending:
    if found.outcome is Outcome.BROKEN_RULES:
        raise RulesFailed(found.fault)
    if found.outcome.infrastructure:
        raise InferenceFailed(f"the inference ended as {found.outcome}: {found.fault}")
    return _ENDINGS[found.outcome]
