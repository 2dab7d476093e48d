"""Domains in words: whoever cannot read PDDL can still tell any two domains apart."""

from __future__ import annotations

import re

import numpy as np
import pytest
from wide import wide

from envs.pddl.language.domain import read_domain
from envs.pddl.language.prose import say_action
from envs.pddl.language.render import render_domain
from envs.pddl.language.terms import same_rules
from envs.pddl.mutation.faults import mutated, sample_mutations
from envs.registry import worlds
from envs.source import read_texts
from envs.verbalisation.description import verbalise_domain

TEXTS = {name: read_texts(name, 1) for name in worlds()}


@pytest.mark.parametrize(
    ("name", "mutations"),
    wide([(name, count) for name in TEXTS for count in (3, 12)], *((name, 3) for name in TEXTS)),
)
def test_domains_that_differ_in_a_literal_are_said_differently(name: str, mutations: int) -> None:
    domain, words = read_domain(TEXTS[name].domain), TEXTS[name].words
    seen = {verbalise_domain(domain, words)}
    for mutation in sample_mutations(domain, mutations, np.random.default_rng(0)):
        other = read_domain(mutated(domain, mutation))
        said = verbalise_domain(other, words)
        assert same_rules(domain, other) == (said in seen), mutation
        seen.add(said)


@pytest.mark.parametrize("name", ["household", "logistics", "urnsong"])
def test_a_domain_is_said_alike_however_it_is_laid_out(name: str) -> None:
    domain, words = read_domain(TEXTS[name].domain), TEXTS[name].words
    assert verbalise_domain(read_domain(render_domain(domain)), words) == verbalise_domain(domain, words)


def test_an_action_says_what_its_parameters_are_for() -> None:
    domain = read_domain(
        "(define (domain d) (:requirements :strips :typing) (:types egg pan)"
        "(:predicates (in ?e - egg ?p - pan))"
        "(:action fry :parameters (?e - egg ?p - pan) :precondition (in ?e ?p) :effect (not (in ?e ?p))))"
    )
    said = say_action(
        domain.actions["fry"],
        lambda name, terms, holds: f"{terms[0]} is {'' if holds else 'not '}{name} {terms[1]}",
        lambda kind: kind,
        meanings={"?e": "what is fried"},
    )
    assert said == (
        "fry: Its parameters are, in this order, A (an egg: what is fried) and B (a pan). "
        "It can be done when A is in B. Afterwards A is not in B. Nothing else changes."
    )


@pytest.mark.parametrize("name", TEXTS)
def test_every_sentence_about_a_type_says_what_it_is(name: str) -> None:
    words = TEXTS[name].words
    said = verbalise_domain(read_domain(TEXTS[name].domain), words)
    assert ".." not in said and "This is about A" not in said
    assert not re.search(r"\bis (stands|holds|takes|belongs|walks) ", said)


def test_a_type_is_something_or_does_something() -> None:
    said = {name: verbalise_domain(read_domain(TEXTS[name].domain), TEXTS[name].words) for name in TEXTS}
    assert "A tender stands in a hollow and bears" in said["dimhollow"]
    assert "A container holds things, and is open" in said["tyreworld"]
    assert "A couple is two persons" in said["hiking"]
    assert "A location is a place in a city" in said["logistics"]
