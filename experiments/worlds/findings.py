"""The findings of a world's folder, file by file, and of its own invariants. See `experiments.worlds.check`.

Invariants have to be read, and no state may break them. They are held against the initial state of each task,
and against goal states that are reached in it by looking at some thousand states. That they hold in all
others is not shown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from envs.folder import TEXT_SUFFIXES, find_text, stems, text_file
from envs.invariants import FILE as INVARIANTS
from envs.invariants import world_invariants
from envs.pddl.diagnosis.diagnose import diagnose
from envs.pddl.equivalence.goals.consequences import BadRules, SolvingTooLong
from envs.pddl.equivalence.goals.derive import Derivation, Means
from envs.pddl.equivalence.goals.goal import Goal, NotLiterals, read_goal
from envs.pddl.equivalence.invariants.transitions import TooLarge
from envs.pddl.language.domain import Domain, read_domain, read_problem
from envs.pddl.language.issues import Diagnosis, Issue, PDDLError, Severity
from envs.pddl.planning.outcomes import PlanOutcome
from envs.pddl.planning.planner import Planner
from envs.pddl.simulation.allowance import limits_of
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.grounding import GroundingExploded
from envs.reading import read_facts
from envs.shipping import RECORD, SHIPPED, digest
from envs.source import WorldNotFound, read_texts
from envs.tasks import TaskFacts
from envs.variants import Variant
from envs.wording.check import complaints
from envs.wording.reader import ExplicitReader
from envs.wording.words import Words, read_words
from experiments.worlds.files import PLAIN, FolderTasks, files_of, needs_text, tasks_of

_ERROR, _WARNING = Severity.ERROR, Severity.WARNING
_NUMBERED = re.compile(r"p(\d+)")
_DESCRIBE = "or let `python -m experiments.worlds describe` write it"
#: States that are looked at for one that breaks the invariants.
_MAX_STATES = 2_000


@dataclass(frozen=True)
class Finding:
    """One thing to mend: where it is, what it is, and how to mend it."""

    severity: Severity
    place: str  #: a file, with line and column where there are any
    message: str
    fix: str

    def __str__(self) -> str:
        """One line."""
        fix = f"; {self.fix}" if self.fix else ""
        return " ".join(f"{self.severity}: {self.place}: {self.message.rstrip('.')}{fix.rstrip('.')}".split())


def check_folder(
    folder: Path, variant: Variant = PLAIN, *, built_in: str | None = None, solve: bool = False
) -> list[Finding]:
    """Everything wrong or missing in a world's folder, domain first, then task by task.

    `variant` is what the suffixes behind its name ask for: a text that it writes or withholds may be missing.
    `built_in` is the world's name if it ships with us: then the tasks' texts may be missing, and the shipped
    tasks must be recorded as solved. Raises PlannerMissing if `solve` and there is none.
    """
    tasks = FolderTasks(stems(folder), ()) if built_in else tasks_of(folder, variant)
    unreadable = list(_unreadable(folder, tasks))
    if any(finding.severity is _ERROR for finding in unreadable):
        return unreadable
    path = folder / "domain.pddl"
    if not path.is_file():
        return [Finding(_ERROR, "domain.pddl", "the file is missing", _where_is_the_domain(folder))]
    text = path.read_text(encoding="utf-8")
    diagnosis = diagnose(text)
    found = [*unreadable, *(_of_issue(issue, "domain.pddl") for issue in diagnosis.issues)]
    if diagnosis.valid:
        found += _Checker(folder, variant, text, read_domain(text), tasks, built_in, solve).findings()
    return found


def _unreadable(folder: Path, tasks: FolderTasks) -> Iterator[Finding]:
    """The files that are read and are not UTF-8."""
    shared = [folder / "domain.pddl", text_file(folder, "domain"), folder / "words.json"]
    owners = [(path.name, _ERROR) for path in shared if path is not None and path.is_file()]
    owners += [(name, _ERROR) for stem in tasks.read for name in files_of(folder, stem)]
    owners += [(name, _WARNING) for stem in tasks.further for name in files_of(folder, stem)]
    for name, severity in owners:
        if not _is_utf8(folder / name):
            yield Finding(severity, name, "the file is not UTF-8", "save it as UTF-8")


def _is_utf8(path: Path) -> bool:
    try:
        path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _where_is_the_domain(folder: Path) -> str:
    defining = [
        p.name
        for p in sorted(folder.glob("*.pddl"))
        if "(domain " in p.read_text(encoding="utf-8", errors="replace")
    ]
    return f"rename {defining[0]} to domain.pddl" if defining else "write that file, the domain in PDDL"


@dataclass(frozen=True)
class _Checker:
    """Checks a folder whose domain can be read."""

    folder: Path
    variant: Variant
    domain_text: str
    domain: Domain
    tasks: FolderTasks
    built_in: str | None
    solve: bool

    def findings(self) -> list[Finding]:
        found = [*self._description(), *self._words(), *self._names()]
        for stem in self.tasks.read:
            found += self._task(stem)
        for stem in self.tasks.further:
            if all(_is_utf8(self.folder / name) for name in files_of(self.folder, stem)):
                found += (replace(finding, severity=_WARNING) for finding in self._task(stem))
        return found + (list(self._record()) if self.built_in else [])

    def _description(self) -> Iterator[Finding]:
        text = find_text(self.folder, "domain")
        if not text and (self.variant.undocumented or self.variant.anonymised):
            return
        if not text:
            yield Finding(
                _ERROR,
                "domain.nl",
                "there is no description of the domain",
                f"write that file, {_DESCRIBE}; +undocumented behind the name runs without one",
            )
            return
        for name in self.domain.actions:
            if not re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text, re.IGNORECASE):
                yield Finding(
                    _WARNING,
                    "domain.nl",
                    f"the action {name} is not named",
                    "say what it needs and changes, under its name",
                )

    def _words(self) -> Iterator[Finding]:
        if not (self.folder / "words.json").is_file():
            fix = f"write that file, {_DESCRIBE}; without it facts are written as PDDL"
            yield Finding(_WARNING, "words.json", "there are no words for predicates and types", fix)
            return
        try:
            words = self._read_words()
        except ValueError as error:
            yield Finding(_ERROR, "words.json", str(error), "the module envs.wording.words shows the form")
            return
        for complaint in complaints(words, self.domain.vocabulary):
            yield Finding(_WARNING, "words.json", complaint, "mend that entry")

    def _read_words(self) -> Words:
        path = self.folder / "words.json"
        return read_words(path.read_text(encoding="utf-8")) if path.is_file() else Words()

    def _names(self) -> Iterator[Finding]:
        """Tasks that no number opens, and texts without a task."""
        there = stems(self.folder)
        numbers = {int(m[1]): stem for stem in there if (m := _NUMBERED.fullmatch(stem)) is not None}
        if 1 not in numbers:
            yield Finding(_ERROR, "p01.pddl", "there is no first task", "write that file, or rename a task's")
        for number, stem in sorted(numbers.items()):
            if stem != f"p{number:02}":
                fix = f"rename it and its text to p{number:02}"
                yield Finding(
                    _WARNING, f"{stem}.pddl", f"task {number} is looked for as p{number:02}.pddl", fix
                )
        missing = [n for n in range(1, max(numbers, default=0)) if n not in numbers]
        if missing and 1 in numbers:
            fix = "number the tasks without a gap: a run takes the first so many"
            yield Finding(_WARNING, f"p{missing[0]:02}.pddl", "the file is missing", fix)
        texts = [p for suffix in TEXT_SUFFIXES for p in sorted(self.folder.glob(f"p*{suffix}"))]
        for path in texts:
            if _NUMBERED.fullmatch(path.stem) and path.stem not in there:
                fix = f"write {path.stem}.pddl, or take the text away"
                yield Finding(_WARNING, path.name, "the text belongs to no task", fix)

    def _task(self, stem: str) -> Iterator[Finding]:
        name = f"{stem}.pddl"
        text = (self.folder / name).read_text(encoding="utf-8")
        issues = [i for i in diagnose(self.domain_text, text).issues if i.source == "problem"]
        yield from (_of_issue(issue, name) for issue in issues)
        if Diagnosis(tuple(issues)).valid:
            yield from self._dynamics(name, text)
            yield from self._text(stem, text)

    def _dynamics(self, name: str, text: str) -> Iterator[Finding]:
        """Whether anything can be done, whether anything has to be, and if asked whether it can be solved."""
        try:
            problem = read_problem(text, self.domain)
            task = compile_task(problem, limits_of(problem))
        except GroundingExploded as error:
            yield Finding(_ERROR, name, str(error), "use fewer objects, or actions with fewer parameters")
            return
        start = task.initial(1)
        if task.goal_reached(start)[0]:
            yield Finding(_WARNING, name, "the goal holds at first", "ask for something that is not so yet")
        elif not task.applicable(start).any():
            fix = "look for a fact that is missing in :init, or a precondition that cannot be met"
            yield Finding(_ERROR, name, "no action can be done at first", fix)
        elif self.solve:
            outcome = Planner().plan(self.domain_text, text).outcome
            if outcome is not PlanOutcome.SOLVED:
                proved = outcome is PlanOutcome.UNSOLVABLE_PROVED
                fix = "correct :init or the goal" if proved else "a smaller task may show why"
                yield Finding(
                    _ERROR if proved else _WARNING, name, f"Fast Downward does not solve it: {outcome}", fix
                )

    def _text(self, stem: str, problem: str) -> Iterator[Finding]:
        if self.variant != PLAIN:
            yield from self._as_shown(stem)
        text = find_text(self.folder, stem)
        if not text:
            if self.built_in is None and needs_text(self.folder, self.variant, stem):
                fix = f"write that file, {_DESCRIBE}; +explicit behind the name writes one from the PDDL"
                yield Finding(_ERROR, f"{stem}.nl", f"there is no text for {stem}.pddl", fix)
            return
        try:
            stated = ExplicitReader(self.domain.vocabulary, self._read_words()).read(text)
            wanted = read_facts(problem, self.domain.vocabulary)
        except ValueError:  # not of the explicit form, or a goal that it cannot say: nothing is certain
            return
        severity = _ERROR if self.built_in else _WARNING  # a run works with a text that is wrong
        yield from _differences(f"{stem}.nl", stated, wanted, severity)

    def _as_shown(self, stem: str) -> Iterator[Finding]:
        """Whether the texts of a task can be had as the suffixes ask for them."""
        try:
            read_texts(f"{self.folder}{self.variant}", stem)
        except (WorldNotFound, ValueError) as error:
            if find_text(self.folder, stem) or not needs_text(self.folder, self.variant, stem):
                fix = "" if isinstance(error, WorldNotFound) else "take another suffix"  # its message has one
                yield Finding(_ERROR, f"{stem}.pddl", str(error), fix)

    def _record(self) -> Iterator[Finding]:
        """Whether the record says of every shipped task, as it is, that it was solved."""
        fix = f"run `python -m experiments.worlds make {self.built_in}`"
        path = self.folder / RECORD
        record = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        for stem in SHIPPED:
            task = self.folder / f"{stem}.pddl"
            if not task.is_file():
                yield Finding(_ERROR, task.name, "the file is missing", fix)
                continue
            entry = record.get(stem, {})
            key = digest(self.domain_text, task.read_text(encoding="utf-8"))
            if (entry.get("outcome"), entry.get("digest")) != (PlanOutcome.SOLVED, key):
                yield Finding(_ERROR, task.name, f"{RECORD} does not record it, as it is, as solved", fix)


def _of_issue(issue: Issue, file: str) -> Finding:
    place = f"{file}:{issue.line}:{issue.column}"
    return Finding(issue.severity, place, f"[{issue.code}] {issue.message}", issue.fix)


def _differences(place: str, stated: TaskFacts, wanted: TaskFacts, severity: Severity) -> Iterator[Finding]:
    """What an explicit text says and the PDDL does not, and the other way round."""
    fix = "make the text and the PDDL say the same"
    pairs = (
        ("objects", stated.objects.items(), wanted.objects.items()),
        ("initial facts", stated.init, wanted.init),
        ("goal", stated.goal, wanted.goal),
    )
    for what, said, meant in pairs:
        extra = [entry for entry in said if entry not in meant]
        left_out = [entry for entry in meant if entry not in said]
        if extra:
            yield Finding(severity, place, f"{what}: only the text has {extra[0]}", fix)
        if left_out:
            yield Finding(severity, place, f"{what}: only the PDDL has {left_out[0]}", fix)


def check_invariants(folder: Path) -> list[Finding]:
    """Everything that speaks against the invariants in a world's folder; nothing if it has none."""
    rules = world_invariants(str(folder))
    return list(_findings(folder, rules)) if rules else []


def _findings(folder: Path, rules: str) -> Iterator[Finding]:
    domain = read_domain((folder / "domain.pddl").read_text(encoding="utf-8"))
    for stem in tasks_of(folder).stems:
        try:
            problem = read_problem((folder / f"{stem}.pddl").read_text(encoding="utf-8"), domain)
            derivation = Derivation(problem, Means(invariants=rules, max_states=_MAX_STATES))
            derivation.refute(Goal())
            derivation.refute(read_goal(problem))
        except BadRules as error:
            yield Finding(Severity.ERROR, INVARIANTS, f"{stem}: {error}", "mend the rules, or leave them out")
            return
        except (PDDLError, UnicodeDecodeError, NotLiterals, TooLarge, SolvingTooLong):
            continue  # the problem's findings are told of its own file, or nothing can be told
