"""Edits made in the text and read back give the model that was meant."""

from __future__ import annotations

import numpy as np
import pytest
from walked_worlds import walked
from wide import wide

from agents.repair.candidate import Candidate, EffectEdit, InitialEdit
from agents.repair.model import Fit, Model
from agents.repair.text import DescribedEdit, changed_domain, changed_problem, changes, edited_problem
from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.registry import WORLDS

every_world = pytest.mark.parametrize(
    "world", wide(WORLDS, *(name for name in WORLDS if name != "minecraft"))
)


def drawn(model: Model, rng: np.random.Generator) -> Candidate:
    """A candidate with some edits of every kind that is there."""
    edits, fits = set(), {}
    for name, action in model.actions.items():
        own = set(action.preconditions)
        free = [literal for literal in action.candidates if literal not in own]
        added = tuple(free[int(i)] for i in rng.choice(len(free), min(2, len(free)), replace=False))
        fits[name] = Fit(tuple((p, 1) for p in sorted_literals(own) if rng.random() < 0.4), added)
        for literal in action.candidates:
            if literal in action.effects and rng.random() < 0.3:
                edits.add(EffectEdit(name, literal, False))
            elif literal not in action.effects and rng.random() < 0.1:
                edits.add(EffectEdit(name, literal, True))
    for predicate, rows in sorted(model.tasks[0].init.items()):
        edits.add(InitialEdit(predicate, rows[0], False))
        other = (*rows[0][:1], *rows[-1][1:])  # well typed, as both its parts are
        if other not in rows:
            edits.add(InitialEdit(predicate, other, True))
    return Candidate(frozenset(edits), fits)


def sorted_literals(literals):
    return sorted(literals, key=lambda p: (p.predicate, p.terms, p.positive))


def read_back(problem: Problem, edits: tuple[DescribedEdit, ...]) -> Model:
    domain = read_domain(changed_domain(problem.domain, edits))
    return Model.of(read_problem(changed_problem(problem, edits), domain))


@every_world
@pytest.mark.parametrize("seed", range(2))
def test_a_changed_problem_read_back_has_the_edits_and_nothing_else(world: str, seed: int) -> None:
    model = Model.of(walked(world).problem)
    candidate = drawn(model, np.random.default_rng(seed))
    again = read_back(model.problems[0], changes(model, candidate))
    for name, action in model.actions.items():
        gone = {literal for literal, _ in candidate.fits[name].dropped}
        meant = [p for p in action.preconditions if p not in gone] + list(candidate.fits[name].added)
        assert set(again.actions[name].preconditions) == set(meant)
        own = [e for e in candidate.edits if isinstance(e, EffectEdit) and e.action == name]
        assert again.actions[name].effects == {
            *(action.effects - {e.effect for e in own if not e.present}),
            *(e.effect for e in own if e.present),
        }
        assert again.actions[name].fixed == action.fixed
        assert again.actions[name].conditional == action.conditional
    start = {(p, row) for p, rows in model.tasks[0].init.items() for row in rows}
    for edit in candidate.edits:
        if isinstance(edit, InitialEdit):
            (start.add if edit.present else start.discard)((edit.predicate, edit.arguments))
    assert {(p, row) for p, rows in again.tasks[0].init.items() for row in rows} == start


@every_world
def test_no_edits_leave_the_model_as_it_is(world: str) -> None:
    model = Model.of(walked(world).problem)
    again = read_back(model.problems[0], ())
    assert again.tasks == model.tasks


NESTED = """
(define (domain nested) (:requirements :strips :negative-preconditions)
  (:predicates (p ?x) (q ?x) (r ?x))
  (:action act :parameters (?x)
    :precondition (and (and (p ?x) (not (q ?x))) (r ?x))
    :effect (and (and (q ?x)) (and (not (p ?x)) (not (r ?x)))))
  (:action always :parameters (?x) :effect (p ?x)))
"""
PROBLEM = "(define (problem one) (:domain nested) (:objects a) (:init (p a)) (:goal (q a)))"


def test_literals_of_nested_conjunctions_can_be_edited_as_well() -> None:
    model = Model.of(read_problem(PROBLEM, read_domain(NESTED)))
    act = model.actions["act"]
    assert len(act.preconditions) == 3 and len(act.effects) == 3
    edits = frozenset(EffectEdit("act", effect, False) for effect in act.effects)
    candidate = Candidate(edits, {"act": Fit(tuple((p, 1) for p in act.preconditions))})
    again = read_back(model.problems[0], changes(model, candidate)).actions["act"]
    assert again.preconditions == () and again.effects == frozenset()


def test_an_action_without_precondition_can_get_one() -> None:
    model = Model.of(read_problem(PROBLEM, read_domain(NESTED)))
    (literal,) = [p for p in model.actions["always"].candidates if p.predicate == "q" and not p.positive]
    candidate = Candidate(frozenset(), {"always": Fit(added=(literal,))})
    assert read_back(model.problems[0], changes(model, candidate)).actions["always"].preconditions == (
        literal,
    )


def test_a_change_is_said_in_words() -> None:
    assert (
        str(DescribedEdit("move", "effect", "(at ?r ?to)", True)) == "add (at ?r ?to) to the effect of move"
    )
    assert (
        str(DescribedEdit("initial state", "", "(at a b)", False)) == "remove (at a b) from the initial state"
    )


def test_a_literal_that_does_not_stand_there_cannot_be_removed() -> None:
    problem = read_problem(PROBLEM, read_domain(NESTED))
    with pytest.raises(ValueError, match="does not stand"):
        changed_domain(problem.domain, [DescribedEdit("act", "precondition", "(q ?x)", False)])


def test_a_literal_that_a_negated_disjunction_stands_for_goes() -> None:
    domain = """(define (domain d) (:requirements :adl) (:predicates (p ?x) (q ?x) (r ?x) (done ?x))
        (:action use :parameters (?x) :effect (done ?x)
         :precondition (and (r ?x) (not (or (not (p ?x)) (imply (q ?x) (r ?x)))))))"""
    text = "(define (problem t) (:domain d) (:objects a) (:init) (:goal (done a)))"
    model = Model.of(read_problem(text, read_domain(domain)))
    own = model.actions["use"].preconditions
    assert sorted((one.predicate, one.positive) for one in own) == [
        ("p", True),
        ("q", True),
        ("r", False),
        ("r", True),
    ]
    for literal in own:
        candidate = Candidate(frozenset(), {"use": Fit(((literal, 1),))})
        again = read_back(model.problems[0], changes(model, candidate))
        meant = {one for one in own if one != literal}
        assert set(again.actions["use"].preconditions) == meant
        edited = Model.of(edited_problem(model, candidate))
        assert set(edited.actions["use"].preconditions) == meant
