"""Which files of a world's folder are read: by every run, only by some runs, or by none.

A run takes the tasks p01, p02, … up to the first number that is missing, and refines on f01, f02, …;
methods that ask a language model stop at the first task without a text. Tasks beyond these are read with
--tasks and by methods that ask none, and an example (`EXAMPLES`) by the methods that translate.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, takewhile
from pathlib import Path

from envs.folder import text_file
from envs.intermediate.implied import IMPLIED
from envs.intermediate.knowledge import EXAMPLES, RULES
from envs.shipping import RECORD
from envs.source import INVARIANTS, text_level
from envs.variants import Level, Variant
from experiments.driver.plan import LIVE_TASKS
from experiments.methods.registry import METHODS
from experiments.runs.units import feedback_task

#: A folder named without suffixes.
PLAIN = Variant()
#: What `describe` says of its texts.
SIDECAR = "MACHINE-MADE.md"
#: What `paraphrase` keeps of every text that it asked for.
REPORT = "paraphrases.json"
#: Files beside the texts that are read where they are there.
_OTHERS = (
    "domain.pddl", "words.json", RULES, IMPLIED, *(f"{stem}.lp" for stem in EXAMPLES), INVARIANTS, RECORD,
    SIDECAR, REPORT,
)  # fmt: skip


@dataclass(frozen=True)
class FolderTasks:
    """The tasks of a folder, by their stems."""

    read: tuple[str, ...]  #: by a run without further flags, first those that it is scored on
    further: tuple[str, ...]  #: by other runs only

    @property
    def stems(self) -> tuple[str, ...]:
        """All of them."""
        return self.read + self.further


def tasks_of(folder: Path, variant: Variant = PLAIN) -> FolderTasks:
    """The tasks in a folder that some run of this variant reads."""
    numbered = tuple(_there(folder, (f"p{n:02}" for n in count(1))))
    feedback = tuple(_there(folder, map(feedback_task, count(1))))
    most = max(method.feedback_tasks for method in METHODS.values())
    read = (
        *(_described(folder, variant, numbered[:LIVE_TASKS]) or numbered[:1]),
        *_described(folder, variant, feedback[:most]),
    )
    examples = [stem for stem in EXAMPLES if (folder / f"{stem}.pddl").is_file()]
    if (folder / RULES).is_file():
        read += tuple(examples[:1])
    return FolderTasks(read, tuple(s for s in (*numbered, *feedback, *examples) if s not in read))


def files_of(folder: Path, stem: str) -> Iterator[str]:
    """The names of a task's files that are there."""
    yield f"{stem}.pddl"
    if (text := text_file(folder, stem)) is not None:
        yield text.name


def ignored_files(folder: Path) -> list[str]:
    """The names of the files that no run reads, sorted."""
    domain = text_file(folder, "domain")
    known = {*_OTHERS, *([domain.name] if domain else [])}
    known.update(name for stem in tasks_of(folder).stems for name in files_of(folder, stem))
    return sorted(path.name for path in folder.iterdir() if path.is_file() and path.name not in known)


def _there(folder: Path, stems: Iterator[str]) -> Iterator[str]:
    return takewhile(lambda stem: (folder / f"{stem}.pddl").is_file(), stems)


def needs_text(folder: Path, variant: Variant, stem: str) -> bool:
    """Whether a language model is shown the text beside a task's PDDL, and none that is written from that."""
    return text_level(f"{folder}{variant}", stem) is Level.GIVEN


def _described(folder: Path, variant: Variant, stems: tuple[str, ...]) -> tuple[str, ...]:
    """Those before the first that has no text, or an empty one, and needs one."""

    def is_told(stem: str) -> bool:
        file = text_file(folder, stem)
        has_text = file is not None and bool(file.read_bytes().strip())
        return has_text or not needs_text(folder, variant, stem)

    return tuple(takewhile(is_told, stems))
