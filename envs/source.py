"""Where a world's texts are, and reading them.

A world is named in one of five ways: a built-in name (`grippers`), a path to a folder, `pddlgym:<domain>`,
`planetarium:<world, folder or file>` (`envs.planetarium.source`), or `hidden:<world>/<kind>/<seed>`
(`envs.hidden_rules.cases`). `envs.folder` says what a folder holds.
A text is not invented: only where there is none at all, `+undocumented` writes those of the tasks from the
PDDL.

Built-in worlds have the tasks `example`, `p01` to `p10` and `f01` to `f05` (for feedback), and any number
more on demand, which are generated when they are asked for: `g1`, `g2`, …, and for feedback `f06`, `f07`, ….
Their tasks' texts are written from the PDDL wherever no file holds one.

Behind any name may stand the suffixes of `envs.variants`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

from envs import folder as files
from envs.folder import HIDDEN_PREFIX, PAIRS_PREFIX, PDDLGYM_PREFIX, TaskTexts, world_folder
from envs.folder import WorldNotFound as WorldNotFound  # what reading raises comes with what reads
from envs.intermediate.implied import IMPLIED, read_implied
from envs.pddl.language.vocabulary import Vocabulary
from envs.reading import DomainText, ProblemText
from envs.registry import WORLDS, WORLDS_FOLDER
from envs.tasks import Pool, TaskFacts, make_facts, problem_text
from envs.variants import ANONYMISED, OUTLINED, WRITTEN, Level, Variant, split_variant
from envs.verbalisation.compact import compact
from envs.verbalisation.description import verbalise_domain
from envs.verbalisation.paragraphs import UnclearParagraphs, outline
from envs.verbalisation.terse import terse
from envs.verbalisation.text import TaskText, explicit, narrative
from envs.verbalisation.words import Words

#: Sources of worlds beside folders, by the prefix of a name: each an entry point that takes the name and the
#: task to `TaskTexts`, imported when such a world is opened.
SOURCES: Mapping[str, str] = MappingProxyType(
    {
        PDDLGYM_PREFIX: "envs.pddlgym_suite:world_files",
        PAIRS_PREFIX: "envs.planetarium.source:world_files",
        HIDDEN_PREFIX: "envs.hidden_rules.cases:world_files",
    }
)
_PREFIXES = tuple(SOURCES)
_ANONYMISE = "envs.anonymous:anonymise"
#: The file with a world's own invariants: they help to derive what a goal implies, and may be written in what
#: `envs.pddl.equivalence.invariants.invariants` says.
INVARIANTS = "invariants.lp"
_LEVELS = ", ".join(f"+{level}" for level in WRITTEN)
#: Tasks that are generated when they are asked for, by the first letter of their names.
_ON_DEMAND = MappingProxyType({"g": Pool.ON_DEMAND, "f": Pool.FEEDBACK})
_NUMBERED = re.compile(r"g[1-9]\d*|f(0[1-9]|[1-9]\d+)")

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


def task_named(text: str) -> int | str:
    """A task as it is named on a command line: 3 for `3` and `p03`; other stems, such as `f01`, stay."""
    digits = text.removeprefix("p")
    return int(digits) if digits.isdecimal() else text


def read_texts(world: str, problem: int | str) -> TaskTexts:
    """The texts of a world and one of its tasks.

    `problem` is a number (3 is the stem `p03`; in a pddlgym domain, the third problem file) or a stem.
    Raises WorldNotFound; ValueError for bad words, or for a goal that cannot be written in words; PDDLError
    if a text is to be written from PDDL that cannot be read.
    """
    return read_task(split_name(world), problem)


def read_task(name: WorldName, problem: int | str) -> TaskTexts:
    """One task of a world, out of its files, each of which is read once. Raises as `read_texts`."""
    found = _found(name.base, problem)
    level = _level(name, problem, found)
    if name.variant.anonymised:
        found = _anonymised(found, level)
    description = described(found.description, name.variant, found.place)
    if level is not Level.GIVEN:
        task = _written(found, level)
    elif found.task or name.variant.level is None:
        task = found.task
    else:
        raise WorldNotFound(
            f"{found.place} has no {found.problem_name}.nl: write that file; {_LEVELS} behind the name write "
            "a text from the PDDL"
        )
    return replace(found, description=description, task=task, opened=(str(name), problem))


def can_be_terse(world: str) -> bool:
    """Whether something says what a terse text may leave out, and names are kept; reads no PDDL."""
    name = split_name(world)
    if name.variant.anonymised or name.base.startswith(_PREFIXES):
        return False
    return (world_folder(name.base) / IMPLIED).is_file()


def world_invariants(world: str) -> str:
    """The text of a world's invariants; empty if it has none.

    A pddlgym domain has no folder, and no invariants are given for the neutral names of `+anonymised`.
    Raises WorldNotFound if the world's suffixes do not go together.
    """
    name = split_name(world).resolved()
    if name.base.startswith(PDDLGYM_PREFIX) or name.variant.anonymised:
        return ""
    file = (WORLDS_FOLDER / name.base if name.base in WORLDS else Path(name.base)) / INVARIANTS
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def text_level(world: str, problem: int | str) -> Level:
    """Which text a task has; reads no PDDL.

    It is the level that is asked for, else the given text, or the explicit one where a built-in world has no
    other, and where nothing at all is described and `+undocumented` says so. Under neutral names texts are
    always written. Raises WorldNotFound if the suffixes do not go together.
    """
    return _level(split_name(world), problem)


def _level(name: WorldName, problem: int | str, found: TaskTexts | None = None) -> Level:
    """As `text_level`; `found` spares reading again what it holds."""
    base, variant = name.base, name.variant
    if variant.level is not None:
        return variant.level
    if variant.undocumented and _is_silent(base, found):
        return Level.EXPLICIT
    given = base not in WORLDS or files.text_file(WORLDS_FOLDER / base, _stem(problem)) is not None
    return Level.GIVEN if given and not variant.anonymised else Level.EXPLICIT


def _is_silent(base: str, found: TaskTexts | None) -> bool:
    """Whether a world has no text, neither of the domain nor of any task."""
    if base.startswith(_PREFIXES):
        return base.startswith(PDDLGYM_PREFIX)
    if found is not None and (found.description or found.task):
        return False
    folder = world_folder(base)
    return not any(files.find_text(folder, name) for name in ("domain", *files.stems(folder)))


def _stem(problem: int | str) -> str:
    """The name of a task's files."""
    return f"p{problem:02}" if isinstance(problem, int) else problem


def _anonymised(found: TaskTexts, level: Level) -> TaskTexts:
    """With neutral names; the description is written from the PDDL, as prose cannot be renamed word by word.

    Raises WorldNotFound for a text that cannot be renamed.
    """
    if level is Level.GIVEN:
        raise WorldNotFound(f"{found.place}: a given text keeps its names; leave out +given or +anonymised")
    if level is Level.TERSE:
        raise WorldNotFound(
            f"{found.place}: what follows by the rules of a world follows in its own names; leave out "
            f"+{Level.TERSE} or +{ANONYMISED}"
        )
    if found.rules is not None:
        raise WorldNotFound(f"{found.place}: a hidden rule keeps its names; leave out +{ANONYMISED}")
    hidden = _entry(_ANONYMISE)(found.domain, found.problem)
    pddl = ProblemText(DomainText(hidden.domain), hidden.problem)
    description = verbalise_domain(pddl.domain.domain, hidden.words)
    return replace(found, name="world", pddl=pddl, description=description, words=hidden.words)


def described(description: str, variant: Variant, place: str) -> str:
    """What a variant leaves of a description. Raises WorldNotFound if it cannot be outlined."""
    if variant.undocumented:
        return NO_DESCRIPTION
    if variant.outlined and not description:
        raise WorldNotFound(f"{place} cannot be outlined: it has no description; leave out +{OUTLINED}")
    try:
        return outline(description) if variant.outlined else description
    except UnclearParagraphs as fault:
        raise WorldNotFound(f"{place} cannot be outlined: {fault}, or leave out +{OUTLINED}") from None


def _written(found: TaskTexts, level: Level) -> str:
    """The task's text at a level, from the PDDL. Raises WorldNotFound, ValueError if it cannot be terse."""
    facts, domain = found.pddl.facts, found.pddl.domain.vocabulary
    if level is not Level.TERSE:
        return WRITERS[level](facts, domain, found.words).text
    if found.implied is None:
        raise WorldNotFound(
            f"{found.place} has no {IMPLIED}, which says what a terse text may leave out: write that file "
            f"(docs/tic_rules.md), or take {_LEVELS}"
        )
    return terse(facts, domain, found.words, read_implied(found.implied)).text


def _found(base: str, problem: int | str) -> TaskTexts:
    """What the files of a world and a task say; names and level are as they are there."""
    entry = next((entry for prefix, entry in SOURCES.items() if base.startswith(prefix)), None)
    if entry is not None:
        found: TaskTexts = _entry(entry)(base, problem)
        return found
    folder, stem = world_folder(base), _stem(problem)
    domain = DomainText(files.read_file(folder / "domain.pddl"))
    pddl = ProblemText(domain, _problem(base, folder, stem, domain))
    return files.task_texts(folder, stem, pddl, files.find_text(folder, stem) or "", str(folder))


def _entry(entry: str) -> Callable[..., Any]:
    """What an entry point, `module:name`, names."""
    module, _, name = entry.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found


def _problem(world: str, folder: Path, stem: str, domain: DomainText) -> str:
    """A task's PDDL: its file, or for a built-in world a task on demand."""
    if (folder / f"{stem}.pddl").is_file():
        return files.read_file(folder / f"{stem}.pddl")
    if world not in WORLDS or not _NUMBERED.fullmatch(stem):
        raise WorldNotFound(files.unknown(f"task {stem!r} in {folder}", stem, files.stems(folder), "tasks"))
    facts = make_facts(world, _ON_DEMAND[stem[0]], int(stem[1:]))
    return problem_text(f"{world}-{stem}", domain.vocabulary, facts)
