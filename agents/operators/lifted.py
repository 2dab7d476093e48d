"""Lifted literals and operators as text-like data, and the domain and problem made of them.

A term is a variable, `?x`, or a constant's name. An equality is a literal of the predicate `=`. Most
operators are made of literals alone; where these do not explain what was seen, there are clauses beside the
preconditions and conditional effects beside the effects. A learned operator holds beside its rules what the
traces said about each of them: what is proven, what is kept though nothing proves it, and what cannot be
decided. Nothing here depends on an order in the traces.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from envs.pddl.interface import ShowsStates, World
from envs.pddl.language.domain import GroundAtom
from envs.pddl.language.template import action_text, conjunction, declarations, domain_text, increase
from envs.pddl.language.vocabulary import OBJECT, Parameters, Types, Vocabulary, show_typed
from envs.pddl.traces.trace import vocabulary_of

EQUAL = "="


@dataclass(frozen=True, order=True)
class NamedLiteral:
    """A lifted atom, or its negation. In effects: what is added, or what is deleted."""

    predicate: str
    terms: tuple[str, ...]
    positive: bool = True

    def __str__(self) -> str:
        atom = f"({' '.join((self.predicate, *self.terms))})"
        return atom if self.positive else f"(not {atom})"

    @property
    def negated(self) -> NamedLiteral:
        """Its opposite."""
        return replace(self, positive=not self.positive)

    @property
    def names_constants(self) -> bool:
        """Whether a term of it is a constant."""
        return any(not is_variable(term) for term in self.terms)

    @property
    def only_constants(self) -> bool:
        """Whether it has terms, and all of them are constants."""
        return bool(self.terms) and not any(map(is_variable, self.terms))

    def ground(self, binding: Mapping[str, str]) -> GroundAtom:
        """The atom, sign aside, under a binding of its variables."""
        return (self.predicate, *(binding.get(term, term) for term in self.terms))

    def holds(self, binding: Mapping[str, str], facts: frozenset[GroundAtom]) -> bool:
        """Whether it is true in a whole state, under a binding of its variables."""
        if self.predicate == EQUAL:
            one, other = (binding.get(term, term) for term in self.terms)
            return (one == other) == self.positive
        return (self.ground(binding) in facts) == self.positive

    def renamed(self, names: Mapping[str, str]) -> NamedLiteral:
        """The same with other names for its terms."""
        return replace(self, terms=tuple(names.get(term, term) for term in self.terms))


@dataclass(frozen=True, order=True)
class Condition:
    """A conjunction of literals that hold for some objects in place of `variables`; or, negated, for none."""

    literals: tuple[NamedLiteral, ...]
    variables: Parameters = ()
    positive: bool = True

    def __str__(self) -> str:
        if not self.variables and len(self.literals) == 1:
            return str(self.literals[0] if self.positive else self.literals[0].negated)
        body = _joined("and", self.literals)
        text = f"(exists ({show_typed(self.variables)}) {body})" if self.variables else body
        return text if self.positive else f"(not {text})"

    @property
    def negated(self) -> Condition:
        """Its opposite."""
        if not self.variables and len(self.literals) == 1:
            return replace(self, literals=(self.literals[0].negated,))
        return replace(self, positive=not self.positive)


#: Conditions of which one at least must hold.
Clause = tuple[Condition, ...]


@dataclass(frozen=True, order=True)
class ConditionalEffect:
    """An effect for all objects in place of `variables` for which every condition holds before."""

    effect: NamedLiteral
    conditions: tuple[Condition, ...] = ()
    variables: Parameters = ()

    def __str__(self) -> str:
        text = str(self.effect)
        if self.conditions:
            text = f"(when {_joined('and', self.conditions)} {text})"
        return f"(forall ({show_typed(self.variables)}) {text})" if self.variables else text


def _joined(word: str, parts: Sequence[object]) -> str:
    return str(parts[0]) if len(parts) == 1 else f"({' '.join((word, *map(str, parts)))})"


@dataclass(frozen=True)
class Operator:
    """A learned action: its rules, sorted, and how sure they are."""

    name: str
    parameters: Parameters  #: variable and type, in order
    preconditions: tuple[NamedLiteral, ...]
    effects: tuple[NamedLiteral, ...]
    clauses: tuple[Clause, ...] = ()  #: preconditions that no literal says
    conditional: tuple[ConditionalEffect, ...] = ()  #: effects with conditions, or beside the arguments
    takes_arguments: bool = True  #: whether its parameters are the action's arguments, in order
    executed: int = 0  #: examples in which it ran
    refused: int = 0
    proven: tuple[NamedLiteral, ...] = ()  #: preconditions that a refused example shows to be needed
    #: literals that may be preconditions or not: nothing that was seen decides. Kept ones stand in both.
    undetermined: tuple[NamedLiteral, ...] = ()
    undetermined_effects: tuple[NamedLiteral, ...] = ()  #: effects that may be there or not
    unexplained: tuple[str, ...] = ()  #: what was seen and no rule of this form explains, in words

    @property
    def action(self) -> str:
        """The name of the action that it was learned from: one action may have several operators."""
        return self.name.partition("--")[0]

    def bound(self, arguments: Sequence[str]) -> dict[str, str]:
        """Its parameters bound to these objects. Raises ValueError if they are not as many."""
        return dict(zip((variable for variable, _ in self.parameters), arguments, strict=True))

    @property
    def plain(self) -> bool:
        """Whether literals say all of it; `runs` and `applied` are for such operators alone."""
        return not self.clauses and not self.conditional

    def runs(self, binding: Mapping[str, str], facts: frozenset[GroundAtom]) -> bool:
        """Whether the preconditions hold in a whole state."""
        assert self.plain, "matching knows the others"
        return all(literal.holds(binding, facts) for literal in self.preconditions)

    def changed(self, binding: Mapping[str, str], positive: bool) -> frozenset[GroundAtom]:
        """The atoms that it adds (`positive`), or that it deletes."""
        return frozenset(e.ground(binding) for e in self.effects if e.positive == positive)

    def applied(self, binding: Mapping[str, str], facts: frozenset[GroundAtom]) -> frozenset[GroundAtom]:
        """The state after it: deletes, then adds."""
        assert self.plain, "matching knows the others"
        return facts - self.changed(binding, False) | self.changed(binding, True)


def is_variable(term: str) -> bool:
    """Whether a term is a variable."""
    return term.startswith("?")


def domain_of(
    vocabulary: Vocabulary, operators: Sequence[Operator], name: str | None = None, *, costs: bool = False
) -> str:
    """The PDDL domain of these operators: the declarations of `vocabulary`, and the operators' rules.

    With `costs`, functions and what actions cost are declared too, so that problems may give numbers.
    """
    functions = vocabulary.functions if costs else {}
    flags = ":negative-preconditions :equality" if all(o.plain for o in operators) else ":adl"
    flags += " :action-costs" if functions else ""
    return domain_text(
        name or vocabulary.name,
        f":strips :typing {flags}",
        show_typed(vocabulary.types.parents.items()),
        show_typed(vocabulary.constants.items()),
        declarations(vocabulary.predicates),
        (_action(o, _cost(o, vocabulary) if functions else None) for o in operators),
        functions,
    )


def without_rules(vocabulary: Vocabulary, known: Sequence[Operator]) -> list[Operator]:
    """Operators for the actions of which nothing is known: without preconditions and effects, by name."""
    had = {operator.action for operator in known}
    return [
        Operator(name, kinds, (), ()) for name, kinds in sorted(vocabulary.actions.items()) if name not in had
    ]


def _cost(operator: Operator, vocabulary: Vocabulary) -> str | None:
    """What its action costs, if that can be said of the operator's parameters."""
    same = operator.parameters == vocabulary.actions.get(operator.action)
    return vocabulary.costs.get(operator.action) if same else None


def _action(operator: Operator, cost: str | None) -> str:
    changes = [*operator.effects, *operator.conditional, *([increase(cost)] if cost else [])]
    needs = conjunction((*operator.preconditions, *(_joined("or", clause) for clause in operator.clauses)))
    return action_text(operator.name, operator.parameters, needs, conjunction(changes))


def fitting(kinds: Mapping[str, str], parameters: Parameters, types: Types) -> list[list[str]]:
    """For each parameter, the names whose type fits, given the types of all names."""
    return [[name for name, own in kinds.items() if types.is_subtype(own, kind)] for _, kind in parameters]


def well_typed(kinds: Mapping[str, str], vocabulary: Vocabulary) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every predicate with all names for its parameters whose types fit, given the types of all names."""
    for predicate, parameters in vocabulary.predicates.items():
        for names in product(*fitting(kinds, parameters, vocabulary.types)):
            yield predicate, names


def kind_of(term: str, parameters: Parameters, constants: Mapping[str, str]) -> str:
    """The type of a term."""
    return dict(parameters).get(term) or constants.get(term, OBJECT)


def overlapping(one: str, other: str, types: Types) -> bool:
    """Whether an object may be of both types, in a hierarchy of single parents."""
    return types.is_subtype(one, other) or types.is_subtype(other, one)


def shown_problem(world: World, domain_name: str) -> str:
    """The PDDL of the task that `world` is set to. Raises TypeError if it does not show its states."""
    constants = vocabulary_of(world).constants
    assert isinstance(world, ShowsStates), "else it has no vocabulary"
    own = [(name, kind) for name, kind in world.objects.items() if name not in constants]
    objects = "".join(f"\n    {name} - {kind}" for name, kind in own)
    facts = "".join(f"\n    ({' '.join(fact)})" for fact in sorted(world.facts()))
    return (
        f"(define (problem shown)\n  (:domain {domain_name})\n  (:objects{objects})\n"
        f"  (:init{facts})\n  (:goal {world.goal}))\n"
    )
