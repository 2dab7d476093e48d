"""A large run, made once for all tests of its page."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.bench.report import made_run
from experiments.reporting.html.page import page
from experiments.runs.directory import RunDirectory


@pytest.fixture(scope="session")
def large_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of 5,000 candidates."""
    folder = tmp_path_factory.mktemp("large")
    return RunDirectory(folder).write("report.html", page(*made_run(folder, 5000), ()))
