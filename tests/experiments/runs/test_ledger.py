"""Records and the ledger that keeps them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import msgspec
import pytest
from sample_records import EPISODE, NODE, REPAIRED, TASK

from experiments.bench.runs import write_run
from experiments.report import main as report
from experiments.runs import ledger as ledger_module
from experiments.runs.details import Built, JudgedTranslation
from experiments.runs.directory import RunDirectory, RunUnreadable
from experiments.runs.ledger import Ledger
from experiments.runs.records import (
    EpisodeRecord,
    Event,
    NodeRecord,
    Spent,
    Story,
    StoryStep,
    TaskOutcome,
    TaskRecord,
    content_key,
)


@pytest.fixture
def run(tmp_path: Path) -> RunDirectory:
    return RunDirectory.open(tmp_path, {}, {})


@pytest.mark.parametrize("record", [NODE, REPAIRED, TASK, EPISODE])
def test_a_record_survives_its_json(record: NodeRecord | TaskRecord | EpisodeRecord) -> None:
    written = json.loads(json.dumps(record.to_json()))
    assert type(record).from_json({**written, "event": "x"}) == record


FULL = replace(
    TASK,
    details=(JudgedTranslation("problem", names_kept=True, id="1", size=3, mistakes=("init_extra",)),),
    told={"step_rejected": 2},
)
STORY = replace(
    REPAIRED,
    story=Story("plan", ("a holds.",), (StoryStep("(a b)", True, False, world_gains=("b holds.",)),)),
)
BUILT = replace(EPISODE, details=(Built({"a": 1}, None, True, None, 1.0, 2, "done", "n", {}, ("x",), "(d)"),))


@pytest.mark.parametrize("record", [FULL, STORY, BUILT])
def test_what_is_nested_in_a_record_survives_too(record: NodeRecord | TaskRecord | EpisodeRecord) -> None:
    again = type(record).from_json(json.loads(json.dumps(record.to_json())))
    assert again == record and hash(str(again)) == hash(str(record))


def paths(data: object, at: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Where each value of nested plain data is."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield (*at, key)
            yield from paths(value, (*at, key))


def holder(data: Any, path: tuple[str, ...]) -> dict[str, Any]:
    for name in path[:-1]:
        data = data[name]
    assert isinstance(data, dict)
    return data


@pytest.mark.parametrize("record", [FULL, STORY, BUILT, NODE])
def test_a_record_without_a_field_is_read_by_its_default_or_refused_by_the_field_s_name(
    record: NodeRecord | TaskRecord | EpisodeRecord,
) -> None:
    whole = json.loads(json.dumps(record.to_json()))
    refused = 0
    for path in paths(whole):
        less = json.loads(json.dumps(whole))
        del holder(less, path)[path[-1]]
        try:
            type(record).from_json(less)
        except msgspec.ValidationError as error:
            refused += 1
            assert f"missing required field `{path[-1]}`" in str(error)
    assert refused >= 8


@pytest.mark.parametrize("record", [FULL, STORY, BUILT, NODE])
def test_a_record_with_a_field_of_another_kind_is_refused_by_the_field_s_name(
    record: NodeRecord | TaskRecord | EpisodeRecord,
) -> None:
    whole = json.loads(json.dumps(record.to_json()))
    for path in paths(whole):
        other = json.loads(json.dumps(whole))
        holder(other, path)[path[-1]] = [{"of another": "version"}]
        with pytest.raises(msgspec.ValidationError, match=rf"`\$\.{path[0]}"):
            type(record).from_json(other)


def test_keys_that_are_no_field_are_left_out_at_any_depth() -> None:
    more = NODE.to_json()
    more["score"]["later"] = more["spent"]["later"] = more["later"] = 1
    assert NodeRecord.from_json(more) == NODE


@pytest.mark.parametrize(
    ("event", "data", "field"),
    [
        (Event.NODE, {"unit": "u", "id": "1"}, "key"),
        (Event.TASK, {**TASK.to_json(), "outcome": "half_solved"}, "outcome"),
        (Event.STARTED, {"unit": "u"}, "name"),
        (Event.FAULT, {"unit": "u", "name": "n", "kind": "machine"}, "message"),
    ],
)
def test_a_record_that_cannot_be_read_is_told_by_file_line_and_field(
    run: RunDirectory, event: Event, data: dict[str, Any], field: str
) -> None:
    run.append(Event.STARTED, {"unit": "u", "name": "n"})
    run.append(event, data)
    with pytest.raises(
        RunUnreadable, match=rf"events\.jsonl:2 .*`(\$\.)?{field}`.*Take the line out.*--fresh"
    ):
        Ledger(run)


def test_a_command_on_such_a_run_ends_with_one_line(
    run: RunDirectory, capsys: pytest.CaptureFixture[str]
) -> None:
    run.append(Event.EPISODE, {"unit": "u"})
    assert report([str(run.path)]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ") and said.count("\n") == 1 and "events.jsonl:1" in said


def test_the_outcome_of_a_node_stays_a_name_and_that_of_a_task_a_member() -> None:
    assert NodeRecord.from_json(NODE.to_json()).outcome == "WALKED"
    assert TaskRecord.from_json(TASK.to_json()).outcome is TaskOutcome.SOLVED


def test_a_new_ledger_knows_what_the_old_one_wrote(run: RunDirectory) -> None:
    ledger = Ledger(run)
    ledger.add_node(NODE)
    ledger.add_task(TASK)
    ledger.add_episode(EPISODE)
    again = Ledger(run)
    assert again.nodes("u") == (NODE,) and again.task("u", 3) == TASK and again.episode("u") == EPISODE


def test_a_known_record_is_not_written_again(run: RunDirectory) -> None:
    ledger = Ledger(run)
    assert ledger.add_node(NODE) and not ledger.add_node(NODE)
    assert ledger.add_task(TASK) and not Ledger(run).add_task(TASK)
    assert len(list(run.events())) == 2


def test_tasks_are_done_again_if_the_search_before_them_goes_on(run: RunDirectory) -> None:
    ledger = Ledger(run)
    ledger.add_node(NODE)
    ledger.add_task(TASK)
    ledger.add_task(replace(TASK, unit="v"))
    ledger.add_node(NODE)
    assert ledger.task("u", 3) == TASK
    ledger.add_node(replace(NODE, key="another answer"))
    for found in (ledger, Ledger(run)):
        assert found.task("u", 3) is None and found.task("v", 3) is not None
    better = replace(TASK, plan_length=4)
    assert ledger.add_task(better) and Ledger(run).task("u", 3) == better


def test_nodes_come_in_the_order_of_their_paths(run: RunDirectory) -> None:
    ledger = Ledger(run)
    for name in ("2", "1.10", "1.2", "1"):
        ledger.add_node(replace(NODE, id=name))
    assert [n.id for n in ledger.nodes("u")] == ["1", "1.2", "1.10", "2"]
    assert ledger.nodes("v") == ()


def test_a_fault_stands_until_its_episode_begins_again(run: RunDirectory) -> None:
    ledger = Ledger(run)
    ledger.begin("u", "name")
    ledger.add_fault("u", "name", "machine", "no planner")
    assert [f["message"] for f in Ledger(run).faults] == ["no planner"]
    ledger.begin("u", "name")
    assert Ledger(run).faults == ()


def test_spent_adds_up() -> None:
    assert Spent(1, 2, 3) + Spent(4, 5, 6) == Spent(5, 7, 9) and Spent(1, 2, 3).tokens == 5


def test_content_keys_do_not_depend_on_the_order_of_keys() -> None:
    assert content_key({"a": 1, "b": 2}) == content_key({"b": 2, "a": 1}) != content_key({"a": 2, "b": 1})


def test_a_candidate_that_was_answered_anew_takes_the_place_of_the_old_one(run: RunDirectory) -> None:
    ledger = Ledger(run)
    ledger.add_node(NODE)
    anew = replace(NODE, key="another content", outcome="SOLVED")
    assert ledger.add_node(anew) and not ledger.add_node(anew)
    assert Ledger(run).nodes("u") == (anew,)


def test_an_episode_that_was_begun_is_known_by_name_whether_it_ends_or_not(tmp_path: Path) -> None:
    ledger = Ledger(RunDirectory.open(tmp_path, {}, {}))
    ledger.begin("u2", "b")
    ledger.begin("u1", "a")
    ledger.add_node(NODE)
    ledger.begin("u2", "b")
    assert ledger.begun == (("u1", "a"), ("u2", "b")) == Ledger(RunDirectory(tmp_path)).begun
    assert ledger.nodes("u") == (NODE,) and ledger.nodes("u1") == ()


def _instructions(run: RunDirectory) -> int:
    """Instructions of the ledger's own code while it reads a run."""
    count = 0

    def step(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return step

    def called(frame: FrameType, event: str, argument: Any) -> Any:
        return step(frame, event, argument) if frame.f_code.co_filename == ledger_module.__file__ else None

    before = sys.gettrace()
    sys.settrace(called)
    try:
        Ledger(run)
    finally:
        sys.settrace(before)
    return count


def test_reading_twice_the_candidates_and_tasks_takes_twice_the_work(tmp_path: Path) -> None:
    work = []
    for n in (200, 400, 800):
        run = RunDirectory.open(tmp_path / str(n), {}, {})
        for number in range(n):  # tasks of other episodes stand between the candidates
            task = replace(TASK, unit=f"u{number}", task=1)
            run.append(Event.NODE, replace(NODE, unit=f"u{number}").to_json())
            run.append(Event.TASK, task.to_json())
        work.append(_instructions(run))
    assert work[2] - work[1] == pytest.approx(2 * (work[1] - work[0]), rel=0.02)


def test_equal_texts_of_candidates_are_kept_once(run: RunDirectory) -> None:
    for name in ("1", "2"):
        run.append(Event.NODE, replace(NODE, id=name, problem="(define (problem p))").to_json())
    one, other = Ledger(run).nodes("u")
    assert one.problem is other.problem


def test_the_run_that_is_measured_can_be_read_with_all_its_candidates_and_tasks(tmp_path: Path) -> None:
    write_run(tmp_path, 450)
    ledger = Ledger(RunDirectory(tmp_path))
    assert sum(len(ledger.nodes(unit)) for unit, _ in ledger.begun) == 450
    assert len(ledger.begun) == 200
