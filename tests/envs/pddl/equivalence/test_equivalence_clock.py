"""Every phase of a comparison keeps the deadline, and an exhausted search is a proof."""

import pytest
from kernel_samples import problem_of
from test_invariants import CHEST, CHESTS

from envs.pddl.equivalence.compare import Verdict, compare
from envs.pddl.equivalence.deadline import Deadline, OutOfTime
from envs.pddl.equivalence.goals.derive import Means, aiming_at
from envs.pddl.equivalence.goals.explore import Explorer
from envs.pddl.equivalence.graphs.symmetries import Symmetries
from envs.pddl.equivalence.invariants.invariants import derive_invariants
from envs.pddl.equivalence.invariants.transitions import transitions
from envs.pddl.planning.planner import Planner, PlanOutcome, planner_texts

PROBLEM = problem_of(
    CHESTS, CHEST.format("(lit a) (lit b) (out c) (out d) (near a b) (near b c) (near c d) (near d a)")
)
LINE = problem_of(CHESTS, CHEST.format("(lit a) (lit b) (out c) (out d) (near a b) (near b c) (near c d)"))
OVER = [(("out", "a"), True), (("out", "b"), True)]
#: More than it implies, so that it cannot be reached.
NEVER = [*OVER, (("out", "c"), True)]


class Looks(Deadline):
    """A deadline that is over after so many looks at it."""

    def __init__(self, looks: int):
        super().__init__(None)
        self.looks = looks

    def left(self) -> None:
        self.looks -= 1
        if self.looks < 0:
            raise OutOfTime("over")


PHASES = {
    "transitions": lambda d: transitions(PROBLEM, d),
    "states": lambda d: Explorer(PROBLEM, transitions(PROBLEM), 5000, d),
    "invariants": lambda d: derive_invariants(transitions(PROBLEM), "", d),
    "mappings": lambda d: Symmetries(PROBLEM.init, dict.fromkeys(PROBLEM.objects, 0)).find([], [], d),
}


@pytest.mark.parametrize("phase", PHASES)
def test_a_phase_ends_at_whatever_look_the_time_is_over(phase):
    clock = Looks(10**9)
    PHASES[phase](clock)
    looks = 10**9 - clock.looks
    assert looks >= 4  # it looks at the clock within its loops, not at its ends alone
    for number in range(looks):
        with pytest.raises(OutOfTime):
            PHASES[phase](Looks(number))


def test_a_search_through_all_states_is_a_proof():
    texts = planner_texts(aiming_at(LINE, NEVER, []))
    for search in (Planner().search, "lazy_greedy([goalcount()])"):
        result = Planner(search=search).plan(*texts)
        assert result.outcome is PlanOutcome.UNSOLVABLE_PROVED


def test_a_search_with_a_bound_is_none():
    problem = aiming_at(LINE, [(("lit", "d"), True), (("out", "b"), True)], [])
    search = "lazy_greedy([goalcount()], bound=1)"
    result = Planner(search=search).plan(*planner_texts(problem))
    assert result.plan is None
    assert result.outcome is PlanOutcome.UNSOLVABLE_INCOMPLETE
    assert Planner().plan(*planner_texts(problem)).plan is not None


def test_goals_that_no_invariant_makes_the_same_are_shown_to_be_so_by_going_through_all_states():
    one = aiming_at(LINE, OVER, [])
    other = aiming_at(LINE, [*OVER, (("lit", "c"), True)], [])
    few = Means(max_states=1)
    assert compare(one, other, deadline_s=None, means=few).verdict is Verdict.EQUIVALENT
    alone = Means(max_states=1, planner=None)
    assert compare(one, other, deadline_s=None, means=alone).verdict is Verdict.UNSUPPORTED
