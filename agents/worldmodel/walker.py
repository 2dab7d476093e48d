"""A model walked beside the world in one task: its EW score, the shortest disagreement, and who it is due to.

No language model is asked here, so a walk can be made wherever there is room for it. The same walks are taken
for every model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from agents.worldmodel.remarks import Worth
from envs.pddl.interface import World
from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.language.operators import parse_operator
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.grounding import GroundingExploded, Limits, limits_in
from envs.pddl.simulation.simulator import Task
from ew.counterexample.causes import MAX_SHOWN, Causes
from ew.counterexample.disagreement import first_disagreement
from ew.counterexample.explained import MAX_FURTHER, explained
from ew.counterexample.explanations import FACTS
from ew.counterexample.feedback import Exploded, Failure, NoInitialAction, render_failure
from ew.score.config import EWConfig
from ew.score.score import EWScore, EWVerdict, ew_score, harmonic_mean
from ew.walks.adapter import transitions_of
from ew.walks.budget import BudgetExceeded, QueryBudget
from ew.walks.world_walks import WorldWalks


@dataclass(frozen=True)
class Found:
    """What one task showed of a model."""

    directions: tuple[float, float] | None = None  #: of the EW, forward and backward; None if none was taken
    words: str = ""  #: what is wrong; empty if nothing is
    suspects: tuple[str, ...] = ()  #: actions that this may be due to, the likeliest first
    queries: int = 0  #: of the world
    met: frozenset[str] = frozenset()  #: actions that the world executed in some state that was compared
    note: str = ""  #: why nothing can be said

    @property
    def score(self) -> float | None:
        """The EW score; None if none could be taken."""
        return None if self.directions is None else harmonic_mean(*self.directions)

    @property
    def worth(self) -> Worth:
        """For the order among problems of one task."""
        return (-1.0,) if self.score is None else (self.score, float(not self.words))


@dataclass(frozen=True)
class Walker:
    """Walks in one task of a world, for models that have the world's own parameters. Picklable if it is."""

    world: World
    seed: tuple[int, ...]
    config: EWConfig = field(default_factory=EWConfig)
    limits: Limits = field(default_factory=Limits)

    def __call__(self, domain: str, problem: str) -> Found:
        """What walks show of a domain with a problem, both PDDL that reads without errors."""
        given = read_problem(problem, read_domain(domain))
        try:
            compiled = compile_task(given, limits_in(self.world, self.limits))
        except GroundingExploded as explosion:
            return _failed(Exploded(str(explosion)), (explosion.action,))
        return self._compared(given, compiled)

    def _compared(self, problem: Problem, compiled: Task) -> Found:
        """What walks in the world and in a model that is ground show."""
        asked = WorldWalks(transitions_of(self.world))
        score = ew_score(asked, compiled, self._rng(), self.config)
        if score.verdict is EWVerdict.WORLD_STUCK:
            return Found(note="no action is executable at the start")
        if score.score is None:
            stuck = NoInitialAction.seen_in(self.world)
            first = _actions((stuck.executable,) if stuck.executable else ())
            return _failed(stuck, first, queries=asked.queries + 1)
        asked.budget = QueryBudget(MAX_FURTHER)  # the score's own walks are known by now
        try:
            found = first_disagreement(self.world, compiled, self._rng(), self.config, asked)
        except BudgetExceeded:
            found = None
        met = _met(asked)
        if found is None:
            return Found(_directions(score), queries=asked.queries, met=met)
        shortest = explained(self.world, problem, compiled, found, self._rng())
        suspects = (*_suspects(shortest.causes), *_actions(shortest.shown.walk[::-1]))
        spent = asked.queries + shortest.world_queries
        return replace(_failed(shortest.failure, suspects, _directions(score), spent), met=met)

    def _rng(self) -> np.random.Generator:
        return np.random.default_rng(list(self.seed))


def _suspects(causes: Causes) -> tuple[str, ...]:
    """The actions whose changes explain most, those that contradict nothing alone if there are any."""
    likely = causes.consistent or causes.explanations
    return tuple(e.action for e in likely[:MAX_SHOWN] if e.change not in FACTS)


def _failed(
    failure: Failure,
    suspects: tuple[str, ...],
    directions: tuple[float, float] | None = None,
    queries: int = 0,
) -> Found:
    return Found(directions, render_failure(failure), suspects, queries)


def _directions(score: EWScore) -> tuple[float, float] | None:
    return None if score.forward is None or score.backward is None else (score.forward, score.backward)


def _met(walks: WorldWalks) -> frozenset[str]:
    """The actions that the world executes in some state of the walks."""
    runs = walks.seen().applicable.any(axis=0)
    return frozenset(_actions([walks.operators[o] for o in np.flatnonzero(runs).tolist()]))


def _actions(operators: Sequence[str]) -> tuple[str, ...]:
    return tuple(parse_operator(operator)[0] for operator in operators)
