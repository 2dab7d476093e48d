"""The oracle itself, on states and effects worked out by hand."""

from __future__ import annotations

import pytest
from kernel_samples import SAMPLES, problem_of

from envs.pddl.simulation.reference import ReferenceSimulator


def simulator(name: str) -> ReferenceSimulator:
    return ReferenceSimulator(problem_of(*SAMPLES[name]))


def test_conditions_of_effects_are_read_in_the_old_state() -> None:
    reference = simulator("conditions read the old state")
    assert reference.successor(frozenset({("p",)}), "(step)") == {("q",)}
    assert reference.successor(frozenset({("q",)}), "(step)") == {("p",)}
    assert reference.successor(frozenset({("p",), ("q",)}), "(step)") == {("q",)}


def test_a_swap_exchanges_both_atoms() -> None:
    reference = simulator("a swap reads the old state")
    assert reference.successor(frozenset({("p", "a"), ("q", "b")}), "(swap a)") == {("q", "a"), ("q", "b")}
    assert reference.successor(frozenset({("p", "a"), ("q", "a")}), "(swap a)") == {("p", "a"), ("q", "a")}


def test_a_deleted_and_added_atom_stays() -> None:
    reference = simulator("an atom added and deleted stays")
    assert reference.successor(frozenset({("q", "b")}), "(both b)") == {("p", "b")}


def test_universal_effects_change_every_object_that_fits() -> None:
    reference = simulator("universal conditional effects")
    state = frozenset({("in", "x", "i"), ("in", "y", "i"), ("shut", "y"), ("truck", "i")})
    assert reference.successor(state, "(drive i j)") == {
        ("in", "x", "j"),
        ("in", "y", "i"),
        ("shut", "y"),
        ("truck", "j"),
    }


def test_only_well_typed_operators_exist() -> None:
    reference = simulator("type hierarchies and either")
    applicable = reference.applicable(reference.initial())
    assert "(push c i j)" in applicable and "(go v j i)" in applicable and "(push k i j)" in applicable
    assert not any(text.startswith(("(push t", "(push v", "(go k")) for text in applicable)
    assert "(fill t)" not in applicable


def test_equality_compares_objects() -> None:
    reference = simulator("equality")
    assert reference.applicable(frozenset()) == tuple(
        f"(link {x} {y} {z})" for x in "abc" for y in "abc" if x != y for z in sorted((x, y))
    )


def test_quantifiers_range_over_their_type_and_an_empty_type_is_vacuous() -> None:
    reference = simulator("a type without objects")
    assert reference.applicable(reference.initial()) == ("(b s)",)


def test_goals_are_formulas_too() -> None:
    reference = simulator("equality")
    assert reference.holds_goal(frozenset({("on", "a", "a")}))
    assert not reference.holds_goal(frozenset({("on", "a", "b")}))


@pytest.mark.parametrize("operator", ["(fly a b)", "(move a)", "(move a nowhere)", "(move b a)"])
def test_what_cannot_run_is_refused(operator: str) -> None:
    reference = simulator("an atom added and deleted stays")
    with pytest.raises(ValueError, match=r"not an operator|not applicable"):
        reference.successor(reference.initial(), operator)
