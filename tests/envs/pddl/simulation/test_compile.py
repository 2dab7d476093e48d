"""What compiling makes of a problem: the same whatever the order of the text, and small."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from kernel_samples import (
    SAMPLES,
    bundled,
    domain,
    first_choices,
    problem,
    problem_of,
    random_states,
    task_of,
)
from wide import wide

from envs.pddl.language.domain import Problem
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.grounding import GroundingExploded, Limits
from envs.pddl.simulation.reference import ReferenceSimulator

CASES = {**SAMPLES, **bundled(1, 10)}
#: Each feature of the language, and the smallest task of each world.
ALWAYS = [*SAMPLES, *bundled(1)]


def shuffled(task: Problem, seed: int) -> Problem:
    """The same problem with everything that has no order in another order."""
    rng = random.Random(seed)

    def mixed(mapping):
        return dict(rng.sample(list(mapping.items()), len(mapping)))

    source = task.domain
    words = replace(source.vocabulary, predicates=mixed(source.predicates))
    again = replace(source, actions=mixed(source.actions), vocabulary=words)
    return replace(task, domain=again, objects=mixed(task.objects))


@pytest.mark.parametrize("name", wide(CASES, *ALWAYS))
def test_the_order_of_actions_and_objects_changes_nothing(name: str) -> None:
    original = problem_of(*CASES[name])
    task, other = task_of(*CASES[name]), compile_task(shuffled(original, 7))
    assert (task.operators, task.atoms, task.static) == (other.operators, other.atoms, other.static)
    states = random_states(task, 40)
    assert (states == random_states(other, 40)).all()
    assert (task.applicable(states) == other.applicable(states)).all()
    chosen = first_choices(task, states)
    assert (task.successors(states, chosen) == other.successors(states, chosen)).all()


@pytest.mark.parametrize("name", wide(CASES, *ALWAYS))
def test_operators_and_atoms_are_sorted_and_unique(name: str) -> None:
    task = task_of(*CASES[name])
    assert list(task.operators) == sorted(set(task.operators))
    assert list(task.atoms) == sorted(set(task.atoms))
    assert [task.operator_index[text] for text in task.operators] == list(range(len(task.operators)))


@pytest.mark.parametrize("name", wide(CASES, *ALWAYS))
def test_limits_change_nothing_but_what_is_refused(name: str) -> None:
    problem = problem_of(*CASES[name])
    free, limited = task_of(*CASES[name]), compile_task(problem, Limits())
    assert (free.operators, free.atoms) == (limited.operators, limited.atoms)
    with pytest.raises(GroundingExploded):
        compile_task(problem, Limits(max_condition=-1))


def test_operators_sort_by_their_text_even_with_unusual_names() -> None:
    text = domain("""(:predicates (p ?x)) (:action go :parameters (?x) :effect (p ?x))
        (:action go-on :parameters (?x) :effect (p ?x))""")
    task = compile_task(problem_of(text, problem("a a-1 a_1 ab")))
    assert list(task.operators) == sorted(task.operators)
    assert "(go a)" in task.operators and "(go-on a-1)" in task.operators


def test_an_operator_whose_precondition_can_never_hold_is_dropped() -> None:
    text = domain("""(:predicates (s ?x) (f ?x))
        (:action a :parameters (?x) :precondition (or (s ?x) (and (f ?x) (not (f ?x)))) :effect (f ?x))""")
    assert compile_task(problem_of(text, problem("x y", "(s x)"))).operators == ("(a x)",)


def test_static_atoms_take_no_bits() -> None:
    task = compile_task(problem_of(*CASES["negative preconditions of static and fluent predicates"]))
    assert {atom[0] for atom in task.atoms} == {"at", "marked"}
    assert {atom[0] for atom in task.static} == {"wall", "next"}


def test_atoms_that_no_operator_adds_take_no_bits() -> None:
    text = domain(
        "(:predicates (p ?x)) (:action a :parameters (?x) :precondition (p ?x) :effect (not (p ?x)))"
    )
    assert compile_task(problem_of(text, problem("x y z", "(p y)"))).atoms == (("p", "y"),)


def test_a_conjunction_of_disjunctions_grows_linearly() -> None:
    def gates(clauses: int) -> int:
        parts = " ".join(f"(or (p a{i}) (p b{i}))" for i in range(clauses))
        names = " ".join(f"a{i} b{i}" for i in range(clauses))
        text = domain("(:predicates (p ?x)) (:action a :parameters (?x) :effect (p ?x))")
        task = compile_task(problem_of(text, problem(names, "", f"(and {parts})")))
        assert not task.goal_reached(task.initial(1))[0]
        return task._goal_circuit.variables - len(task.atoms) - 1

    assert (gates(10), gates(40)) == (10, 40)


def test_a_task_of_plain_literals_has_no_gates() -> None:
    worlds = bundled(1)
    for name in ("blocksworld/1", "grippers/1", "termes/1"):
        task = compile_task(problem_of(*worlds[name]))
        assert task._circuit.variables == len(task.atoms) + 1, name


def test_a_deep_formula_compiles_and_agrees_with_the_reference() -> None:
    deep = "(p ?x)"
    for level in range(90):
        deep = f"(or (s ?x ?x) (and (exists (?y{level}) (s ?x ?y{level})) {deep}))"
    text = domain(
        f"(:predicates (p ?x) (s ?x ?y)) (:action a :parameters (?x) :precondition {deep} :effect (p ?x))"
    )
    read = problem_of(text, problem("u v w", "(s u v) (p u) (p v) (s w w)"))
    task = compile_task(read, Limits())
    applicable = [task.operators[i] for i in np.flatnonzero(task.applicable(task.initial(1))[0])]
    assert applicable == ["(a u)", "(a w)"] == list(ReferenceSimulator(read).applicable(read.init))
