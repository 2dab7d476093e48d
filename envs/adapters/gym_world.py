"""Any Gymnasium environment as a World: names, and one function that carries an operator out.

    world = GymWorld(
        lambda: gymnasium.make("FrozenLake-v1", is_slippery=False), carry_out, name="lake",
        objects={"c0": "cell", "c1": "cell"}, actions=("(move ?from ?to - cell)",))

`carry_out(env, name, arguments)` acts by `env.step` alone and returns whether the environment did what the
arguments say. Where it did not, the world puts the environment back, so an operator that is refused changes
nothing. The environment must be deterministic (`python -m experiments.worlds check NAME` looks).

Optional protocols of `envs.pddl.interface` are there where their parts are: `Steps` always; `Snapshots` and
`ListsHere` where the environment can be copied, which is tried once; `ShowsStates` with `facts`, `predicates`
and `goal`; `Fingerprints` with `fingerprint`, or with facts that are whole; `NamesConstants` and
`NamesDomain` with `constants` and `domain_name`. A part that is missing is an attribute that is not there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from envs.adapters.simulator import FAULTS, Env, Keep, Simulator
from envs.pddl.enumeration import members_by_type
from envs.pddl.interface import ActionSignature, Execution, Parameter, PlanVerdict, Refusal
from envs.pddl.language.domain import GroundAtom, read_domain, read_problem
from envs.pddl.language.operators import format_operator, parse_operator
from envs.pddl.language.vocabulary import OBJECT, Parameters, read_signature, show_declaration, show_typed
from envs.pddl.simulation.reference import ReferenceSimulator
from envs.plugins import BrokenPlugin, open_plugin

CarryOut = Callable[[Any, str, tuple[str, ...]], bool]

#: Of the states on the way to the current one, so many are kept, beside the initial one.
_KEPT = 64
#: What may run is remembered for so many states.
_LISTED = 100_000


class NotDeterministic(RuntimeError):
    """An environment refused what it had executed after the same steps before; the message has the walk."""

    blame = "world"


@dataclass(frozen=True, eq=False)
class _Place:
    """Where a simulator is: the operators that led there, and its state if that can be kept."""

    walk: tuple[str, ...]
    state: Any = None


class GymWorld:
    """A Gymnasium environment as a World. See the module's text.

    Actions and predicates are declared as in PDDL, `(move ?from ?to - cell)`, in one text or in several.
    `objects` gives each object's type, `types` each type's parent (default: all below `object`). `facts`
    are all atoms that hold; `whole` says that they tell all states apart. The goal is `reached`, or `goal`, a
    PDDL condition on the facts; without either, no plan reaches it. `candidates` names the operators that may
    run in a state, and perhaps others, so that not all need to be tried. `describe_state` says a state in
    words (default: its facts). `keep` is a pair of functions that is faster than a deep copy.
    """

    def __init__(
        self,
        make: Callable[[], Env],
        carry_out: CarryOut,
        *,
        name: str,
        objects: Mapping[str, str],
        actions: str | Sequence[str | ActionSignature],
        types: Mapping[str, str | None] | None = None,
        seed: int = 0,
        description: str = "",
        task: str = "",
        predicates: str | Sequence[str] = (),
        facts: Callable[[Any], Iterable[GroundAtom]] | None = None,
        whole: bool = False,
        goal: str = "",
        reached: Callable[[Any], bool] | None = None,
        fingerprint: Callable[[Any], Hashable] | None = None,
        candidates: Callable[[Any], Iterable[str]] | None = None,
        describe_state: Callable[[Any], str] | None = None,
        keep: Keep | None = None,
        copies: bool = True,
        constants: Sequence[str] = (),
        domain_name: str = "",
        opened: tuple[str, int | str] | None = None,
    ):
        """Makes the environment and resets it. Raises ValueError for parts that do not go together."""
        self.name, self.description, self.task = name, description, task
        if not callable(make):
            raise ValueError(f"world {name!r}: give it a function that makes the environment, not {make!r}")
        if not isinstance(objects, Mapping):
            raise ValueError(f"world {name!r}: objects are a mapping from names to types, not {objects!r}")
        self.objects = dict(objects)
        self.types = dict.fromkeys(objects.values()) if types is None else dict(types)
        self.types.pop(OBJECT, None)
        self.actions = tuple(
            ActionSignature(n, tuple(Parameter(*p) for p in ps)) for n, ps in _signatures(actions)
        )
        self._opened, self._carry_out, self._candidates = opened, carry_out, candidates
        self._facts, self._reached, self._words = facts, reached, describe_state
        self._key: Callable[[Any], Hashable] | None = fingerprint
        self._listed: dict[Hashable, tuple[str, ...]] = {}
        self._members = members_by_type(self)
        for action in self.actions:
            strange = {str(p.type) for p in action.parameters} - {*self.types, OBJECT}
            if strange:
                raise ValueError(f"world {name!r}: no object of action {action} is of type {min(strange)!r}")
        self._simulator = Simulator(make(), seed, keep, copies=copies)
        self._walk: list[str] = []  # what led to where the simulator is
        self._states: dict[int, Any] = {}  # after so many of its operators
        self._left: _Place | None = None  # the current state, if the simulator was taken elsewhere
        self._begin()
        if facts is not None:
            self._show(predicates, goal, facts, whole)
        elif predicates or (goal and reached is None):
            raise ValueError(f"world {name!r}: predicates and a goal are said in facts: give it facts")
        self._offer(constants, domain_name)

    def _show(
        self,
        predicates: str | Sequence[str],
        goal: str,
        facts: Callable[[Any], Iterable[GroundAtom]],
        whole: bool,
    ) -> None:
        """Become one that shows its states."""
        self.predicates: Mapping[str, Parameters] = dict(_signatures(predicates))
        atoms: Any = facts(self._simulator)
        strange = [atoms] if atoms is None else [atom for atom in atoms if isinstance(atom, str) or not atom]
        if strange:
            form = "facts are tuples such as ('at', 'box', 'shelf')"
            raise ValueError(f"world {self.name!r}: {form}, not {strange[0]!r}")
        undeclared = {atom[0] for atom in atoms} - self.predicates.keys()
        if undeclared or not self.predicates:
            named = ", ".join(sorted(undeclared)) or "none"
            raise ValueError(f"world {self.name!r}: declare the predicates of its facts, lacking: {named}")
        self.goal, self.facts = goal or "(and)", self._facts_after
        if goal and self._reached is None:
            judge = _goal_judge(self.types, self.objects, self.predicates, goal)
            self._reached = lambda env: judge.holds_goal(frozenset(facts(env)))
        if whole and self._key is None:
            self._key = lambda env: frozenset(facts(env))

    def _offer(self, constants: Sequence[str], domain_name: str) -> None:
        """Become what the other parts allow."""
        if self._simulator.keeps:
            self.snapshot, self.restore, self.applicable_here = self._here, self._back_to, self._list_here
        if self._key is not None:
            self.fingerprint = self._current_key
        if constants:
            self.constants: Mapping[str, str] = {each: self.objects[each] for each in constants}
        if domain_name:
            self.domain_name = domain_name
            self.functions: Mapping[str, Parameters] = {}
            self.costs: Mapping[str, str] = {}

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str, int | str]]:
        if self._opened is None:
            raise TypeError(f"world {self.name!r} cannot be sent to another process: open it there by name")
        return open_plugin, self._opened

    # --- The World surface: walks from the initial state, which leave the current state as it is. ---

    def executable(self, walk: Sequence[str]) -> Execution:
        """How many operators of `walk` run before one is refused."""
        steps = self._go(walk)
        return Execution(steps, None if steps == len(walk) else self._refusal(walk[steps]))

    def applicable(self, walk: Sequence[str] = ()) -> tuple[str, ...]:
        """The operators that may run after `walk`, sorted. Raises ValueError if `walk` itself is refused."""
        self._after(walk)
        return self._list()

    def verify(self, plan: Sequence[str]) -> PlanVerdict:
        """Whether every step of `plan` runs and the goal holds afterwards."""
        execution = self.executable(plan)
        return PlanVerdict(execution, self._reached is not None and bool(self._reached(self._simulator)))

    def describe(self, walk: Sequence[str] = ()) -> str:
        """The state after `walk` in words. Raises ValueError if `walk` is refused."""
        self._after(walk)
        if self._words is not None:
            return self._words(self._simulator)
        atoms = sorted(self._facts(self._simulator)) if self._facts is not None else ()
        return "\n".join(f"({' '.join(atom)})" for atom in atoms)

    def _facts_after(self, walk: Sequence[str] = ()) -> frozenset[GroundAtom]:
        """All atoms that hold after `walk`. Raises ValueError if it is refused."""
        self._after(walk)
        assert self._facts is not None, "else the world has no `facts`"
        return frozenset(self._facts(self._simulator))

    # --- The current state. ---

    @property
    def simulator_steps(self) -> int:
        """How many steps the environment has made, tries and repetitions included."""
        return self._simulator.steps

    @property
    def simulator_resets(self) -> int:
        """How often the environment was reset."""
        return self._simulator.resets

    def reset(self) -> None:
        """Make the task's initial state the current one."""
        self._left = None
        self._run(())

    def step(self, operator: str) -> bool:
        """Run `operator` in the current state; whether it was executed. A refused one changes nothing."""
        self._return()
        return self._tried(operator)

    def _here(self) -> _Place:
        self._return()
        return self._place()

    def _back_to(self, snapshot: _Place) -> None:
        self._left = None
        self._set(snapshot)

    def _list_here(self) -> tuple[str, ...]:
        self._return()
        return self._list()

    def _current_key(self) -> Hashable:
        assert self._key is not None, "else the world has no `fingerprint`"
        self._return()
        return self._key(self._simulator)

    # --- Moving the simulator. ---

    def _go(self, walk: Sequence[str]) -> int:
        """Take the simulator along `walk`, keeping in mind what the current state was; how far it ran."""
        if self._left is None:
            self._left = self._place()
        return self._run(walk)

    def _after(self, walk: Sequence[str]) -> None:
        steps = self._go(walk)
        if steps < len(walk):
            raise ValueError(f"step {steps + 1} of the walk, {walk[steps]}, is refused")

    def _return(self) -> None:
        """Take the simulator to the current state."""
        if self._left is not None:
            left, self._left = self._left, None
            self._set(left)

    def _place(self) -> _Place:
        return _Place(tuple(self._walk), self._simulator.save() if self._simulator.keeps else None)

    def _set(self, place: _Place) -> None:
        if not self._simulator.keeps:
            self._repeat(place.walk)
        else:
            self._simulator.load(place.state)
            self._walk, self._states = list(place.walk), {0: self._states[0], len(place.walk): place.state}

    def _begin(self) -> None:
        self._simulator.start()
        self._walk, self._states = [], {}
        self._remember()

    def _remember(self) -> None:
        if self._simulator.keeps:
            self._states[len(self._walk)] = self._simulator.save()
            forgotten = len(self._walk) - _KEPT
            if forgotten > 0:
                self._states.pop(forgotten, None)

    def _run(self, walk: Sequence[str]) -> int:
        """Take the simulator along `walk`, from where it has been already; how far it ran."""
        shared = _shared(self._walk, walk)
        if shared < len(self._walk):
            self._go_back(max((depth for depth in self._states if depth <= shared), default=0))
        for operator in walk[len(self._walk) :]:
            if not self._tried(operator):
                break
        return len(self._walk)

    def _go_back(self, depth: int) -> None:
        """To the state after so many operators, which is kept, or the initial one."""
        if not self._states:
            self._begin()
            return
        self._simulator.load(self._states[depth])
        del self._walk[depth:]
        self._states = {kept: state for kept, state in self._states.items() if kept <= depth}

    def _repeat(self, walk: Sequence[str]) -> None:
        """Run again what ran once. Raises NotDeterministic."""
        steps = self._run(walk)
        if steps < len(walk):
            again = " ".join(walk[: steps + 1])
            raise NotDeterministic(f"world {self.name!r} executed this once, and refuses it now: {again}")

    def _tried(self, operator: str) -> bool:
        if not self._may_run(operator, undo=False):
            return False
        self._walk.append(format_operator(*parse_operator(operator)))
        self._remember()
        return True

    def _may_run(self, operator: str, *, undo: bool = True) -> bool:
        """Whether the simulator carries `operator` out; it is put back if not, and if `undo` says so.

        Raises BrokenPlugin, with the walk, for whatever carrying it out raises.
        """
        if self._refusal(operator, typed=True) is not None:
            return False
        before = self._simulator.steps
        try:
            ran = bool(self._carry_out(self._simulator, *parse_operator(operator)))
        except FAULTS as error:
            raise BrokenPlugin(
                f"world {self.name!r}: {operator} after {' '.join(self._walk) or 'nothing'} raised "
                f"{type(error).__name__}: {error}; let the function that carries operators out return False "
                "where one cannot run, after the end of an episode, too"
            ) from error
        if self._simulator.steps > before and (undo or not ran):
            walk = tuple(self._walk)
            if self._states:
                self._simulator.load(self._states[len(walk)])
            else:
                self._begin()
                self._repeat(walk)
        return ran

    def _list(self) -> tuple[str, ...]:
        """What may run where the simulator is, sorted."""
        key = None if self._key is None else self._key(self._simulator)
        if key is not None and key in self._listed:
            return self._listed[key]
        tried = self._operators() if self._candidates is None else self._candidates(self._simulator)
        found = tuple(sorted(operator for operator in set(tried) if self._may_run(operator)))
        if key is not None and len(self._listed) < _LISTED:
            self._listed[key] = found
        return found

    def _operators(self) -> Iterator[str]:
        """Every operator that the action interface and the objects allow."""
        for action in self.actions:
            for arguments in product(*(self._members[p.type] for p in action.parameters)):
                yield format_operator(action.name, arguments)

    def _refusal(self, text: str, *, typed: bool = False) -> Refusal | None:
        """Why an operator cannot be meant; NOT_EXECUTABLE for one that could, unless `typed`: then None."""
        try:
            name, arguments = parse_operator(text)
        except ValueError:
            return Refusal.UNKNOWN_NAME
        action = next((each for each in self.actions if each.name == name), None)
        if action is None:
            return Refusal.UNKNOWN_NAME
        if len(arguments) != len(action.parameters):
            return Refusal.WRONG_ARITY
        if not self.objects.keys() >= set(arguments):
            return Refusal.UNKNOWN_NAME
        fits = all(a in self._members[p.type] for a, p in zip(arguments, action.parameters, strict=True))
        return None if typed and fits else Refusal.NOT_EXECUTABLE


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """How many operators two walks begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))


def _signatures(declarations: str | Sequence[str | ActionSignature]) -> Iterator[tuple[str, Parameters]]:
    """Names and parameters; one text holds declarations one after another, as in PDDL. Raises ValueError."""
    if not isinstance(declarations, str):
        return map(read_signature, map(str, declarations))
    if left := re.sub(r"\([^()]*\)", "", declarations).strip():
        raise ValueError(f"not a list of signatures: {left!r} is left in {declarations!r}")
    return map(read_signature, re.findall(r"\([^()]*\)", declarations))


def _goal_judge(
    types: Mapping[str, str | None],
    objects: Mapping[str, str],
    predicates: Mapping[str, Parameters],
    goal: str,
) -> ReferenceSimulator:
    """What says whether the goal holds. Raises PDDLError if it is no PDDL condition over the predicates."""
    sorts = show_typed((kind, parent or OBJECT) for kind, parent in types.items())
    declared = " ".join(show_declaration(name, parameters) for name, parameters in predicates.items())
    domain = f"(define (domain goal) (:requirements :adl) (:types {sorts}) (:predicates {declared}))"
    things = show_typed(objects.items())
    task = f"(define (problem goal) (:domain goal) (:objects {things}) (:init) (:goal {goal}))"
    return ReferenceSimulator(read_problem(task, read_domain(domain)))
