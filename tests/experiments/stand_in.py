"""A simulated language model of some tasks, for tests."""

from __future__ import annotations

from functools import cache

from agents.refine import Refiner
from agents.texts import WorldTexts
from envs.pddl.planning.planner import Planner
from envs.world import open_world
from experiments.simulated.gold import Gold
from experiments.simulated.model import SimulatedModel
from experiments.simulated.rates import Named, Rates

ENOUGH = 100_000  #: tokens


def stand_in(rates: Rates, *tasks: tuple[str, int | str], max_tokens: int = ENOUGH) -> SimulatedModel:
    """A model of these tasks; of the first two of grippers if none is named."""
    gold = gold_of(tasks or (("grippers", 1), ("grippers", 2)))
    return SimulatedModel(Named("simulated:test", rates), gold, Planner(), max_tokens)


@cache
def gold_of(tasks: tuple[tuple[str, int | str], ...]) -> Gold:
    """The right answers about these tasks, made once for all tests."""
    return Gold.of(tasks)


@cache
def texts(env: str = "grippers", task: int | str = 1) -> WorldTexts:
    """What an agent is shown of a task."""
    return WorldTexts.of(open_world(env, task))


def refiner(rates: Rates, env: str = "grippers") -> Refiner:
    """The agent that asks such a model about the first task of an environment."""
    return Refiner(texts(env), stand_in(rates, (env, 1), (env, 2)))
