"""Pairs as tasks of a world: `planetarium:blocksworld`, `planetarium:FOLDER`, `planetarium:FILE`.

Of the two worlds that tasks are drawn for, task n is the n-th pair of the test split of seed 0. A folder is
that of one world in a data set that was made before; task n is the n-th pair of its test split. A file is the
published data set (`envs.planetarium.published`); task n is its n-th problem, of a domain of its own.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from envs.folder import PAIRS_PREFIX, TaskTexts, WorldNotFound, read_file, task_texts, world_folder
from envs.planetarium.collection import Collection
from envs.planetarium.drawing import DRAWN, draw_candidate
from envs.planetarium.files import read_pairs, split_file
from envs.planetarium.pairs import Pair, Split
from envs.planetarium.published import is_published, read_published
from envs.reading import DomainText, ProblemText
from envs.registry import WORLDS_FOLDER
from envs.verbalisation.words import Words

_FIRST = 64  #: pairs that are drawn when one is asked for; beyond, twice as many, and so on


class NoSuchPair(LookupError):
    """There is no pair of that name and number; the message says what there is."""


def find_pair(name: str, number: int) -> Pair:
    """Pair `number`, from 1, behind a name without the prefix. Raises NoSuchPair, ValueError."""
    if number < 1:
        raise NoSuchPair(f"pairs are numbered from 1, and {number} was asked for")
    pairs = pairs_behind(name, number)
    if number > len(pairs):
        raise NoSuchPair(f"{name} has {len(pairs)} pairs, and number {number} was asked for")
    return pairs[number - 1]


def world_files(world: str, problem: int | str) -> TaskTexts:
    """A pair as a task of the world that it belongs to, with its description. Raises WorldNotFound."""
    if not str(problem).isdecimal():
        raise WorldNotFound(f"the tasks of {world} are numbered, and {problem!r} is no number")
    name = world.removeprefix(PAIRS_PREFIX)
    try:
        pair = find_pair(name, int(problem))
    except NoSuchPair as error:
        raise WorldNotFound(str(error)) from error
    if is_published(name):
        pddl = ProblemText(DomainText(domain_behind(name, pair)), pair.problem)
        return TaskTexts(pair.world, pair.id, pddl, "", pair.text, Words(), world)
    folder = world_folder(pair.world)
    pddl = ProblemText(DomainText(read_file(folder / "domain.pddl")), pair.problem)
    return task_texts(folder, pair.id, pddl, pair.text, world)


def pairs_behind(name: str, most: int) -> tuple[Pair, ...]:
    """The first pairs behind a name without the prefix, at most so many. Raises NoSuchPair, ValueError."""
    if name in DRAWN:
        count = _FIRST
        while count < most:
            count *= 2
        return _drawn(name, count)[:most]
    if is_published(name):
        return read_published(name).pairs[:most]
    try:
        return _stored(Path(name))[:most]
    except OSError as error:
        known = ", ".join(DRAWN)
        raise NoSuchPair(
            f"there are no pairs of {name!r}: name {known}, a folder with {Split.TEST}.jsonl in it, or a "
            "file of the published data set"
        ) from error


def domain_behind(name: str, pair: Pair) -> str:
    """The PDDL domain of a pair behind a name without the prefix. Raises as `pairs_behind`."""
    if is_published(name):
        return read_published(name).domains[pair.world]
    return (WORLDS_FOLDER / pair.world / "domain.pddl").read_text(encoding="utf-8")


@lru_cache(maxsize=8)
def _drawn(world: str, count: int) -> tuple[Pair, ...]:
    """The first pairs of the test split of seed 0."""
    collection, pairs, index = Collection({Split.TEST: count}), list[Pair](), 0
    while not collection.whole:
        candidate = draw_candidate(world, 0, index)
        if candidate is not None and collection.take(candidate) is Split.TEST:
            pairs.append(candidate.pair)
        index += 1
    return tuple(pairs)


@lru_cache(maxsize=8)
def _stored(folder: Path) -> tuple[Pair, ...]:
    return tuple(read_pairs(split_file(folder, Split.TEST)))
