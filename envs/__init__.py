"""Environments behind Gymnasium, and the PDDL kernel under them.

Importing this package registers the built-in worlds with Gymnasium and nothing else: the entry points are
strings, so that no world, planner or solver is imported before it is used. Gymnasium 1.0 dropped the plugin
entry points that once registered environments without an import; what it offers instead is `import envs`
before `gymnasium.make("groundwalk/Grippers-v0")`, or the module's name before the id, which needs no import
in a fresh interpreter or worker: `gymnasium.make("envs:groundwalk/Grippers-v0")`.
"""

from __future__ import annotations

import gymnasium

from envs.registry import WORLDS, gymnasium_id

__project__ = "groundwalk"


def register_worlds() -> None:
    """Register what is not registered yet.

    `groundwalk/Grippers-v0` and so on for the built-in worlds; `groundwalk/PDDL-v0` for a folder, `path=...`;
    `groundwalk/World-v0` for any object with the World surface, `world=...`.
    """
    for world in WORLDS:
        _register(gymnasium_id(world), "envs.environment:WorldEnv", {"world": world})
    _register("groundwalk/PDDL-v0", "envs.environment:FolderEnv", {})
    _register("groundwalk/World-v0", "envs.environment:SurfaceEnv", {})


def _register(env_id: str, entry_point: str, arguments: dict[str, str]) -> None:
    if env_id not in gymnasium.registry:
        gymnasium.register(env_id, entry_point, kwargs=dict(arguments))


register_worlds()
