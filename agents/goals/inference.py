"""What an agent is after, without a language model: one call for plans seen whole and for prefixes."""

from __future__ import annotations

from agents.goals.ranking import Prospects, rank_prefix, rank_whole
from agents.goals.relaxed import RelaxedSteps
from agents.goals.space import Goal, GoalSpace
from agents.goals.task import Observed
from envs.pddl.simulation.grounding import Limits

#: Learned operators may need too little, and then run nearly everywhere.
LIMITS = Limits(max_groundings=100_000, max_literals=10_000_000, cpu_s=60.0)


def infer(observed: Observed, space: GoalSpace, *, whole: bool) -> tuple[Goal, ...]:
    """All goals that may be meant, the best first.

    `whole` says that the plan was seen to its end. Raises GroundingExploded if the steps that could have been
    taken in the rest of it are too many to be listed.
    """
    graph = observed.graph
    if whole:
        return rank_whole(graph, observed.facts, space, space.beyond(observed.operators))
    return rank_prefix(graph, observed.facts, prospects(observed, space), space)


def prospects(observed: Observed, space: GoalSpace) -> Prospects:
    """The relaxed plans for each candidate, from the start and from where the prefix led.

    Raises GroundingExploded.
    """
    steps = RelaxedSteps(observed.operators, observed.steps(LIMITS))
    before = steps.ways(observed.facts, space, observed.facts)
    return Prospects(before, steps.ways(observed.reached, space, observed.facts))
