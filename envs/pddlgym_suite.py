"""The domains that pddlgym ships, as sources of worlds: `open_world("pddlgym:blocks", problem=1)`.

Only pddlgym's files are used; its package is found without being imported, as importing it registers its
environments with the old gym and writes warnings to stderr. Its domains name no action interface of their
own beyond the PDDL actions; where a domain lists action literals as predicates (`(pickup ?b)`), they are
ordinary atoms here, true where the problem's :init says so.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

from envs.folder import PDDLGYM_PREFIX, TaskTexts, WorldNotFound, read_file, unknown
from envs.reading import DomainText, ProblemText
from envs.verbalisation.words import Words

#: The first Python, (major, minor), for which the pillow that pddlgym pins cannot be installed.
_TOO_NEW = (3, 13)
#: Behind a domain's name, in the name of the folder of its problems for testing.
_TEST = "_test"


def missing() -> str | None:
    """What to do if pddlgym is not installed; None if it is."""
    if _folder() is not None:
        return None
    if sys.version_info >= _TOO_NEW:
        here = ".".join(map(str, sys.version_info[:2]))
        return (
            f"pddlgym is not installed, and cannot be under Python {here}, as it pins a pillow that has no "
            "build for it: use Python 3.11 or 3.12, or copy a domain's files into a folder of your own"
        )
    return "pddlgym is not installed: pip install pddlgym"


def domains() -> tuple[str, ...]:
    """The names of the domains that have problem files, sorted; none if pddlgym is not installed."""
    folder = _folder()
    if folder is None:
        return ()
    names = (path.stem for path in folder.glob("*.pddl"))
    return tuple(sorted(name for name in names if any((folder / name).glob("*.pddl"))))


def domain_file(name: str) -> Path:
    """The domain's PDDL file. `name` is one of `domains()`, else LookupError."""
    return _installed_folder() / f"{name}.pddl"


def problem_files(name: str) -> tuple[Path, ...]:
    """The problem files of a domain, in the order of the numbers in their names."""
    return tuple(sorted((_installed_folder() / name).glob("*.pddl"), key=_natural))


def files_for_testing(name: str) -> tuple[Path, ...]:
    """The problem files for testing what was learned in `problem_files`, in the order of their numbers."""
    return tuple(sorted((_installed_folder() / f"{name}{_TEST}").glob("*.pddl"), key=_natural))


def world_files(world: str, problem: int | str) -> TaskTexts:
    """The files of `pddlgym:<domain>` and one of its problems; those for testing follow as `test-problem2`.

    Raises WorldNotFound.
    """
    if reason := missing():
        raise WorldNotFound(f"{world}: {reason}")
    name = world.removeprefix(PDDLGYM_PREFIX)
    known = domains()
    if name not in known:
        raise WorldNotFound(unknown(f"pddlgym domain {name!r}", name, known, "domains"))
    files = {path.stem: path for path in problem_files(name)}
    files |= {f"test-{path.stem}": path for path in files_for_testing(name)}
    names = tuple(files)
    stem = str(problem)
    if isinstance(problem, int):
        stem = names[problem - 1] if 1 <= problem <= len(names) else f"number {problem}"
    if stem not in files:
        raise WorldNotFound(unknown(f"problem {stem!r} of pddlgym domain {name!r}", stem, names, "problems"))
    pddl = ProblemText(DomainText(read_file(domain_file(name))), read_file(files[stem]))
    return TaskTexts(world, stem, pddl, "", "", Words(), "pddlgym")


def _natural(path: Path) -> tuple[tuple[int, str], ...]:
    """A key that puts `problem10` after `problem9`."""
    parts: list[str] = re.findall(r"\d+|\D+", path.stem)
    return tuple((int(part), "") if part.isdigit() else (-1, part) for part in parts)


def _installed_folder() -> Path:
    folder = _folder()
    if folder is None:
        raise LookupError(missing())
    return folder


def _folder() -> Path | None:
    """The folder of pddlgym's PDDL files, or None if it is not installed."""
    spec = importlib.util.find_spec("pddlgym")
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0]) / "pddl"
