"""The built-in worlds: what they are called, where their files are, and who generates their tasks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType


@dataclass(frozen=True)
class WorldEntry:
    """One built-in world."""

    gymnasium: str  #: the name in its Gymnasium id
    #: its module in `envs.generators`, or an object in one, `module:Name`; None: the module of its own name
    generator: str | None = None


#: By the world's name, which is also its folder's.
WORLDS: Mapping[str, WorldEntry] = MappingProxyType(
    {
        "blocksworld": WorldEntry("Blocksworld"),
        "depot": WorldEntry("Depot"),
        "dimhollow": WorldEntry("Dimhollow"),
        "driverlog": WorldEntry("Driverlog"),
        "floortile": WorldEntry("Floortile"),
        "gripper": WorldEntry("Gripper"),
        "grippers": WorldEntry("Grippers"),
        "grippers_ood": WorldEntry("GrippersOod", generator="grippers:Prepared"),
        "hiking": WorldEntry("Hiking"),
        "household": WorldEntry("Household"),
        "logistics": WorldEntry("Logistics"),
        "miconic": WorldEntry("Miconic"),
        "miconic_ood": WorldEntry("MiconicOod", generator="miconic"),
        "barman": WorldEntry("Barman"),
        "blocksworld_ood": WorldEntry("BlocksworldOod", generator="blocksworld:Upright"),
        "childsnack": WorldEntry("Childsnack"),
        "minecraft": WorldEntry("Minecraft"),
        "movie": WorldEntry("Movie"),
        "storage": WorldEntry("Storage"),
        "termes": WorldEntry("Termes"),
        "tyreworld": WorldEntry("Tyreworld"),
        "urnsong": WorldEntry("Urnsong"),
    }
)

#: The folder of the built-in worlds' folders.
WORLDS_FOLDER = Path(__file__).parent / "worlds"


def worlds() -> tuple[str, ...]:
    """The names of the built-in worlds."""
    return tuple(WORLDS)


def gymnasium_id(world: str) -> str:
    """The Gymnasium id of a built-in world, `groundwalk/Grippers-v0`. Raises KeyError for any other name."""
    return f"groundwalk/{WORLDS[world].gymnasium}-v0"


def generator_of(world: str) -> str:
    """The name of a built-in world's generator in `envs.generators`. Raises KeyError for any other name."""
    return WORLDS[world].generator or world
