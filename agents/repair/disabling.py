"""Actions that edits disable, and preconditions that would disable an action.

An action is disabled if it can run in no task of the edited model, and could in the model as it was given.
Whether it can run is decided by relaxed reachability, as far as the limits allow.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import replace

import numpy as np

from agents.repair.candidate import Candidate, predicate_of
from agents.repair.examples import Mask, Numbers, keys_of
from agents.repair.model import EQUAL, Model, Test
from agents.repair.session import RepairSession
from agents.repair.text import edited_problem
from envs.pddl.language.operators import parse_operator
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.grounding import GroundingExploded, limits_in
from envs.pddl.simulation.lifted import Literal


def disabled_actions(
    session: RepairSession, candidate: Candidate, model: Model | None = None
) -> tuple[str, ...]:
    """Actions with another precondition that are disabled; sorted.

    `model` is the one that the candidate edits, if it is not that of the session.
    """
    changed = model or session.model
    edited = {name for name, found in candidate.fits.items() if found.added}
    for name, action in session.given.actions.items():
        now = changed.actions[name]
        if (now.preconditions, now.fixed) != (action.preconditions, action.fixed):
            edited.add(name)
    if not edited:
        return ()
    try:
        before = _running(session, session.given, Candidate(frozenset(), {}))
        after = _running(session, changed, candidate)
    except GroundingExploded:
        return ()
    return tuple(sorted(name for name in edited if any(before[name]) and not any(after[name])))


def disabling_literals(
    session: RepairSession, model: Model, candidate: Candidate, actions: Collection[str]
) -> frozenset[Test]:
    """Static preconditions that disable one of these actions if it gets them, whatever else it gets.

    Empty where the limits of grounding are met.
    """
    fits = {n: replace(own, added=()) if n in actions else own for n, own in candidate.fits.items()}
    try:
        running = _running(session, model, replace(candidate, fits=fits))
    except GroundingExploded:
        return frozenset()
    fluents = model.tasks[0].fluents.union(map(predicate_of, candidate.edits))
    found = set()
    for name in actions:
        for literal in model.actions[name].tests if any(running[name]) else ():
            if literal.predicate not in fluents:
                rows = zip(range(len(model.tasks)), map(np.array, running[name]), strict=True)
                if not any(len(own) and _held(model, task, literal, own).any() for task, own in rows):
                    found.add((name, literal))
    return frozenset(found)


def _running(session: RepairSession, model: Model, candidate: Candidate) -> dict[str, list[list[list[int]]]]:
    """By action, the arguments of the operators that can run in each task of an edited model, by number.

    Raises GroundingExploded.
    """
    numbers = {name: number for number, name in enumerate(model.objects)}
    found: dict[str, list[list[list[int]]]] = defaultdict(lambda: [[] for _ in session.places])
    for task, place in enumerate(session.places):
        limits = limits_in(place.world, session.config.limits)
        for operator in compile_task(edited_problem(model, candidate, task), limits).operators:
            name, arguments = parse_operator(operator)
            found[name][task].append([numbers[argument] for argument in arguments])
    return found


def _held(model: Model, task: int, literal: Literal, rows: Numbers) -> Mask:
    """For which arguments of its action a static literal holds in one task."""
    columns = dict(enumerate(rows.T))
    if literal.predicate == EQUAL:
        one, other = (keys_of((term,), columns, len(rows), model.base) for term in literal.terms)
        true: Mask = one == other
        return true if literal.positive else ~true
    keys = keys_of(literal.terms, columns, len(rows), model.base)
    init = model.tasks[task].init.get(literal.predicate, ())
    true = np.isin(keys, [keys_of(own, {}, 1, model.base)[0] for own in init])
    return true if literal.positive else ~true
