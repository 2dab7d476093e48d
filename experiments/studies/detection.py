"""`python -m experiments.run study-detection`: which way of walking exposes wrong domains, at what price.

The wrong domains are single-literal mutations of a world's own, one a unit. Of each one is known what
planning and the published EW score make of it, after how many world queries each way of walking exposes it
(`ew.counterexample.exposure`), and, if none does, whether a search through all pairs of states
(`ew.counterexample.exposure`) finds anything wrong at all. A mutation is wrong if walks can show it: some
way exposed it, or that search did. All shares are among wrong ones. A mutation is `saturated` if its EW score
is 1 and its task is not solved: what the score alone cannot distinguish from a right domain. It counts once
for each repetition.

Writes `detection.csv` (one row for each mutation and way), `table.md` (share exposed by 100, 300 and 1,000
world queries; by kind of mutation; by world; the saturated candidates) and the figure `detection` as PNG and
SVG. The records are in `events.jsonl`; all else is made from them.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Literal, get_args

from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.mutation.faults import Mutation, MutationKind, mutated, mutations, sample_mutations
from envs.pddl.planning.planner import Planner
from envs.pddl.simulation.grounding import GroundingExploded
from envs.pddl.simulation.probes import ProbedTask
from envs.pddl.simulation.simulator import Task
from ew.counterexample.exposure import ExposureConfig, Kind, expose, first_difference
from ew.probes.ways import probing_hints
from ew.score.score import ew_score
from ew.walks.policies import Hints, make_policy
from experiments.config import Count, parse_job, shared
from experiments.reporting.display import Axes, new_figure, save
from experiments.reporting.statistics import Estimate, rate
from experiments.reporting.tables import Table, write_csv
from experiments.runs.seeds import stream
from experiments.runs.units import WorkUnit
from experiments.studies.candidates import Truth, truth
from experiments.studies.study import Record, Study, StudyConfig

#: Rivals that the disagreement policy is given besides the candidate.
RIVALS = 3
#: Steps that a walk may make after the longest prefix of a plan.
_AFTER_PLAN = 10
#: World queries at which shares are given.
BUDGETS = (100, 300, 1000)
#: Queries at which the curves are drawn.
_QUERIES = sorted({round(10 ** (i / 12)) for i in range(37)})


class MutationPool(StrEnum):
    """Where a unit's mutation comes from."""

    SAMPLE = "sample"  #: a random sample, the kinds in turn; every one is walked
    REMOVALS = "removals"  #: every single removal; only saturated ones are walked


@dataclass(frozen=True)
class WayOfWalking:
    """One way of walking: a policy, and how long its walks are."""

    policy: str
    horizon: int = 40
    staggered: bool = False
    compares: bool = False  #: see `ExposureConfig`


#: By the name in the tables. `paper` has the lengths of the EW score.
WAYS: Mapping[str, WayOfWalking] = MappingProxyType(
    {
        "paper": WayOfWalking("uniform", 10, staggered=True),
        "uniform": WayOfWalking("uniform"),
        "schema_first": WayOfWalking("schema_first"),
        "coverage": WayOfWalking("coverage"),
        "plan_prefix": WayOfWalking("plan_prefix"),
        "reach": WayOfWalking("reach"),
        "disagreement": WayOfWalking("disagreement"),
        "mixed": WayOfWalking("mixed", compares=True),
    }
)
#: What exposes: a refused operator that the walk chose, or any difference of the sets of applicable ones.
By = Literal["chosen", "listed"]


@dataclass(frozen=True)
class DetectionConfig(StudyConfig):
    """Which walks expose a domain that is wrong in a single literal?"""

    mutants: Count = 40
    """Mutations of each world, the kinds in turn."""
    saturated: tuple[str, ...] = ("barman", "childsnack")
    """Worlds of which every single removal is tried, to find those that the EW score does not see."""
    repeats: Count = 5
    """Times that each of those is walked in each way."""
    budget: Count = 1000
    """World queries of one search for a disagreement."""
    max_states: Count = 5000
    """Pairs of states looked through before an unexposed mutation counts as unknown."""
    out: Path = Path("runs/study-detection")
    """Where everything is written."""

    def units(self) -> list[MutantUnit]:
        """All units: the sample, world by world, then the removals."""
        own = [env for env in self.saturated if env in self.worlds]
        return [
            *(unit for env in self.worlds for unit in self._of(env, MutationPool.SAMPLE, 1)),
            *(unit for env in own for unit in self._of(env, MutationPool.REMOVALS, self.repeats)),
        ]

    def _of(self, env: str, pool: MutationPool, repeats: int) -> list[MutantUnit]:
        flags = shared(self, MutantUnit) | {"env": env, "pool": pool, "repeats": repeats}
        numbers = range(len(pool_of(truth(env, self.problem), pool, self.mutants, self.seed)))
        return [MutantUnit(**flags, number=number) for number in numbers]


def main(arguments: Sequence[str]) -> int:
    """Do the study of a command line; returns the exit code."""
    config = parse_job(DetectionConfig, "study-detection", arguments)
    with Study.open(config) as study:
        found = Detection(study.do(config.units(), work))
        study.report(
            detection_tables(found),
            {"detection.csv": detection_csv(found)},
            lambda folder: draw_detection(found, folder / "detection"),
            tex=False,
            lines=[f"recommended: {found.recommended}"],
        )
    return 0


@dataclass(frozen=True)
class MutantUnit(WorkUnit):
    """One mutation of one world, walked `repeats` times in every way."""

    env: str
    problem: int
    pool: MutationPool
    number: int  #: the mutation's place in its pool
    mutants: int  #: the size of a sample; of no meaning for REMOVALS
    budget: int
    repeats: int
    max_states: int
    seed: int
    planner: str | None
    planner_wall_s: float


def pool_of(true: Truth, pool: MutationPool, mutants: int, seed: int) -> tuple[Mutation, ...]:
    """The mutations of a pool."""
    if pool is MutationPool.REMOVALS:
        return mutations(true.domain)[MutationKind.REMOVE]
    return sample_mutations(true.domain, mutants, stream(seed, "mutants", true.env))


def work(unit: MutantUnit) -> Record:
    """The record of one unit; runs in a worker."""
    true = truth(unit.env, unit.problem)
    drawn = pool_of(true, unit.pool, unit.mutants, unit.seed)
    mutation = drawn[unit.number]
    record: Record = {
        "env": unit.env,
        "pool": unit.pool.value,
        "kind": mutation.kind.value,
        "mutation": str(mutation),
    }
    text = mutated(true.domain, mutation)
    model = true.model(text)
    if model is None:
        return {**record, "exploded": True}
    outcome, plan, works = true.plan(text, Planner(unit.planner, wall_s=unit.planner_wall_s))
    rng = stream(unit.seed, "ew", unit.env, unit.pool.value, unit.number)
    score = ew_score(true.task, model, rng).score
    record |= {"exploded": False, "outcome": outcome.value, "works": works, "ew": score}
    if unit.pool is MutationPool.REMOVALS and (works or score != 1.0):
        return record
    problem = read_problem(true.problem_text, read_domain(text))
    hints = Hints(model, plan, _rivals(unit, true, drawn, model), _probes(problem, model))
    exposures = {name: [_expose(unit, true, name, hints, r) for r in range(unit.repeats)] for name in WAYS}
    exposed = any(found["listed"] is not None for runs in exposures.values() for found in runs)
    difference = Kind.EXECUTABLE if exposed else first_difference(true.task, model, unit.max_states).kind
    return {**record, "difference": difference.value, "ways": exposures}


def _probes(problem: Problem, model: Task) -> tuple[tuple[str, ...], ...]:
    try:
        return probing_hints(ProbedTask(problem), model).probes
    except GroundingExploded:
        return ()


def _rivals(unit: MutantUnit, true: Truth, drawn: tuple[Mutation, ...], model: Task) -> tuple[Task, ...]:
    """The candidate and those that come after it in its pool."""
    others = [drawn[(unit.number + i) % len(drawn)] for i in range(1, min(RIVALS, len(drawn) - 1) + 1)]
    models = [true.model(mutated(true.domain, other)) for other in others]
    return (model, *(other for other in models if other is not None))


def _expose(unit: MutantUnit, true: Truth, name: str, hints: Hints, repeat: int) -> Record:
    """What one way of walking found."""
    assert hints.model is not None, "only candidates that could be ground are walked"
    way = WAYS[name]
    horizon = max(way.horizon, len(hints.plan) + _AFTER_PLAN) if way.policy == "plan_prefix" else way.horizon
    config = ExposureConfig(unit.budget, horizon=horizon, staggered=way.staggered, compares=way.compares)
    rng = stream(unit.seed, "walks", unit.env, unit.pool.value, unit.number, name, repeat)
    found = expose(true.task, hints.model, make_policy(way.policy, hints), rng, config)
    return {"chosen": found.chosen, "listed": found.listed, "steps": len(found.walk)}


class Detection:
    """All that the study found."""

    def __init__(self, records: Sequence[Record]):
        #: as `work` makes them, in the order of the units
        self.records = tuple(records)
        self.sample = tuple(r for r in self.records if r["pool"] == MutationPool.SAMPLE)
        self.wrong = tuple(r for r in self.sample if r.get("difference") == Kind.EXECUTABLE)
        self.saturated = tuple(r for r in self.records if "ways" in r and r["ew"] == 1.0 and not r["works"])

    def share(self, way: str, by: By, queries: int, records: Sequence[Record] | None = None) -> Estimate:
        """The share of wrong mutations (or of `records`) exposed within so many queries."""
        runs = [run for r in (self.wrong if records is None else records) for run in r["ways"][way]]
        return rate(sum(run[by] is not None and run[by] <= queries for run in runs), len(runs))

    @property
    def recommended(self) -> str:
        """The way that exposes most by choosing within 300 queries; of equals, the most within 100."""

        def merit(way: str) -> list[float]:
            return [self.share(way, "chosen", queries).mean or 0.0 for queries in (300, 100)]

        return max(WAYS, key=merit)


def detection_tables(found: Detection) -> tuple[Table, ...]:
    """All tables of the study."""
    seen = tuple(r for r in found.saturated if r["difference"] == Kind.EXECUTABLE)
    exposed = f"Share of {len(found.wrong)} wrong mutations exposed, by world queries"
    percent = f"Percent of runs that expose one of {len(seen)} saturated candidates, by world queries"
    return (
        _budget_table(found, exposed, found.wrong, str),
        _group_table(found, "kind", [kind.value for kind in MutationKind]),
        _group_table(found, "env", list(dict.fromkeys(r["env"] for r in found.wrong))),
        _count_table(found),
        _budget_table(found, percent, seen, _percent),
        _saturated_table(found),
    )


def detection_csv(found: Detection) -> str:
    """One row for each mutation, way and repetition."""
    columns = ("env", "pool", "kind", "mutation", "outcome", "works", "ew", "difference")
    rows = [
        (*(str(r[column]) for column in columns), way, number, run["chosen"], run["listed"])
        for r in found.records
        if "ways" in r
        for way, runs in r["ways"].items()
        for number, run in enumerate(runs)
    ]
    return write_csv((*columns, "way", "repeat", "chosen", "listed"), rows)


def _budget_table(
    found: Detection, title: str, records: Sequence[Record], cell: Callable[[Estimate], str]
) -> Table:
    """For each way the share of `records` that it exposes, by either signal within each budget."""
    sights = [(by, queries) for by in get_args(By) for queries in BUDGETS]
    rows = [(way, *(cell(found.share(way, *sight, records)) for sight in sights)) for way in WAYS]
    return Table(title, ("way", *(f"{by} {queries}" for by, queries in sights)), tuple(rows))


def _group_table(found: Detection, field: str, groups: Sequence[str]) -> Table:
    """Shares at 300 queries in groups of mutations."""
    rows = []
    for group in groups:
        records = [r for r in found.wrong if r[field] == group]
        shares = [found.share(way, "chosen", 300, records) for way in WAYS]
        rows.append((group, str(len(records)), *(_percent(share) for share in shares)))
    title = (
        f"Percent exposed by chosen operators within 300 queries, by {'world' if field == 'env' else field}"
    )
    return Table(title, (field, "wrong", *WAYS), tuple(rows))


def _count_table(found: Detection) -> Table:
    """What the sample consists of."""
    by_kind = Counter("too large to ground" if r["exploded"] else r["difference"] for r in found.sample)
    saturated = sum(r["pool"] == MutationPool.SAMPLE for r in found.saturated)
    rows = [(name, str(count)) for name, count in sorted(by_kind.items())]
    rows.append(("EW 1 and task not solved", str(saturated)))
    return Table(
        f"The sample: {len(found.sample)} mutations, by how they differ", ("difference", "n"), tuple(rows)
    )


def _saturated_table(found: Detection) -> Table:
    """Every saturated candidate: for each way, how many of its runs exposed it and the median price."""
    rows = [
        (r["env"], r["mutation"], r["outcome"], r["difference"], *(_runs(r["ways"][way]) for way in WAYS))
        for r in found.saturated
    ]
    columns = ("world", "mutation", "planner", "difference", *WAYS)
    title = "Saturated candidates: EW 1, task not solved; share of runs that expose them (median queries)"
    return Table(title, columns, tuple(rows))


def _runs(runs: Sequence[Record], by: By = "chosen") -> str:
    prices = [run[by] for run in runs if run[by] is not None]
    if not prices:
        return "–"
    return f"{len(prices)}/{len(runs)} ({statistics.median(prices):.0f})"


def _percent(share: Estimate) -> str:
    return "–" if share.mean is None else f"{100 * share.mean:.0f}"


def draw_detection(found: Detection, path: Path) -> tuple[Path, ...]:
    """Two panels: exposed by what walks choose, and by listing all that is applicable. Returns the files."""
    figure = new_figure(9.6, 4.0)
    _panel(figure.add_subplot(1, 2, 1), found, "chosen", "a chosen operator is refused")
    axes = figure.add_subplot(1, 2, 2)
    _panel(axes, found, "listed", "the applicable operators differ")
    axes.legend(loc="lower right", fontsize=8)
    return save(figure, path)


def _panel(axes: Axes, found: Detection, by: By, title: str) -> None:
    for way in WAYS:
        shares = [found.share(way, by, queries).mean or 0.0 for queries in _QUERIES]
        axes.plot(_QUERIES, shares, label=way, linestyle="--" if way == "paper" else "-")
    for budget in BUDGETS:
        axes.axvline(budget, color="0.85", linewidth=0.8, zorder=0)
    axes.set_xscale("log")
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("world queries")
    axes.set_ylabel("share of wrong domains exposed")
    axes.set_title(title)
