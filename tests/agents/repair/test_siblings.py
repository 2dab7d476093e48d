"""Effects that an action lacks are those that its siblings have more of; without siblings there are none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from agents.repair.candidate import oddity
from agents.repair.model import Model
from agents.repair.siblings import lacking_effects
from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.simulation.lifted import Literal, Schema, lift

#: A lift that goes up and down, and a door that has nothing to do with it.
LIFT = """(define (domain lift) (:requirements :typing) (:types floor person)
(:predicates (above ?f ?g - floor) (at ?f - floor) (in ?p - person) (moved ?p - person) (open ?f - floor))
(:action up :parameters (?f ?g - floor ?p - person) :precondition (and (at ?f) (above ?g ?f) (in ?p))
 :effect (and (not (at ?f)) (at ?g) (moved ?p)))
(:action down :parameters (?f ?g - floor ?p - person) :precondition (and (at ?f) (above ?f ?g) (in ?p))
 :effect (and (not (at ?f)) (at ?g) (moved ?p)))
(:action unlock :parameters (?f - floor) :precondition (at ?f) :effect (open ?f)))
"""
TASK = "(define (problem p) (:domain lift) (:objects f g - floor p - person) (:init (at f)) (:goal (open g)))"


def problem(domain: str = LIFT) -> Problem:
    return read_problem(TASK, read_domain(domain))


def without(schema: Schema, number: int) -> Schema:
    """The action with one effect less."""
    return replace(schema, effects=schema.effects[:number] + schema.effects[number + 1 :])


@pytest.mark.parametrize(("name", "number"), [(name, n) for name in ("up", "down") for n in range(3)])
def test_an_effect_that_one_of_two_siblings_has_lost_is_lacking(name: str, number: int) -> None:
    schemas = lift(problem()).schemas
    lost = next(schema for schema in schemas if schema.name == name).effects[number]
    changed = [without(schema, number) if schema.name == name else schema for schema in schemas]
    found = lacking_effects(changed)
    assert found.pop(name) == {(lost.predicate, lost.adds)}
    assert not any(found.values())


def test_nothing_is_lacking_where_siblings_agree_or_there_are_none() -> None:
    schemas = lift(problem()).schemas
    assert not any(lacking_effects(schemas).values())
    assert lacking_effects([schema for schema in schemas if schema.name != "down"]) == {
        "unlock": frozenset(),
        "up": frozenset(),
    }


def test_the_order_of_actions_has_no_say() -> None:
    schemas = [without(s, 0) if s.name == "up" else s for s in lift(problem()).schemas]
    for order in map(np.random.default_rng(0).permutation, [len(schemas)] * 5):
        assert lacking_effects([schemas[i] for i in order]) == lacking_effects(schemas)


def test_an_effect_is_less_odd_in_the_action_whose_sibling_has_it() -> None:
    model = Model.of(problem(LIFT.replace("(at ?g) (moved ?p)", "(at ?g)", 1)))
    moved = Literal("moved", (~2,), True)
    assert oddity(model, "up", moved) == 1  # all others do without an effect on `?p`
    assert oddity(model, "down", Literal("at", (~2,), True)) == 1
    assert oddity(model, "up", Literal("moved", (model.objects.index("p"),), True)) == 2
    assert oddity(model, "unlock", Literal("at", (~0,), True)) == 1


@pytest.mark.parametrize(("held", "odd"), [("", 0), ("(moved p)", 1)])
def test_what_is_made_false_and_nothing_makes_true_has_lost_an_effect(held: str, odd: int) -> None:
    """Unless it holds at the start: then it may just be used up."""
    given = LIFT.replace("(at ?g) (moved ?p)", "(at ?g)").replace(
        "(not (at ?f))", "(not (at ?f)) (not (moved ?p))"
    )
    own = problem(given)
    init = own.init | {tuple(held[1:-1].split())} if held else own.init
    model = Model.of(replace(own, init=init))
    assert "moved" in model.undone
    assert oddity(model, "up", Literal("moved", (~2,), True)) == odd
    assert oddity(model, "up", Literal("moved", (~2,), False)) == 1
