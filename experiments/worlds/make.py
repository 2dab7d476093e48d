"""Makes tasks of built-in worlds: the shipped ones anew, or any number more.

Everything is drawn from seeds that only depend on the world's name, the pool and the task's number, so the
same command writes the same bytes. A folder of more tasks is a world of its own: `--env DIR` runs it.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro
from rich.console import Console

from envs.intermediate.implied import IMPLIED
from envs.intermediate.knowledge import EXAMPLE, EXAMPLE_IR, RULES, terse_example_ir
from envs.pddl.planning.outcomes import PlanOutcome
from envs.registry import WORLDS_FOLDER, worlds
from envs.shipping import RECORD, SHIPPED, record_solutions, write_tasks
from envs.source import can_be_terse, read_texts
from envs.variants import WRITTEN, Level
from experiments.config import ConfigError, pick
from experiments.worlds.command import carried_out

#: What all tasks of a world share; only the first has to be there.
_SHARED = ("domain.pddl", "domain.nl", "words.json")


@dataclass(frozen=True)
class Make:
    """Make a built-in world's shipped tasks anew and record their solutions, or make any number more."""

    world: tyro.conf.Positional[str]
    """A built-in world's name."""
    count: int | None = None
    """Make this many tasks on demand (g1, g2, …) instead, as p01, p02, … in --out."""
    out: Path | None = None
    """A new folder, which becomes a world; default for the shipped tasks: the world's own folder."""
    level: Annotated[Level, tyro.conf.EnumChoicesFromValues] = Level.EXPLICIT
    """The level of the tasks' texts in --out."""


def main(arguments: Sequence[str]) -> int:
    """The command `make`; returns the exit code."""
    return carried_out("make", Make, make, arguments)


def make(command: Make, console: Console) -> int:
    """Make what was asked for; 1 if a shipped task was not solved. Raises ConfigError, PlannerMissing."""
    world = pick("built-in world", command.world, worlds())
    if command.level is Level.GIVEN:
        raise ConfigError(
            f"the tasks' texts are written here, and a given text is not; --level {' or '.join(WRITTEN)}"
        )
    if command.level is Level.TERSE and not can_be_terse(world):
        raise ConfigError(
            f"{world} has no {IMPLIED}, so it has no terse texts; --level {' or '.join(WRITTEN)}"
        )
    if command.count is not None:
        return _more(command, world, command.count, console)
    folder = WORLDS_FOLDER / world
    if command.out is not None:
        folder = _new_world(world, command.out)
        for stem in SHIPPED:
            _write_text(folder / f"{stem}.nl", read_texts(f"{world}+{command.level}", stem).task)
        for name in (RULES, IMPLIED):
            if (WORLDS_FOLDER / world / name).is_file():
                shutil.copyfile(WORLDS_FOLDER / world / name, folder / name)
    write_tasks(world, folder)
    if command.out is not None and command.level is Level.TERSE:
        example = read_texts(world, EXAMPLE)
        ir = terse_example_ir(WORLDS_FOLDER / world, example.domain, example.problem)
        (folder / EXAMPLE_IR).write_text(ir, encoding="utf-8")
    record = record_solutions(world, folder=folder)
    console.print(f"{folder}: made {' '.join(SHIPPED)}", markup=False, highlight=False, soft_wrap=True)
    return _report(record, folder, console)


def _more(command: Make, world: str, count: int, console: Console) -> int:
    """Tasks on demand, with their texts."""
    if count < 1:
        raise ConfigError(f"--count must be positive, not {count}")
    if command.out is None:
        raise ConfigError("--count needs --out DIR, a new folder for the tasks")
    folder = _new_world(world, command.out)
    for number in range(1, count + 1):
        texts = read_texts(f"{world}+{command.level}", f"g{number}")
        (folder / f"p{number:02}.pddl").write_text(texts.problem, encoding="utf-8")
        _write_text(folder / f"p{number:02}.nl", texts.task)
    console.print(
        f"{folder}: {count} tasks; they run with --env {folder}",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
    return 0


def _write_text(path: Path, text: str) -> None:
    path.write_text(f"{text}\n", encoding="utf-8")


def _new_world(world: str, folder: Path) -> Path:
    """`folder`, created, with what all tasks of `world` share. Raises ConfigError if it holds anything."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ConfigError(f"{folder} is there already and not empty; name a new folder with --out")
    folder.mkdir(parents=True, exist_ok=True)
    for name in _SHARED:
        if (WORLDS_FOLDER / world / name).is_file():
            shutil.copyfile(WORLDS_FOLDER / world / name, folder / name)
    return folder


def _report(record: Mapping[str, Mapping[str, Any]], folder: Path, console: Console) -> int:
    unsolved = [stem for stem, entry in record.items() if entry["outcome"] != PlanOutcome.SOLVED]
    lengths = " ".join(f"{stem}:{entry['length']}" for stem, entry in record.items() if stem not in unsolved)
    console.print(f"{folder / RECORD}: plan lengths {lengths}", markup=False, highlight=False, soft_wrap=True)
    for stem in unsolved:
        console.print(
            f"{stem}: {record[stem]['outcome']}; give the world's generator other sizes", markup=False
        )
    return 1 if unsolved else 0
