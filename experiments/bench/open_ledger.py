"""Opens a run: what `experiments.bench.runs` times in a process of its own.

    python -m experiments.bench.open_ledger FOLDER

Prints seconds of CPU, and the peak memory in MB.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from experiments.bench.measure import peak_megabytes
from experiments.runs.directory import RunDirectory
from experiments.runs.ledger import Ledger

if __name__ == "__main__":
    started = time.process_time()
    ledger = Ledger(RunDirectory(Path(sys.argv[1])))
    print(time.process_time() - started, peak_megabytes() or 0.0)
