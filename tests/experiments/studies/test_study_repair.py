"""`study-repair`: a small one from end to end, resumed, equal whoever works on it, and its tables."""

import json
from dataclasses import replace

import pytest

from agents.repair.repair import RepairVerdict
from envs.pddl.mutation.faults import BreakKind
from experiments.reporting.tables import latex, markdown
from experiments.run import main
from experiments.studies.repair import study as repairing
from experiments.studies.repair.report import Restoring, repair_csv, repair_tables
from experiments.studies.repair.study import CELLS, RepairUnit, StudyRepairConfig, can_be_broken

UNIT = RepairUnit("blocksworld", 1, BreakKind.REMOVED, 2, 2, 100, 3000, 300.0, 0, None, 30.0)
SMALL = [
    "study-repair", "--env", "blocksworld", "--kinds", "removed", "--tasks", "1", "--walks", "100",
]  # fmt: skip


def run(out, *more):
    # The clock must not decide, or two runs may differ.
    return main([*SMALL, "--wall-s", "600", *more, "--out", str(out)])


def records(out):
    """The records without what the clock says, by key."""
    lines = [json.loads(line) for line in (out / "events.jsonl").read_text("utf-8").splitlines()]
    units = {line["key"]: line for line in lines if line["event"] == "unit"}
    return {key: {name: x for name, x in units[key].items() if name != "wall_s"} for key in sorted(units)}


def record(**fields):
    base = {
        "env": "w", "kind": "removed", "count": 1, "seed": 0, "faults": ["f"], "out_of_reach": 0, "unread": 0,
        "verdict": "agrees", "goal": "reached", "edits": ["e"], "unexplained": 0, "ew_before": 0.5, "ew": 1.0,
        "exact": True, "solved": [True, False], "world_queries": 10, "rounds": 3, "wall_s": 0.5,
    }  # fmt: skip
    return base | fields


@pytest.fixture(scope="module")
def studied(tmp_path_factory, figures_of_shared_runs):
    folder = tmp_path_factory.mktemp("study")
    assert run(folder, "--executor", "serial") == 0
    return folder


@pytest.mark.slow
def test_a_study_leaves_its_tables_data_and_figure(studied):
    names = {path.name for path in studied.iterdir()}
    assert {"repair.csv", "table.md", "table.tex", "repair.png", "repair.svg", "config.json"} <= names
    assert len((studied / "repair.csv").read_text("utf-8").splitlines()) == 1 + 5


@pytest.mark.slow
def test_an_interrupted_study_goes_on(studied, tmp_path):
    half = tmp_path / "half"
    half.mkdir()
    lines = (studied / "events.jsonl").read_text("utf-8").splitlines(keepends=True)
    (half / "events.jsonl").write_text("".join(lines[:-3]) + lines[-3][:20], "utf-8")
    (half / "config.json").write_bytes((studied / "config.json").read_bytes())
    assert run(half, "--executor", "serial") == 0
    assert records(half) == records(studied)


@pytest.mark.slow  # test_job tries it on episodes
def test_results_do_not_depend_on_the_executor(studied, tmp_path):
    assert run(tmp_path, "--executor", "process", "--workers", "2") == 0
    assert records(tmp_path) == records(studied)


def test_removed_terms_are_restored_and_the_tasks_solved():
    found = repairing.work(UNIT)
    assert found["verdict"] == RepairVerdict.AGREES and found["ew"] == 1.0 and found["ew_before"] < 1
    assert found["solved"] == [True, True] and len(found["faults"]) == 2


def test_a_right_domain_is_left_as_it_is():
    found = repairing.work(replace(UNIT, count=0, tasks=1))
    assert not found["edits"] and not found["faults"] and found["exact"] and found["solved"] == [True]


def test_cells_that_a_domain_cannot_have_are_left_out():
    assert not can_be_broken("movie", 1, BreakKind.ARGUMENTS) and can_be_broken("movie", 1, BreakKind.ADDED)
    units = StudyRepairConfig(env=("movie",)).units()
    assert {(u.kind, u.count) for u in units} == {c for c in CELLS if c[0] is not BreakKind.ARGUMENTS}


def test_the_full_study_has_twenty_seeds_a_cell_and_nothing_broken_once():
    units = StudyRepairConfig(env=("grippers",), full=True, seed=5).units()
    assert len(units) == 1 + 20 * (len(CELLS) - 1) == len({u.key for u in units})
    assert {u.seed for u in units} == set(range(5, 25))


def test_harmless_cases_are_counted_apart():
    found = Restoring(
        [
            record(),
            record(seed=1, ew=0.9, exact=False, verdict="out_of_time"),
            record(seed=2, ew_before=1.0),
            record(seed=3, ew_before=None, ew=None, exact=False),
            record(count=0, faults=[], edits=[], ew_before=1.0),
        ]
    )
    share = found.restored(("removed", 1))
    assert (share.n, share.mean) == (3, pytest.approx(1 / 3))
    assert found.restored(("removed", 0)).mean == 1.0  # with nothing broken nothing is harmless
    assert [r["seed"] for r in found.below()] == [1, 3]
    text = "\n".join(map(markdown, repair_tables(found)))
    assert (
        "| removed | 1 | 4 | 1 | 0 | 0.33 [" in text and "agrees 2, out_of_time 1" in text and "1/3" in text
    )
    assert "\\begin{tabular}" in latex(repair_tables(found)[0])
    assert len(repair_csv(found).splitlines()) == 6


@pytest.mark.parametrize(
    "wrong", [["--samples", "0"], ["--walks", "1"], ["--env", "nowhere"], ["--wall-s", "0"]]
)
def test_what_cannot_be_meant_is_refused_in_a_line(wrong, tmp_path, capsys):
    assert main(["study-repair", *wrong, "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.startswith("error: ")
