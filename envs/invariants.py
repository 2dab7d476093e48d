"""A world's own invariants: the file `invariants.lp` in its folder, if there is one.

They help to derive what a goal implies; `envs.pddl.equivalence.invariants.invariants` says what they may be
written in.
"""

from __future__ import annotations

from pathlib import Path

from envs.folder import PDDLGYM_PREFIX
from envs.registry import WORLDS, WORLDS_FOLDER
from envs.source import canonical_name
from envs.variants import split_variant

FILE = "invariants.lp"


def world_invariants(world: str) -> str:
    """The text of a world's invariants; empty if it has none.

    A pddlgym domain has no folder, and no invariants are given for the neutral names of `+anonymised`.
    Raises WorldNotFound if the world's suffixes do not go together.
    """
    base, variant = split_variant(canonical_name(world))
    if base.startswith(PDDLGYM_PREFIX) or variant.anonymised:
        return ""
    file = (WORLDS_FOLDER / base if base in WORLDS else Path(base)) / FILE
    return file.read_text(encoding="utf-8") if file.is_file() else ""
