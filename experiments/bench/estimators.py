"""What an EW score of a given precision costs, estimator by estimator.

Each estimator scores the same wrong candidates again and again with different seeds. The spread of its scores
gives its variance at equal walks; as the variance of a mean falls with the number of walks, variance times
world queries is the variance at equal queries, and divided by a wished standard error squared it is what that
precision costs, down to the price of the fewest walks. The standard errors that the scores state themselves
are given too: they are cautious, the more so the fewer the walks. Queries are counted twice: as the walks ask
them, and as they reach a world that remembers its answers (`WorldWalks`), where the walks of one score share
their beginnings.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.simulator import Task
from envs.source import read_texts
from ew.score.config import EWConfig
from ew.score.exact import TooManyStates, exact_ew
from ew.score.registry import ESTIMATORS, PUBLISHED
from ew.score.score import EWScore, ew_score
from ew.score.shown import shown
from ew.walks.world_walks import WorldWalks
from experiments.bench.measure import BenchSettings, Figure

#: Standard errors of which the cost is given.
PRECISIONS = (0.05, 0.02, 0.01)
_T_MAX = 10


@dataclass(frozen=True)
class WrongModel:
    """A shipped task and one mistake in its domain."""

    name: str
    world: Task
    model: Task

    def exact(self) -> float | None:
        """The exact score, where it can be computed."""
        try:
            return exact_ew(self.world, self.model, _T_MAX, max_states=3000).score
        except TooManyStates:
            return None

    def scores(self, config: EWConfig, repeats: int, *, remembering: bool = False) -> list[EWScore]:
        """A score for each seed; `remembering`: by a world that answers no query twice within one."""
        scores = []
        for seed in range(repeats):
            world = WorldWalks(self.world) if remembering else self.world
            scores.append(ew_score(world, self.model, np.random.default_rng(seed), config))
        return scores


@dataclass(frozen=True)
class EstimatorCost:
    """How one estimator did on one candidate."""

    config: EWConfig
    mean: float  #: of the scores
    deviation: float  #: of one score
    stated: float  #: mean of the standard errors that the scores stated
    queries: float  #: mean world queries of a score
    reaching: float  #: mean queries that reach a world that remembers its answers

    @classmethod
    def of(cls, wrong: WrongModel, config: EWConfig, repeats: int) -> EstimatorCost:
        """Measured with so many scores."""
        found = wrong.scores(config, repeats)
        remembered = wrong.scores(config, min(repeats, 5), remembering=True)
        scores = np.array([f.score for f in found], dtype=np.float64)
        stated = [f.stderr for f in found if f.stderr is not None]
        queries, reaching = ([f.world_queries for f in some] for some in (found, remembered))
        means = (float(np.mean(some)) for some in (stated, queries, reaching))
        return cls(config, float(scores.mean()), float(scores.std(ddof=1)), *means)

    def queries_for(self, precision: float) -> float:
        """World queries of a score that spreads no more than that, by no fewer walks than a score takes."""
        fewest = self.config.least_walks / self.config.walks
        return self.queries * max((self.deviation / precision) ** 2, fewest)

    @property
    def variance_at_equal(self) -> float:
        """Variance times queries: to be compared with that of other estimators."""
        return self.deviation**2 * self.queries


def wrong_models() -> tuple[WrongModel, ...]:
    """Candidates that permit too much, too little, and both."""
    return (
        _wrong("grippers", "pick needs no free gripper", " (free ?r ?g))\n    :effect", ")\n    :effect"),
        _wrong("grippers", "drop frees no gripper", "(free ?r ?g) (not (carry", "(not (carry"),
        _wrong("termes", "move leaves no place", "(and (not (at ?from)) (at ?to))", "(at ?to)"),
    )


def estimator_costs(wrong: WrongModel, repeats: int, walks: int = 100) -> list[EstimatorCost]:
    """Every estimator on a candidate, `repeats` scores each; the published one first."""
    configs = (EWConfig(walks, _T_MAX, estimator=name) for name in ESTIMATORS)
    return [EstimatorCost.of(wrong, config, repeats) for config in configs]


def estimator_figures(settings: BenchSettings) -> Iterator[Figure]:
    """One line an estimator and candidate; the target is the published estimator at equal walks."""
    for wrong in wrong_models():
        exact = wrong.exact()
        costs = estimator_costs(wrong, 20 * settings.repeats)
        (paper,) = (cost for cost in costs if cost.config.estimator == PUBLISHED)
        for cost in costs:
            prices = ", ".join(f"±{p}: {cost.queries_for(p):,.0f}" for p in PRECISIONS)
            yield Figure(
                f"{cost.config.estimator}, {wrong.name}: EW {shown(cost.mean, 3)}",
                f"SE {cost.deviation:.4f} (stated {cost.stated:.4f})",
                "<= paper",
                cost.deviation <= 1.1 * paper.deviation,  # the spread of so few scores is itself not sure
                f"{cost.config.walks} walks, {cost.queries:,.0f} queries ({cost.reaching:,.0f} if "
                f"remembered); {paper.variance_at_equal / cost.variance_at_equal:.1f}x less variance than "
                f"paper at equal queries; queries for SE {prices}"
                + (f"; exact {shown(exact, 3)}" if exact is not None else ""),
            )


def _wrong(world: str, mistake: str, right: str, wrong: str) -> WrongModel:
    texts = read_texts(world, 1)
    if right not in texts.domain:
        raise RuntimeError(f"the domain of {world} has changed: {right!r} is not in it")
    domains = (texts.domain, texts.domain.replace(right, wrong))
    tasks = (compile_task(read_problem(texts.problem, read_domain(domain))) for domain in domains)
    return WrongModel(f"{world}, {mistake}", *tasks)
