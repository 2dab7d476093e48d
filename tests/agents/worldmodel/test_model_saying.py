"""World models in words: nobody who reads the words can take one model for another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from true_answers import brief_of, modelled, true_domain
from wide import wide

from agents.worldmodel.saying import Sayer
from envs.pddl.language.domain import read_domain
from envs.pddl.language.terms import same_rules
from envs.pddl.mutation.faults import mutated, sample_mutations


@pytest.mark.parametrize(
    "world", wide(["household", "logistics", "tyreworld", "urnsong", "dimhollow"], "logistics", "urnsong")
)
def test_models_that_differ_in_a_literal_are_said_differently(world: str) -> None:
    domain, brief = true_domain(world), brief_of(world)
    said = Sayer.of(modelled(domain, brief)).say()
    for mutation in sample_mutations(domain, 16, np.random.default_rng(2)):
        other = read_domain(mutated(domain, mutation))
        assert same_rules(domain, other) == (Sayer.of(modelled(other, brief)).say() == said), mutation


def test_meanings_become_clauses_and_their_opposites() -> None:
    model = modelled(true_domain("logistics"), brief_of("logistics"))
    meant = {"package-at": "True if the package ?p lies at ?l.", "truck-at": "whether ?t stands at ?l"}
    noted = tuple(replace(n, meaning=meant.get(n.name, n.meaning)) for n in model.predicates)
    said = Sayer.of(replace(model, predicates=noted)).say(["load-truck"])
    assert said.startswith(
        "load-truck: A package is loaded into a truck at a location. Its parameters are, in this order, "
    )
    assert "It can be done when the package A lies at C; and B stands at C." in said
    assert "it is not the case that the package A lies at C" in said


def test_a_meaning_that_tells_too_little_is_replaced_by_the_atom() -> None:
    model = modelled(true_domain("logistics"), brief_of("logistics"))
    vague = {"package-at": "the package is there", "truck-at": "?t is at ?l", "plane-at": "?A is at ?l"}
    noted = tuple(replace(n, meaning=vague.get(n.name, n.meaning)) for n in model.predicates)
    said = Sayer.of(replace(model, predicates=noted)).say(["load-truck"])
    assert "It can be done when (package-at A C) is true; and (truck-at B C) is true." in said


def test_an_action_that_is_not_written_yet_is_said_to_change_nothing() -> None:
    model = modelled(true_domain("gripper"), brief_of("gripper"))
    assert "pick: " in Sayer.of(model).say()
    assert "It changes nothing." in Sayer.of(replace(model, actions=model.actions[1:])).say()
