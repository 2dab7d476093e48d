"""Literals of large actions in domains without types: what belongs is offered, most of the rest is not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from walked_worlds import Walked, walked, with_domain
from wide import wide

from agents.repair import inferred_types
from agents.repair.inferred_types import without_ill_typed
from agents.repair.model import Model
from agents.repair.repair import repair
from agents.repair.repaired import Repaired, RepairVerdict
from agents.repair.session import RepairConfig, RepairTask
from envs.pddl.language.domain import Problem, read_domain
from envs.pddl.language.render import render_domain
from envs.pddl.language.terms import same_rules, terms, without_terms
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.lifted import Literal
from envs.truth import truth_of
from envs.world import open_world
from ew.score.score import ew_score
from ew.walks.adapter import transitions_of

CLASSICAL = Path(__file__).parents[2] / "data" / "classical"


@pytest.fixture(autouse=True)
def _every_action_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inferred_types, "MANY_LITERALS", 0)


def seen_in(domain: str) -> Walked:
    return walked(str(CLASSICAL / domain), 20, 15)


def offered(found: Walked, problem: Problem) -> dict[str, set[Literal]]:
    """The literals of each action of a model that are worth a look after some walks."""
    model = without_ill_typed(Model.of(problem), found.examples(problem))
    return {name: {*own.candidates, *own.tests} for name, own in model.actions.items()}


@pytest.mark.parametrize("domain", wide(["mprime", "logistics-untyped"], "logistics-untyped"))
def test_a_literal_of_the_world_is_offered_to_every_model_that_lacks_it_alone(domain: str) -> None:
    found = seen_in(domain)
    whole = Model.of(found.problem)
    for term in terms(found.problem.domain):
        model = with_domain(found.problem, without_terms(found.problem.domain, [term]))
        literals = offered(found, model)
        for name, own in whole.actions.items():
            assert {*own.preconditions, *own.effects} <= literals[name], term


@pytest.mark.parametrize("domain", ["mprime", "logistics-untyped"])
def test_most_literals_that_mix_up_kinds_of_objects_are_left_out(domain: str) -> None:
    found = seen_in(domain)
    before = Model.of(found.problem).actions
    after = without_ill_typed(Model.of(found.problem), found.examples(found.problem)).actions
    assert 3 * sum(len(a.tests) for a in after.values()) < sum(len(a.tests) for a in before.values())


def test_where_objects_are_of_one_kind_what_names_a_term_twice_is_left_out_and_nothing_else() -> None:
    found = walked("blocksworld", 20, 15)
    before, after = Model.of(found.problem).actions, offered(found, found.problem)
    left_out = {p for name, own in before.items() for p in {*own.tests} - after[name]}
    assert left_out == {
        p for own in before.values() for p in own.candidates if len({*p.terms}) < len(p.terms)
    }
    reflexive = Literal("on", (~0, ~0), False)
    text = render_domain(found.problem.domain)
    text = text.replace("(ontable ?x) (handempty))\n", "(ontable ?x) (handempty) (not (on ?x ?x)))\n", 1)
    assert reflexive in offered(found, with_domain(found.problem, text))["unstack"]


def without_loads_of(vehicle: str, problem: Problem) -> Problem:
    """The problem in a domain that does not know that packages can be in such vehicles."""
    loads = [t for t in terms(problem.domain) if vehicle in t.action and t.atom[0] == "in"]
    return with_domain(problem, without_terms(problem.domain, loads))


def test_where_a_left_out_literal_is_needed_it_is_found_all_the_same() -> None:
    found = seen_in("logistics-untyped")
    given = without_loads_of("airplane", found.problem)
    load = Model.of(found.problem).actions["load-airplane"].effects
    lacking = load - Model.of(given).actions["load-airplane"].effects
    assert lacking and not lacking & offered(found, given)["load-airplane"]
    world = open_world(str(CLASSICAL / "logistics-untyped"), 1)
    restored: Repaired = repair(
        [RepairTask(world, given)], np.random.default_rng(0), RepairConfig(goal_trials=0, constraints_s=1.0)
    )
    assert restored.verdict is RepairVerdict.AGREES
    # another literal that was left out may say the same: a package in an airplane is one that has it
    elsewhere = open_world(str(CLASSICAL / "logistics-untyped"), 2)
    model = compile_task(with_domain(truth_of(elsewhere.key).problem, restored.domain))
    assert ew_score(transitions_of(elsewhere), model, np.random.default_rng(0)).score == 1


def test_where_only_a_goal_needs_a_left_out_literal_it_is_found_as_well(tmp_path: Path) -> None:
    things = "(:objects i c b) (:init (item i) (crate c) (box b))"
    domain = """(define (domain d) (:predicates (item ?x) (crate ?x) (box ?x) (packed ?x ?b))
(:action pack :parameters (?i ?b) :precondition (and (item ?i) (box ?b)) :effect (and (packed ?i ?b)))
(:action store :parameters (?c ?b) :precondition (and (crate ?c) (box ?b)
(not (packed ?c ?b))) :effect (packed ?c ?b)))"""
    (tmp_path / "domain.pddl").write_text(domain)
    (tmp_path / "p01.pddl").write_text(f"(define (problem p) (:domain d) {things} (:goal (packed i b)))")
    world = open_world(str(tmp_path), 1)
    truth = truth_of(world.key).problem
    given = with_domain(truth, domain.replace("(and (packed ?i ?b))", "(and)"))
    restored = repair([RepairTask(world, given)], np.random.default_rng(0), RepairConfig(constraints_s=1.0))
    assert restored.verdict is RepairVerdict.AGREES
    assert same_rules(read_domain(restored.domain), truth.domain)
