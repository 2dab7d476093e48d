"""The published comparison beside a run's own: Best@k as published, environments solved, successful seeds.

The published reading of Best@k: of k seeds the highest share of tasks solved and the highest EW, each by
itself. `experiments.reporting.comparison` shows one seed with both of its numbers. An environment is solved
where the best seed solves more than half of the tasks; a seed that does so is successful.

Published figures belong to the environments and methods of the paper; all others have none. What the cells of
a run do otherwise than the paper is named under the table, for each method.

Source: Mahdavi et al. 2024, section 5, Table 2 and Appendix B.4.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ew.score.shown import shown
from experiments.methods.registry import method_named
from experiments.recordings import Cover, covers_of
from experiments.reporting import published_table2 as paper
from experiments.reporting.comparison import Cells, average, by_words
from experiments.reporting.results import Summary
from experiments.reporting.tables import NOTHING, Table, two
from experiments.runs.directory import RunDirectory
from experiments.runs.records import condition_of

#: Longest walk of the published EW scores.
_T_MAX = 10


#: Best@k in the published reading by environment and method, of a run or of the paper.
def best_as_published(cell: Summary) -> tuple[float, float | None]:
    """The highest share of tasks solved and the highest EW of any seed; EW is None without a model.

    Raises ValueError for a cell without a seed.
    """
    return max(cell.seed_rates), cell.highest_ew


def successful_seeds(cell: Summary) -> int:
    """How many seeds solved more than half of the tasks."""
    return sum(rate > paper.SOLVED_ABOVE for rate in cell.seed_rates)


def tables_beside(run: RunDirectory, cells: Cells) -> tuple[Table, ...]:
    """The tables of a run that the published figures stand beside; nothing for any other run."""
    if not run.config_path.exists():
        return ()
    origin = run.provenance()
    return published_tables(cells, covers_of(origin)) if origin.get("published") else ()


def published_tables(cells: Cells, settings: Sequence[Cover]) -> tuple[Table, ...]:
    """Both tables; nothing if nothing in the run has a published counterpart.

    `settings`: how each cell was run.
    """
    if not any(_published(env, method) for env in cells.envs for method in cells.methods):
        return ()
    return _best_table(cells, settings), _seeds_table(cells)


def _published(env: str, method: str) -> paper.PublishedBest | None:
    return paper.PUBLISHED_BEST.get(env, {}).get(method)


def _best_table(cells: Cells, settings: Sequence[Cover]) -> Table:
    """A row for each environment, and below it what is published, as in the table of the paper."""
    sides = [
        ("", {(s.env, s.method): paper.PublishedBest(*best_as_published(s)) for s in cells.summaries}),
        (", published", {(e, m): best for e, row in paper.PUBLISHED_BEST.items() for m, best in row.items()}),
    ]
    rows = []
    for env in cells.envs:
        for suffix, bests in sides[: 1 + (env in paper.PUBLISHED_BEST)]:
            rows.append((env + suffix, *(_cell(bests.get((env, m))) for m in cells.methods)))
    both = _both(cells)
    shared = [(f" of {len(both)}", both)] if 0 < len(both) < len(cells.envs) else []
    for where, envs in [("", cells.envs), *shared]:
        for name, total in (("Average", _average), (f"solved (> {paper.SOLVED_ABOVE})", _solved)):
            for suffix, bests in sides:
                columns = ([bests[env, m] for env in envs if (env, m) in bests] for m in cells.methods)
                totals = (total(column, len(envs)) for column in columns)
                rows.append((f"{name}{where}{suffix}", *totals))
    k = max((s.seeds for s in cells.summaries), default=paper.SEEDS)
    title = f"Best@{k} as published (solved / EW), above the published figures"
    return Table(title, ("env", *cells.methods), tuple(rows), tuple(_notes(cells, settings, both)))


def _both(cells: Cells) -> tuple[str, ...]:
    """The environments where every published method of the run has a cell and a published figure."""
    methods = [m for m in cells.methods if any(_published(env, m) for env in cells.envs)]
    some = [m for m in methods if cells.of_method(m)]
    return tuple(
        env for env in cells.envs if some and all(cells.get(env, m) and _published(env, m) for m in some)
    )


def _cell(best: paper.PublishedBest | None) -> str:
    return NOTHING if best is None else f"{best.solved:.2f} / {shown(best.ew)}"


def _average(bests: Sequence[paper.PublishedBest], envs: int) -> str:
    """Rounded as the paper rounds; with the number of cells, if it is not that of environments."""
    if not bests:
        return NOTHING
    text = f"{two(average(b.solved for b in bests))} / {two(average(b.ew for b in bests))}"
    return text if len(bests) == envs else f"{text} ({len(bests)} of {envs})"


def _solved(bests: Sequence[paper.PublishedBest], _: int) -> str:
    return f"{sum(b.solved > paper.SOLVED_ABOVE for b in bests)} of {len(bests)}" if bests else NOTHING


def _seeds_table(cells: Cells) -> Table:
    """Successful seeds of each cell; those published are of one method."""
    rows = [
        (
            env,
            *(_successes(cells.get(env, method)) for method in cells.methods),
            f"{paper.SUCCESSFUL_SEEDS[env]} of {paper.SEEDS}" if env in paper.SUCCESSFUL_SEEDS else NOTHING,
        )
        for env in cells.envs
    ]
    notes = (
        "A seed is successful if it solves more than half of the tasks. Published: Appendix B.4, which names "
        f"no method; its seven environments are those that {paper.SUCCESSFUL_SEEDS_OF} solves in Table 2. Of "
        "the other three it solves no task, so none of its seeds is successful there.",
    )
    columns = ("env", *cells.methods, f"{paper.SUCCESSFUL_SEEDS_OF}, published")
    return Table("Successful seeds (more than half of the tasks solved)", columns, tuple(rows), notes)


def _successes(cell: Summary | None) -> str:
    return NOTHING if cell is None else f"{successful_seeds(cell)} of {cell.seeds}"


def _notes(cells: Cells, settings: Sequence[Cover], both: Sequence[str]) -> list[str]:
    """What must be known to read ours beside theirs."""
    notes = [
        "The highest share of tasks solved and the highest EW of any seed, each by itself; the table of "
        f"Best@k takes both from one seed. solved (> {paper.SOLVED_ABOVE}): environments of which the best "
        "seed solves more than half of the tasks. Averages are rounded, as in the paper; this run's EW is "
        "cut.",
        f"Published: Mahdavi et al. 2024, Table 2, with {paper.MODEL}, {paper.SEEDS} seeds and {paper.TASKS} "
        "tasks. Tasks and texts are the authors' there and this project's here, under the same names.",
    ]
    notes += [f"{method}: not run as published: {words}." for method, words in _otherwise(cells, settings)]
    if "grippers_ood" in cells.envs:
        notes.append("grippers_ood: its rule is this project's own; the published Grippers-ood is another.")
    strange = [env for env in cells.envs if env not in paper.PUBLISHED_BEST]
    if strange:
        notes.append(f"Without published figures, other texts included: {', '.join(strange)}.")
    if 0 < len(both) < len(cells.envs):
        notes.append(f"of {len(both)}: over the environments that both sides have, {', '.join(both)}.")
    return notes


def _otherwise(cells: Cells, settings: Sequence[Cover]) -> list[tuple[str, str]]:
    """For each method with published figures, what its cells did otherwise than the paper, and where."""
    by_cell = {(c.env, condition_of(c.method, c.budget_tokens, c.budget_queries)): c for c in settings}
    found = []
    for method in cells.methods:
        beside = [(cell, best) for cell in cells.of_method(method) if (best := _published(cell.env, method))]
        words = [
            (", ".join(_differences(cell, best, by_cell.get((cell.env, method)))), cell.env)
            for cell, best in beside
        ]
        differing = [text for text in by_words(words) if text and not text.startswith(" (")]
        found += [(method, "; ".join(differing))] if differing else []
    return found


def _differences(cell: Summary, theirs: paper.PublishedBest, cover: Cover | None) -> Iterator[str]:
    """What a cell did otherwise; how it searched matters only to methods that make a model."""
    if cell.seeds != paper.SEEDS:
        yield f"{cell.seeds} {'seed' if cell.seeds == 1 else 'seeds'}"
    if cell.tasks != paper.TASKS:
        yield f"{cell.tasks} {'task' if cell.tasks == 1 else 'tasks'}"
    if cover is None:
        yield "settings not written down"
    elif theirs.ew is not None:
        method = method_named(cover.method)
        expected = {
            "np": method.np, "nd": method.nd, "turns": method.turns, "t_max": _T_MAX, "protocol": "paper",
            "feedback": "paper", "estimator": "paper", "translator": "llm",
        }  # fmt: skip
        for name, value in expected.items():
            if getattr(cover, name) != value:
                yield f"{name.replace('_', '-')} {getattr(cover, name)}"
