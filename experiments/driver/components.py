"""What an installation is made of, and whether each part works here.

Every check ends in a `Component`: found or not, its version, and whether the default run needs it. Packages
are tried in a child each, so that one that crashes or hangs breaks its own line and no more. Nothing is
downloaded, compiled or started beyond the check itself. Nothing outside the standard library is imported
with this module, our own packages included: the answer is wanted most where something is missing.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from importlib import metadata

PROJECT = "groundwalk"
_OLDEST_PYTHON = (3, 11)
_TRY_S = 120.0  # a cold disk may take long to read a large package
_REQUIREMENT = re.compile(r"([\w.-]+)\s*(?:>=\s*([\d.]+))?")

#: Dependencies that the default run does without, and what they are for.
_OPTIONAL = {"openai": "live runs (--llm live)", "pddlgym": "worlds named pddlgym:…"}
#: Python that shows that a package works; for all others, importing it must do.
_SMOKE = {
    PROJECT: "import envs, agents, ew, search, experiments",
    "clingo": (
        "import clingo; c = clingo.Control(); c.add('base', [], 'a. b :- a.'); c.ground([('base', [])])\n"
        "if len(list(c.symbolic_atoms)) != 2: raise SystemExit('clingo grounds wrongly')"
    ),
    "tarski": "from tarski.fol import FirstOrderLanguage as L; p = L('check').predicate('p'); p()",
    "up-fast-downward": "",  # not importable by itself; the planner is checked by itself
    "pddlgym": "",  # only its files are used
}


class Status(StrEnum):
    """How a component is."""

    OK = "ok"
    MISSING = "missing"
    BROKEN = "broken"  #: there, but it does not work


@dataclass(frozen=True)
class Component:
    """The result of one check; `detail` says what was found, or how to fix it."""

    name: str
    status: Status
    version: str = ""
    detail: str = ""
    needed: bool = True  #: by a run without flags, or by what was asked for

    @property
    def fatal(self) -> bool:
        """Whether a run that needs this component cannot work."""
        return self.needed and self.status is not Status.OK


def installation(planner_path: str | None = None) -> Iterator[Component]:
    """Every component of this installation, in a fixed order; for `planner_path` see `Planner`."""
    yield python()
    with ThreadPoolExecutor(4) as pool:
        yield from pool.map(dependency, requirements())
    yield planning(planner_path)
    yield guarded("worlds", bundled_worlds)
    yield guarded("recordings", bundled_recordings)


def python() -> Component:
    """The interpreter."""
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] < _OLDEST_PYTHON:
        return Component("python", Status.BROKEN, version, "too old; use Python 3.11 or newer")
    return Component("python", Status.OK, version, sys.executable)


def requirements() -> tuple[str, ...]:
    """What the installed project itself depends on, e.g. `numpy>=1.26`; the project first."""
    try:
        listed = metadata.requires(PROJECT) or []
    except metadata.PackageNotFoundError:
        listed = []
    return (PROJECT, *(r.partition(";")[0].strip() for r in listed if "extra ==" not in r))


def dependency(requirement: str) -> Component:
    """One distribution: installed, new enough, and usable."""
    match = _REQUIREMENT.match(requirement)
    name, oldest = (match[1], match[2]) if match else (requirement, None)
    needed = name not in _OPTIONAL
    purpose = "" if needed else f"for {_OPTIONAL[name]}"
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        fix = "pip install -e ." if name == PROJECT else f"pip install '{requirement}'"
        return Component(name, Status.MISSING, "", f"install it: {fix}  {purpose}".strip(), needed)
    if oldest and _numbers(version) < _numbers(oldest):
        fix = f"older than {oldest}; pip install --upgrade '{requirement}'"
        return Component(name, Status.BROKEN, version, fix, needed)
    try:
        trouble = _trial(_SMOKE.get(name, f"import {name.replace('-', '_')}"))
    except ImportError as error:  # our own code cannot be imported; the package at fault gets the blame
        status = Status.BROKEN if error.name == name else Status.OK
        return Component(name, status, version, f"found, but not tried: {error}", needed)
    return Component(name, Status.BROKEN if trouble else Status.OK, version, trouble or purpose, needed)


def guarded(name: str, check: Callable[[], str]) -> Component:
    """A check of ours: OK with what it says, MISSING or BROKEN with what it raises."""
    try:
        return Component(name, Status.OK, detail=check())
    except FileNotFoundError as error:
        return Component(name, Status.MISSING, detail=str(error))
    except (ImportError, OSError, LookupError, ValueError, RuntimeError) as error:
        return Component(name, Status.BROKEN, detail=f"{type(error).__name__}: {error}")


def planning(path: str | None) -> Component:
    """The planner: found, and able to plan for a tiny task."""
    try:
        from envs.pddl.planning.planner import Planner, PlannerMissing
    except ImportError as error:
        return Component("planner", Status.BROKEN, detail=f"cannot be tried: {error}")
    try:
        version = Planner(path=path).check()
    except PlannerMissing as error:
        return Component("planner", Status.MISSING, detail=str(error))
    return Component("planner", Status.OK, detail=f"{version}, from {path or 'the up-fast-downward wheel'}")


def bundled_worlds() -> str:
    """Open the first task of every built-in world. Raises if one cannot be read or cannot be acted in."""
    from envs.registry import worlds
    from envs.world import open_world
    from ew.walks.adapter import first_applicable

    for name in worlds():
        if first_applicable(open_world(name, 1)) is None:
            raise ValueError(f"{name}: no operator is applicable at the start")
    return ", ".join(worlds())


def bundled_recordings() -> str:
    """Read every packaged recording. Raises FileNotFoundError if there is none."""
    from agents.llm.recording import load_recording
    from experiments.recordings import packaged

    shelf = packaged()
    if not shelf:
        raise FileNotFoundError("no packaged recording; reinstall the project, or use --llm live")
    return ", ".join(f"{s.name} ({load_recording(s.path).samples} answers)" for s in shelf)


def _trial(code: str) -> str:
    """Run `code` in a child of this interpreter; what went wrong, or nothing."""
    from envs.pddl.process import run_child

    with tempfile.TemporaryDirectory(prefix="groundwalk-doctor-", ignore_cleanup_errors=True) as folder:
        result = run_child([sys.executable, "-c", code], cwd=folder, wall_s=_TRY_S)
    if result.succeeded:
        return ""
    lines = result.stderr.strip().splitlines()
    return f"{result.status} with {result.returncode}: {lines[-1] if lines else 'no message'}"


def _numbers(version: str) -> tuple[int, ...]:
    """The leading numbers of a version: (1, 26, 4) of `1.26.4rc1`."""
    return tuple(int(n) for n in re.findall(r"\d+", version.partition("+")[0])[:3])
