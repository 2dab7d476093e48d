"""Agents: they see a world through its texts, names and executability, and propose models of it."""

__project__ = "groundwalk"
