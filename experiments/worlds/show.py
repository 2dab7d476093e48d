"""One world as its texts tell it: the description, the action interface, a task at each level, a state.

For a world whose rules are PDDL these are said in words too, made from the PDDL itself: what an agent never
sees, for people who check whether the description says the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated

import tyro
from rich.console import Console

from envs.pddl.language.domain import read_domain
from envs.pddl.language.issues import PDDLError
from envs.plugins import is_plugin
from envs.source import can_be_terse, has_files, read_texts, split_name, task_named
from envs.variants import WRITTEN, Level, split_variant
from envs.verbalisation.description import verbalise_domain
from envs.world import open_world
from ew.walks.adapter import applicable_in
from experiments.config import ConfigError
from experiments.driver.preflight import check_name
from experiments.worlds.plugin_check import work_of


@dataclass(frozen=True)
class ShowWorld:
    """Print a world's description, its action interface, a task in words, and its first state in words."""

    world: tyro.conf.Positional[str]
    """A world's name, variants included, or a path to a folder."""
    task: str = "1"
    """The task: a number, or a name such as example, f01 or g7."""
    level: Annotated[Level | None, tyro.conf.EnumChoicesFromValues] = None
    """The level of the task's text; default: the text that the world comes with, and all levels."""

    def run(self, console: Console) -> int:
        """Print the world; the exit code. Raises WorldNotFound, PDDLError, ConfigError."""
        check_name(self.world)
        try:
            sections = list(self._sections())
        except (PDDLError, ConfigError):
            raise
        except ValueError as error:  # words that do not fit, or a goal that no sentence says
            message = f"task {self.task} of world {self.world!r} cannot be shown: {error}"
            raise ConfigError(message) from error
        for title, text in sections:
            console.print(f"── {title}", style="bold", soft_wrap=False)
            console.print(text + "\n")
        return 0

    def _sections(self) -> Iterator[tuple[str, str]]:
        task = task_named(self.task)
        world = open_world(self._at(self.level), task)
        yield f"{world.name}", world.description or "(it comes without a description)"
        has_pddl = has_files(self.world)
        if has_pddl:
            texts = read_texts(self._at(self.level), task)
            rules = verbalise_domain(read_domain(texts.domain), texts.words)
            if rules != world.description:
                yield "the rules in words, from the PDDL", rules
        yield "actions", "\n".join(map(str, world.actions))
        yield f"objects of task {task}", "\n".join(f"{name} - {kind}" for name, kind in world.objects.items())
        yield f"task {task}", world.task or "(it comes without a text)"
        if has_pddl and self.level is None and split_name(self.world).variant.level is None:
            yield from self._levels(task)
        yield "the first state in words", world.describe() or "(nothing that can change is true)"
        yield "applicable in it", "\n".join(applicable_in(world)) or "(no action)"
        if took := work_of(world):
            yield "to show this took", took

    def _levels(self, task: int | str) -> Iterator[tuple[str, str]]:
        """The task at each level that can be written."""
        for level in (*WRITTEN, *([Level.TERSE] if can_be_terse(self.world) else [])):
            try:
                yield f"task {task}, {level}", open_world(self._at(level), task).task
            except ValueError as error:
                yield f"task {task}, {level}", f"(cannot be written: {error})"

    def _at(self, level: Level | None) -> str:
        """The world's name with the level behind it. Raises ConfigError if it has another."""
        if level is None:
            return self.world
        if is_plugin(self.world) and not has_files(self.world):
            raise ConfigError(
                f"world {self.world!r} comes from a package and has only its own text; leave out --level"
            )
        base, variant = split_variant(self.world)
        if variant.level not in (None, level):
            raise ConfigError(f"{self.world!r} asks for the level {variant.level}; leave out --level {level}")
        return f"{base}{replace(variant, level=level)}"
