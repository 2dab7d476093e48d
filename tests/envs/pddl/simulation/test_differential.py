"""The fast simulator agrees with the obvious one, state by state, on named and on random domains."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_samples import SAMPLES, bundled, first_choices, pddlgym_texts, problem_of, random_states, task_of
from kernel_samples import domain as domain_text
from kernel_samples import problem as problem_text
from wide import wide

from envs.pddl.language.domain import Problem
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.grounding import Limits
from envs.pddl.simulation.reference import ReferenceSimulator
from envs.pddl.simulation.simulator import Task

CASES = {**SAMPLES, **bundled(1, 7), **pddlgym_texts()}
#: Of which the reference takes long.
LARGE = ("household/7", "minecraft/1", "minecraft/7", "pddlgym fridge", "pddlgym minecraft")


def assert_agreement(task: Task, problem: Problem, count: int) -> None:
    reference = ReferenceSimulator(problem)
    states = random_states(task, count)
    operators = first_choices(task, states)
    successors = task.successors(states, operators)
    rows = zip(task.applicable(states), task.goal_reached(states), strict=True)
    for i, (mask, reached) in enumerate(rows):
        atoms = task.atoms_of(states[i])
        assert tuple(task.operators[j] for j in mask.nonzero()[0]) == reference.applicable(atoms)
        assert reached == reference.holds_goal(atoms)
        if operators[i] >= 0:
            expected = reference.successor(atoms, task.operators[operators[i]])
            assert task.atoms_of(successors[i]) == expected


@pytest.mark.parametrize(
    ("name", "states"),
    wide(
        [(name, states) for name in CASES for states in (15, 60) if states > 15 or name not in LARGE],
        *((name, 15) for name in CASES if name not in LARGE and not name.endswith("/7")),
    ),
)
def test_the_fast_simulator_agrees_with_the_reference_on_random_states(name: str, states: int) -> None:
    problem = problem_of(*CASES[name])
    # the reference needs a tenth of a second for each state of so many objects
    assert_agreement(task_of(*CASES[name]), problem, min(states, 20 if len(problem.objects) > 50 else 60))


@pytest.mark.parametrize("name", SAMPLES)
def test_effects_kept_as_rules_agree_with_the_reference(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("envs.pddl.simulation.simulator._DENSEST", 0)
    problem = problem_of(*SAMPLES[name])
    assert_agreement(compile_task(problem), problem, 50)


# --- random domains -------------------------------------------------------------------------------------

PREDICATES = {"p": 1, "q": 2, "r": 0, "s": 1}
TYPES = ("object", "big", "small")


def _atoms(variables: list[str]) -> st.SearchStrategy[str]:
    terms = st.sampled_from([*variables, "k"])
    plain = [
        st.tuples(*[terms] * arity).map(lambda t, n=name: f"({' '.join((n, *t))})")
        for name, arity in PREDICATES.items()
    ]
    return st.one_of(*plain)


def _formulas(variables: list[str], depth: int) -> st.SearchStrategy[str]:
    terms = st.sampled_from([*variables, "k"])
    equal = st.tuples(terms, terms).map(lambda t: f"(= {t[0]} {t[1]})")
    leaf = st.one_of(_atoms(variables), equal)
    if depth == 0:
        return leaf
    part = _formulas(variables, depth - 1)
    inner = f"?v{depth}"
    quantified = st.tuples(
        st.sampled_from(["exists", "forall"]),
        st.sampled_from(TYPES),
        _formulas([*variables, inner], depth - 1),
    ).map(lambda t: f"({t[0]} ({inner} - {t[1]}) {t[2]})")
    joined = st.tuples(st.sampled_from(["and", "or"]), st.lists(part, max_size=3)).map(
        lambda t: f"({' '.join((t[0], *t[1]))})"
    )
    implied = st.tuples(part, part).map(lambda t: f"(imply {t[0]} {t[1]})")
    return st.one_of(leaf, part.map(lambda f: f"(not {f})"), joined, implied, quantified)


def _effects(variables: list[str]) -> st.SearchStrategy[str]:
    def literal(names: list[str]) -> st.SearchStrategy[str]:
        return st.tuples(st.booleans(), _atoms(names)).map(lambda t: t[1] if t[0] else f"(not {t[1]})")

    conditional = st.tuples(_formulas(variables, 1), literal(variables)).map(
        lambda t: f"(when {t[0]} {t[1]})"
    )
    inner = [*variables, "?e"]
    universal = st.tuples(st.sampled_from(TYPES), _formulas(inner, 1), literal(inner)).map(
        lambda t: f"(forall (?e - {t[0]}) (when {t[1]} {t[2]}))"
    )
    one = st.one_of(literal(variables), conditional, universal)
    return st.lists(one, min_size=1, max_size=4).map(lambda parts: f"(and {' '.join(parts)})")


@st.composite
def _actions(draw: st.DrawFn, name: str) -> str:
    variables = [f"?x{i}" for i in range(draw(st.integers(0, 2)))]
    typed = " ".join(f"{v} - {draw(st.sampled_from(TYPES))}" for v in variables)
    needs, changes = draw(_formulas(variables, 2)), draw(_effects(variables))
    return f"(:action {name} :parameters ({typed}) :precondition {needs} :effect {changes})"


@st.composite
def _problems(draw: st.DrawFn) -> tuple[str, str]:
    actions = [draw(_actions(f"act{i}")) for i in range(draw(st.integers(1, 3)))]
    body = (
        "(:types small - big big - object) (:constants k - small) (:predicates (p ?x) (q ?x ?y) (r) (s ?x))"
    )
    init = draw(st.lists(_atoms(["a", "b"]), max_size=5, unique=True))
    goal = draw(_formulas(["a", "b"], 2))
    return domain_text(f"{body} {' '.join(actions)}"), problem_text(
        "a - big b - object", " ".join(init), goal
    )


@settings(max_examples=settings.default.max_examples // 2)
@given(_problems())
def test_the_fast_simulator_agrees_with_the_reference_on_random_domains(texts: tuple[str, str]) -> None:
    problem = problem_of(*texts)
    assert_agreement(compile_task(problem, Limits()), problem, 8)
