"""The prompts: text files beside this one, with `$placeholder`s that are filled in once.

A value is inserted as it is: a `$` or brace inside a model's or an environment's text stays text.
`example/` holds the Blocksworld example that is shown before every request that asks for PDDL.

A user's folder can override prompts by their file names (`read_prompts`). `overridden` puts its texts in the
place of the packaged ones, in this process and for as long as its block runs.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from string import Template

from agents.llm.interface import Message

Messages = tuple[Message, ...]
#: Where the packaged prompts lie.
PACKAGED = Path(__file__).parent


class UnusablePrompts(ValueError):
    """A folder of prompts that cannot be used; the message names the file and where to look."""


@dataclass(frozen=True)
class PromptSet:
    """Texts in the place of packaged prompts, by file name such as `example/task.md`; by default none."""

    name: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """SHA-256 (hexadecimal) of file names and texts."""
        return hashlib.sha256(json.dumps(dict(self.texts), sort_keys=True).encode()).hexdigest()

    @property
    def label(self) -> str:
        """The set's name with the start of its digest; empty for the packaged prompts."""
        return f"{self.name}-{self.digest[:8]}" if self.texts else ""


_active: list[PromptSet] = [PromptSet()]  #: the last one counts


def active() -> PromptSet:
    """The prompt set that is in use."""
    return _active[-1]


@contextmanager
def overridden(prompts: PromptSet) -> Iterator[None]:
    """Use `prompts` in all threads of this process while the block runs."""
    _active.append(prompts)
    try:
        yield
    finally:
        _active.pop()


def load(name: str) -> str:
    """The text of a prompt file, e.g. `problem.md` or `example/task.md`, without blanks at its ends."""
    return active().texts.get(name) or _packaged(name)


def render(name: str, **values: str) -> str:
    """The prompt file `name` with every placeholder filled in.

    Raises ValueError if the file's placeholders and `values` are not the same names.
    """
    template = Template(load(name))
    wanted, given = sorted(template.get_identifiers()), sorted(values)
    if wanted != given:
        raise ValueError(f"prompt {name} has the placeholders {wanted}, but was given {given}")
    return template.substitute(values)


def turn(name: str, **values: str) -> Message:
    """The prompt file `name`, filled in, as a turn of the user. Raises as `render`."""
    return Message("user", render(name, **values))


def request(system: str, name: str, **values: str) -> Messages:
    """The prompt file `system` as the system turn, and `name`, filled in, as the question."""
    return Message("system", load(system)), turn(name, **values)


def read_prompts(folder: Path) -> PromptSet:
    """The prompt set of a folder: each of its files overrides the packaged one of the same relative path.

    Raises UnusablePrompts for a folder or a file that cannot be read, a file that is no prompt, and one whose
    placeholders are not those of the packaged file.
    """
    if not folder.is_dir():
        raise UnusablePrompts(f"{folder}: there is no such folder; {_look()}")
    try:
        files = sorted(p for p in folder.rglob("*") if p.is_file() and not p.name.startswith("."))
        texts = {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in files}
    except (OSError, UnicodeDecodeError) as error:
        raise UnusablePrompts(f"{folder}: it cannot be read: {error}") from error
    if not texts:
        raise UnusablePrompts(f"{folder}: there is no prompt file in it; {_look()}")
    for name, text in texts.items():
        _check(folder / name, name, text)
    return PromptSet(_name(folder), {name: text.strip() for name, text in texts.items()})


def _packaged(name: str) -> str:
    return (PACKAGED / name).read_text(encoding="utf-8").strip()


def _check(path: Path, name: str, text: str) -> None:
    """Raises UnusablePrompts unless the text can stand in the place of the packaged prompt `name`."""
    known = [p.relative_to(PACKAGED).as_posix() for p in PACKAGED.rglob("*.md")]
    if name not in known:
        near = get_close_matches(name, known, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]}? " if near else ""
        raise UnusablePrompts(f"{path}: there is no prompt {name}; {hint}{_look()}")
    if not text.strip():
        raise UnusablePrompts(f"{path}: it is empty; {_look(name)}")
    wanted, template = set(Template(_packaged(name)).get_identifiers()), Template(text)
    if not wanted:
        return  # it is shown as it is, and nothing is filled in
    if not template.is_valid():
        raise UnusablePrompts(f"{path}: a `$` stands before no name; write `$$` for the sign; {_look(name)}")
    given = set(template.get_identifiers())
    for lacking in sorted(wanted - given):
        raise UnusablePrompts(f"{path}: it lacks the placeholder ${lacking}; {_look(name)}")
    for unknown in sorted(given - wanted):
        raise UnusablePrompts(f"{path}: nothing fills in its placeholder ${unknown}; {_look(name)}")


def _look(name: str = "") -> str:
    return f"the packaged {'one is' if name else 'prompts are in'} {PACKAGED / name}"


def _name(folder: Path) -> str:
    """The folder's name, of letters, digits, `_` and `.` alone, as it becomes part of file names."""
    return re.sub(r"[^\w.]+", "_", folder.resolve().name, flags=re.ASCII).strip("_") or "own"
