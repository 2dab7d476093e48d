"""Worlds: real environments that can be acted in but not read.

A `PddlWorld` answers what `envs.pddl.interface.World` asks and holds nothing of the rules behind its answers:
its attributes are names and texts for everybody to read, and the rules are looked up by name in
`envs.truth` at each call. It pickles as that name and opens itself again in the other process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from envs.folder import TaskTexts
from envs.pddl.interface import (
    ActionSignature,
    Execution,
    OperatorIndices,
    Parameter,
    PlanVerdict,
    States,
    World,
)
from envs.pddl.language.domain import Action, GroundAtom
from envs.pddl.language.render import render_formula
from envs.pddl.language.vocabulary import Parameters
from envs.plugins import is_plugin, open_plugin
from envs.source import read_task, split_name
from envs.truth import TruthKey, truth_of


def open_world(world: str, problem: int | str = 1) -> World:
    """The world of that name or path, set to one of its tasks.

    `world` is a built-in name (`grippers`), a path to a folder with `domain.pddl` and the tasks' `pNN.pddl`
    (texts beside them: `domain.nl`, `pNN.nl`), or `pddlgym:<domain>`, all of them with the suffixes of
    `envs.variants`; or the name of another package's world (`envs.plugins`). `problem` is a task's number or
    its stem (`"example"`). Raises WorldNotFound if there is none, PDDLError if its PDDL cannot be used,
    BrokenPlugin if a package's world cannot be opened.
    """
    name = split_name(world).resolved()
    if name.has_files or not is_plugin(str(name)):
        return PddlWorld(read_task(name, problem))
    return open_plugin(str(name), problem)


class PddlWorld:
    """A world whose rules are a PDDL domain and problem that nobody gets to see. See `open_world`."""

    __slots__ = ("_constants", "_objects", "_types", "actions", "description", "key", "name", "task")

    def __init__(self, opened: TaskTexts):
        #: The name of this world, task and version of their texts.
        self.key: Final = truth_of.enter(opened)
        self.name: Final = opened.name
        #: The domain and the task in natural language; each empty if it is not described.
        self.description: Final = opened.description
        self.task: Final = opened.task
        hidden = truth_of(self.key).problem
        #: The action interface.
        self.actions: Final = tuple(_signature(action) for action in hidden.domain.actions.values())
        self._types = dict(hidden.domain.types)
        self._objects = dict(hidden.objects)
        self._constants = dict(hidden.domain.constants)

    @property
    def types(self) -> Mapping[str, str | None]:
        """Type name to its parent's name (None below the root `object`, which is not listed)."""
        return dict(self._types)

    @property
    def objects(self) -> Mapping[str, str]:
        """Object name to the name of its type, constants included."""
        return dict(self._objects)

    @property
    def constants(self) -> Mapping[str, str]:
        """Of the objects, those that every task has: name to the name of its type."""
        return dict(self._constants)

    def executable(self, walk: Sequence[str]) -> Execution:
        """How many operators of `walk` run before one is refused. See `GroundTruth.index_of`."""
        return truth_of(self.key).run(walk)[0]

    def applicable(self, walk: Sequence[str] = ()) -> tuple[str, ...]:
        """The operators that may run after `walk`, sorted. Raises ValueError if `walk` itself is refused."""
        task = truth_of(self.key).task
        mask = task.applicable(self._after(walk))[0]
        return tuple(task.operators[i] for i in np.flatnonzero(mask))

    def verify(self, plan: Sequence[str]) -> PlanVerdict:
        """Whether every step of `plan` runs and the goal holds afterwards (after the steps that ran)."""
        execution, states = truth_of(self.key).run(plan)
        return PlanVerdict(execution, bool(truth_of(self.key).task.goal_reached(states)[0]))

    def describe(self, walk: Sequence[str] = ()) -> str:
        """The state after `walk`, one sentence a line; what never changes is left out.

        Raises ValueError if `walk` is refused.
        """
        return truth_of(self.key).describe(self._after(walk))

    def describe_step(self, walk: Sequence[str]) -> str:
        """The state before the last operator of `walk`, with all that is false or fixed about its objects.

        Raises ValueError if the operators before it are refused, or the last one is no operator.
        """
        *before, operator = walk
        return truth_of(self.key).describe_step(self._after(before), operator)

    @property
    def predicates(self) -> Mapping[str, Parameters]:
        """What states are said in: each predicate's variables and their types."""
        return dict(truth_of(self.key).problem.domain.vocabulary.predicates)

    @property
    def domain_name(self) -> str:
        """The name of the domain, as the tasks' PDDL gives it; see `name` for the world's own."""
        return truth_of(self.key).problem.domain.name

    @property
    def functions(self) -> Mapping[str, Parameters]:
        """The functions that tasks may give numbers for: their variables and types."""
        return dict(truth_of(self.key).problem.domain.vocabulary.functions)

    @property
    def costs(self) -> Mapping[str, str]:
        """What actions add to the total cost, in PDDL over their parameters; some add nothing."""
        return dict(truth_of(self.key).problem.domain.vocabulary.costs)

    @property
    def goal(self) -> str:
        """The goal as a PDDL condition."""
        return render_formula(truth_of(self.key).problem.goal)

    def facts(self, walk: Sequence[str] = ()) -> frozenset[GroundAtom]:
        """All atoms that hold after `walk`, static ones included. Raises ValueError if it is refused."""
        return truth_of(self.key).facts(self._after(walk))

    def transitions(self) -> TransitionsByName:
        """The task as a transition system with opaque states."""
        return TransitionsByName(self.key)

    def _after(self, walk: Sequence[str]) -> States:
        execution, states = truth_of(self.key).run(walk)
        if execution.refusal is not None:
            refused = walk[execution.steps]
            raise ValueError(
                f"step {execution.steps + 1} of the walk, {refused}, is refused: {execution.refusal}"
            )
        return states

    def __repr__(self) -> str:
        return f"open_world({self.key.world!r}, problem={self.key.problem!r})"

    def __reduce__(self) -> tuple[Callable[..., World], tuple[str, int | str]]:
        return open_world, (self.key.world, self.key.problem)


class TransitionsByName:
    """The transition system of a world, holding only the world's name. Its states are opaque rows."""

    __slots__ = ("_key",)

    def __init__(self, key: TruthKey):
        self._key = key

    @property
    def operators(self) -> tuple[str, ...]:
        """Every operator that some reachable state may allow, sorted; its place here is its index."""
        return truth_of(self._key).task.operators

    def initial(self, batch: int) -> States:
        """`batch` fresh copies of the initial state."""
        return truth_of(self._key).task.initial(batch)

    def applicable(self, states: States) -> NDArray[np.bool_]:
        """Which operators may run: shape (len(states), len(operators))."""
        return truth_of(self._key).task.applicable(states)

    def successors(self, states: States, operators: OperatorIndices) -> States:
        """New states after one operator a row (-1: unchanged). Operators must be applicable; not checked."""
        return truth_of(self._key).task.successors(states, operators)


def _signature(action: Action) -> ActionSignature:
    """The name and typed parameters of an action, without its conditions."""
    return ActionSignature(action.name, tuple(Parameter(p.symbol, p.sort.name) for p in action.parameters))
