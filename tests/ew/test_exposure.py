"""Exposure: what is found is real, what is spent is counted, and nothing is found where nothing is wrong."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from graph_worlds import GraphSystem, GraphWorld
from graphs import PAIRS, started
from hypothesis import given
from hypothesis import strategies as st
from parted_worlds import LISTING, SILENT, parted
from wide import wide

from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.mutation.faults import BreakKind, break_domain
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.reference import ReferenceSimulator
from envs.source import read_texts
from ew.counterexample.disagreement import Direction, Disagreement, state_before
from ew.counterexample.exposure import ExposureConfig, Kind, expose, first_difference
from ew.counterexample.shrink import shrink
from ew.walks.adapter import transitions_of
from ew.walks.policies import POLICIES, Hints, make_policy
from ew.walks.walk_policy import WalkPolicy

SMALL = ExposureConfig(budget=60, batch=4, horizon=5)
#: One of each kind of policy.
KINDS = ("uniform", "coverage", "disagreement", "plan_prefix")


class Asked:
    """A GraphSystem that counts the states it was asked in."""

    def __init__(self, graph):
        self._system = GraphSystem(graph)
        self.operators = self._system.operators
        self.states = 0

    def initial(self, batch):
        return self._system.initial(batch)

    def applicable(self, states):
        self.states += len(states)
        return self._system.applicable(states)

    def successors(self, states, operators):
        return self._system.successors(states, operators)


def find(world, model, name="uniform", seed=0, config=SMALL):
    there = GraphSystem(model)
    policy = make_policy(name, Hints(there, there.operators[:2], (there, GraphSystem(world))))
    return expose(GraphSystem(world), there, policy, np.random.default_rng(seed), config)


@pytest.mark.parametrize("name", POLICIES)
@given(world=started, model=started, seed=st.integers(0, 9))
def test_an_exposing_walk_can_be_checked_on_both_sides(name, world, model, seed):
    found = find(world, model, name, seed)
    if found.chosen is None:
        assert found.walk == () and found.direction is None
        return
    here, there = GraphWorld(world), GraphWorld(model)
    runs, refuses = (here, there) if found.direction is Direction.FORWARD else (there, here)
    assert runs.executable(found.walk).steps == len(found.walk)
    assert refuses.executable(found.walk).steps == len(found.walk) - 1


@given(started, started, st.integers(0, 9))
def test_an_exposing_walk_is_a_disagreement_that_can_be_shrunk(world, model, seed):
    here, there = GraphWorld(world), GraphSystem(model)
    found = expose(transitions_of(here), there, WalkPolicy, np.random.default_rng(seed), SMALL)
    if found.direction is not None:
        told = Disagreement(found.direction, found.walk, state_before(here, found.walk))
        assert told.state == here.describe(told.executed)
        assert shrink(here, there, told).disagreement.failing == told.failing


@pytest.mark.parametrize("name", wide(POLICIES, *KINDS))
@given(world=started, model=started, seed=st.integers(0, 9))
def test_lists_tell_no_later_than_choices_and_neither_exceeds_what_was_spent(name, world, model, seed):
    found = find(world, model, name, seed)
    assert found.queries <= SMALL.budget
    if found.chosen is not None:
        assert found.listed <= found.chosen == found.queries
    else:
        assert found.listed is None or found.listed <= found.queries


@pytest.mark.parametrize("name", wide(POLICIES, *KINDS))
@given(graph=started, seed=st.integers(0, 9))
def test_a_system_is_never_exposed_by_itself(name, graph, seed):
    found = find(graph, graph, name, seed)
    assert found.chosen is None and found.listed is None


@given(world=started, model=started, seed=st.integers(0, 9))
def test_every_question_to_the_world_is_counted_and_the_budget_never_overdrawn(world, model, seed):
    asked = Asked(world)
    found = expose(asked, GraphSystem(model), WalkPolicy, np.random.default_rng(seed), SMALL)
    assert asked.states <= SMALL.budget
    if found.chosen is None:
        assert asked.states == found.queries
    else:  # the other walks of the batch made the same step
        assert found.queries <= asked.states < found.queries + SMALL.batch


def test_a_dead_end_of_the_model_exposes_nothing_where_the_world_is_not_asked():
    world, model = {0: {"(a)": 1}, 1: {"(b)": 1}}, {0: {"(a)": 1}}
    # Two walks make (a); then the world offers (b) to the first, and the second has ended.
    found = find(world, model, config=ExposureConfig(budget=60, batch=2, horizon=5))
    assert (found.listed, found.chosen) == (3, 3)
    asked = Asked({0: {}})
    found = expose(asked, GraphSystem({}), WalkPolicy, np.random.default_rng(0), SMALL)
    assert (found.listed, found.queries) == (None, asked.states)


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_named_mistakes_are_exposed_within_the_budget(pair):
    assert find(*pair).listed is not None


@pytest.mark.parametrize("name", POLICIES)
def test_a_side_that_can_do_nothing_is_exposed_at_once(name):
    stuck, ring = {0: {}}, {0: {"(a)": 0}}
    assert find(ring, stuck, name).chosen == 1
    assert find(stuck, ring, name).listed == 1


def test_a_budget_is_spent_to_the_last_query_where_nothing_is_found():
    ring = {0: {"(a)": 0, "(b)": 0}}
    for budget in (1, 7, 60):
        assert find(ring, ring, config=ExposureConfig(budget, batch=4, horizon=5)).queries == budget


def test_staggered_walks_take_all_lengths_in_turn():
    chain = {i: {"(on)": i + 1} for i in range(3)}
    wrong = {i: {"(on)": i + 1} for i in range(2)} | {2: {"(other)": 3}}
    short = ExposureConfig(budget=60, batch=2, horizon=3, staggered=True)
    # A mistake at step 3 is met by the third walk of a direction: 2 (1 + 2) queries come before.
    assert find(chain, wrong, config=short).chosen == 6 + 2 * 2 + 1


@pytest.mark.parametrize("bad", [{"budget": 0}, {"batch": 0}, {"horizon": 0}])
def test_settings_that_cannot_be_meant_are_refused(bad):
    with pytest.raises(ValueError, match="positive"):
        ExposureConfig(**bad)


DOMAIN = (
    "(define (domain lamp) (:requirements :strips) (:predicates (on) (seen) (idle))"
    "(:action press :precondition (idle) :effect (and (on) (not (idle))))"
    "(:action look :precondition (on) :effect (seen)))"
)


def lamp(old="", new=""):
    problem = "(define (problem p) (:domain lamp) (:init (idle)) (:goal (seen)))"
    assert old in DOMAIN
    return compile_task(read_problem(problem, read_domain(DOMAIN.replace(old, new) if old else DOMAIN)))


def test_a_task_differs_from_itself_in_nothing():
    assert first_difference(lamp(), lamp()).kind is Kind.NONE


def test_a_lost_effect_that_only_the_goal_needs_is_a_difference_of_the_goal():
    assert first_difference(lamp(), lamp("(seen)))", "(on)))")).kind is Kind.GOAL


def test_a_lost_precondition_is_a_difference_of_what_can_be_executed():
    assert first_difference(lamp(), lamp(":precondition (on)", ":precondition ()")).kind is Kind.EXECUTABLE
    assert first_difference(lamp(":precondition (on)", ":precondition ()"), lamp()).kind is Kind.EXECUTABLE


def ran(problem, walk):
    """How many operators of a walk run, by the reference simulator."""
    slow = ReferenceSimulator(problem)
    state = slow.initial()
    for done, operator in enumerate(walk):
        if operator not in slow.applicable(state):
            return done
        state = slow.successor(state, operator)
    return len(walk)


@pytest.mark.parametrize("kind", [BreakKind.REMOVED, BreakKind.ARGUMENTS])
@pytest.mark.parametrize("seed", range(6))
def test_the_walk_to_a_difference_runs_on_both_sides_but_for_its_last_operator(seed, kind):
    true = read_problem(read_texts("grippers", 1).problem, read_domain(read_texts("grippers", 1).domain))
    broken = break_domain(true.domain, kind, 1, np.random.default_rng(seed))
    wrong = read_problem(broken.problem(true), read_domain(broken.domain))
    found = first_difference(compile_task(true), compile_task(wrong), 500)
    assert bool(found.walk) == (found.kind is Kind.EXECUTABLE)
    if found.walk:
        shorter = len(found.walk) - 1
        assert sorted(ran(problem, found.walk) for problem in (true, wrong)) == [shorter, shorter + 1]


def test_a_difference_beyond_the_limit_is_unknown():
    later = lamp("(not (idle))", "(not (seen))")
    assert first_difference(lamp(), later, max_states=0).kind is Kind.UNKNOWN
    assert first_difference(lamp(), later).kind is Kind.EXECUTABLE


class Noting(WalkPolicy):
    """A uniform policy that notes each row's own number at each step."""

    def __init__(self, system, seen):
        self.seen = seen

    def weights(self, scene):
        self.seen.append(dict(zip(scene.rows.tolist(), scene.own.tolist(), strict=True)))
        return super().weights(scene)


def test_a_row_has_a_number_of_its_own_that_no_step_is_drawn_by():
    ring, seen = {0: {"(a)": 0, "(b)": 0}}, []
    config = ExposureConfig(budget=20, batch=4, horizon=5)
    expose(GraphSystem(ring), GraphSystem(ring), partial(Noting, seen=seen), np.random.default_rng(3), config)
    own = np.random.default_rng(3).random((4, 6))[:, 5]
    assert len(seen) == 10
    assert all(number == own[row] for noted in seen for row, number in noted.items())


@pytest.mark.parametrize("parts", LISTING.values(), ids=LISTING)
def test_a_simulator_that_answers_where_it_is_goes_along_its_walks_once(parts):
    ring = {i: {"(left)": (i - 1) % 20, "(right)": (i + 1) % 20} for i in range(20)}
    system = transitions_of(parted(parts, ring))
    found = expose(system, GraphSystem(ring), WalkPolicy, np.random.default_rng(0), ExposureConfig(400))
    assert found.queries == 400 and found.chosen is None and system.cost.steps > 0
    if system.walk_steps(2) == 2:  # else each question is a walk from the start
        assert system.cost.steps <= found.queries


@pytest.mark.parametrize(
    "parts",
    wide(
        [(parts,) for parts in (*LISTING.values(), *SILENT.values())],
        *((LISTING[name],) for name in ("replay", "steps", "snapshots and keys")),
        *((SILENT[name],) for name in ("replay", "steps", "keys", "forks")),
    ),
)
@given(world=started, model=started, seed=st.integers(0, 9))
def test_what_walks_find_in_a_simulator_holds_on_both_sides(parts, world, model, seed):
    system = transitions_of(parted(parts, world))
    found = expose(system, GraphSystem(model), WalkPolicy, np.random.default_rng(seed), SMALL)
    assert found.queries <= SMALL.budget and found.chosen in (None, found.queries)
    if found.direction is not None:
        here, there = GraphWorld(world), GraphWorld(model)
        runs, refuses = (here, there) if found.direction is Direction.FORWARD else (there, here)
        assert runs.executable(found.walk).steps == len(found.walk)
        assert refuses.executable(found.walk).steps == len(found.walk) - 1


@given(world=started, model=started, seed=st.integers(0, 9))
def test_where_lists_are_compared_the_first_difference_ends_the_search(world, model, seed):
    """It is what the lists alone would have shown, for as many queries, and only one side runs it."""
    compared = find(world, model, seed=seed, config=replace(SMALL, compares=True))
    assert compared.chosen == compared.listed == find(world, model, seed=seed).listed
    if compared.chosen is not None:
        ran = [side.executable(compared.walk).steps for side in (GraphWorld(world), GraphWorld(model))]
        expected = [len(compared.walk), len(compared.walk) - 1]
        assert ran == (expected if compared.direction is Direction.FORWARD else expected[::-1])
