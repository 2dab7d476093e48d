"""What is to be shown of a model: its probes, and the model's states in which they can be shown.

A probe is of an action, which is to run where the model says that it does, or of one conjunct of an action's
precondition: where it alone is false, the action is to be refused. A model is compiled together with an
operator for each probe, which changes nothing and may run just where the probe can be shown.

What the model's preconditions do not name may matter, too. So each of these is to be shown in several
contexts: where a literal over the action's parameters, of which its precondition says nothing, holds, and
where it does not; and an action is to run in all pairs of these. Contexts are not owed: there are too many
for all to be shown.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from tarski.syntax.formulas import Connective, Formula, QuantifiedFormula, Quantifier, Tautology

from envs.pddl.interface import OperatorIndices
from envs.pddl.language.domain import Action, Problem
from envs.pddl.language.formulas import conjuncts, junction, negation
from envs.pddl.language.operators import format_operator, parse_operator
from envs.pddl.language.render import render_formula
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.contexts import Contexts, contexts_of
from envs.pddl.simulation.grounding import GroundingExploded, Limits, groundings_bound, limits_of
from envs.pddl.simulation.lifted import lift
from envs.pddl.simulation.relaxed_costs import Relaxation
from envs.pddl.simulation.simulator import Atoms, PackedStates, Task

#: In the place of a conjunct: the action is to run; and to run where some literal holds.
RUNS, CONTEXT = -1, -2


@dataclass(frozen=True, order=True)
class Probe:
    """An action that is to run, or that is to be refused for one conjunct of its precondition."""

    action: str
    conjunct: int = RUNS  #: its place among the conjuncts, or RUNS or CONTEXT
    text: str = ""  #: the conjunct, or what else the context is; empty if the action is to run
    runs: bool = True  #: whether the model lets the action run there

    @property
    def is_owed(self) -> bool:
        """Whether a model that this was not shown of is not all seen."""
        return self.conjunct != CONTEXT

    def __str__(self) -> str:
        return self.action if self.runs else f"{self.action} without {self.text}"


def probes_of(problem: Problem) -> tuple[Probe, ...]:
    """All probes of a model, by action; its own first, then its conjuncts in the order of the text."""
    return tuple(probe for name in sorted(problem.domain.actions) for probe in _of(problem, name))


def _of(problem: Problem, name: str) -> Iterator[Probe]:
    yield Probe(name)
    for number, part in enumerate(_parts(problem.domain.actions[name])):
        yield Probe(name, number, render_formula(part), False)


def to_be_shown(problem: Problem, probe: Probe) -> Problem:
    """The problem whose goal is a state in which a probe can be shown."""
    parameters = list(problem.domain.actions[probe.action].parameters)
    where = _shown_where(problem, probe)
    return replace(
        problem, goal=QuantifiedFormula(Quantifier.Exists, parameters, where) if parameters else where
    )


def _shown_where(problem: Problem, probe: Probe) -> Formula:
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

    def __init__(self, problem: Problem, limits: Limits | None = None, *, contexts: bool = True):
        """Raises GroundingExploded if the model is too large. `contexts`: whether there are any.

        Conjuncts whose probe alone may have more operators than allowed are not looked for. Where all the
        others are too many, those of static conjuncts are not, and then no conjunct's.
        """
        limits = limits or limits_of(problem)
        owed = probes_of(problem)
        named = _not_too_large(problem, _names(problem, owed), limits)
        changed = {e.predicate for schema in lift(problem).schemas for e in schema.effects}
        changing = {i: name for i, name in named.items() if changed & set(owed[i].text.strip("()").split())}
        for wished in (named, changing, {}):
            try:
                self._task = _compiled(problem, wished, limits)
                break
            except GroundingExploded:
                if not wished:
                    raise
        named = wished
        self._sought = {i for i, probe in enumerate(owed) if probe.runs or i in named}
        number = {name: i for i, name in named.items()}
        own = {probe.action: i for i, probe in enumerate(owed) if probe.runs}
        heads = [text[1:-1].split(" ", 1)[0] for text in self._task.operators]
        #: of each operator, the number of the probe that it shows
        self._shows = np.array([number.get(head, own.get(head, -1)) for head in heads], dtype=np.int64)
        self._real = np.array([head in own for head in heads], dtype=np.bool_)
        starts = np.flatnonzero(np.diff(self._shows, prepend=-2))  # operators of one name stand together
        self._starts, self._owner = starts, self._shows[starts]
        self._problem, self._owed, self._has_contexts = problem, owed, contexts

    @cached_property
    def _contexts(self) -> list[tuple[range, Probe, Contexts]]:
        """Contexts of a probe that is owed, with their numbers among all probes."""
        domain, owed = self._problem.domain, self._owed if self._has_contexts else ()
        operators = [
            (domain.actions[probe.action], np.flatnonzero(self._shows == number), probe.runs)
            for number, probe in enumerate(owed)
        ]
        found: list[tuple[range, Probe, Contexts]] = []
        first = len(self._owed)
        for base, made in zip(owed, contexts_of(domain, self._task, operators), strict=True):
            if made is not None:
                found.append((range(first, first + len(made.texts)), base, made))
                first += len(made.texts)
        return found

    @cached_property
    def probes(self) -> tuple[Probe, ...]:
        """All of them, those that are owed first. With many operators, contexts take long to make."""
        contexts = [
            Probe(base.action, CONTEXT, text if base.runs else f"{text}, not {base.text}", base.runs)
            for _, base, made in self._contexts
            for text in made.texts
        ]
        return (*self._owed, *contexts)

    @property
    def operators(self) -> int:
        """How many operators there are, those of the probes included."""
        return len(self._task.operators)

    @property
    def impossible(self) -> frozenset[Probe]:
        """Probes that no state of the model can show, by relaxed reachability."""
        met = set(self._owner.tolist())
        return frozenset(self._owed[i] for i in self._sought - met)

    @property
    def owed(self) -> tuple[Probe, ...]:
        """All that is no context, the first of `probes`."""
        return self._owed

    @property
    def sought(self) -> frozenset[Probe]:
        """Those that are looked for in the states of the model."""
        return frozenset(self._owed[i] for i in self._sought)

    @property
    def schemas(self) -> frozenset[str]:
        """The model's actions."""
        return frozenset(probe.action for probe in self._owed)

    def operators_of(self, probe: Probe) -> OperatorIndices:
        """The operators that show an owed probe where they may run."""
        return np.flatnonzero(self._shows == self._owed.index(probe))

    def relaxed_plan(self, state: PackedStates, targets: OperatorIndices) -> set[int] | None:
        """The operators of a relaxed plan from a state (a batch of one) to where one of `targets` may run;
        None if there is none."""
        needs = self._relaxation.needs[:, targets]
        table = self._relaxation.costs(state)[:, 0]
        nearest = int(np.argmin(table[needs].sum(axis=0)))
        return self._relaxation.plans(table, [needs[:, nearest].tolist()])[0]

    @cached_property
    def _relaxation(self) -> Relaxation:
        return Relaxation(self._task)

    def aligned(self, operators: Sequence[str]) -> OperatorIndices:
        """The number of each of these operators in the model; -1 where it has none."""
        return np.array([self._own.get(text, -1) for text in operators], dtype=np.int64)

    def beside(self, operators: Sequence[str]) -> dict[str, int]:
        """The model's own operators that are none of these, and their numbers."""
        listed = frozenset(operators)
        return {text: number for text, number in self._own.items() if text not in listed}

    @cached_property
    def _own(self) -> dict[str, int]:
        return {self._task.operators[o]: o for o in np.flatnonzero(self._real).tolist()}

    def initial(self) -> PackedStates:
        """The initial state, a batch of one."""
        return self._task.initial(1)

    def states_of(self, seen: Iterable[Atoms]) -> PackedStates:
        """The states in which these atoms hold, as far as the model has them; shape (len(seen), words)."""
        known = self._task.static.union(self._task.atoms)
        rows = [self._task.state_of(atoms & known) for atoms in seen]
        return np.array(rows, dtype=np.uint64).reshape(len(rows), self.initial().shape[1])

    def open_to(self, states: PackedStates) -> NDArray[np.bool_]:
        """What may run or be shown; shape (states, operators)."""
        return self._task.applicable(states)

    def owed_hits(self, open_to: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which probes that are owed can be shown where these operators may; shape (states, owed)."""
        found = np.zeros((len(open_to), len(self._owed)), dtype=np.bool_)
        if len(self._starts):
            found[:, self._owner] = np.logical_or.reduceat(open_to, self._starts, axis=1)
        return found

    def hits(self, states: PackedStates, open_to: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which probes can be shown; shape (states, probes)."""
        found = np.zeros((len(open_to), len(self.probes)), dtype=np.bool_)
        found[:, : len(self._owed)] = self.owed_hits(open_to)
        bits = self._padded(states)
        for own, _, contexts in self._contexts:
            found[:, own.start : own.stop] = contexts.shown(bits, open_to)
        return found

    def _padded(self, states: PackedStates) -> NDArray[np.bool_]:
        """The states as truth values, and a column for an atom that never holds."""
        bits = self.bits(states).astype(np.bool_)
        return np.concatenate([bits, np.zeros((len(bits), 1), dtype=np.bool_)], axis=1)

    def successors(self, states: PackedStates, operators: OperatorIndices) -> PackedStates:
        """The states after one operator a row."""
        return self._task.successors(states, operators)

    def steps(self, open_to: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows and operators of the model that may run."""
        rows, operators = np.nonzero(open_to & self._real)
        return rows, operators

    def unknown_to(self, operators: Collection[str]) -> NDArray[np.bool_]:
        """Which of the model's own operators are none of these; shape (operators,)."""
        strange = [
            real and text not in operators
            for real, text in zip(self._real.tolist(), self._task.operators, strict=True)
        ]
        return np.array(strange, dtype=np.bool_)

    def after(self, walk: Sequence[str]) -> PackedStates:
        """The state after a walk of the model, a batch of one."""
        state = self.initial()
        for operator in self.aligned(walk).tolist():
            state = self.successors(state, np.array([operator]))
        return state

    def shows(self, state: PackedStates, wanted: Collection[Probe]) -> tuple[tuple[Probe, str], ...]:
        """Those of some probes that a state shows (a batch of one), each with its first operator."""
        open_to, bits = self.open_to(state), self._padded(state)
        # contexts are numbered only where some are wanted
        probes = self._owed if all(probe.is_owed for probe in wanted) else self.probes
        number, found = {probe: i for i, probe in enumerate(probes)}, []
        for own in sorted(number[probe] for probe in wanted):
            showing = np.flatnonzero(open_to[0] & (self._shows == own))
            for numbers, _, contexts in self._contexts if own >= len(self._owed) else ():
                if own in numbers:
                    showing = contexts.showing(own - numbers.start, bits, open_to)
            if len(showing):
                found.append((probes[own], self.text(int(showing[0]))))
        return tuple(found)

    def goal_reached(self, states: PackedStates) -> NDArray[np.bool_]:
        """Whether the goal holds, a state each."""
        return self._task.goal_reached(states)

    def bits(self, states: PackedStates) -> NDArray[np.uint8]:
        """The states as 0 and 1, a column a fluent atom."""
        return self._task.bits(states)

    def text(self, operator: int) -> str:
        """An operator in the model's own words."""
        _, arguments = parse_operator(self._task.operators[operator])
        return format_operator(self._owed[self._shows[operator]].action, arguments)


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


def _not_too_large(problem: Problem, named: dict[int, str], limits: Limits) -> dict[int, str]:
    """The probes that have at most as many operators as allowed, by what static facts say."""
    task = lift(_with_probes(problem, named))
    bounds = {schema.name: groundings_bound(schema, task) for schema in task.schemas}
    return {number: name for number, name in named.items() if bounds[name] <= limits.operators}


def _compiled(problem: Problem, named: dict[int, str], limits: Limits) -> Task:
    return compile_task(_with_probes(problem, named), limits)


def _with_probes(problem: Problem, named: dict[int, str]) -> Problem:
    """The problem with an action for each of these probes."""
    actions, probes = dict(problem.domain.actions), probes_of(problem)
    for number, name in named.items():
        probe = probes[number]
        parameters = problem.domain.actions[probe.action].parameters
        actions[name] = Action(name, parameters, _shown_where(problem, probe), ())
    return replace(problem, domain=replace(problem.domain, actions=actions))
