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
from experiments.reporting.display import wide_console

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

from experiments.methods.registry import without_prompts
from experiments.reporting import results
from experiments.reporting.budget_curves import budget_points, budget_tables, curves_csv
from experiments.reporting.charts import charts_of, write_all
from experiments.reporting.comparison import Cells, comparison_tables
from experiments.reporting.display import marked, rich_table
from experiments.reporting.faults import InternalError, endpoint_tables, internal_errors, is_internal
from experiments.reporting.html.page import page
from experiments.reporting.pair_tables import judgements_of, pair_tables, pairs_csv
from experiments.reporting.published_comparison import tables_beside
from experiments.reporting.results import doubt_tables, meaning_tables
from experiments.reporting.tables import Table, latex, markdown, slug, write_csv
from experiments.reporting.tic_tables import tic_csv, tic_tables
from experiments.reporting.worldmodel_tables import METHOD_NAMES, worldmodel_csv, worldmodel_tables
from experiments.runs.details import JudgedTranslation
from experiments.runs.directory import RunDirectory, RunUnreadable, is_read_only, to_json
from experiments.runs.frames import RunFrames
from experiments.runs.ledger import Ledger
from experiments.runs.marks import SIMULATED_BY, csv_text
from experiments.runs.records import TaskRecord, plain_data


@dataclass(frozen=True)
class RunReport:
    """What a run's records come to."""

    frames: RunFrames
    summaries: tuple[results.Summary, ...]
    tables: tuple[Table, ...]
    faults: tuple[dict[str, str], ...]  #: episodes that were given up, by any cause
    errors: tuple[InternalError, ...]
    unanswered: tuple[str, ...] = ()  #: names of the episodes that were not answered


def report_of(run: RunDirectory, ledger: Ledger) -> RunReport:
    """What a run is shown with; writes nothing."""
    frames = RunFrames.of(run, ledger)
    summaries = results.summarise(frames)
    # Published figures are of language models, beside which none of a simulated one may stand.
    beside = () if run.simulated else tables_beside(run, Cells.of(summaries, *ledger.asked))
    made = (*all_tables(frames, summaries, ledger), *beside, *endpoint_tables(frames.calls))
    shown = tuple(marked(table, run.simulated) for table in made)
    unanswered = tuple(sorted(e.name for e in ledger.episodes if e.unanswered))
    return RunReport(frames, summaries, shown, ledger.faults, internal_errors(ledger), unanswered)


def write_report(run: RunDirectory, ledger: Ledger) -> RunReport:
    """Write results.csv, summary.json, the tables and the best models, but no figures and no page."""
    report = report_of(run, ledger)
    frames = report.frames
    pairs, points = judgements_of(ledger.tasks), budget_points(frames)
    tables = {"results.csv": results.results_csv(frames.tasks)}
    if any(map(_by_program, ledger.tasks)):
        tables["tic.csv"] = tic_csv(frames)
    if pairs:
        tables["planetarium.csv"] = pairs_csv(pairs)
    if points:
        tables["curves.csv"] = curves_csv(points)
    for name, text in tables.items():
        run.write(name, csv_text(text, run.simulated))
    if any(without_prompts(task.method) in METHOD_NAMES for task in ledger.tasks):
        run.write("worldmodel.csv", worldmodel_csv(frames))
    summary = {"summaries": list(map(plain_data, report.summaries)), "faults": list(ledger.faults)}
    mark = {SIMULATED_BY: run.simulated} if run.simulated else {}
    run.write("summary.json", to_json(summary | mark))
    run.write("tables.md", "\n".join(map(markdown, report.tables)))
    run.write("tables.tex", "\n".join(map(latex, report.tables)))
    for table in report.tables:
        run.write(f"tables/{slug(table)}.csv", write_csv(table.columns, table.rows))
    _write_models(run, ledger)
    return report


def _by_program(task: TaskRecord) -> bool:
    """Whether a task's translation is judged, and it is no pair."""
    translation = task.added(JudgedTranslation)
    return translation is not None and not translation.id


def _write_models(run: RunDirectory, ledger: Ledger) -> None:
    for episode in ledger.episodes:
        name = f"models/{episode.name}".replace(":", "_")
        texts = {"domain.pddl": episode.domain, "problem.pddl": episode.problem}
        for detail in episode.details:
            texts |= detail.files
        for kind, text in texts.items():
            if text is not None:
                run.write(f"{name}.{kind}", text)


def report_run(
    run: RunDirectory, ledger: Ledger, console: Console, *, drawn: bool, report: RunReport | None = None
) -> int:
    """Write the report of a run that ended and print it; `drawn`: with figures and page. The exit code.

    A `report` that is given has been written. A run that must not be written to is only printed.
    """
    report = write_all_of(run, ledger, console, plots=drawn, html=drawn, report=report)
    show(report, console)
    if report.errors:
        return EXIT_UNEXPLAINED
    if report.faults:
        return EXIT_MACHINE
    return EXIT_UNANSWERED if report.unanswered else 0


def write_all_of(
    run: RunDirectory,
    ledger: Ledger,
    console: Console,
    *,
    plots: bool,
    html: bool,
    report: RunReport | None = None,
) -> RunReport:
    """Write the report, the figures and the page, unless the run must not be written to. Raises OSError."""
    try:
        report = report or write_report(run, ledger)
        charts = charts_of(report.frames) if plots or html else ()
        if plots:
            write_all(charts, run.path / "plots")
        if html:
            run.write("report.html", page(run, ledger, report.tables, charts))
    except OSError as error:
        if not is_read_only(error):
            raise
        line = f"{run.path} must not be written to: its files are left as they are"
        console.print(line, soft_wrap=True)
        return report_of(run, ledger)
    return report


def show(report: RunReport, console: Console) -> None:
    """Print the tables and what went wrong, internal errors apart."""
    for table in report.tables:
        if table.rows:
            console.print(rich_table(table))
    lines = [
        f"given up ({f['kind']}): {f['name']}: {f['message']}"
        for f in report.faults
        if not is_internal(f["kind"])
    ]
    lines += [
        f"unanswered: {name}: no answer came of anything; --retry-unanswered asks again"
        for name in report.unanswered
    ]
    episodes = report.frames.episode_records
    lines += [f"{e.name}: {e.limits_of_agreement}" for e in episodes if e.limits_of_agreement]
    lines += [f"internal error: {error.where}: {error.what}" for error in report.errors]
    for line in lines:
        console.print(line, markup=False, soft_wrap=True)


def all_tables(frames: RunFrames, summaries: Sequence[results.Summary], ledger: Ledger) -> tuple[Table, ...]:
    """The tables that a run is shown and written down with; those on models, if any method makes one."""
    tasks, answered = ledger.scored_tasks, frames.answered
    silent = (results.result_table(summaries),) if any(s.unanswered for s in summaries) else ()
    outcomes = results.outcome_table(summaries, ledger.faults)
    pairs = judgements_of(tasks)
    if tasks and all(map(_by_program, tasks)):
        return *silent, outcomes, *tic_tables(answered)
    if tasks and all(without_prompts(task.method) in METHOD_NAMES for task in tasks):
        return *silent, results.cost_table(summaries), *worldmodel_tables(answered)
    if pairs and len(pairs) == len(tasks):
        return *silent, outcomes, *pair_tables(pairs)
    return (
        results.refinement_table(answered),
        results.result_table(summaries),
        outcomes,
        *meaning_tables(answered),
        *doubt_tables(answered),
        results.cost_table(summaries),
        *comparison_tables(Cells.of(summaries, *ledger.asked)),
        *budget_tables(budget_points(frames)),
        *tic_tables(answered),
        *worldmodel_tables(answered),
        *pair_tables(pairs),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Rebuild a run's tables; exit code 1 on an internal error or an unanswered episode, 2 without a run, 3
    where files cannot be written. A run that must not be written to is shown, and a line says so."""
    config = tyro.cli(ReportConfig, prog=PROGRAM, args=arguments)
    run = RunDirectory(config.run)
    if not run.events_path.exists():
        return fail(f"{config.run} is not a run directory: it has no events.jsonl", 2)
    console = wide_console()
    try:
        report = write_all_of(run, Ledger(run), console, plots=config.plots, html=config.html)
    except (RunUnreadable, OSError) as error:
        return fail(str(error), 2 if isinstance(error, RunUnreadable) else 3)
    show(report, console)
    return 1 if report.errors or report.unanswered else 0


if __name__ == "__main__":
    run_command(main)
