"""Walks: sequences of operators sampled in one transition system and executed in another.

`walk` samples and replays, `policies` names the ways to choose the next operator, `adapter` makes any World a
transition system, and `world_walks` is the prefix-tree cache of what a world was asked, within a `budget`.
"""
