"""Worlds of other packages: any Python object with the World surface, found by an entry point.

A package names its worlds in its own `pyproject.toml`:

    [project.entry-points."groundwalk.worlds"]
    lamp = "my_package.lamp:open_lamp"

and `open_lamp(problem: int | str) -> World` opens one of its tasks, or raises LookupError if it has none of
that name. Once the package is installed, `lamp` is a world's name like any other. Names of built-in worlds
and paths of folders go first. Of the suffixes of `envs.variants` only `+undocumented` goes with such a world,
and `+outlined` where its description has a paragraph on each action: the others rewrite PDDL.

The simulators of `envs.registry.SIMULATORS` are opened in the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from typing import cast

from envs.folder import WorldNotFound
from envs.pddl.interface import World
from envs.registry import SIMULATORS
from envs.source import described, split_name
from envs.variants import OUTLINED, UNDOCUMENTED, Variant

GROUP = "groundwalk.worlds"
#: What a World has to offer, see `envs.pddl.interface.World`.
SURFACE = (
    *("name", "description", "task", "types", "objects", "actions"),
    *("executable", "verify", "describe"),
)


class BrokenPlugin(RuntimeError):
    """A package offers a world that cannot be used; the message says which and why."""


def plugin_names() -> tuple[str, ...]:
    """The names of the worlds that installed packages offer, sorted."""
    return tuple(sorted(entry_points(group=GROUP).names))


def is_plugin(world: str) -> bool:
    """Whether an installed package or a simulator offers a world of that name, whatever its suffixes."""
    base = split_name(world).base
    return base in SIMULATORS or base in entry_points(group=GROUP).names


def open_plugin(world: str, problem: int | str) -> World:
    """The world of that name out of its package, set to one of its tasks.

    With `+undocumented` or `+outlined` behind the name it offers all but what that leaves out of its
    description. Raises WorldNotFound if there is no such world or task, if it cannot be outlined, or if other
    suffixes ask for a variant of it; BrokenPlugin if the package cannot be imported or what it returns is no
    World.
    """
    name = split_name(world)
    base, variant = name.base, name.variant
    if variant in (Variant(undocumented=True), Variant(outlined=True)):
        whole = open_plugin(base, problem)
        text = described(whole.description, variant, f"world {base!r}")
        return _redescribed(whole, text, (world, problem))
    if variant != Variant():
        raise WorldNotFound(
            f"world {base!r} comes from a package and has no variant {str(variant)!r}, only +{OUTLINED} and "
            f"+{UNDOCUMENTED}"
        )
    entry = _entry(world)
    try:
        factory = entry.load()
    except ModuleNotFoundError as error:
        if base not in SIMULATORS or error.name != base.partition(":")[0]:
            raise BrokenPlugin(f"{_named(entry)} cannot be imported: {error}") from error
        extra = f"pip install 'groundwalk[{error.name}]'"
        raise WorldNotFound(f"world {base!r} needs the package {error.name}: {extra}") from error
    except (ImportError, AttributeError) as error:
        raise BrokenPlugin(f"{_named(entry)} cannot be imported: {error}") from error
    try:
        opened: World = factory(problem)
    except LookupError as error:
        raise WorldNotFound(f"world {world!r} has no task {problem!r}: {error}") from error
    lacking = [part for part in SURFACE if not hasattr(opened, part)]
    if lacking:
        raise BrokenPlugin(f"{_named(entry)} returned {opened!r}, which lacks {', '.join(lacking)}")
    return opened


class _Redescribed:
    """A package's world with another description. Made by `_redescribed`; pickles as its name."""

    def __init__(self, opened: World, description: str, place: tuple[str, int | str]):
        self._opened = opened
        self._place = place
        self.description = description

    def __reduce__(self) -> tuple[Callable[..., World], tuple[str, int | str]]:
        return open_plugin, self._place


def _redescribed(opened: World, description: str, place: tuple[str, int | str]) -> World:
    """`opened` with another description.

    What else it offers are properties of a class of its own: an optional protocol is asked for by attributes
    that are looked up without `__getattr__`.
    """
    offered = [part for part in dir(opened) if not part.startswith("_") and part != "description"]
    kind = type("Redescribed", (_Redescribed,), {part: _passed_on(part) for part in offered})
    return cast(World, kind(opened, description, place))


def _passed_on(part: str) -> property:
    return property(lambda self: getattr(self._opened, part))


def _entry(world: str) -> EntryPoint:
    """The entry point of that name; two packages that offer the same name would be told apart by chance."""
    if world in SIMULATORS:
        return EntryPoint(world, SIMULATORS[world], GROUP)
    found = list(dict.fromkeys(entry_points(group=GROUP, name=world)))
    if not found:
        raise WorldNotFound(f"no installed package offers a world {world!r}")
    if len(found) > 1:
        raise BrokenPlugin(f"several packages offer {world!r}: {', '.join(map(_named, found))}")
    return found[0]


def _named(entry: EntryPoint) -> str:
    package = f" of package {entry.dist.name}" if entry.dist else ""
    return f"world {entry.name!r} ({entry.value}){package}"
