"""What an EW score of a given precision costs, estimator by estimator.

Each estimator scores the same wrong candidates again and again with different seeds. The spread of its scores
gives its variance at equal walks; as the variance of a mean falls with the number of walks, variance times
world queries is the variance at equal queries, and divided by a wished standard error squared it is what that
precision costs, down to the price of the fewest walks. The standard errors that the scores state themselves
are told too: they are cautious, the more so the fewer the walks. Queries are counted twice: as the walks ask
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
from ew.score.config import EstimatorName, EWConfig
from ew.score.estimators import ESTIMATORS
from ew.score.exact import TooManyStates, exact_ew
from ew.score.score import ew_score
from ew.score.shown import shown
from ew.walks.world_walks import WorldWalks
from experiments.bench.measure import Figure

#: Standard errors of which the cost is told.
PRECISIONS = (0.05, 0.02, 0.01)
_T_MAX = 10


@dataclass(frozen=True)
class WrongModel:
    """A shipped task and one mistake in its domain."""

    name: str
    world: Task
    model: Task


@dataclass(frozen=True)
class EstimatorCost:
    """How one estimator did on one candidate."""

    candidate: str
    estimator: EstimatorName
    walks: int
    mean: float  #: of the scores
    deviation: float  #: of one score
    stated: float  #: mean of the standard errors that the scores stated
    queries: float  #: mean world queries of a score
    reaching: float  #: mean queries that reach a world that remembers its answers
    exact: float | None  #: the exact value, where it can be computed

    def queries_for(self, precision: float) -> float:
        """World queries of a score that spreads no more than that, by no fewer walks than a score takes."""
        least = EWConfig(self.walks, _T_MAX, estimator=self.estimator).least_walks
        return self.queries * max((self.deviation / precision) ** 2, least / self.walks)


def wrong_models() -> tuple[WrongModel, ...]:
    """Candidates that permit too much, too little, and both."""
    made = (
        ("grippers", 1, "pick needs no free gripper", " (free ?r ?g))\n    :effect", ")\n    :effect"),
        ("grippers", 1, "drop frees no gripper", "(at ?obj ?room) (free ?r ?g) (not", "(at ?obj ?room) (not"),
        ("termes", 1, "move leaves no place", "(and (not (at ?from)) (at ?to))", "(at ?to)"),
    )
    return tuple(_wrong(*one) for one in made)


def estimator_costs(repeats: int, walks: int = 100) -> Iterator[EstimatorCost]:
    """Every estimator on every candidate, `repeats` scores each."""
    for wrong in wrong_models():
        try:
            exact = exact_ew(wrong.world, wrong.model, _T_MAX, max_states=3000).score
        except TooManyStates:
            exact = None
        for name in ESTIMATORS:
            yield _cost(wrong, name, walks, repeats, exact)


def bench_estimators(repeats: int) -> Iterator[Figure]:
    """One line an estimator and candidate; the target is the published estimator at equal walks."""
    paper = paper_at_equal = 0.0
    for cost in estimator_costs(20 * repeats):
        at_equal = cost.deviation**2 * cost.queries
        if cost.estimator == "paper":
            paper, paper_at_equal = cost.deviation, at_equal
        prices = ", ".join(f"±{p}: {cost.queries_for(p):,.0f}" for p in PRECISIONS)
        exact = f"; exact {shown(cost.exact, 3)}" if cost.exact is not None else ""
        yield Figure(
            f"{cost.estimator}, {cost.candidate}: EW {shown(cost.mean, 3)}",
            f"SE {cost.deviation:.4f} (stated {cost.stated:.4f})",
            "<= paper",
            cost.deviation <= 1.1 * paper,  # the spread of so few scores is itself not sure
            f"{cost.walks} walks, {cost.queries:,.0f} queries ({cost.reaching:,.0f} if remembered); "
            f"{paper_at_equal / at_equal:.1f}x less variance than paper at equal queries; "
            f"queries for SE {prices}{exact}",
        )


def _cost(
    wrong: WrongModel, estimator: EstimatorName, walks: int, repeats: int, exact: float | None
) -> EstimatorCost:
    config = EWConfig(walks, _T_MAX, estimator=estimator)
    found = [ew_score(wrong.world, wrong.model, np.random.default_rng(s), config) for s in range(repeats)]
    remembered = [
        ew_score(WorldWalks(wrong.world), wrong.model, np.random.default_rng(s), config).world_queries
        for s in range(min(repeats, 5))
    ]
    scores = np.array([f.score for f in found], dtype=np.float64)
    return EstimatorCost(
        candidate=wrong.name,
        estimator=estimator,
        walks=walks,
        mean=float(scores.mean()),
        deviation=float(scores.std(ddof=1)),
        stated=float(np.mean([f.stderr for f in found if f.stderr is not None])),
        queries=float(np.mean([f.world_queries for f in found])),
        reaching=float(np.mean(remembered)),
        exact=exact,
    )


def _wrong(world: str, problem: int, mistake: str, right: str, wrong: str) -> WrongModel:
    texts = read_texts(world, problem)
    if right not in texts.domain:
        raise RuntimeError(f"the domain of {world} has changed: {right!r} is not in it")
    world_task, model = (
        compile_task(read_problem(texts.problem, read_domain(d)))
        for d in (texts.domain, texts.domain.replace(right, wrong))
    )
    return WrongModel(f"{world}, {mistake}", world_task, model)
