"""One world as its texts tell it: the description, the action interface, a task at each level, a state.

For a world whose rules are PDDL these are said in words too, made from the PDDL itself: what an agent never
sees, for people who check whether the description says the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import tyro
from rich.console import Console

from envs.pddl.interface import World
from envs.pddl.language.domain import read_domain
from envs.pddl.language.issues import PDDLError
from envs.plugins import is_plugin
from envs.source import can_be_terse, has_files, read_texts
from envs.variants import WRITTEN, Level, split_variant
from envs.wording.say import say_domain
from envs.world import open_world
from experiments.config import ConfigError
from experiments.driver.preflight import check_name
from experiments.worlds.command import carried_out


@dataclass(frozen=True)
class Show:
    """Print a world's description, its action interface, a task in words, and its first state in words."""

    world: tyro.conf.Positional[str]
    """A world's name, variants included, or a path to a folder."""
    task: str = "1"
    """The task: a number, or a name such as example, f01 or g7."""
    level: Annotated[Level | None, tyro.conf.EnumChoicesFromValues] = None
    """The level of the task's text; default: the text that the world comes with, and all levels."""


def main(arguments: Sequence[str]) -> int:
    """The command `show`; returns the exit code."""
    return carried_out("show", Show, show_world, arguments)


def task_name(text: str) -> int | str:
    """A task as `open_world` takes it: a number if it is one."""
    return int(text) if text.isdigit() else text


def show_world(command: Show, console: Console) -> int:
    """Print the world; the exit code. Raises WorldNotFound, PDDLError, ConfigError."""
    check_name(command.world)
    task = task_name(command.task)
    try:
        sections = list(_sections(open_world(_at(command.world, command.level), task), command, task))
    except (PDDLError, ConfigError):
        raise
    except ValueError as error:  # words that do not fit, or a goal that no sentence says
        raise ConfigError(f"task {task} of world {command.world!r} cannot be shown: {error}") from error
    for title, text in sections:
        console.print(f"── {title}", markup=False, highlight=False, style="bold")
        console.print(text + "\n", markup=False, highlight=False, soft_wrap=True)
    return 0


def _sections(world: World, command: Show, task: int | str) -> Iterator[tuple[str, str]]:
    yield f"{world.name}", world.description or "(it comes without a description)"
    yield from _rules(command, task, world.description)
    yield "actions", "\n".join(map(str, world.actions))
    yield f"objects of task {task}", "\n".join(f"{name} - {kind}" for name, kind in world.objects.items())
    yield f"task {task}", world.task or "(it comes without a text)"
    yield from _levels(command, task)
    yield "the first state in words", world.describe() or "(nothing that can change is true)"
    yield "applicable in it", "\n".join(world.applicable()) or "(no action)"


def _rules(command: Show, task: int | str, description: str) -> Iterator[tuple[str, str]]:
    """The world's PDDL in words, unless its description is just that."""
    if not has_files(command.world):
        return
    texts = read_texts(_at(command.world, command.level), task)
    said = say_domain(read_domain(texts.domain), texts.words)
    if said != description:
        yield "the rules in words, from the PDDL", said


def _levels(command: Show, task: int | str) -> Iterator[tuple[str, str]]:
    """The task at each level that can be written, unless one was asked for."""
    if command.level is not None or not has_files(command.world) or split_variant(command.world)[1].level:
        return
    for level in (*WRITTEN, *([Level.TERSE] if can_be_terse(command.world) else [])):
        try:
            yield f"task {task}, {level}", open_world(_at(command.world, level), task).task
        except ValueError as error:
            yield f"task {task}, {level}", f"(cannot be written: {error})"


def _at(world: str, level: Level | None) -> str:
    """The world's name with the level behind it. Raises ConfigError if it has another."""
    if level is None:
        return world
    if is_plugin(world) and not has_files(world):
        raise ConfigError(
            f"world {world!r} comes from a package and has only its own text; leave out --level"
        )
    base, variant = split_variant(world)
    if variant.level not in (None, level):
        raise ConfigError(f"{world!r} asks for the level {variant.level}; leave out --level {level}")
    return f"{base}{replace(variant, level=level)}"
