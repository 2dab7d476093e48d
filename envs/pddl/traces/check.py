"""Traces that contradict themselves: an operator with two different outcomes in the same state.

Only whole states can be known to be the same one. That an operator was executed once and refused another
time, or led to two states that cannot be one, is the fault of the traces (or of an environment that is not
deterministic): no operator of ours explains both.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from envs.pddl.traces.trace import SeenState, Step, Trace, TraceError, TraceFault, Traces


@dataclass(frozen=True)
class _Tried:
    trace: int
    number: int  #: of the step in its trace
    step: Step
    after: SeenState | None

    def agrees(self, other: _Tried) -> bool:
        """Whether both outcomes may be the same."""
        if self.step.executable != other.step.executable:
            return False
        return self.after is None or other.after is None or self.after.allows(other.after)


def refuse_contradictions(traces: Traces) -> None:
    """Raises TraceError if an operator has two different outcomes in the same state."""
    faults = tuple(_fault(traces, group) for group in _contradictions(traces))
    if faults:
        raise TraceError(faults)


def without_contradictions(traces: Traces) -> Traces:
    """The traces without the steps that contradict each other; these are told as faults."""
    groups = list(_contradictions(traces))
    out = {(tried.trace, tried.number) for group in groups for tried in group}
    kept = tuple(
        replace(trace, steps=tuple(s for j, s in enumerate(trace.steps) if (i, j) not in out))
        for i, trace in enumerate(traces.traces)
    )
    faults = tuple(_fault(traces, group) for group in groups)
    return Traces(traces.vocabulary, kept, (*traces.faults, *faults))


def _contradictions(traces: Traces) -> Iterator[list[_Tried]]:
    """The steps of each state and operator that do not all agree with one another."""
    tried: dict[tuple[bytes, str], list[tuple[int, int]]] = {}
    for i, trace in enumerate(traces.traces):
        keys = _keys(trace)
        for j, step in enumerate(trace.steps):
            key = keys[step.before]
            if key is not None and (step.arguments or not _has_parameters(traces, step)):
                tried.setdefault((key, step.operator), []).append((i, j))
    for places in tried.values():
        if len(places) < 2:
            continue
        group = [_tried(traces, i, j) for i, j in places]
        if _clash(group) is not None:
            yield group


def _clash(group: Sequence[_Tried]) -> tuple[_Tried, _Tried] | None:
    """The first two that do not agree. Equal outcomes are compared once: a group may be large."""
    outcomes: dict[tuple[bool, SeenState | None], _Tried] = {}
    for tried in group:
        outcomes.setdefault((tried.step.executable, tried.after), tried)
    pairs = combinations(outcomes.values(), 2)
    return next(((one, other) for one, other in pairs if not one.agrees(other)), None)


def _has_parameters(traces: Traces, step: Step) -> bool:
    return bool(traces.vocabulary.actions[step.action])


def _tried(traces: Traces, i: int, j: int) -> _Tried:
    trace = traces.traces[i]
    step = trace.steps[j]
    return _Tried(i, j, step, None if step.after is None else trace.state(step.after))


def _keys(trace: Trace) -> list[bytes | None]:
    """For each state a hash of its objects and of what holds in it; None for partial ones."""
    texts = [" ".join(atom).encode() for atom in trace.atoms]
    objects = repr(sorted(trace.objects.items())).encode()
    keys: list[bytes | None] = []
    for row, whole in zip(trace.holds, trace.whole, strict=True):
        held = b"\n".join(texts[i] for i in np.flatnonzero(row).tolist())
        keys.append(hashlib.sha256(objects + b"\0" + held).digest() if whole else None)
    return keys


def _fault(traces: Traces, group: Sequence[_Tried]) -> TraceFault:
    clash = _clash(group)
    assert clash is not None, "a group that contradicts itself"
    first, other = clash
    places = [f"step {t.number + 1} of trace {traces.traces[t.trace].name}" for t in (first, other)]
    what = (
        "is executed and refused" if first.step.executable != other.step.executable else "leads to two states"
    )
    return TraceFault(
        other.step.place or places[1],
        f"{first.step.operator} {what} in the same state, here and in {first.step.place or places[0]}",
        "mend one of them, or learn from what is consistent",
    )
