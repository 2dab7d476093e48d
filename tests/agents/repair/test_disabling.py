"""Actions that edits disable: seen as such, and avoided where other literals explain as much."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from walked_worlds import walked
from wide import wide

from agents.repair.candidate import UNEDITED, EffectEdit
from agents.repair.constraints import fewest_edits
from agents.repair.disabling import disabled_actions, disabling_literals
from agents.repair.model import Fit
from agents.repair.repair import repair
from agents.repair.repaired import RepairVerdict
from agents.repair.rules.variants import with_tree
from agents.repair.session import RepairConfig, RepairSession, RepairTask
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.terms import Part, parsed, tree_of, with_part
from envs.pddl.simulation.compile import compile_task
from envs.world import open_world
from ew.score.score import ew_score
from ew.walks.adapter import transitions_of

#: A light shows the place that was left last, which is always next to where one is: so none is ever seen to
#: signal to a light that is far. Nobody gets to the two places that are apart.
LIGHTS = """(define (domain lights) (:requirements :strips :typing) (:types place)
(:predicates (apart ?p ?q - place) (at ?p - place) (lit ?p - place) (next ?p ?q - place) (far ?p ?q - place)
 (seen ?p - place))
(:action move :parameters (?p ?q ?l - place) :precondition (and (at ?p) (next ?p ?q) (lit ?l))
 :effect (and (not (at ?p)) (at ?q) (not (lit ?l)) (lit ?p)))
(:action signal :parameters (?p ?l - place) :precondition (and (at ?p) (lit ?l) (far ?p ?l))
 :effect (and (seen ?l) (not (lit ?l)) (lit ?p))))
"""


def of_lights(places: int, lit: int) -> str:
    pairs = [(p, q) for p in range(places) for q in range(places)]
    facts = [f"({'next' if abs(p - q) == 1 else 'far'} p{p} p{q})" for p, q in pairs if p != q]
    return f"""(define (problem p) (:domain lights)
        (:objects {" ".join(f"p{p}" for p in range(places))} x y - place)
        (:init (apart x y) (at p0) (lit p{lit}) {" ".join(facts)}) (:goal (at p{places - 1})))"""


def session_of(world: str) -> RepairSession:
    task = RepairTask(open_world(world, 1), walked(world).problem)
    return RepairSession([task], np.random.default_rng(0), RepairConfig())


def test_a_conjunct_that_keeps_an_action_from_ever_running_is_seen_to_disable_it() -> None:
    session = session_of("depot")
    assert disabled_actions(session, UNEDITED) == ()
    never = parsed("(forall (?x0 - surface) (= ?x0 ?z))")
    own = tree_of(session.model.domain).part("lift", Part.PRECONDITION)
    session.edit(with_tree(session.model, "lift", Part.PRECONDITION, with_part(own, never)))
    assert disabled_actions(session, UNEDITED) == ("lift",)


@pytest.mark.parametrize("world", wide(["driverlog", "hiking", "termes"], "hiking"))
def test_an_action_cannot_run_with_a_literal_that_disables_it(world: str) -> None:
    session, found = session_of(world), set[bool]()
    for name, action in session.model.actions.items():
        disabling = {p for _, p in disabling_literals(session, session.model, UNEDITED, [name])}
        for literal in action.tests:
            if literal.predicate not in session.model.tasks[0].fluents:
                candidate = replace(UNEDITED, fits={name: Fit(added=(literal,))})
                assert literal not in disabling or disabled_actions(session, candidate) == (name,)
                found.add(literal in disabling)
    assert found == {False, True}


@pytest.mark.parametrize(("world", "runs_all"), [("household", False), ("driverlog", True)])
def test_actions_are_missed_only_where_tasks_are_made_for_all(world: str, runs_all: bool) -> None:
    """In the first task of the household most of its 22 actions can never run."""
    seen = session_of(world).repairs().seen  # nothing was executed
    assert seen.never_executed == seen.of.keys()
    assert seen.missed == (seen.never_executed if runs_all else frozenset())


def test_preconditions_that_are_left_out_come_back_and_say_nothing_of_types() -> None:
    session = session_of("driverlog")
    tests = {name: own.tests for name, own in session.repairs().model.actions.items()}
    left_out = frozenset((name, own[0]) for name, own in tests.items())
    session.leave_out(left_out)
    assert {n: own.tests for n, own in session.repairs().model.actions.items()} == {
        name: own[1:] for name, own in tests.items()
    }
    assert not session.stop_inferring_types(), "no action of this world has literals that types rule out"
    assert session.brings_back() and not session.brings_back()
    assert {n: own.tests for n, own in session.repairs().model.actions.items()} == tests


def test_what_is_left_out_of_preconditions_may_still_be_an_effect() -> None:
    session = session_of("driverlog")
    session.edit(with_tree(session.model, "board-truck", Part.EFFECT, ("and",)))
    session.look()
    actions = session.model.actions.items()
    session.leave_out(
        frozenset((n, p) for n, own in actions for p in own.candidates if p not in own.preconditions)
    )
    found = fewest_edits(session.repairs(), 600.0).candidate
    assert not found.unexplained and found.edits
    assert all(isinstance(edit, EffectEdit) and edit.action == "board-truck" for edit in found.edits)


def test_an_action_is_disabled_where_only_atoms_that_change_would_do_as_well(tmp_path: Path) -> None:
    """`(at ?l)` explains as much as the world's `(apart ?p ?l)`, but never holds beside the rest."""
    world = LIGHTS.replace("(lit ?l) (far ?p ?l))", "(lit ?l) (not (= ?p ?l)) (apart ?p ?l))")
    (tmp_path / "domain.pddl").write_text(world)
    given, tasks = read_domain(world.replace(" (apart ?p ?l))", ")")), []
    for number, size in enumerate([(4, 2), (5, 3)], 1):
        (tmp_path / f"p{number:02}.pddl").write_text(of_lights(*size))
        tasks.append(RepairTask(open_world(str(tmp_path), number), read_problem(of_lights(*size), given)))
    found = repair(tasks, np.random.default_rng(0), RepairConfig(wall_s=600))
    assert found.verdict is RepairVerdict.DISABLES and found.disabled == ("signal",)


def test_of_literals_that_explain_as_much_none_is_added_that_disables(tmp_path: Path) -> None:
    given = LIGHTS.replace("(lit ?l) (far ?p ?l))", "(lit ?l))")
    (tmp_path / "domain.pddl").write_text(LIGHTS)
    tasks = []
    for number, size in enumerate([(4, 1), (5, 1), (6, 3)], 1):
        (tmp_path / f"p{number:02}.pddl").write_text(of_lights(*size))
        tasks.append(
            RepairTask(open_world(str(tmp_path), number), read_problem(of_lights(*size), read_domain(given)))
        )
    found = repair(tasks[:2], np.random.default_rng(0), RepairConfig(wall_s=600))
    assert found.verdict.agrees and found.verdict is not RepairVerdict.DISABLES and not found.disabled
    (edit,) = found.described
    assert edit.endswith("to the precondition of signal")
    world, model = tasks[2].world, read_problem(of_lights(6, 3), read_domain(found.domain))
    assert ew_score(transitions_of(world), compile_task(model), np.random.default_rng(0)).score == 1
