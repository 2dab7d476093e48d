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
    UNSOLVABLE_INCOMPLETE = "unsolvable_incomplete"  #: the space is empty, but it was not the whole one
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
        own = (PlanOutcome.SOLVED, PlanOutcome.UNSOLVABLE_PROVED)  # with whatever time and memory
        return self in (*own, PlanOutcome.INVALID_INPUT, PlanOutcome.UNSUPPORTED)


#: Every documented exit code. 33, 35 and 36 mean that our command line or the installation is at fault.
EXIT_CODES: dict[int, PlanOutcome] = {
    **dict.fromkeys((0, 1, 2, 3), PlanOutcome.SOLVED),  # 1 to 3: a plan was found, then a limit was reached
    **dict.fromkeys((10, 11), PlanOutcome.UNSOLVABLE_PROVED),
    **dict.fromkeys((12, 13), PlanOutcome.UNSOLVABLE_INCOMPLETE),  # 13: none within a cost bound
    **dict.fromkeys((20, 22), PlanOutcome.MEMOUT),
    **dict.fromkeys((21, 23, 24), PlanOutcome.TIMEOUT),
    **dict.fromkeys((30, 32, 33, 35, 36), PlanOutcome.CRASH),
    31: PlanOutcome.INVALID_INPUT,
    **dict.fromkeys((34, 37), PlanOutcome.UNSUPPORTED),
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
