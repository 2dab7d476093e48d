"""The EW of a domain over several tasks: smallest first, each with its own stream, under one budget.

Small tasks come first because they tell most of what is wrong for least work: their walks are as long, their
operators fewer. With `stop_below`, tasks that follow one whose score's interval lies wholly below it, or in
which the model can do nothing at all, are left out; a budget leaves out what it does not pay for. What was
left out is said, and the mean is that of the tasks that were scored, never of a mixture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from envs.pddl.interface import TransitionSystem
from ew.budget import QueryBudget
from ew.config import EWConfig
from ew.score import EWScore, EWVerdict, ew_score
from ew.world_walks import WorldWalks


@dataclass(frozen=True, eq=False)
class TaskPair:
    """One task on both sides."""

    name: str
    world: TransitionSystem
    model: TransitionSystem


@dataclass(frozen=True)
class TaskScores:
    """Scores by task, in the order in which they were taken."""

    scores: tuple[tuple[str, EWScore], ...]
    left_out: tuple[str, ...]  #: tasks that were not scored: stopped before, or not paid for

    @property
    def mean(self) -> float | None:
        """Mean score of the tasks that have one; None without any."""
        known = self._known()
        return sum(s.score or 0.0 for s in known) / len(known) if known else None

    @property
    def stderr(self) -> float | None:
        """Standard error of the mean, from those of the tasks, whose walks are independent."""
        known = self._known()
        return sum((s.stderr or 0.0) ** 2 for s in known) ** 0.5 / len(known) if known else None

    @property
    def world_queries(self) -> int:
        """Of all tasks together."""
        return sum(s.world_queries for _, s in self.scores)

    def _known(self) -> list[EWScore]:
        """Scored tasks, and those in which the model can do nothing, which counts as 0."""
        counted = (EWVerdict.SCORED, EWVerdict.NO_INITIAL_ACTION)
        return [s for _, s in self.scores if s.verdict in counted]


def score_tasks(
    tasks: Sequence[TaskPair],
    rng: np.random.Generator,
    config: EWConfig | None = None,
    budget: QueryBudget | None = None,
    stop_below: float = 0.0,
) -> TaskScores:
    """The EW of every task, by the number of the world's operators, then by name.

    Streams are spawned from `rng` in that order, so the order of `tasks` does not matter.
    """
    ordered = sorted(tasks, key=lambda t: (len(t.world.operators), t.name))
    scores: list[tuple[str, EWScore]] = []
    left_out: list[str] = []
    stopped = False
    for task, own in zip(ordered, rng.spawn(len(ordered)), strict=True):
        if stopped:
            left_out.append(task.name)
            continue
        world = task.world if budget is None else WorldWalks(task.world, budget)
        score = ew_score(world, task.model, own, config)
        if score.verdict is EWVerdict.OUT_OF_BUDGET:
            left_out.append(task.name)
            continue
        scores.append((task.name, score))
        stopped = _upper(score) < stop_below
    return TaskScores(tuple(scores), tuple(left_out))


def _upper(score: EWScore) -> float:
    """What the exact score surely does not exceed: 0 if the model can do nothing, 1 if nothing is known."""
    if score.verdict is EWVerdict.NO_INITIAL_ACTION:
        return 0.0
    return 1.0 if score.interval is None else score.interval[1]
