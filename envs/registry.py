"""The built-in worlds: what they are called, where their files are, and who generates their tasks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

#: A world's name, which is also its folder's → its `TaskGenerator`, `module:Class` in `envs.generators`.
WORLDS: Mapping[str, str] = MappingProxyType(
    {
        "blocksworld": "blocksworld:Blocksworld",
        "depot": "depot:Depot",
        "dimhollow": "dimhollow:Dimhollow",
        "driverlog": "driverlog:Driverlog",
        "floortile": "floortile:Floortile",
        "gripper": "gripper:Gripper",
        "grippers": "grippers:Grippers",
        "grippers_ood": "grippers:GrippersOod",
        "hiking": "hiking:Hiking",
        "household": "household:Household",
        "logistics": "logistics:Logistics",
        "miconic": "miconic:Miconic",
        "miconic_ood": "miconic:MiconicOod",
        "barman": "barman:Barman",
        "blocksworld_ood": "blocksworld:BlocksworldOod",
        "childsnack": "childsnack:Childsnack",
        "minecraft": "minecraft:Minecraft",
        "movie": "movie:Movie",
        "storage": "storage:Storage",
        "termes": "termes:Termes",
        "tyreworld": "tyreworld:Tyreworld",
        "urnsong": "urnsong:Urnsong",
    }
)

#: Simulators that come as worlds → what opens one of their tasks, `module:function`, imported on use.
SIMULATORS: Mapping[str, str] = MappingProxyType(
    {
        "toytext:Taxi": "envs.adapters.toytext:open_taxi",
        "toytext:FrozenLake": "envs.adapters.toytext:open_lake",
        "toytext:CliffWalking": "envs.adapters.toytext:open_cliff",
        "minigrid:DoorKey-5x5": "envs.adapters.minigrid:open_door_key",
        "minigrid:UnlockPickup": "envs.adapters.minigrid:open_unlock_pickup",
        "minigrid:KeyCorridorS3R1": "envs.adapters.minigrid:open_key_corridor",
    }
)

#: The folder of the built-in worlds' folders.
WORLDS_FOLDER = Path(__file__).parent / "worlds"


def worlds() -> tuple[str, ...]:
    """The names of the built-in worlds."""
    return tuple(WORLDS)


def gymnasium_id(world: str) -> str:
    """The Gymnasium id of a built-in world, `groundwalk/Grippers-v0`. Raises KeyError for any other name."""
    return f"groundwalk/{WORLDS[world].partition(':')[2]}-v0"
