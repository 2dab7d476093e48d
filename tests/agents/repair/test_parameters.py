"""A predicate with a parameter too many: the parameter goes, not a literal here and there."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from walked_worlds import Deaf, walked
from wide import wide

from agents.repair.candidate import predicate_of
from agents.repair.constraints import fewest_edits
from agents.repair.goals import GoalStanding
from agents.repair.model import Model
from agents.repair.repair import repair
from agents.repair.repaired import RepairVerdict
from agents.repair.rules import variants
from agents.repair.rules.variants import (
    changed_repairs,
    parameter_words,
    superfluous_parameters,
    with_parameter_taken,
)
from agents.repair.search import Repairs
from agents.repair.session import RepairConfig, RepairTask
from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.language.render import render_domain, render_problem
from envs.pddl.language.terms import same_rules
from envs.pddl.mutation.faults import BreakKind
from envs.pddl.mutation.parameters import ParameterFault, faulty_domain, faulty_problem, parameter_faults
from envs.source import read_texts
from envs.world import open_world
from experiments.studies.repair.cases import break_world


def with_a_parameter_more(problem: Problem):
    """The problem in each domain in which a predicate has one more, by the predicate."""
    for fault in parameter_faults(problem.domain):
        if not fault.dropped:
            domain = read_domain(faulty_domain(problem.domain, fault))
            yield fault.predicate, read_problem(faulty_problem(problem, fault), domain)


@pytest.mark.parametrize("world", wide(["blocksworld", "termes"], "blocksworld"))
def test_a_parameter_is_proposed_to_go_where_edits_name_its_predicate(world: str) -> None:
    """All are: of many edits, and of one that goes, as the parameter makes no difference at the start."""
    found = walked(world)
    asked = 0
    for predicate, given in list(with_a_parameter_more(found.problem))[:6]:
        repairs = Repairs(Model.of(given), found.examples(given))
        literals = fewest_edits(repairs, 60.0).candidate
        many = literals.edits_about(given.domain.actions)[predicate] >= 3
        gone = {p.predicate for own in literals.fits.values() for p in own.refuted}
        asked += many
        proposed = list(superfluous_parameters(repairs, literals, lambda: False))
        changed = [changed_repairs(repairs, variant) for variant in proposed]
        right = [c for c in changed if same_rules(c.model.domain, found.problem.domain)]
        assert bool(right) == (many or predicate in gone)
        assert all(
            not c.candidate(frozenset()).size and not c.candidate(frozenset()).unexplained for c in right
        )
    assert asked


def test_edits_of_other_predicates_are_kept() -> None:
    found = walked("termes")
    for _, given in list(with_a_parameter_more(found.problem))[:3]:
        repairs = Repairs(Model.of(given), found.examples(given))
        literals = fewest_edits(repairs, 60.0).candidate
        for variant in superfluous_parameters(repairs, literals, lambda: False):
            gone = {predicate_of(edit) for edit in literals.edits - variant.edits}
            assert variant.edits <= literals.edits
            assert all(variant.words.endswith(f"predicate {predicate}") for predicate in gone)


@pytest.mark.parametrize("world", ["grippers", "termes"])
def test_what_is_taken_from_a_predicate_is_taken_from_it_in_other_tasks(world: str) -> None:
    texts = read_texts(world, 2)
    other = read_problem(texts.problem, read_domain(texts.domain))
    for fault in parameter_faults(other.domain):
        repaired = read_domain(faulty_domain(other.domain, fault))
        found = with_parameter_taken(parameter_words(fault), other, repaired)
        if fault.dropped:
            assert render_problem(found) == render_problem(
                read_problem(faulty_problem(other, fault), repaired)
            )
            assert same_rules(found.domain, repaired)
            again = with_parameter_taken(parameter_words(fault), found, repaired)
            assert again is found  # it has as many as the repaired one by now
        else:
            assert found is other


def test_a_parameter_that_another_task_does_not_have_is_not_taken_from_it() -> None:
    texts = read_texts("grippers", 2)
    other = read_problem(texts.problem, read_domain(texts.domain))  # (at ?o - object ?r - room)
    fault = next(f for f in parameter_faults(other.domain) if f.dropped and f.predicate == "at")
    repaired = read_domain(faulty_domain(other.domain, fault))
    for words in (
        "take parameter 3 (room) from predicate at",
        "take parameter 2 (gripper) from predicate at",
    ):
        assert with_parameter_taken(words, other, repaired) is other


def test_several_parameters_too_many_are_taken_away() -> None:
    case = break_world("termes", 1, BreakKind.PARAMETER, 3, 0)
    assert not any(fault.dropped for fault in case.broken.faults)
    config = RepairConfig(wall_s=600, goal_trials=0)
    found = repair([RepairTask(case.world, case.given)], np.random.default_rng(0), config)
    assert found.verdict is RepairVerdict.AGREES
    assert found.described and all(edit.startswith("take parameter") for edit in found.described)


def test_a_goal_that_never_holds_does_not_bring_literals_in_its_place() -> None:
    case = break_world("grippers", 1, BreakKind.PARAMETER, 1, 0)
    config = RepairConfig(wall_s=600)
    found = repair([RepairTask(Deaf("grippers"), case.given)], np.random.default_rng(0), config)
    assert found.goal is GoalStanding.NOT_REACHED
    assert found.described == ("take parameter 1 (room) from predicate at-robby",)


def with_faults(problem: Problem, *faults: ParameterFault) -> Problem:
    """A problem in the words of its domain with these faults."""
    for fault in faults:
        domain = read_domain(faulty_domain(problem.domain, fault))
        problem = read_problem(faulty_problem(problem, fault), domain)
    return problem


def test_a_lost_parameter_comes_back_rather_than_another_predicate_with_an_argument_twice() -> None:
    world = open_world("blocksworld")
    faults = ParameterFault("holding", 0, "object", True), ParameterFault("on", 0, "object", False)
    given = with_faults(walked("blocksworld").problem, *faults)
    config = RepairConfig(wall_s=600, goal_trials=0)
    found = repair([RepairTask(world, given)], np.random.default_rng(0), config)
    assert found.verdict.agrees
    assert any(edit.startswith("give predicate") for edit in found.described)
    assert not any("?x ?x" in edit for edit in found.described)


@pytest.mark.parametrize("larger", [0, 1])
def test_a_parameter_is_given_where_the_table_of_the_predicate_is_not_too_large(larger, monkeypatch) -> None:
    given = with_faults(walked("blocksworld").problem, ParameterFault("holding", 0, "object", True))
    repairs = walked("blocksworld").repairs(given)
    found = repairs.candidate(frozenset())
    cells = repairs.model.base * repairs.seen.walks.nodes
    monkeypatch.setattr(variants, "MAX_CELLS", cells - larger)
    words = [variant.words for variant in variants.parameter_lists(repairs, found, lambda: False)]
    assert found.unexplained
    assert any(one.startswith("give predicate holding") for one in words) != bool(larger)


#: A tower is built under a block that has to come back: the goal alone shows that `on` of the two ends.
TOWER = """(define (problem p01) (:domain blocks) (:objects a b c)
(:init (on a b) (ontable b) (ontable c) (clear a) (clear c) (handempty)) (:goal (and (on a b) (on b c))))
"""


#: The first plan leaves `b` where it is, and so works with a parameter too many.
KEPT = TOWER.replace("(on a b) (ontable b)", "(on b c) (ontable a)").replace("(clear c)", "(clear b)")


@pytest.mark.parametrize("tower", [TOWER, KEPT])
def test_a_parameter_that_only_a_goal_shows_to_be_too_many_is_taken_away(tower: str, tmp_path: Path) -> None:
    rules = walked("blocksworld").problem.domain
    (tmp_path / "domain.pddl").write_text(render_domain(rules), "utf-8")
    (tmp_path / "p01.pddl").write_text(tower, "utf-8")
    true = read_problem(tower, rules)
    given = with_faults(true, ParameterFault("on", 0, "object", False))
    task = RepairTask(open_world(str(tmp_path)), given)
    found = repair([task], np.random.default_rng(0), RepairConfig(wall_s=600))
    assert (found.verdict, found.goal) == (RepairVerdict.AGREES, GoalStanding.REACHED)
    repaired = read_problem(found.problems[0], read_domain(found.domain))
    assert same_rules(repaired.domain, rules) and repaired.init == true.init
    assert render_problem(repaired) == render_problem(true)


#: A long line of places, with a way around the last but one, which walks hardly ever come to.
LINE = """(define (domain line) (:requirements :adl)
(:predicates (at ?p) (next ?p ?q) (blocked ?p) (seen ?p{0}))
(:action walk :parameters (?p ?q) :precondition (and (at ?p) (next ?p ?q){1})
 :effect (and (not (at ?p)) (at ?q)))
(:action look :parameters (?p) :precondition (at ?p) :effect (seen ?p{2})))
"""
PLACES = [f"p{n}" for n in range(40)]


def test_what_a_plan_for_a_rule_shows_is_repaired_first(tmp_path: Path) -> None:
    ways = [*pairwise(PLACES), ("p37", "q"), ("q", "r"), ("r", "p39")]
    both = " ".join(f"(next {a} {b}) (next {b} {a})" for a, b in ways)
    task = f"""(define (problem p01) (:domain line) (:objects {" ".join(PLACES)} q r)
(:init (at p0) (blocked p38) {both}) (:goal (seen p39{{0}})))"""
    rules = LINE.format("", " (not (blocked ?q))", "")
    (tmp_path / "domain.pddl").write_text(rules, "utf-8")
    (tmp_path / "p01.pddl").write_text(task.format(""), "utf-8")
    given = read_problem(task.format(" p0"), read_domain(LINE.format(" ?extra", "", " ?p")))
    tasks = [RepairTask(open_world(str(tmp_path)), given)]
    found = repair(tasks, np.random.default_rng(0), RepairConfig(wall_s=600))
    assert (found.verdict, found.goal) == (RepairVerdict.AGREES, GoalStanding.REACHED)
    assert same_rules(read_domain(found.domain), read_domain(rules))


SAFE = """(define (domain safe) (:requirements :adl :typing) (:types thing place)
(:predicates (at ?p - place) (has ?t - thing) (lies ?t - thing ?p - place)
  (locked ?p - place) (key ?t - thing ?p - place))
(:action go :parameters (?from ?to - place)
  :precondition (and (at ?from) (not (locked ?to))) :effect (and (not (at ?from)) (at ?to)))
(:action take :parameters (?t - thing ?p - place)
  :precondition (and (at ?p) (lies ?t ?p)) :effect (and (has ?t) (not (lies ?t ?p))))
(:action unlock :parameters (?l ?h - place)
  :precondition (and (at ?h) (locked ?l) (exists (?k - thing) (and (key ?k ?l) (has ?k))))
  :effect (not (locked ?l))))"""
ROOMS = """(define (problem rooms) (:domain safe) (:objects pen coin - thing hall den safe - place)
(:init (at hall) (lies {0} den) (lies {1} hall) (key {0} safe) (locked safe)) (:goal (at safe)))"""


def test_a_wrong_argument_below_a_quantifier_is_not_put_down_to_a_parameter(tmp_path: Path) -> None:
    """Each task has one key alone, so whose it is matters to none of them."""
    (tmp_path / "domain.pddl").write_text(SAFE, encoding="utf-8")
    for number, things in enumerate((("pen", "coin"), ("coin", "pen")), 1):
        (tmp_path / f"p{number:02}.pddl").write_text(ROOMS.format(*things), encoding="utf-8")
    wrong = read_domain(SAFE.replace("(key ?k ?l)", "(key ?k ?h)"))
    tasks = [
        RepairTask(open_world(str(tmp_path), n), read_problem((tmp_path / f"p0{n}.pddl").read_text(), wrong))
        for n in (1, 2)
    ]
    found = repair(tasks, np.random.default_rng(0), RepairConfig())
    assert found.verdict is RepairVerdict.AGREES and len(found.described) == 1
    assert same_rules(read_domain(found.domain), read_domain(SAFE))
