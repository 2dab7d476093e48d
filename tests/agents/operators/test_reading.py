"""Rules of domains as operators: the text made of them is the same domain."""

import pytest

from agents.operators.lifted import domain_of
from agents.operators.reading import operators_of
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.simulation.compile import compile_task
from envs.registry import WORLDS_FOLDER
from envs.source import read_texts
from ew.counterexample.exposure import Kind, first_difference

BUNDLED = sorted(path.parent.name for path in WORLDS_FOLDER.glob("*/domain.pddl"))
QUANTIFIED = ("equalityblocks", "quantifiedblocks", "quantifiedblocks2")
HEAD = (
    "(define (domain d) (:requirements :adl) (:predicates (p ?x) (q ?x) (r ?x ?y))"
    "(:action act :parameters (?x)"
)


def domain(precondition, effect="(p ?x)"):
    return read_domain(f"{HEAD} :precondition {precondition} :effect {effect}))")


@pytest.mark.parametrize("world", [*BUNDLED, *(f"pddlgym:{name}" for name in QUANTIFIED)])
def test_the_domain_of_its_operators_allows_the_same(world):
    texts = read_texts(world, 1)
    given = read_domain(texts.domain)
    operators = tuple(operators_of(given))
    again = read_domain(domain_of(given.vocabulary, operators, costs=True))
    assert tuple(operators_of(again)) == operators
    one, other = (compile_task(read_problem(texts.problem, own)) for own in (given, again))
    assert first_difference(one, other, 300).kind in (Kind.NONE, Kind.UNKNOWN)


@pytest.mark.parametrize(
    ("precondition", "effect", "read"),
    [
        ("(forall (?y) (imply (p ?y) (q ?y)))", "(p ?x)", "(not (exists (?y) (and (p ?y) (not (q ?y)))))"),
        ("(not (forall (?y) (q ?y)))", "(p ?x)", "(exists (?y) (not (q ?y)))"),
        ("(or (p ?x) (and (q ?x) (r ?x ?x)))", "(p ?x)", "(or (p ?x) (and (q ?x) (r ?x ?x)))"),
        ("()", "(forall (?y) (when (r ?x ?y) (not (q ?y))))", "(forall (?y) (when (r ?x ?y) (not (q ?y))))"),
    ],
)  # fmt: skip
def test_rules_beyond_literals_are_read(precondition, effect, read):
    (operator,) = operators_of(domain(precondition, effect))
    shown = [f"(or {' '.join(map(str, c))})" if len(c) > 1 else str(c[0]) for c in operator.clauses]
    shown += map(str, operator.conditional)
    assert [text.replace(" - object", "") for text in shown] == [read]
    assert not operator.preconditions


def test_conjuncts_and_effects_are_read_in_an_order_of_their_own():
    one, other = (
        operators_of(domain(f"(and {' '.join(order)})", f"(and {' '.join(order)})"))
        for order in (["(r ?x ?x)", "(p ?x)", "(q ?x)"], ["(q ?x)", "(r ?x ?x)", "(p ?x)"])
    )
    assert tuple(one) == tuple(other)


@pytest.mark.parametrize(
    ("precondition", "effect"),
    [
        ("(forall (?y) (or (and (p ?y) (q ?y)) (exists (?z) (r ?y ?z))))", "(p ?x)"),
        ("()", "(when (or (p ?x) (q ?x)) (not (p ?x)))"),
    ],
)
def test_a_rule_that_operators_have_no_form_for_is_refused_by_its_name(precondition, effect):
    with pytest.raises(ValueError, match=r"^action act: "):
        list(operators_of(domain(precondition, effect)))
