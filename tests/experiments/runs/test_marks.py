"""The mark of simulated results: on everything that is made, and nothing of another model beside it."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from agents.llm.journal import Journal
from experiments.config import ConfigError, parse
from experiments.report import main as report
from experiments.reporting.charts import charts_of
from experiments.reporting.display import marked
from experiments.reporting.tables import Table, slug
from experiments.run import main
from experiments.runs import load
from experiments.runs.directory import RunDirectory, RunUnreadable, to_json
from experiments.runs.marks import MixedResults, csv_text, file_name, label_of, one_label, title

WEAK = "simulated:weak"
SMALL = ("--tasks", "2", "--walks", "20", "--t-max", "5", "--executor", "serial")
TABLE = Table(
    "Share (of all)",
    ("world", "ours", "published", "tree, published"),
    (("a", "1", "2", "3"), ("a, published", "4", "5", "6"), ("my-published-world", "7", "8", "9")),
    ("of all.", "Published: elsewhere."),
)


@pytest.fixture(scope="module")
def run_of_a_stand_in(tmp_path_factory: pytest.TempPathFactory, figures_of_shared_runs: None) -> Path:
    """A finished run of a search and of translations, answered by a simulated model."""
    out = tmp_path_factory.mktemp("simulated") / "run"
    flags = [
        "--env",
        "grippers",
        "--method",
        "chain",
        "llm+p",
        "--model",
        WEAK,
        "--turns",
        "2",
        "--out",
        str(out),
    ]
    assert main([*flags, *SMALL]) == 0
    return out


@pytest.mark.slow
def test_every_title_file_and_record_says_that_it_is_simulated(run_of_a_stand_in: Path) -> None:
    out = run_of_a_stand_in
    assert RunDirectory(out).simulated == WEAK
    titles = re.findall(r"^(\S.*)\n\n\|", (out / "tables.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(titles) > 4 and all(line.startswith("Simulated weak – ") for line in titles)
    for folder in ("tables", "plots"):
        names = [path.name for path in (out / folder).iterdir()]
        assert names and all(name.startswith("simulated-weak-") for name in names), folder
    charts = charts_of(load(out))
    assert charts and all(chart.title.startswith("Simulated weak – ") for chart in charts)
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "<title>Simulated weak – run" in page and "<h1>Simulated weak – run</h1>" in page
    assert set(re.findall(r"<figcaption>(Simulated weak – )?", page)) == {"Simulated weak – "}
    assert set(re.findall(r"<caption>(Simulated weak – )?", page)) == {"Simulated weak – "}
    for name in ("results.csv", "tic.csv"):
        assert {row["simulated"] for row in csv.DictReader((out / name).open(encoding="utf-8"))} == {WEAK}
    assert json.loads((out / "summary.json").read_text(encoding="utf-8"))["simulated"] == WEAK
    events = [json.loads(line) for line in (out / "events.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {event["simulated"] for event in events} == {WEAK}
    with Journal(out / "calls.sqlite", read_only=True) as journal:
        assert {call.request["model"] for call in journal.calls()} == {WEAK}
    assert json.loads((out / "config.json").read_text(encoding="utf-8"))["config"]["model"] == WEAK


@pytest.mark.usefixtures("figures")
def test_a_report_made_again_is_the_same(run_of_a_stand_in: Path) -> None:
    names = ("results.csv", "tables.md", "summary.json", "report.html")
    before = [(run_of_a_stand_in / name).read_bytes() for name in names]
    assert report([str(run_of_a_stand_in), "--no-plots"]) == 0
    assert [(run_of_a_stand_in / name).read_bytes() for name in names] == before


def test_no_figure_of_a_language_model_stands_beside_simulated_ones(run_of_a_stand_in: Path) -> None:
    assert "ublished" not in (run_of_a_stand_in / "tables.md").read_text(encoding="utf-8")
    shown = marked(TABLE, WEAK)
    assert (shown.columns, shown.rows, shown.notes) == (
        ("world", "ours"),
        (("a", "1"), ("my-published-world", "7")),
        ("of all.",),
    )
    assert marked(TABLE, "") == TABLE


@pytest.mark.slow
@pytest.mark.usefixtures("figures")
def test_the_figure_of_judged_pairs_and_a_dry_run_are_marked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "pairs"
    flags = ["planetarium", "--model", WEAK, "--tasks", "2", "--executor", "serial", "--out", str(out)]
    assert main([*flags, "--dry-run"]) == 0
    assert "Simulated weak – At most" in capsys.readouterr().out
    assert main(flags) == 0
    assert {path.name.startswith("simulated-weak-") for path in (out / "plots").iterdir()} == {True}
    assert (out / "plots" / "simulated-weak-planetarium.svg").is_file()


@pytest.mark.slow
def test_a_replay_of_a_simulated_run_is_marked_and_equal(run_of_a_stand_in: Path, tmp_path: Path) -> None:
    flags = ["replay", str(run_of_a_stand_in), "--executor", "serial", "--out", str(tmp_path / "again")]
    assert main(flags) == 0
    assert RunDirectory(tmp_path / "again").simulated == WEAK


def test_models_are_never_mixed(tmp_path: Path) -> None:
    assert one_label([WEAK, WEAK]) == WEAK and one_label(["a", "b"]) == one_label([]) == ""
    for others in (["gpt"], ["simulated:strong"]):
        with pytest.raises(MixedResults, match="make two runs"):
            one_label([WEAK, *others])
    profiles = {"a": {"model": WEAK, "endpoint": "simulated"}, "b": {"model": "nobody", "endpoint": "none"}}
    assert label_of(profiles) == WEAK
    mixed = {**profiles, "c": {"model": "gpt", "endpoint": "https://x"}}
    (tmp_path / "config.json").write_text(to_json({"config": {}, "provenance": {"profiles": mixed}}))
    with pytest.raises(RunUnreadable, match="cannot stand beside"):
        _ = RunDirectory(tmp_path).simulated


def test_a_run_goes_on_with_its_own_model_only(
    run_of_a_stand_in: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = [
        "--env",
        "grippers",
        "--method",
        "chain",
        "llm+p",
        "--turns",
        "2",
        "--out",
        str(run_of_a_stand_in),
    ]
    assert main([*flags, *SMALL, "--model", "simulated:strong"]) == 2
    assert "simulated:weak" in capsys.readouterr().err
    assert main([*flags, *SMALL, "--model", WEAK]) == 0


def test_titles_and_names_are_marked_once() -> None:
    assert title("Cost", WEAK) == title(title("Cost", WEAK), WEAK) == "Simulated weak – Cost"
    assert title("Cost", "") == "Cost" and file_name("ew", "") == "ew"
    assert file_name("ew", WEAK) == "simulated-weak-ew"
    assert slug(marked(TABLE, WEAK)) == "simulated-weak-share"
    assert csv_text('a,b\n1,"x\ny"\n', WEAK) == 'a,b,simulated\n1,"x\ny",simulated:weak\n'
    assert csv_text("a\n1\n", "") == "a\n1\n"


@pytest.mark.parametrize(
    ("flags", "complaint"),
    [
        (["--base-url", "http://localhost:1/v1"], "leave out --base-url"),
        (["--llm", "recorded"], "belong to --llm live"),
        (["--retry-unanswered"], "asks a server"),
    ],
)
def test_flags_of_servers_do_not_go_with_a_simulated_model(flags: list[str], complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        parse(["--model", WEAK, *flags])


@pytest.mark.parametrize("method", ["tic-ic", "plan-advised"])
def test_methods_that_ask_something_else_are_refused(
    method: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    assert (
        main(["--env", "tyreworld", "--method", method, "--model", WEAK, "--out", str(out), "--tasks", "1"])
        == 2
    )
    assert "something else" in capsys.readouterr().err
    assert not out.exists()


def test_commands_that_only_ask_servers_refuse_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["goals", "--model", WEAK, "--out", str(tmp_path / "goals")]) == 2
    assert "name a model of a server" in capsys.readouterr().err
