"""Preconditions in closed form: what is proved wrong goes, what is added excludes only refused operators."""

from __future__ import annotations

from itertools import combinations, product
from math import log

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from agents.repair.model import Editable, Fit, fit, opposite, pairs, unpaired
from envs.pddl.simulation.lifted import TRUE, Literal, Schema

ATOMS = tuple(product(("p", "q"), ((~0,), (~1,))))
CANDIDATES = tuple(Literal(*atom, sign) for atom in ATOMS for sign in (True, False))


@st.composite
def cases(draw):
    """An action, a table of atoms by example, which examples the world executes, where fixed parts hold."""
    rows = draw(st.integers(1, 12))
    bits = st.lists(st.booleans(), min_size=rows, max_size=rows)
    table = {atom: np.array(draw(bits)) for atom in ATOMS}
    own = draw(st.lists(st.sampled_from(CANDIDATES), unique=True, max_size=4))
    fluents, schema = draw(st.frozensets(st.sampled_from(["p", "q"]))), Schema("a", 2, (), TRUE, ())
    action = Editable(schema, tuple(own), (), frozenset(), (), CANDIDATES, CANDIDATES, fluents)
    return action, table, np.array(draw(bits)), np.array(draw(bits))


def fitted(case) -> Fit:
    action, table, executed, fixed = case
    truth = truths(table)
    return fit(
        action,
        np.flatnonzero(executed),
        np.flatnonzero(~executed),
        lambda literal, which: truth(literal) if which is None else truth(literal)[which],
        fixed,
    )


def truths(table):
    def truth(literal):
        held = table[literal.predicate, literal.terms]
        return held if literal.positive else ~held

    return truth


def kept_of(action: Editable, found: Fit) -> list[Literal]:
    gone = {literal for literal, _ in found.dropped}
    return [literal for literal in action.preconditions if literal not in gone]


@given(cases())
def test_exactly_what_an_executed_operator_refutes_is_dropped(case) -> None:
    action, table, executed, _ = case
    truth, found = truths(table), fitted(case)
    wrong = {literal: int((executed & ~truth(literal)).sum()) for literal in action.preconditions}
    assert dict(found.dropped) == {literal: count for literal, count in wrong.items() if count}


@given(cases())
def test_what_is_added_is_new_and_excludes_only_what_the_world_refuses(case) -> None:
    action, table, executed, _ = case
    truth, found = truths(table), fitted(case)
    assert len(set(found.added)) == len(found.added)
    assert not set(found.added) & set(action.preconditions)
    assert all(truth(literal)[executed].all() for literal in found.added)


@given(cases())
def test_what_is_left_is_what_all_unrefuted_literals_together_cannot_exclude(case) -> None:
    action, table, executed, fixed = case
    truth, found = truths(table), fitted(case)
    runs = fixed & ~executed
    for literal in (*kept_of(action, found), *found.added):
        runs = runs & truth(literal)
    assert found.left == runs.sum() + (executed & ~fixed).sum()
    for literal in CANDIDATES:
        if truth(literal)[executed].all():
            assert truth(literal)[runs].all()


@given(cases())
def test_nothing_is_added_that_excludes_nothing_and_the_cover_is_as_good_as_a_greedy_one_must_be(
    case,
) -> None:
    action, table, executed, fixed = case
    truth, found = truths(table), fitted(case)
    running = fixed & ~executed
    for literal in kept_of(action, found):
        running = running & truth(literal)
    wrongly, left = running, found.left - (executed & ~fixed).sum()
    for literal in found.added:
        assert (running & ~truth(literal)).any() or pairs(found.refuted, [literal])
        running = running & truth(literal)
    usable = [p for p in CANDIDATES if truth(p)[executed].all() and p not in action.preconditions]
    best = next(
        size
        for size in range(len(usable) + 1)
        for chosen in combinations(usable, size)
        if (wrongly & np.logical_and.reduce([truth(p) for p in chosen], axis=0)).sum() == left
    )
    assert best <= len(found.added) and len(found.added) - found.pairs <= best * (
        1 + log(max(1, wrongly.sum()))
    )


@given(cases())
def test_a_static_atom_that_is_refuted_gives_way_to_one_of_other_arguments_if_any_stands(case) -> None:
    action, table, executed, _ = case
    truth, found = truths(table), fitted(case)
    kept = kept_of(action, found)
    for gone in found.refuted:
        others = [p for p in CANDIDATES if pairs([gone], [p]) and p not in action.preconditions]
        standing = [p for p in others if truth(p)[executed].all() and opposite(p) not in kept]
        said = {p.predicate for p in kept}
        if gone.positive and gone.predicate not in action.fluents | said and standing:
            assert pairs([gone], found.added)
    assert found.pairs == len(found.refuted) - len(unpaired(found.refuted, found.added))


@given(cases())
def test_of_equal_cost_other_arguments_are_preferred_to_other_predicates(case) -> None:
    action, table, executed, fixed = case
    truth, found = truths(table), fitted(case)
    running = fixed & ~executed & np.logical_and.reduce([truth(p) for p in kept_of(action, found)], axis=0)
    for one in CANDIDATES:  # if it excludes all that runs wrongly, nothing costs less than the pair
        free = one not in action.preconditions and opposite(one) not in kept_of(action, found)
        covers = truth(one)[executed].all() and not (running & truth(one)).any()
        if free and covers and running.any() and pairs(found.refuted, [one]):
            assert len(found.added) - found.pairs == 0


@given(cases(), st.permutations(range(12)))
def test_the_order_of_the_examples_changes_nothing(case, order) -> None:
    action, table, executed, fixed = case
    order = [i for i in order if i < len(executed)]
    again = action, {name: row[order] for name, row in table.items()}, executed[order], fixed[order]
    assert fitted(again) == fitted(case)


@given(cases())
def test_preconditions_that_explain_everything_are_left_as_they_are(case) -> None:
    action, table, _, fixed = case
    truth, executed = truths(table), fixed.copy()
    for literal in action.preconditions:
        executed &= truth(literal)
    assert fitted((action, table, executed, fixed)) == Fit()
