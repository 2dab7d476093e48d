"""A model fitted to a world's signatures has its actions and parameters, and else the rules that it had."""

from __future__ import annotations

from dataclasses import replace

import pytest
from walked_worlds import walked, with_domain

from agents.repair.signatures import fitted_to
from envs.pddl.language.domain import Problem
from envs.pddl.language.terms import Part, parsed, same_rules, tree_of
from envs.pddl.language.vocabulary import show_typed
from envs.world import open_world

WORLDS = ["grippers", "driverlog", "termes", "childsnack"]
every_world = pytest.mark.parametrize("world", WORLDS)


def fitted(world: str, problem: Problem):
    return fitted_to([open_world(world, 1)], [problem])


def signatures(problem: Problem) -> dict[str, list[str]]:
    return {name: [str(p.symbol) for p in own.parameters] for name, own in problem.domain.actions.items()}


@every_world
def test_a_right_model_is_the_same_object(world: str) -> None:
    problem = walked(world).problem
    found = fitted(world, problem)
    assert found.words == () and found.problems[0] is problem


def with_sections(problem: Problem, change) -> Problem:
    """The problem in its domain with each section changed; those changed to None are left out."""
    tree = tree_of(problem.domain)
    sections = tuple(new for new in map(change, tree.sections) if new is not None)
    return with_domain(problem, replace(tree, sections=sections).render())


@every_world
@pytest.mark.parametrize("another_name", [False, True])
def test_an_action_that_is_missing_comes_without_rules_and_one_too_many_goes(
    world: str, another_name: bool
) -> None:
    problem = walked(world).problem
    first = min(problem.domain.actions)

    def without(section):
        if section[:2] != (":action", first):
            return section
        return (":action", "stray", *section[2:]) if another_name else None

    found = fitted(world, with_sections(problem, without))
    domain = found.problems[0].domain
    assert signatures(found.problems[0]) == signatures(problem)
    assert [tree_of(domain).part(first, part) for part in Part] == [("and",), ("and",)]
    assert [text.split()[:2] for text in found.words] == [["remove", "action"]] * another_name + [
        ["add", "action"]
    ]
    assert f"({first}" in found.words[-1]


@every_world
def test_parameters_in_another_order_are_put_in_the_worlds(world: str) -> None:
    problem = walked(world).problem
    for name, parameters in problem.domain.vocabulary.actions.items():
        turned = parsed(f"({show_typed((*parameters[1:], parameters[0]))})") if parameters else ()

        def turn(section, name=name, turned=turned):
            if section[:2] != (":action", name):
                return section
            at = section.index(":parameters") + 1
            return (*section[:at], turned, *section[at + 1 :])

        given = with_sections(problem, turn)
        found = fitted(world, given)
        assert signatures(found.problems[0]) == signatures(problem)
        assert same_rules(found.problems[0].domain, problem.domain)
        assert bool(found.words) == (signatures(given) != signatures(problem))
