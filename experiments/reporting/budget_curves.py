"""What a budget buys: tasks solved and EW against the tokens, or world queries, that a search could spend.

A curve is one method over the environments and seeds that have an episode at each of its budgets, so every
point of a curve is over the same ones; a point is one budget. Three shares are given, each a mean over
episodes with a 95 % interval over them:

- *solved*: evaluation tasks solved with the domain that was best when so much was spent. Every budget is
  evaluated by itself: tasks translated, planned for, and carried out in the environment. May fall: the
  candidate with the better score on the feedback task need not be the better one elsewhere.
- *EW*: of that candidate on the first feedback task; 1 where it solved that task, 0 where there is none that
  can be walked. Never falls.
- *feedback solved*: episodes in which that candidate solved the first feedback task. Never falls.

Beside the budget stands what was really used: a search that is done early uses less, and a round that is
under way when the budget ends is paid to its end, though what it brought beyond the budget does not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from typing import Literal

from ew.score.rating import Outcome
from ew.score.shown import shown
from experiments.reporting.statistics import Estimate, mean, rate
from experiments.reporting.tables import Table, write_csv
from experiments.runs.records import EpisodeRecord, NodeRecord

Kind = Literal["tokens", "queries"]
KINDS: tuple[Kind, ...] = ("tokens", "queries")

#: Columns of `curves.csv`; `low` and `high` are the ends of a 95 % interval, empty for a single episode.
CURVE_COLUMNS = (
    "kind", "budget", "method", "episodes", "solved", "solved_low", "solved_high", "ew", "ew_low", "ew_high",
    "feedback_solved", "feedback_solved_low", "feedback_solved_high", "tokens_used", "queries_used",
)  # fmt: skip


@dataclass(frozen=True)
class BudgetPoint:
    """One method at one budget."""

    method: str
    kind: Kind
    budget: int
    episodes: int
    solved: Estimate  #: share of an episode's tasks
    ew: Estimate  #: of the best candidate, on the first feedback task
    found: Estimate  #: share of episodes whose best candidate solved that task
    tokens: float  #: of the search, mean over episodes
    queries: float
    over: tuple[tuple[str, int], ...] = ()  #: environment and seed of each episode
    left_out: tuple[str, ...] = ()  #: those that are not at every budget of the method, in words


def budget_points(
    episodes: Iterable[EpisodeRecord], nodes: Mapping[str, Sequence[NodeRecord]]
) -> tuple[BudgetPoint, ...]:
    """Every point there is, by kind, method and budget. `nodes` are those of each unit; order is all one.

    An episode with both budgets is a point of neither. Environments and seeds that are not at every budget of
    a method are left out of its points, and listed there.
    """
    curves: dict[tuple[Kind, str], dict[int, list[EpisodeRecord]]] = {}
    for episode in sorted(episodes, key=lambda e: (e.env, e.seed)):
        budgets = (episode.budget_tokens, episode.budget_queries)
        for kind, budget, other in zip(KINDS, budgets, reversed(budgets), strict=True):
            if budget is not None and other is None:
                curves.setdefault((kind, episode.method), {}).setdefault(budget, []).append(episode)
    keys = sorted(curves, key=lambda key: (KINDS.index(key[0]), key[1]))
    return tuple(point for key in keys for point in _curve(*key, curves[key], nodes))


def _curve(
    kind: Kind,
    method: str,
    by_budget: Mapping[int, Sequence[EpisodeRecord]],
    nodes: Mapping[str, Sequence[NodeRecord]],
) -> Iterable[BudgetPoint]:
    """The points of one method, smallest budget first; none if no environment and seed is at all of them."""
    there = [{(e.env, e.seed) for e in found} for found in by_budget.values()]
    everywhere = set.intersection(*there)
    left_out = tuple(map(_words, sorted(set.union(*there) - everywhere)))
    for budget in sorted(by_budget):
        kept = [e for e in by_budget[budget] if (e.env, e.seed) in everywhere]
        if kept:
            yield _point(kind, method, budget, kept, nodes, left_out)


def _words(place: tuple[str, int]) -> str:
    env, seed = place
    return f"{Path(env).name} seed {seed}"


def _point(
    kind: Kind,
    method: str,
    budget: int,
    episodes: Sequence[EpisodeRecord],
    nodes: Mapping[str, Sequence[NodeRecord]],
    left_out: tuple[str, ...],
) -> BudgetPoint:
    made = [nodes.get(e.unit, ()) for e in episodes]
    pairs = list(zip(episodes, made, strict=True))
    return BudgetPoint(
        method=method,
        kind=kind,
        budget=budget,
        episodes=len(episodes),
        solved=mean([e.solved / max(1, e.tasks) for e in episodes]),
        ew=mean([first_task_ew(e, found) for e, found in pairs]),
        found=rate(sum(solved_first_task(e, found) for e, found in pairs), len(pairs)),
        tokens=fsum(n.spent.tokens for found in made for n in found) / len(episodes),
        queries=fsum(_queries(found) for found in made) / len(episodes),
        over=tuple((e.env, e.seed) for e in episodes),
        left_out=left_out,
    )


def first_task_ew(episode: EpisodeRecord, nodes: Iterable[NodeRecord]) -> float:
    """EW of an episode's best candidate on the first feedback task, 0 if it has none; in [0, 1].

    A candidate that is tried on a second task solved the first, so its EW there is 1. A candidate that is
    rated higher never has less.
    """
    return 1.0 if solved_first_task(episode, nodes) else episode.ew or 0.0


def solved_first_task(episode: EpisodeRecord, nodes: Iterable[NodeRecord]) -> bool:
    """Whether an episode's best candidate solved the first feedback task: EW 1, and its plan works there."""
    best = next((node for node in nodes if node.id == episode.best), None)
    return episode.outcome == Outcome.SOLVED.name or (best is not None and best.tasks_solved > 0)


def _queries(nodes: Iterable[NodeRecord]) -> int:
    """World queries of the evaluations; equal candidates are evaluated once."""
    return sum({n.key: n.score.world_queries for n in nodes}.values())


def budget_tables(points: Iterable[BudgetPoint]) -> tuple[Table, ...]:
    """A table for each kind of budget that there is."""
    found = tuple(points)
    return tuple(_table(kind, here) for kind in KINDS if (here := [p for p in found if p.kind == kind]))


def curves_csv(points: Iterable[BudgetPoint]) -> str:
    """`curves.csv`: every point as numbers, in the order of `budget_points`."""
    return write_csv(CURVE_COLUMNS, [_numbers(point) for point in points])


def _numbers(point: BudgetPoint) -> list[str]:
    ew = (point.ew.mean, point.ew.low, point.ew.high)
    return [
        *(str(value) for value in (point.kind, point.budget, point.method, point.episodes)),
        *_three(point.solved),
        *("" if value is None else shown(value, 6) for value in ew),
        *_three(point.found),
        f"{point.tokens:.1f}",
        f"{point.queries:.1f}",
    ]


def _three(found: Estimate) -> list[str]:
    return ["" if value is None else f"{value:.6f}" for value in (found.mean, found.low, found.high)]


def _table(kind: Kind, points: Sequence[BudgetPoint]) -> Table:
    columns = (
        kind, "method", "episodes", "solved", "EW", "feedback solved", "tokens used", "queries used",
    )  # fmt: skip
    rows = [
        (
            str(p.budget), p.method, str(p.episodes), str(p.solved), p.ew.cut(), str(p.found),
            f"{p.tokens:.0f}", f"{p.queries:.0f}",
        )
        for p in sorted(points, key=lambda p: (p.budget, p.method))
    ]  # fmt: skip
    notes = (
        "Budget and use are of the search alone, a mean over episodes. solved: evaluation tasks, with the "
        "domain that was best within the budget; EW, feedback solved: of that candidate, on the first "
        "feedback task.",
        "Used may be more than the budget: the last round is paid to its end, but counts only as far as it "
        "is within.",
        *_notes(points),
    )
    return Table(
        f"Solve rate against {kind} (mean and 95 % interval over episodes)", columns, tuple(rows), notes
    )


def _notes(points: Sequence[BudgetPoint]) -> list[str]:
    """What the curves of a table are not all over."""
    left_out = {p.method: p.left_out for p in points if p.left_out}
    notes = [f"Left out of {m}, as not at all of its budgets: {', '.join(e)}." for m, e in left_out.items()]
    if len({p.over for p in points}) > 1:
        notes.append("The methods are not over the same environments and seeds: do not compare their curves.")
    return notes
