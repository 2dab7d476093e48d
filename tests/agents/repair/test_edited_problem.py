"""A model's edits made in its own formulas: the same problem as by way of texts, and no text on the way."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from test_text import NESTED, PROBLEM, drawn
from walked_worlds import walked
from wide import wide

from agents.repair.candidate import Candidate, EffectEdit
from agents.repair.model import Fit, Model
from agents.repair.repair import repair
from agents.repair.repaired import RepairVerdict
from agents.repair.session import RepairConfig, RepairSession, RepairTask
from agents.repair.text import changed_domain, changed_problem, changes, edited_problem
from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.language.render import render_domain, render_problem
from envs.pddl.language.sexpr import Source
from envs.pddl.language.terms import parsed, without_terms
from envs.pddl.mutation.faults import sample_terms
from envs.pddl.planning.planner import planner_texts
from envs.pddl.simulation.lifted import lift
from envs.registry import WORLDS
from envs.source import read_texts
from envs.world import open_world
from ew.walks.adapter import transitions_of

CONDITIONAL = """
(define (domain conditional) (:requirements :adl :action-costs)
  (:types room - object) (:constants hall - room)
  (:predicates (p ?x - room) (q ?x - room) (r)) (:functions (total-cost) - number)
  (:action act :parameters (?x - room)
    :precondition (or (p ?x) (not (= ?x hall)))
    :effect (and (increase (total-cost) 2) (r)
      (forall (?y - room) (when (and (q ?y) (not (= ?y ?x))) (and (not (q ?y)) (p ?y))))))
  (:action never :parameters (?x - room) :precondition (or) :effect (q ?x)))
"""
ROOMS = "(define (problem one) (:domain conditional) (:objects a - room) (:init (q a)) (:goal (p hall)))"


def by_texts(model: Model, candidate: Candidate) -> Problem:
    edits = changes(model, candidate)
    domain = read_domain(changed_domain(model.domain, edits))
    return read_problem(changed_problem(model.problems[0], edits), domain)


def texts(problem: Problem) -> tuple[str, ...]:
    return render_domain(problem.domain), render_problem(problem), *planner_texts(problem)


def models() -> list[tuple[str, Model]]:
    pairs = [("nested", NESTED, PROBLEM), ("conditional", CONDITIONAL, ROOMS)]
    return [(name, Model.of(read_problem(problem, read_domain(domain)))) for name, domain, problem in pairs]


@pytest.mark.parametrize(
    ("world", "seed"),
    wide(
        [*((world, 0) for world in WORLDS), *product(("nested", "conditional"), range(5))],
        *((world, 0) for world in WORLDS if world != "minecraft"),
        *product(("nested", "conditional"), range(5)),
    ),
)
def test_edits_made_in_formulas_and_in_texts_give_the_same_problem(world: str, seed: int) -> None:
    model = dict(models()).get(world) or Model.of(walked(world).problem)
    before = texts(model.problems[0])
    candidate = drawn(model, np.random.default_rng(seed))
    edited, read = edited_problem(model, candidate), by_texts(model, candidate)
    assert texts(edited) == texts(read) and lift(edited) == lift(read)
    assert texts(model.problems[0]) == before, "the model that was given stays as it is"


@pytest.mark.parametrize("effect", [False, True])
def test_a_literal_that_does_not_stand_there_cannot_be_removed(effect: bool) -> None:
    model = dict(models())["nested"]
    absent = next(c for c in model.actions["always"].candidates if c.predicate == "q")
    gone = frozenset({EffectEdit("always", absent, False)}) if effect else frozenset()
    fits = {} if effect else {"always": Fit(((absent, 1),))}
    with pytest.raises(ValueError, match="does not stand at the top"):
        edited_problem(model, Candidate(gone, fits))


def test_the_rounds_of_a_repair_by_literals_read_no_text_and_its_result_one(monkeypatch) -> None:
    given = read_texts("grippers", 1)
    domain = read_domain(given.domain)
    lacking = without_terms(domain, sample_terms(domain, 1, np.random.default_rng(0)))
    problem, world, read = read_problem(given.problem, read_domain(lacking)), open_world("grippers", 1), []
    transitions_of(world)  # the world reads its own texts once
    made, look = Source.__init__, RepairSession.look

    def first_look(self: RepairSession) -> None:
        read.clear()  # what fits the model to the world's signatures comes before
        parsed.cache_clear()
        look(self)

    def counted(self: Source, *arguments: str) -> None:
        read.append(arguments[0])
        made(self, *arguments)

    monkeypatch.setattr(Source, "__init__", counted)
    monkeypatch.setattr(RepairSession, "look", first_look)
    found = repair([RepairTask(world, problem)], np.random.default_rng(0), RepairConfig(goal_trials=0))
    assert found.verdict is RepairVerdict.AGREES and found.edits and found.rounds >= 3
    assert read == [render_domain(problem.domain)]
