"""Plans from Fast Downward, run as a child process.

Fast Downward comes as a wheel, or is the user's own build. Every call has a temporary folder of its own with
files of fixed names, so calls cannot meet and no name from a task becomes a path. The planner's wall time is
limited by this process; a time limit inside the planner ends it if this process is killed. The search is
satisficing and deterministic: the first plan found, the same every time.

What can become of a call is a closed set (`PlanOutcome`). Three kinds of blame are kept apart: the task has
no plan or could not be read (the model's), a limit was reached (nobody's; listed, counted as unsolved), or
the machine or our own call failed (infrastructure: rerun or abort, never scored). An ending that nothing
explains is a crash.

Source of the exit codes: the planner's documentation (www.fast-downward.org, "exit codes").
"""

from __future__ import annotations

import importlib.util
import math
import re
import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from envs.pddl.language.operators import format_operator, parse_operator
from envs.pddl.language.sexpr import Source, refuse_half_characters
from envs.pddl.process import ChildResult, ChildStatus, run_child
from envs.pddl.scratch import scratch_folder


class PlanOutcome(StrEnum):
    """What became of a planning call."""

    SOLVED = "solved"
    UNSOLVABLE_PROVED = "unsolvable_proved"
    UNSOLVABLE_INCOMPLETE = "unsolvable_incomplete"  #: the space is empty, but it was not the whole one
    TIMEOUT = "timeout"
    MEMOUT = "memout"
    UNSUPPORTED = "unsupported"  #: legal PDDL that this planner cannot handle
    INVALID_INPUT = "invalid_input"  #: the planner could not read the task
    KILLED = "killed"  #: ended by a signal that was not ours
    CRASH = "crash"  #: an error inside the planner, in our call of it, or an unexplained ending

    @property
    def infrastructure(self) -> bool:
        """Whether the machine or the program failed, so that nothing is known about the task."""
        return self in (PlanOutcome.KILLED, PlanOutcome.CRASH)

    @property
    def judges(self) -> bool:
        """Whether this says something about the task, and not about limits, the search or the machine."""
        own = (PlanOutcome.SOLVED, PlanOutcome.UNSOLVABLE_PROVED)  # with whatever time and memory
        return self in (*own, PlanOutcome.INVALID_INPUT, PlanOutcome.UNSUPPORTED)


#: Every documented exit code. 33, 35 and 36 mean that our command line or the installation is at fault.
EXIT_CODES: dict[int, PlanOutcome] = {
    **dict.fromkeys((0, 1, 2, 3), PlanOutcome.SOLVED),  # 1 to 3: a plan was found, then a limit was reached
    **dict.fromkeys((10, 11), PlanOutcome.UNSOLVABLE_PROVED),
    **dict.fromkeys((12, 13), PlanOutcome.UNSOLVABLE_INCOMPLETE),  # 13: none within a cost bound
    **dict.fromkeys((20, 22), PlanOutcome.MEMOUT),
    **dict.fromkeys((21, 23, 24), PlanOutcome.TIMEOUT),
    **dict.fromkeys((30, 32, 33, 35, 36), PlanOutcome.CRASH),
    31: PlanOutcome.INVALID_INPUT,
    **dict.fromkeys((34, 37), PlanOutcome.UNSUPPORTED),
}

#: What the planner prints when the fault it reports as invalid input is legal PDDL beyond its reach.
_BEYOND_REACH = ("Invalid requirement", "does not support", "not supported", "Got: (either ")

#: A driver hands on its component's -9 as 247; no signal's number exceeds 64.
_FIRST_SIGNAL_CODE = 256 - 64


def classify(child: ChildResult, has_plan: bool) -> PlanOutcome:
    """What a finished planner call means, from its status, exit code, output, and whether it left a plan.

    Raises ValueError for a child that never started: that is no outcome of planning.
    """
    match child.status:
        case ChildStatus.TIMEOUT:
            return PlanOutcome.TIMEOUT
        case ChildStatus.MEMORY:
            return PlanOutcome.MEMOUT
        case ChildStatus.KILLED:
            return PlanOutcome.KILLED
        case ChildStatus.MISSING:
            raise ValueError("a planner that never started has no outcome; raise PlannerMissing instead")
    code = child.returncode
    if code is None or code >= _FIRST_SIGNAL_CODE:
        return PlanOutcome.KILLED
    outcome = EXIT_CODES.get(code, PlanOutcome.CRASH)
    if outcome is PlanOutcome.CRASH and "MemoryError" in child.stderr:
        return PlanOutcome.MEMOUT  # so early that the planner could not say it by its code
    if outcome is PlanOutcome.SOLVED and not has_plan:
        return PlanOutcome.CRASH
    if outcome is PlanOutcome.INVALID_INPUT and any(words in child.stdout for words in _BEYOND_REACH):
        return PlanOutcome.UNSUPPORTED
    return outcome


_WHEEL = "up_fast_downward"
_DRIVER = "fast-downward.py"
_SEARCH = "let(h, ff(), lazy_greedy([h], preferred=[h]))"
#: What a search prints that went through all states.
_EXHAUSTED = "Completely explored state space -- no solution!"
#: It left none of them out if it took none for a dead end, or if no atom is derived: then what the heuristics
#: below take for a dead end is one.
_NONE_LEFT_OUT = ("Dead ends: 0 state(s)", "\nTranslator axioms: 0\n")
#: Words of searches that go on until there are no states left: without bounds, limits and pruning.
_COMPLETE = frozenset(
    {"let", "h", "l", "ff", "landmark_sum", "lm_factory", "lm_reasonable_orders_hps", "lm_rhw", "pref"}
    | {"true", "lazy_greedy", "goalcount", "preferred"}
)
_WORD = re.compile(r"\w+")
_LOG_TAIL = 4000  # characters
_CHECK_DOMAIN = "(define (domain check) (:predicates (done)) (:action finish :parameters () :effect (done)))"
_CHECK_PROBLEM = "(define (problem check) (:domain check) (:init) (:goal (done)))"
_ADVICE = "install it with `pip install up-fast-downward`, or name your own build with --planner PATH"


class PlannerMissing(RuntimeError):
    """No planner can be run here. The message names the path that was tried and how to install a planner."""

    blame = "machine"


@dataclass(frozen=True)
class PlanResult:
    """What became of one planning call."""

    outcome: PlanOutcome
    plan: tuple[str, ...] | None  #: canonical operator texts; set exactly if SOLVED
    wall_s: float
    log_tail: str  #: the end of the planner's output, for people


@dataclass(frozen=True)
class Planner:
    """A planner and its limits. Plain data: cheap to pickle, state is kept nowhere.

    `path` is a `fast-downward.py`, a folder that holds one, or another executable with the same command
    line; None is the installed wheel. `wall_s` bounds one call, `memory_mb` (MiB) each of its processes.
    """

    path: str | None = None
    wall_s: float = 60.0
    memory_mb: int = 2000
    search: str = _SEARCH

    def __post_init__(self) -> None:
        if self.path is not None:  # workers may run in another folder
            object.__setattr__(self, "path", str(Path(self.path).expanduser().absolute()))

    def plan(self, domain_text: str, problem_text: str) -> PlanResult:
        """Plan for a task given as PDDL text. Thread-safe.

        Raises PlannerMissing, and PDDLError (encoding) for a text that no file can hold.
        """
        refuse_half_characters(Source(domain_text, "domain"))
        refuse_half_characters(Source(problem_text, "problem"))
        command = self._command()
        with scratch_folder() as name:
            folder = Path(name)
            (folder / "domain.pddl").write_text(domain_text, encoding="utf-8")
            (folder / "problem.pddl").write_text(problem_text, encoding="utf-8")
            child = self._run([*command, *self._options()], folder)
            if child.status is ChildStatus.MISSING:
                raise PlannerMissing(f"{child.stderr}; {_ADVICE}")
            plan = _read_plan(folder / "plan")
        outcome = classify(child, plan is not None)
        if outcome is PlanOutcome.UNSOLVABLE_INCOMPLETE and _proves_none(child.stdout, self.search):
            outcome = PlanOutcome.UNSOLVABLE_PROVED
        solved = outcome is PlanOutcome.SOLVED
        return PlanResult(outcome, plan if solved else None, child.wall_s, _tail(child))

    def check(self) -> str:
        """The planner's version, after it has planned for a tiny task.

        Raises PlannerMissing if it is absent or cannot plan; to be called before anything is paid for.
        """
        command = self._command()
        child = self._run([*command, "--version"])
        if not child.succeeded:
            raise PlannerMissing(f"{command[-1]} --version: {child.status}: {_tail(child)}; {_ADVICE}")
        result = self.plan(_CHECK_DOMAIN, _CHECK_PROBLEM)
        if result.plan != ("(finish)",):
            found = f"(outcome {result.outcome}): {result.log_tail}"
            raise PlannerMissing(f"{command[-1]} does not plan {found}; {_ADVICE}")
        return " ".join(child.stdout.split())

    def _run(self, arguments: list[str], folder: Path | None = None) -> ChildResult:
        return run_child(arguments, cwd=folder, wall_s=self.wall_s, memory_mb=self.memory_mb)

    def _command(self) -> list[str]:
        """The start of the command line: the driver, run by our own interpreter if it is a Python script."""
        path = _wheel_driver() if self.path is None else Path(self.path)
        if path.is_dir():
            path = path / _DRIVER
        if not path.is_file():
            raise PlannerMissing(f"no planner at {path}; {_ADVICE}")
        return [sys.executable, str(path)] if path.suffix == ".py" else [str(path)]

    def _options(self) -> list[str]:
        options = ["--log-level", "warning", "--sas-file", "task.sas", "--plan-file", "plan"]
        if sys.platform != "win32":
            options += ["--overall-time-limit", f"{math.ceil(self.wall_s) + 1}s"]
        if sys.platform.startswith("linux"):  # elsewhere it is not enforced, and the planner refuses it
            options += ["--overall-memory-limit", f"{self.memory_mb}M"]
        return [*options, "domain.pddl", "problem.pddl", "--search", self.search]


def _wheel_driver() -> Path:
    """The driver inside the installed wheel, without importing it: its package needs unified_planning."""
    spec = importlib.util.find_spec(_WHEEL)
    if spec is None or not spec.submodule_search_locations:
        raise PlannerMissing(f"the package {_WHEEL} is not installed; {_ADVICE}")
    return Path(next(iter(spec.submodule_search_locations))) / "downward" / _DRIVER


def _proves_none(stdout: str, search: str) -> bool:
    """Whether a search that Fast Downward calls incomplete has shown that there is no plan."""
    if not set(_WORD.findall(search)) <= _COMPLETE or _EXHAUSTED not in stdout:
        return False
    return any(words in stdout for words in _NONE_LEFT_OUT)


def _read_plan(path: Path) -> tuple[str, ...] | None:
    """The operators of a plan file (one a line, comments after `;`), or None if there is none to be read."""
    if not path.is_file():
        return None
    try:
        lines = (line.partition(";")[0].strip() for line in path.read_text(encoding="utf-8").splitlines())
        return tuple(format_operator(*parse_operator(line)) for line in lines if line)
    except ValueError:  # no UTF-8, or a line that is no operator
        return None


def _tail(child: ChildResult) -> str:
    """The end of a child's output, errors last."""
    return "\n".join(text.strip() for text in (child.stdout, child.stderr) if text.strip())[-_LOG_TAIL:]
