"""Alignment of large domains with many faults and none of their names: how long the proof takes."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping

import numpy as np

from envs.anonymous import anonymise
from envs.pddl.alignment.errors_of import Alignment, align
from envs.pddl.language.domain import read_domain
from envs.pddl.mutation.faults import BreakKind, break_domain
from envs.source import read_texts
from experiments.bench.measure import Figure, seconds

#: The worlds of the suite with the most actions.
LARGEST = ("minecraft", "household")
FAULTS = 40
_DOMAINS = 5


def bench_alignment(
    worlds: tuple[str, ...] = LARGEST, faults: int = FAULTS, domains: int = _DOMAINS
) -> Iterator[Figure]:
    """A figure for each world: some domains, each with other faults."""
    for world in worlds:
        found: list[Alignment] = []
        taken = [_time_of(world, faults, seed, found) for seed in range(domains)]
        median, proved = statistics.median(taken), sum(alignment.exact for alignment in found)
        beside = f"{proved} of {domains} proved; {max(taken):.1f} s at most"
        what = f"align {world}, {faults} faults, other names"
        yield Figure(what, f"{median:.1f} s", "2 s", median <= 2 and proved == domains, beside)


def _time_of(world: str, faults: int, seed: int, found: list[Alignment]) -> float:
    """Seconds of one alignment, which is added to `found`."""
    texts = read_texts(world, 1)
    true = read_domain(texts.domain)
    broken = break_domain(true, BreakKind.MIXED, faults, np.random.default_rng(seed))
    hidden = anonymise(broken.domain, texts.problem)
    made, names = read_domain(hidden.domain), hidden.names

    def run() -> None:
        found.append(
            align(
                true,
                made,
                actions=_back(names["actions"]),
                types=_back(names["types"]),
                constants=_back(names["objects"]),
            )
        )

    return seconds(run)


def _back(names: Mapping[str, str]) -> dict[str, str]:
    return {new: old for old, new in names.items()}
