"""A further look at a model that its score shows nothing against: `mixed` walks, then probes.

World and model are walked side by side by the policy `mixed` (`ew.walks.policies`), and what that leaves is
examined (`ew.probes.examine`). It ends with the first disagreement. Where the world lists nothing, probes
alone are made: to compare the two step by step, every operator would have to be tried in every state.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

from envs.pddl.language.domain import Problem
from envs.pddl.simulation.grounding import GroundingExploded, Limits
from envs.pddl.simulation.probes import ProbedTask
from envs.pddl.simulation.simulator import Task
from ew.counterexample.exposure import ExposureConfig, expose
from ew.probes.examine import ExaminationConfig, examine
from ew.probes.ways import probing_hints
from ew.score.directed import RefusedWalk
from ew.walks.budget import BudgetExceeded, QueryBudget
from ew.walks.policies import make_policy
from ew.walks.world_walks import WorldWalks


@dataclass(frozen=True)
class FurtherLook:
    """How far is looked. The planner is not asked, so that no result depends on its time."""

    walks: ExposureConfig = field(
        default_factory=lambda: ExposureConfig(budget=250, batch=10, horizon=25, compares=True)
    )
    probes: ExaminationConfig = field(default_factory=lambda: ExaminationConfig(plans_s=0))
    limits: Limits = field(default_factory=Limits)  #: of compiling the model

    @property
    def most(self) -> int:
        """Queries of the world in all."""
        return self.walks.budget + self.probes.most

    def __call__(
        self, walks: WorldWalks, problem: Problem, model: Task, rng: np.random.Generator
    ) -> RefusedWalk | None:
        """What speaks against `model`, which is `problem` ground; asks only what `walks` do not know.

        A cap on the steps of a simulator that is reached ends it, and is no error.
        """
        walks.budget = QueryBudget(self.most)
        with suppress(BudgetExceeded, GroundingExploded):
            task = ProbedTask(problem, self.limits)
            if walks.lists:
                mixed = make_policy("mixed", probing_hints(task, model))
                found = expose(walks, model, mixed, rng, self.walks)
                if found.direction is not None:
                    return RefusedWalk(found.direction, found.walk)
            return examine(walks, problem, rng, self.probes, task=task).found
        return None
