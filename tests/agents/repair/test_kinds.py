"""Which edits may stand in for a rule, and in which order kinds of rules are asked and preferred."""

from __future__ import annotations

from itertools import permutations

import pytest
from walked_worlds import walked, with_domain

from agents.repair.candidate import Edit, EffectEdit, InitialEdit
from agents.repair.rules.kinds import KINDS, QUICK, JudgedVariant, _in_turn, _is_last, _judged, stand_ins
from agents.repair.rules.variants import Variant
from envs.pddl.language.terms import Part, show, tree_of
from envs.pddl.simulation.lifted import Literal


def test_atoms_and_effects_on_what_never_changes_stand_in_but_none_of_new_actions() -> None:
    """In blocksworld without rules for `unstack`, and a table that nothing is put on any more."""
    seen = walked("blocksworld")
    tree = tree_of(seen.problem.domain)
    tree = tree.replaced("unstack", Part.PRECONDITION, ("and",)).replaced("unstack", Part.EFFECT, ("and",))
    for action in ("pick-up", "put-down"):
        effect = tree.part(action, Part.EFFECT)
        kept = [part for part in effect[1:] if "ontable" not in show(part)]
        tree = tree.replaced(action, Part.EFFECT, ("and", *kept))
    repairs = seen.repairs(with_domain(seen.problem, tree.render()))
    assert repairs.model.actions["unstack"].is_empty and "ontable" in repairs.model.steady

    def count(*edits: Edit) -> int:
        return stand_ins(repairs, repairs.candidate(frozenset(edits)))

    ontable, clear = Literal("ontable", (~0,), True), Literal("clear", (~0,), True)
    assert count(EffectEdit("unstack", ontable, True), EffectEdit("unstack", clear, True)) == 0
    assert count(EffectEdit("put-down", ontable, True), EffectEdit("pick-up", clear, True)) == 1
    assert count(InitialEdit("clear", (0,), False), InitialEdit("ontable", (0,), False)) == 2


@pytest.mark.parametrize("first", [(), QUICK[:3], QUICK])
def test_every_kind_is_asked_once_and_the_first_ones_first(first) -> None:
    asked = _in_turn(KINDS, first)
    assert sorted(map(KINDS.index, asked)) == list(range(len(KINDS)))
    assert {*asked[: len(first)]} == {*first}


def test_no_kind_is_the_last_while_one_is_left_whose_variants_are_better_of_equals() -> None:
    seen = walked("blocksworld")
    repairs = seen.repairs(seen.problem)
    found = repairs.candidate(frozenset())
    cheapest = [_judged(repairs, Variant("", repairs.model.problems, 1), QUICK[-1])]
    for kind, other in permutations(QUICK, 2):
        assert _is_last(kind, found, cheapest, [other]) == (KINDS.index(kind) < KINDS.index(other))


def test_of_equal_variants_the_kind_decides_and_never_above_the_cost() -> None:
    seen = walked("blocksworld")
    repairs = seen.repairs(seen.problem)

    def variant(kind: int, size: int) -> JudgedVariant:
        return _judged(repairs, Variant("", repairs.model.problems, size), KINDS[kind])

    assert variant(1, 1).order < variant(3, 1).order < variant(0, 2).order
