"""A world needs no PDDL behind it, and walking needs neither Ray nor a language model client."""

import subprocess
import sys

import numpy as np
import pytest

from envs.pddl.interface import ActionSignature, Execution, Parameter, PlanVerdict, Refusal
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.simulation.compile import compile_task
from ew.counterexample.disagreement import Direction, first_disagreement
from ew.score.score import ew_score
from ew.walks.walk import transitions_of


class Lift:
    """A lift between floors, in twenty lines of plain Python."""

    name, description, task = "lift", "A lift rides up and down a house.", "Start on f0, end on f3."
    types, objects = {"floor": None}, {f"f{i}": "floor" for i in range(4)}
    actions = tuple(
        ActionSignature(n, (Parameter("?from", "floor"), Parameter("?to", "floor"))) for n in ("down", "up")
    )

    def applicable(self, walk=()):
        floor = self._floor(walk)
        rides = [("up", floor + 1)] * (floor < 3) + [("down", floor - 1)] * (floor > 0)
        return tuple(sorted(f"({name} f{floor} f{to})" for name, to in rides))

    def executable(self, walk):
        steps = next((i for i, o in enumerate(walk) if o not in self.applicable(walk[:i])), len(walk))
        return Execution(steps, None if steps == len(walk) else Refusal.NOT_EXECUTABLE)

    def verify(self, plan):
        execution = self.executable(plan)
        return PlanVerdict(execution, self._floor(plan[: execution.steps]) == 3)

    def describe(self, walk=()):
        return f"The lift is on f{self._floor(walk)}."

    def _floor(self, walk):
        return int(walk[-1].removesuffix(")")[-1]) if walk else 0


DOMAIN = """(define (domain lift) (:requirements :strips :typing) (:types floor)
  (:predicates (at ?f - floor) (next ?a ?b - floor))
  (:action up :parameters (?from ?to - floor) :precondition (and (at ?from) (next ?from ?to))
    :effect (and (not (at ?from)) (at ?to)))
  (:action down :parameters (?from ?to - floor) :precondition (and (at ?from) (next ?to ?from))
    :effect (and (not (at ?from)) (at ?to))))"""
PROBLEM = """(define (problem ride) (:domain lift) (:objects f0 f1 f2 f3 - floor)
  (:init (at f0) (next f0 f1) (next f1 f2) (next f2 f3)) (:goal (at f3)))"""


def model(domain=DOMAIN):
    return compile_task(read_problem(PROBLEM, read_domain(domain)))


def test_a_right_model_of_a_hand_written_simulator_scores_one():
    score = ew_score(transitions_of(Lift()), model(), np.random.default_rng(0))
    assert score.score == 1.0
    assert first_disagreement(Lift(), model(), np.random.default_rng(0)) is None


def test_a_lift_that_forgets_to_leave_is_found_out():
    wrong = model(DOMAIN.replace("(not (at ?from)) (at ?to)", "(at ?to)"))
    score = ew_score(transitions_of(Lift()), wrong, np.random.default_rng(0))
    assert (score.forward, score.backward < 0.8) == (1.0, True)
    found = first_disagreement(Lift(), wrong, np.random.default_rng(0))
    assert found.direction is Direction.BACKWARD
    assert found.state == Lift().describe(found.executed)


@pytest.mark.parametrize(
    ("types", "words"),
    [
        ({}, "'floor', which the world's types lack"),
        ({"floor": "level", "level": "floor"}, "its own ancestor"),
    ],
)
def test_a_world_with_unusable_types_is_told_which(types, words):
    lift = Lift()
    lift.types = types
    with pytest.raises(ValueError, match=words):
        _ = transitions_of(lift).operators


@pytest.mark.parametrize("blocked", ["ray", "openai"])
def test_walking_neither_needs_nor_loads(blocked):
    code = (
        f"import sys; sys.modules[{blocked!r}] = None\n"
        "import envs.pddl, ew.counterexample.disagreement, ew.counterexample.feedback\n"
        "import ew.score.score, ew.score.rating\n"
        "import search.loop, search.policies\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
