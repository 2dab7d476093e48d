"""Two ways to find the fewest edits, on the same broken worlds and the same walks: search, and constraints.

Each case is a world with some of its rules' terms removed, and what its first walks teach. Both ways get the
same model and the same lessons, and as much time. Printed are their edits, how many operators they leave
without an explanation, and their seconds; for the constraints also how often they prove that fewer do not
suffice.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import monotonic

from agents.repair.best_first import best_first
from agents.repair.candidate import Candidate
from agents.repair.constraints import fewest_edits
from agents.repair.lessons import Lessons, Teacher
from agents.repair.model import Model
from agents.repair.search import Repairs
from envs.pddl.mutation.faults import BreakKind
from envs.world import open_world
from ew.walks.adapter import transitions_of
from ew.walks.choosing import policy_walks
from ew.walks.policies import make_policy
from ew.walks.world_walks import WorldWalks
from experiments.bench.measure import Figure
from experiments.runs.seeds import stream
from experiments.studies.repair.cases import break_world

WORLDS = ("barman", "depot", "grippers", "hiking", "termes", "urnsong")
COUNTS = (1, 3, 5, 10)
SEEDS = (0, 1, 2)
_WALL_S = 20.0
_WALKS, _LENGTH = 30, 15
_EXPANSIONS = 2000  #: the most that a repair allows one search


@dataclass(frozen=True)
class Tried:
    """What one way came to."""

    edits: int
    unexplained: int
    wall_s: float

    @classmethod
    def of(cls, found: Candidate, started: float) -> Tried:
        """A result that has just been found."""
        return cls(found.size, found.unexplained, monotonic() - started)


@dataclass(frozen=True)
class Compared:
    """Both ways on one case."""

    env: str
    count: int  #: terms removed
    searched: Tried
    constrained: Tried
    proved: bool  #: by the constraints, that fewer edits do not do

    @property
    def better(self) -> int:
        """1 if the constraints leave less, or as little by fewer edits; -1 if the search does; else 0."""
        one, other = self.constrained, self.searched
        left, right = (one.unexplained, one.edits), (other.unexplained, other.edits)
        return (left < right) - (left > right)


def compare(env: str, count: int, seed: int, wall_s: float = _WALL_S) -> Compared:
    """Both ways on one case."""
    model = Model.of(break_world(env, 1, BreakKind.REMOVED, count, seed).given)
    lessons = first_lessons(env, model, seed)
    started = monotonic()
    best = best_first(
        Repairs(model, lessons), frozenset(), _EXPANSIONS, lambda: monotonic() > started + wall_s
    )
    searched = Tried.of(best, started)
    again = monotonic()
    fewest = fewest_edits(model, lessons, wall_s)
    constrained = Tried.of(fewest.candidate, again)
    return Compared(env, count, searched, constrained, fewest.proved)


def first_lessons(env: str, model: Model, seed: int) -> Lessons:
    """What some walks by coverage teach about a model, as in the first look of a repair."""
    walks = WorldWalks(transitions_of(open_world(env, 1)))
    chooser = make_policy("coverage").start(walks)
    policy_walks(walks, chooser, [_LENGTH] * _WALKS, stream(seed, "repair bench", env))
    return Teacher(model.task, walks.operators).lessons(walks.seen(), {})


def bench_repair() -> Iterator[Figure]:
    """One line for each world and number of removed terms; medians over the seeds."""
    for env in WORLDS:
        for count in COUNTS:
            yield figure([compare(env, count, seed) for seed in SEEDS])


def figure(cases: Sequence[Compared]) -> Figure:
    """Cases of one world and number as one line. The target: never worse than the search."""
    constrained, searched = _told([c.constrained for c in cases]), _told([c.searched for c in cases])
    return Figure(
        f"repair {cases[0].env}, {cases[0].count} removed, by constraints",
        constrained,
        "no worse",
        all(case.better >= 0 for case in cases),
        f"proved {sum(c.proved for c in cases)} of {len(cases)}; by search {searched}",
    )


def _told(tried: Sequence[Tried]) -> str:
    explained = sum(not one.unexplained for one in tried)
    edits = statistics.mean(one.edits for one in tried)
    seconds = statistics.median(one.wall_s for one in tried)
    return f"{explained}/{len(tried)} explained, {edits:.1f} edits, {seconds:.2f} s"
