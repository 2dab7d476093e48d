"""Rules of another action for one that a model lacks: the other's, with its parameters in their places."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from walked_worlds import walked, with_domain
from wide import wide

from agents.repair.repair import repair
from agents.repair.repaired import RepairVerdict
from agents.repair.rules.likeness import like_others
from agents.repair.rules.variants import Variant
from agents.repair.search import Repairs
from agents.repair.session import RepairConfig, RepairTask
from envs.pddl.language.domain import Problem, read_domain
from envs.pddl.language.render import render_domain
from envs.pddl.language.terms import Part, Tree, canonical, same_rules, tree_of
from envs.truth import truth_of
from envs.world import open_world

WORLDS = ["driverlog", "termes", "childsnack", "depot", "storage"]
every_world = pytest.mark.parametrize("world", WORLDS)
EMPTY: Tree = ("and",)


def executed(world: str) -> list[str]:
    found = walked(world)
    return [name for name, own in found.examples(found.problem).of.items() if len(own.positive)]


def emptied(problem: Problem, action: str) -> Problem:
    """The problem in its domain with an action without rules."""
    tree = tree_of(problem.domain)
    for part in Part:
        tree = tree.replaced(action, part, EMPTY)
    return with_domain(problem, tree.render())


def with_twin(problem: Problem, action: str, extra: bool) -> Problem:
    """The same with an action of the same rules: other names, other order, perhaps a parameter more."""
    tree = tree_of(problem.domain)
    parameters = tree.parameters(action)
    names = {name: f"?other{place}" for place, (name, _) in enumerate(parameters)}

    def renamed(piece: Tree) -> Tree:
        return names.get(piece, piece) if isinstance(piece, str) else tuple(map(renamed, piece))

    turned = [(names[name], kind) for name, kind in (*parameters[1:], parameters[0])]
    parts = [renamed(tree.part(action, part)) for part in Part]
    if extra:
        turned = [("?extra", turned[0][1]), *turned]
        parts[0] = ("and", parts[0], ("not", ("=", "?extra", turned[1][0])))
    listed = tuple(word for name, kind in turned for word in (name, "-", kind))
    section = (":action", "twin", ":parameters", listed, ":precondition", parts[0], ":effect", parts[1])
    return with_domain(problem, replace(tree, sections=(*tree.sections, section)).render())


def head(piece: Tree) -> Tree:
    return piece if isinstance(piece, str) else piece[0]


def proposals(repairs: Repairs) -> list[Variant]:
    return list(like_others(repairs, repairs.candidate(frozenset()), lambda: False))


def rules(problem: Problem, action: str) -> list[Tree]:
    return [canonical(tree_of(problem.domain).part(action, part)) for part in Part]


@every_world
@pytest.mark.parametrize("extra", [False, True])
def test_the_rules_of_a_twin_are_found_whatever_its_parameters_are_called_and_in_what_order(
    world: str, extra: bool
) -> None:
    found = walked(world)
    for action in executed(world):
        if not found.problem.domain.actions[action].parameters:
            continue
        given = emptied(with_twin(found.problem, action, extra), action)
        own = [p for p in proposals(found.repairs(given)) if p.actions == (action,)]
        assert rules(found.problem, action) in [rules(p.problems[0], action) for p in own]


@every_world
def test_what_is_proposed_is_pddl_and_changes_the_empty_action_alone(world: str) -> None:
    found = walked(world)
    for action in executed(world):
        given = emptied(found.problem, action)
        for variant in proposals(found.repairs(given)):
            domain = variant.problems[0].domain
            assert same_rules(read_domain(render_domain(domain)), domain)
            assert variant.actions == (action,) and rules(variant.problems[0], action) != [EMPTY, EMPTY]
            assert same_rules(emptied(variant.problems[0], action).domain, given.domain)


@every_world
def test_nothing_is_proposed_for_actions_with_rules_nor_for_what_was_never_executed(world: str) -> None:
    found = walked(world)
    assert not proposals(found.repairs(found.problem))
    never = found.problem.domain.actions.keys() - {*executed(world)}
    for action in sorted(never):
        assert not proposals(found.repairs(emptied(found.problem, action)))


@pytest.mark.parametrize("action", wide(["up", "right"], "up"))
def test_a_tile_robot_moves_one_way_as_it_moves_another(action: str) -> None:
    """The ways differ in one static predicate, so a few edits do for seven literals."""
    names = ["f01", "f02", "f03"]
    problems = [emptied(truth_of(open_world("floortile", name).key).problem, action) for name in names]
    shared = problems[0].domain
    tasks = [
        RepairTask(open_world("floortile", name), replace(own, domain=shared))
        for name, own in zip(names, problems, strict=True)
    ]
    found = repair(tasks, np.random.default_rng(0), RepairConfig(queries=3000, wall_s=120.0))
    assert found.verdict in (RepairVerdict.AGREES, RepairVerdict.AGREES_AS_SEEN)
    assert any(words.startswith(f"write action {action} like ") for words in found.structural)
    assert len(found.edits) <= 4


def test_costs_are_not_among_the_rules_as_nothing_may_stand_for_their_parameters() -> None:
    found = walked("driverlog")
    text = render_domain(found.problem.domain)
    text = text.replace(":typing", ":typing :action-costs", 1)
    text = text.replace("(:action", "(:functions (total-cost) (far ?a ?b - location))\n(:action", 1)
    cost = "(increase (total-cost) (far ?loc-from ?loc-to))"
    text = text.replace("(at ?truck ?loc-to)", f"(at ?truck ?loc-to) {cost}", 1)
    costly = with_domain(found.problem, text)
    assert cost in render_domain(costly.domain)
    own = proposals(found.repairs(emptied(costly, "walk")))
    assert any(p.words == "write action walk like drive-truck" for p in own)
    assert not any("increase" in map(head, rules(p.problems[0], "walk")[1]) for p in own)
