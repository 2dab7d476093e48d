"""Problems that are the same as they are written: for every renaming, and for no other change."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import permutations

import numpy as np
import pytest
from equivalence_cases import BLOCKS, Facts, atoms, blocks, random_blocks, random_facts

from envs.pddl.equivalence.as_written import same_as_written
from envs.pddl.equivalence.compare import Comparison, ProblemPart, Verdict, compare
from envs.pddl.language.domain import Problem, read_problem

DOMAINS = ("blocksworld", "gripper")
NAMES = ("a", "b", "c")
#: A column of b on a, and c beside it.
STANDING = "handempty, ontable a, on b a, clear b, ontable c, clear c"
IMPLIED = blocks(STANDING, "on b a, ontable a, on c b", 3)
SHORTER = IMPLIED.with_goal(atoms("on b a, on c b"))


def verdict(one: Facts, other: Facts) -> Verdict:
    return same_as_written(one.problem(), other.problem()).verdict


def with_goal(goal: str, names: Mapping[str, str] | None = None) -> Problem:
    """Three blocks side by side, and a goal in PDDL; both in other names if they are given."""
    start = " ".join(f"(ontable {x}) (clear {x})" for x in NAMES)
    text = f"(:objects a b c) (:init (handempty) {start}) (:goal {goal})"
    text = re.sub(r"\b[abc]\b", lambda found: (names or {}).get(found[0], found[0]), text)
    return read_problem(f"(define (problem p) (:domain {BLOCKS.name}) {text})", BLOCKS)


def judged(one: str, other: str) -> Comparison:
    return same_as_written(with_goal(one), with_goal(other))


@pytest.mark.parametrize("domain", DOMAINS)
def test_names_and_order_do_not_count_and_the_witness_maps_one_onto_the_other(domain: str) -> None:
    rng = np.random.default_rng(3)
    for _ in range(40):
        facts = random_facts(rng, domain)
        other = facts.disguised(rng)
        found = same_as_written(facts.problem(), other.problem())
        assert found.verdict is Verdict.EQUIVALENT and isinstance(found.witness, Mapping)
        image = facts.renamed(found.witness)
        assert (set(image.init), set(image.goal)) == (set(other.init), set(other.goal))


def by_permutations(one: Facts, other: Facts) -> bool:
    """What the published algorithm does."""
    renamings = (dict(zip(one.objects, names, strict=True)) for names in permutations(other.objects))
    images = (one.renamed(names) for names in renamings)
    return any(set(image.init) == set(other.init) and set(image.goal) == set(other.goal) for image in images)


def test_it_is_what_trying_every_permutation_finds() -> None:
    rng = np.random.default_rng(4)
    cases = [random_blocks(rng, 3) for _ in range(16)]
    found = {(verdict(a, b) is Verdict.EQUIVALENT, by_permutations(a, b)) for a in cases for b in cases}
    assert found == {(True, True), (False, False)}


@pytest.mark.parametrize("domain", DOMAINS)
def test_the_same_as_written_is_equivalent_and_the_different_need_not_be(domain: str) -> None:
    rng = np.random.default_rng(5)
    for _ in range(30):
        facts = random_facts(rng, domain)
        other = facts.with_goal(facts.goal[: int(rng.integers(1, len(facts.goal) + 1))]).disguised(rng)
        if verdict(facts, other) is Verdict.EQUIVALENT:
            assert compare(facts.problem(), other.problem()).verdict is Verdict.EQUIVALENT


def test_an_implied_atom_too_much_is_different_as_written_and_equivalent_in_meaning() -> None:
    one, other = IMPLIED.problem(), SHORTER.problem()
    assert compare(one, other).verdict is Verdict.EQUIVALENT
    found = same_as_written(one, other)
    assert (found.verdict, found.part) == (Verdict.DIFFERENT, ProblemPart.GOAL)
    assert isinstance(found.witness, str) and "(ontable a)" in found.witness


def test_names_that_may_stay_stay() -> None:
    symmetric = blocks("handempty, ontable a, clear a, ontable b, clear b", "handempty", 2)
    found = same_as_written(symmetric.problem(), symmetric.problem())
    assert found.witness == {"a": "a", "b": "b"}


def test_what_is_told_first_is_objects_then_the_initial_state() -> None:
    one = blocks(STANDING, "on a c", 3)
    more, less = Facts(BLOCKS, ("a", "b", "c", "d"), one.init, one.goal), blocks(STANDING[11:], "on b c", 3)
    assert same_as_written(one.problem(), more.problem()).part is ProblemPart.OBJECTS
    assert same_as_written(one.problem(), less.problem()).part is ProblemPart.INIT
    other_domain = random_facts(np.random.default_rng(0), "gripper").problem()
    assert same_as_written(one.problem(), other_domain).verdict is Verdict.UNSUPPORTED


FORMULAS = (
    "(and)",
    "(on a b)",
    "(not (on a b))",
    "(and (on a b) (not (clear a)))",
    "(or (on a b) (on b a))",
    "(or (on a b) (on b c))",
    "(and (clear c) (or (on a b) (on b a)))",
    "(forall (?x - object) (clear ?x))",
    "(exists (?x - object) (clear ?x))",
    "(exists (?x ?y - object) (on ?x ?y))",
    "(exists (?x - object) (on ?x ?x))",
    "(exists (?x - object) (on ?x a))",
    "(exists (?x - object) (on a ?x))",
    "(exists (?x - object) (forall (?y - object) (or (on ?x ?y) (clear ?x))))",
    "(exists (?x - object) (forall (?y - object) (or (on ?x ?y) (clear ?y))))",
    "(not (forall (?x - object) (clear ?x)))",
    "(or (exists (?x - object) (on ?x a)) (exists (?x - object) (on ?x b)))",
    "(exists (?x - object) (or (on ?x a) (on ?x b)))",
)


def test_every_formula_is_itself_under_other_names_and_no_other_one() -> None:
    turned = {"a": "b", "b": "c", "c": "a"}
    for at, one in enumerate(FORMULAS):
        for place, other in enumerate(FORMULAS):
            found = same_as_written(with_goal(one), with_goal(other, turned))
            wanted = Verdict.EQUIVALENT if at == place else Verdict.DIFFERENT
            assert found.verdict is wanted, (one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(forall (?x - object) (clear ?x))", "(forall (?any - object) (clear ?any))"),
        ("(or (on a b) (clear c))", "(or (clear c) (on a b))"),
        ("(or (clear a) (clear a) (on a b))", "(or (clear b) (on b c))"),
        ("(and (on a b) (and (clear a)))", "(and (clear a) (on a b))"),
        ("(exists (?x ?y - object) (on ?x ?y))", "(exists (?y ?x - object) (on ?y ?x))"),
    ],
)
def test_variables_order_and_repetition_do_not_count(one: str, other: str) -> None:
    found = judged(one, other)
    assert found.verdict is Verdict.EQUIVALENT and sorted(found.witness) == list(NAMES)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(forall (?x - object) (clear ?x))", "(and (clear a) (clear b) (clear c))"),
        ("(on a b)", "(or (on a b) (on a c))"),
    ],
)
def test_goals_that_are_no_literals_are_told_as_they_are_written(one: str, other: str) -> None:
    found = judged(one, other)
    assert (found.verdict, found.part) == (Verdict.DIFFERENT, ProblemPart.GOAL)
    assert isinstance(found.witness, str) and "written differently" in found.witness


def test_time_that_is_over_is_no_verdict() -> None:
    one = random_blocks(np.random.default_rng(6), 200)
    found = same_as_written(one.problem(), one.disguised(np.random.default_rng(7)).problem(), deadline_s=0.0)
    assert found.verdict is Verdict.TIMEOUT
