"""Makes tasks of built-in worlds: the shipped ones anew, or any number more.

Everything is drawn from seeds that only depend on the world's name, the pool and the task's number, so the
same command writes the same bytes. A folder of more tasks is a world of its own: `--env DIR` runs it.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console

from envs.intermediate.implied import IMPLIED
from envs.intermediate.knowledge import EXAMPLE, EXAMPLE_IR, RULES, terse_example_ir
from envs.pddl.planning.planner import PlanOutcome
from envs.registry import WORLDS_FOLDER, worlds
from envs.shipping import RECORD, SHIPPED, record_solutions, write_tasks
from envs.source import can_be_terse, read_texts
from envs.variants import WRITTEN, Level
from experiments.config import ConfigError, Count, pick

#: What all tasks of a world share; only the first has to be there.
_SHARED = ("domain.pddl", "domain.nl", "words.json")


@dataclass(frozen=True)
class MakeTasks:
    """Make a built-in world's shipped tasks anew and record their solutions, or make any number more."""

    world: tyro.conf.Positional[str]
    """A built-in world's name."""
    count: Count | None = None
    """Make this many tasks on demand (g1, g2, …) instead, as p01, p02, … in --out."""
    out: Path | None = None
    """A new folder, which becomes a world; default for the shipped tasks: the world's own folder."""
    level: Annotated[Level, tyro.conf.EnumChoicesFromValues] = Level.EXPLICIT
    """The level of the tasks' texts in --out."""

    def run(self, console: Console) -> int:
        """Make what was asked for; 1 if a shipped task was not solved. Raises ConfigError, PlannerMissing."""
        world = pick("built-in world", self.world, worlds())
        levels = f"--level {' or '.join(WRITTEN)}"
        if self.level is Level.GIVEN:
            raise ConfigError(f"the tasks' texts are written here, and a given text is not; {levels}")
        if self.level is Level.TERSE and not can_be_terse(world):
            raise ConfigError(f"{world} has no {IMPLIED}, so it has no terse texts; {levels}")
        if self.count is not None:
            console.print(self._made_on_demand(world, self.count))
            return 0
        folder, own = self.out or WORLDS_FOLDER / world, WORLDS_FOLDER / world
        if self.out is not None:
            _begin(folder, world, (*_SHARED, RULES, IMPLIED))
            for stem in SHIPPED:
                _write(folder / f"{stem}.nl", read_texts(f"{world}+{self.level}", stem).task + "\n")
        write_tasks(world, folder)
        if self.out is not None and self.level is Level.TERSE:
            example = read_texts(world, EXAMPLE)
            _write(folder / EXAMPLE_IR, terse_example_ir(own, example.domain, example.problem))
        console.print(f"{folder}: made {' '.join(SHIPPED)}")
        record = record_solutions(world, folder=folder)
        unsolved = [stem for stem, entry in record.items() if entry["outcome"] != PlanOutcome.SOLVED]
        solved = [f"{stem}:{entry['length']}" for stem, entry in record.items() if stem not in unsolved]
        console.print(f"{folder / RECORD}: plan lengths {' '.join(solved)}")
        for stem in unsolved:
            console.print(f"{stem}: {record[stem]['outcome']}; give the world's generator other sizes")
        return 1 if unsolved else 0

    def _made_on_demand(self, world: str, count: int) -> str:
        """Make tasks on demand, with their texts; a line that says so. Raises ConfigError."""
        if self.out is None:
            raise ConfigError("--count needs --out DIR, a new folder for the tasks")
        _begin(self.out, world, _SHARED)
        for number in range(1, count + 1):
            texts = read_texts(f"{world}+{self.level}", f"g{number}")
            _write(self.out / f"p{number:02}.pddl", texts.problem)
            _write(self.out / f"p{number:02}.nl", texts.task + "\n")
        return f"{self.out}: {count} tasks; they run with --env {self.out}"


def _begin(folder: Path, world: str, shared: Iterable[str]) -> None:
    """Make `folder`, with files of `world` that are there. Raises ConfigError if it holds anything."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ConfigError(f"{folder} is there already and not empty; name a new folder with --out")
    folder.mkdir(parents=True, exist_ok=True)
    for name in shared:
        if (WORLDS_FOLDER / world / name).is_file():
            shutil.copyfile(WORLDS_FOLDER / world / name, folder / name)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
