"""Where a world's texts are, and reading them.

A world is named in one of four ways: a built-in name (`grippers`), a path to a folder, `pddlgym:<domain>`,
or `planetarium:<world, folder or file>` (`envs.planetarium.source`). `envs.folder` says what a folder holds.
A text is not invented: only where there is none at all, `+undocumented` writes those of the tasks from the
PDDL.

Built-in worlds have the tasks `example`, `p01` to `p10` and `f01` to `f05` (for feedback), and any number
more on demand: `g1`, `g2`, …, which are generated when they are asked for. Their tasks' texts are written
from the PDDL wherever no file holds one.

Behind any name may stand the suffixes of `envs.variants`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

from envs.folder import (
    PAIRS_PREFIX,
    PDDLGYM_PREFIX,
    WorldFiles,
    find_text,
    read_file,
    stems,
    task_files,
    text_file,
    unknown,
    world_folder,
)
from envs.folder import WorldNotFound as WorldNotFound  # what reading raises comes with what reads
from envs.intermediate.implied import IMPLIED, read_implied
from envs.pddl.language.vocabulary import Vocabulary
from envs.reading import DomainText, ProblemText
from envs.registry import WORLDS, WORLDS_FOLDER
from envs.tasks import Pool, TaskFacts, make_facts, problem_text
from envs.variants import ANONYMISED, OUTLINED, WRITTEN, Level, Variant, split_variant
from envs.wording.compact import compact
from envs.wording.narrative import narrative
from envs.wording.paragraphs import UnclearParagraphs, outline
from envs.wording.say import say_domain
from envs.wording.terse import terse
from envs.wording.text import TaskText, explicit
from envs.wording.words import Words

#: Sources of worlds beside folders, by the prefix of a name: each an entry point that takes the name and the
#: task to `WorldFiles`, imported when such a world is opened.
SOURCES: Mapping[str, str] = MappingProxyType(
    {
        PDDLGYM_PREFIX: "envs.pddlgym_suite:world_files",
        PAIRS_PREFIX: "envs.planetarium.source:world_files",
    }
)
_PREFIXES = tuple(SOURCES)
_ANONYMISE = "envs.anonymous:anonymise"
_ON_DEMAND = re.compile(r"g([1-9]\d*)")

#: The writers of tasks, for all levels of `envs.variants.WRITTEN`.
WRITERS: Mapping[Level, Callable[[TaskFacts, Vocabulary, Words], TaskText]] = MappingProxyType(
    {Level.EXPLICIT: explicit, Level.COMPACT: compact, Level.NARRATIVE: narrative}
)

#: Stands for the description of a world that comes without one.
NO_DESCRIPTION = (
    "Nobody has described this environment. What its actions need and what they change has to be found out "
    "from the names and types in the action interface, from the task, and from how the environment responds."
)


@dataclass(frozen=True)
class WorldTexts:
    """Everything written down about a world and one of its tasks."""

    name: str  #: the world's name, e.g. `grippers`
    problem_name: str  #: the task's stem, e.g. `p01`
    domain: str  #: PDDL
    problem: str  #: PDDL
    description: str  #: the domain in words; empty if there is no text of it, as of every pddlgym domain
    task: str  #: the task in words; likewise
    words: Words  #: may be empty

    def digest(self) -> str:
        """A key of the content: texts that differ anywhere have different digests."""
        parts = (self.domain, self.problem, self.description, self.task, self.words.canonical())
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()


@dataclass(frozen=True)
class OpenedTask:
    """One task of a world: its texts, and its PDDL, which is read at most once."""

    world: str  #: the name under which it was opened
    problem: int | str
    texts: WorldTexts
    pddl: ProblemText


@dataclass(frozen=True)
class WorldName:
    """A world's name taken apart."""

    base: str  #: a built-in name, also where its folder was named; a folder; or a prefix with what it takes
    variant: Variant

    def __str__(self) -> str:
        return f"{self.base}{self.variant}"

    @property
    def has_files(self) -> bool:
        """Whether it is a built-in name, a folder or begins with a prefix."""
        return self.base in WORLDS or self.base.startswith(_PREFIXES) or Path(self.base).is_dir()

    def resolved(self) -> WorldName:
        """The name under which the world is found from any working directory and in any process."""
        prefix = PAIRS_PREFIX if self.base.startswith(PAIRS_PREFIX) else ""
        place = self.base.removeprefix(prefix)
        if place not in WORLDS and not place.startswith(PDDLGYM_PREFIX) and Path(place).exists():
            place = str(Path(place).resolve())
        return replace(self, base=f"{prefix}{place}")


def split_name(world: str) -> WorldName:
    """A world's name taken apart. Raises WorldNotFound if its suffixes do not go together."""
    try:
        base, variant = split_variant(world)
    except ValueError as fault:
        raise WorldNotFound(str(fault)) from None
    folder = Path(base).resolve()
    if base not in WORLDS and folder.parent == WORLDS_FOLDER.resolve() and folder.name in WORLDS:
        base = folder.name
    return WorldName(base, variant)


def canonical_name(world: str) -> str:
    """The name under which `world` is found from any working directory and in any process.

    The folder of a built-in world is that world. Raises WorldNotFound if its suffixes do not go together.
    """
    return str(split_name(world).resolved())


def has_files(world: str) -> bool:
    """Whether `world` is a built-in name, a folder or begins with a prefix, variants included."""
    return split_name(world).has_files


def read_texts(world: str, problem: int | str) -> WorldTexts:
    """The texts of a world and one of its tasks.

    `problem` is a number (3 is the stem `p03`; in a pddlgym domain, the third problem file) or a stem.
    Raises WorldNotFound; ValueError for bad words, or for a goal that cannot be written in words; PDDLError
    if a text is to be written from PDDL that cannot be read.
    """
    return read_task(split_name(world), problem).texts


def read_task(name: WorldName, problem: int | str) -> OpenedTask:
    """One task of a world, out of its files, each of which is read once. Raises as `read_texts`."""
    files, variant = _files(name.base, problem), name.variant
    if variant.anonymised:
        return _anonymised(name, problem, files)
    description = _described(files.description or "", variant, files.place)
    level = _level(name, problem, files)
    if level is Level.TERSE:
        task = _terse_task(files)
    elif level is not Level.GIVEN:
        task = _write_task(files.pddl, files.words, level)
    else:
        task = _given_task(files) if variant.level is Level.GIVEN else files.task or ""
    return _opened(name, problem, files.name, files, description, task)


def _opened(
    name: WorldName, problem: int | str, called: str, files: WorldFiles, description: str, task: str
) -> OpenedTask:
    pddl = files.pddl
    texts = WorldTexts(
        called, files.problem_name, pddl.domain.text, pddl.text, description, task, files.words
    )
    return OpenedTask(str(name), problem, texts, pddl)


def can_be_terse(world: str) -> bool:
    """Whether something says what a terse text may leave out, and names are kept; reads no PDDL."""
    name = split_name(world)
    if name.variant.anonymised or name.base.startswith(_PREFIXES):
        return False
    return (world_folder(name.base) / IMPLIED).is_file()


def text_level(world: str, problem: int | str) -> Level:
    """Which text a task has; reads no PDDL.

    It is the level that is asked for, else the given text, or the explicit one where a built-in world has no
    other, and where nothing at all is described and `+undocumented` says so. Under neutral names texts are
    always written. Raises WorldNotFound if the suffixes do not go together.
    """
    return _level(split_name(world), problem)


def _level(name: WorldName, problem: int | str, files: WorldFiles | None = None) -> Level:
    """As `text_level`; `files` spares reading again what they hold."""
    base, variant = name.base, name.variant
    if variant.level is not None:
        return variant.level
    if variant.undocumented and _is_silent(base, files):
        return Level.EXPLICIT
    given = base not in WORLDS or text_file(WORLDS_FOLDER / base, _stem(problem)) is not None
    return Level.GIVEN if given and not variant.anonymised else Level.EXPLICIT


def _is_silent(base: str, files: WorldFiles | None) -> bool:
    """Whether a world has no text, neither of the domain nor of any task."""
    if base.startswith(_PREFIXES):
        return base.startswith(PDDLGYM_PREFIX)
    if files is not None and (files.description or files.task):
        return False
    folder = world_folder(base)
    return not any(find_text(folder, name) for name in ("domain", *stems(folder)))


def _stem(problem: int | str) -> str:
    """The name of a task's files."""
    return f"p{problem:02}" if isinstance(problem, int) else problem


def _given_task(files: WorldFiles) -> str:
    """The text beside a task's PDDL. Raises WorldNotFound if there is none."""
    if files.task is None:
        written = ", ".join(f"+{level}" for level in WRITTEN)
        raise WorldNotFound(
            f"{files.place} has no {files.problem_name}.nl: write that file; {written} behind the name write "
            "a text from the PDDL"
        )
    return files.task


def _anonymised(name: WorldName, problem: int | str, files: WorldFiles) -> OpenedTask:
    """The texts with neutral names: both written from the PDDL, as prose cannot be renamed word by word."""
    variant = name.variant
    if variant.level is Level.GIVEN:
        raise WorldNotFound(f"{files.place}: a given text keeps its names; leave out +given or +anonymised")
    if variant.level is Level.TERSE:
        raise WorldNotFound(
            f"{files.place}: what follows by the rules of a world follows in its own names; leave out "
            f"+{Level.TERSE} or +{ANONYMISED}"
        )
    level = variant.level or Level.EXPLICIT
    hidden = _entry(_ANONYMISE)(files.pddl.domain.text, files.pddl.text)
    pddl = ProblemText(DomainText(hidden.domain), hidden.problem)
    description = _described(say_domain(pddl.domain.domain, hidden.words), variant, files.place)
    task = _write_task(pddl, hidden.words, level)
    files = replace(files, pddl=pddl, words=hidden.words)
    return _opened(name, problem, "world", files, description, task)


def _described(description: str, variant: Variant, place: str) -> str:
    """What a variant leaves of a description. Raises WorldNotFound if it cannot be outlined."""
    if variant.undocumented:
        return NO_DESCRIPTION
    if variant.outlined and not description:
        raise WorldNotFound(f"{place} cannot be outlined: it has no description; leave out +{OUTLINED}")
    try:
        return outline(description) if variant.outlined else description
    except UnclearParagraphs as fault:
        raise WorldNotFound(f"{place} cannot be outlined: {fault}, or leave out +{OUTLINED}") from None


def _write_task(pddl: ProblemText, words: Words, level: Level) -> str:
    return WRITERS[level](pddl.facts, pddl.domain.vocabulary, words).text


def _terse_task(files: WorldFiles) -> str:
    """The task without what follows. Raises WorldNotFound if nothing says what does, ValueError."""
    if files.implied is None:
        written = ", ".join(f"+{level}" for level in WRITTEN)
        raise WorldNotFound(
            f"{files.place} has no {IMPLIED}, which says what a terse text may leave out: write that file "
            f"(docs/tic_rules.md), or take {written}"
        )
    pddl = files.pddl
    return terse(pddl.facts, pddl.domain.vocabulary, files.words, read_implied(files.implied)).text


def _files(base: str, problem: int | str) -> WorldFiles:
    for prefix, entry in SOURCES.items():
        if base.startswith(prefix):
            found: WorldFiles = _entry(entry)(base, problem)
            return found
    return _folder_files(base, problem)


def _entry(entry: str) -> Callable[..., Any]:
    """What an entry point, `module:name`, names."""
    module, _, name = entry.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found


def _folder_files(world: str, problem: int | str) -> WorldFiles:
    folder = world_folder(world)
    stem = _stem(problem)
    domain = DomainText(read_file(folder / "domain.pddl"))
    pddl = ProblemText(domain, _problem(world, folder, stem, domain))
    return task_files(folder, stem, pddl, find_text(folder, stem), str(folder))


def _problem(world: str, folder: Path, stem: str, domain: DomainText) -> str:
    """A task's PDDL: its file, or for a built-in world a task on demand."""
    if (folder / f"{stem}.pddl").is_file():
        return read_file(folder / f"{stem}.pddl")
    on_demand = _ON_DEMAND.fullmatch(stem) if world in WORLDS else None
    if on_demand is None:
        raise WorldNotFound(unknown(f"task {stem!r} in {folder}", stem, stems(folder), "tasks"))
    facts = make_facts(world, Pool.ON_DEMAND, int(on_demand[1]))
    return problem_text(f"{world}-{stem}", domain.vocabulary, facts)
