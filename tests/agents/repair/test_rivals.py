"""Rivals of a repaired precondition: a walk that only one of the two allows is made, and decides."""

import numpy as np
import pytest

from agents.repair.constraints import fewest_edits
from agents.repair.rivals import MOST_STATES, rivals, settle_rivals
from agents.repair.session import RepairConfig, RepairSession, RepairTask
from agents.repair.text import edited_problem
from envs.pddl.mutation.faults import BreakKind
from envs.pddl.simulation.compile import compile_task
from envs.world import open_world
from ew.counterexample.exposure import Kind, first_difference
from experiments.studies.repair.cases import break_world

#: A session whose first look leaves much undecided.
LONG = RepairConfig(wall_s=600, walks=2, t_max=6)
CASES = [("blocksworld", 1), ("hiking", 0), ("termes", 0)]


def session_of(env, seed):
    case = break_world(env, "f01", BreakKind.REMOVED, 5, seed)
    task = RepairTask(open_world(env, "f01"), case.given)
    session = RepairSession([task], np.random.default_rng(seed), LONG)
    session.look()
    return session


def kinds_of(session, candidate):
    """How a candidate differs from each of its rivals."""
    for rival in rivals(session.repairs(), candidate):
        both = candidate, rival.in_place(candidate)
        tasks = [compile_task(edited_problem(session.model, each)) for each in both]
        yield first_difference(*tasks, MOST_STATES).kind


@pytest.mark.parametrize(("env", "seed"), CASES)
def test_no_two_rivals_are_left_that_a_walk_could_decide_between(env, seed):
    session, met = session_of(env, seed), 0
    for _ in range(20):
        candidate = fewest_edits(session.repairs(), 600).candidate
        met += len(list(rivals(session.repairs(), candidate)))
        before = session.queries
        left = settle_rivals(session, candidate)
        if session.explains(candidate):
            kinds = list(kinds_of(session, candidate))
            assert Kind.EXECUTABLE not in kinds
            assert [one.equal for one in left] == [kind is not Kind.UNKNOWN for kind in kinds]
            break
        assert session.queries > before
    else:
        raise AssertionError("no end")
    assert met
