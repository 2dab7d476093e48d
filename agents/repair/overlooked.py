"""What a candidate gets wrong among operators that are no examples.

Of many operators in many states only some become examples (`TaskOperators.thinned`). A candidate that
explains these may still run others that the world refuses: all of them are looked at here.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

import numpy as np

from agents.repair.candidate import Candidate, Edit, effects_of
from agents.repair.examples import HoldsAt, Mask, Numbers, Tables, keys_of
from agents.repair.model import Editable
from agents.repair.operators import TaskOperators
from agents.repair.search import Repairs
from envs.pddl.simulation.lifted import Literal

#: States of one task by which it is estimated how often literals hold.
_SAMPLED = 16


def overlooked(repairs: Repairs, candidate: Candidate) -> list[dict[str, Mask]]:
    """By task and action, operators that the candidate runs in some state where the world refuses them."""
    found: list[dict[str, Mask]] = [{} for _ in repairs.model.tasks]
    actions = repairs.model.actions.values()
    changing = {e.predicate for own in actions for e in effects_of(own, candidate.edits)}
    changing |= {e.predicate for own in actions for e in own.conditional}
    for name, action in sorted(repairs.model.actions.items()):
        literals = candidate.fit_of(action).preconditions(action)
        look = partial(_of_action, repairs, action, literals, candidate.edits, changing)
        for task, ran in enumerate(repairs.of_all(action, literals, candidate.edits, look)):
            if ran.any():
                found[task][name] = ran
    return found


def _of_action(
    repairs: Repairs,
    action: Editable,
    literals: Sequence[Literal],
    edits: frozenset[Edit],
    changing: Collection[str],
) -> list[Mask]:
    """By task, which of an action's operators run in some state where the world refuses them."""
    base, tables, found = repairs.model.base, repairs.tables(edits), []
    for number, tried in enumerate(repairs.seen.of[action.name].all):
        states, operators = _running(literals, tried, tables, base, changing)
        if action.fixed and len(states):
            holds = HoldsAt(tried.asked[states], tables, action.schemas[number], base)
            operators = operators[holds.all(action.fixed, tried.rows[operators])]
        found.append(np.bincount(operators, minlength=len(tried.rows)) > 0)
    return found


def _running(
    literals: Sequence[Literal], tried: TaskOperators, tables: Tables, base: int, changing: Collection[str]
) -> tuple[Numbers, Numbers]:
    """The states and operators, of those that were refused, in which all literals hold.

    Predicates that are not `changing` are the same in all states: they rule operators out at once.
    """
    asked, possible = tried.asked, np.ones(len(tried.rows), dtype=np.bool_)
    if not len(asked):
        return asked, asked
    columns = dict(enumerate(tried.rows.T))
    keys = [keys_of(literal.terms, columns, len(tried.rows), base) for literal in literals]
    for literal, own in zip(literals, keys, strict=True):
        if literal.predicate not in changing:
            possible &= tables[literal.predicate][asked[0], own] == literal.positive
    left = np.flatnonzero(possible)
    fluent = [(p, own[left]) for p, own in zip(literals, keys, strict=True) if p.predicate in changing]
    if not fluent:
        refused = np.ones((len(asked), len(tried.rows)), dtype=np.bool_)
        refused.reshape(-1)[tried.executed] = False
        states, places = np.nonzero(refused[:, left])
        return states, left[places]
    some = asked[:: -(-len(asked) // _SAMPLED)]
    shares = [float((tables[p.predicate][some] == p.positive).mean()) for p, _ in fluent]

    def cost(at: int) -> float:
        """What a literal makes one look at in each state, if it is the first: its atoms, and operators."""
        return float(base ** len(fluent[at][0].terms) + shares[at] * len(left))

    first = min(range(len(fluent)), key=cost)
    literal, own = fluent[first]
    where, wanted = np.nonzero(tables[literal.predicate][asked] == literal.positive)
    states, places = _rows_of(where, wanted, own)
    # those that seldom hold leave few to be looked at
    for i in sorted(range(len(fluent)), key=shares.__getitem__):
        if i != first:
            literal, own = fluent[i]
            held = tables[literal.predicate][asked[states], own[places]] == literal.positive
            states, places = states[held], places[held]
    refused = ~tried.executes(states, left[places])
    return states[refused], left[places[refused]]


def _rows_of(states: Numbers, wanted: Numbers, keys: Numbers) -> tuple[Numbers, Numbers]:
    """Each state beside every place at which `keys` has its wanted key."""
    by_key = np.argsort(keys, kind="stable")
    first = np.searchsorted(keys[by_key], wanted)
    counts = np.searchsorted(keys[by_key], wanted, side="right") - first
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(states, counts), by_key[np.repeat(first, counts) + within]
