"""Literals that exclude nothing: without them the same arguments fit and the same is refused."""

from itertools import product

import numpy as np
import pytest

from agents.operators import redundant
from agents.operators.lifted import EQUAL, NamedLiteral
from agents.operators.redundant import StaticFacts, implied, unneeded
from envs.pddl.language.domain import read_vocabulary

WORDS = read_vocabulary(
    """(define (domain d) (:requirements :typing) (:types place - object town - place)
    (:constants p0 - place)
    (:predicates (next ?x ?y - place) (near ?x ?y - place) (first ?x - place))
    (:action a :parameters (?x ?y - place ?z - town) :precondition () :effect ()))"""
)
PARAMETERS = WORDS.actions["a"]
VARIABLES = [variable for variable, _ in PARAMETERS]
PLACES = {f"p{i}": "town" if i > 1 else "place" for i in range(4)}


def tasks(rng):
    """Two tasks in which `near` and `first` follow from `next`, so that much is implied."""
    for _ in range(2):
        joined = {(x, y) for x, y in product(PLACES, repeat=2) if rng.random() < 0.3}
        near = joined | {(y, x) for x, y in joined}
        first = {x for x in PLACES if all(y != x for _, y in joined)}
        facts = {
            *(("next", *p) for p in joined),
            *(("near", *p) for p in near),
            *(("first", x) for x in first),
        }
        yield StaticFacts(PLACES, frozenset(facts))


def literals(rng):
    pairs = [p for p in product(VARIABLES, repeat=2) if p[0] < p[1]]
    every = [NamedLiteral(name, pair) for name in ("next", "near", EQUAL) for pair in pairs]
    every += [NamedLiteral("first", (variable,)) for variable in VARIABLES]
    every += [NamedLiteral(name, (variable, "p0")) for name in ("next", EQUAL) for variable in VARIABLES[:2]]
    chosen = rng.choice(len(every), 5, replace=False)
    return frozenset(every[i] if rng.random() < 0.6 else every[i].negated for i in chosen)


def fitting(wanted, task):
    fit = [[o for o, own in PLACES.items() if WORDS.types.is_subtype(own, kind)] for _, kind in PARAMETERS]
    bindings = (dict(zip(VARIABLES, names, strict=True)) for names in product(*fit))
    return [b for b in bindings if all(literal.holds(b, task.facts) for literal in wanted)]


@pytest.mark.parametrize("seed", range(30))
def test_the_same_arguments_fit_without_them_and_more_without_any_other(seed):
    rng = np.random.default_rng(seed)
    given, places = literals(rng), list(tasks(rng))
    while not all(fitting(given, task) for task in places):  # an action that ran has arguments that fit
        given, places = literals(rng), list(tasks(rng))
    sure = frozenset(sorted(given)[:1])
    gone = implied(given, sure, PARAMETERS, places, WORDS)
    left = given - gone
    assert sure <= left and gone <= given
    assert all(fitting(left, task) == fitting(given, task) for task in places)
    for literal in left - sure:
        assert any(fitting(left - {literal}, task) != fitting(given, task) for task in places)


def test_what_relates_two_arguments_stays_in_the_place_of_what_is_said_of_one():
    row = StaticFacts(
        dict.fromkeys(("p0", "p1", "p2"), "place"), frozenset({("next", "p0", "p1"), ("first", "p0")})
    )
    given = frozenset({NamedLiteral("first", ("?x",)), NamedLiteral("next", ("?x", "?y"))})
    assert implied(given, frozenset(), PARAMETERS, [row], WORDS) == {NamedLiteral("first", ("?x",))}


def test_what_takes_too_long_to_be_looked_at_stays(monkeypatch):
    rng = np.random.default_rng(0)
    given, places = literals(rng), list(tasks(rng))
    monkeypatch.setattr(redundant, "MAX_BINDINGS", 0)
    assert not implied(given, frozenset(), PARAMETERS, places, WORDS)


@pytest.mark.parametrize("seed", range(20))
def test_the_same_is_refused_without_what_is_unneeded_and_less_without_anything_else(seed):
    rng = np.random.default_rng(seed)
    fails = rng.random((30, 8)) < 0.2
    kept = rng.random(8) < 0.8
    places = [i for i in np.flatnonzero(kept).tolist() if i != 3]
    left = kept & ~unneeded(fails, kept, places)
    explained = fails[:, kept].any(axis=1)
    assert (fails[:, left].any(axis=1) == explained).all() and left[3] == kept[3]
    for i in set(places) & set(np.flatnonzero(left).tolist()):
        fewer = left.copy()
        fewer[i] = False
        assert (fails[:, fewer].any(axis=1) != explained).any()


def test_of_two_relations_that_are_the_same_in_all_tasks_the_first_by_name_stays():
    facts = frozenset((name, x, y) for name in ("near", "next") for x, y in (("p0", "p1"), ("p2", "p3")))
    given = frozenset(NamedLiteral(name, ("?x", "?y")) for name in ("near", "next"))
    gone = implied(given, frozenset(), PARAMETERS, [StaticFacts(PLACES, facts)], WORDS)
    assert gone == {NamedLiteral("next", ("?x", "?y"))}
