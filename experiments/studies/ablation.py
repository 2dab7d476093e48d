"""`python -m experiments.run study-ablation`: `refine` with each of its parts switched off, side by side.

A condition is `refine` without one part (`experiments.methods.registry.ABLATIONS`); everything else stays as
it is, and requests that conditions share are asked once. The study is a run of the main job with these
conditions in the place of methods. In the end it prints a table of what each part brought: the means of a
condition over the environments that it shares with the whole method, and how far they are from the whole's.

Without --model or --base-url it is made of the recording `ablation`; conditions that it does not hold stay
empty. docs/refine.md says what the parts do, and how far this comparison can be trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum
from pathlib import Path

from ew.score.shown import shown
from experiments.config import RunConfig, is_live, parse_job
from experiments.driver.console import wide_console
from experiments.driver.plan import resolve_cells
from experiments.driver.run_plan import RunPlan
from experiments.methods.registry import ABLATIONS, METHODS
from experiments.recordings import Shelved
from experiments.reporting.display import marked, rich_table
from experiments.reporting.tables import Summary, Table, summarise
from experiments.run import run
from experiments.runs.directory import RunDirectory
from experiments.runs.ledger import Ledger

#: The method with all its parts.
WHOLE = "refine"
#: What each condition leaves out.
PARTS: Mapping[str, str] = {
    "refine-no-diagnosis": "diagnosis",
    "refine-no-memory": "memory",
    "refine-no-problems": "repaired problems",
    "refine-no-plans": "explained plans",
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


def main(arguments: Sequence[str]) -> int:
    """Do the study of a command line; returns the exit code."""
    config = parse_job(AblationConfig, "study-ablation", arguments)
    if not is_live(config) and config.recording is None:
        config = replace(config, recording=RECORDING)
    console = wide_console()
    code = run(config, console, cells_of)
    if config.out is not None and not config.dry_run and not config.print_config:
        directory = RunDirectory(config.out)
        ledger = Ledger(directory)
        table = parts_table(s for s in summarise(ledger.episodes, ledger.tasks) if s.seeds)
        if table.rows:
            console.print(rich_table(marked(table, directory.simulated)))
    return code


def cells_of(config: RunConfig, shelf: Sequence[Shelved]) -> RunPlan:
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
        by_method.setdefault(summary.method, {})[summary.env] = summary
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
        here, there = (_mean(map(figure, some), written) for some in (mine, whole))
        cells.append(here if here == there else f"{here} ({there})")
    return part, str(len(mine)), *cells


def _mean(values: Iterable[float | None], written: Callable[[float], str]) -> str:
    known = [value for value in values if value is not None]
    return written(fsum(known) / len(known)) if known else "–"
