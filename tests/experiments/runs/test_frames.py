"""A run as data frames: any run directory, and what the documents say of the columns."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from sample_records import EPISODE, NODE, REPAIRED, TASK

from ew.counterexample.doubts import Doubt, DoubtKind
from ew.score.exercised import ActionCount
from experiments.runs import load
from experiments.runs.details import Built
from experiments.runs.directory import RunDirectory
from experiments.runs.frames import COLUMNS, DETAILS, RunFrames
from experiments.runs.ledger import Ledger
from experiments.runs.records import Event, FaultKind, Spent

ROOT = Path(__file__).parents[3]
OLD = ROOT / "tests" / "data" / "golden" / "runs"
DOCUMENT = (ROOT / "docs" / "frames.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module", params=["finished", "killed"])
def old(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of an earlier version: one whose process ended, and one whose process was killed."""
    return Path(shutil.copytree(OLD / request.param, tmp_path_factory.mktemp("old") / request.param))


def test_runs_of_an_earlier_version_are_read_finished_or_killed(old: Path) -> None:
    run = load(old)
    killed = old.name == "killed"
    assert list(run.begun.state) == (["open", "finished"] if killed else ["finished"] * 2)
    assert len(run.episodes) == 2 - killed and len(run.tasks) == run.tasks.solved.sum() == 4 - 2 * killed
    assert set(run.nodes.unit) <= set(run.begun.unit) and run.nodes.ew.between(0, 1).any()
    assert len(run.calls) and run.calls.completion_tokens.sum() > 0
    assert run.units.empty and run.doubts.empty and not run.details("repair").empty
    assert run.config["seeds"] and run.provenance


def test_the_question_of_the_document_is_answered_by_its_three_lines(
    old: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines, further = re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL)[1:3]
    assert lines.count("\n") == 3
    run = load(old)
    exec(lines, {"run": run})  # noqa: S102 - our own document
    shown = capsys.readouterr().out
    if old.name == "finished":
        assert re.search(r"llm-once\+repair +0\.41 +1\.0", shown) and re.search(r"chain +0\.41", shown)
    for line in further.splitlines():
        exec(line, {"run": run})  # noqa: S102


def test_the_document_lists_every_column_with_its_type() -> None:
    told: dict[str, dict[str, str]] = {}
    for name, part in re.findall(
        r"^### `run\.(\w+)`.*?\n(.*?)(?=^##|\Z)", DOCUMENT, re.MULTILINE | re.DOTALL
    ):
        rows = re.findall(r"^\| (`[^|]*) \| (\w+) \|", part, re.MULTILINE)
        told[name] = {column: kind for names, kind in rows for column in re.findall(r"`(\w+)`", names)}
    assert told.pop("units") == {}
    assert {name: set(columns.items()) for name, columns in COLUMNS.items()} == {
        name: set(columns.items()) for name, columns in told.items()
    }
    details = re.findall(r"^\| `(\w+)` \| (`[^|]*) \| `", DOCUMENT, re.MULTILINE)
    assert {name: tuple(re.findall(r"`(\w+)`", keys)) for name, keys in details} == DETAILS


def test_a_frame_has_its_columns_and_types_even_without_rows() -> None:
    frames = RunFrames()
    for name in ("episodes", "tasks", "nodes", "begun", "doubts"):
        made = getattr(frames, name)
        assert made.empty and {c: str(kind) for c, kind in made.dtypes.items()} == dict(COLUMNS[name])
    with pytest.raises(FileNotFoundError):
        _ = frames.calls


def test_what_a_record_lacks_is_a_missing_value_and_cost_and_score_are_columns(tmp_path: Path) -> None:
    ledger = Ledger(RunDirectory.open(tmp_path, {}, {}))
    for unit in ("u", "v", "w"):
        ledger.begin(unit, f"name {unit}")
    doubt = Doubt("p01", DoubtKind.FACT, "(on a b)", "it is", "it is not", "a walk")
    ledger.add_node(replace(NODE, doubts=(doubt,)))
    seen = replace(REPAIRED.score, actions=(ActionCount("drop", 0, 2, 3),))
    ledger.add_node(replace(REPAIRED, id="1.2.1", key="r", score=seen))
    ledger.add_task(replace(TASK, told={"unmet goal": 2}, budget_tokens=900))
    built = Built({"wrong type": 1}, {}, True, 0.5, 1.0, 3, "content", "", {}, (), "()")
    ledger.add_episode(
        replace(EPISODE, env="some/where/oak", budget_tokens=900, details=(built,), not_exercised=("drop",))
    )
    ledger.add_fault("v", "name v", FaultKind.MACHINE.value, "no planner")
    run = load(tmp_path)
    (task,) = run.tasks.to_dict("records")
    assert (task["condition"], task["budget_tokens"], task["told"]) == (
        "tree@900-tokens",
        900,
        {"unmet goal": 2},
    )
    assert (task["tokens"], task["plan_length"]) == (5, 5) and run.tasks.failed_step.isna().all()
    assert run.tasks.actions.tolist() == [None] == run.tasks.not_exercised.tolist()
    counts = {"world_executed": 0, "world_refused": 2, "model_executed": 3, "model_refused": 0}
    assert run.nodes.actions.tolist() == [None, {"drop": counts}]
    assert run.nodes.not_exercised.tolist() == [None, ("drop",)]
    assert run.episodes.not_exercised.tolist() == [("drop",)]
    assert run.tasks.ew.isna().all() and run.tasks.ew_verdict.eq("none").all()
    (episode,) = run.episodes.to_dict("records")
    assert (episode["world"], episode["name"], episode["tokens"]) == ("oak", "oak-tree@900-tokens-0", 11)
    assert run.nodes[["id", "parent", "turn", "ew"]].values.tolist() == [
        ["1.2", "1", 1, 0.5],
        ["1.2.1", "1.2", 2, 0.5],
    ]
    assert run.begun[["state", "blame"]].values.tolist() == [
        ["finished", None],
        ["given up", "machine"],
        ["open", None],
    ]
    assert run.doubts[["unit", "kind", "subject"]].values.tolist() == [["u", "fact", "(on a b)"]]
    assert run.details("repair")[["unit", "id", "world_queries"]].values.tolist() == [["u", "1.2.1", 812]]
    assert run.details("built").ew_after.tolist() == [1.0] and run.details("translation").empty
    with pytest.raises(KeyError):
        run.details("oak")


def test_unanswered_episodes_and_their_records_can_be_left_out() -> None:
    silent = replace(EPISODE, unit="v", seed=1, unanswered=True, spent=Spent())
    tasks = (TASK, replace(TASK, unit="v", seed=1))
    frames = RunFrames((EPISODE, silent), tasks, (NODE, replace(NODE, unit="v")))
    assert frames.tasks.unanswered.tolist() == frames.episodes.unanswered.tolist() == [False, True]
    for left in (frames.answered.episodes, frames.answered.tasks, frames.answered.nodes):
        assert left.unit.tolist() == ["u"]


def test_a_study_s_units_keep_their_own_columns(tmp_path: Path) -> None:
    run = RunDirectory.open(tmp_path, {}, {})
    for removed, plans in ((1, [True, False]), (2, [False, False])):
        run.append(Event.UNIT, {"key": str(removed), "kind": "plan", "removed": removed, "found": plans})
    (_, lines) = re.findall(r"```python\n(study.*?\n)(.*?)```", DOCUMENT, re.DOTALL)[0]
    found = eval(lines, {"study": load(tmp_path).units})  # noqa: S307 - our own document
    assert found.to_dict() == {1: 0.5, 2: 1.0}


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no events\.jsonl"):
        load(tmp_path)


@pytest.mark.slow
def test_pandas_is_imported_when_a_frame_is_made() -> None:
    told = (
        "import sys\n"
        "from experiments.runs import load\n"
        "import experiments.report\n"
        "print([name for name in ('pandas', 'scipy', 'matplotlib') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", told], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
