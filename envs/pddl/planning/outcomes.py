"""The closed set of what can become of a planning call, and what each of Fast Downward's endings means.

Three kinds of blame are kept apart: the task has no plan or could not be read (the model's), a limit was
reached (nobody's; listed, counted as unsolved), or the machine or our own call failed (infrastructure:
rerun or abort, never scored). An ending that nothing explains is a crash.

Source of the exit codes: the planner's documentation (www.fast-downward.org, "exit codes").
"""

from __future__ import annotations

from enum import StrEnum

from envs.pddl.process import ChildResult, ChildStatus


class PlanOutcome(StrEnum):
    """What became of a planning call."""

    SOLVED = "solved"
    UNSOLVABLE_PROVED = "unsolvable_proved"
    UNSOLVABLE_INCOMPLETE = (
        "unsolvable_incomplete"  #: the search space is empty, but it was not the whole one
    )
    TIMEOUT = "timeout"
    MEMOUT = "memout"
    UNSUPPORTED = "unsupported"  #: legal PDDL that this planner cannot handle
    INVALID_INPUT = "invalid_input"  #: the planner could not read the task
    KILLED = "killed"  #: ended by a signal that was not ours
    CRASH = "crash"  #: an error inside the planner, in our call of it, or an unexplained ending

    @property
    def infrastructure(self) -> bool:
        """Whether the machine or the program failed, so that nothing is known about the task."""
        return self in (PlanOutcome.KILLED, PlanOutcome.CRASH)

    @property
    def judges(self) -> bool:
        """Whether this says something about the task, and not about limits, the search or the machine."""
        return self in _VERDICTS


#: What a planner says of a task itself, with whatever time and memory.
_VERDICTS = frozenset(
    {
        PlanOutcome.SOLVED, PlanOutcome.UNSOLVABLE_PROVED, PlanOutcome.INVALID_INPUT, PlanOutcome.UNSUPPORTED,
    }
)  # fmt: skip

#: Every documented exit code. 33, 35 and 36 mean that our command line or the installation is at fault.
EXIT_CODES: dict[int, PlanOutcome] = {
    0: PlanOutcome.SOLVED,
    1: PlanOutcome.SOLVED,  # a plan was found, then memory ran out
    2: PlanOutcome.SOLVED,  # a plan was found, then time ran out
    3: PlanOutcome.SOLVED,  # a plan was found, then both ran out
    10: PlanOutcome.UNSOLVABLE_PROVED,
    11: PlanOutcome.UNSOLVABLE_PROVED,
    12: PlanOutcome.UNSOLVABLE_INCOMPLETE,
    13: PlanOutcome.UNSOLVABLE_INCOMPLETE,  # none within a cost bound
    20: PlanOutcome.MEMOUT,
    21: PlanOutcome.TIMEOUT,
    22: PlanOutcome.MEMOUT,
    23: PlanOutcome.TIMEOUT,
    24: PlanOutcome.TIMEOUT,
    30: PlanOutcome.CRASH,
    31: PlanOutcome.INVALID_INPUT,
    32: PlanOutcome.CRASH,
    33: PlanOutcome.CRASH,
    34: PlanOutcome.UNSUPPORTED,
    35: PlanOutcome.CRASH,
    36: PlanOutcome.CRASH,
    37: PlanOutcome.UNSUPPORTED,
}

#: What the planner prints when the fault it reports as invalid input is legal PDDL beyond its reach.
_BEYOND_REACH = ("Invalid requirement", "does not support", "not supported", "Got: (either ")

#: A driver hands on its component's -9 as 247; no signal's number exceeds 64.
_FIRST_SIGNAL_CODE = 256 - 64


def classify(child: ChildResult, has_plan: bool) -> PlanOutcome:
    """What a finished planner call means, from its status, exit code, output, and whether it left a plan.

    Raises ValueError for a child that never started: that is no outcome of planning.
    """
    match child.status:
        case ChildStatus.TIMEOUT:
            return PlanOutcome.TIMEOUT
        case ChildStatus.MEMORY:
            return PlanOutcome.MEMOUT
        case ChildStatus.KILLED:
            return PlanOutcome.KILLED
        case ChildStatus.MISSING:
            raise ValueError("a planner that never started has no outcome; raise PlannerMissing instead")
    code = child.returncode
    if code is None or code >= _FIRST_SIGNAL_CODE:
        return PlanOutcome.KILLED
    outcome = EXIT_CODES.get(code, PlanOutcome.CRASH)
    if outcome is PlanOutcome.CRASH and "MemoryError" in child.stderr:
        return PlanOutcome.MEMOUT  # so early that the planner could not say it by its code
    if outcome is PlanOutcome.SOLVED and not has_plan:
        return PlanOutcome.CRASH
    if outcome is PlanOutcome.INVALID_INPUT and any(words in child.stdout for words in _BEYOND_REACH):
        return PlanOutcome.UNSUPPORTED
    return outcome
