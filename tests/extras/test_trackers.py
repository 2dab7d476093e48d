"""Tracking with the real packages: what each tool kept is read back and held against the run's own records.

Run by `.ci/extras`, as the packages are large; tests/experiments/runs/test_tracking.py has the laws.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from experiments.run import main
from experiments.runs.directory import RunDirectory
from experiments.runs.ledger import Ledger
from experiments.runs.tracking import MODULES, TrackerName

pytestmark = pytest.mark.extras
FLAGS = ["--recording", "tree-apart", "--env", "grippers_ood+undocumented", "--executor", "serial"]


@pytest.fixture(scope="module", params=MODULES)
def tracked_run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that was followed by the tool named by the parameter."""
    pytest.importorskip(MODULES[request.param])
    out = tmp_path_factory.mktemp(request.param) / "run"
    assert main([*FLAGS, "--track", request.param, "--out", str(out)]) == 0
    return out


def test_every_candidate_s_score_is_kept_by_the_tool(tracked_run: Path) -> None:
    tool = next((tracked_run / "tracking").iterdir())
    assert kept(tool.name, tool) == pytest.approx(scores(tracked_run))  # tensorboard keeps 32 bits


def scores(run: Path) -> list[float]:
    """The EW of all candidates of a run, sorted."""
    ledger = Ledger(RunDirectory(run))
    found = [n.score.ew for unit, _ in ledger.begun for n in ledger.nodes(unit)]
    return sorted(ew for ew in found if ew is not None)


def kept(name: TrackerName | str, folder: Path) -> list[float]:
    """The values of all series `…/candidates/EW` that a tool has in its folder, sorted."""
    match name:
        case "mlflow":
            found = sqlite3.connect(next(folder.rglob("mlflow.db"))).execute(
                "SELECT value FROM metrics WHERE key LIKE '%/candidates/EW'"
            )
            return sorted(value for (value,) in found)
        case "tensorboard":
            return sorted(_events(next(folder.rglob("events.out*"))))
        case _:
            return sorted(_offline(next(folder.rglob("*.wandb"))))


def _events(path: Path) -> list[float]:
    """Scalars of an event file: records of length, checksum, protocol buffer, checksum."""
    from tensorboardX.proto.event_pb2 import Event

    data, at, found = path.read_bytes(), 0, []
    while at < len(data):
        length = int.from_bytes(data[at : at + 8], "little")
        event = Event.FromString(data[at + 12 : at + 12 + length])
        found += [v.simple_value for v in event.summary.value if v.tag.endswith("/candidates/EW")]
        at += 16 + length
    return found


def _offline(path: Path) -> list[float]:
    """Logged values of an offline run of wandb."""
    from wandb.proto.wandb_internal_pb2 import Record

    found = []
    for data in _log_records(path.read_bytes()):
        for item in Record.FromString(data).history.item:
            if (item.key or "/".join(item.nested_key)).endswith("/candidates/EW"):
                found.append(float(item.value_json))
    return found


def _log_records(data: bytes, block: int = 1 << 15, header: int = 7) -> Iterator[bytes]:
    """Records of a file in the log format of LevelDB: checksum, length, type and data, in blocks."""
    at, pieces = header, b""  # a header of the file's own comes first, of the same size
    while at + header <= len(data):
        if block - at % block < header:  # too little is left of the block for another piece
            at += block - at % block
            continue
        length, kind = int.from_bytes(data[at + 4 : at + 6], "little"), data[at + 6]
        pieces += data[at + header : at + header + length]
        at += header + length
        if kind in (1, 4):  # a whole record, or the last piece of one
            yield pieces
            pieces = b""
