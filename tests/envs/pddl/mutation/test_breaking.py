"""Broken domains: they read, are never the original, and follow from their seed."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from kernel_samples import bundled
from pddl_texts import EVERYTHING
from wide import wide

from envs.pddl.diagnosis.diagnose import diagnose
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.render import render_domain, render_formula, render_problem
from envs.pddl.language.terms import (
    Part,
    canonical,
    conjuncts_of,
    parsed,
    same_rules,
    show,
    show_sections,
    terms,
    tree_of,
)
from envs.pddl.mutation.faults import BreakKind, break_domain, is_plain, is_unread, nested_faults
from envs.pddl.mutation.literals import with_literals
from envs.pddl.mutation.omissions import MissingPredicate, without_facts
from envs.pddl.mutation.parameter_types import type_faults, with_type
from envs.pddl.mutation.parameters import (
    ParameterFault,
    faulty_domain,
    faulty_problem,
    parameter_faults,
    restated,
)
from envs.pddl.simulation.compile import compile_task

TEXTS = bundled(1)
DOMAINS = {name: read_domain(texts[0]) for name, texts in TEXTS.items()} | {
    "everything": read_domain(EVERYTHING)
}
#: Which take longest to read.
LARGE = {"household/1", "minecraft/1", "barman/1", "tyreworld/1"}
#: Of these, what is quantified and conditional, and what has most.
LARGEST = ("household/1", "minecraft/1")
#: Every second one of the others.
SOME = sorted(set(TEXTS) - LARGE)[::2]
#: The kinds that not every domain can have.
SOMETIMES = (BreakKind.ARGUMENTS, BreakKind.NESTED, BreakKind.TYPE)
GRIPPERS = DOMAINS["grippers/1"]
GRIPPERS_PROBLEM = read_problem(TEXTS["grippers/1"][1], GRIPPERS)


def rng(seed=0):
    return np.random.default_rng(seed)


def literals(domain):
    return Counter((t.action, t.part, t.text) for t in terms(domain))


@pytest.mark.parametrize("kind", BreakKind)
@pytest.mark.parametrize("name", wide(["everything", *SOME, *LARGEST], "everything", *SOME))
def test_a_broken_domain_reads_and_is_not_the_original(name, kind):
    domain = DOMAINS[name]
    try:
        break_domain(domain, kind, 1, rng())
    except ValueError:
        assert kind in SOMETIMES and name != "everything"
        pytest.skip("the domain has nothing that could be broken in this way")
    for count in (1, 3):
        broken = break_domain(domain, kind, count, rng(count))
        assert not diagnose(broken.domain).errors
        assert not same_rules(domain, read_domain(broken.domain))
        assert 1 <= len(broken.faults) <= count
        assert len(set(map(str, broken.faults))) == len(broken.faults)


@pytest.mark.parametrize("kind", [BreakKind.ADDED, BreakKind.ARGUMENTS, BreakKind.REMOVED, BreakKind.MIXED])
def test_faults_of_literals_change_what_they_say_and_nothing_else(kind):
    for seed in range(10):
        broken = break_domain(GRIPPERS, kind, 4, rng(seed))
        expected = literals(GRIPPERS)
        expected.subtract((f.action, f.part, f.before) for f in broken.faults if f.before)
        expected.update((f.action, f.part, f.after) for f in broken.faults if f.after)
        assert literals(read_domain(broken.domain)) == +expected
        assert broken.problem(GRIPPERS_PROBLEM) == render_problem(GRIPPERS_PROBLEM)


@pytest.mark.parametrize("kind", BreakKind)
def test_a_break_follows_from_its_seed(kind):
    domain = DOMAINS["everything" if kind is BreakKind.NESTED else "grippers/1"]
    assert break_domain(domain, kind, 2, rng(5)) == break_domain(domain, kind, 2, rng(5))
    seeds = {break_domain(domain, kind, 2, rng(seed)).domain for seed in range(6)}
    assert len(seeds) > 1


def test_a_break_depends_on_the_domain_and_not_on_its_layout():
    again = read_domain(render_domain(GRIPPERS))
    assert break_domain(again, BreakKind.MIXED, 3, rng()) == break_domain(GRIPPERS, BreakKind.MIXED, 3, rng())


def test_no_more_faults_are_made_than_a_domain_can_have():
    broken = break_domain(GRIPPERS, BreakKind.REMOVED, 1000, rng())
    assert len(broken.faults) == len(terms(GRIPPERS)) and not terms(read_domain(broken.domain))
    assert len(break_domain(GRIPPERS, BreakKind.PARAMETER, 9, rng()).faults) == 4


def test_a_fault_in_an_equality_or_below_a_quantifier_a_disjunction_or_a_when_is_not_plain():
    domain = read_domain(
        "(define (domain d) (:requirements :adl) (:predicates (p ?x) (q)) (:action a :parameters (?x ?z)"
        " :precondition (and (p ?x) (not (= ?x ?z)) (or (q) (not (p ?x))))"
        " :effect (and (q) (when (q) (p ?x)) (forall (?y) (not (p ?y))))))"
    )
    broken = break_domain(domain, BreakKind.REMOVED, 9, rng())
    assert len(broken.faults) == 8
    assert {str(fault) for fault in broken.faults if is_plain(domain, fault)} == {
        "removed (p ?x) from the precondition of a",
        "removed (q) from the effect of a",
    }


@pytest.mark.parametrize(
    "name", wide(["dimhollow/1", "urnsong/1", "household/1", "everything"], "everything")
)
def test_nested_faults_are_below_a_quantifier_a_disjunction_or_a_when_and_all_else_stays(name):
    domain = DOMAINS[name]
    tree = tree_of(domain)
    for seed in range(5):
        broken = break_domain(domain, BreakKind.NESTED, 2, rng(seed))
        after = tree_of(read_domain(broken.domain))
        assert not any(is_plain(domain, fault) for fault in broken.faults)
        for action, part in product(tree.actions, Part):
            own = [fault for fault in broken.faults if (fault.action, fault.part) == (action, part)]
            whole = tree.part(action, part)
            touched = {fault.path[0] for fault in own if whole[0] == "and"}
            kept = [show(one) for i, one in enumerate(whole) if i and i not in touched]
            if not own:
                assert canonical(whole) == canonical(after.part(action, part))
            elif whole[0] == "and":
                assert set(kept) <= set(conjuncts_of(after.part(action, part)))


def test_a_literal_joins_the_body_of_a_quantifier_the_condition_and_the_effect_of_a_when():
    domain = read_domain(
        "(define (domain d) (:requirements :adl) (:predicates (p ?x) (r)) (:action a :parameters ()"
        " :precondition (forall (?y) (p ?y)) :effect (forall (?z) (when (not (p ?z)) (p ?z)))))"
    )
    added = [fault for fault in nested_faults(domain)[BreakKind.ADDED] if fault.after == "(r)"]
    texts = [render_domain(read_domain(with_literals(domain, [fault]))) for fault in added]
    for text, expected in zip(
        texts,
        [
            "(forall (?y) (and (p ?y) (r)))",
            "(forall (?z) (when (and (not (p ?z)) (r)) (p ?z)))",
            "(forall (?z) (and (when (not (p ?z)) (p ?z)) (when (not (p ?z)) (r))))",
        ],
        strict=True,
    ):
        assert expected in " ".join(text.split())


@pytest.mark.parametrize("count", [1, 2, 9])
def test_a_missing_action_is_left_out_and_nothing_else_and_half_of_them_stay(count):
    domain = DOMAINS["barman/1"]
    broken = break_domain(domain, BreakKind.ACTION, count, rng(count))
    gone = {fault.action for fault in broken.faults}
    assert len(gone) == min(count, len(domain.actions) // 2)
    left = read_domain(broken.domain)
    assert list(left.actions) == [name for name in domain.actions if name not in gone]
    assert literals(left) == Counter({key: n for key, n in literals(domain).items() if key[0] not in gone})


def test_a_missing_predicate_is_named_nowhere_and_kept_ones_are_never_missing():
    problem = GRIPPERS_PROBLEM
    for seed in range(5):
        broken = break_domain(GRIPPERS, BreakKind.PREDICATE, 1, rng(seed), kept=("at",))
        (gone,) = (fault.predicate for fault in broken.faults)
        left = read_domain(broken.domain)
        assert gone != "at" and gone not in left.predicates
        others = {
            key: n for key, n in literals(GRIPPERS).items() if gone not in key[2].split("(")[-1].split()
        }
        assert literals(left) == Counter(others)
        restated = read_problem(broken.problem(problem), left)
        assert restated.init == {atom for atom in problem.init if atom[0] != gone}
        assert render_formula(restated.goal) == render_formula(problem.goal)
        assert broken.problem(problem, GRIPPERS) == render_problem(problem)
    fault = MissingPredicate("at")
    assert "(and)" in show_sections([without_facts(s, fault) for s in parsed(render_problem(problem))])


def test_a_narrow_type_shuts_operators_out_and_a_wide_one_lets_more_in():
    domain = DOMAINS["depot/1"]
    problem = read_problem(TEXTS["depot/1"][1], domain)
    own = set(compile_task(problem).operators)
    for fault in type_faults(domain)[::3]:
        text = with_type(domain, fault)
        changed = read_domain(text)
        assert literals(changed) == literals(domain)
        operators = set(compile_task(read_problem(render_problem(problem), changed)).operators)
        assert operators >= own if fault.too_wide else operators <= own


def test_an_effect_that_no_action_tests_is_unread():
    domain = DOMAINS["childsnack/1"]
    faults = break_domain(domain, BreakKind.REMOVED, 999, rng()).faults
    assert {str(fault).split(" from ")[0] for fault in faults if is_unread(domain, fault)} == {
        "removed (served ?c)"
    }


def test_what_cannot_be_broken_is_refused():
    bare = read_domain("(define (domain d) (:predicates (p)) (:action a :parameters () :effect (and)))")
    with pytest.raises(ValueError, match="cannot be broken in this way: removed"):
        break_domain(bare, BreakKind.REMOVED, 1, rng())
    with pytest.raises(ValueError, match="0 faults"):
        break_domain(GRIPPERS, BreakKind.REMOVED, 0, rng())


def test_the_published_fault_of_a_parameter_can_be_made():
    fault = ParameterFault("free", 0, "robot", True)
    assert fault in parameter_faults(GRIPPERS) and str(fault) == "dropped parameter 1 (robot) of free"
    text = faulty_domain(GRIPPERS, fault)
    assert "(free ?g - gripper)" in text and "(free ?r" not in text
    problem = faulty_problem(GRIPPERS_PROBLEM, fault)
    assert "(free robot" not in problem and "(free " in problem


@pytest.mark.parametrize("name", wide([*SOME, *LARGEST], *SOME))
def test_a_problem_is_restated_in_the_words_of_the_broken_domain(name):
    domain = DOMAINS[name]
    problem = read_problem(TEXTS[name][1], domain)
    for seed in range(4):
        broken = break_domain(domain, BreakKind.PARAMETER, 2, rng(seed))
        again = read_problem(broken.problem(problem), read_domain(broken.domain))
        assert again.objects == problem.objects


@pytest.mark.parametrize("name", wide([*SOME, *LARGEST], *SOME))
def test_a_restated_problem_is_the_one_that_is_read_from_its_text(name):
    domain = DOMAINS[name]
    problem = read_problem(TEXTS[name][1], domain)
    for fault in parameter_faults(domain)[:: 1 + len(parameter_faults(domain)) // 8]:
        words = read_domain(faulty_domain(domain, fault))
        text = render_problem(read_problem(faulty_problem(problem, fault), words))
        assert render_problem(restated(problem, fault, words)) == text


def test_an_added_parameter_holds_at_first_for_every_object_of_its_type_and_a_goal_is_content_with_any():
    fault = ParameterFault("at", 2, "robot", False)
    domain = read_domain(faulty_domain(GRIPPERS, fault))
    longer = read_problem(faulty_problem(GRIPPERS_PROBLEM, fault), domain)
    robots = [name for name, kind in GRIPPERS_PROBLEM.objects.items() if kind == "robot"]
    expected = {(*atom, robot) for atom in GRIPPERS_PROBLEM.init if atom[0] == "at" for robot in robots}
    assert {atom for atom in longer.init if atom[0] == "at"} == expected
    assert "exists" in render_problem(longer)
    compile_task(longer)


def test_a_parameter_added_and_dropped_again_gives_the_domain_back():
    fault = ParameterFault("at", 2, "robot", False)
    longer = read_domain(faulty_domain(GRIPPERS, fault))
    back = ParameterFault("at", 2, "robot", True)
    again = read_domain(faulty_domain(longer, back))
    assert same_rules(GRIPPERS, again)
    wordy = read_problem(faulty_problem(GRIPPERS_PROBLEM, fault), longer)
    assert render_problem(read_problem(faulty_problem(wordy, back), again)) == render_problem(
        GRIPPERS_PROBLEM
    )


def test_a_fault_of_another_domain_is_refused():
    with pytest.raises(ValueError, match="cannot have this fault"):
        faulty_domain(GRIPPERS, ParameterFault("nowhere", 0, "robot", True))


@pytest.mark.parametrize("domain", DOMAINS.values(), ids=DOMAINS)
def test_the_order_of_literals_does_not_make_other_rules(domain):
    tree = tree_of(domain)
    for action in tree.actions:
        for part in ("precondition", "effect"):
            whole = tree.part(action, part)
            if whole[0] == "and":
                tree = tree.replaced(action, part, ("and", *reversed(whole[1:]), *whole[1:2]))
    assert same_rules(domain, read_domain(tree.render()))
