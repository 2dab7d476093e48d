"""Goals completed with all they imply in the states that can be reached.

Where the domain is Blocksworld or Gripper, under whatever names, and the initial state is as their rules
assume, the rules give the exact answer. Elsewhere, and for goals with negations, see `derive`.

A completed goal holds the atoms that are true in all reachable goal states, and those of the goal's
negations, and negations implied by it, that these atoms do not imply. So it is the same for all goals with
the same reachable goal states, however they are written. Static atoms are left out, as the initial state
says them.

Source: fullySpecify of Zuo et al. 2024, section 4.1 and appendix C.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from envs.pddl.equivalence.blocks import BLOCKS
from envs.pddl.equivalence.claims import Impossible, Members, Oracle
from envs.pddl.equivalence.goals import Goal
from envs.pddl.equivalence.grippers import GRIPPER
from envs.pddl.equivalence.patterns import Cast, cast
from envs.pddl.language import GroundAtom, Problem

ORACLES = (BLOCKS, GRIPPER)


class Exactness(StrEnum):
    """How a completed goal relates to what holds in all reachable goal states."""

    EXACT = "exact"
    SOUND = "sound"  #: all that was added holds there; more may hold
    UNREACHABLE = "unreachable"  #: no reachable state satisfies the goal


@dataclass(frozen=True)
class Completion:
    """A completed goal."""

    goal: Goal
    exactness: Exactness
    reason: str = ""  #: why it is not exact, in words


def specify(problem: Problem, goal: Goal) -> Completion:
    """Complete the goal of a problem, which `read_goal` has read."""
    if goal.impossible:
        return unreachable(goal, goal.impossible)
    by_rules = specify_by_rules(problem, goal)
    if by_rules is not None:
        return by_rules
    return Completion(goal, Exactness.SOUND, "what the goal implies is not known for this domain")


def specify_by_rules(problem: Problem, goal: Goal) -> Completion | None:
    """Complete a goal by the exact rules of its domain; None if there are none or they do not apply."""
    if goal.negative:
        return None
    for oracle in ORACLES:
        found = cast(oracle.rules, problem.domain)
        if found is not None:
            return _by_oracle(oracle, found, problem, goal)
    return None


def unreachable(goal: Goal, part: str) -> Completion:
    """The completion of a goal of which a part holds in no reachable state."""
    return Completion(goal, Exactness.UNREACHABLE, f"no reachable state satisfies {part}")


def _by_oracle(oracle: Oracle, found: Cast, problem: Problem, goal: Goal) -> Completion | None:
    members: dict[str, frozenset[str]] = {}
    for kind in found.wanted:
        objects = found.members(problem, kind)
        if objects is None:
            return None
        members[kind] = objects
    init, wanted = found.renamed(problem.init), found.renamed(goal.positive)
    if not _disjoint(members) or not _of_kind(oracle, init | wanted, members):
        return None
    if not oracle.is_whole(init, members):
        return None
    try:
        atoms = found.back(oracle.implied(wanted, members))
    except Impossible as error:
        return unreachable(goal, str(error))
    return Completion(Goal(atoms), Exactness.EXACT)


def _disjoint(members: Members) -> bool:
    return len(frozenset().union(*members.values())) == sum(map(len, members.values()))


def _of_kind(oracle: Oracle, atoms: frozenset[GroundAtom], members: Members) -> bool:
    """Whether every argument is of the kind that its role takes."""
    return all(
        argument in members[kind]
        for atom in atoms
        for argument, kind in zip(atom[1:], oracle.kinds[atom[0]], strict=True)
    )
