"""The findings of a world's folder, file by file, and of its own invariants. See `experiments.worlds.check`.

Invariants have to be read, and no state may break them. They are held against the initial state of each task,
and against goal states that are reached in it by looking at some thousand states. That they hold in all
others is not shown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from envs.folder import TEXT_SUFFIXES, find_text, stems, text_file, words_in
from envs.pddl.diagnosis.diagnose import diagnose
from envs.pddl.equivalence.goals.consequences import BadRules, SolvingTooLong
from envs.pddl.equivalence.goals.derive import Derivation, Means
from envs.pddl.equivalence.goals.goal import Goal, NotLiterals, read_goal
from envs.pddl.equivalence.invariants.transitions import TooLarge
from envs.pddl.language.domain import Domain, read_domain, read_problem
from envs.pddl.language.issues import Diagnosis, Issue, PDDLError, Severity
from envs.pddl.planning.planner import Planner, PlanOutcome
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.grounding import GroundingExploded, limits_of
from envs.reading import read_facts
from envs.shipping import RECORD, SHIPPED, digest
from envs.source import INVARIANTS, WorldNotFound, read_texts, world_invariants
from envs.tasks import TaskFacts
from envs.variants import Variant
from envs.verbalisation.check import complaints
from envs.verbalisation.reader import ExplicitReader
from experiments.worlds.files import PLAIN, FolderTasks, files_of, needs_text, tasks_of

_NUMBERED = re.compile(r"p(\d+)")
_DESCRIBE = "or let `python -m experiments.worlds describe` write it"
#: States that are looked at for one that breaks the invariants.
_MAX_STATES = 2_000


@dataclass(frozen=True)
class Finding:
    """One fault: where it is, what it is, and how to fix it."""

    severity: Severity
    place: str  #: a file, with line and column where there are any
    message: str
    fix: str

    def __str__(self) -> str:
        """One line."""
        fix = f"; {self.fix}" if self.fix else ""
        return " ".join(f"{self.severity}: {self.place}: {self.message.rstrip('.')}{fix.rstrip('.')}".split())


def error(place: str, message: str, fix: str = "") -> Finding:
    """What keeps a run from working."""
    return Finding(Severity.ERROR, place, message, fix)


def warning(place: str, message: str, fix: str = "") -> Finding:
    """Something to look at."""
    return Finding(Severity.WARNING, place, message, fix)


@dataclass(frozen=True)
class FolderCheck:
    """What is wrong or missing in a world's folder."""

    folder: Path
    variant: Variant = PLAIN  #: of the world: a text that its suffixes write or withhold may be missing
    #: the name of a world that ships: then texts of tasks may be missing, and all must be recorded as solved
    built_in: str | None = None
    solve: bool = False  #: also let Fast Downward solve every task

    def findings(self) -> list[Finding]:
        """All of it, domain first, then task by task. Raises PlannerMissing if `solve` and there is none."""
        unreadable = list(self._unreadable())
        if any(finding.severity is Severity.ERROR for finding in unreadable):
            return unreadable
        if not (self.folder / "domain.pddl").is_file():
            return [error("domain.pddl", "the file is missing", self._where_is_the_domain())]
        diagnosis = diagnose(self.domain_text)
        found = [*unreadable, *(_of_issue(issue, "domain.pddl") for issue in diagnosis.issues)]
        return [*found, *self._of_valid_domain()] if diagnosis.valid else found

    @cached_property
    def domain_text(self) -> str:
        """The domain's PDDL."""
        return self._text_of("domain.pddl")

    @cached_property
    def domain(self) -> Domain:
        """The domain. Raises PDDLError."""
        return read_domain(self.domain_text)

    @cached_property
    def tasks(self) -> FolderTasks:
        """The tasks that are judged."""
        return FolderTasks(stems(self.folder), ()) if self.built_in else tasks_of(self.folder, self.variant)

    def _text_of(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    def _unreadable(self) -> Iterator[Finding]:
        """The files that are read and are not UTF-8."""
        description = text_file(self.folder, "domain")
        shared = ("domain.pddl", description.name if description else "", "words.json")
        owners = [(name, error) for name in shared if name and (self.folder / name).is_file()]
        for found, finding in ((self.tasks.read, error), (self.tasks.further, warning)):
            owners += [(name, finding) for stem in found for name in files_of(self.folder, stem)]
        for name, finding in owners:
            if not self._is_utf8(name):
                yield finding(name, "the file is not UTF-8", "save it as UTF-8")

    def _is_utf8(self, name: str) -> bool:
        try:
            self._text_of(name)
        except UnicodeDecodeError:
            return False
        return True

    def _where_is_the_domain(self) -> str:
        texts = {
            p.name: p.read_text(encoding="utf-8", errors="replace")
            for p in sorted(self.folder.glob("*.pddl"))
        }
        defining = next((name for name, text in texts.items() if "(domain " in text), None)
        return f"rename {defining} to domain.pddl" if defining else "write that file, the domain in PDDL"

    def _of_valid_domain(self) -> Iterator[Finding]:
        yield from self._description()
        yield from self._words()
        yield from self._names()
        for stem in self.tasks.read:
            yield from self._task(stem)
        for stem in self.tasks.further:
            if all(self._is_utf8(name) for name in files_of(self.folder, stem)):
                yield from (replace(found, severity=Severity.WARNING) for found in self._task(stem))
        if self.built_in:
            yield from self._record()

    def _description(self) -> Iterator[Finding]:
        text = find_text(self.folder, "domain")
        if not text and not (self.variant.undocumented or self.variant.anonymised):
            fix = f"write that file, {_DESCRIBE}; +undocumented behind the name runs without one"
            yield error("domain.nl", "there is no description of the domain", fix)
        for name in self.domain.actions if text else ():
            if not re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text or "", re.IGNORECASE):
                fix = "say what it needs and changes, under its name"
                yield warning("domain.nl", f"the action {name} is not named", fix)

    def _words(self) -> Iterator[Finding]:
        if not (self.folder / "words.json").is_file():
            fix = f"write that file, {_DESCRIBE}; without it facts are written as PDDL"
            yield warning("words.json", "there are no words for predicates and types", fix)
            return
        try:
            words = words_in(self.folder)
        except ValueError as fault:
            yield error("words.json", str(fault), "the module envs.verbalisation.words shows the form")
            return
        for complaint in complaints(words, self.domain.vocabulary):
            yield warning("words.json", complaint, "correct that entry")

    def _names(self) -> Iterator[Finding]:
        """Tasks that no number opens, and texts without a task."""
        there = stems(self.folder)
        numbers = {int(m[1]): stem for stem in there if (m := _NUMBERED.fullmatch(stem)) is not None}
        if 1 not in numbers:
            yield error("p01.pddl", "there is no first task", "write that file, or rename a task's")
        for number, stem in sorted(numbers.items()):
            if stem != (name := f"p{number:02}"):
                message = f"task {number} is looked for as {name}.pddl"
                yield warning(f"{stem}.pddl", message, f"rename it and its text to {name}")
        missing = [n for n in range(1, max(numbers, default=0)) if n not in numbers]
        if missing and 1 in numbers:
            fix = "number the tasks without a gap: a run takes the first so many"
            yield warning(f"p{missing[0]:02}.pddl", "the file is missing", fix)
        texts = [p for suffix in TEXT_SUFFIXES for p in sorted(self.folder.glob(f"p*{suffix}"))]
        for path in texts:
            if _NUMBERED.fullmatch(path.stem) and path.stem not in there:
                fix = f"write {path.stem}.pddl, or take the text away"
                yield warning(path.name, "the text belongs to no task", fix)

    def _task(self, stem: str) -> Iterator[Finding]:
        name = f"{stem}.pddl"
        text = self._text_of(name)
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
        except GroundingExploded as exploded:
            yield error(name, str(exploded), "use fewer objects, or actions with fewer parameters")
            return
        start = task.initial(1)
        if task.goal_reached(start)[0]:
            yield warning(name, "the goal holds at first", "ask for something that is not so yet")
        elif not task.applicable(start).any():
            fix = "look for a fact that is missing in :init, or a precondition that cannot be met"
            yield error(name, "no action can be done at first", fix)
        elif self.solve and (outcome := Planner().plan(self.domain_text, text).outcome) != PlanOutcome.SOLVED:
            message = f"Fast Downward does not solve it: {outcome}"
            if outcome is PlanOutcome.UNSOLVABLE_PROVED:
                yield error(name, message, "correct :init or the goal")
            else:
                yield warning(name, message, "a smaller task may show why")

    def _text(self, stem: str, problem: str) -> Iterator[Finding]:
        if self.variant != PLAIN:
            yield from self._as_shown(stem)
        text = find_text(self.folder, stem)
        if not text:
            if self.built_in is None and needs_text(self.folder, self.variant, stem):
                fix = f"write that file, {_DESCRIBE}; +explicit behind the name writes one from the PDDL"
                yield error(f"{stem}.nl", f"there is no text for {stem}.pddl", fix)
            return
        try:
            stated = ExplicitReader(self.domain.vocabulary, words_in(self.folder)).read(text)
            wanted = read_facts(problem, self.domain.vocabulary)
        except ValueError:  # not of the explicit form, or a goal that it cannot say: nothing is certain
            return
        differs = error if self.built_in else warning  # a run works with a text that is wrong
        for message in _differences(stated, wanted):
            yield differs(f"{stem}.nl", message, "make the text and the PDDL say the same")

    def _as_shown(self, stem: str) -> Iterator[Finding]:
        """Whether the texts of a task can be had as the suffixes ask for them."""
        try:
            read_texts(f"{self.folder}{self.variant}", stem)
        except (WorldNotFound, ValueError) as fault:
            if find_text(self.folder, stem) or not needs_text(self.folder, self.variant, stem):
                fix = "" if isinstance(fault, WorldNotFound) else "take another suffix"  # its message has one
                yield error(f"{stem}.pddl", str(fault), fix)

    def _record(self) -> Iterator[Finding]:
        """Whether the record says of every shipped task, as it is, that it was solved."""
        fix = f"run `python -m experiments.worlds make {self.built_in}`"
        record = json.loads(self._text_of(RECORD)) if (self.folder / RECORD).is_file() else {}
        for name in (f"{stem}.pddl" for stem in SHIPPED):
            if not (self.folder / name).is_file():
                yield error(name, "the file is missing", fix)
                continue
            entry = record.get(name.removesuffix(".pddl"), {})
            key = digest(self.domain_text, self._text_of(name))
            if (entry.get("outcome"), entry.get("digest")) != (PlanOutcome.SOLVED, key):
                yield error(name, f"{RECORD} does not record it, as it is, as solved", fix)


def _of_issue(issue: Issue, file: str) -> Finding:
    place = f"{file}:{issue.line}:{issue.column}"
    return Finding(issue.severity, place, f"[{issue.code}] {issue.message}", issue.fix)


def _differences(stated: TaskFacts, wanted: TaskFacts) -> Iterator[str]:
    """What an explicit text says and the PDDL does not, and the other way round."""
    pairs: tuple[tuple[str, Collection[object], Collection[object]], ...] = (
        ("objects", stated.objects.items(), wanted.objects.items()),
        ("initial facts", stated.init, wanted.init),
        ("goal", stated.goal, wanted.goal),
    )
    for what, said, meant in pairs:
        for owner, own, other in (("text", said, meant), ("PDDL", meant, said)):
            if extra := [entry for entry in own if entry not in other]:
                yield f"{what}: only the {owner} has {extra[0]}"


def check_invariants(folder: Path) -> Iterator[Finding]:
    """Everything that speaks against the invariants in a world's folder; nothing if it has none."""
    rules = world_invariants(str(folder))
    domain = read_domain((folder / "domain.pddl").read_text(encoding="utf-8"))
    for stem in tasks_of(folder).stems if rules else ():
        try:
            problem = read_problem((folder / f"{stem}.pddl").read_text(encoding="utf-8"), domain)
            derivation = Derivation(problem, Means(invariants=rules, max_states=_MAX_STATES))
            derivation.refute(Goal())
            derivation.refute(read_goal(problem))
        except BadRules as fault:
            yield error(INVARIANTS, f"{stem}: {fault}", "correct the rules, or leave them out")
            return
        except (PDDLError, UnicodeDecodeError, NotLiterals, TooLarge, SolvingTooLong):
            continue  # the problem's findings are listed under its own file, or nothing is certain
