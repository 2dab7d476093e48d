"""Upper bounds of what a run may ask for, printed before anything is asked (`--dry-run`).

See `experiments.spending.bounds` for what the numbers mean. Nothing is written, and no server is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from experiments.config import flag
from experiments.driver.models import longest_answer
from experiments.driver.run_plan import RunPlan
from experiments.methods.registry import method_named
from experiments.reporting.tables import Table
from experiments.runs.records import Summed, world_label
from experiments.runs.units import Unit
from experiments.spending.caps import Amount, Bound, Cap, Price, Prices, caps_of

_COLUMNS = ("env", "method", "episodes", "tasks", "candidates", "calls", "tokens in", "tokens out", "queries")


@dataclass(frozen=True)
class Most(Summed):
    """The most of some episodes together."""

    episodes: int = 0
    tasks: int = 0
    candidates: int = 0
    bound: Bound = field(default_factory=Bound)
    cost: float = 0.0

    @property
    def amount(self) -> Amount:
        """As caps count it."""
        usage = self.bound.usage
        tokens = usage.prompt_tokens + usage.completion_tokens
        return Amount(self.bound.calls, tokens, self.cost, self.bound.world_queries)


def most_of(unit: Unit, bound: Bound, price: Price | None) -> Most:
    """One episode that asks for no more than `bound`."""
    cost = 0.0 if price is None else price.of(bound.usage)
    return Most(1, unit.tasks, method_named(unit.method).candidates(unit), bound, cost)


def upper_bounds(plan: RunPlan, prices: Mapping[str, Price | None]) -> dict[tuple[str, str], Most]:
    """The most of each environment and method, over all seeds; `prices` are by `Unit.answers`."""
    found: dict[tuple[str, str], Most] = {}
    longest, bounds = longest_answer(plan.config), dict[Unit, Bound]()
    for unit in plan.units:
        pair, any_seed = (world_label(unit.env), unit.condition), replace(unit, seed=0)
        if any_seed not in bounds:  # a seed decides what is asked, not how much may be
            bounds[any_seed] = method_named(unit.method).bound(unit, longest)
        found[pair] = found.get(pair, Most()) + most_of(unit, bounds[any_seed], prices[unit.answers])
    return found


def bounds_table(bounds: Mapping[tuple[str, str], Most], prices: Prices) -> Table:
    """A row for each environment and method, and their sum; cost where there are prices."""
    rows = [_row(env, method, most, prices) for (env, method), most in bounds.items()]
    if len(rows) > 1:
        rows.append(_row("all", "", sum(bounds.values(), Most()), prices))
    columns = (*_COLUMNS, "cost") if prices.by_model else _COLUMNS
    return Table("At most (tokens are estimated from above)", columns, tuple(rows))


def caps_that_bite(plan: RunPlan, bounds: Iterable[Most]) -> list[str]:
    """A line for each cap that may end the run before it is through."""
    amount = sum(bounds, Most()).amount
    return [
        f"{flag(cap)} {allowed:,.10g} may end the run early: it takes {amount.of(cap):,.10g} at most"
        for cap, allowed in caps_of(plan.config).items()
        if cap is not Cap.WALL and amount.of(cap) > allowed
    ]


def _row(env: str, method: str, most: Most, prices: Prices) -> tuple[str, ...]:
    usage = most.bound.usage
    numbers = (
        most.episodes, most.tasks, most.candidates, most.bound.calls, usage.prompt_tokens,
        usage.completion_tokens, most.bound.world_queries,
    )  # fmt: skip
    cost = (prices.shown(most.cost),) if prices.by_model else ()
    return (env, method, *(f"{n:,}" for n in numbers), *cost)
