"""Domains and problems read into tarski's language: agreement with tarski's own reader, and conventions."""

import logging
import pickle
from pathlib import Path

import pytest
from pddl_texts import EVERYTHING, EVERYTHING_PROBLEM, GRIPPERS, GRIPPERS_PROBLEM, pddlgym_tasks
from tarski.errors import DuplicateDefinition
from tarski.fstrips import AddEffect, DelEffect, UniversalEffect
from tarski.io import PDDLReader
from tarski.io._fstrips.reader import ParsingError
from tarski.syntax import Atom, CompoundFormula, Connective, Contradiction, QuantifiedFormula, Tautology
from wide import wide

from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.issues import Code, PDDLError

TASKS = pddlgym_tasks()
#: tarski wants `:init` before `:goal`, names that start with a letter, and no predicate named like a type.
TARSKI_REFUSES = frozenset(
    [
        "blocks",
        "conditionalblocks",
        "conditionalferry",
        "easyblocks",
        "elevator",
        "ferry",
        "footwear",
        "glibblocks",
        "lifelong_blocks6",
        "lifelong_tiny_gripper",
        "meetpass",
        "minecraft",
        "onearmedgripper",
        "sokoban",
        "spannerlearning",
        "tinyonearmedgripper",
        "toomanyblocks",
        "travel",
        "travelhard",
    ]
)
#: Types are written `-ball` without a blank there, which we refuse too.
WE_REFUSE = "easygripper"
PUBLISHED = sorted(set(TASKS) - {WE_REFUSE})


def shape(formula):
    """A formula as nested tuples, flattened and without true parts, however it was built."""
    if isinstance(formula, Tautology):
        return ("and", frozenset())
    if isinstance(formula, Atom):
        return (str(formula.predicate.symbol).lower(), *(str(t.symbol).lower() for t in formula.subterms))
    if isinstance(formula, QuantifiedFormula):
        bound = tuple((v.symbol, v.sort.name) for v in formula.variables)
        return (str(formula.quantifier), bound, shape(formula.formula))
    assert isinstance(formula, CompoundFormula)
    if formula.connective is Connective.Not:
        return ("not", shape(formula.subformulas[0]))
    parts = set()
    for part in map(shape, formula.subformulas):
        nested = part[0] == str(formula.connective) and isinstance(part[1], frozenset)
        parts |= part[1] if nested else {part}
    return parts.pop() if len(parts) == 1 else (str(formula.connective), frozenset(parts))


def effect_shapes(effects):
    found = set()
    for effect in effects:
        if isinstance(effect, UniversalEffect):
            bound = tuple((v.symbol, v.sort.name) for v in effect.variables)
            found |= {("forall", bound, inner) for inner in effect_shapes(effect.effects)}
        elif isinstance(effect, AddEffect | DelEffect):
            found.add((type(effect).__name__, shape(effect.atom), shape(effect.condition)))
    return found


def read(domain_text, problem_text):
    return read_problem(problem_text, read_domain(domain_text))


def code_of(text):
    with pytest.raises(PDDLError) as caught:
        read_domain(text)
    return {issue.code for issue in caught.value.issues}


@pytest.fixture
def tarski_reads(tmp_path):
    def reading(domain_text, problem_text):
        logging.getLogger("tarski").setLevel(logging.CRITICAL)
        paths = [tmp_path / "domain.pddl", tmp_path / "problem.pddl"]
        for path, text in zip(paths, (domain_text, problem_text), strict=True):
            path.write_text(text.lower(), encoding="utf-8")
        return PDDLReader(raise_on_error=True).read_problem(*map(str, paths))

    return reading


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_domains_load(name):
    problem = read(*TASKS[name])
    assert problem.domain.actions and problem.init


def test_the_published_domains_are_many():
    assert len(PUBLISHED) >= 40 and len(set(PUBLISHED) - TARSKI_REFUSES) >= 20


@pytest.mark.parametrize("name", ["inline", *sorted(set(PUBLISHED) - TARSKI_REFUSES)])
def test_tarskis_own_reader_agrees(name, tarski_reads):
    texts = TASKS.get(name, (GRIPPERS, GRIPPERS_PROBLEM))
    problem = read(*texts)
    theirs = tarski_reads(*texts)
    assert {
        a: tuple((v.symbol, v.sort.name) for v in act.parameters) for a, act in problem.domain.actions.items()
    } == {a: tuple((v.symbol, v.sort.name) for v in act.parameters) for a, act in theirs.actions.items()}
    for action in problem.domain.actions.values():
        assert shape(action.precondition) == shape(theirs.actions[action.name].precondition)
        assert effect_shapes(action.effects) == effect_shapes(theirs.actions[action.name].effects)
    assert shape(problem.goal) == shape(theirs.goal)
    assert problem.init == {shape(atom) for atom in theirs.init.as_atoms() if isinstance(atom, Atom)}
    assert dict(problem.objects) == {c.symbol: c.sort.name for c in theirs.language.constants()}
    ours = {p: tuple(kind for _, kind in typed) for p, typed in problem.domain.predicates.items()}
    builtin = {p.symbol: tuple(s.name for s in p.sort) for p in theirs.language.predicates if not p.builtin}
    assert ours == builtin


@pytest.mark.parametrize(
    "name", wide(sorted(TARSKI_REFUSES), *sorted(set(TARSKI_REFUSES) - {"toomanyblocks"}))
)
def test_what_is_not_compared_is_what_tarski_refuses(name, tarski_reads):
    with pytest.raises((ParsingError, DuplicateDefinition)):
        tarski_reads(*TASKS[name])


def test_one_domain_serves_many_problems_and_keeps_no_trace_of_them():
    domain = read_domain(GRIPPERS)
    first = read_problem(GRIPPERS_PROBLEM, domain)
    second = read_problem(GRIPPERS_PROBLEM.replace("ball1", "ball3"), domain)
    assert "ball1" in first.objects and "ball1" not in second.objects
    assert all(sort.cardinality() == 0 for sort in domain.language.sorts)
    assert domain.language.constants() == []


def test_objects_hold_the_domains_constants_and_types_default_to_object():
    problem = read(EVERYTHING, EVERYTHING_PROBLEM)
    assert dict(problem.objects) == {
        "k": "a", "a1": "a", "b1": "b", "d1": "d", "d2": "d", "e": "object", "three": "object",
    }  # fmt: skip
    assert problem.domain.types == {"a": "c", "b": "c", "d": None, "c": None, "u": "(either a d)"}


def test_unions_are_types_and_lie_in_the_hierarchy():
    domain = read_domain(EVERYTHING)
    parameter = domain.actions["one"].parameters[1]
    assert parameter.sort.name == "(either b d)"
    assert domain.is_subtype("b", "(either b d)") and domain.is_subtype("(either a b)", "c")
    assert domain.is_subtype("u", "(either a d)") and domain.is_subtype("u", "(either a b d)")
    assert not domain.is_subtype("u", "a") and not domain.is_subtype("(either b d)", "b")
    assert all(
        domain.is_subtype(t, t) and domain.is_subtype(t, "object") for t in [*domain.types, "(either a d)"]
    )
    assert not domain.is_subtype("object", "c")


def test_costs_are_kept():
    problem = read(EVERYTHING, EVERYTHING_PROBLEM)
    assert "total-cost" in problem.domain.vocabulary.functions and problem.minimizes_cost
    assert [a.cost for a in problem.domain.actions.values()] == [("dist", "?x", "k"), 3.5, None]
    assert problem.costs == {("total-cost",): 0.0, ("dist", "a1", "k"): 2.25}


def test_conditions_are_flat_and_without_true_parts():
    precondition = read_domain(EVERYTHING).actions["one"].precondition
    assert precondition.connective is Connective.And
    assert len(precondition.subformulas) == 5
    assert precondition.subformulas[2].connective is Connective.Or
    assert len(precondition.subformulas[2].subformulas) == 3


def test_effects_are_flat_and_carry_their_condition():
    effects = read_domain(EVERYTHING).actions["one"].effects
    assert [type(e) for e in effects] == [DelEffect, AddEffect, UniversalEffect, UniversalEffect]
    assert shape(effects[0].condition) == ("and", frozenset({("p", "?x"), ("z",)}))
    assert [v.symbol for v in effects[3].variables] == ["?w", "?e"]
    assert shape(effects[2].effects[0].condition) == ("p", "?w")


def test_a_variable_that_hides_another_is_renamed():
    domain = read_domain(
        "(define (domain d) (:requirements :adl) (:predicates (p ?x ?y)) (:action a :parameters (?x ?x-2)"
        " :precondition (and (exists (?x) (p ?x ?x-2)) (forall (?x) (exists (?x) (p ?x ?x))) (p ?x ?x))"
        " :effect (forall (?x) (p ?x ?x))))"
    )
    exists, forall, plain = domain.actions["a"].precondition.subformulas
    assert shape(exists) == ("exists", (("?x-3", "object"),), ("p", "?x-3", "?x-2"))
    assert shape(forall.formula) == ("exists", (("?x-4", "object"),), ("p", "?x-4", "?x-4"))
    assert shape(plain) == ("p", "?x", "?x")
    assert domain.actions["a"].effects[0].variables[0].symbol == "?x-3"


def test_a_condition_around_a_quantified_effect_does_not_hide_its_variables():
    domain = read_domain(
        "(define (domain d) (:requirements :adl) (:predicates (p ?x)) (:action a :parameters (?x)"
        " :effect (when (exists (?x) (p ?x)) (forall (?x) (p ?x)))))"
    )
    (effect,) = domain.actions["a"].effects
    (add,) = effect.effects
    assert [v.symbol for v in effect.variables] == ["?x-2"]
    assert shape(add.condition) == ("exists", (("?x-3", "object"),), ("p", "?x-3"))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("()", Tautology),
        ("(and)", Tautology),
        ("(and (and) (and (and)))", Tautology),
        ("(or)", Contradiction),
        ("(not (and))", Contradiction),
        ("(and (p) (or))", Contradiction),
        ("(or (p) (and))", Tautology),
        ("(imply (or) (p))", Tautology),
        ("(and (p) (and))", Atom),
        ("(not (not (p)))", Atom),
    ],
)
def test_constant_parts_are_folded_away(text, kind):
    domain = read_domain(
        f"(define (domain d) (:requirements :adl) (:predicates (p))"
        f" (:action a :precondition {text} :effect (p)))"
    )
    assert type(domain.actions["a"].precondition) is kind


def test_an_absent_precondition_is_true_and_absent_parameters_are_none():
    domain = read_domain("(define (domain d) (:predicates (p)) (:action a :effect (p)))")
    assert domain.actions["a"].precondition == Tautology()
    assert domain.actions["a"].parameters == ()


def test_names_of_different_kinds_may_be_equal():
    domain = read_domain(
        "(define (domain same) (:requirements :typing) (:types same) (:constants same - same)"
        " (:predicates (same ?same - same)) (:action same :parameters (?same - same) :effect (same ?same)))"
    )
    problem = read_problem(
        "(define (problem same) (:domain same) (:init (same same)) (:goal (same same)))", domain
    )
    assert problem.init == {("same", "same")}


def test_sections_may_stand_in_any_order():
    head, *sections = GRIPPERS.strip()[:-1].split("\n  (:")
    shuffled = "\n  (:".join([head, *reversed(sections)]) + ")"
    assert {a: shape(x.precondition) for a, x in read_domain(shuffled).actions.items()} == {
        a: shape(x.precondition) for a, x in read_domain(GRIPPERS).actions.items()
    }


def test_what_cannot_be_used_raises_all_its_errors_and_survives_pickling():
    text = GRIPPERS.replace("(free ?r ?g))\n", "(fre ?r ?g) (at ?b))\n")
    with pytest.raises(PDDLError) as caught:
        read_domain(text, "my.pddl")
    assert [i.code for i in caught.value.issues] == [Code.UNDECLARED_PREDICATE, Code.ARITY]
    assert {i.source for i in caught.value.issues} == {"my.pddl"}
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - our own bytes
    assert again.issues == caught.value.issues and str(again) == str(caught.value)


def test_a_problem_of_another_domain_is_refused_for_what_it_names_not_for_the_domains_name():
    with pytest.raises(PDDLError) as caught:
        read_problem(EVERYTHING_PROBLEM, read_domain(GRIPPERS))
    assert Code.UNDECLARED_PREDICATE in {i.code for i in caught.value.issues}
    domain = read_domain(GRIPPERS)
    other = GRIPPERS_PROBLEM.replace("(:domain grippers)", "(:domain other)")
    one, same = read_problem(other, domain), read_problem(GRIPPERS_PROBLEM, domain)
    assert (one.objects, one.init) == (same.objects, same.init)


def test_deep_conditions_are_read():
    depth = 190
    text = "(define (domain d) (:predicates (p)) (:action a :precondition %s :effect (p)))"
    domain = read_domain(text % ("(and (p) " * depth + "(p)" + ")" * depth))
    assert len(domain.actions["a"].precondition.subformulas) == depth + 1
    quantified = read_domain(text % ("(exists (?x) " * depth + "(p)" + ")" * depth))
    assert isinstance(quantified.actions["a"].precondition, QuantifiedFormula)
    assert code_of(text % ("(and " * 300 + "(p)" + ")" * 300)) == {Code.TOO_LARGE}


WORLDS = sorted(Path(__file__).parents[4].glob("envs/worlds/*/domain.pddl"))


@pytest.mark.parametrize(
    "path",
    wide(WORLDS, *(path for path in WORLDS if path.parent.name != "minecraft")),
    ids=lambda path: path.parent.name,
)
def test_the_bundled_worlds_agree_with_tarskis_reader(path, tarski_reads):
    texts = path.read_text(encoding="utf-8"), (path.parent / "p01.pddl").read_text(encoding="utf-8")
    problem, theirs = read(*texts), tarski_reads(*texts)
    assert problem.init == {shape(atom) for atom in theirs.init.as_atoms() if isinstance(atom, Atom)}
    for action in problem.domain.actions.values():
        assert shape(action.precondition) == shape(theirs.actions[action.name].precondition)
        assert effect_shapes(action.effects) == effect_shapes(theirs.actions[action.name].effects)
