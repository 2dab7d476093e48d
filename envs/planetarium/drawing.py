"""Candidates for a collection: tasks drawn one by one, each from a random stream of its own.

Candidate number n of a world and a seed is the same wherever and in whatever order candidates are drawn. It
comes with two digests of canonical forms. The pair's own is equal for two pairs that are equivalent in their
mode. The *family* is coarser: it lets the goal's objects be placeholders in every pair, so that two pairs of
one family differ at most in which objects are which.

Candidates of any other world are its tasks, each at one of the three levels of its texts: those for
evaluation and then, without end, those on demand. Every task comes at every level, one after the other; the
level that it comes at first changes from task to task, so that the test split, which takes a task once, has
all levels. What a goal implies is not always known in these worlds, but two tasks whose initial states are
not the same up to names are different for sure. So tasks with one initial state are a family. Digests are of
canonical forms of the problems as they are written: equal for equivalent problems only, not for all of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from envs.folder import TaskTexts, read_file, words_in
from envs.pddl.equivalence.compare import canonical_digest
from envs.pddl.equivalence.deadline import NO_DEADLINE
from envs.pddl.equivalence.goals.goal import read_goal
from envs.pddl.equivalence.graphs.problem_graphs import ProblemGraphs
from envs.pddl.language.domain import Domain, read_domain, read_problem, read_vocabulary
from envs.planetarium import blocksworld, gripper
from envs.planetarium.drawn_task import DrawnTask
from envs.planetarium.pairs import STYLES, Pair, pair_of
from envs.reading import read_facts
from envs.registry import WORLDS_FOLDER
from envs.source import read_texts
from envs.variants import WRITTEN
from envs.verbalisation.words import Words

#: The worlds that tasks are drawn for, and how.
DRAWN: Mapping[str, Callable[[np.random.Generator], DrawnTask]] = MappingProxyType(
    {"blocksworld": blocksworld.draw_towers, "gripper": gripper.draw_rooms}
)
#: The layouts of either side, over these worlds.
LAYOUTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "init": (*blocksworld.INITIAL, *gripper.INITIAL),
        "goal": tuple(dict.fromkeys((*blocksworld.GOALS, *gripper.GOALS))),
    }
)
#: Tasks for evaluation; beyond them they are made on demand.
_SHIPPED = 10


@dataclass(frozen=True)
class PairCandidate:
    """A pair that may go into a collection."""

    pair: Pair
    family: str  #: see the module; 64 hexadecimal digits


def draw_candidate(world: str, seed: int, index: int) -> PairCandidate | None:
    """Candidate number `index`; None if the goal of its task holds from the start.

    Raises KeyError for a world that no tasks are drawn for, and LabellingFailed.
    """
    task = DRAWN[world](_stream(world, seed, index))
    if task.facts.solved:
        return None
    domain, words = _read(world)
    style = STYLES[index % len(STYLES)]
    pair = pair_of(task, world, f"{world}-{seed}-{index}", style, domain.vocabulary, words)
    problem = read_problem(pair.problem, domain)
    family = canonical_digest(problem, placeholder=True, deadline_s=None)
    own = family if pair.placeholder else canonical_digest(problem, deadline_s=None)
    return PairCandidate(replace(pair, certificate=own), family)


def draw_candidates(world: str, seed: int, start: int, stop: int) -> tuple[PairCandidate, ...]:
    """The candidates with numbers from `start` to before `stop`, without those that are solved at first."""
    drawn = (draw_candidate(world, seed, index) for index in range(start, stop))
    return tuple(candidate for candidate in drawn if candidate is not None)


def _stream(world: str, seed: int, index: int) -> np.random.Generator:
    name = int.from_bytes(hashlib.sha256(world.encode("utf-8")).digest()[:16], "big")
    return np.random.default_rng(np.random.SeedSequence([seed, name], spawn_key=(index,)))


@lru_cache
def _read(world: str) -> tuple[Domain, Words]:
    folder = WORLDS_FOLDER / world
    return read_domain(read_file(folder / "domain.pddl")), words_in(folder)


def task_candidate(world: str, index: int) -> PairCandidate:
    """Candidate number `index`, from 0, of a built-in world. Raises WorldNotFound, LabellingFailed."""
    number, turn = divmod(index, len(WRITTEN))
    level = WRITTEN[(turn + number) % len(WRITTEN)]
    task = number + 1 if number < _SHIPPED else f"g{number + 1 - _SHIPPED}"
    texts = read_texts(f"{world}+{level}", task)
    own, family = _digests(world, task)
    pair = pair_of_texts(texts, f"{world}-{texts.problem_name}-{level}", world, level.value)
    return PairCandidate(replace(pair, certificate=own), family)


def pair_of_texts(texts: TaskTexts, name: str, world: str, level: str) -> Pair:
    """A task of any world as a pair without a digest. Raises ValueError as `read_facts`."""
    facts = read_facts(texts.problem, read_vocabulary(texts.domain))
    size, objects = len(facts.init) + len(facts.goal), len(facts.objects)
    return Pair(name, world, texts.task, texts.problem, level=level, size=size, objects=objects)


def task_candidates(world: str, start: int, stop: int) -> tuple[PairCandidate, ...]:
    """The candidates with numbers from `start` to before `stop`."""
    return tuple(task_candidate(world, index) for index in range(start, stop))


@lru_cache(maxsize=8)
def _digests(world: str, task: int | str) -> tuple[str, str]:
    """Of the problem as it is written, and of its initial state alone."""
    texts = read_texts(world, task)
    problem = read_problem(texts.problem, read_domain(texts.domain))
    graphs = ProblemGraphs(problem, NO_DEADLINE)
    return graphs.digest(read_goal(problem), placeholder=False), graphs.init.form.digest
