"""The findings of a world's rules for answer set programming, and of the IR of its example.

Only a world that has `rules.lp` or `example.lp` is judged. The rules have to be read, and from the IR has to
follow the same problem as in the example, up to the names of objects. So it has from the example's terse text
where `implied.json` says what that may leave out. Where nobody wrote the IR, it is one
that states all that is true at first, to which the rules may add nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from agents.tic.allow import IRError, read_rules
from agents.tic.knowledge import Knowledge
from agents.tic.materialise import RulesFailed, materialise
from envs.intermediate.implied import IMPLIED
from envs.intermediate.knowledge import EXAMPLE, EXAMPLE_IR, RULES
from envs.pddl.equivalence.compare import Verdict, compare
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.issues import PDDLError, Severity
from envs.source import read_texts
from envs.variants import Level
from experiments.config import ConfigError
from experiments.methods.tic_knowledge import knowledge_of
from experiments.worlds.findings import Finding


def check_rules(folder: Path) -> list[Finding]:
    """Everything wrong with the rules in a world's folder. Raises InferenceFailed, LabellingFailed."""
    if not (folder / RULES).is_file() and not (folder / EXAMPLE_IR).is_file():
        return []
    if (folder / EXAMPLE_IR).is_file() and not (folder / f"{EXAMPLE}.pddl").is_file():
        fix = f"write {EXAMPLE}.pddl, or take the program away"
        return [_error(EXAMPLE_IR, "the program belongs to no example", fix)]
    try:
        knowledge = knowledge_of(str(folder))
    except ConfigError as error:
        return [_error(RULES, str(error), "")]
    try:
        read_rules(knowledge)
    except IRError as error:
        return [_error(f"{RULES}:{i.line}:{i.column}", i.message, i.fix) for i in error.issues]
    try:
        found = list(_of_example(knowledge, EXAMPLE_IR if (folder / EXAMPLE_IR).is_file() else RULES))
        return [*found, *_of_declarations(folder)]
    except RulesFailed as error:
        return [_error(RULES, str(error), "")]


def _of_declarations(folder: Path) -> Iterator[Finding]:
    """Whether the example follows from its terse text, where something says what that may leave out."""
    if not (folder / IMPLIED).is_file() or not (folder / f"{EXAMPLE}.pddl").is_file():
        return
    try:
        read_texts(f"{folder}+{Level.TERSE}", EXAMPLE)
    except PDDLError:
        return  # told already, with its place
    except ValueError as error:
        yield _error(IMPLIED, str(error), "the module envs.intermediate.implied shows the form")
        return
    yield from _of_example(knowledge_of(f"{folder}+{Level.TERSE}"), IMPLIED)


def _of_example(knowledge: Knowledge, place: str) -> Iterator[Finding]:
    """Whether the example follows from its IR; nothing is said where there is none."""
    if not knowledge.example_ir:
        return
    try:
        wanted = read_problem(knowledge.example_problem, read_domain(knowledge.domain))
    except PDDLError:
        return  # told already, with its place
    shown = f"{EXAMPLE}.pddl" if place == EXAMPLE_IR else "the example"
    found = materialise(knowledge.example_ir, replace(knowledge, objects=tuple(wanted.objects)))
    if found.problem is None:
        yield _error(place, found.fault, "state what the text of the example states")
        return
    same = compare(read_problem(found.problem, wanted.domain), wanted)
    if same.verdict is Verdict.DIFFERENT:
        message = f"what follows from it is not the problem of {shown}: {same.witness}"
        yield _error(place, message, f"fix {IMPLIED if place == IMPLIED else EXAMPLE_IR} or {RULES}")
    elif same.verdict is not Verdict.EQUIVALENT:
        message = f"what follows from it may not be the problem of {shown}: {same.witness}"
        yield Finding(Severity.WARNING, place, message, "compare the goals")


def _error(place: str, message: str, fix: str) -> Finding:
    return Finding(Severity.ERROR, place, message, fix)
