"""What a candidate gets wrong among operators that are no examples.

Of many operators in many states only some become examples (`TaskOperators.thinned`). A candidate that
explains these may still run others that the world refuses: all of them are looked at here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from agents.repair.candidate import Candidate, Edit
from agents.repair.examples import HoldsAt, Mask, Numbers, Tables, TaskOperators, keys_of
from agents.repair.model import Editable
from agents.repair.search import Repairs
from envs.pddl.simulation.lifted import Literal

#: States of one task by which it is estimated how often literals hold.
_SAMPLED = 16


def overlooked(repairs: Repairs, candidate: Candidate) -> list[dict[str, Mask]]:
    """By task and action, operators that the candidate runs in some state where the world refuses them."""
    found: list[dict[str, Mask]] = [{} for _ in repairs.model.tasks]
    for name, action in sorted(repairs.model.actions.items()):
        literals = candidate.fit_of(action).preconditions(action)
        look = partial(_of_action, repairs, action, literals, candidate.edits)
        for task, ran in enumerate(repairs.of_all(action, literals, candidate.edits, look)):
            if ran.any():
                found[task][name] = ran
    return found


def _of_action(
    repairs: Repairs, action: Editable, literals: Sequence[Literal], edits: frozenset[Edit]
) -> list[Mask]:
    """By task, which of an action's operators run in some state where the world refuses them."""
    base, tables, found = repairs.model.base, repairs.tables(edits), []
    for number, tried in enumerate(repairs.seen.of[action.name].all):
        states, operators = _running(literals, tried, tables, base)
        if action.fixed and len(states):
            holds = HoldsAt(tried.asked[states], tables, action.schemas[number], base)
            operators = operators[holds.all(action.fixed, tried.rows[operators])]
        found.append(np.bincount(operators, minlength=len(tried.rows)) > 0)
    return found


def _running(
    literals: Sequence[Literal], tried: TaskOperators, tables: Tables, base: int
) -> tuple[Numbers, Numbers]:
    """The states and operators, of those that were refused, in which all literals hold."""
    if not literals:
        states, operators = np.nonzero(~tried.executed)
        return states, operators
    columns = dict(enumerate(tried.rows.T))
    keys = [keys_of(literal.terms, columns, len(tried.rows), base) for literal in literals]
    some = tried.asked[:: -(-len(tried.asked) // _SAMPLED) or 1]
    shares = [float((tables[p.predicate][some] == p.positive).mean()) if len(some) else 0.0 for p in literals]

    def cost(at: int) -> float:
        """What a literal makes one look at in each state, if it is the first: its atoms, and operators."""
        return float(base ** len(literals[at].terms) + shares[at] * len(tried.rows))

    first = min(range(len(literals)), key=cost)
    table, positive = tables[literals[first].predicate][tried.asked], literals[first].positive
    where, wanted = np.nonzero(table == positive)
    states, operators = _rows_of(where, wanted, keys[first])
    refused = ~tried.executed[states, operators]
    states, operators = states[refused], operators[refused]
    # those that seldom hold leave few to be looked at
    for i in sorted(range(len(literals)), key=shares.__getitem__):
        if i != first:
            truth = tables[literals[i].predicate][tried.asked[states], keys[i][operators]]
            held = truth == literals[i].positive
            states, operators = states[held], operators[held]
    return states, operators


def _rows_of(states: Numbers, wanted: Numbers, keys: Numbers) -> tuple[Numbers, Numbers]:
    """Each state beside every place at which `keys` has its wanted key."""
    by_key = np.argsort(keys, kind="stable")
    first = np.searchsorted(keys[by_key], wanted)
    counts = np.searchsorted(keys[by_key], wanted, side="right") - first
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(states, counts), by_key[np.repeat(first, counts) + within]
