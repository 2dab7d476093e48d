"""Texts for a folder that has only PDDL: written by a language model, checked, and marked as machine-made.

What is there already is used and never overwritten, so the same command goes on where it stopped. Each text
is written when it is finished, and `MACHINE-MADE.md` beside it says who wrote it, what its check found, and
what nobody checked. The calls of a live model are recorded in `--out`, which can be given as `--recording`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import tyro
from rich.console import Console

from agents.describe import Describer, Draft, Reader, Showcase, TextStanding, checked, missing
from agents.llm.client import OpenAIModel
from agents.llm.interface import LanguageModel
from agents.llm.journal import Journal
from agents.llm.journaled import FRESH_SAMPLES, JournaledModel
from agents.llm.recording import RecordedModel, load_recording
from envs.folder import find_text, stems, words_in
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.vocabulary import Vocabulary
from envs.registry import WORLDS_FOLDER
from envs.source import read_texts
from envs.variants import Level
from envs.verbalisation.check import complaints
from envs.verbalisation.words import Words, fill, read_words
from experiments.config import AnswerFlags, ConfigError, Count, is_live
from experiments.driver.models import endpoint_of, with_model
from experiments.runs.directory import RunDirectory
from experiments.runs.seeds import derived_seed
from experiments.worlds.files import SIDECAR

#: Worlds whose texts are the examples; one that the folder holds itself is left out.
_EXAMPLES = ("grippers", "termes", "floortile", "miconic")
_HEADING = """# Machine-made texts

The files below were written by a language model from the PDDL in this folder; nobody has read them yet. Read
`domain.nl` above all: that it names every action is all that was checked. Words were checked for their form.
The text of a task was read back by the model: `good` says that the facts it found are those of the PDDL,
`doubtful` that they are not, `unchecked` that it could not be read back. To have a text
written anew, delete its file and give another --seed. Take from this list what you have read and corrected.
"""


@dataclass(frozen=True, kw_only=True)
class Describe(AnswerFlags):
    """Write the description, the words and the task texts that a folder lacks, by a language model."""

    path: tyro.conf.Positional[Path]
    """A folder with domain.pddl, p01.pddl, …"""
    recording: str | None = None
    """Replay instead of asking: a .jsonl(.gz) file, or the --out of an earlier time."""
    seed: int = 0
    """Another seed asks for other texts."""
    attempts: Count = 3
    """Answers to one request: a faulty one is sent back with its faults."""
    out: Path | None = None
    """Where calls are recorded; default: runs/describe-NAME."""

    def run(self, console: Console) -> int:
        """Write what is missing; 1 if a text is not good.

        Raises ConfigError, PDDLError, LLMError, OSError.
        """
        folder = _Folder.read(self.path)
        if not folder.lacks:
            console.print(f"{folder.path}: every text is there; nothing to write")
            return 0
        with ExitStack() as stack:
            model, name = self._open_model(stack)
            describer = Describer(model, _showcases(folder.vocabulary.name), self.attempts)
            standings = []
            for file, draft in folder.drafts(describer, self.seed):
                folder.write(file, draft, name)
                standings.append(draft.standing)
                for line in (f"{file}: {draft.standing}", *(f"  {fault}" for fault in draft.faults)):
                    console.print(line)
        good = standings.count(TextStanding.GOOD)
        missing = f"; still missing: {' '.join(folder.lacks)}" if folder.lacks else ""
        total = len(standings)
        console.print(f"{folder.path}: {good} of {total} texts are good{missing}; {SIDECAR} says more")
        return 0 if good == total else 1

    def _open_model(self, stack: ExitStack) -> tuple[LanguageModel, str]:
        """The model and its name. Raises ConfigError, LLMError."""
        if self.recording is not None:
            path = Path(self.recording)
            recording = load_recording(RunDirectory(path).journal_path if path.is_dir() else path)
            return RecordedModel(recording), f"recording {path.name}"
        if not is_live(self):
            raise ConfigError(
                "name a model with --model, a server with --base-url, or a file with --recording"
            )
        config = with_model(self)
        live = OpenAIModel(endpoint_of(config))
        live.check()
        out = self.out or Path("runs") / f"describe-{self.path.resolve().name}"
        out.mkdir(parents=True, exist_ok=True)
        journal = stack.enter_context(Journal(RunDirectory(out).journal_path))
        again = self.retry_unanswered
        asked = JournaledModel(live, journal, fresh=FRESH_SAMPLES, retry_unanswered=again)
        return asked, config.model or "unnamed"


@dataclass(frozen=True)
class _Folder:
    """A folder whose PDDL can be read."""

    path: Path
    domain: str
    vocabulary: Vocabulary
    problems: Mapping[str, str]  #: stem → PDDL

    @classmethod
    def read(cls, path: Path) -> _Folder:
        """Raises ConfigError, PDDLError or UnicodeDecodeError if a file is missing or cannot be read.

        That is before any call is paid for.
        """
        if not (path / "domain.pddl").is_file():
            raise ConfigError(f"{path} has no domain.pddl: name a folder with domain.pddl and p01.pddl, …")
        text = (path / "domain.pddl").read_text(encoding="utf-8")
        problems = {stem: (path / f"{stem}.pddl").read_text(encoding="utf-8") for stem in stems(path)}
        if not problems:
            raise ConfigError(f"{path} has no task: write p01.pddl")
        domain = read_domain(text, str(path / "domain.pddl"))
        for stem, problem in problems.items():
            read_problem(problem, domain, str(path / f"{stem}.pddl"))
        folder = cls(path, text, domain.vocabulary, problems)
        try:
            folder.words()
        except ValueError as error:
            raise ConfigError(f"{path}: {error}; correct words.json or take it away") from error
        return folder

    def words(self) -> Words:
        """The words that are there. Raises ValueError if they cannot be used."""
        words = words_in(self.path)
        refuse_misfits(words, self.vocabulary)
        return words

    @property
    def lacks(self) -> list[str]:
        """The files that are missing, in the order in which they are written."""
        words = [] if (self.path / "words.json").is_file() else ["words.json"]
        stems = [stem for stem in ("domain", *self.problems) if find_text(self.path, stem) is None]
        texts = [f"{stem}.nl" for stem in stems]
        return [*texts[:1], *words, *texts[1:]] if texts[:1] == ["domain.nl"] else [*words, *texts]

    def write(self, file: str, draft: Draft, model: str) -> None:
        """Write a text, never over another, and enter it in the list. Raises FileExistsError."""
        if draft.text is not None:
            with (self.path / file).open("x", encoding="utf-8") as stream:
                stream.write(f"{draft.text}\n")
        new = not (self.path / SIDECAR).exists()
        with (self.path / SIDECAR).open("a", encoding="utf-8") as stream:
            entry = [
                f"- {file}: {draft.standing} ({model})",
                *(f"  - {' '.join(fault.split())}" for fault in draft.faults),
            ]
            stream.write("\n".join([*([_HEADING] if new else []), *entry]) + "\n")

    def drafts(self, describer: Describer, seed: int) -> Iterator[tuple[str, Draft]]:
        """Each missing file with its draft; the caller writes it before it asks for the next.

        Without a description nothing else can be written, so then this ends.
        """
        lacks = self.lacks
        if "domain.nl" in lacks:
            example, drawn = next(iter(self.problems.values())), derived_seed(seed, "description")
            yield "domain.nl", describer.description(self.domain, self.vocabulary, example, drawn)
        description = find_text(self.path, "domain")
        if description is None:
            return
        if "words.json" in lacks:
            drawn = derived_seed(seed, "words")
            yield "words.json", describer.words(self.domain, description, self.judged_words, drawn)
        declared = "\n".join(_declarations(self.vocabulary, self.words()))
        reader = Reader(describer.model, self.vocabulary, description, declared)
        texts = ((problem, find_text(self.path, stem)) for stem, problem in self.problems.items())
        shown = next(((problem, text) for problem, text in texts if text is not None), None)
        for stem, problem in self.problems.items():
            if f"{stem}.nl" in lacks:
                draft = describer.task(problem, reader, shown, derived_seed(seed, "task", stem))
                if shown is None and draft.text is not None and draft.standing is TextStanding.GOOD:
                    shown = (problem, draft.text)
                yield f"{stem}.nl", draft

    def judged_words(self, text: str) -> Draft:
        """Whether words that were drafted can be used, and what is wrong with them."""
        try:
            words = read_words(text)
            refuse_misfits(words, self.vocabulary)
        except ValueError as fault:
            return missing(str(fault))
        return checked(text, tuple(complaints(words, self.vocabulary)))


def refuse_misfits(words: Words, vocabulary: Vocabulary) -> None:
    """Raises ValueError if a template has a slot that its predicate has no argument for.

    Every other fault of words leaves sentences that can be made.
    """
    for name, parameters in vocabulary.predicates.items():
        templates = words.predicate(name, len(parameters))
        for template in (templates.positive, templates.negative, templates.many, *templates.narrative):
            fill(template or "", [variable for variable, _ in parameters])
        fill(templates.none or "", ())


def _declarations(vocabulary: Vocabulary, words: Words) -> Iterator[str]:
    """`(at ?o - obj ?r - room): ?o lies in ?r` for every predicate."""
    for name, parameters in vocabulary.predicates.items():
        typed = "".join(f" {variable} - {kind}" for variable, kind in parameters)
        template = words.predicate(name, len(parameters)).positive
        yield f"({name}{typed}): {fill(template, [variable for variable, _ in parameters])}"


def _showcases(domain_name: str) -> tuple[Showcase, ...]:
    """The examples, without one of the same domain."""
    found = []
    for world in _EXAMPLES:
        texts = read_texts(f"{world}+{Level.COMPACT}", 1)  # the form that the prompt asks for
        if read_domain(texts.domain).name != domain_name:
            words = (WORLDS_FOLDER / world / "words.json").read_text(encoding="utf-8")
            found.append(Showcase(texts.domain, texts.description, words, texts.problem, texts.task))
    return tuple(found)
