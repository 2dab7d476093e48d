"""`python -m experiments.run budgets`: methods at equal tokens, or at equal numbers of world queries.

One episode for each method, environment, seed and budget. A larger budget asks again what the smaller ones
of its method asked, and methods ask alike where they do the same, so a point costs only what is new in it;
equal evaluations are made once (`search.memoised`). Points are gone through from the smallest. The tables end
with the curves of tasks solved and EW against the budget (`experiments.reporting.budget_curves`), which are
drawn as well; docs/experiments.md says what is fair about it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from experiments.config import ConfigError, RunConfig, is_live, parse_job
from experiments.driver.console import wide_console
from experiments.driver.plan import resolve_cells
from experiments.driver.run_plan import RunPlan
from experiments.recordings import Shelved
from experiments.reporting.published_table2 import PAPER_ENVS, PAPER_SEEDS
from experiments.run import run

#: Batches enough to use up any budget, where no flag says otherwise.
_TURNS: Mapping[str, int] = MappingProxyType({"best-of-n": 40})


@dataclass(frozen=True)
class BudgetsConfig(RunConfig):
    """Methods at equal budgets: curves of tasks solved and EW against tokens, or against world queries.

    A budget is that of the search of one episode; solving the tasks with what it found comes on top.
    """

    method: tuple[str, ...] = (
        "chain", "best-of-n", "repair", "restarts", "tree", "refine", "refine+repair",
    )  # fmt: skip
    """What is compared."""
    env: tuple[str, ...] = PAPER_ENVS
    """Where."""
    seeds: tuple[int, ...] = ()
    """One repetition of everything for each seed; default: 0 1 2 3, or those that are recorded."""
    tokens: tuple[int, ...] = ()
    """Budgets in tokens, prompts and completions together; default, without --queries: 10000 30000 100000."""
    queries: tuple[int, ...] = ()
    """Budgets in world queries."""
    out: Path | None = Path("runs/budgets")
    """The run directory."""


def main(arguments: Sequence[str]) -> int:
    """Do the comparison of a command line; returns the exit code."""
    config = parse_job(BudgetsConfig, "budgets", arguments)
    if config.budget_tokens or config.budget_queries:
        raise ConfigError("--budget-tokens and --budget-queries are one budget; give --tokens or --queries")
    if any(budget <= 0 for budget in (*config.tokens, *config.queries)):
        raise ConfigError("--tokens and --queries must be positive")
    points = tuple(_points(config))

    def cells_of(given: RunConfig, shelf: Sequence[Shelved]) -> RunPlan:
        seeds = given.seeds or (PAPER_SEEDS if is_live(given) else ())
        return resolve_cells(
            [cell for point in points for cell in _cells(replace(given, seeds=seeds), *point)], shelf
        )

    return run(config, wide_console(), cells_of)


def _points(config: BudgetsConfig) -> Iterator[tuple[int | None, int | None]]:
    """Tokens or queries, the smallest first."""
    tokens = config.tokens or (() if config.queries else (10_000, 30_000, 100_000))
    yield from ((budget, None) for budget in sorted(set(tokens)))
    yield from ((None, budget) for budget in sorted(set(config.queries)))


def _cells(config: RunConfig, tokens: int | None, queries: int | None) -> Iterator[RunConfig]:
    """All methods at one point; those that need more turns for a budget get them."""
    for method in config.method:
        turns = config.turns or _TURNS.get(method)
        yield replace(config, method=(method,), turns=turns, budget_tokens=tokens, budget_queries=queries)
