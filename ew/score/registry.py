"""The estimators by name, each imported when it is first looked up, so that their names alone load nothing.

`Registry` serves whatever is chosen by name and may come from other packages too.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from ew.score.estimators import Estimator

T = TypeVar("T")


class Registry(Mapping[str, T]):
    """Objects by name, each made on the first look-up from its entry point and its settings.

    An entry point, `module:name`, is a class or what else makes an object of the settings. Entry points of
    installed packages in `group` come after those given, and never replace one of them; what is installed
    into a folder of `sys.path` while this process runs is found by the next one.
    """

    def __init__(self, own: Mapping[str, tuple[str, Mapping[str, Any]]], group: str = ""):
        self._own, self._group = dict(own), group
        self._found = cache(self._find)

    def __getitem__(self, name: str) -> T:
        """The object of that name. Raises KeyError for none, ValueError where several packages have one."""
        return self._found(name)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self._own, *self._installed()]))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, name: object) -> bool:
        return name in self._own or name in self._installed()

    def _installed(self) -> tuple[str, ...]:
        return _names_in(self._group, tuple(sys.path)) if self._group else ()

    def _find(self, name: str) -> T:
        if name not in self._own and name in self._installed():
            entry, *others = dict.fromkeys(entry_points(group=self._group, name=name))
            if others:
                offered = ", ".join(e.value for e in (entry, *others))
                raise ValueError(
                    f"several packages offer {name!r} ({self._group}): {offered}; keep one of them"
                )
            return self.made(entry, {})
        point, settings = self._own[name]
        return self.made(EntryPoint(name, point, self._group), settings)

    def made(self, entry: EntryPoint, settings: Mapping[str, Any]) -> T:
        """What an entry point makes of its settings."""
        found: T = entry.load()(**settings)
        return found


@cache  # each look reads what every installed package says of itself, and names are looked up in loops
def _names_in(group: str, _path: tuple[str, ...]) -> tuple[str, ...]:
    """The names of the entry points in a group, of the packages on a search path; sorted."""
    return tuple(sorted(entry_points(group=group).names))


#: The estimator of Definition 1, which the others are measured against; the default.
PUBLISHED = "paper"
#: The published one comes first; those of other packages, whose entry points name them, come last.
ESTIMATORS: Registry[Estimator] = Registry(
    {
        PUBLISHED: ("ew.score.estimators:Paper", {}),
        "prefix": ("ew.score.estimators:Prefix", {}),
        "survival": ("ew.score.estimators:Survival", {}),
    },
    group="groundwalk.estimators",
)
