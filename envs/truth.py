"""The ground truth of a world, kept where nobody who is handed the world finds it.

What leaves this package carries a `TruthKey`, which is only a name. The rules behind it stay in this module's
cache and are read again from their files where the cache has forgotten them, or in another process; if the
files have changed meanwhile, that is said instead of mixing two versions.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from envs.folder import TaskTexts, WorldNotFound
from envs.pddl.interface import Execution, Refusal, States
from envs.pddl.language.domain import GroundAtom, Problem
from envs.pddl.language.operators import format_operator, parse_operator
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.simulator import Task
from envs.source import read_task, split_name
from envs.verbalisation.description import StateWriter, step_state


@dataclass(frozen=True)
class TruthKey:
    """The name of a ground truth: the world, its task, and a digest of their texts."""

    world: str
    problem: int | str
    digest: str


class GroundTruth:
    """The real rules of one task. It is grounded when something is first done in it, not before."""

    def __init__(self, opened: TaskTexts):
        self.problem: Problem = opened.pddl.problem  #: what is shown: names, goal, the predicates of states
        self._rules = opened.rules
        self._words = opened.words

    @cached_property
    def task(self) -> Task:
        """The compiled task."""
        return compile_task(self.problem if self._rules is None else self._rules.problem)

    @cached_property
    def _shown(self) -> NDArray[np.bool_]:
        """Which of the task's atoms are of a predicate that is shown."""
        return np.array([atom[0] in self.problem.domain.predicates for atom in self.task.atoms], dtype=bool)

    @cached_property
    def atoms(self) -> tuple[GroundAtom, ...]:
        """The fluent atoms that are shown, sorted."""
        return tuple(compress(self.task.atoms, self._shown))

    @cached_property
    def writer(self) -> StateWriter:
        """Says the fluent atoms of a state in words."""
        return StateWriter(self._words, self.atoms)

    def run(self, walk: Sequence[str]) -> tuple[Execution, States]:
        """Run `walk` from the initial state as far as it goes; also the state it led to (one row)."""
        states = self.task.initial(1)
        for steps, text in enumerate(walk):
            index = self.index_of(text)
            if isinstance(index, Refusal):
                return Execution(steps, index), states
            if not self.task.applicable(states)[0, index]:
                return Execution(steps, Refusal.NOT_EXECUTABLE), states
            states = self.task.successors(states, np.array([index], dtype=np.int64))
        return Execution(len(walk)), states

    def values(self, state: States) -> NDArray[np.uint8]:
        """0 or 1 for each of `atoms` in one state (one row)."""
        atoms = len(self.task.atoms)
        return np.unpackbits(state.reshape(-1).view(np.uint8), count=atoms, bitorder="little")[self._shown]

    def facts(self, state: States) -> frozenset[GroundAtom]:
        """All atoms that hold in one state (one row) and are shown, static ones included."""
        shown = self.problem.domain.predicates
        return frozenset(atom for atom in self.task.atoms_of(state) if atom[0] in shown)

    def describe(self, state: States) -> str:
        """One state (one row) in words."""
        return self.writer.write(self.values(state).tolist())

    def describe_step(self, state: States, operator: str) -> str:
        """One state (one row) in words, as it bears on an operator. Raises ValueError if that is none."""
        atoms, (_, objects) = self.facts(state[0]), parse_operator(operator)
        static = atoms & self.task.static
        return step_state(self._words, self.problem, self.describe(state), atoms, static, objects)

    def index_of(self, text: str) -> int | Refusal:
        """The operator's index, or why there is none.

        UNKNOWN_NAME: no operator at all, or no such action or object; WRONG_ARITY: too many or too few
        arguments. An operator that is well named but can never run (an object of the wrong type, or
        conditions that no reachable state meets) is NOT_EXECUTABLE, as one that cannot run just now.
        """
        index = self.task.operator_index.get(text)
        if index is not None:
            return index
        try:
            name, arguments = parse_operator(text)
        except ValueError:
            return Refusal.UNKNOWN_NAME
        action = self.problem.domain.actions.get(name)
        if action is None:
            return Refusal.UNKNOWN_NAME
        if len(arguments) != len(action.parameters):
            return Refusal.WRONG_ARITY
        if any(argument not in self.problem.objects for argument in arguments):
            return Refusal.UNKNOWN_NAME
        return self.task.operator_index.get(format_operator(name, arguments), Refusal.NOT_EXECUTABLE)


class Truths:
    """The ground truths in use, by name; of more than `most`, the one not used for longest is forgotten."""

    def __init__(self, most: int):
        self._most = most
        self._held: OrderedDict[TruthKey, GroundTruth] = OrderedDict()
        self._lock = Lock()

    def __call__(self, key: TruthKey) -> GroundTruth:
        """The ground truth of that name. Raises WorldNotFound if its files are gone or have changed."""
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
                return self._held[key]
        opened = read_task(split_name(key.world), key.problem)
        if key_of(opened) != key:
            raise WorldNotFound(
                f"the files of world {key.world!r}, task {key.problem!r}, have changed since it was opened: "
                "open it again"
            )
        return self._kept(key, opened)

    def enter(self, opened: TaskTexts) -> TruthKey:
        """Hold the ground truth of a task that was just opened; its name. Raises PDDLError."""
        key = key_of(opened)
        with self._lock:
            known = key in self._held
        if not known:
            self._kept(key, opened)
        return key

    def cache_clear(self) -> None:
        """Forget all of them."""
        with self._lock:
            self._held.clear()

    def _kept(self, key: TruthKey, opened: TaskTexts) -> GroundTruth:
        truth = GroundTruth(opened)
        with self._lock:
            held = self._held.setdefault(key, truth)
            self._held.move_to_end(key)
            if len(self._held) > self._most:
                self._held.popitem(last=False)
        return held


def key_of(opened: TaskTexts) -> TruthKey:
    """The name of the ground truth of a task that was opened."""
    return TruthKey(*opened.opened, opened.digest())


#: The ground truths of this process.
truth_of = Truths(64)
