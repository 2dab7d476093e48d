"""How many operators a model may have: as many as its world's signatures make plausible."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from kernel_samples import CASES_OF_WORLDS, problem_of
from wide import wide

from envs.pddl.interface import ActionSignature, Parameter
from envs.pddl.language.domain import Problem
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.grounding import (
    Explosion,
    GroundingExploded,
    Limits,
    ground,
    ground_actions,
    limits_in,
    limits_of,
)


@dataclass(frozen=True)
class Signatures:
    """The surface of a world that limits depend on."""

    problem: Problem
    types: dict[str, str | None] = field(init=False)
    objects: dict[str, str] = field(init=False)
    actions: tuple[ActionSignature, ...] = field(init=False)

    def __post_init__(self) -> None:
        domain = self.problem.domain
        signatures = [
            ActionSignature(name, tuple(Parameter(v.symbol, v.sort.name) for v in action.parameters))
            for name, action in domain.actions.items()
        ]
        object.__setattr__(self, "types", dict(domain.types))
        object.__setattr__(self, "objects", dict(self.problem.objects))
        object.__setattr__(self, "actions", tuple(signatures))


@pytest.mark.parametrize("name", CASES_OF_WORLDS)
def test_a_world_s_own_operators_are_among_its_ground_actions(name: str) -> None:
    problem = problem_of(*CASES_OF_WORLDS[name])
    count = ground_actions(Signatures(problem))
    assert count >= sum(len(rows) for rows in ground(problem).arguments)
    assert (
        limits_of(problem).ground_actions == count == limits_in(Signatures(problem), Limits()).ground_actions
    )


DOMAIN = """(define (domain d) (:requirements :typing) (:types a b - c d - object)
  (:predicates (p ?x - c)) (:constants k - a)
  (:action one :parameters (?x - c ?y - (either b d)) :effect (p ?x)) (:action two :effect (p k)))"""
PROBLEM = (
    "(define (problem q) (:domain d) (:objects a1 - a b1 b2 - b d1 d2 - d c1 - c) (:init) (:goal (p k)))"
)


def test_hierarchies_unions_constants_and_no_parameters_are_counted() -> None:
    assert ground_actions(Signatures(problem_of(DOMAIN, PROBLEM))) == 5 * 4 + 1


def test_the_limit_is_the_documented_one() -> None:
    for count in (0, 100, 5_000, 5_001, 20_100, 50_000):
        assert Limits(ground_actions=count).operators == max(20_000, 4 * count)
    assert Limits(ground_actions=10**9).operators == 200_000
    assert Limits(max_groundings=7, ground_actions=10**9).operators == 7


def grippers(balls: int, rooms: int) -> tuple[str, str]:
    """A world in which each of so many balls can be picked up and dropped anywhere."""
    domain = """(define (domain gripper) (:requirements :typing) (:types room ball side)
      (:predicates (at-robby ?r - room) (at ?b - ball ?r - room) (free ?s - side) (carry ?b - ball ?s - side))
      (:action move :parameters (?from ?to - room) :precondition (at-robby ?from)
       :effect (and (at-robby ?to) (not (at-robby ?from))))
      (:action pick :parameters (?b - ball ?r - room ?s - side)
       :precondition (and (at ?b ?r) (at-robby ?r) (free ?s))
       :effect (and (carry ?b ?s) (not (at ?b ?r)) (not (free ?s))))
      (:action drop :parameters (?b - ball ?r - room ?s - side)
       :precondition (and (carry ?b ?s) (at-robby ?r))
       :effect (and (at ?b ?r) (free ?s) (not (carry ?b ?s)))))"""
    names = [f"ball{i}" for i in range(balls)]
    places = " ".join(f"(at {name} room0)" for name in names)
    problem = f"""(define (problem many) (:domain gripper) (:objects {" ".join(names)} - ball
      {" ".join(f"room{i}" for i in range(rooms))} - room left right - side)
      (:init (at-robby room0) (free left) (free right) {places}) (:goal (at ball0 room1)))"""
    return domain, problem


@pytest.mark.parametrize("balls", wide([100, 500], 100))
def test_a_correct_model_of_many_balls_is_ground_and_one_that_is_far_too_permissive_is_not(
    balls: int,
) -> None:
    domain, text = grippers(balls, 11)
    problem = problem_of(domain, text)
    limits = limits_in(Signatures(problem), Limits())
    operators = compile_task(problem, limits).operators
    assert len(operators) == 2 * balls * 11 * 2 + 11 * 11 == limits.ground_actions
    two_balls = domain.replace("(?b - ball ?r - room ?s - side)", "(?b ?c - ball ?r - room ?s - side)", 1)
    with pytest.raises(GroundingExploded) as caught:
        compile_task(problem_of(two_balls, text), limits)
    assert caught.value.kind is Explosion.RULES
