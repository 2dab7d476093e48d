"""Precondition parsing: the published algorithm, word for word, is the oracle."""

from dataclasses import replace

import numpy as np
import pytest
from kitchen import OPERATORS, SOUP, observed

from agents.goals.parsing import GroundStep, Link, after, ground_plan, parse
from agents.operators.lifted import NamedLiteral
from agents.operators.reading import operators_of
from experiments.studies.operators.demonstrations import demonstrated, demonstrations, minecraft

TRUTH = tuple(operators_of(minecraft()))
DEMONSTRATIONS = [d for d in demonstrations() if d.plan is not None][::12]


def algorithm_1(steps):
    """Siegel et al. 2024, Algorithm 1."""
    links = []
    for i, step in enumerate(steps):
        needs = list(step.needs)
        for j in range(i - 1, -1, -1):
            for need in [n for n in needs if n in steps[j].effects]:
                links.append(Link(i, j, need))
                needs.remove(need)
    return tuple(sorted(links))


@pytest.mark.parametrize("demonstration", DEMONSTRATIONS, ids=lambda d: f"{d.kind}-{d.number}")
def test_links_are_those_of_the_published_algorithm(demonstration):
    steps = ground_plan(TRUTH, demonstration.plan)
    graph = parse(steps)
    assert graph.links == algorithm_1(steps) and all(link.giver < link.taker for link in graph.links)
    assert all(all(link.giver != i for link in graph.links) for i in graph.hanging)


def test_links_of_any_steps_are_those_of_the_published_algorithm():
    rng = np.random.default_rng(1)
    atoms = [NamedLiteral(f"p{i}", ()) for i in range(6)]
    literals = [*atoms, *(atom.negated for atom in atoms)]

    def some(n):
        return tuple(literals[i] for i in rng.permutation(len(literals))[:n].tolist())

    for _ in range(30):
        steps = [GroundStep(f"(s{i})", some(3), some(2)) for i in range(12)]
        assert parse(steps).links == algorithm_1(steps)


@pytest.mark.parametrize("demonstration", DEMONSTRATIONS[:4], ids=lambda d: f"{d.kind}-{d.number}")
def test_what_stands_at_the_end_is_what_the_plan_made_and_did_not_undo(demonstration):
    problem = demonstrated(demonstration.kind, demonstration.number)
    graph = parse(ground_plan(TRUTH, demonstration.plan))
    state = after(graph.steps, problem.init)
    for literal, giver in graph.last_givers.items():
        assert ((literal.predicate, *literal.terms) in state) == literal.positive
        assert literal in graph.steps[giver].effects
    unsupported = {effect for _, effect in graph.unsupported_effects}
    assert unsupported <= set(graph.last_givers)
    hanging = {effect for step in graph.hanging for effect in graph.steps[step].effects}
    assert hanging & set(graph.last_givers) <= unsupported


def test_a_step_whose_effect_is_needed_does_not_hang_and_may_leave_something_unsupported():
    graph = observed("(take kale)", "(toss kale)", "(drop kale)").graph
    assert graph.hanging == (1, 2)
    used = observed(*SOUP).graph
    assert used.hanging == (2, 3) and (2, NamedLiteral("is", ("leek", "soup"))) in used.unsupported_effects
    assert all(literal.predicate != "held" for _, literal in used.unsupported_effects if literal.positive)
    assert used.ancestors[2] == {0, 1, 2}


def test_an_unknown_step_is_taken_to_need_what_was_made_of_its_arguments():
    few = tuple(operator for operator in OPERATORS if operator.name != "cook")
    graph = observed(*SOUP, operators=few).graph
    assert not graph.steps[2].known and graph.steps[2].effects == ()
    assert {link.literal for link in graph.links if link.taker == 2} == {
        NamedLiteral("held", ("pot",)), NamedLiteral("is", ("pot", "clean"))
    }  # fmt: skip


def test_what_is_deleted_and_added_stays_true():
    both = replace(OPERATORS[0], effects=(NamedLiteral("free", ()), NamedLiteral("free", (), False)))
    (step,) = ground_plan([both], ["(take leek)"])
    assert step.effects == (NamedLiteral("free", ()),)


def test_operators_learned_without_arguments_say_nothing_of_a_plan():
    named = replace(OPERATORS[0], takes_arguments=False)
    assert not ground_plan([named], ["(take leek)"])[0].known
    assert not ground_plan(OPERATORS, ["(take leek pot)"])[0].known
    with pytest.raises(ValueError):
        ground_plan(OPERATORS, ["()"])
