"""Walks for corrections find the same wherever they are made, and say what they took."""

from __future__ import annotations

import pytest

from agents.worldmodel.sources import Walker, walk_here
from envs.source import read_texts
from envs.world import open_world
from experiments.methods.worldmodel import walking_on
from search.executors import SerialExecutor
from search.process_executor import ProcessExecutor


@pytest.mark.parametrize(
    "executor", [pytest.param(SerialExecutor(), marks=pytest.mark.slow), ProcessExecutor(1)]
)
def test_walks_find_the_same_in_a_worker(executor: SerialExecutor | ProcessExecutor) -> None:
    texts = read_texts("logistics", "f01")
    wrong = texts.domain.replace(" (not (package-at ?p ?l))", "", 1)
    with executor:
        walk = walking_on(executor)
        for domain in (texts.domain, wrong):
            walker = Walker(open_world("logistics", "f01"), (3, 0))
            found = walk(walker, domain, texts.problem)
            assert found == walk_here(walker, domain, texts.problem)
            assert found.world_queries > 0 and bool(found.words) == (domain == wrong)
    assert found.directions is not None and found.worth < (1.0,) and found.suspects[0] == "load-truck"
