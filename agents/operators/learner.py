"""Operators from traces whose arguments are known: preconditions and effects, action by action.

The result depends on which steps there are, not on their order. `laws.violations` says whether the traces
satisfy what was learned of them; `Operator.unexplained` says what of the traces no such operator explains.

Effects are without conditions and quantifiers. An atom that became true when an operator ran was added by it,
if no other run of the action left it false; one that became false was deleted, if no other run left it true,
save where the same run also adds it: what is both deleted and added stays true. Where arguments are equal, or
are constants, one change may be that of several lifted atoms: then each of them is an effect as far as
nothing refutes it, and is undetermined unless some run shows it alone. So is what states that were only seen
in part may hide. What was seen and never changed is no effect. What changed and is no effect of this form (an
object beside the arguments, a condition, a quantifier) is not guessed at: it is listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.operators.examples import Example, Examples, Sorts, Table, examples_of, some, sorts_of
from agents.operators.lifted import Literal, Operator
from agents.operators.preconditions import Bias, Preconditions, learn_preconditions
from envs.pddl.traces.check import refuse_contradictions, without_contradictions
from envs.pddl.traces.trace import Traces

#: Examples of one unexplained change, and unexplained refusals of one operator, that are listed.
MAX_LISTED = 5


@dataclass(frozen=True)
class Effects:
    """What was found; tuples are sorted."""

    kept: tuple[Literal, ...]
    undetermined: tuple[Literal, ...]  #: kept or not
    unexplained: tuple[str, ...]  #: changes, in words; of each kind the first few


def learn_effects(seen: Examples, preconditions: Sequence[Literal]) -> Effects:
    """The effects of an action. An effect that the preconditions make idle is not in doubt, and not told."""
    before, after = seen.before, seen.after
    became_true, became_false = before.false & after.true, before.true & after.false
    adds = some(became_true) & ~some(after.false)
    readded = _also_at(seen.places, adds)
    deletes = some(became_false) & ~some(after.true & ~readded)
    shown = _alone(became_true, adds, seen.places), _alone(became_false, deletes, seen.places)
    needed = frozenset(preconditions)
    hidden_add = some(~before.known & after.true) & ~some(after.false)
    hidden_delete = some(~before.known & after.false) & ~some(after.true & ~readded)
    open_adds = (adds | hidden_add) & ~shown[0] & ~_implied(seen, needed, True)
    open_deletes = (deletes | hidden_delete) & ~shown[1] & ~_implied(seen, needed, False)
    return Effects(
        tuple(sorted((*_of(seen, adds, True), *_of(seen, deletes, False)))),
        tuple(sorted((*_of(seen, open_adds, True), *_of(seen, open_deletes, False)))),
        tuple(_changes_unexplained(seen, adds, deletes)),
    )


def _implied(seen: Examples, needed: frozenset[Literal], positive: bool) -> Table:
    """Which atoms the preconditions say to hold (or not to) already."""
    said = (atom if positive else atom.negated for atom in seen.atoms)
    return np.array([literal in needed for literal in said], dtype=np.bool_)


def _also_at(places: NDArray[np.int64], adds: Table) -> Table:
    """Where a lifted atom is ground to the same atom as one that is added; shape (examples, atoms)."""
    rows = [np.isin(row, row[adds]) for row in places]
    return np.array(rows, dtype=np.bool_).reshape(places.shape)


def _alone(changed: Table, effects: Table, places: NDArray[np.int64]) -> Table:
    """The effects that some example shows to be the only explanation of a change."""
    shown = np.zeros(len(effects), dtype=np.bool_)
    for row, where in zip(changed & effects, places, strict=True):
        candidates = np.flatnonzero(row)
        _, first, counts = np.unique(where[candidates], return_index=True, return_counts=True)
        shown[candidates[first[counts == 1]]] = True
    return shown


def _of(seen: Examples, mask: Table, adds: bool) -> Iterator[Literal]:
    for i in np.flatnonzero(mask).tolist():
        yield seen.atoms[i] if adds else seen.atoms[i].negated


def _changes_unexplained(seen: Examples, adds: Table, deletes: Table) -> Iterator[str]:
    """Changes of whole traces' states that no effect found explains."""
    told: dict[str, int] = {}
    for row, example in zip(seen.places, seen.executed, strict=True):
        trace, step = example.trace, example.step
        if step.after is None:
            continue
        known = trace.known[step.before] & trace.known[step.after]
        for became, mask in ((True, adds), (False, deletes)):
            changed = known & (trace.holds[step.after] == became) & (trace.holds[step.before] != became)
            changed[row[mask & (row >= 0)]] = False
            for i in np.flatnonzero(changed).tolist():
                atom = trace.atoms[i]
                told[atom[0]] = told.get(atom[0], 0) + 1
                if told[atom[0]] <= MAX_LISTED:
                    where = f" ({step.place})" if step.place else ""
                    yield f"{step.operator} made ({' '.join(atom)}) {'true' if became else 'false'}{where}"


def learn_operators(
    traces: Traces, bias: Bias = Bias.PLAIN, *, lenient: bool = False
) -> tuple[Operator, ...]:
    """An operator for each action that ran in some step with arguments, sorted by name.

    Raises TraceError if an operator has two outcomes in one state; `lenient` leaves such steps out.
    """
    if lenient:
        traces = without_contradictions(traces)
    else:
        refuse_contradictions(traces)
    sorts = sorts_of(traces)
    seen = (examples_of(traces, action) for action in sorted(traces.vocabulary.actions))
    return tuple(_learn(examples, traces, bias, sorts) for examples in seen if examples.executed)


def _learn(seen: Examples, traces: Traces, bias: Bias, sorts: Sorts) -> Operator:
    needed = learn_preconditions(seen, traces.vocabulary, bias, sorts)
    changed = learn_effects(seen, needed.kept)
    return Operator(
        seen.name,
        seen.parameters,
        needed.kept,
        changed.kept,
        executed=len(seen.executed),
        refused=len(seen.refused),
        proven=needed.proven,
        undetermined=needed.undetermined,
        undetermined_effects=changed.undetermined,
        unexplained=_unexplained(needed, changed),
    )


def _unexplained(needed: Preconditions, changed: Effects) -> tuple[str, ...]:
    refused = [_refusal(example) for example in needed.unexplained]
    return tuple(sorted((*sorted(refused)[:MAX_LISTED], *changed.unexplained)))


def _refusal(example: Example) -> str:
    where = f" ({example.step.place})" if example.step.place else ""
    return f"{example.step.operator} was refused though everything held that ever held when it ran{where}"
