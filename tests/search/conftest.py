"""One Ray cluster for all tests of this folder; those that start it are slow."""

import os
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from typing import Any

import pytest

from search.executors import Executor, SerialExecutor
from search.process_executor import ProcessExecutor
from search.ray_connection import OBJECT_STORE_BYTES, import_ray
from search.ray_executor import RayExecutor


def pytest_collection_modifyitems(items: Iterable[pytest.Item]) -> None:
    """A head of Ray takes longer to start than most laws take to be tried on the two other executors."""
    for item in items:
        if {"ray_cluster", "ray_executor"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def ray_cluster() -> Iterator[Any]:
    """A head with two CPUs; nodes may be added, and whoever adds one removes it."""
    if find_spec("ray") is None:
        pytest.skip("ray is not installed")
    os.environ.setdefault("RAY_AUTH_MODE", "disabled")  # Ray makes tokens for `ray.init` and `ray start` only
    import_ray(alone=True)
    from ray.cluster_utils import Cluster

    head = {
        "num_cpus": 2,
        "include_dashboard": False,
        "object_store_memory": OBJECT_STORE_BYTES,
        # a lost node is noticed in a second, not in fifteen
        "_system_config": {"health_check_period_ms": 300, "health_check_failure_threshold": 3},
    }
    cluster = Cluster(initialize_head=True, head_node_args=head)
    yield cluster
    cluster.shutdown()


@pytest.fixture(scope="session")
def ray_executor(ray_cluster: Any) -> Iterator[RayExecutor]:
    with RayExecutor(ray_cluster.address, workers=2) as executor:
        yield executor


@pytest.fixture(scope="session")
def process_executor() -> Iterator[Executor]:
    with ProcessExecutor(2) as executor:
        yield executor


RAY = pytest.param("ray", marks=pytest.mark.slow)


@pytest.fixture(params=["serial", "process", RAY])
def executor(request: pytest.FixtureRequest) -> Executor:
    """Each of the three in turn; the third where slow tests are run."""
    if request.param == "serial":
        return SerialExecutor()
    found: Executor = request.getfixturevalue(f"{request.param}_executor")
    return found
