"""The simulated language model of a run: what it has to know, and which methods it can answer."""

from __future__ import annotations

from envs.pddl.planning.planner import Planner
from experiments.config import ConfigError
from experiments.driver.plan import RunPlan
from experiments.driver.preflight import tasks_of
from experiments.methods.registry import method_named
from experiments.simulated.answers import Answerer
from experiments.simulated.gold import Gold
from experiments.simulated.model import SimulatedModel
from experiments.simulated.rates import named

#: What the stand-in may take for the plan of a true task, at least, in seconds: what it knows does not depend
#: on how long the planner of a run may search.
PLANNING_S = 600.0


def simulated_model(plan: RunPlan, longest: int) -> SimulatedModel:
    """The simulated model that a plan names, with the truth about its tasks and `longest` tokens an answer.

    Raises ConfigError if its rates cannot be read, a method asks what it cannot answer, or see `Gold.of`.
    """
    config = plan.config
    refused = sorted({unit.method for unit in plan.units if not method_named(unit.method).can_be_simulated()})
    if refused:
        raise ConfigError(
            f"a simulated language model writes PDDL, edits and plans, and {', '.join(refused)} asks for "
            "something else (a program, or a model in words); leave it out"
        )
    if any(unit.translator != "llm" for unit in plan.units):
        raise ConfigError("a simulated language model writes no answer set programs; leave out --translator")
    name = named(config.model or "")
    wall_s = max(config.planner_wall_s, PLANNING_S)
    planner = Planner(config.planner, wall_s=wall_s, memory_mb=config.planner_memory_mb)
    gold = Gold.of(tasks_of(plan))
    return SimulatedModel(name, Answerer(gold, name.rates, planner), longest)
