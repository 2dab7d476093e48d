"""Whatever a run prints and writes for reading, no EW below 1 looks like 1."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from sample_records import EPISODE, NODE, REPAIRED, TASK

from ew.score.rating import Outcome, Rating
from experiments.methods.searching import _in_words
from experiments.report import show, write_report
from experiments.reporting.charts import charts_of
from experiments.reporting.html import page as page_of_run
from experiments.reporting.html.page import page as made_page
from experiments.runs.directory import RunDirectory
from experiments.runs.ledger import Ledger
from experiments.runs.progress import Counters, Progress
from experiments.runs.records import Score, TaskOutcome
from experiments.studies.repair.judging import Measured

NEARLY = 0.99999996
ONE = re.compile(r"(?<![\d.])1\.0+(?!\d)")


def nearly_right(folder: Path) -> tuple[RunDirectory, Ledger]:
    """Two methods with a budget, two seeds, and nothing solved: all that nearly agrees with the world."""
    run = RunDirectory.open(folder, {}, {})
    ledger = Ledger(run)
    score = Score(NEARLY, NEARLY, NEARLY, 0.0, 9, "scored", NEARLY, NEARLY)
    for number, (method, seed, env) in enumerate(
        (method, seed, env) for method in ("chain", "tree") for seed in (0, 1) for env in ("barman", "hiking")
    ):
        unit, budget = f"u{number}", {"budget_tokens": 900}
        whose = {"unit": unit, "env": env, "method": method, "seed": seed}
        ledger.begin(unit, f"{env}-{method}-{seed}")
        ledger.add_node(replace(NODE, unit=unit, score=score, outcome="WALKED"))
        lost = replace(TASK, **whose, score=score, outcome=TaskOutcome.STEP_REJECTED, **budget)
        ledger.add_task(lost)
        ledger.add_episode(replace(EPISODE, **whose, ew=NEARLY, outcome="WALKED", solved=0, **budget))
    return run, ledger


@pytest.mark.slow
def test_no_file_and_no_line_of_a_run_shows_a_one_where_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "experiments.reporting.comparison.sign_flips", lambda values: None
    )  # a p of 1 is no EW
    run, ledger = nearly_right(tmp_path / "run")
    out = io.StringIO()
    console = Console(file=out, width=250)
    report = write_report(run, ledger)
    page = made_page(run, ledger, report.tables, charts_of(report.frames))
    show(report, console)
    progress = Progress(console, Counters).episode("barman-chain-0", 3)
    for record in (NODE, REPAIRED):
        made = replace(record, score=Score(NEARLY))
        progress.node(made, _in_words(Rating(Outcome.WALKED, NEARLY)), before=NEARLY)
    progress.task(replace(TASK, score=Score(NEARLY)))
    readable = re.sub(r"<(script|style).*?</\1>|>1\.0</text>", "", page, flags=re.DOTALL)  # nor is an axis
    texts = {"console": out.getvalue(), "page": readable}
    for path in sorted((tmp_path / "run").rglob("*")):
        if path.suffix in (".md", ".tex", ".csv"):
            texts[path.name] = path.read_text(encoding="utf-8")
    where = ("console", "page", "results.csv", "tables.md")
    assert len(texts) > 6 and all("0.99" in texts[name] for name in where)
    assert {name: ONE.findall(text) for name, text in texts.items() if ONE.search(text)} == {}


def test_results_csv_cuts_too(tmp_path: Path) -> None:
    run, ledger = nearly_right(tmp_path / "run")
    write_report(run, ledger)
    rows = csv.DictReader(run.path.joinpath("results.csv").read_text(encoding="utf-8").splitlines())
    assert {row[name] for row in rows for name in ("ew", "forward", "backward")} == {"0.999999"}


def test_a_repair_s_scores_are_cut_too() -> None:
    assert str(Measured(NEARLY, 10)).startswith("0.99") and str(Measured(1.0, 10)) == "1.000"


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_the_page_cuts_as_the_tables_do() -> None:
    source = Path(page_of_run.__file__).with_name("dom.js").read_text(encoding="utf-8")
    wanted = re.findall(r"^const cut = .*?^};", source, flags=re.DOTALL | re.MULTILINE)[0]
    code = f"{wanted}\nconsole.log([1, 0.7, 0.29, 0.99999996, 1 - 2 ** -53, 0].map((v) => cut(v, 2)).join())"
    told = subprocess.run(["node", "-e", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "1.00,0.70,0.29,0.99,0.99,0.00"
