"""Methods `learn` and `learn-partial`: the domain is learned from walks, and no language model is asked.

Walks are made in the tasks that other methods are refined on; their states are seen as facts, whole or in
part, and the operators learned from them make the domain, in turns where states are seen whole
(`agents.operators.turns`). Each counted task is stated by what it shows: its facts at first, and its goal. So
`learn` gets more than a method that reads texts, states as facts, and less, nothing in words; its score is
taken as any other's. The environment shows its states (`envs.pddl.interface.ShowsStates`); in others nothing
is learned.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from agents.llm.interface import LanguageModel
from agents.operators.exploration import Exploration, Explorer, explored
from agents.operators.learner import Bias, learn_operators
from agents.operators.lifted import Operator, domain_of, shown_problem
from agents.operators.turns import learn_in_turns
from envs.pddl.interface import ShowsStates
from envs.world import open_world
from ew.score.config import EstimatorName
from ew.walks.budget import SimulatorCost, total_cost
from experiments.driver.tasks import Prepared, episode_without_model, run_tasks
from experiments.evaluation.solve import Attempt, ModelSolver
from experiments.methods.base import Kit, Method
from experiments.runs.records import EpisodeRecord, TaskOutcome, world_label
from experiments.runs.seeds import stream
from experiments.runs.units import EvaluationTask, Unit
from experiments.spending.bounds import task_queries
from experiments.spending.caps import Bound

#: The name of every learned domain.
DOMAIN = "learned"


@dataclass(frozen=True)
class Learned:
    """A learned domain and what it took; None where the environment does not show its states."""

    domain: str | None
    operators: tuple[Operator, ...]
    world_queries: int
    simulator: SimulatorCost | None = None  #: of the walks; None where they are batched


@dataclass(frozen=True)
class Learner:
    """Walks in tasks of an environment and learns its operators. Picklable."""

    env: str
    seed: int
    settings: Exploration

    def __call__(self, tasks: Sequence[int | str]) -> Learned:
        """What the tasks' traces together teach; in turns where states are seen whole."""
        worlds = [open_world(self.env, task) for task in tasks]
        if not all(isinstance(world, ShowsStates) for world in worlds):
            return Learned(None, (), 0)
        streams = [stream(self.seed, "learn", world_label(self.env), task) for task in tasks]
        explorers = [Explorer(w, rng, self.settings) for w, rng in zip(worlds, streams, strict=True)]
        if self.settings.observed < 1:
            for explorer in explorers:
                explorer.wander(self.settings.walks)
            operators = learn_operators(explored(explorers).traces, Bias.LEAN)
        else:
            operators = learn_in_turns(explorers, Bias.LEAN)
        traces, queries, simulator = explored(explorers)
        return Learned(domain_of(traces.vocabulary, operators, DOMAIN), operators, queries, simulator)


@dataclass(frozen=True, kw_only=True)
class LearnMethod(Method):
    """Operators from traces of walks, on the tasks that others are refined on."""

    settings: Exploration = field(default_factory=Exploration)
    estimator: EstimatorName = "survival"
    feedback_tasks: int = 2

    asks_model: ClassVar[bool] = False

    @classmethod
    def partial(cls, observed: float) -> LearnMethod:
        """With states of which the share `observed` is seen, and more walks to make up for it."""
        usual = Exploration()
        return cls(settings=replace(usual, observed=observed, walks=2 * usual.walks))

    def repair_queries(self, unit: Unit) -> int:
        """World queries of the walks that it learns from: made in one call, as a repair's."""
        return self.settings.queries * len(unit.refined_on)

    def bound(self, unit: Unit, longest: int) -> Bound:
        """No call; the walks, and a score of every task."""
        return Bound(world_queries=self.repair_queries(unit) + unit.tasks * task_queries(unit))

    def run(self, unit: Unit, kit: Kit) -> EpisodeRecord:
        """Learn, then plan in every task with what was learned."""
        started = time.monotonic()
        learner = Learner(unit.env, unit.seed, self.settings)
        learned = kit.executor.submit(learner, unit.refined_on).result()

        def prepare(task: EvaluationTask, model: LanguageModel) -> Prepared:
            if learned.domain is None:
                return Prepared(failed=Attempt(TaskOutcome.NO_DOMAIN))
            return Prepared((learned.domain, shown_problem(open_world(unit.env, task.name), DOMAIN)))

        tasks = run_tasks(unit, kit, prepare, ModelSolver(unit.env, unit.seed, kit.judge))
        return replace(
            episode_without_model(unit, tasks, started),
            makes_model=True,
            world_queries=learned.world_queries + sum(t.score.world_queries for t in tasks),
            simulator=total_cost((learned.simulator, *(t.score.simulator for t in tasks))),
            domain=learned.domain,
        )
