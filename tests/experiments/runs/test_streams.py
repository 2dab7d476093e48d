"""Streams and seeds from names."""

from __future__ import annotations

import os
import subprocess
import sys

from experiments.runs.seeds import derived_seed, stream


def test_the_same_names_give_the_same_numbers() -> None:
    assert (
        stream(1, "walks", "grippers", 1).random(3).tolist()
        == stream(1, "walks", "grippers", 1).random(3).tolist()
    )


def test_other_names_or_seeds_give_others() -> None:
    pairs = [(s, n) for s in range(20) for n in ("a", "b", "1", 1.5)]
    assert len({derived_seed(s, n) for s, n in pairs}) == len(pairs)
    assert len({stream(s, n).random() for s, n in pairs}) == len(pairs)


def test_names_are_kept_apart() -> None:
    assert derived_seed(0, "ab", "c") != derived_seed(0, "a", "bc")
    assert derived_seed(1, "2") != derived_seed(12) and 0 <= derived_seed(5, "x") < 2**31


def test_another_process_gets_the_same() -> None:
    code = "from experiments.runs.seeds import derived_seed; print(derived_seed(3, 'task', 7))"
    env = {**os.environ, "PYTHONHASHSEED": "7"}
    said = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert int(said.stdout) == derived_seed(3, "task", 7)
