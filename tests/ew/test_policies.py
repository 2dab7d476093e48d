"""Walk policies: each walks only what is applicable, by its row's own numbers, and does what it is for."""

import numpy as np
import pytest
from graph_worlds import GraphSystem
from graphs import any_graph, started
from hypothesis import given
from hypothesis import strategies as st

from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.simulation.compile import compile_task
from ew.walks.policies import POLICIES, Hints, PlanPrefix, SchemaFirst, make_policy
from ew.walks.rivals import Rivals, reaching_walks
from ew.walks.walk import run_walks
from ew.walks.walk_policy import WalkPolicy, choose, policy_walks

#: A long chain of which random steps mostly fall back to the start.
CHAIN = {i: {"(on)": i + 1, "(back)": 0, "(off)": 0, "(out)": 0} for i in range(8)} | {8: {"(deep)": 8}}
DOMAIN = (
    "(define (domain rooms) (:requirements :strips :typing) (:types room)"
    "(:predicates (at ?x - room) (door ?x ?y - room) (lit ?x - room))"
    "(:action go :parameters (?x ?y - room) :precondition (and (at ?x) (door ?x ?y))"
    " :effect (and (at ?y) (not (at ?x))))"
    "(:action light :parameters (?x - room) :precondition (at ?x) :effect (lit ?x)))"
)
PROBLEM = (
    "(define (problem p) (:domain rooms) (:objects a b c d - room)"
    "(:init (at a) (door a b) (door b a) (door b c) (door c b) (door c d) (door d c)) (:goal (lit d)))"
)


def rooms():
    return compile_task(read_problem(PROBLEM, read_domain(DOMAIN)))


def hints(system):
    plan = tuple(system.operators[:3])
    return Hints(system, plan, (system, GraphSystem({0: {"(a)": 0}})))


def walks(system, name="uniform", lengths=(5,) * 20, seed=0, given_hints=None):
    policy = make_policy(name, given_hints or hints(system))(system)
    return policy_walks(system, policy, lengths, np.random.default_rng(seed))


@pytest.mark.parametrize("name", POLICIES)
@given(graph=started, seed=st.integers(0, 20))
def test_every_walk_runs_in_the_system_it_was_made_in(name, graph, seed):
    system = GraphSystem(graph)
    made = walks(system, name, (1, 2, 3, 4) * 3, seed)
    assert (run_walks(system, made.operators) == made.lengths).all()
    wished = np.array((1, 2, 3, 4) * 3)
    assert (made.lengths <= wished).all() and (made.lengths > 0).all()


@pytest.mark.parametrize("name", POLICIES)
def test_equal_seeds_give_equal_walks_and_others_do_not(name):
    system = rooms()
    one, again, other = (walks(system, name, seed=seed).operators for seed in (3, 3, 4))
    assert (one == again).all() and (one != other).any()


@pytest.mark.parametrize("name", ["uniform", "schema_first", "plan_prefix", "reach"])
def test_without_a_memory_a_walk_depends_on_its_row_alone(name):
    system = rooms()
    few = walks(system, name, (5,) * 4).operators
    many = walks(system, name, (5,) * 9).operators
    assert (few == many[:4]).all()


@given(graph=any_graph, seed=st.integers(0, 20))
def test_dead_ends_end_a_walk(graph, seed):
    system = GraphSystem(graph)
    made = walks(system, "uniform", (3, 3), seed, Hints())
    assert (run_walks(system, made.operators) == made.lengths).all()


@pytest.mark.parametrize("weights", [(0.0, 1.0, 0.0, 3.0), (2.0, 0.0, 0.0, 0.0)])
def test_operators_are_chosen_in_proportion_to_their_weights(weights):
    drawn = np.random.default_rng(0).random(4000)
    chosen = choose(np.tile(weights, (4000, 1)), drawn)
    shares = np.bincount(chosen, minlength=4) / 4000
    assert np.abs(shares - np.array(weights) / sum(weights)).max() < 0.03
    assert not shares[np.array(weights) == 0].any()


def test_where_all_weights_are_zero_nothing_is_chosen_and_the_largest_number_stays_in_range():
    assert choose(np.zeros((1, 3)), np.array([0.5])).tolist() == [-1]
    assert choose(np.array([[0.1, 0.7, 0.0]]), np.array([np.nextafter(1.0, 0)])).tolist() == [1]


def test_schema_first_gives_every_schema_its_share():
    graph = {0: {"(rare)": 0} | {f"(often x{i})": 0 for i in range(9)}}
    system = GraphSystem(graph)
    rare = system.operators.index("(rare)")
    rng = np.random.default_rng(0)
    shares = [
        (policy_walks(system, policy(system), (1,) * 3000, rng).operators == rare).mean()
        for policy in (WalkPolicy, SchemaFirst)
    ]
    assert abs(shares[0] - 0.1) < 0.03 and abs(shares[1] - 0.5) < 0.03


def test_coverage_makes_more_different_operators_than_uniform_walks():
    system = rooms()

    def different(name):
        policy = make_policy(name)(system)
        rng = np.random.default_rng(1)
        batches = [policy_walks(system, policy, (6,) * 3, rng).operators for _ in range(2)]
        return len(np.unique(batches))

    assert different("coverage") > different("uniform")


def test_a_plan_is_followed_to_its_end_by_half_of_the_walks_and_reaches_what_uniform_walks_miss():
    system = GraphSystem(CHAIN)
    plan = ("(on)",) * 8 + ("(deep)",)
    policy = PlanPrefix(system, (plan,))
    made = policy_walks(system, policy, (9,) * 400, np.random.default_rng(0))
    deep = system.operators.index("(deep)")
    reached = (made.operators == deep).any(axis=1).mean()
    assert (
        0.55 < reached < 0.7
    )  # 5 in 8: half, and of the others those that drew the last or the last but one
    assert not (walks(system, "uniform", (9,) * 400).operators == deep).any()


def test_a_plan_of_foreign_operators_is_skipped():
    system = GraphSystem(CHAIN)
    foreign = PlanPrefix(system, (("(unknown)", "(other)"),))
    one = policy_walks(system, foreign, (4,) * 5, np.random.default_rng(0)).operators
    assert (one == walks(system, "uniform", (4,) * 5).operators).all()


def test_reaching_walks_run_and_end_in_each_schema_once():
    for system in (rooms(), GraphSystem({0: {"(a)": 1}, 1: {"(b)": 2}, 2: {"(c)": 2, "(d)": 0}})):
        found = reaching_walks(system)
        index = {text: i for i, text in enumerate(system.operators)}
        for walk in found:
            row = np.array([[index[text] for text in walk]])
            assert run_walks(system, row).tolist() == [len(walk)]
        names = {text[1:-1].split()[0] for text in system.operators}
        assert sorted(walk[-1][1:-1].split()[0] for walk in found) == sorted(names)


def test_reaching_walks_stop_at_their_limit():
    assert len(reaching_walks(GraphSystem(CHAIN), max_states=1)) < 5


def test_rivals_draw_walks_to_where_they_differ():
    graph = {0: {f"(same x{i})": 0 for i in range(9)} | {"(differs)": 0}}
    without = {0: {text: 0 for text in graph[0] if text != "(differs)"}}
    system, rival = GraphSystem(graph), GraphSystem(without)
    differs = system.operators.index("(differs)")
    rng = np.random.default_rng(0)
    made = policy_walks(system, Rivals(system, (system, rival)), (1,) * 2000, rng).operators
    assert (made == differs).mean() > 0.4  # 0.1 by chance


def test_without_rivals_there_is_nothing_to_prefer():
    system = GraphSystem(CHAIN)
    alone = walks(system, "disagreement", given_hints=Hints(system, (), (system,)))
    assert (alone.operators == walks(system, "uniform").operators).all()


def test_atoms_are_read_as_the_task_tells_them():
    task = rooms()
    (bits,) = task.bits(task.initial(1))
    held = {task.atoms[i] for i in np.flatnonzero(bits)}
    assert held | task.static == task.atoms_of(task.initial(1)[0])
    assert task.bits(task.initial(0)).shape == (0, len(task.atoms))


def test_an_unknown_policy_is_refused_with_the_names_there_are():
    with pytest.raises(ValueError, match="uniform"):
        make_policy("unifrom")


@given(st.lists(st.integers(0, 3), min_size=1, max_size=6), st.integers(0, 31))
def test_the_number_points_at_the_operator_in_whose_share_of_the_weights_it_lies(weights, number):
    (chosen,) = choose(np.array([weights], dtype=np.float64), np.array([number / 32]))
    each = [i for i, weight in enumerate(weights) for _ in range(32 * weight)]
    assert chosen == (each[number * sum(weights)] if each else -1)


def test_rivals_are_followed_along_the_walk():
    """They differ at the second place only, which each of them reaches by the first operator."""
    there = {f"(same x{i})": 1 for i in range(9)}
    graph = {0: {"(go)": 1}, 1: there | {"(differs)": 1}}
    system, rival = GraphSystem(graph), GraphSystem({0: {"(go)": 1}, 1: there})
    differs = system.operators.index("(differs)")
    policy = Rivals(system, (system, rival))
    made = policy_walks(system, policy, (2,) * 1000, np.random.default_rng(0)).operators
    assert (made[:, 1] == differs).mean() > 0.4  # 0.1 by chance
