"""What docs/cluster.md and docs/cluster.yaml say is run or read here as it stands there."""

from __future__ import annotations

import json
import os
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent
SERVED = "http://127.0.0.1:8265"  # as the document has it


def job_server() -> str | None:
    """Why no job can be submitted here; None if it can."""
    if find_spec("ray") is None:
        return "ray is not installed"
    try:
        import_module("ray.dashboard.optional_deps")
    except ImportError as error:
        return f"Ray's job server is not installed ({error}): pip install 'ray[default]'"
    return None


def test_the_cluster_file_is_one_that_ray_accepts() -> None:
    if find_spec("ray") is None:
        pytest.skip("ray is not installed")
    util: Any = import_module("ray.autoscaler._private.util")
    config = import_module("yaml").safe_load((ROOT / "docs" / "cluster.yaml").read_text(encoding="utf-8"))
    util.validate_config(util.prepare_config(config))
    assert config["file_mounts"] == {"~/groundwalk": "."}
    assert any(".env" in path for path in config["rsync_exclude"])


@pytest.fixture
def head() -> Iterator[tuple[str, dict[str, str]]]:
    """A head with a job server, in this environment: the server's address, and the variables to reach it."""
    reason = job_server()
    if reason is not None:
        pytest.skip(reason)
    port, served = free_ports(2)
    ours = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    ours |= {"PATH": f"{BIN}{os.pathsep}{ours['PATH']}", "RAY_AUTH_MODE": "disabled"}
    options = f"--num-cpus=2 --port={port} --dashboard-host=127.0.0.1 --dashboard-port={served}"
    with TemporaryDirectory(prefix="ray-", ignore_cleanup_errors=True) as folder:  # Ray wants a short path
        process = subprocess.Popen(
            [BIN / "ray", "start", "--head", "--block", *options.split(), f"--temp-dir={folder}"],
            env={**ours, "RAY_USAGE_STATS_ENABLED": "0"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            wait_for_port(served, process)
            yield f"http://127.0.0.1:{served}", ours
        finally:
            process.terminate()
            process.wait(timeout=60)


def free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    try:
        return [s.getsockname()[1] for s in sockets]
    finally:
        for s in sockets:
            s.close()


def wait_for_port(port: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(1200):
        assert process.poll() is None, "the head ended by itself"
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.05)
    pytest.fail("nothing serves jobs")


def submitted(words: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """`ray` with these words, again while the head serves jobs but has nobody yet to run them."""
    for _ in range(20):
        job = subprocess.run(
            [BIN / "ray", *words],
            cwd=ROOT, env=environment, capture_output=True, text=True, encoding="utf-8", timeout=240,
        )  # fmt: skip
        if "No available agent to submit job" not in job.stdout + job.stderr:
            break
        time.sleep(3)
    return job


@pytest.mark.slow
def test_the_line_that_submits_a_job_runs_as_it_stands(
    head: tuple[str, dict[str, str]], tmp_path: Path
) -> None:
    text = (ROOT / "docs" / "cluster.md").read_text(encoding="utf-8")
    (line,) = [line for line in text.splitlines() if line.startswith("ray job submit")]
    address, environment = head
    out = tmp_path / "run"
    words = shlex.split(line.replace(SERVED, address).replace("~/runs/first", str(out)))
    excluded = json.loads(words[words.index("--runtime-env-json") + 1])["excludes"]
    assert {".git", "runs", ".env", ".venv"} <= set(excluded)
    job = submitted([*words[1:], "--tasks", "1"], environment)
    assert job.returncode == 0 and "succeeded" in job.stderr + job.stdout, job.stdout + job.stderr
    assert "executor ray" in job.stdout
    assert (
        len((out / "results.csv").read_text(encoding="utf-8").splitlines()) == 1 + 3
    )  # a task of each episode
