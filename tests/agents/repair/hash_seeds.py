"""What a program prints under different hash seeds, for the tests that it is the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def under_hash_seeds(code: str) -> list[str]:
    """What `code` prints under two hash seeds; it may import the modules beside it and above."""
    path = os.pathsep.join([os.getcwd(), str(HERE), str(HERE.parents[1])])
    return [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("0", "1")
    ]
