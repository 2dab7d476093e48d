"""Conditional effects and clauses: they separate all that was seen, and mean what PDDL means by them."""

from dataclasses import replace
from itertools import combinations_with_replacement

import numpy as np
import pytest
from explored import explored
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.operators import conditional
from agents.operators.conditional import MIN_NEEDED, MIN_SUPPORT
from agents.operators.exploration import Exploration, explore
from agents.operators.learner import Bias, learn_operators
from agents.operators.lifted import Condition, NamedLiteral, domain_of, shown_problem
from agents.operators.matching import violations
from envs.pddl.language.domain import read_domain, read_problem, read_vocabulary
from envs.pddl.simulation.compile import compile_task
from envs.pddl.traces.trace import SeenState, Step, Traces, trace_of
from envs.world import open_world
from ew.score.score import ew_score
from ew.walks.adapter import transitions_of

#: Lamps that change with those near them, where the mains are on; each rule is of another form.
LAMPS = """(define (domain lamps) (:requirements :adl :typing) (:types lamp switch)
  (:predicates (lit ?l - lamp) (near ?l ?m - lamp) (broken ?l - lamp) (wired ?s - switch ?l - lamp)
    (mains) (fuse ?s - switch))
  (:action press :parameters (?l - lamp) :precondition (or (mains) (broken ?l))
    :effect (and (when (lit ?l) (not (lit ?l))) (when (and (not (lit ?l)) (not (broken ?l))) (lit ?l))
      (forall (?m - lamp) (when (and (near ?l ?m) (lit ?m)) (not (lit ?m))))
      (forall (?m - lamp) (when (and (near ?l ?m) (not (lit ?m))) (lit ?m)))))
  (:action flip :parameters (?s - switch)
    :precondition (exists (?l - lamp) (and (wired ?s ?l) (lit ?l)))
    :effect (and (when (mains) (not (mains))) (when (not (mains)) (mains))
      (when (exists (?l - lamp) (and (wired ?s ?l) (broken ?l))) (not (fuse ?s)))))
  (:action reset :parameters (?s - switch) :precondition (not (fuse ?s)) :effect (and (fuse ?s) (mains))))
"""
NAMES = ("a", "b", "c", "d")


def task(seed):
    rng = np.random.default_rng(seed)
    facts = ["(mains)", "(fuse s)", "(fuse t)"]
    facts += [
        f"({p} {x})" for p, share in (("lit", 0.5), ("broken", 0.4)) for x in NAMES if rng.random() < share
    ]
    facts += [f"(wired {rng.choice(['s', 't'])} {x})" for x in NAMES]
    facts += [f"(near {x} {y})" for x in NAMES for y in NAMES if x != y and rng.random() < 0.4]
    objects = f"(:objects {' '.join(NAMES)} - lamp s t - switch)"
    return f"(define (problem p{seed}) (:domain lamps) {objects} (:init {' '.join(facts)}) (:goal (lit a)))"


@pytest.fixture(scope="module")
def lamps(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lamps")
    (folder / "domain.pddl").write_text(LAMPS, encoding="utf-8")
    for number in range(1, 6):
        (folder / f"p{number:02}.pddl").write_text(task(number), encoding="utf-8")
    return str(folder)


@pytest.fixture(scope="module")
def seen(lamps):
    walks = Exploration(8, 10, 1)
    found = [explore(open_world(lamps, n), np.random.default_rng(n), walks).traces for n in (1, 2, 3)]
    return Traces(found[0].vocabulary, tuple(trace for traces in found for trace in traces.traces))


def rules(operators):
    texts = [f"{o.name} {each}" for o in operators for each in o.conditional]
    return texts + [f"{o.name} needs {' or '.join(map(str, each))}" for o in operators for each in o.clauses]


@pytest.mark.parametrize("bias", list(Bias))
def test_rules_of_every_form_are_found_and_explain_all_that_was_seen(bias, seen):
    operators = learn_operators(seen, bias)
    assert list(violations(operators, seen)) == [] and not any(o.unexplained for o in operators)
    assert {
        "press (when (and (not (broken ?l)) (not (lit ?l))) (lit ?l))",
        "press (forall (?x - lamp) (when (and (lit ?x) (near ?l ?x)) (not (lit ?x))))",
        "flip (when (exists (?x - lamp) (and (broken ?x) (wired ?s ?x))) (not (fuse ?s)))",
        "flip needs (exists (?x - lamp) (and (lit ?x) (wired ?s ?x)))",
        "press needs (broken ?l) or (mains)",
    } <= set(rules(operators))


def test_they_hold_on_tasks_that_were_not_seen(lamps, seen):
    domain = read_domain(domain_of(seen.vocabulary, learn_operators(seen, Bias.LEAN)))
    for number in (4, 5):
        world = open_world(lamps, number)
        model = compile_task(read_problem(shown_problem(world, domain.name), domain))
        assert ew_score(transitions_of(world), model, np.random.default_rng(0)).score == 1


def test_the_check_reads_rules_as_the_kernel_does(lamps, seen):
    """Of each rule left out, a step is explained if and only if the compiled model takes it."""
    operators = learn_operators(seen, Bias.LEAN)
    without = [
        [replace(o, clauses=(), conditional=o.conditional[1:]) if o is changed else o for o in operators]
        for changed in operators
        if not changed.plain
    ]
    traces = replace(seen, traces=(replace(seen.traces[0], steps=seen.traces[0].steps[::7]),))
    (trace,) = traces.traces
    for chosen in (operators, *without):
        domain = read_domain(domain_of(seen.vocabulary, chosen, "lamps"))
        problem = read_problem(shown_problem(open_world(lamps, 1), "lamps"), domain)
        model = compile_task(problem)
        wrong = set()
        for number, step in enumerate(trace.steps, start=1):
            state = model.state_of(trace.state(step.before).true)[None]
            place = model.operator_index.get(step.operator)
            runs = place is not None and bool(model.applicable(state)[0, place])
            if runs and step.after is not None:
                reached = model.atoms_of(model.successors(state, np.array([place])))
                runs = reached == trace.state(step.after).true
            if runs != step.executable:
                wrong.add(f"step {number}")
        assert {text.split(" of ")[0] for text in violations(chosen, traces)} == wrong
        assert bool(wrong) == (chosen is not operators)


@pytest.mark.parametrize("world", ["blocksworld", "grippers", "termes", "driverlog", "hiking"])
def test_worlds_of_literals_alone_are_learned_with_literals_alone(world):
    assert all(o.plain for o in learn_operators(explored(world), Bias.LEAN))


def test_partial_and_flipped_states_are_learned_with_literals_alone(seen):
    (first, *_) = seen.traces
    partly = replace(first, whole=np.zeros_like(first.whole))
    for traces, noise in ((replace(seen, traces=(partly,)), 0.0), (seen, 0.05)):
        assert all(o.plain for o in learn_operators(traces, Bias.LEAN, noise=noise))


WORDS = read_vocabulary(
    """(define (domain bulbs) (:requirements :typing) (:types bulb)
    (:predicates (lit ?l - bulb) (broken ?l - bulb) (dark))
    (:action switch :parameters (?l - bulb) :precondition () :effect ()))"""
)


def switched(lit, broken):
    """As many bulbs are switched that go on, and that are broken."""
    names = [f"b{i}" for i in range(lit + broken)]
    bad = frozenset(("broken", name) for name in names[lit:])
    states, steps = [SeenState(bad)], []
    for number, name in enumerate(names):
        if number < lit:
            states.append(SeenState(bad | {("lit", name)}))
        steps.append(Step(f"(switch {name})", True, 0, len(states) - 1 if number < lit else 0))
    return Traces(WORDS, (trace_of("t", dict.fromkeys(names, "bulb"), states, steps),))


@pytest.mark.parametrize("lit", range(1, MIN_SUPPORT + 2))
@pytest.mark.parametrize("broken", range(1, MIN_SUPPORT + 2))
def test_a_condition_is_learned_from_enough_examples_on_both_sides(lit, broken):
    (operator,) = learn_operators(switched(lit, broken))
    enough = lit >= MIN_SUPPORT and broken >= MIN_SUPPORT
    assert rules([operator]) == (["switch (when (not (broken ?l)) (lit ?l))"] if enough else [])
    assert bool(operator.unexplained) is not enough


def test_the_same_example_again_shows_nothing_new():
    traces = switched(MIN_SUPPORT - 1, MIN_SUPPORT)
    (trace,) = traces.traces
    (operator,) = learn_operators(replace(traces, traces=(replace(trace, steps=trace.steps * 3),)))
    assert operator.plain and operator.unexplained


tables = st.integers(1, 5).flatmap(
    lambda width: st.lists(st.tuples(st.booleans(), *[st.booleans()] * width), min_size=6, max_size=24)
)


@settings(max_examples=20)
@given(tables)
def test_what_separates_is_the_best_of_all_pairs(rows):
    """Against trying all pairs one by one: as many rows as any, and of these with the lowest cost."""
    true = np.array([row[1:] for row in rows], dtype=np.bool_)
    wanted = np.array([row[0] for row in rows], dtype=np.bool_)
    literals = tuple(Condition((NamedLiteral(f"p{i}", ()),)) for i in range(true.shape[1]))
    costs = np.arange(true.shape[1]) // 2 + 1
    features = conditional._Features(literals, costs, true)
    own = np.zeros(len(literals), dtype=np.bool_)
    found = conditional._separating(features, wanted, ~wanted, own, np.arange(len(rows)))
    possible = {}
    outside, lets, shown = (table.sum(axis=0) for table in (~true[~wanted], true[~wanted], true[wanted]))
    for pair in combinations_with_replacement(range(true.shape[1]), 2):
        both = true[:, pair].all(axis=1)
        few = min(*outside[[*pair]], *shown[[*pair]], np.count_nonzero(both & wanted)) < MIN_SUPPORT
        idle = pair[0] != pair[1] and min(lets[[*pair]]) < MIN_NEEDED
        if not ((both & ~wanted).any() or few or idle):
            possible[pair] = np.count_nonzero(both & wanted), -costs[list(set(pair))].sum()
    if found is None:
        assert not possible
    else:
        assert possible[found[0], found[-1]] == max(possible.values())
