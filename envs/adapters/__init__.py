"""Simulators that nobody wrote for this project, as worlds.

`gym_world` makes a World of any Gymnasium environment; `toytext` and `minigrid` are those that come by name
(`--env toytext:Taxi`, `envs.registry.SIMULATORS`), one file a family, and `pools` draws their tasks.
"""
