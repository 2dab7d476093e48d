"""Probes: what is owed is shown on short ways, a right model passes, and a wrong one is exposed."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import simulator_models
from simulator_models import MINIGRID
from wide import wide

from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.operators import parse_operator
from envs.pddl.language.terms import Part
from envs.pddl.mutation.faults import MutationKind, mutated, mutations
from envs.pddl.simulation import contexts
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.grounding import Limits
from envs.pddl.simulation.probes import Probe, ProbedTask, to_be_shown
from envs.source import read_texts
from envs.world import open_world
from ew.counterexample.exposure import Kind, first_difference
from ew.probes.examine import ExaminationConfig, examine
from ew.probes.further import FurtherLook
from ew.probes.toward import way_to
from ew.probes.ways import Reached, probing_hints
from ew.walks.adapter import transitions_of
from ew.walks.budget import QueryBudget
from ew.walks.walk import run_walks, walk_of
from ew.walks.world_walks import WorldWalks

#: Worlds with a door that a key opens; in the first it takes the longest to come to it.
DOORS = ["minigrid:UnlockPickup", "minigrid:DoorKey-5x5", "minigrid:KeyCorridorS3R1"]
WORLDS = ["blocksworld", "termes", "childsnack", "miconic_ood", "dimhollow", "hiking"]


@cache
def problem_of(env):
    texts = read_texts(env, 1)
    return read_problem(texts.problem, read_domain(texts.domain))


def with_domain(env, domain):
    return read_problem(read_texts(env, 1).problem, read_domain(domain))


def examined(env, model, budget=None, **config):
    walks = WorldWalks(compile_task(problem_of(env)), budget)
    return examine(walks, model, np.random.default_rng(0), ExaminationConfig(**config))


@pytest.mark.parametrize("env", WORLDS)
def test_a_right_model_passes_all_its_probes_for_few_queries(env):
    found = examined(env, problem_of(env), plan_s=60.0)
    assert found.agrees and not found.unseen and found.world_queries <= 60


FOREIGN = [
    "baking",
    "casino",
    "conditionalferry",
    "doors",
    "elevator",
    "fridge",
    "hanoi",
    "hiking",
    "maze",
    "meetpass",
    "rearrangement",
    "snake",
    "sokoban",
    "tsp",
]


@pytest.mark.slow
@pytest.mark.parametrize("domain", FOREIGN)
def test_no_right_model_of_another_package_is_contradicted(domain):
    found = examined(f"pddlgym:{domain}", problem_of(f"pddlgym:{domain}"), plans_s=2, plan_s=1.0)
    assert found.found is None and found.world_queries <= len(found.passed)


@pytest.mark.parametrize("env", WORLDS)
def test_a_way_runs_in_the_model_and_shows_what_it_says(env):
    problem = problem_of(env)
    task, probed = compile_task(problem), ProbedTask(problem)
    reached, shown = Reached(probed), set()
    for way in reached.ways(probed.probes):
        assert run_walks(task, walk_of(task, way.walk))[0] == len(way.walk)
        for probe, operator in way.shows:
            walk = (*way.walk, operator)
            assert (run_walks(task, walk_of(task, walk))[0] == len(walk)) == probe.runs
            shown.add(probe)
    assert shown == reached.shown
    assert not shown & probed.impossible


@pytest.mark.parametrize("env", ["termes", "driverlog", "childsnack"])
def test_what_is_owed_is_shown_on_the_same_ways_without_contexts(env):
    probed = ProbedTask(problem_of(env))
    alone = Reached(ProbedTask(problem_of(env)), contexts=False)
    assert list(alone.ways(probed.owed)) == list(Reached(probed).ways(probed.owed))
    assert probed.probes[: len(probed.owed)] == probed.owed and len(probed.probes) > len(probed.owed)


@pytest.mark.parametrize("most", [1, 60, 10**6])
def test_contexts_are_of_as_many_operators_as_can_be_looked_up(most, monkeypatch):
    """Where there are more, the actions with the most have fewer; what is shown is shown by all as well."""
    every = ProbedTask(problem_of("driverlog"))
    whole = Reached(every).shown
    monkeypatch.setattr(contexts, "_MOST_LOOKUPS", most)
    domain, task = problem_of("driverlog").domain, compile_task(problem_of("driverlog"))
    heads = [text.strip("()").split(" ")[0] for text in task.operators]
    operators = [
        (action, np.flatnonzero([head == name for head in heads]), True)
        for name, action in domain.actions.items()
    ]
    made = [own for own in contexts.contexts_of(domain, task, operators) if own is not None]
    looked_up = [own.atoms.size // 2 for own in made]
    assert sum(looked_up) <= max(most, sum(len(own.signs) // 2 for own in made))  # one of each at least
    is_cut = [len(one.operators) < len(own) for one, (_, own, _) in zip(made, operators, strict=True)]
    cut = [size for size, less in zip(looked_up, is_cut, strict=True) if less]
    all_of_them = sum(
        len(one.signs) // 2 * len(own) for one, (_, own, _) in zip(made, operators, strict=True)
    )
    assert max(looked_up) == max(cut or looked_up) and bool(cut) == (most < all_of_them)
    assert Reached(ProbedTask(problem_of("driverlog"))).shown <= whole


def looked_up_one_by_one(problem, task, own) -> list[list[int]]:
    """The number of each literal's atom by each operator; that of an atom that never holds is -1."""
    numbers = {atom: number for number, atom in enumerate(task.atoms)}
    parsed = [parse_operator(task.operators[o]) for o in own.operators]
    (name,) = {name for name, _ in parsed}
    variables = [p.symbol for p in problem.domain.actions[name].parameters]
    bound = [dict(zip(variables, arguments, strict=True)) for _, arguments in parsed]
    atoms = [text.replace("(not ", "").strip("()").split() for text in own.texts[: len(own.signs)]]
    return [[numbers.get((head, *(b[t] for t in terms)), -1) for b in bound] for head, *terms in atoms]


@pytest.mark.parametrize("most", [1, 1000, 10**6])
def test_a_context_is_shown_where_some_operator_that_may_run_has_its_literals(most, monkeypatch):
    """One operator and one literal after the other says the same, however many are looked at in one go."""
    monkeypatch.setattr(contexts, "_MOST_HELD", most)
    problem = problem_of("driverlog")
    task = compile_task(problem)
    heads = [text.strip("()").split(" ")[0] for text in task.operators]
    operators = [
        (action, np.flatnonzero([head == name for head in heads]), True)
        for name, action in problem.domain.actions.items()
    ]
    states = np.concatenate(Reached(ProbedTask(problem), max_states=20)._states[:40])
    open_to = task.applicable(states)
    bits = np.pad(task.bits(states).astype(np.bool_), ((0, 0), (0, 1)))
    for own in filter(None, contexts.contexts_of(problem.domain, task, operators)):
        assert own.atoms.tolist() == looked_up_one_by_one(problem, task, own)
        held = (bits[:, own.atoms] == own.signs) & open_to[:, None, own.operators]
        one, other = own.pairs
        by_operator = np.concatenate([held, held[:, one] & held[:, other]], axis=1)
        assert (own.shown(bits, open_to) == by_operator.any(axis=2)).all()
        for text in range(0, len(own.texts), 7):
            shown = own.showing(text, bits[:1], open_to[:1])
            assert shown.tolist() == own.operators[by_operator[0, text]].tolist()


@pytest.mark.parametrize("env", ["termes", "tyreworld", "miconic_ood"])
def test_a_search_towards_single_probes_shows_what_a_wide_one_shows(env):
    problem = problem_of(env)
    task, probed = compile_task(problem), ProbedTask(problem)
    near, wide = Reached(probed, max_states=5), Reached(probed).shown & set(probed.owed)
    assert not wide <= near.shown
    near.seek(sorted(wide))
    assert wide <= near.shown
    for way in near.ways(wide):
        for probe, operator in way.shows:
            walk = (*way.walk, operator)
            assert (run_walks(task, walk_of(task, walk))[0] == len(walk)) == probe.runs


def test_a_way_to_a_probe_takes_no_step_that_nothing_needs():
    probed = ProbedTask(problem_of("tyreworld"))
    (wheel,) = (probe for probe in probed.owed if probe == Probe("put-on-wheel"))
    walk, looked = way_to(probed, wheel, 200)
    assert walk is not None and 0 < looked <= 200
    runs = probed.operators_of(wheel)
    for place in range(len(walk)):
        state, left = probed.initial(), (*walk[:place], *walk[place + 1 :])
        for operator in left:
            if probed.open_to(state)[0, operator]:
                state = probed.successors(state, np.array([operator]))
        assert not probed.open_to(state)[0, runs].any()
    assert way_to(probed, wheel, looked - 1) == (None, looked - 1)


@pytest.mark.parametrize("env", ["blocksworld", "grippers"])
def test_a_refusal_is_for_one_conjunct_alone(env):
    """Without that conjunct the operator runs at the end of the way."""
    problem = problem_of(env)
    probed = ProbedTask(problem)
    for way in Reached(probed).ways(probed.owed):
        for probe, operator in way.shows:
            if probe.runs:
                continue
            (removal,) = (
                m
                for m in mutations(problem.domain)[MutationKind.REMOVE]
                if (m.action, m.part.value, m.before) == (probe.action, "precondition", probe.text)
            )
            looser = compile_task(with_domain(env, mutated(problem.domain, removal)))
            walk = (*way.walk, operator)
            assert run_walks(looser, walk_of(looser, walk))[0] == len(walk)


@pytest.mark.parametrize("env", wide(["blocksworld", "grippers", "miconic_ood"], "blocksworld", "grippers"))
def test_every_missing_precondition_that_can_show_is_exposed(env):
    true = problem_of(env)
    removed = mutations(true.domain)[MutationKind.REMOVE]
    for mutation in (m for m in removed if m.part is Part.PRECONDITION):
        model = with_domain(env, mutated(true.domain, mutation))
        found = examined(env, model, plans_s=0).found
        wrong = first_difference(compile_task(true), compile_task(model)).kind is Kind.EXECUTABLE
        assert (found is not None) == wrong, mutation


@pytest.mark.parametrize("first", wide([0, 1], 0))
def test_what_was_found_is_refused_by_one_side_alone_at_its_last_operator(first):
    """Every second mutation, from the first of a case on."""
    true = problem_of("termes")
    world = compile_task(true)
    for mutation in mutations(true.domain)[MutationKind.FLIP][first:12:2]:
        problem = with_domain("termes", mutated(true.domain, mutation))
        found = examined("termes", problem, plans_s=0).found
        if found is not None:
            model = compile_task(problem)
            ran = {int(run_walks(side, walk_of(side, found.walk))[0]) for side in (world, model)}
            assert ran == {len(found.walk) - 1, len(found.walk)}


@pytest.mark.parametrize("queries", [0, 1, 7, 30])
def test_a_budget_is_never_passed_and_what_is_not_shown_is_left_out(queries):
    found = examined("childsnack", problem_of("childsnack"), QueryBudget(queries), plans_s=0)
    assert found.world_queries <= queries
    assert found.agrees == (not found.left_out and not found.not_exercised)
    assert queries >= 30 or found.left_out


def test_an_action_that_the_world_cannot_execute_is_not_exercised():
    found = examined("movie", problem_of("movie"), plans_s=0)
    assert found.found is None and not found.agrees and not found.left_out
    assert found.not_exercised == ("rewind-movie-2",)
    assert found.unseen == "not exercised: rewind-movie-2"


def test_what_the_search_does_not_meet_the_planner_finds():
    problem = problem_of("tyreworld")
    probed = ProbedTask(problem)
    near = Reached(probed, max_states=5).shown
    (far,) = (p for p in set(probed.owed) - near if p == Probe("put-on-wheel"))
    goal = to_be_shown(problem, far)
    assert not compile_task(goal).goal_reached(compile_task(goal).initial(1))[0]
    found = examined("tyreworld", problem)
    assert far not in found.left_out


def test_a_model_too_large_is_not_looked_at():
    found = examined("blocksworld", problem_of("blocksworld"), limits=Limits(max_groundings=1))
    assert not found.agrees and found.not_exercised and found.world_queries == 0
    assert set(found.left_out) == set(ProbedTask(problem_of("blocksworld")).owed)


RINGS = """(define (domain rings) (:predicates (ring ?a ?b ?c ?d) (next ?a ?b) (on ?a))
(:action turn :parameters (?a ?b ?c ?d) :precondition (and (ring ?a ?b ?c ?d) (on ?a)) :effect (not (on ?a)))
(:action hop :parameters (?a ?b) :precondition (and (next ?a ?b) (on ?a)) :effect (and (on ?b) (not (on ?a))))
)"""
RING = """(define (problem five) (:domain rings) (:objects a b c d e)
(:init (ring a b c d) (next a b) (next b a) (on a)) (:goal (on b)))"""


def test_a_conjunct_without_which_one_action_is_too_large_takes_no_other_with_it():
    problem = read_problem(RING, read_domain(RINGS))
    every = ProbedTask(problem)
    assert every.sought == set(every.owed)
    probed = ProbedTask(problem, Limits(max_groundings=100))
    assert {str(probe) for probe in every.sought - probed.sought} == {"turn without (ring ?a ?b ?c ?d)"}


def test_the_hints_of_mixed_walks_run_but_for_what_is_to_be_refused():
    problem = problem_of("termes")
    task = compile_task(problem)
    hints = probing_hints(ProbedTask(problem), task)
    assert hints.probes
    for walk in hints.probes:
        assert run_walks(task, walk_of(task, walk))[0] >= len(walk) - 1
    if hints.plan:
        assert run_walks(task, walk_of(task, hints.plan))[0] == len(hints.plan)


@pytest.mark.parametrize("rule", ["(not (locked ?o))", "(at ?from)"], ids=["no key opens", "none is needed"])
@pytest.mark.parametrize("env", wide(DOORS, *DOORS[1:]))
def test_a_wrong_rule_of_a_door_is_exposed(env, rule):
    """Random walks seldom come to a locked door, and less with its key."""
    model = read_problem(
        simulator_models.problem_of(env, 1), read_domain(MINIGRID.replace("UNLOCKING", rule))
    )
    walks = WorldWalks(transitions_of(open_world(env, 1)))
    found = examine(walks, model, np.random.default_rng(0), ExaminationConfig(plans_s=0))
    assert found.found is not None and found.found.walk[-1].startswith("(toggle ")
    assert found.world_queries <= 100


def test_without_queries_nothing_is_asked() -> None:
    walks = WorldWalks(compile_task(problem_of("childsnack")))
    config = ExaminationConfig(queries=0, novelty=0, plans_s=0)
    found = examine(walks, problem_of("childsnack"), np.random.default_rng(0), config)
    assert found.world_queries == walks.queries == 0 and found.not_exercised


def test_what_walks_show_is_found_by_walks_and_the_right_model_shows_nothing() -> None:
    texts, world = read_texts("grippers", 1), open_world("grippers", 1)
    domain = texts.domain.replace("(not (free ?r ?g))", "(free ?r ?g)")
    assert domain != texts.domain
    for text, differs in ((texts.domain, False), (domain, True)):
        problem = read_problem(texts.problem, read_domain(text))
        walks = WorldWalks(transitions_of(world))
        found = FurtherLook()(walks, problem, compile_task(problem), np.random.default_rng(0))
        assert (found is not None) == differs
        assert 0 < walks.queries <= FurtherLook().most
