"""Preconditions that quantify: what is proposed for hidden rules, and conditions decided all at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from hidden_predicates import Hidden, walked_with
from walked_worlds import walked, with_domain

from agents.repair import examples
from agents.repair.examples import HoldsAt
from agents.repair.model import Fit, Model
from agents.repair.repair import repair
from agents.repair.repaired import RepairVerdict
from agents.repair.rules.kinds import JudgedVariant, best_variant
from agents.repair.rules.quantified import MAX_EXTENDED, MAX_RULES, quantified_preconditions
from agents.repair.rules.variants import changed_repairs
from agents.repair.search import Repairs
from agents.repair.session import RepairConfig, RepairTask
from agents.repair.text import changed_domain, changes
from envs.hidden_rules.cases import CaseName, hidden_case
from envs.hidden_rules.rules import RuleKind
from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.language.terms import (
    DomainTree,
    Part,
    Place,
    Term,
    piece_at,
    same_rules,
    terms_in,
    tree_of,
    with_part_of,
)
from envs.pddl.simulation.compile import compile_task
from envs.world import open_world
from ew.score.config import EWConfig
from ew.score.score import ew_score
from ew.walks.adapter import transitions_of

WORLDS = ["grippers", "driverlog", "storage", "logistics", "childsnack", "hiking", "miconic"]
SEEDS = range(3)


@cache
def seen_with(world: str, seed: int) -> tuple[Hidden, Problem, Repairs]:
    """A kept case of a hidden rule that no literal says, its problem by the model, and walks by the rule."""
    case = hidden_case(CaseName(world, RuleKind.QUANTIFIED, seed))
    problem = case.tasks[0].pddl.problem
    assert case.rule is not None
    rule = Hidden(str(case.rule), case.rules(1).domain.text)
    return rule, problem, Repairs(Model.of(problem), walked_with(rule, problem).examples(problem))


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_proposed_holds_wherever_the_action_ran_and_excludes_what_was_left(world, seed) -> None:
    _, _, repairs = seen_with(world, seed)
    found = repairs.candidate(frozenset())
    variants = list(quantified_preconditions(repairs, found, lambda: False))
    most = 2 * MAX_RULES * (1 + MAX_EXTENDED)
    assert len(variants) <= most * sum(fitted.left > 0 for fitted in found.fits.values())
    for variant in variants:
        changed = changed_repairs(repairs, variant)
        (name,) = variant.actions
        action, positive = changed.model.actions[name], repairs.seen.of[name].positive
        assert changed.satisfied(action, action.fixed, changed.tables(frozenset()))[positive].all()
        assert changed.candidate(frozenset()).unexplained <= found.unexplained, variant.words


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_hidden_rule_that_literals_cannot_say_is_explained_at_no_more_than_it_costs(world, seed) -> None:
    rule, problem, repairs = seen_with(world, seed)
    found = repairs.candidate(frozenset())
    if found.unexplained:
        best = best_variant(repairs, found, lambda: False)
        true = Repairs(Model.of(with_domain(problem, rule.domain)), repairs.seen).candidate(frozenset())
        assert best is not None and not best.candidate.unexplained, rule.words
        assert best.rank <= (False, 3 + true.weighed_cost, 0), (rule.words, best.variant.words)


def test_walks_show_most_of_the_rules() -> None:
    """So that the laws here are not empty."""
    cases = [seen_with(world, seed)[2] for world in WORLDS for seed in SEEDS]
    shown = [repairs.candidate(frozenset()).unexplained > 0 for repairs in cases]
    assert sum(shown) >= 0.8 * len(shown)


@pytest.mark.parametrize("world", WORLDS)
def test_what_a_variant_shares_with_the_model_is_what_it_would_find_alone(world) -> None:
    _, _, repairs = seen_with(world, 0)
    found = repairs.candidate(frozenset())
    variants = list(quantified_preconditions(repairs, found, lambda: False))
    assert variants or not found.unexplained
    for variant in variants:
        alone = Repairs(Model.of(*variant.problems), repairs.seen).candidate(variant.edits)
        assert changed_repairs(repairs, variant).candidate(variant.edits).rules == alone.rules


#: A museum with disjunctions of two literals and one of four.
MUSEUM = Path(__file__).parents[2] / "data" / "invented" / "museum"


@cache
def disjunctions() -> tuple[DomainTree, dict[Place, list[Term]]]:
    """The museum's rules, and the literals of each disjunction."""
    tree = tree_of(walked(str(MUSEUM)).problem.domain)
    found: dict[Place, list[Term]] = {}
    for term in terms_in(tree):
        action, part, path = term.place
        if len(path) > 1 and piece_at(tree.part(action, part), path[:-1])[0] == "or":
            found.setdefault((action, part, path[:-1]), []).append(term)
    return tree, found


def without(lost: Sequence[Place]) -> Repairs:
    """The candidates of a museum that has lost some literals."""
    seen = walked(str(MUSEUM))
    return seen.repairs(with_domain(seen.problem, disjunctions()[0].without([*lost]).render()))


def is_right(best: JudgedVariant) -> bool:
    """Whether the museum has its own rules again."""
    model = Model.of(*best.variant.problems)
    repaired = read_domain(changed_domain(model.domain, changes(model, best.candidate)))
    return same_rules(repaired, walked(str(MUSEUM)).problem.domain)


def test_a_literal_that_a_disjunction_of_two_has_lost_is_one_edit() -> None:
    pairs = [terms for terms in disjunctions()[1].values() if len(terms) == 2]
    shown = 0
    for term in (term for terms in pairs for term in terms):
        repairs = without([term.place])
        found = repairs.candidate(frozenset())
        if any(own.left for own in found.fits.values()):
            best = best_variant(repairs, found, lambda: False)
            assert best is not None and best.rank == (False, 1, 0) and is_right(best), term.literal
            shown += 1
    assert len(pairs) >= 4 and shown >= len(pairs)


def test_it_comes_back_beside_a_literal_that_is_lost_at_the_top() -> None:
    """What the rule is wanted for is seen only once that literal has come."""
    tree, right = disjunctions()[0], list[bool]()
    for (action, part, _), terms in disjunctions()[1].items():
        top = [t for t in terms_in(tree) if t.place[:2] == (action, part) and len(t.path) == 1]
        for term, other in product(terms if len(terms) == 2 else (), top):
            repairs = without([term.place, other.place])
            found = repairs.candidate(frozenset())
            fitted = found.fits.get(action, Fit())
            if fitted.left and fitted.added:
                best = best_variant(repairs, found, lambda: False)
                assert best is not None and best.rank <= (False, 2, 0), (term.literal, other.literal)
                assert best.variant.size == 1
                right.append(is_right(best))
    assert len(right) >= 5 and all(right)


@pytest.mark.parametrize("lost", [*combinations(range(4), 2)])
def test_two_literals_that_one_disjunction_has_lost_come_back(lost: tuple[int, int]) -> None:
    (terms,) = (own for own in disjunctions()[1].values() if len(own) == 4)
    repairs = without([terms[number].place for number in lost])
    found = repairs.candidate(frozenset())
    best = best_variant(repairs, found, lambda: False)
    assert found.unexplained and best is not None and best.rank == (False, 2, 0) and is_right(best)


#: A box is put on a shelf that is empty, once its own straps are untied.
SHELVES = """(define (domain shelves)
(:requirements :typing :universal-preconditions :disjunctive-preconditions)
(:types box shelf strap)
(:predicates (on ?b - box ?s - shelf) (placed ?b - box) (tied ?r - strap) (of ?r - strap ?b - box))
(:action put :parameters (?b - box ?s - shelf) :precondition (and (not (placed ?b))
  (forall (?o - box) (not (on ?o ?s))) (forall (?r - strap) (imply (of ?r ?b) (not (tied ?r)))))
 :effect (and (on ?b ?s) (placed ?b)))
(:action take :parameters (?b - box ?s - shelf) :precondition (on ?b ?s)
 :effect (and (not (on ?b ?s)) (not (placed ?b))))
(:action tie :parameters (?r - strap) :precondition (not (tied ?r)) :effect (tied ?r))
(:action untie :parameters (?r - strap) :precondition (tied ?r) :effect (not (tied ?r))))
"""
SHELVES_TASK = """(define (problem p01) (:domain shelves)
(:objects a b c - box s t - shelf r1 r2 r3 r4 - strap)
(:init (of r1 a) (of r2 a) (of r3 b) (of r4 c) (tied r1) (tied r4))
(:goal (and (on a s) (on b t))))
"""


def test_two_rules_that_one_action_lacks_are_found_together(tmp_path: Path) -> None:
    """No rule alone excludes what the world refuses."""
    (tmp_path / "domain.pddl").write_text(SHELVES)
    (tmp_path / "p01.pddl").write_text(SHELVES_TASK)
    world = walked(str(tmp_path), walks=20, length=12)
    given = with_part_of(world.problem.domain, "put", Part.PRECONDITION, ("not", ("placed", "?b")))
    repairs = world.repairs(replace(world.problem, domain=given))
    found = repairs.candidate(frozenset())
    assert {name for name, fitted in found.fits.items() if fitted.left} == {"put"}
    variants = list(quantified_preconditions(repairs, found, lambda: False))
    left = {v.words: changed_repairs(repairs, v).candidate(v.edits).unexplained for v in variants}
    whole = [words for words, unexplained in left.items() if not unexplained]
    assert whole and all(words.count("\n") == 1 for words in whole)
    best = best_variant(repairs, found, lambda: False)
    assert best is not None and not best.candidate.unexplained
    config, real = EWConfig(walks=500, estimator="survival"), transitions_of(open_world(str(tmp_path)))
    model = compile_task(best.variant.problems[0])
    assert ew_score(real, model, np.random.default_rng(9), config).score == 1.0


#: Roads are written down in one direction, and walked in both.
ROADS = """(define (domain roads) (:requirements :adl :typing) (:types place person)
(:predicates (at ?h - person ?p - place) (road ?p ?q - place) (tired ?h - person))
(:action walk :parameters (?h - person ?p ?q - place)
 :precondition (and (at ?h ?p) (not (tired ?h)) (or (road ?p ?q) (road ?q ?p)))
 :effect (and (not (at ?h ?p)) (at ?h ?q) (tired ?h)))
(:action rest :parameters (?h - person) :precondition (tired ?h) :effect (not (tired ?h))))
"""
ROADS_TASK = """(define (problem p01) (:domain roads) (:objects a b c d e f - place x y - person)
(:init (at x a) (at y d) (road b a) (road b c) (road d c) (road d e) (road f e) (road a f))
(:goal (and (at x e) (at y b))))
"""


def test_a_new_action_has_a_rule_for_what_literals_leave(tmp_path: Path) -> None:
    (tmp_path / "domain.pddl").write_text(ROADS)
    (tmp_path / "p01.pddl").write_text(ROADS_TASK)
    rules = read_domain(ROADS)
    given = read_problem(ROADS_TASK, read_domain(tree_of(rules).without_action("walk").render()))
    tasks = [RepairTask(open_world(str(tmp_path)), given)]
    found = repair(tasks, np.random.default_rng(0), RepairConfig(wall_s=600, goal_trials=0))
    assert found.verdict is RepairVerdict.AGREES and same_rules(read_domain(found.domain), rules)


@pytest.mark.parametrize("world", ["dimhollow", "urnsong"])
def test_conditions_are_the_same_decided_all_at_once_and_one_by_one(world, monkeypatch) -> None:
    found = walked(world, walks=4)

    def decided() -> dict[str, np.ndarray]:
        repairs = found.repairs(found.problem)
        tables, own = repairs.tables(frozenset()), repairs.seen.of
        held = {
            name: HoldsAt(own[name].nodes, tables, action.schemas[0], repairs.model.base).all(
                action.fixed, own[name].arguments
            )
            for name, action in repairs.model.actions.items()
        }
        return {**tables, **held}

    at_once = decided()
    monkeypatch.setattr(examples, "MAX_ASSIGNMENTS", 1)
    assert all((truth == at_once[name]).all() for name, truth in decided().items())
