"""Redundant preconditions: they hold whenever an action runs, and exclude nothing beside the others.

A static literal is redundant if the other static ones imply it in all tasks seen: with three places in a row,
`(next ?x ?y)` and `(next ?y ?z)` imply `(first ?x)`. Of other literals, one is redundant if each refused
example violates another one. They are removed one after another, negations and equalities before atoms, and
atoms of few variables before others: a relation of two arguments is likelier to be a rule than a property of
one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from agents.operators.examples import Table
from agents.operators.lifted import EQUAL, NamedLiteral, is_variable
from agents.operators.matching import Binding, BindingLimit, TooLoose, bindings, by_predicate, completed
from envs.pddl.language.domain import GroundAtom
from envs.pddl.language.vocabulary import Parameters, Types, Vocabulary
from envs.pddl.traces.trace import Traces

#: Bindings that are looked at for a literal in all tasks; a literal that needs more is not implied.
MAX_BINDINGS = 5000


@dataclass(frozen=True)
class StaticFacts:
    """The atoms of a task that hold in every state, of predicates that no action changes."""

    objects: Mapping[str, str]  #: the type of each
    facts: frozenset[GroundAtom]

    @cached_property
    def held(self) -> Mapping[str, Sequence[GroundAtom]]:
        """The facts by predicate."""
        return by_predicate(self.facts)


def static_facts(traces: Traces, changed: frozenset[str]) -> tuple[StaticFacts, ...]:
    """The static facts of each task; `changed` are the predicates that some action changes."""
    found: dict[tuple[frozenset[tuple[str, str]], frozenset[GroundAtom]], StaticFacts] = {}
    for trace in traces.traces:
        held = (trace.atoms[i] for i in np.flatnonzero(trace.holds.any(axis=0)).tolist())
        facts = frozenset(atom for atom in held if atom[0] not in changed)
        found.setdefault((frozenset(trace.objects.items()), facts), StaticFacts(trace.objects, facts))
    return tuple(found.values())


def implied(
    literals: Set[NamedLiteral],
    sure: Set[NamedLiteral],
    parameters: Parameters,
    tasks: Sequence[StaticFacts],
    words: Vocabulary,
) -> frozenset[NamedLiteral]:
    """Of static literals that hold when an action runs, those that the others imply in all tasks.

    Equalities are static. Literals that are `sure` stay.
    """
    left = set(literals)
    for literal in removal_order(literals - sure, parameters):
        others = _connected(literal, sorted(left - {literal}))
        if not _excludes(literal, others, parameters, tasks, words):
            left.remove(literal)
    return frozenset(literals - left)


def unneeded(fails: Table, kept: Table, places: Sequence[int]) -> Table:
    """Of the literals in these places, those without which the others kept explain as many refusals.

    They are removed in this order. `fails` says which literals did not hold at each refusal, shape (refusals,
    literals); `kept` and the result are of shape (literals,).
    """
    found = np.zeros_like(kept)
    failing = np.count_nonzero(fails[:, kept], axis=1)
    for i in places:
        if not (fails[:, i] & (failing == 1)).any():
            found[i] = True
            failing -= fails[:, i]
    return found


def removal_order(literals: Iterable[NamedLiteral], parameters: Parameters) -> list[NamedLiteral]:
    """The literals in the order of removal; of equals, one in the order of the parameters stays."""
    place = {variable: i for i, (variable, _) in enumerate(parameters)}

    def rank(literal: NamedLiteral) -> tuple[bool, int, bool, list[int]]:
        equality = literal.predicate == EQUAL
        last = [-place.get(term, -1) for term in literal.terms]
        return literal.positive and not equality, len(_variables(literal)), equality, last

    return sorted(sorted(literals, reverse=True), key=rank)


def _variables(literal: NamedLiteral) -> frozenset[str]:
    return frozenset(filter(is_variable, literal.terms))


def _connected(literal: NamedLiteral, others: Sequence[NamedLiteral]) -> list[NamedLiteral]:
    """Those of the others that share a variable with it, or with one of these."""
    reached, found = set(_variables(literal)), list[NamedLiteral]()
    left = [(other, _variables(other)) for other in others]
    while joined := [(other, own) for other, own in left if own & reached]:
        found += [other for other, _ in joined]
        reached.update(*(own for _, own in joined))
        left = [each for each in left if each not in joined]
    return found


def _excludes(
    literal: NamedLiteral,
    others: Sequence[NamedLiteral],
    parameters: Parameters,
    tasks: Sequence[StaticFacts],
    words: Vocabulary,
) -> bool:
    """Whether in some task arguments satisfy the others and not this one.

    Also if too many bindings would have to be looked at.
    """
    names = _same([*others, literal.negated])
    needed = [each.renamed(names) for each in (*others, literal.negated)]
    named = {variable for each in needed for variable in _variables(each)}
    own = tuple((variable, kind) for variable, kind in parameters if variable in named)
    kinds = tuple((names.get(variable, variable), kind) for variable, kind in parameters)
    atoms = [each for each in needed if each.positive and each.predicate != EQUAL]
    limit = BindingLimit(literal.predicate, MAX_BINDINGS)
    try:
        for task in tasks:
            objects = {**words.constants, **task.objects}
            for found in bindings(atoms, task.held, limit=limit):
                for binding in completed(own, found, task.objects, words.types):
                    limit.take()
                    fits = _typed(binding, kinds, objects, words.types)
                    if fits and all(each.holds(binding, task.facts) for each in needed):
                        return True
    except TooLoose:
        return True
    return False


def _typed(binding: Binding, kinds: Parameters, objects: Mapping[str, str], types: Types) -> bool:
    """Whether terms have these types, as far as they are bound; `objects` are the types of all objects."""
    chosen = ((binding.get(term, term), kind) for term, kind in kinds)
    return all(is_variable(name) or types.is_subtype(objects[name], kind) for name, kind in chosen)


def _same(literals: Iterable[NamedLiteral]) -> dict[str, str]:
    """For each variable that equalities make the same as another term, that term."""
    names: dict[str, str] = {}
    for literal in literals:
        if literal.predicate == EQUAL and literal.positive:
            one, other = (names.get(term, term) for term in literal.terms)
            one, other = (one, other) if is_variable(one) else (other, one)
            if is_variable(one):
                names = {term: other if name == one else name for term, name in names.items()} | {one: other}
    return names
