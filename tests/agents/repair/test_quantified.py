"""Preconditions that quantify: what is proposed for drawn rules, and conditions decided all at once."""

from __future__ import annotations

import numpy as np
import pytest

from agents.repair import examples
from agents.repair.examples import HoldsAt
from agents.repair.kinds import best_variant
from agents.repair.model import Model
from agents.repair.quantified import MAX_RULES, quantified_preconditions
from agents.repair.search import Repairs
from agents.repair.variants import changed_repairs
from envs.pddl.language.domain import Domain, Problem
from envs.pddl.language.terms import Part, Tree, show, tree_of
from envs.pddl.language.vocabulary import OBJECT
from envs.source import read_texts
from tests.agents.repair.hidden_predicates import Hidden, walked_with
from tests.agents.repair.walked_worlds import walked, with_domain

WORLDS = ["grippers", "blocksworld", "driverlog", "storage", "logistics", "childsnack"]


def drawn(domain: Domain, seed: int) -> Hidden:
    """A domain with one quantified precondition more, of one or two literals."""
    rng = np.random.default_rng(seed)
    tree = tree_of(domain)
    name = str(rng.choice(sorted(domain.actions)))
    kind = str(rng.choice(sorted(domain.types or [OBJECT])))
    scope = (("?one", kind), *tree.parameters(name))
    atoms = [atom for atom in domain.vocabulary.atoms(scope) if "?one" in atom]
    if not atoms:
        return drawn(domain, seed + 1000)
    literals: list[Tree] = [atom if rng.integers(2) else ("not", atom) for atom in atoms]
    chosen = [literals[i] for i in rng.permutation(len(literals))[: rng.integers(1, 3)]]
    rule: Tree = ("not", ("exists", ("?one", "-", kind), ("and", *chosen)))
    return Hidden(f"{show(rule)} in {name}", tree.with_literal(name, Part.PRECONDITION, rule).render())


def seen_with(world: str, seed: int) -> tuple[Hidden, Problem, Repairs]:
    problem = read_texts(world, 1).pddl.problem
    rule = drawn(problem.domain, seed)
    return rule, problem, Repairs(Model.of(problem), walked_with(rule, problem).examples(problem))


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("seed", range(8))
def test_what_is_proposed_holds_wherever_the_action_ran_and_excludes_what_was_left(world, seed) -> None:
    _, _, repairs = seen_with(world, seed)
    found = repairs.candidate(frozenset())
    variants = list(quantified_preconditions(repairs, found, lambda: False))
    assert len(variants) <= MAX_RULES * sum(fitted.left > 0 for fitted in found.fits.values())
    for variant in variants:
        changed = changed_repairs(repairs, variant)
        action, positive = changed.model.actions[variant.action], repairs.seen.of[variant.action].positive
        assert changed.satisfied(action, action.fixed, changed.tables(frozenset()))[positive].all()
        assert changed.candidate(frozenset()).unexplained <= found.unexplained, variant.words


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("seed", range(8))
def test_a_drawn_rule_that_literals_cannot_say_is_explained_at_no_more_than_it_costs(world, seed) -> None:
    rule, problem, repairs = seen_with(world, seed)
    found = repairs.candidate(frozenset())
    if found.unexplained:
        best = best_variant(repairs, found, lambda: False)
        true = Repairs(Model.of(with_domain(problem, rule.domain)), repairs.seen).candidate(frozenset())
        assert best is not None and not best.candidate.unexplained, rule.words
        assert best.rank <= (False, 3 + true.weighed_cost, 0), (rule.words, best.variant.words)


@pytest.mark.parametrize("world", WORLDS)
def test_what_a_variant_shares_with_the_model_is_what_it_would_find_alone(world) -> None:
    _, _, repairs = seen_with(world, 0)
    found = repairs.candidate(frozenset())
    for variant in quantified_preconditions(repairs, found, lambda: False):
        alone = Repairs(Model.of(*variant.problems), repairs.seen).candidate(variant.edits)
        assert changed_repairs(repairs, variant).candidate(variant.edits).rules == alone.rules


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
