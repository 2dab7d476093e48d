"""The lean bias, and learning from flipped observations: laws, against the plain bias and no noise."""

from dataclasses import replace

import numpy as np
import pytest
from explored import explored

from agents.operators.examples import examples_of
from agents.operators.inertia import changes_of, filled
from agents.operators.learner import Bias, learn_operators
from agents.operators.lifted import EQUAL
from agents.operators.noisy import likely
from agents.operators.symmetries import MIN_SUPPORT
from envs.pddl.language.domain import read_vocabulary
from envs.pddl.traces.trace import SeenState, Step, Traces, trace_of

ROADS = read_vocabulary(
    """(define (domain roads) (:requirements :typing) (:types car town)
    (:predicates (at ?c - car ?t - town) (road ?x ?y - town) (fuel ?c - car) (open))
    (:action drive :parameters (?c - car ?x ?y - town) :precondition () :effect ()))"""
)


def driven(pairs, *, roads, refused=(), same=()):
    """One trace that drives along pairs of towns; `same` are towns that it stays in."""
    towns = {name: "town" for pair in roads for name in pair}
    lasting = {("road", *pair) for pair in roads} | {("open",)}
    states, steps = [], []
    for x, y in [*pairs, *((t, t) for t in same)]:
        states += [SeenState(frozenset(lasting | {("at", "c", t)})) for t in (x, y)]
        steps.append(Step(f"(drive c {x} {y})", True, len(states) - 2, len(states) - 1))
        steps += [Step(f"(drive c {x} {z})", False, len(states) - 2) for z in refused if z != y]
    return Traces(ROADS, (trace_of("t", {"c": "car", **towns}, states, steps),))


def ring(towns):
    one_way = [(f"t{i}", f"t{(i + 1) % towns}") for i in range(towns)]
    return one_way, [*one_way, *((y, x) for x, y in one_way)]


def texts(literals):
    return set(map(str, literals))


def test_without_refusals_no_negation_is_kept_and_a_symmetric_relation_is_said_once():
    one_way, both = ring(MIN_SUPPORT)
    (lean,) = learn_operators(driven(one_way, roads=both), Bias.LEAN)
    assert texts(lean.preconditions) == {"(at ?c ?x)", "(road ?x ?y)", "(open)"}
    (lean,) = learn_operators(driven(one_way, roads=one_way), Bias.LEAN)
    assert texts(lean.preconditions) == {"(at ?c ?x)", "(road ?x ?y)", "(open)"}
    few, both = ring(MIN_SUPPORT // 2 - 1)  # too few roads to call the relation symmetric
    (lean,) = learn_operators(driven(few, roads=both), Bias.LEAN)
    assert {"(road ?x ?y)", "(road ?y ?x)"} <= texts(lean.preconditions)


def test_a_refusal_that_no_atom_explains_asks_for_a_negation():
    one_way, _ = ring(6)
    every = [(x, y) for x, _ in one_way for y, _ in one_way]
    traces = driven(one_way, roads=every, refused=["t0"])
    (lean,) = learn_operators(traces, Bias.LEAN)
    (plain,) = learn_operators(traces, Bias.PLAIN)
    # only (drive c t0 t0) shows more than another road: nothing else of the form explains the rest
    assert {p for p in texts(lean.preconditions) if "=" in p} == {"(not (= ?x ?y))"}
    assert set(lean.preconditions) <= set(plain.preconditions)
    assert "(open)" not in texts(
        lean.preconditions
    )  # it never failed, and there are refusals that could say so


def test_of_effects_that_always_coincided_few_are_kept_and_the_rest_may_be():
    traces = driven([], roads=[("t0", "t1"), ("t0", "t0")], same=["t0"])
    trace = traces.traces[0]
    without = frozenset({("open",), ("road", "t0", "t1"), ("road", "t0", "t0")})
    states = [SeenState(without), SeenState(without | {("at", "c", "t0")})]
    traces = Traces(ROADS, (trace_of("t", trace.objects, states, [Step("(drive c t0 t0)", True, 0, 1)]),))
    (lean,), (plain,) = (learn_operators(traces, bias) for bias in (Bias.LEAN, Bias.PLAIN))
    assert texts(plain.effects) == {"(at ?c ?x)", "(at ?c ?y)"} == texts(lean.undetermined_effects)
    assert len(lean.effects) == 1 and not lean.unexplained


def hidden(traces, share, seed=0):
    """The traces with this share of what is known hidden, the same in each call."""
    rng = np.random.default_rng(seed)
    seen = []
    for trace in traces.traces:
        known = trace.known & (rng.random(trace.known.shape) >= share)
        seen.append(replace(trace, known=known, holds=trace.holds & known, whole=np.zeros_like(trace.whole)))
    return replace(traces, traces=tuple(seen))


@pytest.mark.parametrize("world", ["blocksworld", "grippers", "driverlog"])
def test_lean_keeps_no_atom_that_plain_does_not_and_all_that_is_proven(world):
    traces = explored(world)
    for lean, plain in zip(
        learn_operators(traces, Bias.LEAN), learn_operators(traces, Bias.PLAIN), strict=True
    ):
        assert set(lean.proven) == set(plain.proven) <= set(lean.preconditions)
        assert set(lean.effects) <= set(plain.effects) | set(plain.undetermined_effects)
        atoms = {p for p in lean.preconditions if p.positive and p.predicate != EQUAL}
        assert atoms <= set(plain.preconditions) | set(plain.undetermined)


def flipped(traces, rate, seed):
    """Every observation of an atom that some state names, flipped with that probability."""
    rng = np.random.default_rng(seed)
    return Traces(
        traces.vocabulary,
        tuple(replace(t, holds=t.holds ^ (rng.random(t.holds.shape) < rate)) for t in traces.traces),
    )


def test_likely_is_what_was_seen_where_flips_are_rare_and_examples_many():
    one_way, both = ring(12)
    clean = driven(one_way * 6, roads=both)
    (exact,) = learn_operators(clean, Bias.LEAN)
    for seed in range(3):
        (found,) = learn_operators(flipped(clean, 0.05, seed), Bias.LEAN, noise=0.05)
        assert found.effects == exact.effects and found.preconditions == exact.preconditions


@pytest.mark.parametrize("noise", [0.01, 0.1, 0.3])
def test_hypotheses_exclude_each_other_and_depend_on_no_order(noise):
    one_way, both = ring(8)
    traces = flipped(driven(one_way, roads=both), noise, 0)
    seen = examples_of(traces, "drive")
    guess = likely(seen, noise)
    assert not (guess.always & guess.never).any() and not (guess.added & guess.deleted).any()
    assert not (guess.always & guess.added).any() and not (guess.never & guess.deleted).any()
    (trace,) = traces.traces
    turned = Traces(traces.vocabulary, (replace(trace, steps=trace.steps[::-1]),))
    again = likely(examples_of(turned, "drive"), noise)
    for name in ("always", "never", "added", "deleted"):
        assert (getattr(guess, name) == getattr(again, name)).all()


@pytest.mark.parametrize("world", ["blocksworld", "grippers", "driverlog"])
def test_inertia_fills_partial_states_with_what_is_so(world):
    traces = explored(world)
    partial = hidden(traces, 0.5)
    for full, part, true in zip(filled(partial).traces, partial.traces, traces.traces, strict=True):
        assert (full.known >= part.known).all() and full.known.sum() > 1.2 * part.known.sum()
        assert (full.holds == (true.holds & full.known)).all()
    assert all(a is b for a, b in zip(filled(traces).traces, traces.traces, strict=True))


@pytest.mark.parametrize("world", ["termes", "barman", "depot"])
def test_true_effects_fill_partial_states_with_what_is_so_and_with_more(world):
    """Effects were learned from whole states; what stays was seen to stay there."""
    traces = explored(world)
    partial = hidden(traces, 0.5)
    examples = [examples_of(traces, action) for action in traces.vocabulary.actions]
    changes = changes_of(traces, examples, learn_operators(traces, Bias.LEAN))
    full = filled(partial, changes)
    for whole, least, found in zip(traces.traces, filled(partial).traces, full.traces, strict=True):
        assert (whole.holds[found.known] == found.holds[found.known]).all()
        assert (found.known | ~least.known).all() and found.known.sum() > least.known.sum()


@pytest.mark.parametrize("world", ["termes", "depot"])
def test_of_partial_states_the_effects_of_whole_ones_are_learned(world):
    traces = explored(world, walks=30)
    whole = learn_operators(traces, Bias.LEAN)
    found = learn_operators(hidden(traces, 0.3), Bias.LEAN)
    assert [o.effects for o in found] == [o.effects for o in whole]


GIVE = read_vocabulary(
    """(define (domain give) (:predicates (p ?x) (q ?x)) (:action a :parameters (?x) :effect ())
    (:action b :parameters (?x) :effect ()))"""
)


def given(number, states, *steps):
    """A trace of one object; a state says what is known, in capitals what is false."""
    name, atoms = f"o{number}", {"p": ("p", f"o{number}"), "q": ("q", f"o{number}")}
    seen = [
        SeenState(
            frozenset(atoms[k] for k in state if k.islower()),
            frozenset(atoms[k.lower()] for k in state if k.isupper()),
        )
        for state in states
    ]
    made = [Step(f"({action} {name})", runs, *places) for action, runs, *places in steps]
    return trace_of(f"t{number}", {name: "object"}, seen, made)


def test_a_step_whose_next_state_was_not_seen_is_no_hindrance():
    trace = given(1, ["pQ", "qP", "p"], ("a", True, 0, 1), ("a", True, 2))
    (a,) = learn_operators(Traces(GIVE, (trace,)), Bias.LEAN)
    assert texts(a.effects) == {"(q ?x)", "(not (p ?x))"}


def test_guesses_take_away_nothing_that_is_proven_and_invent_no_changes():
    """That `b` makes p true is known of the first object, and that it leaves it false of the second."""
    proving = (
        given(1, ["pQ", "pQ"], ("b", True, 0, 1)),
        given(2, ["PQ", "Q", "q"], ("b", True, 0, 1), ("a", True, 1, 2)),
        given(3, ["pQ", "pq"], ("a", True, 0, 1)),
        given(4, ["PQ"], ("a", False, 0)),
    )
    a, _ = learn_operators(Traces(GIVE, proving), Bias.LEAN)
    assert texts(a.proven) == texts(a.preconditions) == {"(p ?x)"} and not a.unexplained
    inventing = (
        given(1, ["pQ", "pQ"], ("b", True, 0, 1)),
        given(2, ["PQ", "Q", "pq"], ("b", True, 0, 1), ("a", True, 1, 2)),
        given(3, ["pQ", "pq"], ("a", True, 0, 1)),
        given(4, ["PQ", "Pq"], ("a", True, 0, 1)),
    )
    assert not any(o.unexplained for o in learn_operators(Traces(GIVE, inventing), Bias.LEAN))


def test_a_predicate_that_changes_far_away_is_not_filled():
    towns = {"c": "car", "d": "car", "t0": "town", "t1": "town"}
    fuel = ("fuel", "d")
    states = [SeenState(frozenset({fuel}), frozenset()), SeenState(frozenset(), frozenset({fuel}))]
    states += [
        SeenState(frozenset({("at", "d", "t0"), fuel}), frozenset()),
        SeenState(frozenset(), frozenset()),
    ]
    steps = [Step("(drive c t0 t1)", True, 0, 1), Step("(drive c t1 t0)", True, 2, 3)]
    (full,) = filled(Traces(ROADS, (trace_of("t", towns, states, steps),))).traces
    assert full.state(3) == SeenState(frozenset({("at", "d", "t0")}), frozenset())
