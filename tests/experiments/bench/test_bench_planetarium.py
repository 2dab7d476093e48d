"""The bench of pairs measures what it says, here on fewer."""

from dataclasses import replace

import pytest

from envs.pddl.language.domain import read_domain
from envs.planetarium.source import pairs_behind
from envs.source import read_texts
from experiments.bench import equivalence
from experiments.bench.measure import BenchSettings


@pytest.mark.slow
def test_the_bench_has_its_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equivalence, "_MADE", 40)
    monkeypatch.setattr(equivalence, "_DRAWN", 20)
    figures = list(equivalence.planetarium_figures(BenchSettings(1)))
    assert len(figures) in (3, 4)  # a system may not tell its memory
    assert any("132,037 pairs" in figure.what for figure in figures)


def test_the_bench_does_not_time_wrong_answers() -> None:
    pair = pairs_behind("gripper", 1)[0]
    domain = read_domain(read_texts("gripper", 1).domain)
    with pytest.raises(RuntimeError, match=f"the truth of {pair.id}"):
        equivalence._judge(replace(pair, problem="(define (problem p))"), domain)
