"""Executing PDDL: a problem as integers, its reachable operators, and batches of states as bits.

A problem is numbered (`lifted`), ground by relaxed reachability (`relaxation`, `grounding`) and compiled into
bit masks (`compile`), which `simulator` applies to many states at once. `reference` is the slow oracle of all
this.
"""
