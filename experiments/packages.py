"""Whether the packages that go by our names are ours.

`agents`, `envs` and `search` are names that others use too: a folder of that name beside the user's own files
comes first on Python's path, and another distribution may even have written its files into ours. What is
imported then is somebody else's, and fails far from the cause. So each package carries a mark, and is looked
at before anything is imported from it. Nothing outside the standard library is needed here.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from importlib.util import find_spec
from pathlib import Path

#: Our packages beside this one.
PACKAGES = ("envs", "agents", "ew", "search")
#: A line of each package's `__init__.py`.
MARK = '__project__ = "groundwalk"'
_EXIT_CONFIG = 2


class ForeignPackage(ImportError):
    """A package that goes by a name of ours and is not ours; the message says what to do."""


def refuse_foreign() -> None:
    """End `python -m experiments.…` with a line and exit code 2, any other import with ForeignPackage."""
    foreign = "; ".join(_told(name, place) for name, place in foreign_packages())
    if not foreign:
        return
    if sys.argv[:1] == ["-m"]:  # what Python puts there until it has found the module
        print(f"error: {foreign}", file=sys.stderr)
        raise SystemExit(_EXIT_CONFIG)
    raise ForeignPackage(foreign)


def foreign_packages() -> Iterator[tuple[str, Path]]:
    """Name and place of each package that is not ours. One that is missing altogether is none of them."""
    home = Path(__file__).resolve().parent.parent
    for name in PACKAGES:
        spec = find_spec(name)
        if spec is None:
            continue
        places = [Path(place).resolve() for place in spec.submodule_search_locations or [spec.origin or name]]
        if places != [home / name] or not _marked(home / name / "__init__.py"):
            yield name, places[0]


def _marked(path: Path) -> bool:
    try:
        return MARK in path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return False


def _told(name: str, place: Path) -> str:
    """`agents` at PLACE is not groundwalk's, whose it is, and what to do."""
    others = [d for d in packages_distributions().get(name, ()) if d.lower() != "groundwalk"]
    whose = f", but of the distribution {' and '.join(others)}" if others else ""
    remedy = (
        f"uninstall {' and '.join(others)} and install groundwalk again, or install groundwalk into an "
        "environment of its own"
        if others
        else f"start from another folder, take {place.parent} out of PYTHONPATH, or rename that package"
    )
    return f"the package `{name}` at {place} is not groundwalk's{whose}: {remedy}"
