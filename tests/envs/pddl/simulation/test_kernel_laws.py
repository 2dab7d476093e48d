"""Laws of the kernel's limits and costs: exact counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.simulation.gates import TRUE_CODE, Block, Conjunctions, GateTable
from envs.pddl.simulation.grounding import ground, groundings_bound
from envs.pddl.simulation.lifted import lift
from envs.pddl.simulation.reach import TooManyRules, derive


@pytest.mark.parametrize("facts", [1, 2, 5, 30])
def test_exactly_as_many_rules_are_instantiated_as_allowed(facts: int) -> None:
    program = "".join(f"p({i}). " for i in range(facts))
    rows = [[[i] for i in range(facts)]]
    for limit in (facts, facts + 1, None):
        assert derive(program, [("p", 1)], limit) == rows
    for limit in (facts - 1, 0):
        with pytest.raises(TooManyRules):
            derive(program, [("p", 1)], limit)


ROWS = st.lists(st.lists(st.integers(2, 11), min_size=2, max_size=4), min_size=1, max_size=6)


@settings(max_examples=30)
@given(ROWS, st.integers(0, 3), st.integers(0, 3))
def test_literals_that_are_always_true_cost_nothing(rows, before, after) -> None:
    def shapes(pad_before: int, pad_after: int) -> list[tuple[int, ...]]:
        widths = sorted({len(row) for row in rows})
        blocks = []
        for width in widths:
            own = [i for i, row in enumerate(rows) if len(row) == width]
            codes = np.array([rows[i] for i in own], dtype=np.int64)
            padded = np.pad(codes, ((0, 0), (pad_before, pad_after)), constant_values=TRUE_CODE)
            blocks.append(Block(np.array(own), padded))
        return [block.codes.shape for block in Conjunctions(blocks, len(rows)).blocks]

    assert shapes(before, after) == shapes(0, 0)


def test_gates_of_very_different_widths_hold_where_all_of_their_literals_do() -> None:
    """So many of them that neither width is padded to the other's."""
    rng, atoms = np.random.default_rng(0), 64
    table = GateTable(atoms)
    drawn = [rng.integers(2, 2 * atoms + 2, (count, width)) for count, width in ((400, 2), (5, 20))]
    literals = [table.conjunction(list(codes.T), len(codes)) for codes in drawn]
    states = rng.integers(0, 2**63, (9, 1), dtype=np.uint64)
    bits = np.unpackbits(states.view(np.uint8), axis=1, bitorder="little")
    truth = np.unpackbits(table.circuit().truth(states), axis=1, count=len(states), bitorder="little")
    for codes, found in zip(drawn, literals, strict=True):
        held = (bits[:, codes // 2 - 1] ^ (codes % 2)).all(axis=2)
        assert (held == truth[found].T).all()


CONDITIONAL = (
    "(define (domain rooms) (:requirements :adl) (:predicates (p ?x) (q ?x ?y))"
    "(:action act :parameters (?x) :precondition (p ?x) :effect (and (not (p ?x)) {effect})))"
)
EFFECTS = ("(p ?x)", "(when (p ?x) (q ?x ?x))", "(forall (?y) (when (exists (?z) (q ?z ?y)) (q ?x ?y)))")


@pytest.mark.parametrize("objects", [1, 3, 6])
def test_the_bound_of_instances_grows_with_what_effects_quantify_over(objects: int) -> None:
    """It is never below what is ground: an instance of each operator, and of each of its effects."""
    names = [f"o{i}" for i in range(objects)]
    start = " ".join(f"(p {name}) (q {name} {name})" for name in names)
    bounds = []
    for effect in EFFECTS:
        domain = read_domain(CONDITIONAL.format(effect=effect))
        text = (
            f"(define (problem one) (:domain rooms) (:objects {' '.join(names)})"
            f" (:init {start}) (:goal (p o0)))"
        )
        problem = read_problem(text, domain)
        (schema,) = lift(problem).schemas
        bounds.append(groundings_bound(schema, lift(problem)))
        assert sum(len(rows) for rows in ground(problem).arguments) == objects
    assert bounds[0] >= 2 * objects and bounds == sorted(bounds)
    assert bounds[2] >= objects + objects**3
