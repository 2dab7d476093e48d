"""Comparisons: runs of the main job with other defaults, by `python -m experiments.run table2` and others.

`table2`: the published comparison, methods x environments x seeds; the ten environments of the paper, its
five methods and `refine`, four seeds. The published figures stand beside those of the run
(`experiments.reporting.published_comparison`). With recordings it takes every cell that they answer and
leaves the others empty. Source: Mahdavi et al. 2024, Table 2.

`budgets`: methods at equal tokens, or at equal numbers of world queries: one episode for each method,
environment, seed and budget. A larger budget asks again what the smaller ones of its method asked, and
methods ask alike where they do the same, so a point costs only what is new in it; equal evaluations are made
once (`search.memoised`). Points are gone through from the smallest. The tables end with the curves of tasks
solved and EW against the budget (`experiments.reporting.budget_curves`), which are drawn as well.

`study-ablation`: `refine` with each of its parts switched off, side by side. A condition is `refine` without
one part (`experiments.methods.registry.ABLATIONS`); everything else stays as it is, and requests that
conditions share are asked once. In the end it prints a table of what each part brought: the means of a
condition over the environments that it shares with the whole method, and how far they are from the whole's.
Without --model or --base-url it is made of the recording `ablation`; conditions that it does not hold stay
empty.

docs/experiments.md says how to read the first two, docs/refine.md what the parts do and how far that
comparison can be trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ew.score.shown import shown
from experiments.config import (
    Count,
    EpisodeFlags,
    RefinementFlags,
    RunConfig,
    SearchFlags,
    is_live,
    parse_job,
)  # fmt: skip
from experiments.driver.plan import resolve_cells
from experiments.driver.run_plan import RunPlan
from experiments.methods.registry import ABLATIONS, METHODS, PUBLISHED, without_prompts
from experiments.recordings import Shelved
from experiments.reporting.comparison import average
from experiments.reporting.display import marked, rich_table, wide_console
from experiments.reporting.published_table2 import PAPER_ENVS, PAPER_SEEDS
from experiments.reporting.results import Summary, summarise
from experiments.reporting.tables import NOTHING, Table
from experiments.run import run
from experiments.runs import load

#: Batches enough to use up any budget, where no flag says otherwise.
_TURNS: Mapping[str, int] = {"best-of-n": 40}
#: The method with all its parts.
WHOLE = "refine"
#: What each condition leaves out.
PARTS: Mapping[str, str] = {
    "refine-no-diagnosis": "diagnosis",
    "refine-no-memory": "memory",
    "refine-no-problems": "repaired problems",
    "refine-no-plans": "explained plans",
    "refine-no-probes": "the further look",
    "refine-one-task": "a second task",
    "refine-beam": "the open list, for a beam",
    "refine-algorithm1": "the open list, for Algorithm 1's order",
}
#: The environments of the recording: their rules are not described.
ENVS = tuple(f"{name}+undocumented" for name in ("grippers_ood", "miconic_ood", "blocksworld_ood", "urnsong"))
#: What stands beside them: the same feedback without any of the parts.
BESIDE = "chain"
RECORDING = "ablation"


@dataclass(frozen=True)
class Table2Config(RunConfig):
    """Methods side by side on the environments of the paper: Best@4 beside the published figures, means with
    intervals, and costs.

    Without --model or --base-url it is made of the recordings there are: cells without one stay empty.
    """

    method: tuple[str, ...] = (*PUBLISHED, "refine")
    """What is compared."""
    env: tuple[str, ...] = PAPER_ENVS
    """Where."""
    also: tuple[str, ...] = ()
    """Further environments, beside those of --env."""
    seeds: tuple[int, ...] = ()
    """One repetition of everything for each seed; default: 0 1 2 3, or those that are recorded."""
    out: Path | None = Path("runs/table2")
    """The run directory."""


def table2(arguments: Sequence[str]) -> int:
    """Make the published comparison by the flags of a command line; returns the exit code."""
    config = parse_job(Table2Config, "table2", arguments)
    envs = tuple(dict.fromkeys((*config.env, *config.also)))
    return run(replace(config, env=envs), wide_console(), cells_of_table2)


def cells_of_table2(config: RunConfig, shelf: Sequence[Shelved]) -> RunPlan:
    """Every cell of the table, as far as there are answers."""
    seeds = config.seeds or (PAPER_SEEDS if is_live(config) else ())
    return replace(resolve_cells([replace(config, seeds=seeds)], shelf), published=True)


@dataclass(frozen=True)
class BudgetsConfig(RefinementFlags, SearchFlags, EpisodeFlags):
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
    tokens: tuple[Count, ...] = ()
    """Budgets in tokens, prompts and completions together; default, without --queries: 10000 30000 100000."""
    queries: tuple[Count, ...] = ()
    """Budgets in world queries."""
    out: Path | None = Path("runs/budgets")
    """The run directory."""


def budgets(arguments: Sequence[str]) -> int:
    """Compare methods at equal budgets by the flags of a command line; returns the exit code."""
    config = parse_job(BudgetsConfig, "budgets", arguments)
    tokens = config.tokens or (() if config.queries else (10_000, 30_000, 100_000))
    points = [{"budget_tokens": budget} for budget in sorted(set(tokens))]  # the smallest first
    points += [{"budget_queries": budget} for budget in sorted(set(config.queries))]

    def cells_of(given: RunConfig, shelf: Sequence[Shelved]) -> RunPlan:
        """All methods at every point; those that need more turns for a budget get them."""
        seeds = given.seeds or (PAPER_SEEDS if is_live(given) else ())
        turns = {method: given.turns or _TURNS.get(without_prompts(method)) for method in given.method}
        cells = [
            RunConfig.of(given, method=(method,), turns=turns[method], seeds=seeds, **point)
            for point in points
            for method in given.method
        ]
        return resolve_cells(cells, shelf)

    return run(config, wide_console(), cells_of)


@dataclass(frozen=True)
class AblationConfig(RunConfig):
    """The method refine with each of its parts switched off: what a part brings, and what it costs.

    Without --model or --base-url it is made of the recording of this study.
    """

    method: tuple[str, ...] = (WHOLE, *PARTS, BESIDE)
    """What is compared: refine, conditions, or methods to stand beside them."""
    env: tuple[str, ...] = ENVS
    """Where."""
    out: Path | None = Path("runs/ablation")
    """The run directory."""


def ablation(arguments: Sequence[str]) -> int:
    """Compare `refine` with its conditions by the flags of a command line; returns the exit code."""
    config = parse_job(AblationConfig, "study-ablation", arguments)
    if not is_live(config) and config.recording is None:
        config = replace(config, recording=RECORDING)
    console = wide_console()
    code = run(config, console, cells_of_ablation)
    if config.out is not None and not config.dry_run and not config.print_config:
        frames = load(config.out)
        table = parts_table(s for s in summarise(frames) if s.seeds)
        if table.rows:
            console.print(rich_table(marked(table, frames.simulated)))
    return code


def cells_of_ablation(config: RunConfig, shelf: Sequence[Shelved]) -> RunPlan:
    """Every cell of the study, as far as there are answers. Raises ConfigError."""
    return resolve_cells([config], shelf, known=(*METHODS, *ABLATIONS))


#: A column's name, its figure of one environment (of an episode where it counts), and how it is written.
_FIGURES: tuple[tuple[str, Callable[[Summary], float | None], Callable[[float], str]], ...] = (
    ("solved", lambda s: s.solve_rate.mean, "{:.2f}".format),
    ("EW", lambda s: None if s.ew is None else s.ew.mean, shown),
    ("candidates", lambda s: s.candidates / s.seeds, "{:.1f}".format),
    ("calls", lambda s: s.spent.completions / s.seeds, "{:.1f}".format),
    ("tokens", lambda s: s.spent.tokens / s.seeds, "{:,.0f}".format),
    ("world queries", lambda s: s.world_queries / s.seeds, "{:,.0f}".format),
)
_COLUMNS = ("without", "envs", *(name for name, _, _ in _FIGURES))
_NOTES = (
    "Means over the environments that a condition shares with the whole method; counts are those of an "
    "episode. In brackets, where it is another: what the whole method has in the same environments.",
)


def parts_table(summaries: Iterable[Summary]) -> Table:
    """A row for the whole method, then one for each condition that shares an environment with it."""
    by_method: dict[str, dict[str, Summary]] = {}
    for summary in summaries:
        by_method.setdefault(without_prompts(summary.method), {})[summary.env] = summary
    whole = by_method.get(WHOLE, {})
    rows = []
    for name, part in ((WHOLE, "nothing"), *PARTS.items(), (BESIDE, f"({BESIDE})")):
        found = by_method.get(name, {})
        if envs := [env for env in whole if env in found]:
            rows.append(_row(part, [found[env] for env in envs], [whole[env] for env in envs]))
    return Table(f"{WHOLE} without each of its parts", _COLUMNS, tuple(rows), _NOTES)


def _row(part: str, mine: Sequence[Summary], whole: Sequence[Summary]) -> tuple[str, ...]:
    """The means of one condition, and those of the whole method where they differ."""
    cells = []
    for _, figure, written in _FIGURES:
        means = (average(map(figure, some)) for some in (mine, whole))
        here, there = (NOTHING if mean is None else written(mean) for mean in means)
        cells.append(here if here == there else f"{here} ({there})")
    return part, str(len(mine)), *cells
