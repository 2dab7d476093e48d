"""The environment itself as a source of remarks: no person is needed.

The model is walked beside the world, in one task after another. Where they disagree, the shortest
disagreement is told in the words that every method gets (`ew.feedback`), with the actions that differ and
their likely causes; the dialogue that goes on is that of the likeliest action. A model is worth the mean of
its EW scores; one that cannot be walked is worth less than any that can.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from agents.problems import ProblemReading
from agents.worldmodel.model import WorldModel
from agents.worldmodel.remarks import Opinion, Remark, Review
from envs.pddl.compile import compile_task
from envs.pddl.grounding import GroundingExploded, Limits
from envs.pddl.interface import World
from envs.pddl.language import Problem, read_domain, read_problem
from envs.pddl.operators import parse_operator
from envs.pddl.simulator import Task
from ew.adapter import transitions_of
from ew.agreement import AgreementConfig, agreement
from ew.config import EWConfig
from ew.disagreement import first_disagreement
from ew.feedback import Explained, Exploded, Failure, InsaneDomain, NoInitialAction, render_failure
from ew.joins import JoinTooLarge
from ew.relations import TooManyAtoms
from ew.sampled import SamplingGaveUp
from ew.score import EWVerdict, ew_score
from ew.shrink import Shrunk, shrink
from ew.world_walks import WorldWalks

#: World queries that shortening a disagreement may take.
MAX_SHRINKING = 2000
#: Joint walks that actions are compared on, beside the disagreement's own.
_COMPARED = AgreementConfig(walks=5)

#: What a model is worth that cannot be walked, and one that cannot be judged.
_UNUSABLE, _UNKNOWN = (0.0, 0.0), (-1.0, 0.0)


@dataclass(frozen=True)
class WorldTask:
    """One task of the world, and its problem over a model's predicates."""

    world: World
    problem: Callable[[WorldModel], ProblemReading]


@dataclass(frozen=True)
class _Found:
    """What one task showed."""

    score: float | None = None  #: the EW score; None if none could be taken
    remark: Remark | None = None
    queries: int = 0
    note: str = ""  #: why nothing can be said


@dataclass(frozen=True)
class Walks:
    """Walks in the tasks of one world. The model's actions must have the world's own parameters."""

    tasks: tuple[WorldTask, ...]
    seed: int
    config: EWConfig = field(default_factory=EWConfig)
    limits: Limits = field(default_factory=Limits)

    def review(self, model: WorldModel, made: Sequence[Remark]) -> Review:
        """Content if no walk of any task shows a difference. The same walks are taken for every model.

        Raises ValueError if the model's action interface is not the given one.
        """
        if not model.brief.is_fixed:
            raise ValueError("a model whose parameters are its own cannot be walked beside the world")
        if model.unwritten:
            words = render_failure(InsaneDomain(model.unwritten))
            return Review(Opinion.OBJECTS, _UNUSABLE, Remark(model.unwritten[0], words))
        scores, remark, queries = [], None, 0
        for number, task in enumerate(self.tasks):
            found = self._walked(model, task, number)
            queries += found.queries
            if found.note:
                return Review(Opinion.CANNOT_JUDGE, _UNKNOWN, note=found.note, world_queries=queries)
            if found.score is None:
                return Review(Opinion.OBJECTS, _UNUSABLE, found.remark, world_queries=queries)
            scores.append(found.score)
            remark = remark or found.remark
        worth = (1.0, sum(scores) / len(scores))
        opinion = Opinion.OBJECTS if remark else Opinion.CONTENT
        return Review(opinion, worth, remark, world_queries=queries)

    def _walked(self, model: WorldModel, task: WorldTask, number: int) -> _Found:
        reading = task.problem(model)
        if reading.problem is None:
            return _Found(note=f"task {number + 1} could not be translated for this model: {reading.fault}")
        problem = read_problem(reading.problem, read_domain(model.text()))
        try:
            compiled = compile_task(problem, self.limits)
        except GroundingExploded as explosion:
            return _Found(remark=_remark(explosion.action, Exploded(str(explosion)), model))
        return self._compared(model, task.world, problem, compiled, number)

    def _compared(
        self, model: WorldModel, world: World, problem: Problem, compiled: Task, number: int
    ) -> _Found:
        """What walks in the world and in a model that is ground show."""
        asked = WorldWalks(transitions_of(world))
        score = ew_score(asked, compiled, self._rng(number), self.config)
        if score.verdict is EWVerdict.WORLD_STUCK:
            return _Found(note=f"no action is executable at the start of task {number + 1}")
        if score.score is None:
            stuck = NoInitialAction.seen_in(world)
            action = parse_operator(stuck.executable)[0] if stuck.executable else ""
            return _Found(remark=_remark(action, stuck, model), queries=asked.queries + 1)
        found = first_disagreement(world, compiled, self._rng(number), self.config, asked)
        if found is None:
            return _Found(score.score, queries=asked.queries)
        short = shrink(world, compiled, found, MAX_SHRINKING)
        told, queries = self._explained(world, problem, short, number)
        likely = [e.action for e in told.explanations] if isinstance(told, Explained) else []
        action = next(iter(likely), parse_operator(short.disagreement.failing)[0])
        return _Found(score.score, _remark(action, told, model), asked.queries + queries)

    def _explained(
        self, world: World, problem: Problem, short: Shrunk, number: int
    ) -> tuple[Shrunk | Explained, int]:
        """With the actions that differ and likely causes, unless the model is too large; and the queries."""
        led = short.disagreement.executed
        try:
            compared = agreement(world, problem, self._rng(number), _COMPARED, led=led)
        except (JoinTooLarge, SamplingGaveUp, TooManyAtoms):
            return short, short.world_queries
        return Explained.by(short, compared), short.world_queries + compared.world_queries

    def _rng(self, number: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, number])


def _remark(action: str, failure: Failure, model: WorldModel) -> Remark:
    """The failure in words, in the dialogue of the action; of the first one if the model has none such."""
    known = model.brief.action(action)
    return Remark(action if known else model.brief.actions[0].name, render_failure(failure))
