"""Problems for the planner with fewer ground actions: parameters that no effect names are left out.

`(move ?from ?to ?key)` that needs some matching key has a ground action for every key, all of which do the
same. Without `?key`, and with a derived atom that says that there is some such key, it has one. Parameters
that no effect names are left out together where a condition ties them; each lot of them is one derived atom
over the other parameters in its conditions. The states that can be reached are the same, and a plan for the
narrowed problem is one for the problem once each left-out parameter has a value that suits the state.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from tarski.syntax import Atom, Formula, Variable
from tarski.syntax.formulas import Connective

from envs.pddl.language.formulas import conjuncts, junction
from envs.pddl.language.operators import format_operator, parse_operator
from envs.pddl.language.render import render_effect, render_formula
from envs.pddl.language.structure import Action, GroundAtom, Language, Problem
from envs.pddl.language.vocabulary import Vocabulary, show_typed
from envs.pddl.planning.planner import planner_texts
from envs.pddl.simulation.reference import ReferenceSimulator

_VARIABLE = re.compile(r"\?[^\s()]+")
_State = frozenset[GroundAtom]


@dataclass(frozen=True, eq=False)
class _Lot:
    """Parameters that are left out together."""

    name: str  #: of the derived predicate
    variables: tuple[Variable, ...]
    conditions: tuple[Formula, ...]  #: those that name one of them
    over: tuple[Variable, ...]  #: the other parameters in them

    @property
    def rule(self) -> str:
        """The derived atom's rule, as PDDL."""
        body = " ".join(map(render_formula, self.conditions))
        some = f"(exists ({_declared(self.variables)}) (and {body}))"
        return f"(:derived ({self.name} {_declared(self.over)}) {some})"


class Narrowed:
    """A problem with its lots; goals may be others of the same problem."""

    def __init__(self, problem: Problem):
        self._problem = problem
        self._simulator = ReferenceSimulator(problem)
        self._lots = {name: tuple(self._lots_of(action)) for name, action in problem.domain.actions.items()}

    def texts(self, problem: Problem) -> tuple[str, str]:
        """The texts for the planner of the narrowed form of a problem that differs in its goal at most."""
        domain = self._problem.domain
        lots = [lot for some in self._lots.values() for lot in some]
        declared = {lot.name: tuple((v.symbol, v.sort.name) for v in lot.over) for lot in lots}
        vocabulary = replace(domain.vocabulary, predicates={**domain.vocabulary.predicates, **declared})
        actions = {name: self._action(action) for name, action in domain.actions.items()}
        narrow = replace(domain, actions=actions, vocabulary=vocabulary)
        text, asked = planner_texts(replace(problem, domain=narrow))
        if not lots or (bool(narrow.types) and ":types" not in text):
            return planner_texts(problem)  # types that no planner has words for: the rules would have them
        rules = "\n".join(lot.rule for lot in lots)
        return f"{text.rstrip().removesuffix(')')}\n{rules})\n", asked

    @cached_property
    def weakened(self) -> Problem:
        """The problem without what says that left-out parameters have values: all steps, and maybe more."""
        domain = self._problem.domain
        actions = {
            name: replace(action, parameters=self._kept(action), precondition=self._rest(action))
            for name, action in domain.actions.items()
        }
        return replace(self._problem, domain=replace(domain, actions=actions))

    def completed(self, state: _State, operator: str) -> str:
        """The operator with all its parameters, for a step of a plan for the texts in a state.

        What is complete already stays. Raises RuntimeError if no values suit the state.
        """
        name, arguments = parse_operator(operator)
        action = self._problem.domain.actions[name]
        if len(arguments) == len(action.parameters):
            return operator
        binding = dict(zip((v.symbol for v in self._kept(action)), arguments, strict=True))
        for lot in self._lots[name]:
            found = next(self._suiting(lot.variables, lot.conditions, state, binding), None)
            if found is None:
                raise RuntimeError(f"a step of the planner's plan is not applicable: {operator}")
            binding |= found
        return format_operator(name, [binding[v.symbol] for v in action.parameters])

    def _suiting(
        self,
        variables: Sequence[Variable],
        conditions: Sequence[Formula],
        state: _State,
        binding: Mapping[str, str],
    ) -> Iterator[dict[str, str]]:
        """Bindings of the variables under which the conditions hold, each tested as soon as it can be."""
        later = {v.symbol for v in variables}
        due = [part for part in conditions if not _variables(part) & later]
        if not all(self._simulator.holds(part, state, binding) for part in due):
            return
        if not variables:
            yield dict(binding)
            return
        rest = [part for part in conditions if _variables(part) & later]
        is_subtype, first = self._problem.domain.is_subtype, variables[0]
        for name, kind in self._problem.objects.items():
            if is_subtype(kind, first.sort.name):
                yield from self._suiting(variables[1:], rest, state, {**binding, first.symbol: name})

    def _lots_of(self, action: Action) -> Iterator[_Lot]:
        effects = " ".join(map(render_effect, action.effects))
        idle = [v for v in action.parameters if v.symbol not in _VARIABLE.findall(effects)]
        conditions = conjuncts(action.precondition)
        taken = set(self._problem.domain.predicates)
        for number, (symbols, own) in enumerate(_tied([v.symbol for v in idle], conditions)):
            over = frozenset().union(*map(_variables, own)) - symbols
            name = f"some-{action.name}-{number}"
            while name in taken:
                name += "-"
            yield _Lot(
                name,
                tuple(v for v in idle if v.symbol in symbols),
                tuple(own),
                tuple(v for v in action.parameters if v.symbol in over),
            )

    def _kept(self, action: Action) -> tuple[Variable, ...]:
        left_out = {v.symbol for lot in self._lots[action.name] for v in lot.variables}
        return tuple(v for v in action.parameters if v.symbol not in left_out)

    def _action(self, action: Action) -> Action:
        parts = [self._rest(action), *map(_derived, self._lots[action.name])]
        return replace(action, parameters=self._kept(action), precondition=junction(Connective.And, parts))

    def _rest(self, action: Action) -> Formula:
        """The precondition without the conditions of the lots."""
        enforced = {id(part) for lot in self._lots[action.name] for part in lot.conditions}
        parts = [part for part in conjuncts(action.precondition) if id(part) not in enforced]
        return junction(Connective.And, parts)


def _tied(symbols: Sequence[str], conditions: Sequence[Formula]) -> list[tuple[set[str], list[Formula]]]:
    """The variables by the conditions that tie them, with these conditions; none that no condition names."""
    lots: list[tuple[set[str], list[Formula]]] = []
    for part in conditions:
        named = _variables(part) & set(symbols)
        if named:
            joined, own = set(named), [part]
            for lot in [lot for lot in lots if lot[0] & named]:
                lots.remove(lot)
                joined, own = joined | lot[0], lot[1] + own
            lots.append((joined, own))
    return lots


def _derived(lot: _Lot) -> Atom:
    """The atom that says that there are values for a lot."""
    language = Language(Vocabulary())
    sorts = [language.sort_of(v.sort.name) for v in lot.over]
    over = [Variable(v.symbol, sort) for v, sort in zip(lot.over, sorts, strict=True)]
    return Atom(language.predicate(lot.name, *sorts), over)


def _declared(variables: Sequence[Variable]) -> str:
    return show_typed((v.symbol, v.sort.name) for v in variables)


def _variables(formula: Formula) -> frozenset[str]:
    return frozenset(_VARIABLE.findall(render_formula(formula)))
