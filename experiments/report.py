"""Tables, figures and the page of a run, rebuilt from what is written down in its directory.

    python -m experiments.report RUN_DIR

Offline and repeatable: the same events give the same bytes, so a table can always be made again and never
has to be trusted. The main job ends with the same functions.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import tyro

from experiments.config import EXIT_MACHINE, EXIT_UNANSWERED, EXIT_UNEXPLAINED, fail
from experiments.driver.command import lasting_output, run_command
from experiments.driver.console import wide_console

PROGRAM = "python -m experiments.report"


@dataclass(frozen=True)
class ReportConfig:
    """Rebuild the tables, the figures and the page of a run from its events."""

    run: tyro.conf.Positional[Path]
    """The run directory."""
    plots: bool = True
    """Draw the figures too."""
    html: bool = True
    """Write report.html too."""


if __name__ == "__main__" and {"-h", "--help"} & {*sys.argv[1:]}:
    lasting_output()
    tyro.cli(ReportConfig, prog=PROGRAM)  # before the imports below, which take longer than the help

from collections.abc import Sequence

from rich.console import Console

from experiments.reporting import tables
from experiments.reporting.budget_curves import budget_points, budget_tables, curves_csv
from experiments.reporting.charts import charts_of
from experiments.reporting.comparison import Cells, comparison_tables
from experiments.reporting.display import marked, rich_table
from experiments.reporting.faults import Unexplained, endpoint_tables, find_unexplained, is_explained
from experiments.reporting.html.page import page
from experiments.reporting.pair_tables import judgements_of, pair_tables, pairs_csv
from experiments.reporting.published_comparison import tables_beside
from experiments.reporting.task_tables import doubt_tables, meaning_tables
from experiments.reporting.tic_tables import tic_csv, tic_tables
from experiments.reporting.worldmodel_tables import METHOD_NAMES, worldmodel_csv, worldmodel_tables
from experiments.runs.directory import RunDirectory, RunUnreadable, is_read_only, to_json
from experiments.runs.ledger import Ledger
from experiments.runs.marks import SIMULATED_BY, csv_text


@dataclass(frozen=True)
class Report:
    """What a run's records come to."""

    summaries: tuple[tables.Summary, ...]
    tables: tuple[tables.Table, ...]
    faults: tuple[dict[str, str], ...]  #: episodes that were given up, by any cause
    unexplained: tuple[Unexplained, ...]
    unanswered: tuple[str, ...] = ()  #: names of the episodes that were not answered


def report_of(run: RunDirectory, ledger: Ledger) -> Report:
    """What a run is shown with; writes nothing."""
    summaries = tables.summarise(ledger.episodes, ledger.tasks)
    # Published figures are of language models, beside which none of a simulated one may stand.
    beside = () if run.simulated else tables_beside(run, Cells.of(summaries, *ledger.asked))
    made = (*all_tables(summaries, ledger), *beside, *endpoint_tables(run))
    shown = tuple(marked(table, run.simulated) for table in made)
    unanswered = tuple(sorted(e.name for e in ledger.episodes if e.unanswered))
    return Report(summaries, shown, ledger.faults, find_unexplained(ledger), unanswered)


def write_report(run: RunDirectory, ledger: Ledger) -> Report:
    """Write results.csv, summary.json, the tables and the best models, but no figures and no page."""
    report = report_of(run, ledger)
    summaries, shown = report.summaries, report.tables
    run.write("results.csv", csv_text(tables.results_csv(ledger.tasks, ledger.episodes), run.simulated))
    if any(task.translated for task in ledger.tasks):
        run.write("tic.csv", csv_text(tic_csv(ledger.tasks), run.simulated))
    if any(task.method in METHOD_NAMES for task in ledger.tasks):
        run.write("worldmodel.csv", worldmodel_csv(ledger.tasks))
    if pairs := judgements_of(ledger.tasks):
        run.write("planetarium.csv", csv_text(pairs_csv(pairs), run.simulated))
    nodes = {e.unit: ledger.nodes(e.unit) for e in ledger.scored_episodes}
    if points := budget_points(ledger.scored_episodes, nodes):
        run.write("curves.csv", csv_text(curves_csv(points), run.simulated))
    mark = {SIMULATED_BY: run.simulated} if run.simulated else {}
    run.write("summary.json", to_json(tables.summary_json(summaries, ledger.faults) | mark))
    run.write("tables.md", "\n".join(map(tables.markdown, shown)))
    run.write("tables.tex", "\n".join(map(tables.latex, shown)))
    for table in shown:
        run.write(f"tables/{tables.slug(table)}.csv", tables.write_csv(table.columns, table.rows))
    for episode in ledger.episodes:
        name = f"models/{episode.name}".replace(":", "_")
        texts = {"domain.pddl": episode.domain, "problem.pddl": episode.problem}
        if episode.built is not None:
            texts |= {"written.pddl": episode.built.written, "words.txt": episode.built.said}
        for kind, text in texts.items():
            if text is not None:
                run.write(f"{name}.{kind}", text)
    return report


def report_run(run: RunDirectory, ledger: Ledger, console: Console, *, drawn: bool) -> int:
    """Write the report of a run that ended and print it; `drawn`: with figures and page. The exit code.

    A run that must not be written to is only printed.
    """
    if drawn:
        report = write_report(run, ledger)
        write_plots(run, ledger)
        write_page(run, ledger, report)
    else:
        report = _written(run, ledger, console)
    show(report, console)
    if report.unexplained:
        return EXIT_UNEXPLAINED
    if report.faults:
        return EXIT_MACHINE
    return EXIT_UNANSWERED if report.unanswered else 0


def _written(run: RunDirectory, ledger: Ledger, console: Console) -> Report:
    """The report of a finished run, written as far as that is allowed."""
    try:
        return write_report(run, ledger)
    except OSError as error:
        if not is_read_only(error):
            raise
        console.print(left_alone(run), soft_wrap=True)
        return report_of(run, ledger)


def write_plots(run: RunDirectory, ledger: Ledger) -> None:
    """Draw the figures into `plots/`."""
    from experiments.reporting.plots import (
        draw_all,  # matplotlib is slow to import and a resumed run needs none
    )

    draw_all(charts_of(ledger), run.path / "plots")


def write_page(run: RunDirectory, ledger: Ledger, report: Report) -> Path:
    """Write report.html; returns its path."""
    return run.write("report.html", page(run, ledger, report.tables))


def show(report: Report, console: Console) -> None:
    """The tables, for people, and what went wrong, unexplained errors apart."""
    for table in report.tables:
        if table.rows:
            console.print(rich_table(table))
    for fault in report.faults:
        if is_explained(fault["kind"]):
            line = f"given up ({fault['kind']}): {fault['name']}: {fault['message']}"
            console.print(line, markup=False, soft_wrap=True)
    for name in report.unanswered:
        line = f"unanswered: {name}: no answer came of anything; --retry-unanswered asks again"
        console.print(line, markup=False, soft_wrap=True)
    for item in report.unexplained:
        console.print(f"unexplained error: {item.where}: {item.what}", markup=False, soft_wrap=True)


def all_tables(summaries: Sequence[tables.Summary], ledger: Ledger) -> tuple[tables.Table, ...]:
    """The tables that a run is shown and written down with; those on models, if any method makes one."""
    episodes, tasks = ledger.scored_episodes, ledger.scored_tasks
    if tasks and all(task.translated for task in tasks):
        return *_told(summaries), tables.outcome_table(summaries, ledger.faults), *tic_tables(tasks)
    if tasks and all(task.method in METHOD_NAMES for task in tasks):
        return *_told(summaries), tables.cost_table(summaries), *worldmodel_tables(episodes, tasks)
    pairs = judgements_of(tasks)
    if pairs and len(pairs) == len(tasks):
        return *_told(summaries), tables.outcome_table(summaries, ledger.faults), *pair_tables(pairs)
    nodes = {e.unit: ledger.nodes(e.unit) for e in ledger.episodes}
    return (
        tables.refinement_table(episodes, [n for found in nodes.values() for n in found]),
        tables.result_table(summaries),
        tables.outcome_table(summaries, ledger.faults),
        *meaning_tables(tasks),
        *doubt_tables(episodes, tasks, nodes),
        tables.cost_table(summaries),
        *comparison_tables(Cells.of(summaries, *ledger.asked)),
        *budget_tables(budget_points(episodes, nodes)),
        *tic_tables(tasks),
        *worldmodel_tables(episodes, tasks),
        *pair_tables(pairs),
    )


def _told(summaries: Sequence[tables.Summary]) -> tuple[tables.Table, ...]:
    """The results where other tables would stand alone, if there are episodes that were not answered."""
    return (tables.result_table(summaries),) if any(s.unanswered for s in summaries) else ()


def main(arguments: Sequence[str] | None = None) -> int:
    """Rebuild a run's tables; exit code 1 if an error is unexplained or an episode unanswered, 2 if there is
    no run, 3 on a failure to write. A run that must not be written to is shown, and a line says so."""
    config = tyro.cli(ReportConfig, prog=PROGRAM, args=arguments)
    run = RunDirectory(config.run)
    if not run.events_path.exists():
        return fail(f"{config.run} is not a run directory: it has no events.jsonl", 2)
    try:
        ledger = Ledger(run)
        report = report_of(run, ledger)
        _rebuild(config, run, ledger)
    except (RunUnreadable, OSError) as error:
        return fail(str(error), 2 if isinstance(error, RunUnreadable) else 3)
    show(report, wide_console())
    return 1 if report.unexplained or report.unanswered else 0


def _rebuild(config: ReportConfig, run: RunDirectory, ledger: Ledger) -> None:
    """Write what was asked for, unless the run must not be written to. Raises OSError."""
    try:
        report = write_report(run, ledger)
        if config.plots:
            write_plots(run, ledger)
        if config.html:
            write_page(run, ledger, report)
    except OSError as error:
        if not is_read_only(error):
            raise
        wide_console().print(left_alone(run), soft_wrap=True)


def left_alone(run: RunDirectory) -> str:
    """The line on a run that must not be written to."""
    return f"{run.path} must not be written to: its files are left as they are"


if __name__ == "__main__":
    run_command(main)
