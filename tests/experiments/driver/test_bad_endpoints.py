"""Whole runs against an endpoint that misbehaves: nothing is lost, nothing is scored wrongly, retries end."""

from __future__ import annotations

import csv
import dataclasses
import json
import logging
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from gripper_answers import answer as plain_answer
from passing_clock import PassingClock
from wide import wide

from agents.llm.faults import Behaviour, Fault
from agents.llm.interface import Completion, Message
from agents.llm.recording import load_recording
from agents.llm.stub import StubServer, replies_from
from experiments.run import main

SMALL = (
    "--env", "grippers", "--np", "1", "--nd", "3", "--turns", "2", "--tasks", "3", "--walks", "20",
    "--t-max", "5", "--protocol", "paper", "--executor", "serial",
)  # fmt: skip
INTRINSIC = ("--env", "grippers", "--method", "intrinsic", "--tasks", "3", "--executor", "serial")
#: Requests of a run of SMALL before its tasks are translated: problems, domains, domains mended.
SEARCHING = 3
#: Faults that pass when the request is sent again.
PASSING = [
    Fault.RATE_LIMIT,
    Fault.RATE_LIMIT_RETRY_AFTER,
    Fault.SERVER_ERROR,
    Fault.DROP,
    Fault.TRUNCATED_BODY,
    Fault.GARBAGE,
    Fault.NO_CHOICES,
    Fault.ERROR_IN_BODY,
    Fault.CUT_PROMPT,
]
#: Answers that are none, the column in which they are counted, and how often each is asked for.
NO_ANSWERS = [
    (Fault.LENGTH, "cut off", 1),
    (Fault.THINK_OPEN, "cut off", 1),
    (Fault.REFUSAL, "refused", 4),
    (Fault.FILTER, "withheld", 4),
    (Fault.EMPTY, "empty", 4),
    (Fault.CONTEXT_LENGTH, "too long", 1),
    (Fault.CONTENT_FILTER, "withheld", 1),
    (Fault.BAD_REQUEST, "request refused", 1),
]
#: Of these, what a server does that refuses requests; where it refuses all, the run is stopped.
REFUSING = (Fault.CONTEXT_LENGTH, Fault.CONTENT_FILTER, Fault.BAD_REQUEST)
GIVEN = [row for row in NO_ANSWERS if row[0] not in REFUSING]
#: One that is asked for once and one that is asked for again, which run always.
CUT_OFF, REFUSED = NO_ANSWERS[0], NO_ANSWERS[2]


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits for a server pass at once."""
    monkeypatch.setattr("agents.llm.retry.Clock", PassingClock)


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """A run without faults, and how many requests it took."""
    out = tmp_path_factory.mktemp("clean") / "run"
    with StubServer(answer) as server:
        assert live(server, out) == 0
        return out, server.seen.requests


def answer(messages: Sequence[Message], index: int, seed: int) -> Completion:
    """Every sample is a text of its own."""
    reply = plain_answer(messages, index, seed)
    return dataclasses.replace(reply, text=f"{reply.text}\nThis is sample {index} of {seed}.")


def live(server: StubServer, out: Path, *flags: str) -> int:
    return main(["--base-url", server.url, "--out", str(out), *(flags or SMALL)])


def rows(out: Path) -> list[dict[str, str]]:
    return list(csv.DictReader((out / "results.csv").open(encoding="utf-8")))


def nodes(out: Path, *, roots: bool = False) -> list[str]:
    """The outcomes of all candidates, or of the roots."""
    lines = map(json.loads, (out / "events.jsonl").read_text(encoding="utf-8").splitlines())
    return [e["outcome"] for e in lines if e["event"] == "node" and ("." not in e["id"]) == roots]


def told(out: Path) -> dict[str, str]:
    """The row of the endpoint table; empty without one."""
    file = out / "tables" / "endpoint.csv"
    return next(csv.DictReader(file.open(encoding="utf-8"))) if file.exists() else {}


def test_a_good_endpoint_leaves_nothing_to_tell(clean: tuple[Path, int]) -> None:
    assert told(clean[0]) == {} and [r["outcome"] for r in rows(clean[0])] == ["solved"] * 3


@pytest.mark.parametrize("seed", wide(range(3), 0))
def test_faults_that_pass_change_no_result_and_each_is_seen(
    clean: tuple[Path, int], tmp_path: Path, seed: int
) -> None:
    faults = [*PASSING, *[Fault.NONE] * 4]
    random.Random(seed).shuffle(faults)
    with StubServer(answer, Behaviour(faults)) as server:
        assert live(server, tmp_path / "run") == 0
        met = [fault for fault in faults[: server.seen.requests] if fault is not Fault.NONE]
        assert server.seen.requests == clean[1] + len(met)
    assert (tmp_path / "run" / "results.csv").read_bytes() == (clean[0] / "results.csv").read_bytes()
    assert told(tmp_path / "run")["retries"] == str(len(met)) and len(met) >= 5


@pytest.mark.slow
@pytest.mark.parametrize("fault", [Fault.STALL, Fault.TRICKLE])
def test_a_server_that_stalls_is_asked_again(clean: tuple[Path, int], tmp_path: Path, fault: Fault) -> None:
    with StubServer(answer, Behaviour([fault], stall_s=2.0)) as server:
        assert live(server, tmp_path / "run", *SMALL, "--request-timeout-s", "1") == 0
    assert (tmp_path / "run" / "results.csv").read_bytes() == (clean[0] / "results.csv").read_bytes()


@pytest.mark.parametrize(("fault", "column", "asked"), wide(GIVEN, CUT_OFF, REFUSED))
def test_an_answer_that_is_none_is_never_a_bad_domain(
    tmp_path: Path, fault: Fault, column: str, asked: int
) -> None:
    with StubServer(answer, Behaviour([Fault.NONE], always=fault)) as server:
        assert live(server, tmp_path) == 1
    assert nodes(tmp_path) == ["NO_ANSWER"] * 6
    assert [r["outcome"] for r in rows(tmp_path)] == ["unanswered"] * 3
    assert told(tmp_path)[column] == str(6 * asked)


@pytest.mark.parametrize(("fault", "column", "asked"), wide(GIVEN, CUT_OFF, REFUSED))
def test_an_answer_that_is_none_is_never_a_bad_first_problem(
    tmp_path: Path, fault: Fault, column: str, asked: int
) -> None:
    with StubServer(answer, Behaviour(always=fault)) as server:
        assert live(server, tmp_path) == 1
        assert server.seen.requests == asked  # without a problem nobody is asked for a domain
        assert len({body["seed"] for body in server.seen.bodies}) == asked
    assert nodes(tmp_path, roots=True) == ["NO_ANSWER"] and nodes(tmp_path) == []
    assert [r["outcome"] for r in rows(tmp_path)] == ["unanswered"] * 3
    assert told(tmp_path)[column] == str(asked)


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "column", "asked"), wide(NO_ANSWERS, CUT_OFF, REFUSED, NO_ANSWERS[-1]))
def test_an_answer_that_is_none_is_never_a_bad_problem(
    tmp_path: Path, fault: Fault, column: str, asked: int
) -> None:
    with StubServer(answer, Behaviour([Fault.NONE] * SEARCHING, always=fault)) as server:
        assert live(server, tmp_path) == 0
        assert server.seen.requests == SEARCHING + 2 * asked
    assert [r["outcome"] for r in rows(tmp_path)] == ["solved", "no_answer", "no_answer"]
    assert told(tmp_path)[column] == str(2 * asked)


@pytest.mark.parametrize(("fault", "column", "asked"), wide(GIVEN, CUT_OFF, REFUSED))
def test_an_answer_that_is_none_is_never_a_bad_plan(
    tmp_path: Path, fault: Fault, column: str, asked: int
) -> None:
    with StubServer(answer, Behaviour(always=fault)) as server:
        assert live(server, tmp_path, *INTRINSIC) == 1
    assert [r["outcome"] for r in rows(tmp_path)] == ["unanswered"] * 3
    assert told(tmp_path)[column] == str(3 * asked)


def test_reasoning_that_ends_is_no_part_of_an_answer(clean: tuple[Path, int], tmp_path: Path) -> None:
    with StubServer(answer, Behaviour(always=Fault.THINK)) as server:
        assert live(server, tmp_path) == 0
    assert [(r["outcome"], r["ew"]) for r in rows(tmp_path)] == [
        (r["outcome"], r["ew"]) for r in rows(clean[0])
    ]


LOST = [
    (Fault.QUOTA, 3, 1, "insufficient_quota: the account has no money left"),
    (Fault.AUTH, 2, 1, "check the key in the environment variable OPENAI_API_KEY"),
    (Fault.UNSUPPORTED_PARAMETER, 2, 3, "set `max_tokens_parameter` of the endpoint"),
    (Fault.UNKNOWN_MODEL, 2, 1, "check the base URL and the model's name"),
    (Fault.REDIRECT_LOOP, 2, 6, "redirected more than 5 times"),
    (Fault.CUT_PROMPT, 3, 2, "the server seems to cut prompts"),
    (Fault.GARBAGE, 3, 3, "the reply is no JSON"),
    (Fault.SERVER_ERROR, 3, 26, "gave up after 26 requests, 8"),
    (Fault.OVERLOADED, 3, 26, "gave up after 26 requests, 8"),
    (Fault.RATE_LIMIT, 3, 26, "gave up after 26 requests, 8"),
    (Fault.DROP, 3, 26, "gave up after 26 requests, 8"),
]


#: Of these, those whose requests are not one request sent again.
ONCE = (Fault.UNSUPPORTED_PARAMETER, Fault.REDIRECT_LOOP)


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "code", "requests", "words"), wide(LOST, *LOST[:6], LOST[7]))
def test_a_lost_cause_ends_the_run_and_the_mended_endpoint_takes_it_up(
    clean: tuple[Path, int],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    fault: Fault,
    code: int,
    requests: int,
    words: str,
) -> None:
    out = tmp_path / "run"
    with StubServer(answer, Behaviour([Fault.NONE], always=fault)) as server:
        assert live(server, out) == code
        said = capsys.readouterr().err.strip()
        assert words in said and "\n" not in said
        assert server.seen.requests == 1 + requests and rows(out) == [] and nodes(out) == []
        again = 0 if fault in ONCE else requests - 1
        assert told(out)["retries"] == str(again) and told(out)["failed calls"].startswith("1 ")
        server.behaviour = Behaviour()
        assert live(server, out) == 0
        assert server.seen.requests == clean[1] + requests  # what had been answered is not asked again
    assert (out / "results.csv").read_bytes() == (clean[0] / "results.csv").read_bytes()


def test_a_server_that_ignores_n_gives_the_same_results(clean: tuple[Path, int], tmp_path: Path) -> None:
    replies = replies_from(load_recording(clean[0] / "calls.sqlite"))
    with StubServer(replies, Behaviour(ignore_n=True)) as server:
        assert live(server, tmp_path) == 0
    names = ("task", "outcome", "ew", "plan_length", "completions")
    assert [[r[n] for n in names] for r in rows(tmp_path)] == [[r[n] for n in names] for r in rows(clean[0])]


def test_samples_that_are_all_alike_are_counted(tmp_path: Path) -> None:
    with StubServer(answer, Behaviour(identical=True)) as server:
        assert live(server, tmp_path) == 0
        assert int(told(tmp_path)["all alike"]) == sum("n" in body for body in server.seen.bodies) > 0


@pytest.mark.slow
def test_a_canary_key_is_in_no_file_and_no_line_of_a_run(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    canary = "sk-CANARY-0123456789"
    monkeypatch.setenv("OPENAI_API_KEY", canary)
    caplog.set_level(logging.DEBUG)
    ways = [Fault.AUTH, Fault.RATE_LIMIT, Fault.STALL, Fault.QUOTA, Fault.GARBAGE, Fault.NONE]
    for number, fault in enumerate(ways):
        with StubServer(answer, Behaviour([Fault.NONE, fault, fault], always=fault, stall_s=0.5)) as server:
            timeout_s = "0.4" if fault is Fault.STALL else "60"
            code = live(server, tmp_path / str(number), *SMALL, "--request-timeout-s", timeout_s)
            assert code == {Fault.AUTH: 2, Fault.NONE: 0}.get(fault, 3)
    said = "".join(capfd.readouterr()) + "".join(f"{r.getMessage()} {r.args}" for r in caplog.records)
    assert "Incorrect API key provided: ***" in said and canary not in said
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 30
    assert [path for path in files if canary.encode() in path.read_bytes()] == []
