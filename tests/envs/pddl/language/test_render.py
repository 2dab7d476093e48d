"""Canonical text: a fixed point of write, read, write, and the same task."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pddl_texts import EVERYTHING, EVERYTHING_PROBLEM, GRIPPERS, GRIPPERS_PROBLEM, pddlgym_tasks
from tarski.fstrips import UniversalEffect
from wide import wide

from envs.pddl.diagnosis.diagnose import diagnose
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.render import render_domain, render_effect, render_formula, render_problem

TASKS = {
    "grippers": (GRIPPERS, GRIPPERS_PROBLEM),
    "everything": (EVERYTHING, EVERYTHING_PROBLEM),
    **{name: texts for name, texts in pddlgym_tasks().items() if name != "easygripper"},
}

VARIABLES = ("?x", "?y", "?z")
TERMS = st.sampled_from((*VARIABLES, "k"))
ATOMS = (
    st.builds("(p {} {})".format, TERMS, TERMS) | st.builds("(= {} {})".format, TERMS, TERMS) | st.just("(z)")
)
BOUND = st.lists(st.sampled_from(VARIABLES), min_size=1, max_size=2, unique=True).map(
    lambda names: f"({' '.join(names)} - {'(either t u)' if len(names) > 1 else 'object'})"
)


def deeper(inner):
    several = st.lists(inner, max_size=3).map(" ".join)
    return (
        st.builds("(and {})".format, several)
        | st.builds("(or {})".format, several)
        | st.builds("(not {})".format, inner)
        | st.builds("(imply {} {})".format, inner, inner)
        | st.builds("({} {} {})".format, st.sampled_from(("exists", "forall")), BOUND, inner)
    )


def deeper_effect(inner):
    return (
        st.lists(inner, max_size=3).map(lambda parts: f"(and {' '.join(parts)})")
        | st.builds("(when {} {})".format, CONDITIONS, inner)
        | st.builds("(forall {} {})".format, BOUND, inner)
    )


CONDITIONS = st.recursive(ATOMS, deeper, max_leaves=8)
LITERALS = st.builds("(p {} {})".format, TERMS, TERMS) | st.builds("(not (p {} {}))".format, TERMS, TERMS)
EFFECTS = st.recursive(LITERALS, deeper_effect, max_leaves=6)
OBJECTS = "kab"
STATES = st.sets(st.tuples(st.just("p"), *[st.sampled_from(OBJECTS)] * 2) | st.just(("z",)))
BINDINGS = {"?x": "a", "?y": "b", "?z": "k"}
DOMAIN = (
    "(define (domain d) (:requirements :adl) (:types t u) (:constants k - t) (:predicates (p ?a ?b) (z))"
    " (:action one :parameters (?x ?y ?z - object) :precondition {precondition} :effect {effect}))"
)


def branches(bound, bindings):
    """The bindings with every choice of objects for a quantifier's variables."""
    found = [bindings]
    for name in (n for n in bound if n[0] == "?"):
        found = [{**b, name: o} for b in found for o in OBJECTS]
    return found


def value(node, state, bindings):
    """The truth of a condition's tree of words, the obvious way."""
    head, *parts = node
    if head in ("and", "or"):
        return (all if head == "and" else any)(value(p, state, bindings) for p in parts)
    if head == "not":
        return not value(parts[0], state, bindings)
    if head == "imply":
        return not value(parts[0], state, bindings) or value(parts[1], state, bindings)
    if head in ("exists", "forall"):
        return (any if head == "exists" else all)(
            value(parts[1], state, b) for b in branches(parts[0], bindings)
        )
    terms = tuple(bindings.get(t, t) for t in parts)
    return terms[0] == terms[1] if head == "=" else (head, *terms) in state


def changes(node, state, bindings):
    """What an effect's tree of words adds and deletes, the obvious way."""
    head, *parts = node
    if head == "and":
        inner = [changes(p, state, bindings) for p in parts]
    elif head == "when":
        inner = [changes(parts[1], state, bindings)] if value(parts[0], state, bindings) else []
    elif head == "forall":
        inner = [changes(parts[1], state, b) for b in branches(parts[0], bindings)]
    elif head == "not":
        return set(), changes(parts[0], state, bindings)[0]
    else:
        return {(head, *(bindings.get(t, t) for t in parts))}, set()
    return set().union(*(a for a, _ in inner)), set().union(*(d for _, d in inner))


def tree(text):
    words = text.replace("(", " ( ").replace(")", " ) ").split()
    stack = [[]]
    for word in words:
        if word == "(":
            stack.append([])
        elif word == ")":
            closed = stack.pop()
            stack[-1].append(closed)
        else:
            stack[-1].append(word)
    return stack[0][0]


@pytest.mark.parametrize("name", wide(TASKS, *(name for name in TASKS if name != "toomanyblocks")))
def test_writing_is_a_fixed_point_and_keeps_the_task(name):
    domain_text, problem_text = TASKS[name]
    domain = read_domain(domain_text)
    problem = read_problem(problem_text, domain)
    written = render_domain(domain)
    again = read_domain(written)
    assert render_domain(again) == written
    written_problem = render_problem(problem)
    problem_again = read_problem(written_problem, again)
    assert render_problem(problem_again) == written_problem
    assert (again.name, again.types) == (domain.name, domain.types)
    assert again.vocabulary.requirements == domain.vocabulary.requirements
    assert again.vocabulary == domain.vocabulary
    assert (problem_again.init, problem_again.objects) == (problem.init, problem.objects)
    assert (problem_again.goal, problem_again.costs) == (problem.goal, problem.costs)
    assert problem_again.minimizes_cost == problem.minimizes_cost
    for action in domain.actions.values():
        assert again.actions[action.name].precondition == action.precondition
        assert again.actions[action.name].cost == action.cost
        assert list(map(render_effect, again.actions[action.name].effects)) == [
            *map(render_effect, action.effects)
        ]


@pytest.mark.parametrize("name", wide(TASKS, *(name for name in TASKS if name != "toomanyblocks")))
def test_canonical_text_has_no_faults_that_the_text_had_not(name):
    domain_text, problem_text = TASKS[name]
    domain = read_domain(domain_text)
    canonical = diagnose(render_domain(domain), render_problem(read_problem(problem_text, domain)))
    assert canonical.valid
    assert {i.code for i in canonical.issues} <= {i.code for i in diagnose(domain_text, problem_text).issues}


@given(CONDITIONS, EFFECTS)
def test_any_domain_is_written_to_a_fixed_point(precondition, effect):
    written = render_domain(read_domain(DOMAIN.format(precondition=precondition, effect=effect)))
    assert render_domain(read_domain(written)) == written


@given(EFFECTS, STATES)
def test_an_effect_changes_the_same_atoms_when_read_and_written(effect, state):
    action = read_domain(DOMAIN.format(precondition="()", effect=effect)).actions["one"]
    before = changes(tree(effect), state, BINDINGS)
    after = [changes(tree(render_effect(e)), state, BINDINGS) for e in action.effects]
    assert before == (set().union(*(a for a, _ in after)), set().union(*(d for _, d in after)))


@given(CONDITIONS, STATES)
def test_a_condition_keeps_its_truth_value_when_read_and_written(condition, state):
    action = read_domain(DOMAIN.format(precondition=condition, effect="(z)")).actions["one"]
    before = value(tree(condition), state, BINDINGS)
    assert value(tree(render_formula(action.precondition)), state, BINDINGS) is before


def test_names_costs_requirements_and_types_are_kept():
    domain = read_domain(EVERYTHING)
    text = render_domain(domain)
    assert "(domain everything)" in text
    assert "(:requirements :adl :action-costs)" in text
    assert "(:types a b - c d c - object u - (either a d))" in text
    assert "(total-cost) - number" in text and "(dist ?x ?y - a) - number" in text
    assert "(increase (total-cost) (dist ?x k))" in text and "(increase (total-cost) 3.5)" in text
    problem = render_problem(read_problem(EVERYTHING_PROBLEM, domain))
    assert "(:metric minimize (total-cost))" in problem
    assert "(= (dist a1 k) 2.25)" in problem and "(= (total-cost) 0)" in problem


def test_facts_are_sorted_and_objects_keep_their_order():
    domain = read_domain(GRIPPERS)
    problem = render_problem(read_problem(GRIPPERS_PROBLEM, domain))
    facts = problem[problem.index("(:init") : problem.index("(:goal")].split("\n")[1:-1]
    assert facts == sorted(facts, key=lambda line: line.strip(" )").split())
    assert "(:objects robot1 - robot left1 right1 - gripper room1 room2 - room" in problem


def test_an_untyped_parameter_beside_typed_ones_is_written_as_an_object():
    text = render_domain(read_domain(EVERYTHING.replace("(a ?any)", "(a ?any)  (m ?one ?two - a)")))
    assert "(a ?any)" in text and "(m ?one ?two - a)" in text
    mixed = read_domain(
        "(define (domain d) (:requirements :typing) (:types t) (:predicates (p ?x - object ?y - t))"
        " (:action a :parameters (?x - object ?y - t) :effect (p ?x ?y)))"
    )
    assert "(p ?x - object ?y - t)" in render_domain(mixed)


def test_nested_universal_effects_are_written_as_one():
    effects = read_domain(EVERYTHING).actions["one"].effects
    assert isinstance(effects[3], UniversalEffect)
    assert render_effect(effects[3]) == "(forall (?w - a ?e - b) (q ?w ?e))"


def test_what_is_no_formula_is_refused():
    with pytest.raises(TypeError, match="not a formula"):
        render_formula("(p)")
    with pytest.raises(TypeError, match="not an effect"):
        render_effect("(p)")
