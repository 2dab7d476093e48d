"""Ask clingo which instances of some predicates a program without choices derives.

`derive` runs in this process and cannot be interrupted. This file is also the program of a child that can:
it reads `{"program", "signatures", "limit", "cpu_s"}` as JSON from its standard input and writes `{"rows"}`,
null if more than `limit` rules were instantiated. After `cpu_s` seconds of processor time it ends itself by
the signal `OUT_OF_CPU`, however long that takes by the clock. It imports nothing of ours, so that the child
starts quickly.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator, Sequence

import clingo

Rows = list[list[int]]
#: The signal that ends a child which has used its processor time up; None where there is no such timer.
OUT_OF_CPU: int | None = getattr(signal, "SIGPROF", None)


class TooManyRules(RuntimeError):
    """More rules were instantiated than allowed."""


def derive(program: str, signatures: Sequence[tuple[str, int]], limit: int | None = None) -> list[Rows]:
    """The derived instances of each (name, arity), as rows of numbers, sorted. All arguments are numbers.

    Raises TooManyRules as soon as more than `limit` rules, facts included, are instantiated.
    """
    control = clingo.Control(["--warn=none"], logger=_ignore)
    if limit is not None:
        control.register_observer(_Counter(limit))
    control.add("base", [], program)
    control.ground([("base", [])])
    return [sorted(_rows(control.symbolic_atoms, name, arity)) for name, arity in signatures]


def _rows(atoms: clingo.SymbolicAtoms, name: str, arity: int) -> Iterator[list[int]]:
    """The arguments of each derived instance, out of its text: to ask for them singly takes twice as long."""
    start = len(name) + 1  # behind `name(`
    for found in atoms.by_signature(name, arity):
        yield list(map(int, str(found.symbol)[start:-1].split(","))) if arity else []


class _Counter(clingo.Observer):  # type: ignore[misc]
    """Ends the grounding from within; clingo reports every rule as soon as it has instantiated it."""

    def __init__(self, limit: int):
        self._left = limit

    def rule(self, choice: bool, head: Sequence[int], body: Sequence[int]) -> None:
        """Count one rule."""
        self._left -= 1
        if self._left < 0:
            raise TooManyRules


def _ignore(_code: clingo.MessageCode, _message: str) -> None:
    """Swallow clingo's notes on atoms that no rule derives: for a proposed model that is no fault."""


def main() -> None:
    """Serve one request from standard input."""
    request = json.load(sys.stdin)
    if OUT_OF_CPU is not None:
        signal.setitimer(signal.ITIMER_PROF, request["cpu_s"])  # its signal ends a process by default
    signatures = [(name, arity) for name, arity in request["signatures"]]
    rows: list[Rows] | None
    try:
        rows = derive(request["program"], signatures, request["limit"])
    except TooManyRules:
        rows = None
    json.dump({"rows": rows}, sys.stdout)


if __name__ == "__main__":
    main()
