"""What a model is judged by: limits, walks and planner, and the two ways it can be judged.

`walk` takes the EW score of a compiled model in a world, `draw_plan` asks the planner for a plan in it.
Both are used for the candidates of the search and for the evaluation tasks alike.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from envs.pddl.interface import TransitionSystem, World
from envs.pddl.language.domain import Problem
from envs.pddl.planning.planner import Planner, PlanResult, planner_texts
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.grounding import Limits, limits_in
from envs.pddl.simulation.simulator import Task
from ew.score.config import FeedbackForm
from ew.score.forecast import fitting
from ew.score.score import EWConfig, EWScore, EWVerdict, ew_score
from experiments.config import PlannerFlags, shared
from experiments.runs.records import FaultKind, Score
from experiments.runs.units import Unit


class MachineFault(RuntimeError):
    """The machine failed, so nothing is known about the model. Survives pickling."""

    blame = FaultKind.MACHINE


class WorldFault(RuntimeError):
    """The environment itself cannot be walked, so no model can be judged in it. Survives pickling."""

    blame = FaultKind.WORLD


class StepsSpent(RuntimeError):
    """A world's simulator may not make the steps of a score (`--max-world-steps`). Survives pickling."""

    blame = FaultKind.BUDGET


@dataclass(frozen=True)
class Judge:
    """The settings of all judging in an episode. Plain data, picklable."""

    walks: EWConfig
    planner: Planner
    limits: Limits = field(default_factory=Limits)
    feedback: FeedbackForm = "paper"

    @classmethod
    def of(cls, unit: Unit, planner_path: str | None) -> Judge:
        """The judge that `unit` asks for: settings of walks, planner and feedback go by their names."""
        limits = {name.removeprefix("planner_"): v for name, v in shared(unit, PlannerFlags).items()}
        return cls(
            EWConfig(**shared(unit, EWConfig)), Planner(planner_path, **limits), feedback=unit.feedback
        )

    def compile(self, problem: Problem, world: World) -> Task:
        """The model ground, within the limits that this world gives it. Raises what `compile_task` raises."""
        return compile_task(problem, limits_in(world, self.limits))

    def walk(self, world: TransitionSystem, model: TransitionSystem, rng: np.random.Generator) -> Score:
        """The EW score; by `prefix` where joint walks are asked for and the world lists nothing.

        Raises WorldFault if the world has no applicable operator to start with, and StepsSpent.
        """
        return score_record(ew_score(world, model, rng, fitting(self.walks, world)))

    def draw_plan(self, problem: Problem) -> PlanResult:
        """The planner's answer for the model's task. Raises MachineFault if it was killed or crashed."""
        return planned_by(self.planner, *planner_texts(problem))


def planned_by(planner: Planner, domain: str, problem: str) -> PlanResult:
    """The planner's answer. Raises MachineFault if it was killed or crashed."""
    result = planner.plan(domain, problem)
    if result.outcome.infrastructure:
        raise MachineFault(f"the planner ended as {result.outcome.value}: {result.log_tail[-500:]}")
    return result


def score_record(found: EWScore) -> Score:
    """The score as a record. Raises WorldFault if the world has no applicable operator to start with; and
    StepsSpent."""
    if found.verdict is EWVerdict.WORLD_STUCK:
        raise WorldFault("no operator is applicable in the environment's initial state; correct the task")
    if found.verdict is EWVerdict.OUT_OF_STEPS:
        advice = "raise --max-world-steps, or take fewer or shorter walks"
        raise StepsSpent(f"an EW score takes more simulator steps than it may: {advice}")
    low, high = found.interval or (None, None)
    own = {"ew": found.score, "verdict": found.verdict.value, "low": low, "high": high}
    return Score(**shared(found, Score) | own)
