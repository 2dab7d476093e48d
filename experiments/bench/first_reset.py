"""`python -m experiments.bench.first_reset FOLDER`: how long, and in how much memory, a world is ready.

Prints seconds from opening the environment to its first applicable operators (after imports), the process's
peak memory in MB (imports included; 0 where the system does not tell), and the number of ground operators.
"""

from __future__ import annotations

import sys
import time

from envs.environment import WorldEnv
from experiments.bench.measure import peak_megabytes


def main(folder: str) -> None:
    """Measure the first task of the world in `folder`."""
    started = time.perf_counter()
    env = WorldEnv(folder)
    _, info = env.reset()
    seconds = time.perf_counter() - started
    if not info["applicable"]:
        raise SystemExit(f"{folder}: nothing is applicable at the start")
    print(seconds, peak_megabytes() or 0.0, len(env.operators))


if __name__ == "__main__":
    main(sys.argv[1])
