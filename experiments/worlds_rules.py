"""The findings of a world's rules for answer set programming, and of the IR of its example.

Only a world that has `rules.lp` or `example.lp` is judged. The rules have to be read, and from the IR has to
follow the same problem as in `example.pddl`, up to the names of objects.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from agents.tic.allow import IRError, read_rules
from agents.tic.knowledge import Knowledge
from agents.tic.materialise import RulesFailed, materialise
from envs.intermediate.knowledge import EXAMPLE, EXAMPLE_IR, RULES
from envs.pddl.equivalence.compare import Verdict, compare
from envs.pddl.issues import PDDLError, Severity
from envs.pddl.language import read_domain, read_problem
from experiments.config import ConfigError
from experiments.tic_knowledge import knowledge_of
from experiments.worlds_findings import Finding


def check_rules(folder: Path) -> list[Finding]:
    """Everything wrong with the rules in a world's folder. Raises InferenceFailed, LabellingFailed."""
    if not (folder / RULES).is_file() and not (folder / EXAMPLE_IR).is_file():
        return []
    try:
        knowledge = knowledge_of(str(folder))
    except ConfigError as error:
        return [_error(RULES, str(error), "")]
    try:
        read_rules(knowledge)
    except IRError as error:
        return [_error(f"{RULES}:{i.line}:{i.column}", i.message, i.fix) for i in error.issues]
    try:
        return list(_of_example(knowledge))
    except RulesFailed as error:
        return [_error(RULES, str(error), "")]


def _of_example(knowledge: Knowledge) -> Iterator[Finding]:
    """Whether the example follows from its IR."""
    try:
        wanted = read_problem(knowledge.example_problem, read_domain(knowledge.domain))
    except PDDLError:
        return  # told already, with its place
    found = materialise(knowledge.example_ir, replace(knowledge, objects=tuple(wanted.objects)))
    if found.problem is None:
        yield _error(EXAMPLE_IR, found.fault, "state what the text of the example states")
        return
    same = compare(read_problem(found.problem, wanted.domain), wanted)
    if same.verdict is Verdict.DIFFERENT:
        message = f"what follows from it is not the problem of {EXAMPLE}.pddl: {same.witness}"
        yield _error(EXAMPLE_IR, message, f"mend it or {RULES}")
    elif same.verdict is not Verdict.EQUIVALENT:
        message = f"what follows from it may not be the problem of {EXAMPLE}.pddl: {same.witness}"
        yield Finding(Severity.WARNING, EXAMPLE_IR, message, "compare the goals")


def _error(place: str, message: str, fix: str) -> Finding:
    return Finding(Severity.ERROR, place, message, fix)
