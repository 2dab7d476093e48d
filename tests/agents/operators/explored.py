"""Traces of bundled worlds for the tests of learners, and their true rules."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from agents.operators.exploration import Exploration, explore
from envs.pddl.traces.trace import Traces
from envs.world import open_world


@cache
def explored(world: str, observed: float = 1.0, walks: int = 12, refusals: int = 2) -> Traces:
    """Some walks in the first task of a world."""
    settings = Exploration(walks, 12, refusals, 400, observed)
    return explore(open_world(world, 1), np.random.default_rng(3), settings)[0]


def shuffled(traces: Traces, seed: int) -> Traces:
    """The same steps in another order, each in a trace of its own."""
    rng = np.random.default_rng(seed)
    single = [replace(t, steps=(step,)) for t in traces.traces for step in t.steps]
    order = rng.permutation(len(single)).tolist()
    return Traces(traces.vocabulary, tuple(single[i] for i in order))
