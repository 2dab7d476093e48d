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


def register_worlds() -> None:
    """Register every built-in world that is not registered yet, as `groundwalk/Grippers-v0` and so on."""
    for world in WORLDS:
        if gymnasium_id(world) not in gymnasium.registry:
            gymnasium.register(gymnasium_id(world), "envs.environment:WorldEnv", kwargs={"world": world})


register_worlds()
