"""Conjuncts that are no literals, chosen together with literals: what is offered, chosen and made."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from walked_worlds import broken, walked, with_domain
from wide import wide

from agents.repair.candidate import predicate_of
from agents.repair.cells import CellFacts
from agents.repair.constraints import fewest_edits
from agents.repair.model import Model
from agents.repair.repair import repair
from agents.repair.repaired import RepairVerdict
from agents.repair.rules.conjuncts import NO_CHOICE, ConjunctChoice, OfferedConjuncts, own_conjuncts
from agents.repair.rules.together import MAX_OFFERED, conjuncts_and_literals, offered
from agents.repair.rules.variants import changed_repairs
from agents.repair.search import Repairs
from agents.repair.session import RepairConfig, RepairTask
from envs.pddl.language.terms import Part, same_rules, tree_of
from envs.pddl.mutation.faults import BreakKind
from envs.world import open_world
from experiments.studies.repair.cases import break_world

NOTHING = frozenset()
TRUCKS = str(Path(__file__).parents[2] / "data" / "classical" / "trucks")
with_conjuncts = pytest.mark.parametrize("world", ["dimhollow", "urnsong", "depot"])
faulty = pytest.mark.parametrize(
    ("world", "seed"),
    wide(
        list(product(["dimhollow", "urnsong", "depot"], range(3))),
        *(("dimhollow", 0), ("urnsong", 1)),
        *product(["depot"], range(3)),
    ),
)


def seen(world: str, faults: int, seed: int) -> Repairs:
    found = walked(world)
    return found.repairs(broken(found.problem, faults, seed)[0])


def taking(conjuncts: OfferedConjuncts, number: int) -> ConjunctChoice:
    """The choice of one conjunct, in the place of its own one if it has any."""
    instead = conjuncts.others[number].instead
    return ConjunctChoice(frozenset(() if instead is None else {instead}), frozenset({number}))


@with_conjuncts
def test_own_conjuncts_are_all_that_an_action_has_besides_literals(world: str) -> None:
    model = Model.of(walked(world).problem)
    for name, action in model.actions.items():
        covered = [place for own in own_conjuncts(model, name) for place in own.fixed]
        assert covered == sorted(set(covered)) and len(covered) == len(action.fixed)


@faulty
def test_what_is_offered_changes_its_own_action_and_no_more_than_it_says(world: str, seed: int) -> None:
    repairs = seen(world, 3, seed)
    model, conjuncts = repairs.model, offered(repairs, repairs.candidate(NOTHING))
    own = tree_of(model.domain)
    for number, other in enumerate(conjuncts.others):
        choice = taking(conjuncts, number)
        variant = conjuncts.variant(model, choice)
        domain, tree = variant.problems[0].domain, tree_of(variant.problems[0].domain)
        assert variant.actions == (other.action,) and not same_rules(domain, model.domain)
        assert variant.size == other.size + len(choice.given_up) >= 1
        differing = {a for a in own.actions for p in Part if tree.part(a, p) != own.part(a, p)}
        assert differing == {other.action}
    for name in model.actions:
        assert sum(other.action == name for other in conjuncts.others) <= MAX_OFFERED


@with_conjuncts
def test_a_model_without_faults_keeps_all_of_its_conjuncts(world: str) -> None:
    repairs = seen(world, 0, 0)
    fewest = fewest_edits(repairs, 60, conjuncts=offered(repairs, repairs.candidate(NOTHING)))
    assert fewest.proved and fewest.choice == NO_CHOICE and not fewest.candidate.size
    assert not list(conjuncts_and_literals(repairs, repairs.candidate(NOTHING), lambda: False))


@faulty
def test_with_conjuncts_no_more_edits_are_needed_and_all_is_explained(world: str, seed: int) -> None:
    repairs = seen(world, 4, seed)
    conjuncts = offered(repairs, repairs.candidate(NOTHING))
    literals, both = fewest_edits(repairs, 60), fewest_edits(repairs, 60, conjuncts=conjuncts)
    assert literals.finished and both.finished
    assert both.candidate.unexplained <= literals.candidate.unexplained
    changed = changed_repairs(repairs, conjuncts.variant(repairs.model, both.choice))
    assert changed.errors(both.candidate) == both.candidate.unexplained
    if not literals.candidate.unexplained:
        assert both.bound <= both.candidate.cost + conjuncts.size(both.choice) <= literals.candidate.cost


@pytest.mark.parametrize(
    ("world", "seed"),
    wide(list(product(["dimhollow", "urnsong"], range(3))), ("dimhollow", 0), ("urnsong", 1)),
)
def test_what_stays_as_it_is_makes_a_smaller_program_with_the_same_answer(world: str, seed: int) -> None:
    """Unless edits of what is taken to stay would cost less."""
    repairs = seen(world, 4, seed)
    some = offered(repairs, repairs.candidate(NOTHING))
    assert some.unchanged and some.unchanged <= repairs.model.steady
    found, free = (
        fewest_edits(repairs, 60, conjuncts=own) for own in (some, replace(some, unchanged=frozenset()))
    )
    assert some.unchanged.isdisjoint(map(predicate_of, found.candidate.edits))
    touched = {predicate_of(edit) for edit in free.candidate.edits} & some.unchanged
    cost, least = (one.candidate.cost + some.size(one.choice) for one in (found, free))
    assert found.candidate.unexplained == free.candidate.unexplained or touched
    assert cost == least or (touched and least < cost) or free.candidate.unexplained


@pytest.mark.parametrize("world", ["dimhollow", "urnsong"])
def test_what_stays_as_it_is_takes_fewer_facts(world: str) -> None:
    repairs = seen(world, 4, 0)
    some = offered(repairs, repairs.candidate(NOTHING))
    sizes = []
    for own in (some, replace(some, unchanged=frozenset())):
        cells = CellFacts(repairs.model, repairs.seen, own)
        for name, examples in sorted(repairs.seen.of.items()):
            for example in examples.negative[:20].tolist():
                cells.refused(name, example)
        sizes.append(len(cells.facts))
    assert sizes[0] < sizes[1]


def test_conjuncts_explain_what_no_edits_of_literals_do() -> None:
    repairs = seen("dimhollow", 4, 2)
    literals = fewest_edits(repairs, 60)
    (variant,) = conjuncts_and_literals(repairs, literals.candidate, lambda: False)
    assert literals.finished and literals.candidate.unexplained
    assert not changed_repairs(repairs, variant).candidate(variant.edits).unexplained


def test_two_wrong_literals_of_one_conjunct_are_rewritten_at_once() -> None:
    found = walked(TRUCKS, 20, 15)
    right = "(imply (closer ?a2 ?a1) (free ?a2 ?t))"
    text = (Path(TRUCKS) / "domain.pddl").read_text(encoding="utf-8")
    wrong = text.replace(right, "(imply (closer ?a1 ?a2) (free ?a1 ?t))", 1)
    repairs = found.repairs(with_domain(found.problem, wrong))
    assert fewest_edits(repairs, 60).candidate.unexplained
    conjuncts = offered(repairs, repairs.candidate(NOTHING))
    made = [conjuncts.variant(repairs.model, taking(conjuncts, n)) for n in range(len(conjuncts.others))]
    assert any(same_rules(one.problems[0].domain, found.problem.domain) for one in made)
    (variant,) = conjuncts_and_literals(repairs, repairs.candidate(NOTHING), lambda: False)
    assert variant.size == len(variant.words.splitlines()) == 2 and not variant.edits
    assert not changed_repairs(repairs, variant).candidate(NOTHING).unexplained


def test_a_predicate_that_is_gone_is_said_by_others_where_they_can_say_it() -> None:
    case = break_world("blocksworld", 1, BreakKind.PREDICATE, 1, 0)
    assert [str(fault) for fault in case.broken.faults] == ["left out the predicate clear"]
    tasks = [RepairTask(open_world("blocksworld", n), case.given_in(n)) for n in (1, 2, 3)]
    found = repair(tasks, np.random.default_rng(0), RepairConfig(wall_s=600))
    assert found.verdict is RepairVerdict.AGREES
    assert "add (not (exists (?x0 - object) (on ?x0 ?y))) to the precondition of stack" in found.described
