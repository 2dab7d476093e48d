"""`python -m experiments.run study-removal`: what missing terms do to planning and to the EW score.

`PlanUnit`: remove k random terms of a domain and ask for a plan; how often is none found (PNF_k), and how
often is none found that works in the world? `TermsUnit`: the same for every single term, which gives PNF_1
exactly. `PairUnit`: two domains, each the true one without some terms, that differ in n terms; what is the EW
score of one in the other?

Of the n terms of a pair, each is missing on a side chosen by a fair coin; up to 10 - n more are missing on
both. Over several tasks its EW is Equation 2: the mean of each direction, then their harmonic mean.

All terms are alike (the paper's definition), or, with `keeps_one`, no precondition or effect loses its last
term, as in the program that the authors released.

Writes `pnf.csv` (share of plans not found by terms removed), `exact.csv` (by every single term, with
--exact), `ew.csv` (EW score by differing terms), `correlation.csv` (rank correlation of the two, per world),
`table.md`, and the figures `pnf`, `ew` and `ew-all`, each as PNG and SVG. The records are in `events.jsonl`;
all else is made from them.

Source: Mahdavi et al. 2024, sections 4.2 and 4.3, Figures 2 and 4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from envs.pddl.language.domain import Domain
from envs.pddl.language.terms import Term, terms, without_terms
from envs.pddl.mutation.faults import sample_terms
from envs.pddl.planning.planner import Planner, PlanOutcome
from envs.pddl.simulation.simulator import Task
from ew.score.score import EWScore, ew_score
from ew.score.several_tasks import ew_over_tasks
from experiments.config import Count, parse_job
from experiments.runs.seeds import stream
from experiments.runs.units import WorkUnit
from experiments.studies.candidates import Truth, truth
from experiments.studies.removal.report import (
    Removal,
    correlation_csv,
    draw_removal,
    ew_csv,
    exact_csv,
    pnf_csv,
    summary_table,
)
from experiments.studies.study import Record, Study, StudyConfig

#: The most terms that a domain of the study lacks.
MOST = 10


@dataclass(frozen=True)
class RemovalConfig(StudyConfig):
    """Remove k terms of every domain: is a plan still found, and does the EW score see it?"""

    samples: Count = 12
    """Domains planned for, for each world and number of removed terms."""
    pairs: Count = 30
    """Pairs of domains walked in, for each world and number of differing terms."""
    tasks: Count = 1
    """Tasks of each world that every domain is planned for and every pair walked in, from --problem on."""
    exact: bool = False
    """Also remove every single term once, which gives PNF_1 exactly."""
    keep_one: bool = False
    """Never remove the last term of a precondition or an effect; default: all terms are alike."""
    published: bool = False
    """The setting of the published program, long: 100 domains and pairs, 3 tasks, 300 seconds a plan,
    --keep-one; and --exact."""
    out: Path = Path("runs/study-removal")
    """Where everything is written."""

    def sized(self) -> RemovalConfig:
        """The configuration with what `published` stands for."""
        if not self.published:
            return self
        return replace(self, samples=100, pairs=100, tasks=3, exact=True, keep_one=True, planner_wall_s=300.0)

    def units(self) -> list[PlanUnit | TermsUnit | PairUnit]:
        """All units: worlds in order; planning, which takes longer, first."""
        planner = (self.planner, self.planner_wall_s, self.keep_one)
        tasks = [(env, self.problem + further) for env in self.worlds for further in range(self.tasks)]
        plans = [
            PlanUnit(env, problem, removed, self.samples, self.seed, *planner)
            for env, problem in tasks
            for removed in range(MOST + 1)
        ]
        terms = [TermsUnit(env, problem, *planner) for env, problem in tasks]
        walks = [
            PairUnit(env, self.problem, differing, self.pairs, self.seed, self.tasks, self.keep_one)
            for env in self.worlds
            for differing in range(MOST + 1)
        ]
        return [*plans, *(terms if self.exact else ()), *walks]


def main(arguments: Sequence[str]) -> int:
    """Do the study of a command line; returns the exit code."""
    config = parse_job(RemovalConfig, "study-removal", arguments).sized()
    with Study.open(config) as study:
        found = Removal.of(study.do(config.units(), work))
        files = {
            "pnf.csv": pnf_csv(found),
            "exact.csv": exact_csv(found),
            "ew.csv": ew_csv(found),
            "correlation.csv": correlation_csv(found),
        }
        study.report([summary_table(found)], files, partial(draw_removal, found), tex=False)
    return 0


@dataclass(frozen=True)
class PlanUnit(WorkUnit):
    """Plans for `samples` domains that lack `removed` terms each; they are the same for every problem."""

    env: str
    problem: int
    removed: int
    samples: int
    seed: int
    planner: str | None
    planner_wall_s: float
    keeps_one: bool = False  #: whether every precondition and effect keeps a term


@dataclass(frozen=True)
class TermsUnit(WorkUnit):
    """Plans for all domains that lack one term."""

    env: str
    problem: int
    planner: str | None
    planner_wall_s: float
    keeps_one: bool = False  #: whether only terms are removed that are not the last of theirs


@dataclass(frozen=True)
class PairUnit(WorkUnit):
    """EW scores of `samples` pairs that differ in `differing` terms, over tasks from `problem` on."""

    env: str
    problem: int
    differing: int
    samples: int
    seed: int
    tasks: int = 1
    keeps_one: bool = False  #: whether every precondition and effect keeps a term


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
        removed.append(drawn_terms(true.domain, unit.removed, rng, keeps_one=unit.keeps_one))
    return {"kind": "plan", "env": unit.env, "removed": unit.removed} | _planned(true, removed, unit)


def terms_record(unit: TermsUnit) -> Record:
    """The same for every term of the domain, in its order."""
    true = truth(unit.env, unit.problem)
    own = removable(true.domain) if unit.keeps_one else terms(true.domain)
    return {"kind": "terms", "env": unit.env} | _planned(true, [[term] for term in own], unit)


def drawn_terms(
    domain: Domain, count: int, rng: np.random.Generator, *, keeps_one: bool = False
) -> tuple[Term, ...]:
    """Up to `count` different terms of a domain, at random, in its order.

    With `keeps_one`, one after another is drawn of those that are not the last of their precondition or
    effect.
    """
    own = terms(domain)
    if not keeps_one:
        return sample_terms(domain, min(count, len(own)), rng)
    left = Counter((term.action, term.part) for term in own)
    chosen: list[int] = []
    for place in np.argsort(rng.random(len(own)), kind="stable").tolist():
        half = own[place].action, own[place].part
        if len(chosen) < count and left[half] > 1:
            left[half] -= 1
            chosen.append(place)
    return tuple(own[place] for place in sorted(chosen))


def removable(domain: Domain) -> tuple[Term, ...]:
    """The terms that are not the only one of their precondition or effect, in the domain's order."""
    own = terms(domain)
    size = Counter((term.action, term.part) for term in own)
    return tuple(term for term in own if size[term.action, term.part] > 1)


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
    truths = [truth(unit.env, unit.problem + further) for further in range(unit.tasks)]
    scores: list[float | None] = []
    for sample in range(unit.samples):
        rng = stream(unit.seed, "pair", unit.env, unit.differing, sample)
        pair = _pair(truths[0].domain, unit, rng)
        scored = [_scored(true.model(pair[0]), true.model(pair[1]), rng) for true in truths]
        scores.append(score_over_tasks(scored))
    return {"kind": "pair", "env": unit.env, "differing": unit.differing, "scores": scores}


def _pair(domain: Domain, unit: PairUnit, rng: np.random.Generator) -> tuple[str, str]:
    """Two domains that differ in as many terms."""
    most = len(drawn_terms(domain, MOST, np.random.default_rng(0), keeps_one=unit.keeps_one))
    differing = min(unit.differing, most)
    shared = int(rng.random() * (most - differing + 1))
    drawn = drawn_terms(domain, differing + shared, rng, keeps_one=unit.keeps_one)
    order = np.argsort(rng.random(len(drawn)), kind="stable").tolist()
    missing: tuple[list[Term], list[Term]] = ([], [])
    for place, coin in zip(order[:differing], rng.random(differing).tolist(), strict=True):
        missing[int(coin < 0.5)].append(drawn[place])
    both = [drawn[place] for place in order[differing:]]
    return without_terms(domain, [*missing[0], *both]), without_terms(domain, [*missing[1], *both])


def _scored(world: Task | None, model: Task | None, rng: np.random.Generator) -> EWScore | None:
    return None if world is None or model is None else ew_score(world, model, rng)


def score_over_tasks(scores: Sequence[EWScore | None]) -> float | None:
    """The EW over tasks (Equation 2); None if a task has no score."""
    directions = [
        (s.forward, s.backward) for s in scores if s and s.forward is not None and s.backward is not None
    ]
    return ew_over_tasks(directions).score if len(directions) == len(scores) else None
