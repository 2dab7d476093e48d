"""Problems of domains whose reachable states are known, read in the roles of their rules."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from envs.pddl.equivalence.goals.goal import Goal
from envs.pddl.equivalence.known_domains.blocks import BLOCKS
from envs.pddl.equivalence.known_domains.grippers import GRIPPER
from envs.pddl.equivalence.known_domains.patterns import Cast, Impossible, Members, Oracle, cast
from envs.pddl.language.structure import GroundAtom, Problem

ORACLES = (BLOCKS, GRIPPER)


@dataclass(frozen=True)
class Recognised:
    """A problem whose initial state is one that its domain's rules assume. Atoms bear roles."""

    oracle: Oracle
    cast: Cast
    members: Members
    init: frozenset[GroundAtom]  #: what never changes is left out
    wanted: frozenset[GroundAtom]  #: by the goal


def recognise(problem: Problem, goal: Goal) -> Recognised | None:
    """The problem in roles; None if its domain has no rules, they do not apply, or the goal has negations."""
    if goal.negative:
        return None
    for oracle in ORACLES:
        found = cast(oracle.rules, problem.domain)
        if found is not None:
            return _recognised(oracle, found, problem, goal)
    return None


def _recognised(oracle: Oracle, found: Cast, problem: Problem, goal: Goal) -> Recognised | None:
    members: dict[str, frozenset[str]] = {}
    for kind in found.wanted:
        objects = found.members(problem, kind)
        if objects is None:
            return None
        members[kind] = objects
    init, wanted = found.renamed(problem.init), found.renamed(goal.positive)
    if not _disjoint(members) or not _of_kind(oracle, init | wanted, members):
        return None
    with suppress(Impossible):
        if oracle.is_whole(init, members):
            return Recognised(oracle, found, members, init, wanted)
    return None


def _disjoint(members: Members) -> bool:
    return len(frozenset().union(*members.values())) == sum(map(len, members.values()))


def _of_kind(oracle: Oracle, atoms: frozenset[GroundAtom], members: Members) -> bool:
    """Whether every argument is of the kind that its role takes."""
    return all(
        argument in members[kind]
        for atom in atoms
        for argument, kind in zip(atom[1:], oracle.kinds[atom[0]], strict=True)
    )
