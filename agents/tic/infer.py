"""From the text of an IR to a problem: what follows from it is inferred by clingo in a child that can be
ended.

Grounding and solving share one deadline and one limit of memory. No model, one and several end a translation
in different ways, and neither is a limit that was reached. That the machine failed, or that the world's rules
cannot be run, is an exception: nothing is known about the IR then. `materialise` is one step that can be sent
to a worker.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

import msgspec

import agents
from agents.tic import inference_child, wording
from agents.tic.allow import IR, IRError, read_ir
from agents.tic.compile import compile_problem
from agents.tic.inference_child import Facts, Reply
from agents.tic.knowledge import Knowledge
from agents.tic.program import Program, program_of
from envs.pddl.process import ChildResult, ChildStatus, run_child

_ROOT = Path(agents.__file__).resolve().parents[1]  #: where a child finds what it imports
_REPLY_LIMIT = 200_000_000  #: bytes
#: A name that is no constant of ASP, as texts and PDDL write it.
_HYPHENATED = re.compile(r"(?<![\w-])[a-z_][a-z0-9_]*(?:-[a-z0-9_]+)+(?![\w-])")


@dataclass(frozen=True)
class InferenceLimits:
    """How much one inference may take."""

    wall_s: float = 10.0  #: grounding and solving together
    memory_mb: int = 1000  #: resident memory of the child


class Ending(StrEnum):
    """What became of a translation. None of them is the machine's fault."""

    TRANSLATED = "translated"  #: there is a problem; of an inference: there is one model, the facts
    NO_ANSWER = "no_answer"  #: the reply was cut off, refused, withheld or empty
    REFUSED = "refused"  #: the reply is no program that may be run, or no PDDL
    CONTRADICTION = "contradiction"  #: what the program says cannot all be true
    AMBIGUOUS = "ambiguous"  #: it leaves open what is true
    TIMEOUT = "timeout"
    MEMOUT = "memout"
    UNFIT = "unfit"  #: what it says does not fit the domain


class InferenceFailed(RuntimeError):
    """The machine or our program failed, so nothing is known about the IR. Survives pickling."""

    blame = "machine"


class RulesFailed(RuntimeError):
    """The world's rules cannot be run, so nothing is known about the IR. Survives pickling."""

    blame = "world"


@dataclass(frozen=True, kw_only=True)
class Materialised:
    """The problem (PDDL) that an IR comes to, or what is wrong with it in words. Picklable."""

    ending: Ending
    problem: str | None = None
    fault: str = ""  #: what is wrong, for the author of the IR; empty if nothing is
    notes: tuple[str, ...] = ()  #: what looks wrong all the same, such as a condition that nothing can meet
    mistakes: tuple[str, ...] = ()  #: what is wrong for certain, such as unknown names that are never read
    facts: Facts | None = None  #: the one model that was inferred, if there is one
    ir: str | None = None  #: the program that was read, if an answer holds one


def materialise(text: str, knowledge: Knowledge, limits: InferenceLimits = InferenceLimits()) -> Materialised:
    """Read, infer and compile.

    Raises InferenceFailed; and, if the knowledge's own rules are at fault, IRError or RulesFailed.
    """
    try:
        ir = read_ir(text, knowledge)
    except IRError as error:
        return Materialised(ending=Ending.REFUSED, fault=str(error))
    found = infer(ir, knowledge, limits)
    if found.facts is None:
        return found
    compiled = compile_problem(found.facts, knowledge)
    if compiled.problem is None:
        return Materialised(ending=Ending.UNFIT, fault="\n".join([*compiled.faults, *found.mistakes]))
    return replace(found, problem=compiled.problem, facts=None)


def with_names_of(knowledge: Knowledge, task: str) -> Knowledge:
    """`knowledge` with the names in a task's text that would not come back from a program as they are.

    `tile_0-1` becomes the constant `tile_0_1`, and is `tile_0-1` again in the problem.
    """
    found = dict.fromkeys((*knowledge.objects, *_HYPHENATED.findall(task)))
    return replace(knowledge, objects=tuple(found))


def infer(ir: IR, knowledge: Knowledge, limits: InferenceLimits = InferenceLimits()) -> Materialised:
    """The one model of the IR with the schema, the domain and the world's rules; nothing is compiled.

    Raises InferenceFailed, RulesFailed; IRError if the rules are none.
    """
    program = program_of(ir, knowledge)
    child = run_child(
        [sys.executable, "-P", "-m", inference_child.__name__],
        env={"PYTHONPATH": str(_ROOT)},
        wall_s=limits.wall_s,
        memory_mb=limits.memory_mb,
        stdin=program.text,
        output_limit=_REPLY_LIMIT,
    )
    return _ended(child, limits) or _read(msgspec.json.decode(child.stdout, type=Reply), program, knowledge)


def _ended(child: ChildResult, limits: InferenceLimits) -> Materialised | None:
    """What became of a child that did not answer; None if it did."""
    if child.status is ChildStatus.TIMEOUT:
        fault = f"the program was not solved within {limits.wall_s:g} s: state less, or by narrower rules"
        return Materialised(ending=Ending.TIMEOUT, fault=fault)
    if child.status is ChildStatus.MEMORY or (not child.succeeded and "MemoryError" in child.stderr):
        fault = f"the program takes more than {limits.memory_mb} MiB: state less, or by narrower rules"
        return Materialised(ending=Ending.MEMOUT, fault=fault)
    if child.succeeded and not child.truncated:
        return None
    how = "wrote too much" if child.truncated else f"{child.status} (code {child.returncode})"
    raise InferenceFailed(f"the inference ended as crashed: {how}: {child.stderr[-500:].strip()}")


def _read(reply: Reply, program: Program, knowledge: Knowledge) -> Materialised:
    """What the child's answer means."""
    models, notes = reply.models, reply.notes
    several = Ending.AMBIGUOUS if len(models) > 1 else Ending.CONTRADICTION
    if reply.refused:
        return _refused(notes, program)
    if reply.too_many:
        fault = f"more than {inference_child.MAX_ATOMS:,} facts follow from the program: state less"
        return Materialised(ending=Ending.REFUSED, fault=fault)
    if reply.wrong:
        objects = models[0].objects if models else ()
        return Materialised(ending=several, fault=wording.what_is_wrong(reply.wrong, objects, program))
    if len(models) > 1:
        return Materialised(ending=several, fault=wording.difference(*models))
    (facts,) = models
    doubtful = wording.unread(notes, program, knowledge)
    wrong = wording.mistakes(notes, program, facts, knowledge)
    return Materialised(ending=Ending.TRANSLATED, facts=facts, notes=doubtful, mistakes=wrong)


def _refused(notes: list[tuple[int, str]], program: Program) -> Materialised:
    """What clingo does not take, if that is the IR; what else it does not take is raised."""
    fault = wording.refusal(notes, program)
    if wording.blames(notes, program, of_ir=True):
        return Materialised(ending=Ending.REFUSED, fault=fault)
    if wording.blames(notes, program, of_ir=False):
        raise RulesFailed(fault)
    raise InferenceFailed(f"the inference ended as crashed: {fault}")
