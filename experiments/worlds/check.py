"""What is wrong or missing in a world: one line a finding, each with how to fix it.

Judged are the files that a run reads (`experiments.worlds.files`); the others are listed in one line. An
error keeps a run from working: a file that it needs is missing or cannot be read, or nothing can be done in
a task. Which texts it needs follows from the suffixes behind the name, as in a run. A warning is something
to look at, such as a text that says something else than the PDDL. Texts are judged as far as that can be
done for certain: a task text in the explicit form (`envs.verbalisation.text`) is read back and compared with
the PDDL, other texts only have to be there. Where there are rules for answer set programming, the example
has to follow from its IR; where there are invariants, no state that is looked at may break them.

A world without files, a package's or a simulator, is acted in (`experiments.worlds.plugin_check`).

Only a world that has `rules.lp` or `example.lp` is judged. The rules have to be read, and from the IR has to
follow the same problem as in the example, up to the names of objects. So it has from the example's terse text
where `implied.json` says what that may leave out. Where nobody wrote the IR, it is one
that states all that is true at first, to which the rules may add nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import tyro
from rich.console import Console

from agents.tic.allow import IRError, read_rules
from agents.tic.infer import RulesFailed, materialise
from agents.tic.knowledge import Knowledge
from envs.folder import world_folder
from envs.intermediate.implied import IMPLIED
from envs.intermediate.knowledge import EXAMPLE, EXAMPLE_IR, EXAMPLES, RULES
from envs.pddl.equivalence.compare import Verdict, compare
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.issues import PDDLError, Severity
from envs.plugins import BrokenPlugin, is_plugin
from envs.registry import WORLDS
from envs.source import WorldNotFound, canonical_name, has_files, read_texts, split_name
from envs.variants import Level
from envs.world import open_world
from ew.walks.adapter import first_applicable
from experiments.config import ConfigError
from experiments.driver.preflight import check_name
from experiments.methods.translation import knowledge_of, knowledge_told
from experiments.worlds.files import ignored_files
from experiments.worlds.findings import Finding, FolderCheck, check_invariants, error, warning
from experiments.worlds.plugin_check import PluginCheck


@dataclass(frozen=True)
class Check:
    """List what is wrong or missing in a folder of yours, or in a built-in world."""

    world: tyro.conf.Positional[str]
    """A path to a folder, or a world's name."""
    solve: bool = False
    """Also let Fast Downward solve every task."""

    def run(self, console: Console) -> int:
        """Print the findings; 1 if one is an error. Raises ConfigError if there is no such world, or
        if it is not deterministic.
        """
        found, told = findings_of(self.world, solve=self.solve), list[str]()
        if is_plugin(self.world) and not has_files(self.world) and not found:
            acted = PluginCheck(self.world)
            found, told = acted.findings(), acted.told
        for line in (*map(str, found), *told):
            console.print(line)
        if ignored := ignored_in(self.world):
            read = f"the domain, p01, p02, …, f01, f02, … and {' or '.join(EXAMPLES)}"
            console.print(f"ignored: {', '.join(ignored)}; a run reads {read}")
        errors = sum(finding.severity is Severity.ERROR for finding in found)
        if not errors and Path(split_name(self.world).base).is_dir():
            console.print(f"for `run tic`: {'; '.join(knowledge_told(self.world))}")
        counts = f"errors: {errors}, warnings: {len(found) - errors}" if found else "nothing to fix"
        console.print(f"{self.world}: {counts}")
        return 1 if errors else 0


def findings_of(world: str, *, solve: bool = False) -> list[Finding]:
    """Everything found in a folder, a built-in world, or another world that can be opened."""
    check_name(world)
    name = split_name(canonical_name(world))
    if name.base not in WORLDS and not Path(name.base).is_dir():
        try:
            first_applicable(open_world(world, 1))
        except (WorldNotFound, BrokenPlugin, PDDLError, ValueError) as fault:
            return [error(world, str(fault))]
        return []
    folder, built_in = world_folder(name.base), name.base if name.base in WORLDS else None
    found = FolderCheck(folder, name.variant, built_in, solve).findings()
    readable = not any(f.place.startswith("domain.pddl") and f.severity is Severity.ERROR for f in found)
    return [*found, *check_rules(folder), *check_invariants(folder)] if readable else found


def ignored_in(world: str) -> list[str]:
    """The names of the files in a folder of yours that no run reads; none for other worlds."""
    base = split_name(world).base
    return ignored_files(Path(base)) if base not in WORLDS and Path(base).is_dir() else []


def check_rules(folder: Path) -> list[Finding]:
    """Everything wrong with the rules in a world's folder. Raises InferenceFailed, LabellingFailed."""
    if not (folder / RULES).is_file() and not (folder / EXAMPLE_IR).is_file():
        return []
    if (folder / EXAMPLE_IR).is_file() and not (folder / f"{EXAMPLE}.pddl").is_file():
        fix = f"write {EXAMPLE}.pddl, or take the program away"
        return [error(EXAMPLE_IR, "the program belongs to no example", fix)]
    try:
        knowledge = knowledge_of(str(folder))
    except ConfigError as fault:
        return [error(RULES, str(fault))]
    try:
        read_rules(knowledge)
    except IRError as refused:
        return [error(f"{RULES}:{i.line}:{i.column}", i.message, i.fix) for i in refused.issues]
    try:
        found = list(_of_example(knowledge, EXAMPLE_IR if (folder / EXAMPLE_IR).is_file() else RULES))
        return [*found, *_of_declarations(folder)]
    except RulesFailed as fault:
        return [error(RULES, str(fault))]


def _of_declarations(folder: Path) -> Iterator[Finding]:
    """Whether the example follows from its terse text, where something says what that may leave out."""
    if not (folder / IMPLIED).is_file() or not (folder / f"{EXAMPLE}.pddl").is_file():
        return
    try:
        read_texts(f"{folder}+{Level.TERSE}", EXAMPLE)
    except PDDLError:
        return  # listed already, with its place
    except ValueError as fault:
        yield error(IMPLIED, str(fault), "the module envs.intermediate.implied shows the form")
        return
    yield from _of_example(knowledge_of(f"{folder}+{Level.TERSE}"), IMPLIED)


def _of_example(knowledge: Knowledge, place: str) -> Iterator[Finding]:
    """Whether the example follows from its IR; nothing is said where there is none."""
    if not knowledge.example_ir:
        return
    try:
        wanted = read_problem(knowledge.example_problem, read_domain(knowledge.domain))
    except PDDLError:
        return  # listed already, with its place
    shown = f"{EXAMPLE}.pddl" if place == EXAMPLE_IR else "the example"
    found = materialise(knowledge.example_ir, replace(knowledge, objects=tuple(wanted.objects)))
    if found.problem is None:
        yield error(place, found.fault, "state what the text of the example states")
        return
    same = compare(read_problem(found.problem, wanted.domain), wanted)
    if same.verdict is Verdict.DIFFERENT:
        message = f"what follows from it is not the problem of {shown}: {same.witness}"
        yield error(place, message, f"fix {IMPLIED if place == IMPLIED else EXAMPLE_IR} or {RULES}")
    elif same.verdict is not Verdict.EQUIVALENT:
        message = f"what follows from it may not be the problem of {shown}: {same.witness}"
        yield warning(place, message, "compare the goals")
