"""Which of a domain's operators were recovered, up to renaming.

A learned operator is right if, under some renaming of its parameters into those of the true one,
  - its effects are the same, those aside that its own preconditions make idle, and
  - in every state of a test it can be run with exactly the same objects.
All typed bindings count in each state, not only those that somebody tried; so a condition that is missing
shows as soon as a state could tell, while one that others imply in every state does no harm, however it is
written. Parameters of the true operator that the learned one lacks may be bound to anything.

An action is recovered if it has one learned operator and that is right. An action that runs in no state of
the test is not judged, and does not count as recovered.

`agents.operators.reading` gives the true domain the form of learned operators, so that both can be compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from agents.operators.lifted import NamedLiteral, Operator, domain_of
from agents.operators.reading import operators_of
from envs.pddl.language.domain import Domain, GroundAtom, read_domain, read_problem
from envs.pddl.language.template import problem_template
from envs.pddl.simulation.lifted import And, LiftedTask, Literal, Schema, lift
from envs.pddl.traces.trace import Trace
from ew.lifted.relations import Holds, JoinTooLarge, Relations, choice, decoded, relations_of

#: Bindings of one operator in one state.
Bindings = frozenset[tuple[str, ...]]
#: Ways to name parameters that no effect names; more are not tried.
MAX_RENAMINGS = 5040
#: Bindings of one operator in one state; an operator with more in a test is wrong about it.
MAX_BINDINGS = 100_000


@dataclass(frozen=True)
class Recovery:
    """What became of one action of the true domain."""

    action: str
    learned: int  #: operators that were learned for it
    same_effects: bool = False
    same_conditions: bool = False
    judged: bool = True  #: whether it runs in some state of the test

    @property
    def recovered(self) -> bool:
        """Whether it is right, and known to be."""
        return self.judged and self.learned == 1 and self.same_effects and self.same_conditions


class Test:
    """True operators, and the states that learned ones are compared in."""

    def __init__(self, domain: Domain, states: Sequence[tuple[Trace, int]]):
        """States are given as traces and the numbers of states in them, those of one trace together."""
        self.domain = domain
        self._states = tuple(states)
        self.operators = {o.name: o for o in operators_of(domain)}
        self._truth = list(self._runs(domain, list(self.operators)))

    def judge(self, learned: Sequence[Operator], *, named: bool = False) -> tuple[Recovery, ...]:
        """What became of every action, sorted by name; parameters that are `named` are the true ones."""
        by_action: dict[str, list[Operator]] = {}
        for operator in learned:
            by_action.setdefault(operator.action, []).append(operator)
        known = {own[0].name: own[0] for own in by_action.values() if len(own) == 1}
        renamings = {n: tuple(_renamings(o, self.operators[o.action], named)) for n, o in known.items()}
        right = self._right({name: known[name] for name, found in renamings.items() if found}, renamings)
        return tuple(
            Recovery(
                action,
                len(by_action.get(action, ())),
                bool(renamings.get(action)),
                action in right,
                any(state[action] for state in self._truth),
            )
            for action in sorted(self.operators)
        )

    def _right(
        self, operators: Mapping[str, Operator], renamings: Mapping[str, tuple[Mapping[str, str], ...]]
    ) -> frozenset[str]:
        """The operators that run with the same objects as the true ones in every state."""
        text = domain_of(self.domain.vocabulary, list(operators.values()))
        left = {name: list(renamings[name]) for name in operators}
        for truth, found in zip(
            self._truth, self._runs(read_domain(text), list(operators), left), strict=True
        ):
            for name, tried in left.items():
                left[name] = [
                    names
                    for names in tried
                    if _agree(operators[name], found[name], self.operators[name], truth[name], names)
                ]
        return frozenset(name for name, names in left.items() if names)

    def _runs(
        self, domain: Domain, names: Sequence[str], left: Mapping[str, object] | None = None
    ) -> Iterator[dict[str, Bindings | None]]:
        """For each state, the bindings under which each operator runs; None if they are too many to list."""
        tasks: dict[int, LiftedTask] = {}
        for trace, number in self._states:
            if id(trace) not in tasks:
                own = {name: kind for name, kind in trace.objects.items() if name not in domain.constants}
                tasks[id(trace)] = lift(read_problem(problem_template("test", domain.name, own), domain))
            task = tasks[id(trace)]
            state = _relations(task, trace.state(number).true)
            wanted = [s for s in task.schemas if s.name in names and (left is None or left[s.name])]
            yield {s.name: _bindings(s, task, state) for s in wanted}


def _renamings(learned: Operator, true: Operator, named: bool) -> Iterator[dict[str, str]]:
    """Each renaming of the learned parameters into the true ones that makes the effects the same.

    If they are `named` there is one at most. Where names are free, equal ones need not mean the same: whoever
    completes a rule may call the first ingredient what the true one calls the second.
    """
    wanted = _changing(true)
    if len(_changing(learned)) != len(wanted) or len(learned.parameters) > len(true.parameters):
        return
    ours, theirs = [v for v, _ in learned.parameters], [v for v, _ in true.parameters]
    orders = ([theirs] if ours == theirs else []) if named else _orders(learned, true)
    for order in orders:
        names = dict(zip(ours, order, strict=False))
        if {effect.renamed(names) for effect in _changing(learned)} == wanted:
            yield names


def _orders(learned: Operator, true: Operator) -> Iterator[list[str]]:
    """Ways to name the learned parameters after true ones; each must stand in as many effects, alike."""
    ours = [_use(v, learned) for v, _ in learned.parameters]
    theirs = {v: _use(v, true) for v, _ in true.parameters}
    partial: list[list[str]] = [[]]
    for use in ours:
        partial = [[*p, v] for p in partial for v, its in theirs.items() if its == use and v not in p]
        if len(partial) > MAX_RENAMINGS:
            return
    yield from partial


def _use(variable: str, operator: Operator) -> list[tuple[str, int, bool, tuple[str, ...]]]:
    """How a variable stands in the effects: predicates, places, signs, constants beside it."""
    return sorted(
        (e.predicate, place, e.positive, tuple(t for t in e.terms if not t.startswith("?")))
        for e in _changing(operator)
        for place, term in enumerate(e.terms)
        if term == variable
    )


def _changing(operator: Operator) -> frozenset[NamedLiteral]:
    """The effects that the preconditions do not make idle."""
    return frozenset(e for e in operator.effects if e not in operator.preconditions)


def _agree(
    learned: Operator,
    found: Bindings | None,
    true: Operator,
    expected: Bindings | None,
    names: Mapping[str, str],
) -> bool:
    """Whether both run with the same objects, parameters that only the true one has aside."""
    if found is None or expected is None:
        return False
    places = {variable: i for i, (variable, _) in enumerate(true.parameters)}
    columns = [places[names[variable]] for variable, _ in learned.parameters]
    return found == {tuple(row[c] for c in columns) for row in expected}


def _bindings(schema: Schema, task: LiftedTask, state: Relations) -> Bindings | None:
    """The bindings that satisfy a precondition: its atoms joined, all else tried on what is left."""
    parts = schema.precondition.parts if isinstance(schema.precondition, And) else (schema.precondition,)
    atoms = tuple(p for p in parts if isinstance(p, Literal) and p.positive)
    if not all(_may_hold(atom, state, len(task.objects)) for atom in atoms):
        return frozenset()
    loose = replace(schema, precondition=And(atoms))
    try:
        options = choice(loose, state, len(task.objects))
    except JoinTooLarge:
        return None
    if options.size > MAX_BINDINGS:
        return None
    rows = np.array(list(options.rows(schema.arity)), dtype=np.int64).reshape(options.size, schema.arity)
    rest = And((*options.tests, *(p for p in parts if p not in atoms)))
    held = Holds(schema, state, len(task.objects)).rows(rest, dict(enumerate(rows.T)), len(rows))
    return frozenset(tuple(task.objects[i] for i in row) for row in rows[held].tolist())


def _may_hold(atom: Literal, state: Relations, base: int) -> bool:
    """Whether some atom of the state has the constants of this one."""
    keys = state.get(atom.predicate)
    if keys is None or not len(keys):
        return False
    columns = decoded(keys, len(atom.terms), base)
    held = [column == term for term, column in zip(atom.terms, columns, strict=True) if term >= 0]
    return not held or bool(np.logical_and.reduce(held).any())


def _relations(task: LiftedTask, atoms: frozenset[GroundAtom]) -> Relations:
    """A state in the numbers of a task."""
    number = {name: i for i, name in enumerate(task.objects)}
    rows: dict[str, tuple[tuple[int, ...], ...]] = {}
    for name, *arguments in sorted(atoms):
        rows[name] = (*rows.get(name, ()), tuple(number[a] for a in arguments))
    return relations_of(replace(task, init=rows))
