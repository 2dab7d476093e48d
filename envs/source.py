"""Where a world's texts are, and reading them.

A world is named in one of four ways: a built-in name (`grippers`), a path to a folder, `pddlgym:<domain>`,
or `planetarium:<world, folder or file>` (`envs.planetarium.source`). A folder holds `domain.pddl`, and for
each task `<stem>.pddl`, where the stem is `p01`, `p02`, … or any other name, such as `example`. `domain.nl`,
`<stem>.nl` and `words.json` say the same in words; they may be missing, and are needed only where a
language model is to read them. Texts may also end in `.md` or `.txt`; other files are ignored. A missing
text is empty, not invented: only where there is no text at all, `+undocumented` writes those of the tasks
from the PDDL.

Built-in worlds have the tasks `example`, `p01` to `p10` and `f01` to `f05` (for feedback), and any number
more on demand: `g1`, `g2`, …, which are generated when they are asked for. Their tasks' texts are written
from the PDDL wherever no file holds one.

Behind any name may stand the suffixes of `envs.variants`.
"""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from envs import pddlgym_suite
from envs.anonymous import anonymise
from envs.intermediate.implied import IMPLIED, read_implied
from envs.pddl.language.domain import read_domain, read_vocabulary
from envs.pddl.language.issues import Code, PDDLError
from envs.pddl.language.sexpr import Source
from envs.pddl.language.vocabulary import Vocabulary
from envs.registry import WORLDS, WORLDS_FOLDER
from envs.tasks import Pool, make_facts, problem_text, read_facts
from envs.variants import ANONYMISED, OUTLINED, SUFFIXES, WRITTEN, Level, Variant, split_variant
from envs.wording.levels import WRITERS
from envs.wording.paragraphs import UnclearParagraphs, outline
from envs.wording.say import say_domain
from envs.wording.terse import terse
from envs.wording.words import Words, read_words

PDDLGYM_PREFIX = "pddlgym:"
PAIRS_PREFIX = "planetarium:"
#: What the texts of a world end in; the first that is there counts.
TEXT_SUFFIXES = (".nl", ".md", ".txt")
_ON_DEMAND = re.compile(r"g([1-9]\d*)")

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
    description: str  #: the domain in words; empty if there is no text of it, as of every pddlgym domain
    task: str  #: the task in words; likewise
    words: Words  #: may be empty

    def digest(self) -> str:
        """A key of the content: texts that differ anywhere have different digests."""
        parts = (self.domain, self.problem, self.description, self.task, self.words.canonical())
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()


@dataclass(frozen=True)
class _Files:
    """What the files of a world say; a missing text is None."""

    name: str
    problem_name: str
    domain: str
    problem: str
    description: str | None
    task: str | None
    words: Words
    place: str  #: where the texts should be, for messages
    implied: str | None = None  #: what a terse text may leave out


def canonical_name(world: str) -> str:
    """The name under which `world` is found from any working directory and in any process.

    The folder of a built-in world is that world. Raises WorldNotFound if its suffixes do not go together.
    """
    base, variant = _split(world)
    prefix = PAIRS_PREFIX if base.startswith(PAIRS_PREFIX) else ""
    place = base.removeprefix(prefix)
    if place not in WORLDS and not place.startswith(PDDLGYM_PREFIX) and Path(place).exists():
        place = str(Path(place).resolve())
    return f"{prefix}{place}{variant}"


def has_files(world: str) -> bool:
    """Whether `world` is a built-in name, a folder or begins with a prefix, variants included."""
    base, _ = _split(world)
    return base in WORLDS or base.startswith((PDDLGYM_PREFIX, PAIRS_PREFIX)) or Path(base).is_dir()


def read_texts(world: str, problem: int | str) -> WorldTexts:
    """The texts of a world and one of its tasks.

    `problem` is a number (3 is the stem `p03`; in a pddlgym domain, the third problem file) or a stem.
    Raises WorldNotFound; ValueError for bad words, or for a goal that cannot be written in words; PDDLError
    if a text is to be written from PDDL that cannot be read.
    """
    base, variant = _split(world)
    files = _files(base, problem)
    if variant.anonymised:
        return _anonymised(files, variant)
    description = _described(files.description or "", variant, files.place)
    level = text_level(world, problem)
    if level is Level.TERSE:
        task = _terse_task(files)
    elif level is not Level.GIVEN:
        task = _write_task(files.problem, read_vocabulary(files.domain), files.words, level)
    else:
        task = _given_task(files) if variant.level is Level.GIVEN else files.task or ""
    return WorldTexts(
        files.name, files.problem_name, files.domain, files.problem, description, task, files.words
    )


def can_be_terse(world: str) -> bool:
    """Whether something says what a terse text may leave out, and names are kept; reads no PDDL."""
    base, variant = _split(world)
    if variant.anonymised or base.startswith((PDDLGYM_PREFIX, PAIRS_PREFIX)):
        return False
    return (_folder(base) / IMPLIED).is_file()


def text_level(world: str, problem: int | str) -> Level:
    """Which text a task has; reads no PDDL.

    It is the level that is asked for, else the given text, or the explicit one where a built-in world has no
    other, and where nothing at all is described and `+undocumented` says so. Under neutral names texts are
    always written. Raises WorldNotFound if the suffixes do not go together.
    """
    base, variant = _split(world)
    if variant.level is not None:
        return variant.level
    if variant.undocumented and _is_silent(base):
        return Level.EXPLICIT
    given = base not in WORLDS or find_text(WORLDS_FOLDER / base, _stem(problem)) is not None
    return Level.GIVEN if given and not variant.anonymised else Level.EXPLICIT


def _is_silent(base: str) -> bool:
    """Whether a world has no text, neither of the domain nor of any task."""
    if base.startswith((PDDLGYM_PREFIX, PAIRS_PREFIX)):
        return base.startswith(PDDLGYM_PREFIX)
    folder = _folder(base)
    return not any(find_text(folder, name) for name in ("domain", *stems(folder)))


def _stem(problem: int | str) -> str:
    """The name of a task's files."""
    return f"p{problem:02}" if isinstance(problem, int) else problem


def _given_task(files: _Files) -> str:
    """The text beside a task's PDDL. Raises WorldNotFound if there is none."""
    if files.task is None:
        written = ", ".join(f"+{level}" for level in WRITTEN)
        raise WorldNotFound(
            f"{files.place} has no {files.problem_name}.nl: write that file; {written} behind the name write "
            "a text from the PDDL"
        )
    return files.task


def _split(world: str) -> tuple[str, Variant]:
    """The name of a built-in world, also where its folder was named, or what else was named; the variant."""
    try:
        base, variant = split_variant(world)
    except ValueError as fault:
        raise WorldNotFound(str(fault)) from None
    folder = Path(base).resolve()
    if base not in WORLDS and folder.parent == WORLDS_FOLDER.resolve() and folder.name in WORLDS:
        base = folder.name
    return base, variant


def _anonymised(files: _Files, variant: Variant) -> WorldTexts:
    """The texts with neutral names: both written from the PDDL, as prose cannot be renamed word by word."""
    if variant.level is Level.GIVEN:
        raise WorldNotFound(f"{files.place}: a given text keeps its names; leave out +given or +anonymised")
    if variant.level is Level.TERSE:
        raise WorldNotFound(
            f"{files.place}: what follows by the rules of a world follows in its own names; leave out "
            f"+{Level.TERSE} or +{ANONYMISED}"
        )
    level = variant.level or Level.EXPLICIT
    hidden = anonymise(files.domain, files.problem)
    domain = read_domain(hidden.domain)
    description = _described(say_domain(domain, hidden.words), variant, files.place)
    task = _write_task(hidden.problem, domain.vocabulary, hidden.words, level)
    return WorldTexts(
        "world", files.problem_name, hidden.domain, hidden.problem, description, task, hidden.words
    )


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


def _write_task(problem: str, domain: Vocabulary, words: Words, level: Level) -> str:
    return WRITERS[level](read_facts(problem, domain), domain, words).text


def _terse_task(files: _Files) -> str:
    """The task without what follows. Raises WorldNotFound if nothing says what does, ValueError."""
    if files.implied is None:
        written = ", ".join(f"+{level}" for level in WRITTEN)
        raise WorldNotFound(
            f"{files.place} has no {IMPLIED}, which says what a terse text may leave out: write that file "
            f"(docs/tic_rules.md), or take {written}"
        )
    domain = read_vocabulary(files.domain)
    facts = read_facts(files.problem, domain)
    return terse(facts, domain, files.words, read_implied(files.implied)).text


def _files(world: str, problem: int | str) -> _Files:
    if world.startswith(PDDLGYM_PREFIX):
        return _pddlgym_files(world, problem)
    return _pair_files(world, problem) if world.startswith(PAIRS_PREFIX) else _world_files(world, problem)


def _pair_files(world: str, problem: int | str) -> _Files:
    """A pair as a task of the world that it belongs to, with that world's description."""
    from envs.planetarium.published import is_published
    from envs.planetarium.source import (  # draws and certifies: slow to import
        NoSuchPair,
        domain_behind,
        find_pair,
    )

    if not str(problem).isdecimal():
        raise WorldNotFound(f"the tasks of {world} are numbered, and {problem!r} is no number")
    name = world.removeprefix(PAIRS_PREFIX)
    try:
        pair = find_pair(name, int(problem))
    except NoSuchPair as error:
        raise WorldNotFound(str(error)) from error
    if is_published(name):
        domain = domain_behind(name, pair)
        return _Files(pair.world, pair.id, domain, pair.problem, "", pair.text, Words(), world)
    return replace(
        _world_files(pair.world, 1), problem_name=pair.id, problem=pair.problem, task=pair.text, place=world
    )


def _world_files(world: str, problem: int | str) -> _Files:
    folder = _folder(world)
    stem = _stem(problem)
    words, implied = folder / "words.json", folder / IMPLIED
    domain = read_file(folder / "domain.pddl")
    return _Files(
        name=folder.name,
        problem_name=stem,
        domain=domain,
        problem=_problem(world, folder, stem, domain),
        description=find_text(folder, "domain"),
        task=find_text(folder, stem),
        words=read_words(read_file(words)) if words.is_file() else Words(),
        place=str(folder),
        implied=read_file(implied) if implied.is_file() else None,
    )


def _problem(world: str, folder: Path, stem: str, domain: str) -> str:
    """A task's PDDL: its file, or for a built-in world a task on demand."""
    if (folder / f"{stem}.pddl").is_file():
        return read_file(folder / f"{stem}.pddl")
    on_demand = _ON_DEMAND.fullmatch(stem) if world in WORLDS else None
    if on_demand is None:
        raise WorldNotFound(_unknown(f"task {stem!r} in {folder}", stem, stems(folder), "tasks"))
    facts = make_facts(world, Pool.ON_DEMAND, int(on_demand[1]))
    return problem_text(f"{world}-{stem}", read_vocabulary(domain), facts)


def _pddlgym_files(world: str, problem: int | str) -> _Files:
    if missing := pddlgym_suite.missing():
        raise WorldNotFound(f"{world}: {missing}")
    name = world.removeprefix(PDDLGYM_PREFIX)
    known = pddlgym_suite.domains()
    if name not in known:
        raise WorldNotFound(_unknown(f"pddlgym domain {name!r}", name, known, "domains"))
    files = {path.stem: path for path in pddlgym_suite.problem_files(name)}
    names = tuple(files)
    if isinstance(problem, int):
        stem = names[problem - 1] if 1 <= problem <= len(names) else f"number {problem}"
    else:
        stem = problem
    if stem not in files:
        raise WorldNotFound(_unknown(f"problem {stem!r} of pddlgym domain {name!r}", stem, names, "problems"))
    domain = read_file(pddlgym_suite.domain_file(name))
    return _Files(world, stem, domain, read_file(files[stem]), None, None, Words(), "pddlgym")


def _folder(world: str) -> Path:
    """The folder of a built-in world or of a path."""
    if world in WORLDS:
        return WORLDS_FOLDER / world
    if Path(world).is_dir():
        return Path(world)
    raise WorldNotFound(
        _unknown(f"world {world!r}", world, sorted(WORLDS), "built-in worlds")
        + f"; or give a path to a folder with domain.pddl, or {PDDLGYM_PREFIX}<domain>; "
        + f"behind any of them may stand {', '.join('+' + suffix for suffix in SUFFIXES)}"
    )


def stems(folder: Path) -> tuple[str, ...]:
    """The names of the tasks in a world's folder, sorted."""
    return tuple(sorted(path.stem for path in folder.glob("*.pddl") if path.stem != "domain"))


def text_file(folder: Path, stem: str) -> Path | None:
    """The file with the text of the domain (`domain`) or of a task in a world's folder; None without one."""
    files = (folder / f"{stem}{suffix}" for suffix in TEXT_SUFFIXES)
    return next((file for file in files if file.is_file()), None)


def find_text(folder: Path, stem: str) -> str | None:
    """The text of the domain (`domain`) or of a task in a world's folder; None if no file holds one."""
    file = text_file(folder, stem)
    return None if file is None else read_file(file).strip()


def read_file(path: Path) -> str:
    """The text of a world's file. Raises WorldNotFound if it is missing, PDDLError if it is not UTF-8."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode("utf-8")
        text = Source(before + error.object[error.start :].decode("utf-8", "replace"), path.name)
        message = f"the file is not UTF-8: the byte 0x{error.object[error.start]:02x} stands here"
        fix = "save it as UTF-8; half a character (a lone surrogate) has no place in it"
        raise PDDLError([text.issue(Code.ENCODING, len(before), message, fix)]) from error
    except FileNotFoundError:
        raise WorldNotFound(f"{path.parent} has no {path.name}: write that file") from None


def _unknown(what: str, name: str, known: Sequence[str], kind: str) -> str:
    near = difflib.get_close_matches(name, known, n=3)
    hint = f", did you mean {' or '.join(near)}?" if near else "."
    return f"there is no {what}{hint} The {kind} are: {', '.join(known) or 'none'}"
