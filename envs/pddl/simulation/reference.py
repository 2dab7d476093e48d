"""The slow, obvious simulator: the oracle that the fast one must agree with.

States are frozensets of ground atoms, static ones included. Formulas are evaluated by recursion, straight
from the read problem; operators are found by trying every object of the right type. It shares nothing with
grounding and compiling.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from tarski.fstrips import AddEffect, DelEffect, UniversalEffect
from tarski.syntax import Atom, CompoundFormula, Contradiction, QuantifiedFormula, Tautology
from tarski.syntax.builtins import BuiltinPredicateSymbol
from tarski.syntax.formulas import Connective, Formula, Quantifier

from envs.pddl.language.formulas import conjuncts
from envs.pddl.language.operators import format_operator, parse_operator
from envs.pddl.language.structure import Action, GroundAtom, Problem

State = frozenset[GroundAtom]
#: Variable's text with its question mark → object.
Binding = Mapping[str, str]


class ReferenceSimulator:
    """Runs one problem. Its operators are all well-typed ones, reachable or not."""

    def __init__(self, problem: Problem):
        self._problem = problem
        self._members: dict[str, list[str]] = {}
        self._due: dict[str, list[list[Formula]]] = {}

    def initial(self) -> State:
        """The initial state."""
        return self._problem.init

    def applicable(self, state: State) -> tuple[str, ...]:
        """The texts of the operators whose precondition holds, sorted."""
        actions = self._problem.domain.actions.values()
        return tuple(sorted(format_operator(a.name, b) for a in actions for b in self._bindings(a, state)))

    def successor(self, state: State, operator: str) -> State:
        """The state after `operator`. Raises ValueError if it is not a well-typed, applicable operator."""
        name, arguments = parse_operator(operator)
        action = self._problem.domain.actions.get(name)
        if action is None or len(arguments) != len(action.parameters):
            raise ValueError(f"not an operator of this problem: {operator}")
        binding = {v.symbol: a for v, a in zip(action.parameters, arguments, strict=True)}
        if not all(binding[v.symbol] in self._of_type(v.sort.name) for v in action.parameters):
            raise ValueError(f"not an operator of this problem: {operator}")
        if not self.holds(action.precondition, state, binding):
            raise ValueError(f"not applicable: {operator}")
        changes = {change for effect in action.effects for change in self._changes(effect, state, binding)}
        deleted = {atom for atom, adds in changes if not adds}
        return (state - deleted) | {atom for atom, adds in changes if adds}

    def holds_goal(self, state: State) -> bool:
        """Whether the goal holds."""
        return self.holds(self._problem.goal, state, {})

    def holds(self, formula: Formula, state: State, binding: Binding) -> bool:
        """Whether `formula` holds in `state`. Raises ValueError for a formula of unknown kind."""
        if isinstance(formula, Tautology | Contradiction):
            return isinstance(formula, Tautology)
        if isinstance(formula, Atom):
            return self._holds_atom(formula, state, binding)
        if isinstance(formula, CompoundFormula):
            parts = (self.holds(part, state, binding) for part in formula.subformulas)
            if formula.connective is Connective.Not:
                return not next(parts)
            return all(parts) if formula.connective is Connective.And else any(parts)
        if isinstance(formula, QuantifiedFormula):
            inner = self.extended(formula.variables, binding)
            bodies = (self.holds(formula.formula, state, each) for each in inner)
            return all(bodies) if formula.quantifier is Quantifier.Forall else any(bodies)
        raise ValueError(f"formula of unknown kind {type(formula).__name__}: {formula}")

    def _holds_atom(self, atom: Atom, state: State, binding: Binding) -> bool:
        name = atom.predicate.name
        arguments = tuple(_denoted(term, binding) for term in atom.subterms)
        if name is BuiltinPredicateSymbol.EQ:
            return arguments[0] == arguments[1]
        if name is BuiltinPredicateSymbol.NE:
            return arguments[0] != arguments[1]
        return (name, *arguments) in state

    def _bindings(self, action: Action, state: State) -> Iterator[tuple[str, ...]]:
        """Every tuple of arguments under which the precondition holds.

        Objects are tried one parameter after another; a part of the precondition is tested as soon as the
        last of its parameters is bound, or trying would take too long to be of use.
        """
        if action.name not in self._due:
            self._due[action.name] = _by_last_parameter(action)
        due = self._due[action.name]
        bindings: list[Binding] = [{}]
        for variables, parts in zip(((), *((v,) for v in action.parameters)), due, strict=True):
            tried = (inner for b in bindings for inner in self.extended(variables, b))
            bindings = [b for b in tried if all(self.holds(part, state, b) for part in parts)]
        for binding in bindings:
            yield tuple(binding[v.symbol] for v in action.parameters)

    def _changes(self, effect: Any, state: State, binding: Binding) -> Iterator[tuple[GroundAtom, bool]]:
        """The atoms that an effect changes in `state`, and whether it adds them."""
        if not self.holds(effect.condition, state, binding):
            return
        if isinstance(effect, UniversalEffect):
            for inner in self.extended(effect.variables, binding):
                for part in effect.effects:
                    yield from self._changes(part, state, inner)
        elif isinstance(effect, AddEffect | DelEffect):
            arguments = (_denoted(term, binding) for term in effect.atom.subterms)
            yield (effect.atom.predicate.name, *arguments), isinstance(effect, AddEffect)
        else:
            raise ValueError(f"effect of unknown kind {type(effect).__name__}: {effect}")

    def extended(self, variables: Sequence[Any], binding: Binding) -> Iterator[Binding]:
        """`binding` with every assignment of well-typed objects to `variables`, by the objects' names."""
        choices = (self._of_type(v.sort.name) for v in variables)
        for objects in product(*choices):
            yield {**binding, **{v.symbol: o for v, o in zip(variables, objects, strict=True)}}

    def _of_type(self, kind: str) -> list[str]:
        """The objects of a type, by name."""
        if kind not in self._members:
            own, is_subtype = self._problem.objects, self._problem.domain.is_subtype
            self._members[kind] = [name for name in sorted(own) if is_subtype(own[name], kind)]
        return self._members[kind]


def _by_last_parameter(action: Action) -> list[list[Formula]]:
    """The parts of the precondition that name no parameter, then those whose last is each parameter."""
    due: list[list[Formula]] = [[] for _ in range(len(action.parameters) + 1)]
    for part in conjuncts(action.precondition):
        names = _names(part)
        used = [i for i, v in enumerate(action.parameters) if v.symbol in names]
        due[max(used, default=-1) + 1].append(part)
    return due


def _denoted(term: Any, binding: Binding) -> str:
    return binding.get(term.symbol, str(term.symbol))


def _names(formula: Formula) -> frozenset[str]:
    """The texts of all terms in a formula."""
    if isinstance(formula, Atom):
        return frozenset(str(term.symbol) for term in formula.subterms)
    if isinstance(formula, CompoundFormula):
        return frozenset().union(*(_names(part) for part in formula.subformulas))
    return _names(formula.formula) if isinstance(formula, QuantifiedFormula) else frozenset()
