"""What follows from an IR, inferred by clingo in a child that can be ended."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from agents.tic.allow import IR
from agents.tic.knowledge import Knowledge


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
    CRASHED = "crashed"  #: the machine or our program failed; nothing is known about the IR

    @property
    def infrastructure(self) -> bool:
        """Whether the machine or the program failed."""
        return self is Outcome.CRASHED


@dataclass(frozen=True)
class Facts:
    """A model, in constants (`agents.tic.names`); everything sorted."""

    objects: tuple[tuple[str, str], ...]  #: (object, type), every type of each
    init: tuple[tuple[str, ...], ...]  #: (predicate, argument, ...)
    goal: tuple[tuple[bool, tuple[str, ...]], ...]  #: (True if it has to hold, (predicate, argument, ...))


@dataclass(frozen=True)
class Inference:
    """What became of an inference. Picklable."""

    outcome: Outcome
    facts: Facts | None = None  #: only of the one model
    fault: str = ""  #: what is wrong, in words for whoever wrote the IR; empty if there is one model
    notes: tuple[str, ...] = ()  #: what looks wrong, such as a condition that nothing can meet
    wall_s: float = 0.0


def infer(ir: IR, knowledge: Knowledge, limits: Limits = Limits()) -> Inference:  # noqa: B008 (frozen)
    """The one model of the IR with the schema, the domain and the rules. Raises IRError if the rules are none."""
    raise NotImplementedError
