"""Lifted walks against the reference simulator: the same operators, counted, listed and drawn uniformly."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.simulation.lifted import lift
from envs.pddl.simulation.reference import ReferenceSimulator
from envs.source import read_texts
from ew.lifted import sampled as lifted
from ew.lifted.relations import JoinTooLarge, choice, relations_of
from ew.lifted.sampled import LiftedSystem, SamplingGaveUp

WORLDS = ("barman", "blocksworld_ood", "dimhollow", "floortile", "grippers", "hiking", "miconic", "termes")

ADL = (
    """(define (domain d) (:requirements :adl) (:types big small - thing place)
    (:constants home - place)
    (:predicates (at ?t - thing ?p - place) (heavy ?t - thing) (near ?a ?b - place) (done)
      (tied ?x ?y - thing))
    (:action carry :parameters (?t - thing ?from ?to - place)
      :precondition (and (at ?t ?from) (not (= ?from ?to)) (or (near ?from ?to) (near ?to ?from))
        (forall (?o - thing) (imply (tied ?t ?o) (not (heavy ?o)))))
      :effect (and (not (at ?t ?from)) (at ?t ?to)
        (forall (?o - thing) (when (and (tied ?t ?o) (at ?o ?from)) (and (not (at ?o ?from)) (at ?o ?to))))
        (when (= ?to home) (done))))
    (:action tie :parameters (?x - big ?y - thing ?p - place)
      :precondition (and (at ?x ?p) (at ?y ?p) (not (tied ?x ?y)) (not (= ?x ?y)))
      :effect (tied ?x ?y))
    (:action untie :parameters (?x ?y - thing) :precondition (tied ?x ?y) :effect (not (tied ?x ?y)))
    (:action loop :parameters (?x - thing) :precondition (tied ?x ?x) :effect (done))
    (:action grow :parameters (?x ?y - small)
      :precondition (exists (?p - place) (and (at ?x ?p) (at ?y ?p)))
      :effect (and (heavy ?x) (not (heavy ?y)) (tied ?y ?y)))
    (:action rest :parameters () :precondition (done) :effect (not (done))))""",
    """(define (problem p) (:domain d) (:objects b1 b2 - big s1 s2 s3 - small p1 p2 - place)
    (:init (at b1 p1) (at b2 p2) (at s1 p1) (at s2 p1) (at s3 home) (heavy b2) (near p1 p2) (near p2 home))
    (:goal (and (done) (at b1 home))))""",
)
FREE = (
    """(define (domain free) (:requirements :strips :typing) (:types thing)
    (:predicates (p ?x - thing) (q ?x ?y - thing))
    (:action any :parameters (?a ?b ?c ?d ?e - thing) :precondition (p ?a) :effect (and (q ?b ?c) (p ?d)))
    (:action one :parameters (?a - thing) :precondition (p ?a) :effect (not (p ?a))))""",
    f"""(define (problem p) (:domain free)
    (:objects {" ".join(f"o{i}" for i in range(40))} - thing) (:init (p o0) (p o7)) (:goal (and)))""",
)


def problem_of(domain: str, problem: str) -> Problem:
    return read_problem(problem, read_domain(domain))


def shipped(name: str) -> Problem:
    texts = read_texts(name, 1)
    return problem_of(texts.domain, texts.problem)


def assert_walks_agree(problem: Problem, seed: int, steps: int) -> None:
    reference, system = ReferenceSimulator(problem), LiftedSystem(problem)
    rng = np.random.default_rng(seed)
    atoms, state = reference.initial(), system.initial()
    for _ in range(steps):
        expected = reference.applicable(atoms)
        assert system.listed(state) == expected
        assert system.count(state) in (None, len(expected))
        assert system.goal_reached(state) == reference.holds_goal(atoms)
        drawn = system.draw(state, rng)
        if drawn is None:
            assert not expected
            return
        assert drawn in expected and system.runs(state, drawn)
        atoms, state = reference.successor(atoms, drawn), system.successor(state, drawn)


@pytest.mark.parametrize("name", WORLDS)
def test_lifted_walks_meet_the_operators_of_the_reference_in_shipped_tasks(name: str) -> None:
    assert_walks_agree(shipped(name), 0, 8)


@given(st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_lifted_walks_meet_the_operators_of_the_reference_with_all_of_adl(seed: int) -> None:
    assert_walks_agree(problem_of(*ADL), seed, 12)


@pytest.mark.parametrize("rows", [8, 10, 12])
@pytest.mark.parametrize("seed", range(3))
def test_loosely_tied_choices_list_the_same_operators_after_their_test(
    rows: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tested = []

    def tight(*arguments):
        found = choice(*arguments, max_rows=rows)
        tested.append(not found.exact)
        return found

    monkeypatch.setattr(lifted, "choice", tight)
    assert_walks_agree(problem_of(*ADL), seed, 5)
    assert any(tested)


def uniform_over(system: LiftedSystem, count: int) -> None:
    """Drawn operators are all of those listed, each as often as any other (chi squared, far tail)."""
    state, rng = system.initial(), np.random.default_rng(1)
    listed = system.listed(state)
    drawn = [system.draw(state, rng) for _ in range(count)]
    seen = np.array([drawn.count(o) for o in listed])
    assert seen.sum() == count
    expected = count / len(listed)
    freedom = len(listed) - 1
    assert ((seen - expected) ** 2 / expected).sum() <= freedom + 5 * (2 * freedom) ** 0.5


@pytest.mark.parametrize("texts", [ADL, None])
def test_operators_are_drawn_uniformly(texts: tuple[str, str] | None) -> None:
    uniform_over(LiftedSystem(problem_of(*texts) if texts else shipped("grippers")), 6000)


def test_operators_are_drawn_uniformly_by_rejection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifted, "choice", lambda *arguments: choice(*arguments, max_rows=6))
    system = LiftedSystem(problem_of(*ADL))
    assert system.count(system.initial()) is None
    uniform_over(system, 3000)


def test_millions_of_operators_are_counted_and_drawn_without_being_listed() -> None:
    system = LiftedSystem(problem_of(*FREE))
    state = system.initial()
    assert system.count(state) == 2 * 40**4 + 2
    assert system.listed(state) is None
    rng = np.random.default_rng(0)
    drawn = [system.draw(state, rng) for _ in range(400)]
    assert len(set(drawn)) == 400 and all(o.split()[1] in ("o0", "o7") for o in drawn)
    assert len({o.split()[3] for o in drawn}) == 40


def test_operators_with_foreign_names_types_or_arity_do_not_run() -> None:
    system = LiftedSystem(problem_of(*ADL))
    state = system.initial()
    refused = ("(fly s1)", "(untie s1)", "(untie s1 nobody)", "(tie s1 s2 p1)", "(loop p1)", "(rest)")
    assert not any(system.runs(state, o) for o in refused)
    with pytest.raises(ValueError, match="no operator of this problem"):
        system.successor(state, "(fly s1)")


def test_a_choice_that_cannot_be_held_names_its_action() -> None:
    task = lift(problem_of(*ADL))
    schema = next(s for s in task.schemas if s.name == "carry")
    with pytest.raises(JoinTooLarge, match=r"`carry` ties"):
        choice(schema, relations_of(task), len(task.objects), max_rows=1)


def test_drawing_that_finds_nothing_says_that_it_is_not_sure(monkeypatch: pytest.MonkeyPatch) -> None:
    domain = """(define (domain d) (:requirements :adl) (:predicates (p ?x ?y))
      (:action a :parameters (?x ?y) :precondition (p ?x ?y) :effect (not (p ?x ?y)))
      (:action never :parameters (?x ?y ?z)
        :precondition (and (not (p ?x ?y)) (= ?x ?y) (not (= ?y ?z)) (= ?x ?z)) :effect (p ?x ?z)))"""
    problem = "(define (problem p) (:domain d) (:objects a b c d) (:init) (:goal (and)))"
    monkeypatch.setattr(lifted, "choice", lambda *arguments: choice(*arguments, max_rows=4))
    system = LiftedSystem(problem_of(domain, problem))
    with pytest.raises(SamplingGaveUp, match="none of 20000 drawn"):
        system.draw(system.initial(), np.random.default_rng(0))
    task = lift(problem_of(domain, problem))
    assert choice(task.schemas[1], relations_of(task), len(task.objects)).size == 0
