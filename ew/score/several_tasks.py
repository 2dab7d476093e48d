"""The EW of a domain over several tasks: smallest first, each with its own stream, under one budget.

Over tasks the score is Equation 2: the mean of each direction over the tasks, then the harmonic mean of the
two means. The mean of the tasks' own scores, never more as the harmonic mean is concave, stays beside it.

Small tasks come first because they show most faults for the least work: their walks are as long, their
operators fewer. With `stop_below`, tasks that follow one whose score's interval lies wholly below it, or in
which the model can do nothing at all, are left out; a budget leaves out what it does not pay for. What was
left out is said, and the score is that of the tasks that were scored, never of a mixture.

Source: Mahdavi et al. 2024, Definition 1 and Equation 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np

from envs.pddl.interface import TransitionSystem
from ew.score.config import EWConfig
from ew.score.score import EWScore, EWVerdict, ew_score, harmonic_mean
from ew.score.uncertainty import interval, mean_spread, standard_error
from ew.walks.budget import QueryBudget
from ew.walks.world_walks import WorldWalks

#: Both shares of a task in which nothing of either side runs on the other.
NO_AGREEMENT = (0.0, 0.0)


@dataclass(frozen=True)
class TasksEW:
    """The EW of a domain over several tasks, and what it is made of. All values lie in [0, 1]."""

    forward: float  #: mean over the tasks
    backward: float  #: mean over the tasks
    mean_of_tasks: float  #: mean of the tasks' own scores, at most `score`

    @property
    def score(self) -> float:
        """Equation 2: the harmonic mean of the two means."""
        return harmonic_mean(self.forward, self.backward)


def ew_over_tasks(directions: Sequence[tuple[float, float]]) -> TasksEW:
    """The EW over tasks of which each gave (forward, backward), in any order. Raises ValueError without any.

    A task in which the model cannot be walked is `NO_AGREEMENT`.
    """
    if not directions:
        raise ValueError("the EW over tasks needs the two directions of one task at least")
    forward, backward, own = (
        fsum(values) / len(directions)
        for values in zip(*((f, b, harmonic_mean(f, b)) for f, b in directions), strict=True)
    )
    return TasksEW(forward, backward, own)


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
    def over_tasks(self) -> TasksEW | None:
        """The EW over the tasks that have a score; None without any."""
        known = self._known()
        return ew_over_tasks([(s.forward or 0.0, s.backward or 0.0) for s in known]) if known else None

    @property
    def stderr(self) -> float | None:
        """Standard error of `over_tasks.score`; the walks of the tasks are independent. None without any."""
        spread = mean_spread([s.spread for s in self._known()])
        if spread is None:  # the model can do nothing in any of them, which is certain
            return 0.0 if self._known() else None
        return standard_error(spread)

    @property
    def interval(self) -> tuple[float, float] | None:
        """95 % interval of `over_tasks.score`, within [0, 1]; None without any."""
        spread, found = mean_spread([s.spread for s in self._known()]), self.over_tasks
        if spread is None or found is None:
            return (0.0, 0.0) if found else None
        return interval(found.score, spread)

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
        world = task.world if budget is None else WorldWalks(task.world, budget)
        score = None if stopped else ew_score(world, task.model, own, config)
        if score is None or score.verdict in (EWVerdict.OUT_OF_BUDGET, EWVerdict.OUT_OF_STEPS):
            left_out.append(task.name)
        else:
            scores.append((task.name, score))
            stopped = _upper(score) < stop_below
    return TaskScores(tuple(scores), tuple(left_out))


def _upper(score: EWScore) -> float:
    """What the exact score surely does not exceed: 0 if the model can do nothing, 1 if nothing is known."""
    if score.verdict is EWVerdict.NO_INITIAL_ACTION:
        return 0.0
    return 1.0 if score.interval is None else score.interval[1]
