"""Goal recognition in any domain: candidates, relaxed costs, landmarks, cost differences, rankings."""

import math
from dataclasses import dataclass, field
from itertools import permutations

import numpy as np
import pytest

from agents.goals.candidates import (
    Candidate,
    GroundLiteral,
    Ranking,
    ranking,
    read_candidates,
    read_observations,
)
from agents.goals.cost_difference import NEAR_OPTIMAL, Compiled, Costs, PlannerFailed, rank_by_cost
from agents.goals.landmarks import completion, landmarks
from agents.goals.recogniser import Recogniser
from agents.operators.reading import operators_of
from envs.pddl.language.domain import read_domain, read_problem, with_goal
from envs.pddl.language.formulas import conjuncts
from envs.pddl.language.operators import parse_operator
from envs.pddl.language.render import render_formula
from envs.pddl.planning.planner import Planner, PlanOutcome, PlanResult, planner_texts
from envs.pddl.planning.validate import validate_plan
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.reference import ReferenceSimulator
from envs.pddl.simulation.relaxed_costs import Relaxation
from envs.source import read_texts

#: A lamp in each room; conditions of every kind: negated, disjunctive, quantified, conditional effects.
LAMPS = """(define (domain lamps) (:requirements :adl)
 (:types room lamp)
 (:predicates (at ?r - room) (way ?a ?b - room) (lit ?l - lamp) (in ?l - lamp ?r - room) (dark) (done))
 (:action go :parameters (?a ?b - room) :precondition (and (at ?a) (or (way ?a ?b) (way ?b ?a)))
  :effect (and (at ?b) (not (at ?a))))
 (:action press :parameters (?r - room) :precondition (at ?r)
  :effect (forall (?l - lamp) (when (and (in ?l ?r) (not (lit ?l))) (lit ?l))))
 (:action break :parameters (?r - room) :precondition (at ?r)
  :effect (forall (?l - lamp) (when (in ?l ?r) (not (lit ?l)))))
 (:action finish :parameters () :precondition (forall (?l - lamp) (lit ?l)) :effect (done)))"""
HOUSE = """(define (problem house) (:domain lamps) (:objects a b c d - room la lc - lamp)
 (:init (at b) (way a b) (way b c) (way c d) (in la a) (in lc c)) (:goal (done)))"""


def house():
    return read_problem(HOUSE, read_domain(LAMPS))


def world(name, number):
    texts = read_texts(name, number)
    return read_problem(texts.problem, read_domain(texts.domain))


goals_of = read_candidates


BLOCKS = "(on b1 b2) (on b2 b3)\n(on b3 b2) (on b2 b1)\n(on b2 b3) (on b3 b1)\n(on b3 b1) (not (handempty))\n"


def planned(problem, candidate, search=NEAR_OPTIMAL):
    """A plan for a candidate, which works."""
    wanted = with_goal(problem, f"(and {candidate})")
    plan = Planner(search=search).plan(*planner_texts(wanted)).plan
    assert plan is not None and validate_plan(wanted, plan).valid
    return plan


@pytest.mark.parametrize(
    "line", ["(lit la), (at a)", "(AT A) (lit la)", "(and (lit la) (at a)) ; said", "(at a),(lit la),"]
)
def test_a_candidate_is_the_same_in_every_form_of_its_line(line):
    first, other = goals_of(f"\n; known goals\n{line}\n\n(not (lit lc))\n", house())
    assert first == Candidate((GroundLiteral(("at", "a")), GroundLiteral(("lit", "la"))))
    assert other == Candidate((GroundLiteral(("lit", "lc"), False),))


def test_what_is_written_of_candidates_is_read_again():
    found = goals_of("(at a) (not (lit la))\n(dark)\n(done) (at b) (in la c)", house())
    assert goals_of("\n".join(map(str, found)), house()) == found


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("(at a)\n(or (at a) (at b))", "line 2: (or (at a) (at b)) is no literal"),
        ("(at a)\n(forall (?x - room) (at ?x))", "line 2: (forall"),
        ("(at a)\n\n(at)", "line 3: (at): at takes 1 arguments"),
        ("(at a)\n(at la)", "line 2: (at la): la is a lamp, not a room"),
        ("(at a)\n(at nowhere)", "there is no object nowhere"),
        ("(at a)\n(sat a)", "there is no predicate sat"),
        ("(at a)\n(at b\n", "line 2"),
        ("(at a)\n(and)", "line 2: an empty goal"),
        ("(at a)\n(at b) (not (at b))", "is wanted and unwanted"),
        ("(at a) (dark)\n(dark), (at a)", "line 2: the same goal as line 1"),
        ("(at a)\n", "2 candidates or more"),
    ],
)
def test_what_is_no_list_of_conjunctions_is_refused_with_its_line(text, why):
    with pytest.raises(ValueError, match=r"line|candidates") as refused:
        goals_of(text, house())
    assert why in str(refused.value)


def test_observations_are_read_in_canonical_form():
    assert read_observations("(GO B  A)\n; then\n\npress a ; light\n") == ("(go b a)", "(press a)")
    with pytest.raises(ValueError, match="the plan, line 2"):
        read_observations("(go b a)\n(go (b) a)", "the plan")


def test_equal_likelihoods_are_tied_and_share_a_place():
    found = ranking([0.2, 0.1 + 0.1, None, 0.6])
    assert found.places() == (2, 2, None, 1) and found.best == (3,)
    assert math.fsum(p or 0 for p in found.probabilities) == pytest.approx(1)
    assert ranking([0.0, 0.0]).best == (0, 1)
    assert ranking([None, None]) == Ranking((None, None)) and ranking([None, None]).best == ()


# Relaxed costs, against a slow computation from the lifted rules.


def slow_costs(problem, facts, texts):
    """The h_add of atoms and absent atoms by repeated passes over the operators, from the lifted rules."""
    rules = {rule.name: rule for rule in operators_of(problem.domain)}
    steps = []
    for text in texts:
        name, arguments = parse_operator(text)
        rule, binding = rules[name], rules[name].bound(arguments)
        needs = {(n.ground(binding), n.positive) for n in rule.preconditions if n.predicate != "="}
        effects = {(e.ground(binding), e.positive) for e in rule.effects}
        steps.append((needs, {e for e in effects if e[1] or (e[0], True) not in effects}))
    costs = {}

    def cost(literal):
        return 0 if (literal[0] in facts) == literal[1] else costs.get(literal, math.inf)

    changed = True
    while changed:
        changed = False
        for needs, effects in steps:
            whole = 1 + sum(map(cost, needs))
            for effect in effects:
                if whole < cost(effect):
                    costs[effect], changed = whole, True
    return cost


@pytest.mark.parametrize("name", ["blocksworld", "childsnack", "floortile", "pddlgym:ferry"])
def test_relaxed_costs_agree_with_a_slow_computation_from_the_rules(name):
    problem = world(name, 2)
    task, rng = compile_task(problem), np.random.default_rng(3)
    states = [task.initial(1)]
    for _ in range(6):
        states.append(
            task.successors(states[-1], rng.choice(np.flatnonzero(task.applicable(states[-1])[0]), 1))
        )
    relaxation = Relaxation(task)
    table = relaxation.costs(np.concatenate(states))
    for column, state in enumerate(states):
        slow = slow_costs(problem, task.atoms_of(state), task.operators)
        wanted = [(atom, positive) for atom in task.atoms for positive in (True, False)]
        codes = [relaxation.code(*literal) for literal in wanted]
        assert [slow(literal) for literal in wanted] == table[codes, column].tolist()


def test_a_relaxed_plan_reaches_its_goal_if_steps_only_add():
    problem = world("depot", 5)
    task = compile_task(problem)
    relaxation = Relaxation(task)
    goal = [relaxation.code(literal.atom) for literal in _own_goal(problem).literals]
    (plan,) = relaxation.plans(relaxation.costs(task.initial(1))[:, 0], [goal])
    rules = {rule.name: rule for rule in operators_of(problem.domain)}
    facts, left = set(problem.init), set(plan)
    while left:
        ready = set()
        for operator in left:
            name, arguments = parse_operator(task.operators[operator])
            rule, binding = rules[name], rules[name].bound(arguments)
            if all(
                n.ground(binding) in facts for n in rule.preconditions if n.positive and n.predicate != "="
            ):
                ready.add(operator)
                facts |= rule.changed(binding, True)
        assert ready, "a relaxed plan has no circles"
        left -= ready
    assert all(literal.atom in facts for literal in _own_goal(problem).literals)


def _own_goal(problem):
    atoms = [tuple(render_formula(part).strip("()").split()) for part in conjuncts(problem.goal)]
    return Candidate(tuple(sorted(map(GroundLiteral, atoms))))


def test_gates_and_conditional_effects_have_costs():
    problem = house()
    task = compile_task(problem)
    relaxation = Relaxation(task)
    table = relaxation.costs(task.initial(1))[:, 0]
    codes = [relaxation.code(("done",)), relaxation.code(("lit", "la"))]
    # go and press for each lamp, then finish: (2 + 2) + 1
    assert table[codes].tolist() == [5, 2]
    (plan,) = relaxation.plans(table, [codes])
    assert {task.operators[o] for o in plan} == {
        "(finish)", "(go b a)", "(press a)", "(go b c)", "(press c)",
    }  # fmt: skip
    dark = [relaxation.code(("dark",)), relaxation.code(("at", "b"), False)]
    assert table[dark].tolist() == [math.inf, 1]


# Landmarks, against plans.


@pytest.mark.parametrize("name", ["blocksworld", "depot", "miconic", "pddlgym:ferry"])
def test_every_plan_passes_every_landmark(name):
    problem = world(name, 3)
    task = compile_task(problem)
    relaxation, goal = Relaxation(task), _own_goal(problem)
    codes = [relaxation.code(literal.atom) for literal in goal.literals]
    found = landmarks(relaxation, task.initial(1), relaxation.costs(task.initial(1)), [codes])
    marks = frozenset().union(*map(found.of, codes))
    simulator = ReferenceSimulator(problem)
    for search in (NEAR_OPTIMAL, Planner().search):
        state = simulator.initial()
        passed = {relaxation.code(atom, atom in state) for atom in task.atoms}
        assert not marks & passed, "what holds at first is no landmark"
        for step in planned(problem, goal, search):
            state = simulator.successor(state, step)
            passed |= {relaxation.code(atom, atom in state) for atom in task.atoms}
        assert marks <= passed
        assert completion(found, codes, found.achieved(passed)) == 1
    assert len(marks) > len(codes), "in these tasks there is more to pass than the goal"
    assert completion(found, codes, frozenset()) < 0.5


# Cost differences.


def test_a_compiled_plan_makes_the_observations_in_order_or_not_all_of_them():
    problem = world("blocksworld", 2)
    candidate, *_ = goals_of(BLOCKS, problem)
    seen = planned(problem, candidate)[::2]
    compiled = Compiled(problem, seen)
    ends = compiled.seen, f"(not {compiled.seen})"
    for last, complies in zip(ends, (True, False), strict=True):
        plan = Planner(search=NEAR_OPTIMAL).plan(*compiled.texts(candidate, last)).plan
        assert validate_plan(with_goal(problem, f"(and {candidate})"), plan).valid
        steps = iter(plan)
        assert all(step in steps for step in seen) == complies


def test_the_costs_of_an_optimal_plan_seen_whole_are_its_steps_and_at_least_as_many():
    problem = world("blocksworld", 2)
    candidate, *_ = goals_of(BLOCKS, problem)
    plan = planned(problem, candidate)
    costs = Compiled(problem, plan).costs(candidate, Planner(search=NEAR_OPTIMAL))
    assert costs.complying == len(plan) and costs.avoiding >= len(plan)
    assert costs.likelihood >= 0.5


def test_what_cannot_be_reached_is_impossible_and_what_cannot_be_avoided_is_certain():
    problem = house()
    candidates = goals_of("(lit la)\n(dark)\n(at d)", problem)
    found = rank_by_cost(problem, candidates, ["(go b a)", "(fly a b)"], Planner(search=NEAR_OPTIMAL))
    assert found.unused == ("(fly a b)",)
    assert found.places() == (1, 3, 2) and found.probabilities[1] == 0
    assert Costs(5, math.inf).likelihood == 1 and Costs(math.inf, 4).likelihood == 0


@dataclass
class GivesUp:
    """Stands for a planner whose time is up at every call but the first ones."""

    answers: list[PlanResult] = field(default_factory=list)

    def plan(self, _domain, _problem):
        return self.answers.pop(0) if self.answers else PlanResult(PlanOutcome.TIMEOUT, None, 1.0, "")


def test_a_planner_that_gives_up_gives_no_answer_and_not_that_there_is_none():
    problem = house()
    candidates = goals_of("(lit la)\n(at d)", problem)
    solved = PlanResult(PlanOutcome.SOLVED, ("(go b a)", "(press a)"), 1.0, "")
    found = rank_by_cost(problem, candidates, ["(go b a)"], GivesUp([solved, solved]))
    assert found.probabilities == (1.0, None) and found.places() == (1, None)
    with pytest.raises(PlannerFailed, match="killed"):
        rank_by_cost(problem, candidates, [], GivesUp([PlanResult(PlanOutcome.KILLED, None, 1.0, "")]))


# The recogniser.


def test_the_goal_of_a_plan_seen_whole_is_the_likeliest():
    problem = world("blocksworld", 2)
    candidates = goals_of(BLOCKS, problem)
    recogniser = Recogniser(compile_task(problem), candidates)
    for number, candidate in enumerate(candidates):
        plan = planned(problem, candidate)
        assert recogniser.rank(plan).best == (number,)
        assert number in recogniser.rank_by_landmarks(plan).best


def test_rankings_do_not_depend_on_the_order_of_candidates_and_sum_to_one():
    problem = world("blocksworld", 2)
    candidates, task = goals_of(BLOCKS, problem), compile_task(problem)
    seen = planned(problem, candidates[2])[1::2]
    for rank in (Recogniser.rank, Recogniser.rank_by_landmarks):
        first = dict(zip(candidates, rank(Recogniser(task, candidates), seen).probabilities, strict=True))
        assert math.fsum(first.values()) == pytest.approx(1)
        for order in permutations(candidates):
            found = rank(Recogniser(task, order), seen)
            assert found.probabilities == pytest.approx([first[candidate] for candidate in order])


def test_gaps_noise_and_conditions_of_every_kind_do_no_harm():
    problem = house()
    candidates = goals_of("(lit la), (at a)\n(lit lc)\n(done)\n(dark)\n(not (at b))", problem)
    recogniser = Recogniser(compile_task(problem), candidates)
    found = recogniser.rank(["(fly b)", "(press c)"])
    assert found.unused == ("(fly b)",) and found.best == (1,)
    assert found.probabilities[3] == 0, "what no operator brings about is not wanted"
    assert recogniser.rank(["(press a)"]).best == (0,)
    assert recogniser.rank(["(press a)", "(press c)", "(finish)"]).best == (2,)
    assert recogniser.rank(["(break c)", "(press a)"]).best == (0,)
    assert recogniser.rank([]).unused == ()


def test_candidates_that_are_all_out_of_reach_are_tied():
    problem = house()
    candidates = goals_of("(dark)\n(dark) (at a)", problem)
    assert Recogniser(compile_task(problem), candidates).rank(["(press b)"]).places() == (1, 1)
