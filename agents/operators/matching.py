"""Matching lifted literals with facts: the bindings under which a conjunction holds, found one by one.

A small join by backtracking: always the literal with most terms bound is matched next. Meant for single
operators in single states, as `envs.pddl.traces.trace` keeps them; walks and worlds have faster ways of their
own. What a language model wrote may tie its variables so loosely that the search would never end: it is
bounded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from agents.operators.lifted import EQUAL, Literal, Operator, is_variable
from envs.pddl.language.domain import GroundAtom
from envs.pddl.language.vocabulary import Types
from envs.pddl.traces.trace import Step, Trace

Binding = Mapping[str, str]
#: Partial bindings of one search; that of a rule with few ties takes some hundreds.
MAX_BINDINGS = 200_000
#: A literal, and the facts that it is matched with, by predicate.
_Wanted = tuple[Literal, Mapping[str, Sequence[GroundAtom]]]


class TooLoose(ValueError):
    """An operator with too many bindings to be looked at one by one. Survives pickling."""

    def __init__(self, name: str):
        super().__init__(name)
        self.name = name

    def __str__(self) -> str:
        return (
            f"the conditions of {self.name} tie its variables so loosely that they cannot be checked: "
            "use fewer variables, or tie them together"
        )


def by_predicate(facts: Iterable[GroundAtom]) -> dict[str, list[GroundAtom]]:
    """The facts by their predicates, sorted."""
    found: dict[str, list[GroundAtom]] = {}
    for fact in sorted(facts):
        found.setdefault(fact[0], []).append(fact)
    return found


def bindings(
    literals: Iterable[Literal], facts: Mapping[str, Sequence[GroundAtom]], start: Binding | None = None
) -> Iterator[Binding]:
    """All bindings that extend `start` and make every literal, whatever its sign, one of the facts."""
    yield from _bindings([(literal, facts) for literal in literals], start or {})


def explains(operator: Operator, trace: Trace, step: Step, types: Types) -> bool:
    """Whether under some binding of its parameters the operator leads from the step's state to the next.

    Its arguments are not looked at. The step must be executed, and both states whole. Raises TooLoose.
    """
    bound = _Bound(operator.name)
    return any(True for _ in _explanations(operator, trace, step, types, bound))


@dataclass
class _Bound:
    """How much of a search is left."""

    name: str
    left: int = MAX_BINDINGS

    def take(self) -> None:
        """One binding more. Raises TooLoose."""
        self.left -= 1
        if self.left < 0:
            raise TooLoose(self.name)


def _explanations(
    operator: Operator, trace: Trace, step: Step, types: Types, bound: _Bound
) -> Iterator[Binding]:
    assert step.after is not None, "a step that was seen whole"
    before, after = trace.state(step.before).true, trace.state(step.after).true
    held, lost, gained = map(by_predicate, (before, before - after, after - before))
    wanted: list[_Wanted] = [
        (effect, gained if effect.positive else lost)
        for effect in operator.effects
        if effect not in operator.preconditions
    ]
    needed = [p for p in operator.preconditions if p.positive and p.predicate != EQUAL]
    for found in _bindings([*wanted, *((literal, held) for literal in needed)], {}, bound):
        for binding in _completed(operator, found, trace.objects, types):
            bound.take()
            if operator.runs(binding, before) and operator.applied(binding, before) == after:
                yield binding


def _completed(
    operator: Operator, found: Binding, objects: Mapping[str, str], types: Types
) -> Iterator[Binding]:
    """The binding with every object that fits for what nothing positive names; none if types clash."""
    fitting = [
        [found[variable]] if variable in found else list(objects) for variable, _ in operator.parameters
    ]
    allowed = [
        [name for name in names if types.is_subtype(objects[name], kind)]
        for names, (_, kind) in zip(fitting, operator.parameters, strict=True)
    ]
    for chosen in product(*allowed):
        yield operator.bound(chosen)


def _bindings(wanted: Sequence[_Wanted], binding: Binding, bound: _Bound | None = None) -> Iterator[Binding]:
    if bound is not None:
        bound.take()
    if not wanted:
        yield binding
        return
    place = max(range(len(wanted)), key=lambda i: _bound(wanted[i][0], binding))
    literal, facts = wanted[place]
    rest = [*wanted[:place], *wanted[place + 1 :]]
    for fact in facts.get(literal.predicate, ()):
        extended = _extended(literal, fact, binding)
        if extended is not None:
            yield from _bindings(rest, extended, bound)


def _bound(literal: Literal, binding: Binding) -> int:
    """How many terms of a literal are known."""
    return sum(term in binding or not is_variable(term) for term in literal.terms)


def _extended(literal: Literal, fact: GroundAtom, binding: Binding) -> Binding | None:
    """The binding under which the literal is the fact; None if there is none."""
    if len(fact) != len(literal.terms) + 1:
        return None
    found = dict(binding)
    for term, name in zip(literal.terms, fact[1:], strict=True):
        if (found.setdefault(term, name) if is_variable(term) else term) != name:
            return None
    return found
