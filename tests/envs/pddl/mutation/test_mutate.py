"""Mutations: one literal each, well-typed, readable, reproducible."""

from collections import Counter

import numpy as np
import pytest
from kernel_samples import bundled
from wide import wide

from envs.pddl.diagnosis.diagnose import diagnose
from envs.pddl.language.domain import read_domain
from envs.pddl.language.render import render_domain
from envs.pddl.language.terms import Part, terms
from envs.pddl.mutation.faults import MutationKind, mutated, mutations, sample_mutations, sample_terms

DOMAINS = {name: read_domain(texts[0]) for name, texts in bundled(1).items()}
#: Which take longest to read.
LARGE = {"household/1", "minecraft/1", "barman/1", "tyreworld/1"}
TINY = read_domain(
    "(define (domain tiny) (:requirements :strips :typing) (:types room - place ball)"
    "(:predicates (near ?x ?y - place) (at ?b - ball ?x - place))"
    "(:action roll :parameters (?b - ball ?x ?y - room)"
    " :precondition (and (at ?b ?x) (near ?x ?y)) :effect (and (at ?b ?y) (not (at ?b ?x)))))"
)


def literals(text):
    return [(t.action, t.part, t.text) for t in terms(read_domain(text))]


@pytest.mark.parametrize("name", wide(DOMAINS, *sorted(set(DOMAINS) - LARGE)))
def test_a_mutation_changes_exactly_one_literal_and_leaves_no_error(name):
    domain = DOMAINS[name]
    before = [(t.action, t.part, t.text) for t in terms(domain)]
    conditions = {(t.action, t.part, t.text) for t in terms(domain) if t.condition and t.part is Part.EFFECT}
    for mutation in sample_mutations(domain, 12, np.random.default_rng(0)):
        text = mutated(domain, mutation)
        assert not diagnose(text).errors
        place = (mutation.action, mutation.part)
        gone = [(*place, mutation.before)] if mutation.before else []
        come = [(*place, mutation.after)] if mutation.after else []
        lost = Counter([*before, *come])
        lost.subtract([*literals(text), *gone])
        assert min(lost.values()) >= 0
        # An effect that goes takes its condition with it; nothing else is lost.
        assert set(+lost) <= conditions and (mutation.kind is MutationKind.REMOVE or not +lost)


@pytest.mark.parametrize("name", wide(DOMAINS, *sorted(set(DOMAINS) - LARGE)))
def test_a_sample_holds_no_mutation_twice_and_follows_from_its_seed(name):
    domain = DOMAINS[name]
    one, again = (sample_mutations(domain, 30, np.random.default_rng(5)) for _ in range(2))
    assert one == again and len(set(one)) == len(one)
    assert one != sample_mutations(domain, 30, np.random.default_rng(6))


def test_mutations_depend_on_the_domain_and_not_on_its_layout():
    domain = DOMAINS["grippers-1"] if "grippers-1" in DOMAINS else next(iter(DOMAINS.values()))
    assert mutations(read_domain(render_domain(domain))) == mutations(domain)


def test_kinds_take_turns_in_a_sample():
    kinds = [m.kind for m in sample_mutations(TINY, 4, np.random.default_rng(0))]
    assert sorted(kinds) == sorted(MutationKind)


def test_arguments_are_swapped_only_where_their_types_allow_it():
    swaps = {m.after for m in mutations(TINY)[MutationKind.SWAP]}
    assert swaps == {"(near ?y ?x)"}  # a ball and a room never change places


def test_added_literals_are_well_typed_and_new():
    added = {(m.part.value, m.after) for m in mutations(TINY)[MutationKind.ADD]}
    assert ("precondition", "(near ?y ?x)") in added and ("effect", "(not (near ?x ?y))") in added
    assert ("precondition", "(at ?b ?x)") not in added and ("effect", "(not (at ?b ?x))") not in added
    assert not any("(at ?x" in text or "?b ?b" in text for _, text in added)


def test_a_flip_turns_an_added_atom_into_a_deleted_one_and_back():
    flips = {(m.part.value, m.before): m.after for m in mutations(TINY)[MutationKind.FLIP]}
    assert flips["effect", "(at ?b ?y)"] == "(not (at ?b ?y))"
    assert flips["effect", "(not (at ?b ?x))"] == "(at ?b ?x)"


def test_a_mutation_of_another_domain_is_refused():
    stranger = mutations(DOMAINS[next(iter(DOMAINS))])[MutationKind.FLIP][0]
    with pytest.raises((ValueError, KeyError), match=r"no such term|no action"):
        mutated(TINY, stranger)


def test_terms_are_drawn_uniformly():
    counts = {term: 0 for term in terms(TINY)}
    rng = np.random.default_rng(0)
    for _ in range(400):
        for term in sample_terms(TINY, 2, rng):
            counts[term] += 1
    assert all(abs(count - 200) < 5 * np.sqrt(100) for count in counts.values())


def test_more_terms_than_there_are_cannot_be_drawn():
    with pytest.raises(ValueError, match="has 4 terms"):
        sample_terms(TINY, 5, np.random.default_rng(0))
