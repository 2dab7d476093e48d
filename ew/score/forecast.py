"""What is said of a world before it is walked: how its score is taken, and what that may cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from envs.pddl.interface import TransitionSystem, World
from ew.score.config import EWConfig
from ew.score.directed import Direction
from ew.walks.adapter import transitions_of
from ew.walks.simulator_cost import simulated


def fitting(config: EWConfig, world: TransitionSystem) -> EWConfig:
    """`config`, with `prefix` if its estimator needs lists and the world does not list what is applicable."""
    simulator = simulated(world)
    lists = simulator is None or simulator.lists
    return config if lists or not config.by.needs_lists else replace(config, estimator="prefix")


def score_steps(system: TransitionSystem, config: EWConfig) -> int:
    """Simulator steps of a score's walks if each goes to its end and none shares its beginning with another.

    Refused attempts are apart, and where walks are batched a step is one of a walk.
    """
    simulator = simulated(system)
    lengths = [n for way in Direction for n in config.by.lengths(config.walks, config.t_max, way)]
    return sum(lengths) if simulator is None else sum(map(simulator.walk_steps, lengths))


def walk_notes(world: World, config: EWConfig) -> Iterator[str]:
    """A line for what a world cannot do and what follows from it; none where it is walked in batches.

    Asks the world nothing but its names.
    """
    system = transitions_of(world)
    simulator = simulated(system)
    if simulator is None:
        return
    fitted = fitting(config, system)
    if fitted.estimator != config.estimator:
        instead = f"{fitted.estimator}, not {config.estimator}"
        yield f"the world does not list what is applicable: EW is estimated by {instead}"
    if simulator.walk_steps(2) == 2:
        return
    tried = "" if simulator.lists else ", and as much again for each operator that is tried and refused"
    most, walks = f"{score_steps(system, fitted):,} simulator steps", f"{fitted.walks} walks"
    yield f"every question is a walk from the start: an EW score of {walks} takes up to {most}{tried}"
