"""Rivals of what was repaired: a walk that only one of the two allows is made, and decides."""

import numpy as np
import pytest

from agents.repair.candidate import EffectEdit
from agents.repair.constraints import fewest_edits
from agents.repair.rivals import EditedModel, rivals, settle_rivals
from agents.repair.session import RepairConfig, RepairSession, RepairTask
from agents.repair.text import changes, edited_problem
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.mutation.faults import BreakKind
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.lifted import Literal
from envs.world import open_world
from ew.counterexample.exposure import Kind, first_difference
from experiments.studies.repair.cases import break_world

#: A session whose first look leaves much undecided.
LONG = RepairConfig(wall_s=600, walks=2, t_max=6)
CASES = [("blocksworld", 1), ("hiking", 0), ("termes", 0)]


def session_of(env, seed):
    case = break_world(env, "f01", BreakKind.REMOVED, 5, seed)
    task = RepairTask(open_world(env, "f01"), case.given)
    session = RepairSession([task], np.random.default_rng(seed), LONG)
    session.look()
    return session


def kinds_of(session, candidate):
    """How a candidate differs from each of its rivals."""
    for rival in rivals(session.repairs(), candidate):
        tasks = [compile_task(edited_problem(session.model, each)) for each in (candidate, rival)]
        yield first_difference(*tasks, 200_000).kind


@pytest.mark.parametrize(("env", "seed"), CASES)
def test_no_two_rivals_are_left_that_a_walk_could_decide_between(env, seed):
    session, met = session_of(env, seed), 0
    for _ in range(20):
        candidate = fewest_edits(session.repairs(), 600).candidate
        met += len(list(rivals(session.repairs(), candidate)))
        before = session.queries
        left = settle_rivals(session, candidate)
        if session.explains(candidate):
            kinds = list(kinds_of(session, candidate))
            assert Kind.EXECUTABLE not in kinds
            assert all(one.equal for one in left) and Kind.UNKNOWN not in kinds
            break
        assert session.queries > before
    else:
        raise AssertionError("no end")
    assert met


#: What a robot carries is no longer where it was.
CARRYING = """(define (domain carrying) (:requirements :typing)
(:types robot box - thing thing place)
(:predicates (at ?x - thing ?p - place) (holds ?r - robot ?b - box) (free ?r - robot))
(:action go :parameters (?r - robot ?p ?q - place)
 :precondition (at ?r ?p) :effect (and (at ?r ?q) (not (at ?r ?p))))
(:action take :parameters (?r - robot ?b - box ?p - place)
 :precondition (and (at ?r ?p) (at ?b ?p) (free ?r))
 :effect (and (holds ?r ?b) (not (free ?r)) (not (at ?b ?p))))
(:action put :parameters (?r - robot ?b - box ?p - place)
 :precondition (and (at ?r ?p) (holds ?r ?b)) :effect (and (at ?b ?p) (free ?r) (not (holds ?r ?b)))))
"""
CARRYING_TASK = """(define (problem p01) (:domain carrying)
(:objects r - robot b - box p q - place) (:init (at r p) (at b p) (free r)) (:goal (at b q)))
"""


def test_an_effect_that_was_only_taken_away_has_rivals_of_other_arguments_and_the_world_decides(tmp_path):
    (tmp_path / "domain.pddl").write_text(CARRYING)
    (tmp_path / "p01.pddl").write_text(CARRYING_TASK)
    wrong = CARRYING.replace("(not (at ?b ?p))", "(not (at ?r ?p))")
    given = read_problem(CARRYING_TASK, read_domain(wrong))
    session = RepairSession([RepairTask(open_world(str(tmp_path)), given)], np.random.default_rng(0), LONG)
    session.look()
    candidate = fewest_edits(session.repairs(), 600).candidate
    assert not candidate.unexplained and not candidate.replaced
    found = list(rivals(session.repairs(), candidate))
    assert found and all(one.cost <= candidate.cost and not one.unexplained for one in found)
    assert all(one.replaced > candidate.replaced for one in found)
    assert settle_rivals(session, candidate) == () and not session.explains(candidate)
    decided = fewest_edits(session.repairs(), 600).candidate
    assert [str(edit) for edit in changes(session.model, decided)] == [
        "add (not (at ?b ?p)) to the effect of take",
        "remove (not (at ?r ?p)) from the effect of take",
    ]


def test_rivals_come_by_the_names_of_actions_in_whatever_order_the_text_has_them(tmp_path):
    (tmp_path / "domain.pddl").write_text(CARRYING)
    (tmp_path / "p01.pddl").write_text(CARRYING_TASK)
    given = read_problem(CARRYING_TASK, read_domain(CARRYING))
    session = RepairSession([RepairTask(open_world(str(tmp_path)), given)], np.random.default_rng(0), LONG)
    gone = [("take", Literal("at", (~1, ~2), False)), ("put", Literal("at", (~1, ~2), True))]
    without = session.repairs().candidate(frozenset(EffectEdit(*one, False) for one in gone))
    come = [edit.action for one in rivals(session.repairs(), without) for edit in one.edits - without.edits]
    assert set(come) == {"put", "take"} and come == sorted(come)


@pytest.mark.parametrize("is_right", [True, False])
def test_models_by_other_rules_are_rivals_and_the_world_decides(tmp_path, is_right):
    (tmp_path / "domain.pddl").write_text(CARRYING)
    (tmp_path / "p01.pddl").write_text(CARRYING_TASK)
    wrong = CARRYING.replace("(not (at ?b ?p))", "(when (free ?r) (at ?r ?p))")
    models = [read_problem(CARRYING_TASK, read_domain(text)) for text in (CARRYING, wrong)]
    ours, theirs = models if is_right else models[::-1]
    session = RepairSession([RepairTask(open_world(str(tmp_path)), ours)], np.random.default_rng(0), LONG)
    unedited = session.repairs().candidate(frozenset())
    other = EditedModel(("another rule",), lambda task: theirs)
    assert settle_rivals(session, unedited, (), lambda: [other]) == ()
    assert session.queries and session.explains(unedited) == is_right


#: What is marked is the box, which only the goal asks for.
MARKING = """(define (domain marking) (:requirements :typing) (:types robot box - thing)
(:predicates (marked ?x - thing) (free ?r - robot))
(:action mark :parameters (?r - robot ?b - box) :precondition (free ?r)
 :effect (and (not (free ?r)) (marked ?b))))
"""
MARKING_TASK = """(define (problem p01) (:domain marking) (:objects r - robot b - box)
(:init (free r)) (:goal (marked b)))
"""


def test_rivals_that_only_the_goal_tells_apart_are_not_called_equal(tmp_path):
    (tmp_path / "domain.pddl").write_text(MARKING)
    (tmp_path / "p01.pddl").write_text(MARKING_TASK)
    given = read_problem(MARKING_TASK, read_domain(MARKING.replace("(marked ?b)", "(marked ?r)")))
    session = RepairSession([RepairTask(open_world(str(tmp_path)), given)], np.random.default_rng(0), LONG)
    session.look()
    (wrong,) = session.model.actions["mark"].effects - {Literal("free", (~0,), False)}
    candidate = session.repairs().candidate(frozenset({EffectEdit("mark", wrong, False)}))
    left = settle_rivals(session, candidate)
    assert any("(marked ?b)" in str(one) for one in left)
    assert not any(one.equal for one in left if "(marked ?b)" in str(one))
