"""What a budget buys: the share of tasks solved against the tokens, or world queries, a search could spend.

A point is one method at one budget over all its episodes, whatever environment and seed. Its share is the
mean over episodes, with a bootstrap interval over them. Beside the budget stands what was really used: a
search that is done early uses less, and a round that is under way when the budget ends is paid to its end,
though what it brought beyond the budget does not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Literal

from experiments.records import EpisodeRecord, NodeRecord
from experiments.statistics import Estimate, mean
from experiments.tables import Table

Kind = Literal["tokens", "queries"]
KINDS: tuple[Kind, ...] = ("tokens", "queries")


@dataclass(frozen=True)
class BudgetPoint:
    """One method at one budget."""

    method: str
    kind: Kind
    budget: int
    episodes: int
    solved: Estimate  #: share of an episode's tasks
    ew: Estimate  #: of the best candidate, where it was searched; 0 where none could be walked
    tokens: float  #: of the search, mean over episodes
    queries: float


def budget_points(
    episodes: Iterable[EpisodeRecord], nodes: Mapping[str, Sequence[NodeRecord]]
) -> tuple[BudgetPoint, ...]:
    """Every point there is, by kind, method and budget. `nodes` are those of each unit; order is all one.

    An episode with both budgets is a point of neither.
    """
    groups: dict[tuple[Kind, str, int], list[EpisodeRecord]] = {}
    for episode in sorted(episodes, key=lambda e: (e.env, e.seed)):
        budgets = (episode.budget_tokens, episode.budget_queries)
        for kind, budget, other in zip(KINDS, budgets, reversed(budgets), strict=True):
            if budget is not None and other is None:
                groups.setdefault((kind, episode.method, budget), []).append(episode)
    keys = sorted(groups, key=lambda key: (KINDS.index(key[0]), *key[1:]))
    return tuple(_point(*key, groups[key], nodes) for key in keys)


def _point(
    kind: Kind,
    method: str,
    budget: int,
    episodes: Sequence[EpisodeRecord],
    nodes: Mapping[str, Sequence[NodeRecord]],
) -> BudgetPoint:
    made = [nodes.get(e.unit, ()) for e in episodes]
    return BudgetPoint(
        method=method,
        kind=kind,
        budget=budget,
        episodes=len(episodes),
        solved=mean([e.solved / max(1, e.tasks) for e in episodes]),
        ew=mean([e.ew or 0.0 for e in episodes]),
        tokens=fsum(n.spent.tokens for found in made for n in found) / len(episodes),
        queries=fsum(_queries(found) for found in made) / len(episodes),
    )


def _queries(nodes: Iterable[NodeRecord]) -> int:
    """World queries of the evaluations; equal candidates are evaluated once."""
    return sum({n.key: n.score.world_queries for n in nodes}.values())


def budget_tables(points: Iterable[BudgetPoint]) -> tuple[Table, ...]:
    """A table for each kind of budget that there is."""
    found = tuple(points)
    return tuple(_table(kind, here) for kind in KINDS if (here := [p for p in found if p.kind == kind]))


def _table(kind: Kind, points: Sequence[BudgetPoint]) -> Table:
    columns = (kind, "method", "episodes", "solved", "EW", "tokens used", "queries used")
    rows = [
        (
            str(p.budget), p.method, str(p.episodes), str(p.solved), p.ew.cut(), f"{p.tokens:.0f}",
            f"{p.queries:.0f}",
        )
        for p in sorted(points, key=lambda p: (p.budget, p.method))
    ]  # fmt: skip
    notes = (
        "Budget and use are of the search alone, a mean over episodes; EW is of its best candidate.",
        "Used may be more than the budget: the last round is paid to its end, but counts only as far as it "
        "is within.",
    )
    return Table(
        f"Solve rate against {kind} (mean and 95 % interval over episodes)", columns, tuple(rows), notes
    )
