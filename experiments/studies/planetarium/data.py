"""`python -m experiments.run planetarium-data`: make a data set of tasks in words and in PDDL.

Candidates are drawn by workers, numbered, and taken in the order of their numbers, so the same flags make the
same files whatever the workers. A world of which no more different tasks are found has fewer pairs than were
asked for, and the command prints so. docs/planetarium.md describes the files.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from os import cpu_count
from pathlib import Path
from types import MappingProxyType
from typing import Literal

import tyro
from rich.console import Console

from agents.requests import translation_request
from envs.planetarium.card import Tally, card
from envs.planetarium.collection import HELD_OUT, TEST_PERCENT, Collection
from envs.planetarium.drawing import DRAWN, LAYOUTS, PairCandidate, draw_candidates, task_candidates
from envs.planetarium.files import Format, ParquetMissing, row_file, split_file
from envs.planetarium.pairs import Pair, Split
from envs.registry import WORLDS_FOLDER, worlds
from experiments.config import ConfigError, MachineFlags, pick
from experiments.driver.engine import make_executor
from experiments.reporting.display import wide_console
from search.executors import Executor

#: Pairs of each world in the published data set, which is what the worlds' shares are taken from.
PUBLISHED: Mapping[str, int] = MappingProxyType({"blocksworld": 92_350, "gripper": 39_687})
#: Candidates that a worker draws at a time: tasks of the suite take longer, as goals have to be completed.
_CHUNK, _SUITE_CHUNK = 100, 3
#: Chunks that are under way at a time, for each worker.
_AHEAD = 3
#: After so many chunks without a new pair, there are taken to be no more.
_BARREN = 30

#: The files of a world that hold rows, whatever their form.
_FILES = (*Split, "train.chat")


@dataclass(frozen=True)
class DataConfig:
    """Make pairs of a planning task in words and its PDDL, parted into train and test."""

    world: tuple[str, ...] = tuple(DRAWN)
    """Worlds: blocksworld and gripper are drawn as layouts; any other comes with its own tasks and texts."""
    pairs: int = 1000
    """Pairs in all, parted among the worlds as in the published data set, else evenly; published: 132037."""
    seed: int = 0
    """Tasks of blocksworld and gripper follow from it."""
    format: Format = "jsonl"
    """Parquet needs an extra: pip install 'groundwalk[parquet]'."""
    split: Literal["random", "layouts"] = "random"
    """What is for testing: a fifth of all kinds of problems, or whole layouts, --held-out."""
    held_out: tuple[str, ...] = HELD_OUT
    """With --split layouts: init:LAYOUT and goal:LAYOUT; default: those of the published comparison."""
    export: Literal["sft", "sft-user"] | None = None
    """Also write the train split as conversations, for fine-tuning; sft-user: for chat templates without a
    system role, whose text then stands before the user's."""
    executor: Literal["serial", "process"] = "process"
    """Where candidates are drawn; the data set does not depend on it."""
    workers: int | None = None
    """Processes; default: one for each CPU."""
    out: Path = Path("runs/planetarium-data")
    """The folder to write; files of a data set that is there are replaced."""


def main(arguments: Sequence[str]) -> int:
    """Make the data set of a command line; returns the exit code."""
    config = tyro.cli(DataConfig, prog="python -m experiments.run planetarium-data", args=list(arguments))
    _check(config)
    try:
        make(config, wide_console())
    except ParquetMissing as error:
        raise ConfigError(str(error)) from error
    return 0


def make(config: DataConfig, console: Console) -> None:
    """Write all files of a data set. Raises OSError, ParquetMissing, WorkerError."""
    tally = Tally()
    with make_executor(MachineFlags(executor=config.executor, workers=config.workers)) as executor:
        for world, wanted in _shares(config).items():
            _make_world(config, world, wanted, executor, tally)
            found = {split: tally.of(world, split) for split in Split}
            made = ", ".join(f"{found[split]:,} of {wanted[split]:,} {split}" for split in Split)
            console.print(f"{world}: {made}", highlight=False)
    chat = config.export is not None
    text = card(config.world, tally, config.format, _made_by(config), _held_out(config), chat)
    (config.out / "README.md").write_text(text, encoding="utf-8")
    console.print(f"written to {config.out}", soft_wrap=True)


def chat_row(pair: Pair, domain: str, system: bool = True) -> dict[str, object]:
    """A pair as a conversation: the request of the evaluation, and the answer that is right.

    Without `system` all that is asked stands in one message of the user.
    """
    request = translation_request(domain, pair.text)
    messages = [{"role": m.role, "content": m.content} for m in request]
    if not system:
        messages = [{"role": "user", "content": "\n\n".join(m.content for m in request)}]
    answer = {"role": "assistant", "content": f"```pddl\n{pair.problem.strip()}\n```"}
    return {"id": pair.id, "messages": [*messages, answer]}


def _make_world(
    config: DataConfig, world: str, wanted: Mapping[Split, int], executor: Executor, tally: Tally
) -> None:
    folder = config.out / world
    folder.mkdir(parents=True, exist_ok=True)
    for earlier in (path for kind in _FILES for path in folder.glob(f"{kind}.*")):
        earlier.unlink()  # in another form they would be taken for files of this data set
    domain = (WORLDS_FOLDER / world / "domain.pddl").read_text(encoding="utf-8")
    (folder / "domain.pddl").write_text(domain, encoding="utf-8")
    with ExitStack() as stack:
        files = {s: stack.enter_context(row_file(split_file(folder, s, config.format))) for s in Split}
        name = folder / f"train.chat.{config.format}"
        chat = stack.enter_context(row_file(name)) if config.export else None
        ahead = 1 if config.executor == "serial" else _AHEAD * (config.workers or cpu_count() or 1)
        for pair, split in chosen(world, config.seed, wanted, executor, ahead, _held_out(config)):
            tally.note(pair, split)
            files[split].add(pair.to_json())
            if chat is not None and split is Split.TRAIN:
                chat.add(chat_row(pair, domain, system=config.export == "sft"))


def chosen(
    world: str,
    seed: int,
    wanted: Mapping[Split, int],
    executor: Executor,
    ahead: int,
    held_out: Sequence[str] = (),
) -> Iterator[tuple[Pair, Split]]:
    """The pairs of a world in their order, until there are enough or no more are found.

    So many chunks of candidates are under way at a time.
    """
    collection, barren = Collection(wanted, held_out), 0
    drawn = _chunks(world, seed, executor, ahead)
    while not collection.whole and barren < _BARREN:
        barren += 1
        for candidate in next(drawn):
            split = collection.take(candidate)
            if split is not None:
                barren = 0
                yield candidate.pair, split
    drawn.close()


def _chunks(
    world: str, seed: int, executor: Executor, ahead: int
) -> Generator[tuple[PairCandidate, ...], None, None]:
    """All candidates, chunk by chunk in order, a few chunks drawn ahead."""
    draw = partial(draw_candidates, world, seed) if world in DRAWN else partial(task_candidates, world)
    size = _CHUNK if world in DRAWN else _SUITE_CHUNK
    under_way: deque[Future[tuple[PairCandidate, ...]]] = deque()
    start = 0
    try:
        while True:
            while len(under_way) < ahead:
                under_way.append(executor.submit(draw, start, start + size))
                start += size
            yield under_way.popleft().result()
    finally:
        for future in under_way:
            future.cancel()


def _held_out(config: DataConfig) -> tuple[str, ...]:
    return config.held_out if config.split == "layouts" else ()


def _shares(config: DataConfig) -> dict[str, dict[Split, int]]:
    """How many pairs each split of each world is to have."""
    published = all(world in PUBLISHED for world in config.world)
    weights = {world: PUBLISHED[world] if published else 1 for world in config.world}
    parts = _parted(config.pairs, list(weights.values()))
    found = {}
    for world, part in zip(weights, parts, strict=True):
        train, test = _parted(part, [100 - TEST_PERCENT, TEST_PERCENT])
        found[world] = {Split.TRAIN: train, Split.TEST: test}
    return found


def _parted(total: int, weights: Sequence[int]) -> list[int]:
    """Whole numbers in proportion to the weights that add up to `total`."""
    ends = [total * sum(weights[: i + 1]) // sum(weights) for i in range(len(weights))]
    return [end - start for start, end in zip([0, *ends], ends, strict=False)]


def _made_by(config: DataConfig) -> str:
    flags = [f"--world {' '.join(config.world)}", f"--pairs {config.pairs}", f"--seed {config.seed}"]
    if config.split == "layouts":
        flags += [f"--split layouts --held-out {' '.join(config.held_out)}"]
    flags += [f"--format {config.format}", *([f"--export {config.export}"] if config.export else [])]
    return f"python -m experiments.run planetarium-data {' '.join(flags)}\nigraph {version('igraph')}"


def _check(config: DataConfig) -> None:
    """Raises ConfigError for flags that cannot be meant."""
    for world in config.world:
        pick("world", world, worlds())
    if len(set(config.world)) < len(config.world) or not config.world:
        raise ConfigError("--world takes one or more different worlds")
    if config.split == "layouts":
        if any(world not in DRAWN for world in config.world):
            raise ConfigError(f"--split layouts is for worlds with layouts: {', '.join(DRAWN)}")
        for layout in config.held_out:
            known = (f"{side}:{name}" for side, names in LAYOUTS.items() for name in names)
            pick("layout to hold out", layout, known)
    if config.pairs < len(config.world):
        raise ConfigError("--pairs must be one for each world at least")
    if config.seed < 0 or (config.workers is not None and config.workers < 1):
        raise ConfigError("--workers must be positive and --seed must not be negative")
