"""Making pairs of texts and problems, and judging translations, on one core.

A data set is drawn until it has as many pairs as are wanted, and the more it has, the more candidates repeat
one. So the time for the published number of pairs is told by the time of a candidate.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from rich.console import Console

from envs.pddl.language.domain import Domain, read_domain
from envs.pddl.planning.planner import Planner
from envs.planetarium.drawing import DRAWN, draw_candidates
from envs.planetarium.pairs import Pair
from envs.planetarium.source import pairs_behind
from envs.source import read_texts
from experiments.bench.measure import Figure, median_seconds, peak_megabytes, seconds
from experiments.evaluation.pair_judging import judged
from experiments.studies.planetarium.data import PUBLISHED, DataConfig, make

_MADE = 5000
#: Candidates for each pair of a data set of the published size: with seed 0, the last ones to be taken have
#: the numbers 241,579 and 67,570.
_FOR_A_PAIR = {"blocksworld": 241_580 / 92_350, "gripper": 67_571 / 39_687}
_DRAWN = 400
_MINUTES = 20.0
_MEGABYTES = 2000.0


def bench_planetarium(repeats: int) -> Iterator[Figure]:
    """A data set as a whole, its candidates one by one, and the judging of right answers."""
    yield from _data_set()
    yield _published_size()
    yield _judging(repeats)


def _data_set() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="groundwalk-") as folder:
        config = DataConfig(pairs=_MADE, executor="serial", out=Path(folder))
        took = seconds(partial(make, config, Console(quiet=True)))
    limit = _MINUTES * 60 * 2 * _MADE / sum(PUBLISHED.values())
    yield Figure(
        f"a data set of {_MADE:,} pairs", f"{took:.1f} s", f"{limit:.0f} s", took <= limit, "one core"
    )
    megabytes = peak_megabytes()
    if megabytes is not None:
        yield Figure(
            "memory for that", f"{megabytes:.0f} MB", f"{_MEGABYTES:.0f} MB", megabytes <= _MEGABYTES
        )


def _published_size() -> Figure:
    each = {world: seconds(partial(draw_candidates, world, 1, 0, _DRAWN)) / _DRAWN for world in DRAWN}
    drawn = {world: PUBLISHED[world] * _FOR_A_PAIR[world] for world in DRAWN}
    minutes = sum(drawn[world] * each[world] for world in DRAWN) / 60 / 2
    told = ", ".join(f"{world} {1e3 * each[world]:.2f} ms" for world in DRAWN)
    what = f"{sum(PUBLISHED.values()):,} pairs on two cores, from {sum(drawn.values()):,.0f} candidates"
    return Figure(
        what, f"{minutes:.1f} min", f"{_MINUTES:.0f} min", minutes <= _MINUTES, f"extrapolated: {told}"
    )


def _judging(repeats: int) -> Figure:
    domains = {world: read_domain(read_texts(world, 1).domain) for world in DRAWN}
    pairs = [pair for world in DRAWN for pair in pairs_behind(world, 30)]
    times = [1e3 * median_seconds(partial(_judge, pair, domains[pair.world]), repeats) for pair in pairs]
    median = statistics.median(times)
    beside = f"slowest {max(times):.1f} ms, with up to {max(pair.size for pair in pairs)} atoms"
    return Figure("judging a right answer", f"{median:.2f} ms", "12 ms", median <= 12, beside)


def _judge(pair: Pair, domain: Domain) -> None:
    record, _ = judged(pair.problem, pair, domain, Planner())
    if not record.correct:
        raise RuntimeError(f"the truth of {pair.id} is {record.verdict}: {record.difference}")
