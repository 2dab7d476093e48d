"""Grounding finds the reachable operators, in any order of the text, and ends early on what explodes."""

from __future__ import annotations

import pickle
import sys

import numpy as np
import pytest
from kernel_samples import SAMPLES, bundled, domain, pddlgym_texts, problem, problem_of

from envs.pddl.language.domain import Problem
from envs.pddl.process import ChildResult, ChildStatus
from envs.pddl.simulation import grounding as grounding_module
from envs.pddl.simulation import reach
from envs.pddl.simulation.grounding import (
    Explosion,
    GroundingExploded,
    GroundingFailed,
    Limits,
    ground,
    groundings_bound,
    written_out,
)
from envs.pddl.simulation.lifted import Forall, lift
from envs.pddl.simulation.reference import ReferenceSimulator
from envs.pddl.simulation.relaxation import parts_of, relaxed_program

CASES = {**SAMPLES, **bundled(1), **pddlgym_texts()}
#: Of which the reference takes long to run everything.
LARGE = ("household/1", "minecraft/1", "pddlgym hiking", "pddlgym sokoban")
_POSITIVE = ("blocksworld/1", "grippers/1", "pddlgym ferry", "pddlgym hanoi")
#: Each feature of the language, the smallest task of each world, two published ones; the others are slow.
SOON = [
    pytest.param(
        name, marks=pytest.mark.slow if name in LARGE or name in set(pddlgym_texts()) - {*_POSITIVE} else ()
    )
    for name in CASES
]


def operators(problem: Problem, limits: Limits | None = None) -> set[str]:
    """The ground operators' texts."""
    found = ground(problem, limits)
    return {
        f"({' '.join((schema.name, *(found.task.objects[i] for i in row)))})"
        for schema, rows in zip(found.task.schemas, found.arguments, strict=True)
        for row in rows.tolist()
    }


def relaxed_reachable(problem: Problem) -> set[str]:
    """What the reference can run when nothing is ever deleted: for positive conditions, the exact answer."""
    reference = ReferenceSimulator(problem)
    state, seen = reference.initial(), set[str]()
    while True:
        applicable = reference.applicable(state)
        grown = state.union(*(reference.successor(state, operator) for operator in applicable))
        if grown == state:
            return seen | set(applicable)
        state, seen = grown, seen | set(applicable)


@pytest.mark.parametrize("name", [n for n in _POSITIVE if n in CASES])
def test_positive_tasks_are_ground_to_their_relaxed_reachable_operators(name: str) -> None:
    task = problem_of(*CASES[name])
    assert operators(task) == relaxed_reachable(task)


@pytest.mark.parametrize("name", SOON)
def test_every_operator_the_reference_can_run_is_ground(name: str) -> None:
    task = problem_of(*CASES[name])
    assert relaxed_reachable(task) <= operators(task)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_child_grounds_what_this_process_grounds(name: str) -> None:
    task = problem_of(*CASES[name])
    assert operators(task, Limits(max_in_process=0)) == operators(task)


@pytest.mark.parametrize("name", SOON)
def test_rows_are_sorted_and_the_bound_is_not_below_their_number(name: str) -> None:
    found = ground(problem_of(*CASES[name]))
    for schema, rows in zip(found.task.schemas, found.arguments, strict=True):
        assert rows.dtype == np.int64
        assert rows.shape[1] == schema.arity
        assert sorted(rows.tolist()) == rows.tolist()
        assert len(rows) <= groundings_bound(schema, found.task)


def test_static_literals_and_inequalities_are_exact() -> None:
    text = domain("""(:predicates (road ?x ?y) (shut ?x) (at ?x))
        (:action go :parameters (?x ?y) :precondition (and (at ?x) (road ?x ?y)
            (not (shut ?y)) (not (= ?x ?y)))
          :effect (at ?y))""")
    init = "(at a) (road a a) (road a b) (road b c) (road b d) (shut d) (road e a)"
    assert operators(problem_of(text, problem("a b c d e", init))) == {"(go a b)", "(go b c)"}


def test_effects_are_reached_only_under_their_relaxed_condition() -> None:
    text = domain("""(:predicates (s) (p ?x) (q ?x) (r ?x))
        (:action a :parameters (?x) :precondition (p ?x)
          :effect (and (when (s) (q ?x)) (when (not (q ?x)) (r ?x))))
        (:action b :parameters (?x) :precondition (q ?x) :effect (p ?x))
        (:action c :parameters (?x) :precondition (r ?x) :effect (p ?x))""")
    assert operators(problem_of(text, problem("u v", "(p u)"))) == {"(a u)", "(c u)"}


def test_the_program_holds_no_text_of_the_task() -> None:
    text = domain("(:predicates (secret ?x)) (:action steal :parameters (?x) :effect (secret ?x))")
    program = relaxed_program(lift(problem_of(text, problem("gold", "(secret gold)"))))
    assert not any(word in program for word in ("secret", "steal", "gold"))


# --- explosions -----------------------------------------------------------------------------------------


def wide(parameters: int, objects: int, precondition: str = "(and)", init: str = "") -> Problem:
    """One action with that many parameters over that many objects."""
    names = " ".join(f"?x{i}" for i in range(parameters))
    text = domain(f"""(:predicates (p ?x) (s ?x ?y) (lit))
        (:action tiny :parameters () :effect (lit))
        (:action wide :parameters ({names}) :precondition {precondition} :effect (p ?x0))""")
    return problem_of(text, problem(" ".join(f"o{i}" for i in range(objects)), init))


def exploded(task: Problem, limits: Limits) -> GroundingExploded:
    with pytest.raises(GroundingExploded) as caught:
        ground(task, limits)
    return caught.value


def test_too_many_operators_are_refused_with_the_action_s_name_and_a_way_to_mend() -> None:
    error = exploded(wide(2, 10), Limits(max_groundings=50))
    assert (error.kind, error.action, error.bound, error.limit) == (Explosion.OPERATORS, "wide", 101, 50)
    assert "`wide`" in str(error) and "narrower types" in str(error)


def test_an_astronomic_action_is_refused_before_it_is_enumerated() -> None:
    error = exploded(wide(12, 20), Limits())
    assert (error.kind, error.action) == (Explosion.RULES, "wide")
    assert error.bound >= 20**12


def test_a_search_that_derives_nothing_ends_when_its_processor_time_is_used_up() -> None:
    pairs = " ".join(f"(not (= ?x{i} ?x{j}))" for j in range(12) for i in range(j))
    more_pigeons_than_holes = wide(12, 11, f"(and {pairs})")
    error = exploded(more_pigeons_than_holes, Limits(cpu_s=0.3))
    assert (error.kind, error.action, error.limit) == (Explosion.CPU, "wide", 0.3)
    assert "0.3 s of processor time" in str(error)


def test_a_deadline_is_a_fault_of_the_machine_and_never_a_verdict() -> None:
    with pytest.raises(GroundingFailed, match="overloaded"):
        ground(wide(2, 3), Limits(max_in_process=0, deadline_s=0.0))


@pytest.mark.parametrize("status", [ChildStatus.TIMEOUT, ChildStatus.KILLED, ChildStatus.MISSING])
def test_an_end_that_the_child_did_not_cause_is_no_verdict(
    status: ChildStatus, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = ChildResult(status, -9, "", "", 1.0)
    monkeypatch.setattr(grounding_module, "run_child", lambda *_args, **_kwargs: ended)
    with pytest.raises(GroundingFailed):
        ground(wide(2, 3), Limits(max_in_process=0))


def test_memory_is_limited() -> None:
    error = exploded(wide(6, 10), Limits(max_groundings=10**7, memory_mb=60))
    assert error.kind is Explosion.MEMORY


def test_quantifiers_that_grow_too_large_are_refused_before_anything_is_written() -> None:
    nested = "(forall (?a ?b ?c ?d ?e ?f) (or (s ?a ?b) (not (s ?c ?d)) (s ?e ?f)))"
    error = exploded(wide(1, 20, nested), Limits())
    assert (error.kind, error.action, error.bound) == (Explosion.LITERALS, "wide", 3 * 20**6 + 1)


@pytest.mark.parametrize("body", ["(exists ({v}) (and))", "(forall ({v}) (or))", "(exists ({v}) {none})"])
def test_assignments_are_counted_also_where_no_literal_is_left_under_the_quantifier(body: str) -> None:
    variables = " ".join(f"?v{i}" for i in range(8))
    nobody = "(exists (?n - nothing) (p ?n))"
    condition = body.format(v=variables, none=nobody)
    text = domain(f"""(:types nothing) (:predicates (p ?x))
        (:action a :parameters () :precondition {condition} :effect (p o0))""")
    text = text.replace("(:predicates", "(:constants o0) (:predicates")
    objects = " ".join(f"o{i}" for i in range(1, 30))
    for task in (
        (text, problem(objects)),
        (domain("(:types nothing) (:predicates (p ?x))"), problem(objects, "", condition)),
    ):
        error = exploded(problem_of(*task), Limits())
        assert error.kind is Explosion.LITERALS and error.bound >= 29**8


def test_a_number_with_thousands_of_digits_is_told_by_its_magnitude() -> None:
    assert "10^6505 literals" in str(GroundingExploded(Explosion.LITERALS, "a", 20**5000 + 1, 20_000))


def test_many_small_actions_are_no_large_condition_but_too_many_literals_are_counted_together() -> None:
    actions = " ".join(f"(:action a{i} :parameters (?x) :effect (p ?x))" for i in range(30))
    task = problem_of(domain(f"(:predicates (p ?x)) {actions}"), problem("o1 o2"))
    assert len(operators(task, Limits(max_condition=20))) == 60
    error = exploded(task, Limits(max_literals=50))
    assert (error.kind, error.bound) == (Explosion.LITERALS, 60)


def test_a_condition_with_thousands_of_literals_uses_its_processor_time_up() -> None:
    names = [f"(q{i})" for i in range(8000)]
    text = domain(f"""(:predicates {" ".join(names)})
        (:action a :parameters () :precondition (and {" ".join(names)}) :effect (q0))""")
    error = exploded(problem_of(text, problem("o", "(q0)")), Limits(cpu_s=0.3))
    assert (error.kind, error.action) == (Explosion.CPU, "a")


def test_a_goal_that_grows_too_large_is_named_as_the_goal() -> None:
    text = domain("(:predicates (s ?x ?y))")
    goal = "(forall (?a ?b ?c ?d ?e) (exists (?f) (s ?a ?f)))"
    error = exploded(problem_of(text, problem(" ".join(f"o{i}" for i in range(15)), "", goal)), Limits())
    assert (error.kind, error.action) == (Explosion.LITERALS, "goal")


def test_the_error_survives_pickling() -> None:
    error = GroundingExploded(Explosion.MEMORY, "wide", 10**12, 1000)
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert (type(copy), str(copy), copy.kind) == (GroundingExploded, str(error), Explosion.MEMORY)


@pytest.mark.parametrize("kind", Explosion)
def test_every_kind_says_its_numbers(kind: Explosion) -> None:
    words = str(GroundingExploded(kind, "a", 123, 45))
    assert "123" in words and "45" in words


def test_a_child_that_cannot_run_is_not_the_model_s_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = ChildResult(ChildStatus.MISSING, None, "", "no such program", 0.0)
    monkeypatch.setattr(grounding_module, "run_child", lambda *_args, **_kwargs: missing)
    with pytest.raises(GroundingFailed, match="no such program"):
        ground(wide(2, 3), Limits(max_in_process=0))


def test_a_trusted_problem_has_no_limits() -> None:
    assert len(operators(wide(3, 12))) == 12**3 + 1


def test_written_out_counts_literals_of_all_assignments() -> None:
    schema = lift(wide(1, 4, "(and (p ?x0) (forall (?a ?b) (or (s ?a ?b) (p ?b))))")).schemas[1]
    assert schema.name == "wide"
    assert written_out(schema.precondition, schema) == 1 + 4 * 4 * 2
    assert any(isinstance(part, Forall) for part in schema.precondition.parts)


def test_a_deep_formula_is_no_recursion_error() -> None:
    deep = "(p ?x0)"
    for level in range(90):
        deep = f"(or (s ?x0 ?x0) (and (exists (?y{level}) (s ?x0 ?y{level})) {deep}))"
    ahead = sys.getrecursionlimit()
    assert operators(wide(1, 2, deep, "(s o0 o1) (p o0)"), Limits()) == {"(tiny)", "(wide o0)"}
    assert sys.getrecursionlimit() == ahead


# --- independent parts ---


@pytest.mark.parametrize("name", SOON)
def test_operators_put_together_from_parts_are_those_that_are_derived_whole(name: str) -> None:
    task = lift(problem_of(*CASES[name]))
    signatures = [(f"a{i}", schema.arity) for i, schema in enumerate(task.schemas)]
    whole = reach.derive(relaxed_program(task), signatures)
    by_parts = ground(problem_of(*CASES[name])).arguments
    assert [rows.tolist() for rows in by_parts] == whole


def _split(precondition: str) -> tuple[tuple[int, ...], ...]:
    text = domain(
        f"""(:predicates (p ?x) (q ?x ?y) (s ?x ?y) (on))
        (:action a :parameters (?x ?y ?z) :precondition {precondition}
          :effect (and (p ?x) (q ?y ?z) (not (on))))"""
    )
    task = lift(problem_of(text, problem("o1 o2 o3", "(p o1) (s o1 o2) (on)", "(p o2)")))
    return parts_of(task.schemas[0], task.fluents)


@pytest.mark.parametrize(
    ("precondition", "parts"),
    [
        ("(and (p ?x) (p ?y))", ((0,), (1,), (2,))),
        ("(and (q ?x ?z) (on))", ((0, 2), (1,))),
        ("(and (s ?x ?y) (q ?y ?z))", ((0, 1, 2),)),
        ("(and (not (= ?x ?y)) (not (q ?x ?z)))", ((0,), (1,), (2,))),  # decided later, relaxed to true
        ("(and (= ?x ?y) (not (s ?y ?z)))", ((0, 1, 2),)),
        ("(or (p ?x) (p ?y))", ((0, 1, 2),)),
        ("(and)", ((0,), (1,), (2,))),
    ],
)
def test_parameters_that_a_condition_ties_together_are_one_part(
    precondition: str, parts: tuple[tuple[int, ...], ...]
) -> None:
    assert _split(precondition) == parts


@pytest.mark.parametrize(
    "precondition",
    [
        "(and (not (= ?x ?y)) (not (= ?y ?z)) (p ?x))",
        "(and (not (= ?x o2)) (not (= o1 o1)) (p ?y))",
        "(and (= o1 o1) (not (= ?x o2)) (not (s ?y ?y)) (on))",
        "(and (= ?x ?z) (not (s ?x ?y)) (not (= ?y ?z)))",
        "(and (s o2 o1) (p ?x))",
    ],
)
def test_inequalities_constants_and_static_conditions_hold_across_parts(precondition: str) -> None:
    text = domain(
        f"""(:constants o1 o2) (:predicates (p ?x) (q ?x ?y) (s ?x ?y) (on))
        (:action a :parameters (?x ?y ?z) :precondition {precondition} :effect (and (p ?y) (q ?y ?z)))"""
    )
    it = problem_of(text, problem("o3 o4", "(p o1) (s o1 o2) (s o3 o3) (on)", "(p o2)"))
    task = lift(it)
    assert [rows.tolist() for rows in ground(it).arguments] == reach.derive(
        relaxed_program(task), [("a0", 3)]
    )
