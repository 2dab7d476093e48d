"""Where a world's texts are, and reading them.

A world is named in one of three ways: a built-in name (`grippers`), a path to a folder, or
`pddlgym:<domain>`. A folder holds `domain.pddl` and `domain.nl`, optionally `phrases.json`, and for each task
`<stem>.pddl` and `<stem>.nl`, where the stem is `p01`, `p02`, … or any other name, such as `example`.

Behind any name may stand `+undocumented`: the same world and tasks, but with no description of the domain, as
of an environment whose rules nobody has written down.
"""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from envs import pddlgym_suite
from envs.phrases import Phrases, read_phrases
from envs.registry import WORLDS, WORLDS_FOLDER

PDDLGYM_PREFIX = "pddlgym:"
UNDOCUMENTED_SUFFIX = "+undocumented"

#: Stands for the description of a world that comes without one.
NO_DESCRIPTION = (
    "Nobody has described this environment. What its actions need and what they change has to be found out "
    "from the names and types in the action interface, from the task, and from how the environment responds."
)


class WorldNotFound(LookupError):
    """No world, task or file of that name; the message says what there is instead."""


@dataclass(frozen=True)
class WorldTexts:
    """Everything written down about a world and one of its tasks."""

    name: str  #: the world's name, e.g. `grippers`
    problem_name: str  #: the task's stem, e.g. `p01`
    domain: str  #: PDDL
    problem: str  #: PDDL
    description: str  #: the domain in words; empty for a pddlgym domain, which has none
    task: str  #: the task in words; empty for a pddlgym domain
    phrases: Phrases  #: may be empty

    def digest(self) -> str:
        """A key of the content: texts that differ anywhere have different digests."""
        parts = (
            self.domain,
            self.problem,
            self.description,
            self.task,
            json.dumps(self.phrases, sort_keys=True),
        )
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def canonical_name(world: str) -> str:
    """The name under which `world` is found from any working directory and in any process."""
    if world.endswith(UNDOCUMENTED_SUFFIX):
        return canonical_name(world.removesuffix(UNDOCUMENTED_SUFFIX)) + UNDOCUMENTED_SUFFIX
    if world in WORLDS or world.startswith(PDDLGYM_PREFIX) or not Path(world).is_dir():
        return world
    return str(Path(world).resolve())


def read_texts(world: str, problem: int | str) -> WorldTexts:
    """The texts of a world and one of its tasks. Raises WorldNotFound; ValueError for bad phrases.

    `problem` is a number (3 is the stem `p03`; in a pddlgym domain, the third problem file) or a stem.
    """
    if world.endswith(UNDOCUMENTED_SUFFIX):
        documented = read_texts(world.removesuffix(UNDOCUMENTED_SUFFIX), problem)
        return replace(documented, description=NO_DESCRIPTION)
    if world.startswith(PDDLGYM_PREFIX):
        return _pddlgym_texts(world, problem)
    folder = _folder(world)
    stem = f"p{problem:02}" if isinstance(problem, int) else problem
    if not (folder / f"{stem}.pddl").is_file():
        raise WorldNotFound(_unknown(f"task {stem!r} in {folder}", stem, _stems(folder), "tasks"))
    phrases = folder / "phrases.json"
    return WorldTexts(
        name=folder.name,
        problem_name=stem,
        domain=_read(folder / "domain.pddl"),
        problem=_read(folder / f"{stem}.pddl"),
        description=_read(folder / "domain.nl").strip(),
        task=_read(folder / f"{stem}.nl").strip(),
        phrases=read_phrases(_read(phrases)) if phrases.is_file() else {},
    )


def _pddlgym_texts(world: str, problem: int | str) -> WorldTexts:
    name = world.removeprefix(PDDLGYM_PREFIX)
    known = pddlgym_suite.domains()
    if name not in known:
        raise WorldNotFound(_unknown(f"pddlgym domain {name!r}", name, known, "domains"))
    files = {path.stem: path for path in pddlgym_suite.problem_files(name)}
    stems = tuple(files)
    if isinstance(problem, int):
        stem = stems[problem - 1] if 1 <= problem <= len(stems) else f"number {problem}"
    else:
        stem = problem
    if stem not in files:
        raise WorldNotFound(_unknown(f"problem {stem!r} of pddlgym domain {name!r}", stem, stems, "problems"))
    domain = _read(pddlgym_suite.domain_file(name))
    return WorldTexts(world, stem, domain, _read(files[stem]), description="", task="", phrases={})


def _folder(world: str) -> Path:
    """The folder of a built-in world or of a path."""
    if world in WORLDS:
        return WORLDS_FOLDER / world
    if Path(world).is_dir():
        return Path(world)
    raise WorldNotFound(
        _unknown(f"world {world!r}", world, tuple(WORLDS), "built-in worlds")
        + f"; or give a path to a folder with domain.pddl, or {PDDLGYM_PREFIX}<domain>"
    )


def _stems(folder: Path) -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in folder.glob("*.pddl") if path.stem != "domain"))


def _read(path: Path) -> str:
    """The file's text. Raises WorldNotFound if it is missing."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise WorldNotFound(f"{path.parent} has no {path.name}: write that file") from None


def _unknown(what: str, name: str, known: Sequence[str], kind: str) -> str:
    near = difflib.get_close_matches(name, known, n=3)
    hint = f", did you mean {' or '.join(near)}?" if near else "."
    return f"there is no {what}{hint} The {kind} are: {', '.join(known) or 'none'}"
