"""Actions that edits disable, and preconditions that would disable an action.

An action is disabled if it can run in no task of the edited model, and could in the model as it was given.
Whether it can run is decided by relaxed reachability, as far as the limits allow.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import replace

import numpy as np

from agents.repair.candidate import UNEDITED, Candidate, predicate_of
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
    if not candidate.unexplained:  # what the world has executed can run
        edited &= session.repairs().seen.never_executed
    try:
        after = _running(session, changed, candidate) if edited else {}
        never = {name for name in edited if not any(after[name])}
        before = _running(session, session.given, UNEDITED) if never else {}
    except GroundingExploded:
        return ()
    return tuple(sorted(name for name in never if any(before[name])))


def disabling_literals(
    session: RepairSession, model: Model, candidate: Candidate, actions: Collection[str]
) -> frozenset[Test]:
    """Preconditions that may disable one of these actions if it gets them in the place of what it gets.

    Static ones are those that hold for none of the operators that could run without them. Of others it is not
    known whether they can hold together, so it is all that the candidate does not add. Empty where the limits
    of grounding are met.
    """
    fits = {n: replace(own, added=()) if n in actions else own for n, own in candidate.fits.items()}
    try:
        running = _running(session, model, replace(candidate, fits=fits))
    except GroundingExploded:
        return frozenset()
    fluents = model.tasks[0].fluents.union(map(predicate_of, candidate.edits))
    found = set[Test]()
    for name in (name for name in actions if any(running[name])):
        added = candidate.fits[name].added if name in candidate.fits else ()
        rows = [np.array(own, dtype=np.int64) for own in running[name]]
        for literal in model.actions[name].tests:
            if literal.predicate in fluents:
                disabling = literal not in added
            else:
                held = (_held(model, task, literal, own) for task, own in enumerate(rows) if len(own))
                disabling = not any(one.any() for one in held)
            if disabling:
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
