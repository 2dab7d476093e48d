"""Opens a run: what `experiments.benchmarks.ledger` times in a process of its own.

    python -m experiments.benchmarks.open_ledger FOLDER

Prints seconds of CPU, and the peak memory in MB.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from experiments.benchmarks.measure import peak_megabytes
from experiments.ledger import Ledger
from experiments.rundir import RunDirectory

if __name__ == "__main__":
    started = time.process_time()
    ledger = Ledger(RunDirectory(Path(sys.argv[1])))
    print(time.process_time() - started, peak_megabytes() or 0.0)
