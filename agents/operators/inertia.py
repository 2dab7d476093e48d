"""Partial states filled by inertia: an action changes no atom that names an object beside its arguments.

Operators of the learner's form have effects over arguments and constants alone. So what is known of any other
atom before an executed step is known after it, and the other way round; that is carried along each trace as
far as it goes. Predicates of which some step is seen to change an atom with another object are left out.
What was learned says more (`changes_of`): an effect is made whenever the action runs, and an atom of the
arguments that was seen to stay as it is, and never to change, stays so always. That is a guess, as the
operators are. What they fill is filled anew from the observed states each time; only what stays is also read
off the states that were filled before.
Source: the same completion of traces is OffLAM's (Lamanna et al. 2025).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from agents.operators.examples import Examples, Table, some
from agents.operators.lifted import Operator
from envs.pddl.traces.trace import Step, Trace, Traces


@dataclass(frozen=True)
class StepChanges:
    """What an executed step does to the atoms of its arguments: columns of its trace."""

    added: frozenset[int]
    deleted: frozenset[int]
    kept: frozenset[int]


#: For each trace, what its executed steps do, as far as it is known.
Changes = list[dict[Step, StepChanges]]


def filled(traces: Traces, changes: Changes | None = None) -> Traces:
    """The traces with what inertia and `changes` say of their partial states; whole ones are as they were."""
    constants = traces.vocabulary.constants
    moving = {name for trace in traces.traces for name in _moved(trace, constants)}
    own = zip(traces.traces, changes or [{} for _ in traces.traces], strict=True)
    return replace(traces, traces=tuple(_filled(trace, constants, moving, known) for trace, known in own))


def changes_of(traces: Traces, examples: Iterable[Examples], operators: Iterable[Operator]) -> Changes:
    """What operators do in the executed steps of traces; `examples` are all that these traces have."""
    learned = {operator.action: operator for operator in operators}
    found: dict[int, dict[Step, StepChanges]] = {id(trace): {} for trace in traces.traces}
    for seen in examples:
        if seen.name in learned:
            adds, deletes, keeps = _effects(seen, learned[seen.name])
            for example, row in zip(seen.executed, seen.places, strict=True):
                if example.step.after is None:
                    continue
                added, deleted, kept = (
                    frozenset(row[mask & (row >= 0)].tolist()) for mask in (adds, deletes, keeps)
                )
                own = StepChanges(added, deleted - added, kept - added - deleted)
                found[id(example.trace)][example.step] = own
    return [found[id(trace)] for trace in traces.traces]


def _effects(seen: Examples, operator: Operator) -> tuple[Table, Table, Table]:
    """The lifted atoms that an operator adds, deletes, and was seen to leave as they are; shape (atoms,)."""
    effects, doubted = {*operator.effects}, {*operator.undetermined_effects}
    marks = [
        (atom in effects, atom.negated in effects, not doubted.isdisjoint({atom, atom.negated}))
        for atom in seen.atoms
    ]
    adds, deletes, doubtful = np.array(marks, dtype=np.bool_).reshape(-1, 3).T
    both = seen.before.known & seen.after.known
    changed = both & (seen.before.true != seen.after.true)
    return adds, deletes, some(both) & ~some(changed) & ~adds & ~deletes & ~doubtful


def _moved(trace: Trace, constants: Mapping[str, str]) -> Iterator[str]:
    """The predicates of atoms that a step changed though they name another object than its arguments."""
    for before, after, outside in _steps(trace, constants, set(), {}):
        changed = outside & trace.known[before] & trace.known[after]
        changed &= trace.holds[before] != trace.holds[after]
        yield from (trace.atoms[i][0] for i in np.flatnonzero(changed).tolist())


def _filled(
    trace: Trace, constants: Mapping[str, str], moving: set[str], changes: Mapping[Step, StepChanges]
) -> Trace:
    if trace.whole.all():
        return trace
    holds, known = trace.holds.copy(), trace.known.copy()
    for step, own in changes.items():
        for columns, holding in ((own.added, True), (own.deleted, False)):
            new = [column for column in columns if not known[step.after, column]]
            holds[step.after, new], known[step.after, new] = holding, True
    steps = list(_steps(trace, constants, moving, changes))
    while True:
        left = np.count_nonzero(known)
        for one, other, still in (*steps, *((after, before, o) for before, after, o in steps[::-1])):
            new = still & known[one] & ~known[other]
            holds[other, new], known[other, new] = holds[one, new], True
        if np.count_nonzero(known) == left:
            return replace(trace, holds=holds, known=known)


def _steps(
    trace: Trace, constants: Mapping[str, str], moving: set[str], changes: Mapping[Step, StepChanges]
) -> Iterator[tuple[int, int, Table]]:
    """Each executed step, its states, and the atoms that it leaves as they are."""
    masks: dict[frozenset[str], Table] = {}
    for step in trace.steps:
        # without arguments only the action may be known; where changes are, it is an example
        if not step.executable or step.after is None or not (step.arguments or step in changes):
            continue
        own = frozenset({*step.arguments, *constants})
        if own not in masks:
            outside = [not own.issuperset(atom[1:]) and atom[0] not in moving for atom in trace.atoms]
            masks[own] = np.array(outside, dtype=np.bool_)
        still = masks[own]
        if step in changes:
            still = still.copy()
            still[list(changes[step].kept)] = True
        yield step.before, step.after, still
