"""Environments behind Gymnasium, and the PDDL kernel under them.

Importing this package imports nothing else, as every worker and every `import envs.pddl` pays for it.
"""

from __future__ import annotations


def register_worlds() -> None:
    """Register every built-in world with Gymnasium, as `groundwalk/Grippers-v0` and so on.

    Gymnasium calls this when it is imported, through the entry point `groundwalk` of the group
    `gymnasium.envs`, and puts the ids into the namespace of that name; nobody else needs to call it.
    """
    from gymnasium.envs.registration import register  # here, so that `import envs.pddl` needs no gymnasium

    from envs.registry import WORLDS

    for world, name in WORLDS.items():
        register(id=f"{name}-v0", entry_point="envs.environment:WorldEnv", kwargs={"world": world})
