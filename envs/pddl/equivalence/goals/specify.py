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

from envs.pddl.equivalence.goals.completion import Completion, Exactness, unreachable
from envs.pddl.equivalence.goals.derive import Means, derive
from envs.pddl.equivalence.goals.goal import Goal
from envs.pddl.equivalence.known_domains.claims import Impossible
from envs.pddl.equivalence.known_domains.recognised import recognise
from envs.pddl.language.structure import Problem

MEANS = Means()


def specify(problem: Problem, goal: Goal, means: Means = MEANS) -> Completion:
    """Complete the goal of a problem, which `read_goal` has read. Raises what `derive` does."""
    if goal.impossible:
        return unreachable(goal, goal.impossible)
    by_rules = specify_by_rules(problem, goal) if means.by_rules else None
    return by_rules if by_rules is not None else derive(problem, goal, means)


def specify_by_rules(problem: Problem, goal: Goal) -> Completion | None:
    """Complete a goal by the exact rules of its domain; None if there are none or they do not apply."""
    known = recognise(problem, goal)
    if known is None:
        return None
    try:
        atoms = known.cast.back(known.oracle.implied(known.wanted, known.members))
    except Impossible as error:
        return unreachable(goal, str(error))
    return Completion(Goal(atoms), Exactness.EXACT)
