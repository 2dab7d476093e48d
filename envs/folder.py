"""The files of a world: which there are in its folder, and reading them.

A folder holds `domain.pddl`, and for each task `<stem>.pddl`, where the stem is `p01`, `p02`, … or any other
name, such as `example`. `domain.nl`, `<stem>.nl` and `words.json` say the same in words; they may be missing,
and are needed only where a language model is to read them. Texts may also end in `.md` or `.txt`; other files
are ignored. A missing text is empty, not invented.
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from envs.intermediate.implied import IMPLIED
from envs.pddl.language.issues import Code, PDDLError
from envs.pddl.language.sexpr import Source
from envs.reading import ProblemText
from envs.registry import SIMULATORS, WORLDS, WORLDS_FOLDER
from envs.variants import SUFFIXES
from envs.verbalisation.words import Words, read_words

PDDLGYM_PREFIX = "pddlgym:"
PAIRS_PREFIX = "planetarium:"
HIDDEN_PREFIX = "hidden:"
#: Tasks to be seen of a world with a hidden rule, its first; as many that are not follow.
HIDDEN_SEEN = 3
#: What the texts of a world end in; the first that is there counts.
TEXT_SUFFIXES = (".nl", ".md", ".txt")


class WorldNotFound(LookupError):
    """No world, task or file of that name; the message says what there is instead."""


@dataclass(frozen=True)
class TaskTexts:
    """One task of a world: its PDDL, which is read at most once, and all that is written about it."""

    name: str  #: the world's name, e.g. `grippers`
    problem_name: str  #: the task's stem, e.g. `p01`
    pddl: ProblemText
    description: str  #: the domain in words; empty if there is no text of it, as of every pddlgym domain
    task: str  #: the task in words; likewise
    words: Words  #: may be empty
    place: str  #: where the texts should be, for messages
    implied: str | None = None  #: what a terse text may leave out
    opened: tuple[str, int | str] = ("", "")  #: the world's and the task's name under which it was opened
    rules: ProblemText | None = None  #: what the world obeys, if that is not `pddl`, and nobody is shown

    @property
    def domain(self) -> str:
        """The domain's PDDL."""
        return self.pddl.domain.text

    @property
    def problem(self) -> str:
        """The problem's PDDL."""
        return self.pddl.text

    def digest(self) -> str:
        """A key of the content: texts that differ anywhere have different digests."""
        rules = () if self.rules is None else (self.rules.domain.text, self.rules.text)
        parts = (self.domain, self.problem, self.description, self.task, self.words.canonical(), *rules)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def task_texts(folder: Path, stem: str, pddl: ProblemText, task: str, place: str) -> TaskTexts:
    """A task with what the folder of its world says of the domain. Raises WorldNotFound, ValueError."""
    description, implied = find_text(folder, "domain") or "", folder / IMPLIED
    left_out = read_file(implied) if implied.is_file() else None
    return TaskTexts(folder.name, stem, pddl, description, task, words_in(folder), place, left_out)


def words_in(folder: Path) -> Words:
    """The words in a world's folder; none if it has no `words.json`. Raises ValueError."""
    words = folder / "words.json"
    return read_words(read_file(words)) if words.is_file() else Words()


def world_folder(world: str) -> Path:
    """The folder of a built-in world or of a path."""
    if world in WORLDS:
        return WORLDS_FOLDER / world
    if Path(world).is_dir():
        return Path(world)
    raise WorldNotFound(
        unknown(f"world {world!r}", world, sorted(WORLDS), "built-in worlds")
        + f"; or give a path to a folder with domain.pddl, or {PDDLGYM_PREFIX}<domain>, "
        + f"or a simulator, {', '.join(SIMULATORS)}, "
        + "or a world of an installed package, by its entry point in groundwalk.worlds; "
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


def unknown(what: str, name: str, known: Sequence[str], kind: str) -> str:
    """A message: `name` is none of `known`; which come near, and all of them."""
    near = difflib.get_close_matches(name, known, n=3)
    hint = f", did you mean {' or '.join(near)}?" if near else "."
    return f"there is no {what}{hint} The {kind} are: {', '.join(known) or 'none'}"
