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
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray
from tarski.syntax.formulas import Connective, Formula, QuantifiedFormula, Quantifier, Tautology

from envs.pddl.interface import OperatorIndices
from envs.pddl.language.domain import Action, Domain, Problem
from envs.pddl.language.formulas import conjuncts, junction, negation
from envs.pddl.language.operators import format_operator, parse_operator
from envs.pddl.language.render import render_formula
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.grounding import GroundingExploded, Limits, groundings_bound, limits_of
from envs.pddl.simulation.lifted import lift
from envs.pddl.simulation.relaxed_costs import Relaxation
from envs.pddl.simulation.simulator import Atoms, PackedStates, Task

#: In the place of a conjunct: the action is to run; and to run where some literal holds.
RUNS, CONTEXT = -1, -2
#: Operators of an action times literals above which it has no contexts.
_MOST_LOOKUPS = 100_000
#: Literals of an action above which it has no contexts of two.
_MOST_PAIRED = 16
#: Truth values of literals that are looked at in one go.
_MOST_HELD = 4_000_000


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
        self._contexts = list(self._made_contexts(problem, owed)) if contexts else []
        self.probes = (*owed, *(probe for contexts in self._contexts for probe in contexts.probes))
        self._number = {probe: i for i, probe in enumerate(self.probes)}

    @property
    def operators(self) -> int:
        """How many operators there are, those of the probes included."""
        return len(self._task.operators)

    @property
    def impossible(self) -> frozenset[Probe]:
        """Probes that no state of the model can show, by relaxed reachability."""
        met = set(self._owner.tolist())
        return frozenset(self.probes[i] for i in self._sought - met)

    @property
    def owed(self) -> frozenset[Probe]:
        """All that is no context."""
        return frozenset(probe for probe in self.probes if probe.is_owed)

    @property
    def sought(self) -> frozenset[Probe]:
        """Those that are looked for in the states of the model."""
        return frozenset(self.probes[i] for i in self._sought)

    @property
    def schemas(self) -> frozenset[str]:
        """The model's actions."""
        return frozenset(probe.action for probe in self.probes)

    def operators_of(self, probe: Probe) -> OperatorIndices:
        """The operators that show an owed probe where they may run."""
        return np.flatnonzero(self._shows == self._number[probe])

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
        index = {self._task.operators[o]: o for o in np.flatnonzero(self._real).tolist()}
        return np.array([index.get(text, -1) for text in operators], dtype=np.int64)

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

    def hits(self, states: PackedStates, open_to: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which probes can be shown; shape (states, probes)."""
        found = np.zeros((len(open_to), len(self.probes)), dtype=np.bool_)
        if len(self._starts):
            found[:, self._owner] = np.logical_or.reduceat(open_to, self._starts, axis=1)
        bits = self._padded(states)
        for contexts in self._contexts:
            end = contexts.first + len(contexts.probes)
            found[:, contexts.first : end] = contexts.shown(bits, open_to)
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
        found = []
        for number in sorted(self._number[probe] for probe in wanted):
            showing = np.flatnonzero(open_to[0] & (self._shows == number))
            for own in self._contexts:
                if own.first <= number < own.first + len(own.probes):
                    showing = own.showing(number, bits, open_to)
            if len(showing):
                found.append((self.probes[number], self.text(int(showing[0]))))
        return tuple(found)

    def _made_contexts(self, problem: Problem, owed: Sequence[Probe]) -> Iterator[_Contexts]:
        atoms = {atom: i for i, atom in enumerate(self._task.atoms)}
        fluents, first = {atom[0] for atom in atoms}, len(owed)
        for number, base in enumerate(owed):
            own = np.flatnonzero(self._shows == number)
            action = problem.domain.actions[base.action]
            said = " ".join(map(render_formula, _parts(action)))
            literals = [a for a in _atoms(problem.domain, action, fluents) if f"({' '.join(a)})" not in said]
            if not len(own) or len(own) * len(literals) > _MOST_LOOKUPS:
                continue
            variables = [v.symbol for v in action.parameters]
            words = (parse_operator(self._task.operators[o])[1] for o in own.tolist())
            bound = [dict(zip(variables, arguments, strict=True)) for arguments in words]
            sides = [
                (np.array([atoms.get((predicate, *(b[t] for t in terms)), -1) for b in bound]), holds, text)
                for predicate, *terms in literals
                for holds, text in _signed(predicate, terms)
            ]
            if sides:
                yield (made := _Contexts.of(first, base, own, sides))
                first += len(made.probes)

    def goal_reached(self, states: PackedStates) -> NDArray[np.bool_]:
        """Whether the goal holds, a state each."""
        return self._task.goal_reached(states)

    def bits(self, states: PackedStates) -> NDArray[np.uint8]:
        """The states as 0 and 1, a column a fluent atom."""
        return self._task.bits(states)

    def text(self, operator: int) -> str:
        """An operator in the model's own words."""
        _, arguments = parse_operator(self._task.operators[operator])
        return format_operator(self.probes[self._shows[operator]].action, arguments)


#: What a literal is of each operator (the number of its atom; -1: it never holds), its sign, and its text.
_Side = tuple[NDArray[np.int64], bool, str]


@dataclass(frozen=True, eq=False)
class _Contexts:
    """The contexts of one owed probe: where each of some literals holds, and each of some pairs of them."""

    first: int  #: the number of the first of the probes
    probes: tuple[Probe, ...]
    operators: NDArray[np.int64]  #: of the owed probe
    atoms: NDArray[np.int64]  #: of the literals; shape (literals, operators)
    signs: NDArray[np.bool_]  #: of the literals; shape (literals, 1)
    pairs: tuple[NDArray[np.int64], NDArray[np.int64]]  #: the first and the second literal of each

    @classmethod
    def of(cls, first: int, base: Probe, operators: NDArray[np.int64], sides: Sequence[_Side]) -> _Contexts:
        """All of a probe's; an action is to run in pairs, too."""
        paired = len(sides) if base.runs and len(sides) <= _MOST_PAIRED else 0
        pairs = np.triu_indices(paired, 1)
        texts = [text for *_, text in sides]
        texts += [f"{texts[one]} {texts[other]}" for one, other in zip(*pairs, strict=True)]
        without = "" if base.runs else f", not {base.text}"
        probes = tuple(Probe(base.action, CONTEXT, text + without, base.runs) for text in texts)
        atoms, signs = np.array([atoms for atoms, *_ in sides]), np.array([[sign] for _, sign, _ in sides])
        return cls(first, probes, operators, atoms, signs, pairs)

    def shown(self, bits: NDArray[np.bool_], open_to: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which of them can be shown; shape (states, probes)."""
        found = np.zeros((len(bits), len(self.probes)), dtype=np.bool_)
        size = max(1, _MOST_HELD // self.atoms.size)
        for part in (slice(start, start + size) for start in range(0, len(bits), size)):
            held = self._held(bits[part], open_to[part])
            found[part, : len(self.atoms)] = held.any(axis=2)
            if len(self.pairs[0]):
                counts = held.astype(np.float32)
                both = counts @ counts.transpose(0, 2, 1)
                found[part, len(self.atoms) :] = both[:, *self.pairs] > 0
        return found

    def showing(self, number: int, bits: NDArray[np.bool_], open_to: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The operators that show the probe of this number in a state, a batch of one."""
        (held,) = self._held(bits, open_to)
        one, other = self.pairs
        shown = np.concatenate([held, held[one] & held[other]])[number - self.first]
        found: NDArray[np.int64] = self.operators[shown]
        return found

    def _held(self, bits: NDArray[np.bool_], open_to: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Where operators may run and literals hold; shape (states, literals, operators)."""
        held: NDArray[np.bool_] = (bits[:, self.atoms] == self.signs) & open_to[:, None, self.operators]
        return held


def _signed(predicate: str, terms: Sequence[str]) -> Iterator[tuple[bool, str]]:
    """Both literals of an atom."""
    text = f"({' '.join((predicate, *terms))})"
    yield True, text
    yield False, f"(not {text})"


def _atoms(domain: Domain, action: Action, predicates: Collection[str]) -> list[tuple[str, ...]]:
    """Atoms of some predicates over different parameters of an action, which their types allow."""
    scope = tuple((v.symbol, v.sort.name) for v in action.parameters)
    fitting = (atom for atom in domain.vocabulary.atoms(scope) if atom[0] in predicates)
    return sorted((atom for atom in fitting if len(set(atom[1:])) == len(atom) - 1), key=itemgetter(0))


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
