"""What is to be shown of a model: its probes, and the model's states in which they can be shown.

A probe is of an action, which is to run where the model says that it does, or of one conjunct of an action's
precondition: where it alone is false, the action is to be refused. A model is compiled together with an
operator for each probe, which changes nothing and may run just where the probe can be shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from tarski.syntax.formulas import Connective, Formula, Tautology

from envs.pddl.interface import OperatorIndices
from envs.pddl.language.domain import Action, Problem
from envs.pddl.language.formulas import conjuncts, junction, negation
from envs.pddl.language.operators import format_operator, parse_operator
from envs.pddl.language.render import render_formula
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.grounding import GroundingExploded, Limits, limits_of
from envs.pddl.simulation.simulator import PackedStates, Task

#: Of a probe of an action: no conjunct.
RUNS = -1


@dataclass(frozen=True, order=True)
class Probe:
    """An action that is to run, or that is to be refused for one conjunct of its precondition."""

    action: str
    conjunct: int = RUNS  #: its place among the conjuncts; RUNS: the action is to run
    text: str = ""  #: the conjunct in PDDL; empty if the action is to run

    @property
    def runs(self) -> bool:
        """Whether the model lets the action run there."""
        return self.conjunct == RUNS

    def __str__(self) -> str:
        return self.action if self.runs else f"{self.action} without {self.text}"


def probes_of(problem: Problem) -> tuple[Probe, ...]:
    """All probes of a model, by action; its own first, then its conjuncts in the order of the text."""
    return tuple(probe for name in sorted(problem.domain.actions) for probe in _of(problem, name))


def _of(problem: Problem, name: str) -> Iterator[Probe]:
    yield Probe(name)
    for number, part in enumerate(_parts(problem.domain.actions[name])):
        yield Probe(name, number, render_formula(part))


def shown_where(problem: Problem, probe: Probe) -> Formula:
    """The condition over an action's parameters under which a probe can be shown."""
    action = problem.domain.actions[probe.action]
    parts = _parts(action)
    if not probe.runs:
        parts[probe.conjunct] = negation(parts[probe.conjunct])
    return junction(Connective.And, parts) if parts else action.precondition


def _parts(action: Action) -> list[Formula]:
    return [part for part in conjuncts(action.precondition) if not isinstance(part, Tautology)]


class ProbedTask:
    """A model's task and, in each of its states, the probes that can be shown there."""

    def __init__(self, problem: Problem, limits: Limits | None = None):
        """Without its conjuncts' probes if these are too many. Raises GroundingExploded if the model is."""
        limits = limits or limits_of(problem)
        self.probes = probes_of(problem)
        named = _names(problem, self.probes)
        self.is_whole = True  #: whether the conjuncts' probes are looked for
        try:
            self._task = _compiled(problem, named, limits)
        except GroundingExploded:
            self._task, self.is_whole = _compiled(problem, {}, limits), False
        number = {name: i for i, name in named.items()}
        own = {probe.action: i for i, probe in enumerate(self.probes) if probe.runs}
        heads = [text[1:-1].split(" ", 1)[0] for text in self._task.operators]
        #: of each operator, the number of the probe that it shows
        self._shows = np.array([number.get(head, own.get(head, -1)) for head in heads], dtype=np.int64)
        self._real = np.array([head in own for head in heads], dtype=np.bool_)
        starts = np.flatnonzero(np.diff(self._shows, prepend=-2))  # operators of one name stand together
        self._starts, self._owner = starts, self._shows[starts]

    @property
    def operators(self) -> int:
        """How many operators there are, those of the probes included."""
        return len(self._task.operators)

    @property
    def impossible(self) -> frozenset[Probe]:
        """Probes that no state of the model can show, by relaxed reachability."""
        met = set(self._owner.tolist())
        return frozenset(p for i, p in enumerate(self.probes) if i not in met and (p.runs or self.is_whole))

    @property
    def schemas(self) -> frozenset[str]:
        """The model's actions."""
        return frozenset(probe.action for probe in self.probes)

    def aligned(self, operators: Sequence[str]) -> OperatorIndices:
        """The number of each of these operators in the model; -1 where it has none."""
        index = {self._task.operators[o]: o for o in np.flatnonzero(self._real).tolist()}
        return np.array([index.get(text, -1) for text in operators], dtype=np.int64)

    def initial(self) -> PackedStates:
        """The initial state, a batch of one."""
        return self._task.initial(1)

    def open_to(self, states: PackedStates) -> NDArray[np.bool_]:
        """What may run or be shown; shape (states, operators)."""
        return self._task.applicable(states)

    def hits(self, open_to: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which probes can be shown; shape (states, probes)."""
        found = np.zeros((len(open_to), len(self.probes)), dtype=np.bool_)
        if len(self._starts):
            found[:, self._owner] = np.logical_or.reduceat(open_to, self._starts, axis=1)
        return found

    def successors(self, states: PackedStates, operators: OperatorIndices) -> PackedStates:
        """The states after one operator a row."""
        return self._task.successors(states, operators)

    def steps(self, open_to: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows and operators of the model that may run."""
        rows, operators = np.nonzero(open_to & self._real)
        return rows, operators

    def listed(self, open_to: NDArray[np.bool_]) -> tuple[str, ...]:
        """What may run of the model itself, of one state's row; sorted."""
        return tuple(self._task.operators[o] for o in np.flatnonzero(open_to & self._real).tolist())

    def way(self, walk: Sequence[str]) -> tuple[tuple[Probe, str], ...]:
        """What can be shown after a walk of the model, each with an operator to be tried."""
        state = self.initial()
        for operator in self.aligned(walk).tolist():
            state = self.successors(state, np.array([operator]))
        row = self.open_to(state)[0]
        return self.shows(row, np.flatnonzero(self.hits(row[None])[0]).tolist())

    def shows(self, open_to: NDArray[np.bool_], probes: Sequence[int]) -> tuple[tuple[Probe, str], ...]:
        """Some of the probes that one state shows, each with the first operator that shows it."""
        firsts = (int(np.flatnonzero(open_to & (self._shows == probe))[0]) for probe in probes)
        return tuple((self.probes[p], self.text(o)) for p, o in zip(probes, firsts, strict=True))

    def goal_reached(self, states: PackedStates) -> NDArray[np.bool_]:
        """Whether the goal holds, a state each."""
        return self._task.goal_reached(states)

    def bits(self, states: PackedStates) -> NDArray[np.uint8]:
        """The states as 0 and 1, a column a fluent atom."""
        packed = np.ascontiguousarray(states).view(np.uint8)
        return np.unpackbits(packed, axis=1, count=len(self._task.atoms), bitorder="little")

    def text(self, operator: int) -> str:
        """An operator in the model's own words."""
        _, arguments = parse_operator(self._task.operators[operator])
        return format_operator(self.probes[self._shows[operator]].action, arguments)


def _names(problem: Problem, probes: tuple[Probe, ...]) -> dict[int, str]:
    """A name for the operator of each conjunct's probe that no action has, by the probe's number."""
    taken, found = set(problem.domain.actions), {}
    for number, probe in enumerate(probes):
        if not probe.runs:
            name = f"{probe.action}-without-{probe.conjunct}"
            while name in taken:
                name += "-"
            taken.add(name)
            found[number] = name
    return found


def _compiled(problem: Problem, named: dict[int, str], limits: Limits) -> Task:
    actions, probes = dict(problem.domain.actions), probes_of(problem)
    for number, name in named.items():
        probe = probes[number]
        parameters = problem.domain.actions[probe.action].parameters
        actions[name] = Action(name, parameters, shown_where(problem, probe), ())
    return compile_task(replace(problem, domain=replace(problem.domain, actions=actions)), limits)
