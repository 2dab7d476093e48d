"""Edits below `when`, `or` and quantifiers: the first that is proposed explains a single fault."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest
from walked_worlds import walked, with_domain
from wide import wide

from agents.repair.model import Model
from agents.repair.rules.nested import nested_literals
from agents.repair.rules.variants import changed_repairs
from agents.repair.search import Repairs
from envs.pddl.mutation.faults import BreakKind, break_domain

WORLDS = ["household", "urnsong"]


@cache
def faulty(world: str, seed: int) -> Repairs:
    """The candidates of a model with one fault below something."""
    found = walked(world)
    broken = break_domain(found.problem.domain, BreakKind.NESTED, 1, np.random.default_rng(seed))
    problem = with_domain(found.problem, broken.domain)
    return Repairs(Model.of(problem), found.examples(problem))


@pytest.mark.parametrize(
    ("world", "seed"),
    wide(
        list(product(WORLDS, range(6))),
        *(case for case in product(WORLDS, range(6)) if case != ("household", 4)),
    ),
)
def test_the_first_proposal_explains_all_that_one_fault_leaves_open(world: str, seed: int) -> None:
    repairs = faulty(world, seed)
    given = repairs.candidate(frozenset())
    proposed = list(nested_literals(repairs, given, lambda: False))
    assert bool(proposed) == (repairs.errors(given) > 0)
    for variant in proposed[:1]:
        changed = changed_repairs(repairs, variant)
        assert changed.errors(changed.candidate(variant.edits)) == 0


@pytest.mark.parametrize("world", WORLDS)
def test_the_truth_gets_no_proposals(world: str) -> None:
    found = walked(world)
    repairs = found.repairs(found.problem)
    assert not list(nested_literals(repairs, repairs.candidate(frozenset()), lambda: False))
