"""The built-in worlds: what they are called, and where their files are."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

#: A world's name, which is also its folder's, to the name in its Gymnasium id.
WORLDS: Mapping[str, str] = MappingProxyType(
    {
        "blocksworld": "Blocksworld",
        "grippers": "Grippers",
        "grippers_ood": "GrippersOod",
        "termes": "Termes",
        "floortile": "Floortile",
    }
)

#: The folder of the built-in worlds' folders.
WORLDS_FOLDER = Path(__file__).parent / "worlds"


def worlds() -> tuple[str, ...]:
    """The names of the built-in worlds."""
    return tuple(WORLDS)


def gymnasium_id(world: str) -> str:
    """The Gymnasium id of a built-in world, `groundwalk/Grippers-v0`. Raises KeyError for any other name."""
    return f"groundwalk/{WORLDS[world]}-v0"
