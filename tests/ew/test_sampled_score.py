"""Scores without lists of operators: the same numbers, for exploding models and for the poorest of worlds."""

import numpy as np
import pytest
from graph_worlds import GraphSystem, GraphWorld
from graphs import MODEL, PAIRS, WORLD
from test_any_world import DOMAIN, PROBLEM, Lift
from wide import wide

from envs.pddl.interface import ActionSignature, Parameter
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.simulation.compile import compile_task
from envs.source import read_texts
from ew.lifted.executability import ExecutabilitySystem
from ew.lifted.sampled import GroundSystem, LiftedSystem, SamplingGaveUp
from ew.lifted.sampled_score import NotCountable, sampled_score
from ew.score.config import EWConfig
from ew.score.exact import exact_ew
from ew.score.registry import ESTIMATORS
from ew.score.score import EWVerdict, ew_score
from ew.walks.budget import BudgetExceeded, QueryBudget

T_MAX = 5


class Poor:
    """The part of a world that every world has: names, and whether a walk runs."""

    def __init__(self, world):
        self.types, self.objects, self.actions = world.types, world.objects, world.actions
        self.executable = world.executable


def lift_model(domain=DOMAIN):
    return read_problem(PROBLEM, read_domain(domain))


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("pair", wide(PAIRS, "two mistakes", "the world dies"))
def test_walks_one_at_a_time_estimate_the_exact_values(pair, estimator):
    world, model = (GraphSystem(g) for g in PAIRS[pair])
    exact = exact_ew(world, model, T_MAX)
    config = EWConfig(1500, T_MAX, estimator=estimator)
    found = sampled_score(GroundSystem(world), GroundSystem(model), np.random.default_rng(4), config)
    assert found.score == pytest.approx(exact.score, abs=4 * found.stderr)
    assert found.forward == pytest.approx(exact.forward, abs=0.05)
    assert found.backward == pytest.approx(exact.backward, abs=0.05)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_lifted_model_scores_like_the_compiled_one(estimator):
    texts = read_texts("grippers", 1)
    wrong = read_problem(texts.problem, read_domain(texts.domain.replace(" (free ?r ?g))\n", ")\n", 1)))
    world = compile_task(read_problem(texts.problem, read_domain(texts.domain)))
    config = EWConfig(40, T_MAX, estimator=estimator)
    compiled = ew_score(world, compile_task(wrong), np.random.default_rng(0), config)
    found = sampled_score(GroundSystem(world), LiftedSystem(wrong), np.random.default_rng(0), config)
    assert found.score < 1.0
    assert found.score == pytest.approx(compiled.score, abs=4 * (found.stderr + compiled.stderr))


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_model_of_millions_of_operators_is_scored(estimator):
    domain = DOMAIN.replace(
        "(:action down",
        "(:action jump :parameters (?a ?b ?c ?d ?e ?f ?g ?h ?i ?j ?k - floor) "
        ":precondition (at ?a) :effect (not (at ?b)))\n (:action down",
    )
    system = LiftedSystem(lift_model(domain))
    assert system.count(system.initial()) == 4**10 + 1
    world = GroundSystem(compile_task(lift_model()))
    config = EWConfig(40, T_MAX, estimator=estimator)
    found = sampled_score(world, system, np.random.default_rng(0), config)
    assert (found.forward, found.verdict) == (1.0, EWVerdict.SCORED)
    assert found.backward < 0.01


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_world_with_nothing_but_executability_is_scored(estimator):
    config = EWConfig(16, T_MAX, estimator=estimator)
    world = ExecutabilitySystem(Poor(Lift()))
    right = sampled_score(world, LiftedSystem(lift_model()), np.random.default_rng(0), config)
    assert right.score == 1.0
    assert right.world_queries == world.asked > 0
    forgetful = lift_model(DOMAIN.replace("(not (at ?from)) (at ?to)", "(at ?to)"))
    wrong = sampled_score(
        ExecutabilitySystem(Poor(Lift())), LiftedSystem(forgetful), np.random.default_rng(0), config
    )
    assert wrong.forward == 1.0 and wrong.backward < 0.9


@pytest.mark.parametrize("estimator", ["prefix", "survival"])
def test_executability_alone_gives_the_exact_values_too(estimator):
    exact = exact_ew(GraphSystem(WORLD), GraphSystem(MODEL), T_MAX).score
    config = EWConfig(600, T_MAX, estimator=estimator)
    world = ExecutabilitySystem(Poor(GraphWorld(WORLD)))
    found = sampled_score(world, GroundSystem(GraphSystem(MODEL)), np.random.default_rng(0), config)
    assert found.score == pytest.approx(exact, abs=4 * found.stderr)


def test_drawing_by_executability_is_uniform_and_asks_each_walk_once():
    world = ExecutabilitySystem(
        Poor(GraphWorld({0: {label: 0 for label in ("(a)", "(b)", "(c)")}, 1: {"(d)": 0}}))
    )
    rng = np.random.default_rng(0)
    drawn = [world.draw((), rng) for _ in range(3000)]
    assert [drawn.count(o) / 3000 for o in ("(a)", "(b)", "(c)")] == pytest.approx([1 / 3] * 3, abs=0.04)
    assert "(d)" not in drawn and world.asked == 4
    assert world.listed(()) == ("(a)", "(b)", "(c)") and world.count(()) == 3 and world.asked == 4


def test_a_dead_end_is_certain_only_if_everything_was_tried():
    assert ExecutabilitySystem(Poor(GraphWorld({1: {"(a)": 0}}))).draw((), np.random.default_rng(0)) is None
    assert ExecutabilitySystem(Poor(GraphWorld({}))).draw((), np.random.default_rng(0)) is None

    class Still(Poor):
        """Can do nothing, and has too many operators to try them all."""

        def __init__(self):
            super().__init__(Lift())
            self.objects = {f"f{i}": "floor" for i in range(400)}

    with pytest.raises(SamplingGaveUp):
        ExecutabilitySystem(_refusing(Still())).draw((), np.random.default_rng(0))


def _refusing(world):
    nothing = Lift().executable(("(fly)",))
    world.executable = lambda walk: nothing
    return world


def test_a_budget_stops_the_asking():
    budget = QueryBudget(3)
    world = ExecutabilitySystem(Poor(GraphWorld({1: {"(a)": 0, "(b)": 0, "(c)": 0, "(d)": 0}})), budget)
    with pytest.raises(BudgetExceeded):
        world.draw((), np.random.default_rng(0))
    assert budget.spent == world.asked == 3


def test_survival_of_two_sides_that_cannot_be_listed_is_refused():
    class Uncountable(GroundSystem):
        def listed(self, state):
            return None

        def count(self, state):
            return None

        def draw(self, state, rng):
            return "(a)"

    with pytest.raises(NotCountable, match="use `prefix`"):
        sampled_score(
            Uncountable(GraphSystem(WORLD)),
            Uncountable(GraphSystem(MODEL)),
            np.random.default_rng(0),
            EWConfig(4, 2, estimator="survival"),
        )


def test_stuck_sides_are_told_apart():
    rng = np.random.default_rng(0)
    assert (
        sampled_score(GroundSystem(GraphSystem({})), GroundSystem(GraphSystem(WORLD)), rng).verdict
        is EWVerdict.WORLD_STUCK
    )
    verdict = sampled_score(GroundSystem(GraphSystem(WORLD)), GroundSystem(GraphSystem({})), rng).verdict
    assert verdict is EWVerdict.NO_INITIAL_ACTION


def test_the_same_seed_gives_the_same_score():
    config = EWConfig(20, T_MAX, estimator="prefix")
    first, second = (
        sampled_score(
            GroundSystem(GraphSystem(WORLD)),
            GroundSystem(GraphSystem(MODEL)),
            np.random.default_rng(9),
            config,
        )
        for _ in range(2)
    )
    assert first == second


def test_actions_without_fitting_objects_offer_nothing():
    world = Poor(Lift())
    world.actions = (ActionSignature("up", (Parameter("?x", "floor"),)),)
    world.objects = {}
    assert ExecutabilitySystem(world).draw((), np.random.default_rng(0)) is None
