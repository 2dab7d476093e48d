"""Doubts about the text of a task: where what was read from it and what the environment does part.

A doubt is raised only where the domain is known to work in another task, so that neither a precondition nor
an effect is the first suspect. It names one fact, one goal or one object, what the text says of it as it was
read, what the environment showed, and the evidence. It may also be that the text was misread: a doubt is a
place to look at, not a verdict.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class DoubtKind(StrEnum):
    """What is doubted."""

    FACT = "fact"  #: an atom of the initial state
    GOAL = "goal"
    OBJECT = "object"  #: the type of an object


@dataclass(frozen=True)
class Doubt:
    """One doubt about the text of a task. Plain data."""

    task: str
    kind: DoubtKind
    subject: str  #: the atom, the goal's part or the object
    says: str  #: what the text says, as it was read
    showed: str  #: what the environment showed
    evidence: str
    explains: int = 0  #: differences between environment and model that the fault explains
    contradicts: int = 0  #: agreements that it contradicts

    def __str__(self) -> str:
        """One sentence."""
        return (
            f"task {self.task}: {self.kind} {self.subject}: the text, as read, says that {self.says}; "
            f"in the environment {self.showed} ({self.evidence})"
        )


def object_doubt(task: str, name: str, atom: str, wanted: str, kind: str) -> Doubt:
    """The text says something of an object that its type does not allow."""
    says, shows = f"{atom} holds, which takes an object of type {wanted}", f"{name} is of type {kind}"
    return Doubt(task, DoubtKind.OBJECT, name, says, shows, "the environment's own list of objects")


def fact_doubt(
    task: str, atom: str, said: bool, evidence: str, explains: int = 0, contradicts: int = 0
) -> Doubt:
    """The text, as read, says whether an atom is true at the start; actions run as if it were not so."""
    says, shows = ("true", "false") if said else ("false", "true")
    read, shown = f"{atom} is {says} at the start", f"actions run as if it were {shows}"
    return Doubt(task, DoubtKind.FACT, atom, read, shown, evidence, explains, contradicts)


def goal_doubt(task: str, goal: str, showed: str, evidence: str) -> Doubt:
    """The text, as read, asks for a goal; the environment showed something else."""
    return Doubt(task, DoubtKind.GOAL, goal, f"{goal} is asked for", showed, evidence)
