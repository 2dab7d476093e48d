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

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ew.score.rating import Outcome
from ew.score.shown import shown
from experiments.reporting.results import ordered
from experiments.reporting.statistics import Estimate, mean, share
from experiments.reporting.tables import Table, write_csv
from experiments.runs.frames import DataFrame, RunFrames
from experiments.runs.records import world_label

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
    steps: float | None = None  #: of simulators, likewise; None where walks are batched
    over: tuple[tuple[str, int], ...] = ()  #: environment and seed of each episode
    left_out: tuple[str, ...] = ()  #: those that are not at every budget of the method, in words


def budget_points(run: RunFrames) -> tuple[BudgetPoint, ...]:
    """Every point there is, by kind, method and budget; the order of records makes no difference.

    An episode with both budgets is a point of neither. Environments and seeds that are not at every budget of
    a method are left out of its points, and listed there.
    """
    if not any(e.budget_tokens or e.budget_queries for e in run.episode_records):
        return ()
    episodes = searched(run)
    points: list[BudgetPoint] = []
    for kind, other in zip(KINDS, reversed(KINDS), strict=True):
        bound = episodes[episodes[f"budget_{kind}"].notna() & episodes[f"budget_{other}"].isna()]
        for method, curve in bound.groupby("method"):
            points += _curve(kind, str(method), curve)
    return tuple(points)


def searched(run: RunFrames) -> DataFrame:
    """The answered episodes by environment and seed, with what their searches used and found.

    `tokens_used`, `queries_used` and, of simulators, `steps_used` are those of the search; `first_solved` is
    whether the best candidate solved the first feedback task, `first_ew` its EW there.
    """
    nodes, episodes = run.answered.nodes, ordered(run.answered.episodes, ["env", "seed"])
    tokens = nodes.groupby("unit").tokens.sum()
    # equal candidates are evaluated once
    once = nodes.drop_duplicates(["unit", "key"], keep="last").groupby("unit")
    queries, steps = once.world_queries.sum(), once.simulator_steps.sum(min_count=1)
    best = episodes[["unit", "best"]].merge(nodes, left_on=["unit", "best"], right_on=["unit", "id"])
    further = best.unit[best.tasks_solved > 0]
    # A candidate that is tried on a second task solved the first, so its EW there is 1. A candidate that is
    # rated higher never has less.
    first = (episodes.outcome == Outcome.SOLVED.name) | episodes.unit.isin(further)
    return episodes.assign(
        tokens_used=episodes.unit.map(tokens).fillna(0),
        queries_used=episodes.unit.map(queries).fillna(0),
        steps_used=episodes.unit.map(steps),
        first_solved=first,
        first_ew=episodes.ew.fillna(0.0).mask(first, 1.0),
        share_solved=episodes.solved / episodes.tasks.clip(lower=1),
    )


def _curve(kind: Kind, method: str, episodes: DataFrame) -> Iterator[BudgetPoint]:
    """The points of one method, smallest budget first; none if no environment and seed is at all of them."""
    budget = f"budget_{kind}"
    there = [{*zip(e.env, e.seed, strict=True)} for _, e in episodes.groupby(budget)]
    everywhere = set.intersection(*there)
    left_out = tuple(
        f"{world_label(env)} seed {seed}" for env, seed in sorted(set.union(*there) - everywhere)
    )
    places = [place in everywhere for place in zip(episodes.env, episodes.seed, strict=True)]
    for size, kept in episodes[places].groupby(budget):
        yield BudgetPoint(
            method=method,
            kind=kind,
            budget=int(str(size)),
            episodes=len(kept),
            solved=mean(kept.share_solved),
            ew=mean(kept.first_ew),
            found=share(kept.first_solved),
            tokens=float(kept.tokens_used.mean()),
            queries=float(kept.queries_used.mean()),
            steps=float(kept.steps_used.mean()) if kept.steps_used.notna().any() else None,
            over=tuple(zip(kept.env, kept.seed, strict=True)),
            left_out=left_out,
        )


def budget_tables(points: Iterable[BudgetPoint]) -> tuple[Table, ...]:
    """A table for each kind of budget that there is."""
    found = tuple(points)
    return tuple(_table(kind, here) for kind in KINDS if (here := [p for p in found if p.kind == kind]))


def curves_csv(points: Iterable[BudgetPoint]) -> str:
    """`curves.csv`: every point as numbers, in the order of `budget_points`."""
    rows = [
        (
            p.kind, p.budget, p.method, p.episodes, *_ends(p.solved, "{:.6f}".format),
            *_ends(p.ew, lambda value: shown(value, 6)), *_ends(p.found, "{:.6f}".format),
            f"{p.tokens:.1f}", f"{p.queries:.1f}",
        )
        for p in points
    ]  # fmt: skip
    return write_csv(CURVE_COLUMNS, rows)


def _ends(found: Estimate, write: Callable[[float], str]) -> list[str | None]:
    return [None if value is None else write(value) for value in (found.mean, found.low, found.high)]


def _table(kind: Kind, points: Sequence[BudgetPoint]) -> Table:
    columns: dict[str, Any] = {
        kind: "budget", "method": "method", "episodes": "episodes", "solved": "solved",
        "EW": lambda p: p.ew.cut(), "feedback solved": "found", "tokens used": lambda p: f"{p.tokens:.0f}",
        "queries used": lambda p: f"{p.queries:.0f}",
    }  # fmt: skip
    if any(p.steps is not None for p in points):
        columns |= {"simulator steps used": lambda p: p.steps and f"{p.steps:.0f}"}
    notes = (
        "Budget and use are of the search alone, a mean over episodes. solved: evaluation tasks, with the "
        "domain that was best within the budget; EW, feedback solved: of that candidate, on the first "
        "feedback task.",
        "Used may be more than the budget: the last round is paid to its end, but counts only as far as it "
        "is within.",
        *_notes(points),
    )
    title = f"Solve rate against {kind} (mean and 95 % interval over episodes)"
    return Table.of(title, sorted(points, key=lambda p: (p.budget, p.method)), columns, notes)


def _notes(points: Sequence[BudgetPoint]) -> list[str]:
    """What the curves of a table are not all over."""
    left_out = {p.method: p.left_out for p in points if p.left_out}
    notes = [f"Left out of {m}, as not at all of its budgets: {', '.join(e)}." for m, e in left_out.items()]
    if len({p.over for p in points}) > 1:
        notes.append("The methods are not over the same environments and seeds: do not compare their curves.")
    return notes
