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

A problem is written as Fast Downward reads it (`planner_texts`): without costs, and without types if it
cannot read them. It reads `(either ...)` in predicates alone, and `number` as a type of its own; its costs
are small integers, and it drops every operator whose cost the problem leaves open. Costs decide nothing
about what can be executed, so they are always left out. A problem with a type that cannot be said loses all
its types: each becomes a static predicate that is true of the type's objects and guards the variables of
that type. Else universal conditions may be written out (`universals`). Operators keep their names and
parameters, so a plan for the texts is a plan for the problem, and conversely.
"""

from __future__ import annotations

import importlib.util
import math
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from tarski import syntax as fol
from tarski.fstrips import UniversalEffect

from envs.pddl.language.formulas import junction, negation
from envs.pddl.language.operators import format_operator, parse_operator
from envs.pddl.language.render import render_domain, render_problem
from envs.pddl.language.sexpr import Source, refuse_half_characters
from envs.pddl.language.structure import Action, Effect, Language, Problem
from envs.pddl.language.vocabulary import OBJECT, Types, Vocabulary
from envs.pddl.planning.universals import written_out
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
    | {"true", "lazy_greedy", "goalcount", "preferred", "eager_wastar", "w"}
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
    words = {word for word in _WORD.findall(search) if not word.isdigit()}
    if not words <= _COMPLETE or _EXHAUSTED not in stdout:
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


_PLANNERS_OWN_TYPE = "number"


def planner_texts(problem: Problem) -> tuple[str, str]:
    """The texts of the domain and the problem to hand to a planner; canonical where nothing is in its way."""
    costless = _without_costs(problem)
    texts = render_domain(costless.domain), render_problem(costless)
    # Canonical text holds neither comments nor strings, so the word can only be a type.
    unsaid = any("(either " in text for text in texts) or _PLANNERS_OWN_TYPE in problem.domain.types
    if not unsaid:
        plain = written_out(costless)
        return texts if plain is costless else (render_domain(plain.domain), render_problem(plain))
    untyped = _Untyping(costless).problem()
    return render_domain(untyped.domain), render_problem(untyped)


def _without_costs(problem: Problem) -> Problem:
    domain = problem.domain
    actions = {name: replace(action, cost=None) for name, action in domain.actions.items()}
    vocabulary = replace(domain.vocabulary, functions={})
    costless = replace(domain, actions=actions, vocabulary=vocabulary)
    return replace(problem, domain=costless, costs={}, minimizes_cost=False)


class _Untyping:
    """Makes the untyped form of one problem, for printing; type expressions are numbered as they are met."""

    def __init__(self, problem: Problem):
        self._problem = problem
        self._language = Language(Vocabulary())
        self._root = self._language.sort_of(OBJECT)
        self._guards: dict[str, fol.Predicate] = {}

    def problem(self) -> Problem:
        """The problem without types."""
        problem, domain = self._problem, self._problem.domain
        actions = {name: self._action(action) for name, action in domain.actions.items()}
        goal = self._formula(problem.goal)
        kinds = {str(guard.name): kind for kind, guard in self._guards.items()}
        facts = {
            (guard, name)
            for guard, kind in kinds.items()
            for name, own in problem.objects.items()
            if domain.is_subtype(own, kind)
        }
        predicates = {
            name: tuple((variable, OBJECT) for variable, _ in parameters)
            for name, parameters in domain.predicates.items()
        }
        predicates |= {guard: (("?x", OBJECT),) for guard in kinds}
        constants = dict.fromkeys(domain.constants, OBJECT)
        vocabulary = replace(domain.vocabulary, types=Types(), constants=constants, predicates=predicates)
        untyped = replace(domain, constants=constants, actions=actions, vocabulary=vocabulary)
        objects = dict.fromkeys(problem.objects, OBJECT)
        return replace(problem, domain=untyped, objects=objects, init=problem.init | facts, goal=goal)

    def _action(self, action: Action) -> Action:
        guarded = [*self._guards_of(action.parameters), self._formula(action.precondition)]
        precondition = junction(fol.Connective.And, guarded)
        effects = tuple(self._effect(effect, ()) for effect in action.effects)
        parameters = self._bare(action.parameters)
        return replace(action, parameters=parameters, precondition=precondition, effects=effects)

    def _effect(self, effect: Effect, guards: Sequence[fol.Formula]) -> Effect:
        if isinstance(effect, UniversalEffect):
            own = self._guards_of(effect.variables)
            parts = [self._effect(part, own) for part in effect.effects]
            return UniversalEffect(list(self._bare(effect.variables)), parts)
        return type(effect)(
            effect.atom, junction(fol.Connective.And, [*guards, self._formula(effect.condition)])
        )

    def _formula(self, formula: fol.Formula) -> fol.Formula:
        if isinstance(formula, fol.CompoundFormula):
            return fol.CompoundFormula(
                formula.connective, [self._formula(part) for part in formula.subformulas]
            )
        if not isinstance(formula, fol.QuantifiedFormula):
            return formula
        guards, body = self._guards_of(formula.variables), self._formula(formula.formula)
        if formula.quantifier is fol.Quantifier.Exists:
            guarded = junction(fol.Connective.And, [*guards, body])
        else:
            guarded = junction(fol.Connective.Or, [*map(negation, guards), body])
        return fol.QuantifiedFormula(formula.quantifier, list(self._bare(formula.variables)), guarded)

    def _guards_of(self, variables: Iterable[fol.Variable]) -> list[fol.Formula]:
        bare = ((v.sort.name, fol.Variable(v.symbol, self._root)) for v in variables)
        return [fol.Atom(self._guard(kind), [variable]) for kind, variable in bare if kind != OBJECT]

    def _guard(self, expression: str) -> fol.Predicate:
        """The predicate that stands for a type expression, under a name that the domain does not use."""
        if expression not in self._guards:
            name = f"of-type-{len(self._guards)}"
            while name in self._problem.domain.predicates:
                name += "-"
            self._guards[expression] = self._language.predicate(name, self._root)
        return self._guards[expression]

    def _bare(self, variables: Iterable[fol.Variable]) -> tuple[fol.Variable, ...]:
        return tuple(fol.Variable(variable.symbol, self._root) for variable in variables)
