"""Ask clingo which instances of some predicates a program without choices derives.

`derive` runs in this process and cannot be interrupted. This file is also the program of a child that can:
it reads `{"program", "signatures", "limit"}` as JSON from its standard input and writes the rows, or the
first count over the limit, as JSON. It imports nothing of ours, so that the child starts quickly.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

import clingo

Rows = list[list[int]]


def derive(program: str, signatures: Sequence[tuple[str, int]]) -> list[Rows]:
    """The derived instances of each (name, arity), as rows of numbers, sorted. All arguments are numbers."""
    control = clingo.Control(["--warn=none"], logger=lambda _code, _message: None)
    control.add("base", [], program)
    control.ground([("base", [])])
    atoms = control.symbolic_atoms
    return [
        sorted([a.number for a in found.symbol.arguments] for found in atoms.by_signature(name, arity))
        for name, arity in signatures
    ]


def main() -> None:
    """Serve one request from standard input."""
    request = json.load(sys.stdin)
    found = derive(request["program"], [(name, arity) for name, arity in request["signatures"]])
    counts = [len(rows) for rows in found]
    within = sum(counts) <= request["limit"]
    json.dump({"counts": counts, "rows": found if within else None}, sys.stdout)


if __name__ == "__main__":
    main()
