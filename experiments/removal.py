"""The units of the removal study: how brittle planning is, and what the EW score sees.

`PlanUnit`: remove k random terms of a domain and ask for a plan; how often is none found (PNF_k), and how
often is none found that works in the world? `TermsUnit`: the same for every single term, which gives PNF_1
exactly. `PairUnit`: two domains, each the true one without some terms,
that differ in n terms; what is the EW score of one in the other?

Of the n terms of a pair, each is missing on a side chosen by a fair coin; up to 10 - n more are missing on
both.

Source: Mahdavi et al. 2024, sections 4.2 and 4.3, Figures 2 and 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from envs.pddl.mutate import sample_terms
from envs.pddl.outcomes import PlanOutcome
from envs.pddl.planner import Planner
from envs.pddl.simulator import Task
from envs.pddl.terms import Term, terms, without_terms
from ew.score import ew_score
from experiments.candidates import Truth, truth
from experiments.streams import stream
from experiments.study import Record, unit_key

#: The most terms that a domain of the study lacks.
MOST = 10


@dataclass(frozen=True)
class PlanUnit:
    """Plans for `samples` domains that lack `removed` terms each; they are the same for every problem."""

    env: str
    problem: int
    removed: int
    samples: int
    seed: int
    planner: str | None
    planner_wall_s: float

    @property
    def key(self) -> str:
        """Content hash."""
        return unit_key(self)


@dataclass(frozen=True)
class TermsUnit:
    """Plans for all domains that lack one term."""

    env: str
    problem: int
    planner: str | None
    planner_wall_s: float

    @property
    def key(self) -> str:
        """Content hash."""
        return unit_key(self)


@dataclass(frozen=True)
class PairUnit:
    """EW scores of `samples` pairs of domains that differ in `differing` terms."""

    env: str
    problem: int
    differing: int
    samples: int
    seed: int

    @property
    def key(self) -> str:
        """Content hash."""
        return unit_key(self)


def work(unit: PlanUnit | TermsUnit | PairUnit) -> Record:
    """The record of one unit; runs in a worker."""
    if isinstance(unit, PairUnit):
        return pair_record(unit)
    return plan_record(unit) if isinstance(unit, PlanUnit) else terms_record(unit)


def plan_record(unit: PlanUnit) -> Record:
    """The planner's outcome of every sample, and whether its plan works in the world."""
    true = truth(unit.env, unit.problem)
    removed = []
    for sample in range(unit.samples if unit.removed else 1):
        rng = stream(unit.seed, "plan", unit.env, unit.removed, sample)
        removed.append(sample_terms(true.domain, _at_most(true, unit.removed), rng))
    return {"kind": "plan", "env": unit.env, "removed": unit.removed} | _planned(true, removed, unit)


def terms_record(unit: TermsUnit) -> Record:
    """The same for every term of the domain, in its order."""
    true = truth(unit.env, unit.problem)
    return {"kind": "terms", "env": unit.env} | _planned(true, [[term] for term in terms(true.domain)], unit)


def _planned(true: Truth, removed: Sequence[Sequence[Term]], unit: PlanUnit | TermsUnit) -> Record:
    """What planning without these terms comes to, one by one."""
    planner = Planner(unit.planner, wall_s=unit.planner_wall_s)
    plans = [true.plan(without_terms(true.domain, some), planner) for some in removed]
    return {
        "outcomes": [outcome.value for outcome, _, _ in plans],
        "found": [outcome == PlanOutcome.SOLVED for outcome, _, _ in plans],
        "works": [works for _, _, works in plans],
    }


def pair_record(unit: PairUnit) -> Record:
    """The EW score of every pair; None where a side is too large to ground or has nothing to do at first."""
    true = truth(unit.env, unit.problem)
    scores: list[float | None] = []
    for sample in range(unit.samples):
        rng = stream(unit.seed, "pair", unit.env, unit.differing, sample)
        world, model = (true.model(text) for text in _pair(true, unit.differing, rng))
        scores.append(_score(world, model, rng))
    return {"kind": "pair", "env": unit.env, "differing": unit.differing, "scores": scores}


def _pair(true: Truth, differing: int, rng: np.random.Generator) -> tuple[str, str]:
    """Two domains that differ in as many terms."""
    differing = _at_most(true, differing)
    shared = int(rng.random() * (min(MOST, len(terms(true.domain))) - differing + 1))
    drawn = sample_terms(true.domain, differing + shared, rng)
    order = np.argsort(rng.random(len(drawn)), kind="stable").tolist()
    missing: tuple[list[Term], list[Term]] = ([], [])
    for place, coin in zip(order[:differing], rng.random(differing).tolist(), strict=True):
        missing[int(coin < 0.5)].append(drawn[place])
    both = [drawn[place] for place in order[differing:]]
    return without_terms(true.domain, [*missing[0], *both]), without_terms(true.domain, [*missing[1], *both])


def _score(world: Task | None, model: Task | None, rng: np.random.Generator) -> float | None:
    return None if world is None or model is None else ew_score(world, model, rng).score


def _at_most(true: Truth, count: int) -> int:
    """`count`, or all terms of a domain that has fewer."""
    return min(count, len(terms(true.domain)))
