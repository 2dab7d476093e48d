"""A world of your own without any PDDL: `python examples/own_world.py`.

`Locker` is a whole World in thirty lines. It is walked against a PDDL model of it that is wrong in one place;
Exploration Walks say how wrong, and where the two part first. As a package's entry point in the group
`groundwalk.worlds`, see `envs.plugins`, `open_locker` makes `--env locker` work in every command.
"""

from __future__ import annotations

import gymnasium
import numpy as np
from episode import run_episode
from random_agent import RandomAgent

import envs  # noqa: F401 (registers groundwalk/World-v0)
from envs.pddl.interface import ActionSignature, Execution, Parameter, PlanVerdict, Refusal
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.simulation.compile import compile_task
from ew.counterexample.disagreement import Disagreement, first_disagreement
from ew.counterexample.feedback import render_failure
from ew.score.score import EWScore, ew_score
from ew.score.shown import shown
from ew.walks.adapter import transitions_of


class Locker:
    """A locker with two bags: it is opened and shut, and bags go in and out of it while it is open."""

    name, types, objects = "locker", {"bag": None}, {"red": "bag", "blue": "bag"}
    description = "A locker can be opened and shut. While it is open, a bag can be put in or taken out."
    task = "The locker is shut and empty. In the end, both bags are in it and it is shut."
    actions = (
        ActionSignature("open", ()),
        ActionSignature("shut", ()),
        ActionSignature("put", (Parameter("?b", "bag"),)),
        ActionSignature("take", (Parameter("?b", "bag"),)),
    )

    def applicable(self, walk=()):
        """The operators that may run after `walk`, sorted."""
        is_open, inside = self._state(walk)
        bags = [f"({'take' if bag in inside else 'put'} {bag})" for bag in self.objects] if is_open else []
        return tuple(sorted([*bags, "(shut)" if is_open else "(open)"]))

    def executable(self, walk):
        """How many operators of `walk` run before one is refused."""
        ran = next((i for i, step in enumerate(walk) if step not in self.applicable(walk[:i])), len(walk))
        return Execution(ran, None if ran == len(walk) else Refusal.NOT_EXECUTABLE)

    def verify(self, plan):
        """Whether `plan` runs and reaches the goal."""
        execution = self.executable(plan)
        return PlanVerdict(execution, self._state(plan[: execution.steps]) == (False, {"red", "blue"}))

    def describe(self, walk=()):
        """The state after `walk` in words."""
        is_open, inside = self._state(walk)
        held = ", ".join(sorted(inside)) or "nothing"
        return f"The locker is {'open' if is_open else 'shut'}. Inside: {held}."

    def _state(self, walk):
        inside = {bag for bag in self.objects if sum(bag in step for step in walk) % 2}
        return ([*walk].count("(open)") > [*walk].count("(shut)"), inside)


def open_locker(problem):
    """What an entry point names: a task's number to the world, LookupError if there is none."""
    if problem != 1:
        raise LookupError("there is task 1 only")
    return Locker()


#: A model that believes that bags can be put into a shut locker.
DOMAIN = """(define (domain locker) (:requirements :typing :negative-preconditions) (:types bag)
  (:predicates (is-open) (inside ?b - bag))
  (:action open :parameters () :precondition (not (is-open)) :effect (is-open))
  (:action shut :parameters () :precondition (is-open) :effect (not (is-open)))
  (:action put :parameters (?b - bag) :precondition (not (inside ?b)) :effect (inside ?b))
  (:action take :parameters (?b - bag) :precondition (and (is-open) (inside ?b))
    :effect (not (inside ?b))))"""
PROBLEM = """(define (problem first) (:domain locker) (:objects red blue - bag) (:init)
  (:goal (and (inside red) (inside blue) (not (is-open)))))"""


def main() -> tuple[EWScore, Disagreement | None]:
    """Score the model, say where it is wrong, and act in the world."""
    world, model = Locker(), compile_task(read_problem(PROBLEM, read_domain(DOMAIN)))
    score = ew_score(transitions_of(world), model, np.random.default_rng(0))
    print(f"EW {shown(score.score)} (forward {shown(score.forward)}, backward {shown(score.backward)})")
    difference = first_disagreement(world, model, np.random.default_rng(0))
    print(render_failure(difference) if difference else "no difference found")
    env = gymnasium.make("groundwalk/World-v0", world=world, max_episode_steps=200)
    print(run_episode(env, RandomAgent(seed=0), seed=0))
    return score, difference


if __name__ == "__main__":
    main()
