"""Packaged recordings: what a language model answered once, so that a run needs no key and no network.

A recording is a file of calls with a header that names the episodes it holds every answer of (`covers`).
Packaged ones lie in `experiments/recordings/NAME.jsonl.gz`; the one named `default` answers a run without
flags, but for the repair that is shown beside it. A finished run directory is a recording too. To make a file
of one:

    python -m experiments.recordings export RUN_DIR OUT.jsonl.gz
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, Any

import msgspec
import tyro

from agents.llm.errors import LLMError
from agents.llm.journal import Journal
from agents.llm.recording import export_jsonl
from experiments.config import ConfigError, fail, pick
from experiments.driver.command import run_command
from experiments.runs.directory import RunDirectory, RunUnreadable
from experiments.runs.ledger import Ledger
from experiments.runs.units import EpisodeSettings

DEFAULT = "default"
_SUFFIXES = (".jsonl.gz", ".jsonl")
#: What is said in place of covers.
_OF_A_STUDY = (
    "no episode: answers of a study, see python -m experiments.run goals --help and operators --help"
)


@dataclass(frozen=True, kw_only=True)
class Cover(EpisodeSettings):
    """The episodes of one environment and method whose every answer a recording holds."""

    seeds: tuple[int, ...]

    def __str__(self) -> str:
        seeds = " ".join(map(str, self.seeds))
        translator = "" if self.translator == "llm" else f" --translator {self.translator}"
        modelling = "" if self.modelling is None else f" {self.modelling}"
        person = "" if self.person is None else ", with what a person says of the model"
        return (
            f"--env {self.env} --method {self.method} --np {self.np} --nd {self.nd} --turns {self.turns} "
            f"--tasks {self.tasks} --seeds {seeds} --protocol {self.protocol}{translator}{modelling}{person}"
        )

    @property
    def worth(self) -> tuple[bool, int, int]:
        """Which of several covers is taken for a cell: apart from feedback tasks, more seeds, more tasks."""
        return self.protocol == "apart", len(self.seeds), self.tasks

    def narrowed(self, seeds: Sequence[int], tasks: int) -> Cover:
        """The same with other seeds and fewer tasks."""
        return replace(self, seeds=tuple(seeds), tasks=tasks)


@dataclass(frozen=True)
class Shelved:
    """One recording: its name, its file and what it covers."""

    name: str
    path: Path
    covers: tuple[Cover, ...]
    digest: str = ""  #: start of the file's SHA-256; empty for a run directory, which may still grow

    @property
    def label(self) -> str:
        """Name and content: a recording made anew under an old name gives other results."""
        return f"{self.name}@{self.digest}" if self.digest else self.name


def packaged(folder: Traversable | None = None) -> tuple[Shelved, ...]:
    """The recordings that come with the project, or those in `folder`: `default` first, then by name."""
    folder = folder or resources.files("experiments") / "recordings"
    if not folder.is_dir():
        return ()
    paths = sorted(Path(str(entry)) for entry in folder.iterdir() if entry.name.endswith(_SUFFIXES))
    shelved = [_shelved(path) for path in paths]
    return tuple(sorted(shelved, key=lambda s: (s.name != DEFAULT, s.name)))


def shelf(recording: str | None) -> tuple[Shelved, ...]:
    """The recordings to choose from: all packaged ones, the named one, or the one at a path.

    Raises ConfigError if there is no such recording or its header says nothing.
    """
    if recording is None:
        return packaged()
    path = Path(recording)
    if path.is_dir():
        return (_of_run(path),)
    if path.is_file():
        return (_of_run(path.parent) if path.suffix == ".sqlite" else _shelved(path),)
    named = {s.name: s for s in packaged()}
    return (named[pick("recording", recording, named)],)


def name_of(path: Path) -> str:
    """A recording's name: its file's, without the ending."""
    for suffix in _SUFFIXES:
        if path.name.endswith(suffix):
            return path.name.removesuffix(suffix)
    return path.name


def covers_of(header: Mapping[str, Any]) -> tuple[Cover, ...]:
    """The covers that a header names. Raises KeyError or ValueError if they are not whole."""
    return msgspec.convert(header["covers"], tuple[Cover, ...])


def header_of(covers: Sequence[Cover]) -> dict[str, Any]:
    """The part of a header that names `covers`."""
    return {"covers": [asdict(c) for c in covers]}


def _shelved(path: Path) -> Shelved:
    try:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()[:8]
        return Shelved(name_of(path), path, covers_of(_header(path)), digest)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path}: not a recording with a header that names its covers ({error})") from error


def _header(path: Path) -> dict[str, Any]:
    """The header alone: the first line, so that a shelf of large recordings is listed at once."""
    with (
        gzip.open(path, "rt", encoding="utf-8")
        if path.suffix == ".gz"
        else path.open(encoding="utf-8") as file
    ):
        return dict(json.loads(file.readline())["header"])


def _of_run(path: Path) -> Shelved:
    """A run directory as a recording; its covers are in its configuration."""
    run = RunDirectory(path)
    try:
        covers = covers_of(run.provenance())
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path}: not a run directory with calls to replay ({error})") from error
    return Shelved(str(path), run.journal_path, covers)


@dataclass(frozen=True)
class Export:
    """Write a run's calls as a recording."""

    run: tyro.conf.Positional[Path]
    """The run directory."""
    out: tyro.conf.Positional[Path]
    """The file to write, .jsonl or .jsonl.gz."""


@dataclass(frozen=True)
class Show:
    """List the packaged recordings and what they cover."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Export a run's calls, or list the recordings there are."""
    command = tyro.cli(
        Annotated[Export, tyro.conf.subcommand("export")] | Annotated[Show, tyro.conf.subcommand("show")],
        prog="python -m experiments.recordings",
        args=arguments,
    )
    try:
        return _export(command) if isinstance(command, Export) else _show()
    except (ConfigError, LLMError, RunUnreadable, OSError) as error:
        return fail(str(error), 2)


def _export(command: Export) -> int:
    source = _of_run(command.run)
    wanted = sum(len(cover.seeds) for cover in source.covers)
    there = len(Ledger(RunDirectory(command.run)).episodes)
    if there < wanted:
        raise ConfigError(
            f"{command.run} has finished {there} of its {wanted} episodes, and a recording holds every "
            "answer of what it covers; finish the run first"
        )
    with Journal(source.path, read_only=True) as journal:
        export_jsonl(journal, command.out, header_of(tuple(map(_portable, source.covers))))
    print(f"{command.out}: {'; '.join(map(str, source.covers)) or _OF_A_STUDY}")
    return 0


def _portable(cover: Cover) -> Cover:
    """With a folder's path as seen from the working directory, where it lies below that."""
    path, here = Path(cover.env), Path.cwd()
    return replace(cover, env=path.relative_to(here).as_posix()) if path.is_relative_to(here) else cover


def _show() -> int:
    for recording in packaged():
        for words in map(str, recording.covers or (_OF_A_STUDY,)):
            print(f"{recording.name}: {words}")
    return 0


if __name__ == "__main__":
    run_command(main)
