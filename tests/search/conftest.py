"""One Ray cluster for all tests of this folder."""

from collections.abc import Iterator

import pytest

from search.executors import Executor, ProcessExecutor, SerialExecutor
from search.ray_executor import RayExecutor


@pytest.fixture(scope="session")
def ray_executor() -> Iterator[Executor]:
    pytest.importorskip("ray")
    with RayExecutor(workers=2) as executor:
        yield executor


@pytest.fixture(scope="session")
def process_executor() -> Iterator[Executor]:
    with ProcessExecutor(2) as executor:
        yield executor


@pytest.fixture(params=["serial", "process", "ray"])
def executor(request: pytest.FixtureRequest) -> Executor:
    """Each of the three in turn."""
    if request.param == "serial":
        return SerialExecutor()
    found: Executor = request.getfixturevalue(f"{request.param}_executor")
    return found
