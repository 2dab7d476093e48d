"""The environment itself as a source of remarks: no person is needed.

The model is walked beside the world, in one task after another. Where they disagree, the shortest
disagreement is told in the words that every method gets (`ew.counterexample.feedback`), with the actions that
differ and their likely causes. The dialogue that goes on is that of the likeliest action; if it was told the
same before, of the next: other likely ones, the operator's own, those of the walk from the last to the first.
A model is worth its EW over the tasks (`ew.score.several_tasks`); one that cannot be walked is worth less
than any that can, and the less, the more of its actions are not written. Where telling it twice has not
helped, the fault may be the problem's: another one is asked for, and kept if better. A task that cannot be
written down with the model's predicates is a remark like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from agents.problems import ProblemReading
from agents.worldmodel.model import WorldModel
from agents.worldmodel.problems import Problems
from agents.worldmodel.remarks import (
    TOLD_BEFORE_PROBLEM,
    Opinion,
    Remark,
    Review,
    mentioning,
    remark_to_next,
    told_before,
)
from agents.worldmodel.requests import untranslatable
from agents.worldmodel.walker import Found, Walker
from envs.pddl.interface import World
from envs.pddl.simulation.grounding import Limits
from ew.counterexample.feedback import InsaneDomain, render_failure
from ew.score.config import EWConfig
from ew.score.several_tasks import ew_over_tasks

#: What a model is worth that cannot be walked, and one that cannot be judged.
_UNUSABLE, _UNKNOWN = (0.0, 0.0), (-1.0, 0.0)

#: Has a walker walk with the PDDL of a domain and a problem.
Walk = Callable[[Walker, str, str], Found]


def walk_here(walker: Walker, domain: str, problem: str) -> Found:
    """Walk at once, in this thread."""
    return walker(domain, problem)


@dataclass(frozen=True)
class WorldTask:
    """One task of the world, and its problem over a model's predicates."""

    world: World
    problems: Problems


@dataclass(frozen=True)
class Walks:
    """Walks in the tasks of one world. The model's actions must have the world's own parameters."""

    tasks: tuple[WorldTask, ...]
    seed: int
    config: EWConfig = field(default_factory=EWConfig)
    limits: Limits = field(default_factory=Limits)
    walk: Walk = walk_here

    def review(self, model: WorldModel, made: Sequence[Remark]) -> Review:
        """Content if no walk of any task shows a difference. The same walks are taken for every model.

        Without judgement of a model whose action interface is not the given one.
        """
        if not model.brief.is_fixed:
            note = "a model whose parameters are its own cannot be walked beside the environment"
            return Review(Opinion.CANNOT_JUDGE, _UNKNOWN, note=note)
        if model.unwritten:
            words = render_failure(InsaneDomain(model.unwritten))
            worth = (0.0, -float(len(model.unwritten)))
            return Review(Opinion.OBJECTS, worth, Remark(model.unwritten[0], words))
        directions: list[tuple[float, float]] = []
        remark, queries, met = None, 0, frozenset[str]()
        for number, task in enumerate(self.tasks):
            found = self._walked(model, task, number, made)
            queries += found.queries
            met |= found.met
            if found.note:
                return Review(
                    Opinion.CANNOT_JUDGE,
                    _UNKNOWN,
                    note=f"task {number + 1}: {found.note}",
                    world_queries=queries,
                )
            if found.words and remark is None:
                remark = remark_to_next(found.words, found.suspects, model, made)
            if found.directions is None:
                return Review(Opinion.OBJECTS, _UNUSABLE, remark, world_queries=queries)
            directions.append(found.directions)
        worth = (1.0, ew_over_tasks(directions).score)
        opinion = Opinion.OBJECTS if remark else Opinion.CONTENT
        return Review(opinion, worth, remark, world_queries=queries, met=met)

    def _walked(self, model: WorldModel, task: WorldTask, number: int, made: Sequence[Remark]) -> Found:
        reading = task.problems.problem(model)
        if not reading.answered:
            return Found(note=f"it was not translated for this model: {reading.fault}")
        found = self._read(model, task.world, reading, number)
        if not found.words or len(told_before(found.words, made)) < TOLD_BEFORE_PROBLEM:
            return found
        mended = task.problems.mended(model, found.words)
        if mended.problem is None:
            return found
        other = self._tried(model, task.world, mended.problem, number)
        queries = found.queries + other.queries
        if other.worth > found.worth:
            task.problems.keep(model, mended)
            return replace(other, queries=queries)
        return replace(found, queries=queries)

    def _read(self, model: WorldModel, world: World, reading: ProblemReading, number: int) -> Found:
        """What a translated task shows."""
        if reading.problem is not None:
            return self._tried(model, world, reading.problem, number)
        words = untranslatable(world.task, reading.fault or "")
        return Found(words=words, suspects=mentioning(reading.fault or "", model))

    def _tried(self, model: WorldModel, world: World, pddl: str, number: int) -> Found:
        """What walks show with this problem."""
        walker = Walker(world, (self.seed, number), self.config, self.limits)
        return self.walk(walker, model.text(), pddl)
