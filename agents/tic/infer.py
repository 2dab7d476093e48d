"""What follows from an IR, inferred by clingo in a child that can be ended.

Grounding and solving share one deadline and one limit of memory. No model, one and several are different
outcomes, and neither is a limit that was reached or a machine that failed.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import agents
from agents.tic import inference_child
from agents.tic.allow import IR
from agents.tic.compile import Facts
from agents.tic.knowledge import Knowledge
from agents.tic.program import Program, program_of
from agents.tic.wording import blames, difference, mistakes, refusal, unread, what_is_wrong
from envs.pddl.process import ChildResult, ChildStatus, child_environment, run_child
from envs.pddl.scratch import scratch_folder

_ROOT = Path(agents.__file__).resolve().parents[1]  #: where a child finds what it imports
_REPLY_LIMIT = 200_000_000  #: bytes


@dataclass(frozen=True)
class Limits:
    """How much one inference may take."""

    wall_s: float = 10.0  #: grounding and solving together
    memory_mb: int = 1000  #: resident memory of the child


class Outcome(StrEnum):
    """What became of an inference."""

    ONE = "one"  #: there is one model: the facts
    NONE = "none"  #: the IR contradicts itself
    SEVERAL = "several"  #: it leaves open what is true
    REFUSED = "refused"  #: clingo does not take the IR, or it is too large
    TIMEOUT = "timeout"
    MEMOUT = "memout"
    BROKEN_RULES = "broken_rules"  #: clingo does not take the world's rules; nothing is known about the IR
    CRASHED = "crashed"  #: the machine or our program failed; nothing is known about the IR

    @property
    def infrastructure(self) -> bool:
        """Whether the machine or the program failed."""
        return self is Outcome.CRASHED


@dataclass(frozen=True)
class Inference:
    """What became of an inference. Picklable."""

    outcome: Outcome
    facts: Facts | None = None  #: only of the one model
    fault: str = ""  #: what is wrong, in words for whoever wrote the IR; empty if there is one model
    notes: tuple[str, ...] = ()  #: what looks wrong, such as a condition that nothing can meet
    mistakes: tuple[str, ...] = ()  #: what is wrong for certain, such as names that nobody knows or reads
    wall_s: float = 0.0


def infer(ir: IR, knowledge: Knowledge, limits: Limits = Limits()) -> Inference:
    """The one model of the IR with the schema, the domain and the world's rules.

    Raises IRError if the rules are none.
    """
    program = program_of(ir, knowledge)
    with scratch_folder() as folder:
        child = run_child(
            [sys.executable, "-P", "-m", inference_child.__name__],
            cwd=folder,
            env=child_environment(Path(folder)) | {"PYTHONPATH": str(_ROOT)},
            wall_s=limits.wall_s,
            memory_mb=limits.memory_mb,
            stdin=program.text,
            output_limit=_REPLY_LIMIT,
        )
    return _ended(child, limits) or _read(json.loads(child.stdout), program, knowledge, child.wall_s)


def _ended(child: ChildResult, limits: Limits) -> Inference | None:
    """The inference of a child that did not answer; None if it did."""
    if child.status is ChildStatus.TIMEOUT:
        fault = f"the program was not solved within {limits.wall_s:g} s: state less, or by narrower rules"
        return Inference(Outcome.TIMEOUT, fault=fault, wall_s=child.wall_s)
    if child.status is ChildStatus.MEMORY or (not child.succeeded and "MemoryError" in child.stderr):
        fault = f"the program takes more than {limits.memory_mb} MiB: state less, or by narrower rules"
        return Inference(Outcome.MEMOUT, fault=fault, wall_s=child.wall_s)
    if child.succeeded and not child.truncated:
        return None
    how = "wrote too much" if child.truncated else f"{child.status} (code {child.returncode})"
    return Inference(Outcome.CRASHED, fault=f"{how}: {child.stderr[-500:].strip()}", wall_s=child.wall_s)


def _read(reply: dict[str, Any], program: Program, knowledge: Knowledge, wall_s: float) -> Inference:
    """What the child's answer means."""
    models = [Facts.of(model) for model in reply["models"]]
    if reply["refused"]:
        return Inference(
            _refused(reply["notes"], program), fault=refusal(reply["notes"], program), wall_s=wall_s
        )
    if reply["too_many"]:
        fault = f"more than {inference_child.MAX_ATOMS:,} facts follow from the program: state less"
        return Inference(Outcome.REFUSED, fault=fault, wall_s=wall_s)
    if reply["wrong"]:
        outcome = Outcome.SEVERAL if len(models) > 1 else Outcome.NONE
        fault = what_is_wrong(reply["wrong"], models[0].objects if models else (), program)
        return Inference(outcome, fault=fault, wall_s=wall_s)
    if len(models) > 1:
        return Inference(Outcome.SEVERAL, fault=difference(*models), wall_s=wall_s)
    (facts,) = models
    return Inference(
        Outcome.ONE,
        facts,
        notes=unread(reply["notes"], program, knowledge),
        mistakes=mistakes(reply["notes"], program, facts, knowledge),
        wall_s=wall_s,
    )


def _refused(notes: list[tuple[int, str]], program: Program) -> Outcome:
    """Whose fault it is that clingo does not take a program."""
    if blames(notes, program, of_ir=True):
        return Outcome.REFUSED
    return Outcome.BROKEN_RULES if blames(notes, program, of_ir=False) else Outcome.CRASHED
