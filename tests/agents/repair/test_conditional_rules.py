"""Conditional effects: where they must and must not have fired, and what is proposed for drawn rules."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hidden_predicates import Hidden, walked_with
from walked_worlds import walked, with_domain

from agents.repair.examples import HoldsAt
from agents.repair.model import Model
from agents.repair.rules.conditional import conditional_effects, rule_tree, variant_of
from agents.repair.rules.effect_conditions import Conditional, kinds_of_variable, literals_over_variable
from agents.repair.rules.firing import FiringEvidence, OwnEffect
from agents.repair.rules.variants import changed_repairs
from agents.repair.search import Repairs
from envs.pddl.language.domain import Domain, Problem, read_domain
from envs.pddl.language.terms import Part, literal_of, parsed, show, tree_of
from envs.pddl.simulation.lifted import Literal
from envs.source import read_texts

WORLDS = ["grippers", "blocksworld", "driverlog", "storage", "hiking"]


def drawn(domain: Domain, seed: int) -> tuple[Hidden, str, str, list[str]]:
    """A conditional effect without a variable: the rule, its action, the effect and the conditions."""
    rng = np.random.default_rng(seed)
    tree = tree_of(domain)
    said = {show(piece) for a in tree.actions for piece in tree.part(a, Part.EFFECT)[1:]}
    while True:
        name = str(rng.choice(sorted(domain.actions)))
        scope = [a for a in domain.vocabulary.atoms(tree.parameters(name)) if len({*a}) == len(a)]
        changing = [a for a in scope if any(f"({a[0]} " in text for text in said)]
        own = show(tree.part(name, Part.EFFECT))
        new = [a for a in changing if show(a) not in own]
        if new and len(changing) > 1:
            break
    effect = new[rng.integers(len(new))]
    text = f"(not {show(effect)})" if rng.integers(2) else show(effect)
    others = [a for a in changing if a != effect]
    signed = [f"(not {show(atom)})" if rng.integers(2) else show(atom) for atom in others]
    tests = [signed[i] for i in rng.permutation(len(signed))[: rng.integers(1, 3)]]
    rule = ("when", ("and", *map(literal_of, tests)), literal_of(text))
    return Hidden(show(rule), tree.with_literal(name, Part.EFFECT, rule).render()), name, text, tests


def seen_with(world: str, seed: int) -> tuple[Hidden, str, str, list[str], Problem, Repairs]:
    problem = read_texts(world, 1).pddl.problem
    rule, name, effect, tests = drawn(problem.domain, seed)
    found = walked_with(rule, problem)
    return rule, name, effect, tests, problem, Repairs(Model.of(problem), found.examples(problem))


def lifted(model: Model, name: str, text: str) -> Literal:
    words = literal_of(text)
    positive = words[0] != "not"
    atom = words if positive else words[1]
    names = [str(p.symbol) for p in model.domain.actions[name].parameters]
    terms = tuple(~names.index(w) if w in names else model.objects.index(w) for w in atom[1:])
    return Literal(atom[0], terms, positive)


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("seed", range(6))
def test_a_drawn_effect_fired_nowhere_where_it_must_not_have(world: str, seed: int) -> None:
    rule, name, effect, tests, problem, repairs = seen_with(world, seed)
    model = repairs.model
    evidence = FiringEvidence(repairs, repairs.candidate(frozenset()), frozenset())
    literal = lifted(model, name, effect)
    change = literal.predicate, literal.positive
    if change not in evidence.readings or literal in model.actions[name].effects:
        return
    found = evidence.firings(change, OwnEffect(name, literal, ~len(model.actions[name].schemas[0].members)))
    true = Repairs(Model.of(with_domain(problem, rule.domain)), repairs.seen)
    nodes = evidence.parents[found.steps]
    holds = HoldsAt(nodes, true.tables(frozenset()), model.actions[name].schemas[0], model.base)
    fired = holds.all([lifted(model, name, test) for test in tests], evidence.arguments(name, found.steps).T)
    unwanted = ~evidence.readings[change].wanted[found.reading]
    assert not fired[found.instance[unwanted]].any(), rule.words


@pytest.mark.parametrize("world", WORLDS)
def test_a_condition_holds_unless_its_effect_has_taken_it_away(world: str) -> None:
    """`made_before`, without a model that has the effect, against the states of one that has it."""
    seen, asked = walked(world), 0
    given = Repairs(Model.of(seen.problem), seen.examples(seen.problem))
    model, kinds = given.model, kinds_of_variable(given.model)
    evidence = FiringEvidence(given, given.candidate(frozenset()), frozenset())
    for name, kind in product(sorted(model.actions), kinds):
        variable = ~len(model.actions[name].schemas[0].members)
        groups = [g.nodes for level in given.seen.walks.levels for g in level if g.schema == name]
        steps = np.concatenate([np.empty(0, dtype=np.int64), *groups])
        objects = np.flatnonzero(kinds[kind][0])
        steps, objects = np.repeat(steps, len(objects)), np.tile(objects, len(steps))
        for literal in literals_over_variable(model, name, kind):
            if literal.positive and literal.predicate in model.tasks[0].fluents:
                effect = OwnEffect(name, replace(literal, positive=False), variable, kind, kinds[kind])
                variant = variant_of(model, Conditional(effect, (literal,)), frozenset())
                changed = changed_repairs(given, variant)
                columns = dict(enumerate(evidence.arguments(name, steps))) | {~variable: objects}
                before, after = (
                    HoldsAt(
                        evidence.parents[steps],
                        r.tables(frozenset()),
                        model.actions[name].schemas[0],
                        model.base,
                    ).rows(literal, columns, len(steps))
                    for r in (given, changed)
                )
                taken = evidence.made_before(effect, steps, objects)
                assert (after == (before & ~taken)).all(), variant.words
                asked += int((before & taken).sum())
    assert asked


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("seed", range(6))
def test_what_is_proposed_for_a_drawn_effect_explains_all(world: str, seed: int) -> None:
    rule, *_, repairs = seen_with(world, seed)
    given = repairs.candidate(frozenset())
    if not given.unexplained:
        return  # these walks do not show it, or preconditions alone say as much
    judged = [
        Repairs(Model.of(*v.problems), repairs.seen).candidate(v.edits)
        for v in conditional_effects(repairs, given, lambda: False)
    ]
    assert any(found.unexplained == 0 and found.weighed_cost <= 1 for found in judged), rule.words


@pytest.mark.parametrize("world", WORLDS)
def test_nothing_is_proposed_where_nothing_is_wrong(world: str) -> None:
    seen = walked(world)
    repairs = seen.repairs(seen.problem)
    assert not list(conditional_effects(repairs, repairs.candidate(frozenset()), lambda: False))


def test_an_effect_that_fires_under_a_condition_only_gets_it() -> None:
    texts = read_texts("grippers", 1)
    problem = texts.pddl.problem
    assert texts.domain.count("(not (free ?r ?g))") == 1
    true = texts.domain.replace("(not (free ?r ?g))", "(when (at ?obj rooma) (not (free ?r ?g)))")
    room = next(name for name, kind in problem.objects.items() if kind == "room")
    true = true.replace("(:predicates", f"(:constants {room} - room) (:predicates").replace("rooma", room)
    base = read_domain(texts.domain.replace("(:predicates", f"(:constants {room} - room) (:predicates"))
    given = with_domain(problem, tree_of(base).render())
    found = walked_with(Hidden("", true), given)
    repairs = Repairs(Model.of(given), found.examples(given))
    variants = conditional_effects(repairs, repairs.candidate(frozenset()), lambda: False)
    costs = {
        v.words: Repairs(Model.of(*v.problems), repairs.seen).candidate(v.edits).weighed_cost
        for v in variants
        if len(v.edits) == 1
    }
    assert min(costs.values()) == 1, costs


def test_an_effect_on_all_objects_of_a_type_needs_no_condition() -> None:
    problem = read_texts("grippers", 1).pddl.problem
    effect = "(forall (?x - gripper) (not (free ?r ?x)))"
    true = tree_of(problem.domain).with_literal("pick", Part.EFFECT, parsed(effect)).render()
    found = walked_with(Hidden(effect, true), problem)
    repairs = Repairs(Model.of(problem), found.examples(problem))
    given = repairs.candidate(frozenset())
    proposed = list(conditional_effects(repairs, given, lambda: False))
    (variant,) = [v for v in proposed if v.words.startswith("add (forall") and "when" not in v.words][:1]
    assert given.unexplained > 0 == changed_repairs(repairs, variant).candidate(variant.edits).unexplained


@pytest.mark.parametrize("universal, size", [*product([False, True], [1, 2])])
def test_a_rule_is_read_from_its_text_as_it_was(universal: bool, size: int) -> None:
    model = Model.of(read_texts("grippers", 1).pddl.problem)
    variable = ~len(model.actions["pick"].schemas[0].members)
    last = variable if universal else -4
    effect = OwnEffect("pick", Literal("free", (-1, last), False), variable, "gripper" if universal else "")
    condition = (Literal("carry", (-1, -2, last), False), Literal("=", (-4, last), True))[:size]
    tree = rule_tree(model, Conditional(effect, condition))
    read = read_domain(tree_of(model.domain).with_literal("pick", Part.EFFECT, tree).render())
    assert show(tree_of(read).part("pick", Part.EFFECT)[-1]) == show(tree)
