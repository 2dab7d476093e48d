"""Episodes that are not answered: a fact beside the scores, alone, and asked again when that is wanted."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from passing_clock import PassingClock

from agents.llm.faults import Behaviour, Fault
from agents.llm.interface import Message
from agents.llm.stub import StubServer
from experiments.reporting import results
from experiments.reporting.comparison import Cells, comparison_tables
from experiments.reporting.faults import is_unanswered
from experiments.run import main
from experiments.runs.directory import RunDirectory
from experiments.runs.frames import RunFrames
from experiments.runs.ledger import Ledger
from experiments.runs.records import EpisodeRecord, NodeRecord, Score, Spent, TaskOutcome, TaskRecord

RUN = ("--env", "grippers", "blocksworld", "--method", "intrinsic", "--tasks", "2", "--executor", "serial")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agents.llm.retry.Clock", PassingClock)


def answer(messages: Sequence[Message], index: int, seed: int) -> str:
    return "```\n(no-such-action a)\n```"


class Picky(StubServer):
    """What is wrong with conversations that hold a word; all others are answered."""

    def __init__(self, word: str, fault: Fault) -> None:
        super().__init__(answer)
        self.word = word
        self.fault = fault

    def arrival(self, body: Mapping[str, Any]) -> AbstractContextManager[Fault]:
        wrong = any(self.word in message["content"] for message in body["messages"])
        self.behaviour = Behaviour(always=self.fault if wrong else Fault.NONE)
        return super().arrival(body)


def live(server: StubServer, out: Path, *flags: str) -> int:
    return main(["--base-url", server.url, "--out", str(out), *RUN, *flags])


def outcomes(out: Path) -> list[tuple[str, str]]:
    with (out / "results.csv").open(encoding="utf-8") as file:
        return [(row["env"], row["outcome"]) for row in csv.DictReader(file)]


REFUSED = [Fault.BAD_REQUEST, Fault.EMPTY]
SILENT = [
    *[("blocksworld", "step_rejected")] * 2,
    *[("grippers", "unanswered")] * 2,
]


@pytest.mark.slow
@pytest.mark.parametrize("fault", REFUSED)
def test_a_refused_episode_stands_alone_is_replayed_equal_and_is_asked_again(
    tmp_path: Path, fault: Fault, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    with Picky("gripper", fault) as server:
        assert live(server, out, "--episodes", "1") == 1
        assert outcomes(out) == SILENT
        said = capsys.readouterr().out
        assert "unanswered: grippers-intrinsic-0" in said and "--retry-unanswered" in said
        sent = server.seen.requests
        assert live(server, out) == 1 and server.seen.requests == sent  # a fact: nothing is asked again
        assert main(["replay", str(out), "--executor", "serial"]) == 0
        assert "equal: results.csv" in capsys.readouterr().out and server.seen.requests == sent
        server.fault = Fault.NONE
        assert live(server, out, "--retry-unanswered") == 0
        assert server.seen.requests == sent + 2
    assert outcomes(out) == [(env, "step_rejected") for env, _ in SILENT]
    assert main(["replay", str(out), "--executor", "serial"]) == 0


def test_the_number_of_episodes_at_a_time_changes_no_result(tmp_path: Path) -> None:
    for at_once in (1, 4):
        with Picky("gripper", Fault.BAD_REQUEST) as server:
            assert live(server, tmp_path / str(at_once), "--episodes", str(at_once)) == 1
        assert outcomes(tmp_path / str(at_once)) == SILENT
    texts = [(tmp_path / name / "results.csv").read_bytes() for name in ("1", "4")]
    assert texts[0] == texts[1]


def test_a_server_that_refuses_everything_ends_the_run_with_the_setting(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with StubServer(answer, Behaviour(always=Fault.UNSUPPORTED_PARAMETER)) as server:
        assert live(server, tmp_path) == 2
        said = capsys.readouterr().err
        assert "max_tokens_parameter" in said and "different conversations were refused" in said
        server.behaviour = Behaviour()
        assert live(server, tmp_path) == 0  # what was not judged is asked again
    assert outcomes(tmp_path) == [(env, "step_rejected") for env, _ in SILENT]


def test_a_wrong_name_of_a_model_is_a_wrong_flag(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with StubServer(answer, Behaviour(always=Fault.UNKNOWN_MODEL)) as server:
        assert live(server, tmp_path, "--model", "nobody") == 2
    assert "nobody at" in (said := capsys.readouterr().err) and "the model's name" in said


def test_a_server_without_a_list_of_models_needs_a_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with StubServer(answer, Behaviour(models=b"<html>Sign in</html>")) as server:
        assert live(server, tmp_path) == 2
        assert "name the model with --model" in capsys.readouterr().err
        assert live(server, tmp_path, "--model", "stub") == 0


def test_retrying_needs_a_server(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--retry-unanswered"]) == 2
    assert "--retry-unanswered" in capsys.readouterr().err


# The records.


def task(unit: str, number: int, outcome: TaskOutcome, ew: float | None = None) -> TaskRecord:
    return TaskRecord(unit, "w", "m", 0, number, outcome, Score(ew, ew, ew), None, None, "", Spent(1), 0.0)


def episode(unit: str, seed: int, *, method: str = "m", unanswered: bool = False) -> EpisodeRecord:
    return EpisodeRecord(
        unit, "w", method, seed, None, None, None, True, 0, 0, 2, Spent(3), 0, 0.0, unanswered=unanswered
    )


def node(identity: str, outcome: str, problem: str | None = "p") -> NodeRecord:
    return NodeRecord("u", identity, "k", outcome, Score(), None, None, "", problem, None, None, 0.0)


@pytest.mark.parametrize(
    ("nodes", "wanted"),
    [
        ([node("1", "NO_ANSWER", None)], True),
        ([node("1", "NO_ANSWER", None), node("2", "NO_PROBLEM", None)], False),
        ([node("1", "NO_EDIT"), node("1.1", "NO_ANSWER"), node("1.1.1", "NO_ANSWER")], True),
        ([node("1", "NO_EDIT"), node("1.1", "NO_ANSWER"), node("1.2", "INVALID_DOMAIN")], False),
        ([node("1", "NO_EDIT"), node("2", "NO_ANSWER", None), node("1.1", "WALKED")], False),
    ],
)
def test_an_episode_is_unanswered_if_none_of_its_candidates_is(nodes: list[NodeRecord], wanted: bool) -> None:
    assert is_unanswered(nodes, [task("u", 1, TaskOutcome.NO_DOMAIN)]) is wanted


def test_without_candidates_the_tasks_decide() -> None:
    silent = task("u", 1, TaskOutcome.NO_ANSWER)
    assert is_unanswered([], [silent]) and not is_unanswered([], [])
    assert not is_unanswered([], [silent, task("u", 2, TaskOutcome.NO_PLAN)])


def test_an_unanswered_episode_is_in_its_column_and_in_no_mean() -> None:
    solved = [task("a", n, TaskOutcome.SOLVED, 1.0) for n in (1, 2)]
    silent = [task("b", n, TaskOutcome.NO_DOMAIN) for n in (1, 2)]
    alone = results.summarise(RunFrames([episode("a", 0)], solved))
    beside = results.summarise(
        RunFrames([episode("a", 0), episode("b", 1, unanswered=True)], [*solved, *silent])
    )
    assert (beside[0].solve_rate, beside[0].ew) == (alone[0].solve_rate, alone[0].ew)
    assert (beside[0].seeds, beside[0].unanswered, beside[0].ew_unscored) == (1, 1, 0)
    assert beside[0].outcomes == {"solved": 2, "unanswered": 2} and beside[0].spent == Spent(6)
    shown = results.result_table(beside)
    assert shown.columns[-1] == "unanswered" and shown.rows[0][-1] == "1"
    assert "unanswered" not in results.result_table(alone).columns
    assert [row[:-1] for row in shown.rows] == [row for row in results.result_table(alone).rows]


def test_a_method_without_any_answer_is_compared_with_nothing() -> None:
    found = [episode("a", 0), episode("b", 0, method="n", unanswered=True)]
    tasks = [task("a", 1, TaskOutcome.SOLVED, 1.0), replace(task("b", 1, TaskOutcome.NO_DOMAIN), method="n")]
    summaries = results.summarise(RunFrames(found, tasks))
    assert [(s.method, s.seeds, s.solve_rate.mean) for s in summaries] == [("m", 1, 1.0), ("n", 0, None)]
    best, methods, differences = comparison_tables(Cells.of(summaries))
    assert best.rows[0] == ("w", "1.00 / 1.00", "–")
    assert [row[0] for row in methods.rows] == ["m"] and differences.rows == ()


def test_an_unanswered_episode_that_begins_again_is_forgotten(tmp_path: Path) -> None:
    with RunDirectory.open(tmp_path, {}, {}) as directory:
        ledger = Ledger(directory)
        ledger.begin("u", "name")
        ledger.add_node(replace(node("1", "NO_ANSWER", None), unit="u"))
        ledger.add_task(task("u", 1, TaskOutcome.NO_DOMAIN))
        ledger.add_episode(episode("u", 0, unanswered=True))
        assert ledger.scored_tasks == () and len(ledger.tasks) == 1
        ledger.begin("u", "name")
        for found in (ledger, Ledger(directory)):
            assert (found.episodes, found.tasks, found.nodes("u")) == ((), (), ())
