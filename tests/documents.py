"""The commands that README, CONTRIBUTING and docs/ show, and the modules and files that they name.

A command is parsed by the program that it names, in this process, up to the configuration it stands for:
unknown flags, jobs and choices end it there. What the program would do is not done.
"""

from __future__ import annotations

import argparse
import re
import shlex
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import tyro

ROOT = Path(__file__).parent.parent
DOCUMENTS = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))

_FENCED = re.compile(r"^```(\w*)\n(.*?)^```", flags=re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"(?:^ {4}.*\n)+", flags=re.MULTILINE)
_INLINE = re.compile(r"`([^`]*)`", flags=re.DOTALL)
_PYTHON = re.compile(r"(?:^|\s)python -m (\S.*)")
#: A module of ours or what it holds, or a file or folder, perhaps as a call or with a test's name.
_NAME = re.compile(
    r"(?:envs|agents|ew|search|experiments|tests|docs|examples)[./][\w./*:-]*(?:\(.*\))?", re.DOTALL
)
#: The target of a Markdown link, and a heading, which links name by its letters in lower case and hyphens.
_LINK, _HEADING = re.compile(r"\]\(([^)\s]+)\)"), re.compile(r"^#+ (.*)$", re.MULTILINE)
#: What ends a command on a line of several.
_ENDS = frozenset({"&&", "||", "|", ";", "&"})

_SECTIONS = re.split(r"^## ", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
#: The sections of CONTRIBUTING whose examples `test_worked_examples.py` installs and runs, by their titles.
DOORS = {
    title: text
    for title, _, text in (section.partition("\n") for section in _SECTIONS)
    if "\n```python\n" in text or title == "Change a prompt"
}


@dataclass(frozen=True)
class Command:
    """`python -m MODULE ARGUMENTS`, and the document that shows it."""

    document: str
    module: str
    arguments: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.document}: {shlex.join((self.module, *self.arguments))}"


class Parsed(Exception):
    """A command line was understood; `config` is what it stands for."""

    def __init__(self, config: Any):
        super().__init__(type(config).__name__)
        self.config = config


def names_in(path: Path) -> tuple[str, ...]:
    """Every module, function, file and folder of the project that stands in backquotes, each once."""
    spans = (" ".join(span[1].split()) for span in _INLINE.finditer(_FENCED.sub("", path.read_text("utf-8"))))
    return tuple(dict.fromkeys(span for span in spans if _NAME.fullmatch(span)))


def exists(name: str) -> bool:
    """Whether the project has what is named: a module, what a module holds, a file, or a test in a file.

    In a path, `*` stands for anything, and `NAME` for a name of the reader's.
    """
    if "/" in name:
        pattern, _, test = name.partition("::")
        found = [*ROOT.glob(pattern.replace("NAME", "*").rstrip("/"))]
        return bool(found) and (not test or f"def {test}(" in found[0].read_text(encoding="utf-8"))
    words = name.partition("(")[0].split(".")
    for split in range(len(words), 0, -1):
        try:
            known = find_spec(".".join(words[:split]))
        except ModuleNotFoundError:
            known = None
        if known is not None:
            return _holds(import_module(".".join(words[:split])), words[split:]) if words[split:] else True
    return False


def _holds(thing: Any, path: list[str]) -> bool:
    for word in path:
        fields = getattr(thing, "__annotations__", {})
        if not hasattr(thing, word) and word not in fields:
            return False
        thing = getattr(thing, word, None)
    return True


def commands_of(path: Path) -> Iterator[Command]:
    """Every command of a document."""
    yield from commands_in(path.name, path.read_text(encoding="utf-8"))


def commands_in(document: str, text: str) -> Iterator[Command]:
    """Every command of a text: of its blocks of code, and of code within sentences and tables."""
    for block in _FENCED.finditer(text):
        if block[1] in ("", "bash"):
            yield from _of_lines(document, block[2])
    rest = _FENCED.sub("", text)
    for block in _INDENTED.finditer(rest):
        yield from _of_lines(document, textwrap.dedent(block[0]))
    for span in _INLINE.finditer(_INDENTED.sub("", rest)):
        yield from _of_lines(document, " ".join(span[1].split()))


def _of_lines(document: str, text: str) -> Iterator[Command]:
    for line in text.replace("\\\n", " ").splitlines():
        if found := _PYTHON.search(line):
            words = []
            for word in shlex.split(found[1], comments=True):
                if word in _ENDS:
                    break
                words.append(word)
            yield Command(document, words[0], tuple(words[1:]))


def parsed(command: Command) -> Any:
    """The configuration of a command. Raises what its program raises if the arguments make no sense.

    Raises AssertionError if the program refuses them with a message, or never looks at them.
    """
    module = import_module(command.module)
    if hasattr(module, "__path__"):  # `python -m` runs a package by its `__main__`
        module = import_module(f"{command.module}.__main__")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tyro, "cli", _stopping(tyro.cli))
        patch.setattr(argparse.ArgumentParser, "parse_args", _stopping(argparse.ArgumentParser.parse_args))
        try:
            code = module.main(list(command.arguments))
        except Parsed as found:
            return found.config
        except SystemExit as ended:
            code = ended.code
    raise AssertionError(f"{command}: refused, or not parsed (exit code {code})")


def _stopping(parse: Any) -> Any:
    """As `parse`, but it raises what it found, unless flags were left over."""

    def stop(*given: Any, **named: Any) -> Any:
        found = parse(*given, **named)
        config, unknown = found if named.get("return_unknown_args") else (found, ())
        if unknown:
            return found
        raise Parsed(config)

    return stop


def anchors(document: Path) -> set[str]:
    """The headings of a document as links name them."""
    headings = _HEADING.findall(_FENCED.sub("", document.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def dead_links(document: Path) -> list[str]:
    """The links of a document to files that are not there, and to headings that their document lacks."""
    dead = []
    for link in _LINK.findall(document.read_text(encoding="utf-8")):
        path, _, anchor = link.partition("#")
        target = document.parent / path if path else document
        if "://" not in link and not (target.exists() and (not anchor or anchor in anchors(target))):
            dead.append(link)
    return dead
