"""What single capabilities add to records: each a kind of `Detail` with a name of its own.

To add one: write a subclass of `Detail`, and name it in `KINDS`. Methods put it into `Attempt.details` or the
`details` of a record; tables take it from `experiments.runs.frames.RunFrames.details`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar

import msgspec

from ew.walks.budget import SimulatorCost


@dataclass(frozen=True)
class Detail:
    """What a capability adds to the record of a candidate, a task or an episode. Plain data."""

    name: ClassVar[str]  #: of it in records and frames
    whose: ClassVar[tuple[str, ...]]  #: the fields that tell the records that have it apart
    #: other names of it, or of fields of it, in records of earlier versions
    earlier: ClassVar[tuple[str, ...]] = ()
    renamed: ClassVar[Mapping[str, str]] = MappingProxyType({})

    @property
    def judgement(self) -> str:
        """What is said of it in the line that a finished task is shown by; empty for nothing."""
        return ""

    @property
    def files(self) -> Mapping[str, str]:
        """Texts of it that are written beside an episode's model, by the ending of their names."""
        return {}


#: Any kind of detail.
D = TypeVar("D", bound=Detail)


@dataclass(frozen=True)
class Repair(Detail):
    """How a repair made a candidate of its parent, without a language model."""

    name: ClassVar[str] = "repair"
    whose: ClassVar[tuple[str, ...]] = ("unit", "id")

    agrees: bool  #: whether nothing that it saw of the environment speaks against the candidate
    edits: tuple[str, ...]  #: in words
    world_queries: int  #: that it took; the candidate's score holds them too
    ledger: tuple[tuple[str, ...], ...]  #: evidence, rows of `agents.repair.proposals.HEADER`
    left_out: int = 0  #: rows that were not kept
    simulator: SimulatorCost | None = None  #: what the world's simulator did for it; None where it is batched


class Answer(StrEnum):
    """What an answer in free text held."""

    PROBLEM = "problem"  #: a problem of the domain
    UNREADABLE = "unreadable"  #: a problem, but none of the domain
    NO_PROBLEM = "no_problem"
    NO_ANSWER = "no_answer"  #: it was cut off, refused, withheld or empty


@dataclass(frozen=True)
class JudgedTranslation(Detail):
    """The problem that a task's text was translated into, judged beside the ground truth.

    Of an answer in free text the pair of text and truth is named too, and the plan; of one by way of a
    program, whether it is the truth as written.
    """

    name: ClassVar[str] = "translation"
    whose: ClassVar[tuple[str, ...]] = ("unit", "task")
    earlier: ClassVar[tuple[str, ...]] = ("translated", "pair")
    renamed: ClassVar[Mapping[str, str]] = MappingProxyType({"answer": "outcome", "verdict": "meaning"})

    outcome: str  #: what became of it: an `agents.tic.infer.Ending`, or an `Answer`
    ir: str | None = None  #: the intermediate representation it was inferred from, if there is one
    problem: str | None = None  #: PDDL
    equality: str = ""  #: verdict of its comparison with the ground truth as written; empty if there was none
    part: str = ""  #: the part in which it differs: objects, init or goal
    difference: str = ""  #: in words; the truth is the first problem
    meaning: str = ""  #: verdict of the comparison of what both mean, goals with all that they imply
    #: whether it is right under the names of the ground truth; None if it is not
    names_kept: bool | None = None
    notes: str = ""  #: what looks wrong in the intermediate representation, in words
    unsolvable: str = ""  #: why no plan can exist for the problem, in words; empty unless that was proved
    id: str = ""  #: of the pair; empty for the task of a world that is translated by way of a program
    world: str = ""  #: of the pair
    style: str = ""  #: how abstract the text is, `Pair.style`
    layouts: str = ""  #: `staircase to stack`; empty for tasks of worlds without layouts
    size: int = 0  #: atoms of the truth
    fault: str = ""  #: why there is no problem that can be read
    planner: str = ""  #: who planned: `rules` or `fast_downward`
    plan: str = ""  #: a `PlanOutcome`; empty if no planner was asked
    plan_length: int | None = None
    mistakes: tuple[str, ...] = ()  #: `experiments.evaluation.judging.Mistake`s

    @property
    def parseable(self) -> bool:
        """Whether a problem of the domain could be cut from the answer."""
        return self.outcome == Answer.PROBLEM

    @property
    def right(self) -> bool:
        """Whether it is the ground truth as written, up to the names of objects."""
        return self.equality == "equivalent"

    @property
    def correct(self) -> bool:
        """Whether it means the same as the ground truth; not if that could not be decided."""
        return self.meaning == "equivalent"

    @property
    def undecided(self) -> bool:
        """Whether nothing is known of what it means."""
        return self.meaning in ("unsupported", "timeout")

    @property
    def solvable(self) -> bool:
        """Whether it has a plan; what is the same as the truth has one, whether or not it was found."""
        return self.correct or self.plan == "solved"

    @property
    def judgement(self) -> str:
        """Whether it is right: where it differs if it is not, or why there is none. Empty for a pair."""
        if self.problem is None or self.id:
            return "" if self.id else self.outcome
        verdict = f"{self.equality} in {self.part}" if self.part else self.equality
        if self.right:
            return verdict if self.names_kept is not False else f"{verdict} under other names"
        return f"{verdict}, {self.meaning} in meaning" if self.correct or self.undecided else verdict


@dataclass(frozen=True)
class Built(Detail):
    """A domain that was written action by action, and then corrected by the environment."""

    name: ClassVar[str] = "built"
    whose: ClassVar[tuple[str, ...]] = ("unit",)

    #: errors against the true domain by class, as it was written; None if too large to count, or without PDDL
    before: Mapping[str, int] | None
    after: Mapping[str, int] | None  #: once it was corrected; None likewise
    exact: bool  #: whether both counts are proved to be the fewest
    ew_before: float | None  #: over the tasks it was corrected on; None if it could not be walked
    ew_after: float | None
    remarks: int  #: said against it, by the environment or a person
    ending: str  #: why the correction ended, an `agents.worldmodel.construct.CorrectionEnding`
    note: str  #: the same in words
    faults: Mapping[str, int]  #: of all replies by class, an `agents.worldmodel.check.FaultKind`
    unwritten: tuple[str, ...]  #: actions without a reply that could be used
    written: str  #: the domain before it was corrected, PDDL
    said: str = ""  #: the corrected domain in words, for people who check it
    #: actions that no walk of the last review executed, so that EW says nothing of them
    unmet: tuple[str, ...] = ()
    walked: bool = True  #: whether it can be walked beside the environment: not with parameters of its own

    @property
    def files(self) -> Mapping[str, str]:
        """The domain before it was corrected, and the corrected one in words."""
        return {"written.pddl": self.written, "words.txt": self.said}


KINDS: tuple[type[Detail], ...] = (Repair, JudgedTranslation, Built)
_Details = msgspec.defstruct("_Details", [(kind.name, kind | None, None) for kind in KINDS])


def read_details(data: Mapping[str, Any]) -> tuple[Detail, ...]:
    """The details that a record's plain data hold. Raises msgspec.ValidationError, which names the field."""
    there: dict[str, Any] = {}
    for kind in KINDS:
        for name in (*kind.earlier, kind.name):
            value = data.get(name)
            if isinstance(value, Mapping):
                value = {kind.renamed.get(key, key): part for key, part in value.items()}
            if value is not None:
                there[kind.name] = value
    found = msgspec.convert(there, _Details) if there else None
    details = (getattr(found, name) for name in there)
    return tuple(detail for detail in details if detail is not None)
