"""Traces that contradict themselves: an operator with two different outcomes in the same state.

Only whole states can be known to be the same one. That an operator was executed once and refused another
time, or led to two states that cannot be one, is the fault of the traces (or of an environment that is not
deterministic): no operator of ours explains both.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from envs.pddl.traces.trace import SeenState, Step, Trace, TraceError, TraceFault, Traces


@dataclass(frozen=True)
class _Tried:
    place: str  #: for people
    step: Step
    after: SeenState | None

    def agrees(self, other: _Tried) -> bool:
        """Whether both outcomes may be the same."""
        if self.step.executable != other.step.executable:
            return False
        return self.after is None or other.after is None or self.after.allows(other.after)


def refuse_contradictions(traces: Traces) -> None:
    """Raises TraceError if an operator has two different outcomes in the same state."""
    faults = [fault for _, fault in _contradictions(traces)]
    if faults:
        raise TraceError(faults)


def without_contradictions(traces: Traces) -> Traces:
    """The traces without the steps that contradict each other; each contradiction is listed in `faults`."""
    found = list(_contradictions(traces))
    out = {place for places, _ in found for place in places}
    kept = tuple(
        replace(trace, steps=tuple(s for j, s in enumerate(trace.steps) if (i, j) not in out))
        for i, trace in enumerate(traces.traces)
    )
    return Traces(traces.vocabulary, kept, (*traces.faults, *(fault for _, fault in found)))


def _contradictions(traces: Traces) -> Iterator[tuple[list[tuple[int, int]], TraceFault]]:
    """The steps of each state and operator that do not all agree, by trace and number, and what is wrong."""
    tried: dict[tuple[bytes, str], list[tuple[int, int]]] = {}
    for i, trace in enumerate(traces.traces):
        keys = _keys(trace)
        for j, step in enumerate(trace.steps):
            key = keys[step.before]
            if key is not None and (step.arguments or not traces.vocabulary.actions[step.action]):
                tried.setdefault((key, step.operator), []).append((i, j))
    for places in tried.values():
        fault = _clash(traces, places) if len(places) > 1 else None
        if fault is not None:
            yield places, fault


def _clash(traces: Traces, places: list[tuple[int, int]]) -> TraceFault | None:
    """The first two that do not agree. Equal outcomes are compared once: there may be many steps."""
    outcomes: dict[tuple[bool, SeenState | None], _Tried] = {}
    for i, j in places:
        trace = traces.traces[i]
        step = trace.steps[j]
        after = None if step.after is None else trace.state(step.after)
        place = step.place or f"step {j + 1} of trace {trace.name}"
        outcomes.setdefault((step.executable, after), _Tried(place, step, after))
    for one, other in combinations(outcomes.values(), 2):
        if not one.agrees(other):
            same_kind = one.step.executable == other.step.executable
            what = "leads to two states" if same_kind else "is executed and refused"
            message = f"{one.step.operator} {what} in the same state, here and in {one.place}"
            return TraceFault(other.place, message, "correct one, or learn from the consistent traces")
    return None


def _keys(trace: Trace) -> list[bytes | None]:
    """For each state a hash of its objects and of what holds in it; None for partial ones."""
    texts = [" ".join(atom).encode() for atom in trace.atoms]
    objects = repr(sorted(trace.objects.items())).encode()
    keys: list[bytes | None] = []
    for row, whole in zip(trace.holds, trace.whole, strict=True):
        held = b"\n".join(texts[i] for i in np.flatnonzero(row).tolist())
        keys.append(hashlib.sha256(objects + b"\0" + held).digest() if whole else None)
    return keys
