"""Partial states filled by inertia: an action changes no atom that names an object beside its arguments.

Operators of the learner's form have effects over arguments and constants alone. So what is known of any other
atom before an executed step is known after it, and the other way round; that is carried along each trace as
far as it goes. Predicates of which some step is seen to change an atom with another object are left out.
Source: the same completion of traces is OffLAM's (Lamanna et al. 2025).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from agents.operators.examples import Table
from envs.pddl.traces.trace import Trace, Traces


def filled(traces: Traces) -> Traces:
    """The traces with what inertia says of their partial states; whole ones are as they were."""
    constants = traces.vocabulary.constants
    moving = {name for trace in traces.traces for name in _moved(trace, constants)}
    return replace(traces, traces=tuple(_filled(trace, constants, moving) for trace in traces.traces))


def _moved(trace: Trace, constants: Mapping[str, str]) -> Iterator[str]:
    """The predicates of atoms that a step changed though they name another object than its arguments."""
    for before, after, outside in _steps(trace, constants, set()):
        changed = outside & trace.known[before] & trace.known[after]
        changed &= trace.holds[before] != trace.holds[after]
        yield from (trace.atoms[i][0] for i in np.flatnonzero(changed).tolist())


def _filled(trace: Trace, constants: Mapping[str, str], moving: set[str]) -> Trace:
    if trace.whole.all():
        return trace
    holds, known = trace.holds.copy(), trace.known.copy()
    steps = list(_steps(trace, constants, moving))
    while True:
        left = np.count_nonzero(known)
        for one, other, still in (*steps, *((after, before, o) for before, after, o in steps[::-1])):
            new = still & known[one] & ~known[other]
            holds[other, new], known[other, new] = holds[one, new], True
        if np.count_nonzero(known) == left:
            return replace(trace, holds=holds, known=known)


def _steps(trace: Trace, constants: Mapping[str, str], moving: set[str]) -> Iterator[tuple[int, int, Table]]:
    """Each executed step, its states, and the atoms that it cannot change."""
    masks: dict[frozenset[str], Table] = {}
    for step in trace.steps:
        if not step.executable or step.after is None or not step.arguments:
            continue
        own = frozenset({*step.arguments, *constants})
        if own not in masks:
            outside = [not own.issuperset(atom[1:]) and atom[0] not in moving for atom in trace.atoms]
            masks[own] = np.array(outside, dtype=np.bool_)
        yield step.before, step.after, masks[own]
