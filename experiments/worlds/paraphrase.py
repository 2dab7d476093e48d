"""Task texts in other words, by a language model, in a folder that runs as a world of given texts.

The folder gets the world's PDDL, description, words and rules as they are, and beside each task's PDDL a text
that passed the check of `agents.paraphrase`: read back by the language model and compiled with the world's
rules it is the task. A task whose texts all failed has its PDDL and no text; `paraphrases.json` lists every
task with what was wrong. Texts that are there are kept, so the same command asks for what is missing, and
another --seed draws other texts for it. Calls are recorded in --calls.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from rich.console import Console

from agents.llm.interface import LanguageModel
from agents.paraphrase import Paraphrase, back_translation, paraphrase
from agents.tic.translate import Style, Translator
from envs.folder import TaskTexts, stems, world_folder
from envs.intermediate.knowledge import EXAMPLES, RULES, terse_example_ir
from envs.registry import WORLDS
from envs.source import INVARIANTS, canonical_name, read_texts
from envs.variants import Level, Variant, split_variant
from experiments.config import AskingFlags, ConfigError
from experiments.methods.translation import knowledge_of
from experiments.runs.directory import RunDirectory, to_json
from experiments.runs.seeds import derived_seed
from experiments.studies.study import answering, asking
from experiments.worlds.files import REPORT

#: Files of a world that say nothing of a single task.
_SHARED = ("domain.pddl", "domain.nl", "words.json", RULES, INVARIANTS)
_TASK = re.compile(r"[pf]\d+")


@dataclass(frozen=True)
class ParaphraseWorld(AskingFlags):
    """Put the texts of a world's tasks into other words, by a language model, and check them."""

    env: str = ""
    """A built-in world with rules, or a folder; a level behind its name says which texts are put into other
    words, as in barman+compact."""
    out: Path | None = None
    """The folder to make, which runs as a world: --env FOLDER."""
    tasks: tuple[str, ...] = ()
    """Tasks by the names of their files, p01 f01 example; default: all that the world's folder has."""
    seed: int = 0
    """Another seed draws other texts, for the tasks that have none yet."""
    tries: int = 3
    """Texts that are drawn for a task at most."""
    method: Literal["tic-g1", "tic-g3", "tic-ic"] = "tic-g1"
    """How texts are read back; the example of tic-ic is read back by tic-g1, as it would be shown."""
    corrections: int = 1
    """How often a program that cannot be used is sent back to the reader."""
    calls: Path | None = None
    """Where calls are recorded, to be given as --recording; default: runs/paraphrase-NAME."""

    def run(self, console: Console) -> int:
        """Write the texts that pass; 1 if one is missing.

        Raises ConfigError, WorldNotFound, PDDLError, LLMError, BudgetReached, InferenceFailed, OSError.
        """
        base = self._checked()
        out = self.out or Path()
        texts = {stem: read_texts(self.env, stem) for stem in self._stems(base)}
        entries = _begin(out, base, texts, split_variant(canonical_name(self.env))[1].level)
        done = [s for s in texts if s in entries and entries[s].written and (out / f"{s}.nl").is_file()]
        lacking = {stem: found for stem, found in texts.items() if stem not in done}
        for stem, found in self._asked(out, lacking) if lacking else ():
            entries[stem] = found
            _write(out, entries)
            state = "written" if found.written else "no text passed"
            console.print(f"{stem}: {state}, {len(found.faults) + found.written} drawn")
            for fault in found.faults:
                console.print(f"  {' '.join(fault.split())}")
        missing = [stem for stem in texts if not entries[stem].written]
        more = f"; without a text: {' '.join(missing)}, another --seed draws others" if missing else ""
        count = f"{len(texts) - len(missing)} of {len(texts)}"
        console.print(f"{out}: {count} texts in other words{more}; {REPORT} has all")
        return 1 if missing else 0

    def _checked(self) -> str:
        """The world's own name. Raises ConfigError for flags that cannot be meant, WorldNotFound."""
        if not self.env or self.out is None:
            raise ConfigError("name a world with --env and a folder to make with --out")
        for name, value, least in (("--tries", self.tries, 1), ("--corrections", self.corrections, 0)):
            if value < least:
                raise ConfigError(f"{name} must be at least {least}, not {value}")
        base, variant = split_variant(canonical_name(self.env))
        if variant != Variant(level=variant.level):
            raise ConfigError(f"--env {self.env}: a level may stand behind the name, no other suffix")
        if base not in WORLDS and not Path(base).is_dir():
            raise ConfigError(f"--env {self.env}: name a built-in world or a folder")
        return base

    def _stems(self, base: str) -> tuple[str, ...]:
        """The tasks that were asked for, or all. Raises ConfigError if one, or any, is missing."""
        there = [s for s in stems(world_folder(base)) if _TASK.fullmatch(s) or s in EXAMPLES]
        unknown = [stem for stem in self.tasks if stem not in there]
        if unknown or not there:
            raise ConfigError(f"--tasks {' '.join(unknown)}: {base} has {' '.join(there) or 'no task'}")
        return self.tasks or tuple(there)

    def _asked(self, out: Path, texts: Mapping[str, TaskTexts]) -> Iterator[tuple[str, ParaphrasedTask]]:
        """What becomes of each task, in order; a text that passed is written before the next is reported."""
        knowledge = knowledge_of(self.env)
        with self._model(out) as (model, name), ThreadPoolExecutor(self.concurrency) as pool:

            def ask(stem: str) -> Paraphrase:
                style = Style.ONE_PROMPT if stem in EXAMPLES else Style(self.method)
                reader = Translator(style, knowledge, model, self.corrections)
                check = back_translation(reader, texts[stem].task, texts[stem].problem)
                seed = derived_seed(self.seed, stem)
                return paraphrase(model, texts[stem].task, check, seed, self.tries)

            try:
                for stem, made in zip(texts, pool.map(ask, texts), strict=True):
                    written = made.text is not None
                    if written:
                        (out / f"{stem}.nl").write_text(f"{made.text}\n", encoding="utf-8")
                    original = _digest(texts[stem].task)
                    yield (
                        stem,
                        ParaphrasedTask(written, made.faults, self.seed, name, self.method, original),
                    )
            finally:
                pool.shutdown(cancel_futures=True)

    @contextmanager
    def _model(self, out: Path) -> Iterator[tuple[LanguageModel, str]]:
        """The model behind the journal in --calls and the caps, and its name.

        Raises ConfigError, LLMError.
        """
        who = answering(self, "paraphrase")
        if who.model is None:
            raise ConfigError(
                "name a model with --model, a server with --base-url, or a file with --recording"
            )
        calls = self.calls or Path("runs") / f"paraphrase-{out.resolve().name}"
        config = {"job": "paraphrase", "env": canonical_name(self.env)}
        with (
            RunDirectory.open(calls, config, dict(who.origin())) as directory,
            asking(self, who, directory) as model,
        ):
            yield model, who.name


@dataclass(frozen=True)
class ParaphrasedTask:
    """What became of one task, as the report has it."""

    written: bool
    faults: tuple[str, ...]  #: of each text that was turned down
    seed: int
    answers: str  #: who was asked
    method: str  #: how texts were read back
    original: str  #: SHA-256 of the text that was put into other words


def _begin(
    out: Path, base: str, texts: Mapping[str, TaskTexts], level: Level | None
) -> dict[str, ParaphrasedTask]:
    """Make the folder without its texts, or take up one; what is known of its tasks. Raises ConfigError."""
    report = out / REPORT
    if out.is_dir() and any(out.iterdir()) and not report.is_file():
        raise ConfigError(f"{out} holds files that this command did not write: name a new folder")
    entries = _read(report) if report.is_file() else {}
    for stem, found in texts.items():
        if not found.task.strip():
            raise ConfigError(f"{base} has no text of {stem}: write {stem}.nl, or name a level, as +compact")
        if stem in entries and entries[stem].original != _digest(found.task):
            raise ConfigError(f"{out} holds paraphrases of another text of {stem}: name a new folder")
    out.mkdir(parents=True, exist_ok=True)
    folder, examples = world_folder(base), [stem for stem in EXAMPLES if stem in texts]
    shared = [folder / name for name in (*_SHARED, *(f"{stem}.lp" for stem in examples))]
    whole = {path.name: path.read_text(encoding="utf-8") for path in shared if path.is_file()}
    if level is Level.TERSE:  # an example's IR states what its text does
        for stem in examples:
            whole[f"{stem}.lp"] = terse_example_ir(folder, texts[stem].domain, texts[stem].problem)
    for name, text in (whole | {f"{stem}.pddl": found.problem for stem, found in texts.items()}).items():
        path = out / name
        if path.is_file() and path.read_text(encoding="utf-8") != text:
            raise ConfigError(f"{path} is not that of {base}: name a new folder")
        path.write_text(text, encoding="utf-8")
    if not report.is_file():
        _write(out, entries)
    return entries


def _read(path: Path) -> dict[str, ParaphrasedTask]:
    """The report of an earlier start. Raises ConfigError if it cannot be read."""
    try:
        kept: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))["tasks"]
        return {
            stem: ParaphrasedTask(**{**entry, "faults": tuple(entry["faults"])})
            for stem, entry in kept.items()
        }
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path} cannot be read ({error}): name a new folder") from error


def _write(out: Path, entries: Mapping[str, ParaphrasedTask]) -> None:
    """The report, in one step, so that it is whole whenever the command ends."""
    tasks = {stem: asdict(found) for stem, found in sorted(entries.items())}
    RunDirectory(out).write(REPORT, to_json({"tasks": tasks}))


def _digest(text: str) -> str:
    return hashlib.sha256(text.strip().encode("utf-8")).hexdigest()
