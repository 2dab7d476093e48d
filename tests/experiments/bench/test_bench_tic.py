"""The bench of task texts' programs measures what it says it does."""

from __future__ import annotations

import pytest

from agents.tic.allow import read_ir
from agents.tic.infer import infer
from agents.tic.knowledge import Knowledge
from envs.source import read_texts
from experiments.bench.texts import bomb, by_number, large_task, one_by_one, single_tasks


@pytest.mark.parametrize("text_of", [by_number, one_by_one])
def test_a_large_task_has_the_objects_that_it_is_named_for(text_of: object) -> None:
    knowledge = Knowledge(read_texts("grippers", 1).domain)
    facts = infer(read_ir(text_of(40), knowledge), knowledge).facts  # type: ignore[operator]
    assert facts is not None and 40 <= len({thing for thing, _ in facts.objects}) <= 60


def test_every_figure_has_a_value_and_a_target() -> None:
    figures = [single_tasks(("p01",)), large_task("some", by_number, 40)]
    assert all(f.value and f.target for f in figures)


@pytest.mark.slow
def test_what_never_ends_is_ended() -> None:
    figure = bomb()
    assert figure.value and figure.target and figure.beside == "timeout"


def test_a_large_task_that_does_not_compile_is_a_missed_target() -> None:
    assert not large_task("nothing", lambda _: "init(full).").met
