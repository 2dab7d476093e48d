"""What is wrong or missing in a world: one line a finding, each with how to fix it.

Judged are the files that a run reads (`experiments.worlds.files`); the others are listed in one line. An
error keeps a run from working: a file that it needs is missing or cannot be read, or nothing can be done in
a task. Which texts it needs follows from the suffixes behind the name, as in a run. A warning is something
to look at, such as a text that says something else than the PDDL. Texts are judged as far as that can be
done for certain: a task text in the explicit form (`envs.wording.text`) is read back and compared with
the PDDL, other texts only have to be there. Where there are rules for answer set programming, the example
has to follow from its IR; where there are invariants, no state that is looked at may break them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import tyro
from rich.console import Console

from envs.intermediate.knowledge import EXAMPLES
from envs.pddl.language.issues import PDDLError, Severity
from envs.plugins import BrokenPlugin
from envs.registry import WORLDS, WORLDS_FOLDER
from envs.source import WorldNotFound, canonical_name, has_files
from envs.variants import Variant, split_variant
from envs.world import open_world
from experiments.driver.preflight import check_name
from experiments.methods.tic_knowledge import knowledge_told
from experiments.worlds.command import carried_out
from experiments.worlds.files import ignored_files
from experiments.worlds.findings import Finding, check_folder, check_invariants
from experiments.worlds.rules import check_rules


@dataclass(frozen=True)
class Check:
    """Tell what is wrong or missing in a folder of yours, or in a built-in world."""

    world: tyro.conf.Positional[str]
    """A path to a folder, or a world's name."""
    solve: bool = False
    """Also let Fast Downward solve every task."""


def main(arguments: Sequence[str]) -> int:
    """The command `check`; returns the exit code."""
    return carried_out("check", Check, check, arguments)


def check(command: Check, console: Console) -> int:
    """Print the findings; 1 if one is an error. Raises ConfigError if there is no such world."""
    found = findings_of(command.world, solve=command.solve)
    for finding in found:
        console.print(str(finding), markup=False, highlight=False, soft_wrap=True)
    ignored = ignored_in(command.world)
    if ignored:
        read = f"the domain, p01, p02, …, f01, f02, … and {' or '.join(EXAMPLES)}"
        line = f"ignored: {', '.join(ignored)}; a run reads {read}"
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    errors = sum(finding.severity is Severity.ERROR for finding in found)
    if not errors and (line := _translation(command.world)):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    verdict = f"errors: {errors}, warnings: {len(found) - errors}" if found else "nothing to mend"
    console.print(f"{command.world}: {verdict}", markup=False, highlight=False, soft_wrap=True)
    return 1 if errors else 0


def _translation(world: str) -> str:
    """What `run tic` takes for a folder's rules and example; neither has to be there."""
    if not Path(split_variant(canonical_name(world))[0]).is_dir():
        return ""
    return f"for `run tic`: {'; '.join(knowledge_told(world))}"


def findings_of(world: str, *, solve: bool = False) -> list[Finding]:
    """Everything found in a folder, a built-in world, or another world that can be opened."""
    check_name(world)
    base, variant = split_variant(canonical_name(world))
    if base in WORLDS:
        return _of_folder(WORLDS_FOLDER / base, variant, built_in=base, solve=solve)
    if has_files(base) and Path(base).is_dir():
        return _of_folder(Path(base), variant, solve=solve)
    try:
        open_world(world, 1).applicable()
    except (WorldNotFound, BrokenPlugin, PDDLError, ValueError) as error:
        return [Finding(Severity.ERROR, world, str(error), "")]
    return []


def ignored_in(world: str) -> list[str]:
    """The names of the files in a folder of yours that no run reads; none for other worlds."""
    base, _ = split_variant(canonical_name(world))
    return ignored_files(Path(base)) if base not in WORLDS and Path(base).is_dir() else []


def _of_folder(folder: Path, variant: Variant, *, built_in: str | None = None, solve: bool) -> list[Finding]:
    """What is wrong with the files in it, and with its rules once its PDDL can be read."""
    found = check_folder(folder, variant, built_in=built_in, solve=solve)
    readable = not any(f.place.startswith("domain.pddl") and f.severity is Severity.ERROR for f in found)
    return found + ([*check_rules(folder), *check_invariants(folder)] if readable else [])
