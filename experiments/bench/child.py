"""`python -m experiments.bench.child MEASURE FOLDER`: what `measure.in_child` runs in a process of its own.

Prints the fields of `measure.ChildMeasure` as JSON. Imports are in the memory, but not in the seconds.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from envs.environment import WorldEnv
from experiments.bench.measure import peak_megabytes
from experiments.runs.directory import RunDirectory
from experiments.runs.ledger import Ledger


def first_reset(folder: str) -> int:
    """Open the first task of a world up to its first applicable operators; the number of its operators."""
    env = WorldEnv(folder)
    _, info = env.reset()
    if not info["applicable"]:
        raise SystemExit(f"{folder}: nothing is applicable at the start")
    return len(env.operators)


def open_ledger(folder: str) -> int:
    """Read the events of a run; the number of its units."""
    return len(Ledger(RunDirectory(Path(folder))).begun)


if __name__ == "__main__":
    measures = {"first-reset": first_reset, "open-ledger": open_ledger}
    started = time.process_time()
    count = measures[sys.argv[1]](sys.argv[2])
    spent = time.process_time() - started
    print(json.dumps({"seconds": spent, "megabytes": peak_megabytes() or 0.0, "count": count}))
