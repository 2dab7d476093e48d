"""The driver of a live run is killed with -9 again and again and started anew: nothing is lost or paid twice.

The endpoint is the stub over HTTP, in this process, which outlives the drivers and sees every request. It
answers from the packaged recording, so that the run is a whole one: search, refinement and tasks in two
environments, both under way at once. Kill points are spread over the whole run, at random from a seed; the
moment within a point is random too, so that some requests are in flight, some replies on their way to the
disk, and some results half written.
"""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from agents.llm.faults import Behaviour
from agents.llm.keys import conversation_key, sample_seed
from agents.llm.recording import load_recording
from agents.llm.stub import StubServer, replies_from
from experiments.recordings import packaged

KILLS, RAY_KILLS = 5, 1
FLAGS = (
    "--env", "grippers_ood+undocumented", "termes", "--method", "tree", "--np", "2", "--nd", "3",
    "--tasks", "2", "--episodes", "2",
)  # fmt: skip

#: A sample on the wire: conversation and seed, as a request for it alone would have them.
Sample = tuple[str, int]


@pytest.fixture(scope="module")
def stub() -> Iterator[StubServer]:
    path = next(shelved.path for shelved in packaged() if shelved.name == "default")
    recording = load_recording(path)
    with StubServer(
        replies_from(recording), Behaviour(delay_s=0.05), model=recording.profile.model
    ) as server:
        yield server


def started(stub: StubServer, out: Path, executor: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "experiments.run", "--base-url", stub.url, "--out", str(out), *FLAGS]
    return subprocess.Popen(
        [*command, "--executor", executor],
        stdout=subprocess.DEVNULL,
        stderr=(out.parent / "stderr").open("ab"),
    )


def asked(stub: StubServer, since: int = 0) -> list[Sample]:
    """The first sample of each request from number `since` on, in order."""
    return [(conversation_key(b["messages"], None), b["seed"]) for b in stub.seen.bodies[since:]]


def on_disk(out: Path) -> set[Sample]:
    """The samples that the journal can answer with."""
    if not (out / "calls.sqlite").exists():
        return set()
    query = "SELECT r.request, c.sample FROM calls c JOIN requests r ON r.id = c.request WHERE c.served"
    with sqlite3.connect(out / "calls.sqlite") as journal:
        rows = [(json.loads(request), sample) for request, sample in journal.execute(query)]
    return {(conversation_key(r["messages"], None), sample_seed(r["seed"], i)) for r, i in rows}


def rows_of_calls(out: Path) -> list[tuple[str, int]]:
    with sqlite3.connect(out / "calls.sqlite") as journal:
        return sorted(journal.execute("SELECT key, sample FROM calls"))


def progress(stub: StubServer, since: int, out: Path) -> int:
    """How far a run is: different requests that came in since its start, and results that were written."""
    path = out / "events.jsonl"
    lines = path.read_bytes().splitlines() if path.exists() else []
    results = [line for line in lines if not line.startswith(b'{"event": "started"')]
    return len(set(asked(stub, since))) + len(results)


def settled(stub: StubServer) -> int:
    """The number of requests so far, once none is being answered."""
    while stub.seen.in_flight:
        time.sleep(0.005)
    return stub.seen.requests


@pytest.mark.slow
def test_kills_at_random_points_change_no_byte_and_repeat_no_completed_call(
    stub: StubServer, tmp_path: Path
) -> None:
    whole, out, rng = tmp_path / "whole" / "run", tmp_path / "killed" / "run", np.random.default_rng(20)
    for folder in (whole, out):
        folder.parent.mkdir()
    assert started(stub, whole, "serial").wait() == 0
    start = settled(stub)
    length = progress(stub, 0, whole)
    points = sorted(rng.choice(np.arange(1, length - 3), KILLS, replace=False).tolist())
    on_ray = rng.choice(KILLS, RAY_KILLS, replace=False).tolist()
    for number, point in enumerate(points):
        known, before = on_disk(out), settled(stub)
        process = started(stub, out, "ray" if number in on_ray else "serial")
        while progress(stub, start, out) < point and process.poll() is None:
            time.sleep(0.002)
        time.sleep(rng.uniform(0, 0.1))
        process.kill()
        assert process.wait() == -signal.SIGKILL, f"ended by itself before point {point} of {length}"
        assert not known.intersection(asked(stub, before)), f"asked again before kill {number}"
    known, before = on_disk(out), settled(stub)
    assert started(stub, out, "serial").wait() == 0
    assert not known.intersection(asked(stub, before))
    assert (out / "results.csv").read_bytes() == (whole / "results.csv").read_bytes()
    assert rows_of_calls(out) == rows_of_calls(whole)
