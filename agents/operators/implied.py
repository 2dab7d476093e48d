"""Preconditions that hold whenever an action runs, and that exclude nothing beside the others.

A static literal excludes nothing if it holds wherever the other static ones do, in all tasks seen: in a grid
of three rows, what is before a row that is before another one is the first. What changes excludes nothing if
all that was refused is so for other literals. Literals go one after another, negations and equalities before
atoms, and atoms of few variables before others: what relates two arguments is likelier to be a rule than what
is said of one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np

from agents.operators.examples import Table
from agents.operators.lifted import EQUAL, NamedLiteral, is_variable
from agents.operators.matching import Binding, BindingLimit, TooLoose, bindings, by_predicate, completed
from envs.pddl.language.domain import GroundAtom
from envs.pddl.language.vocabulary import Parameters, Vocabulary
from envs.pddl.traces.trace import Traces

#: Bindings that are looked at for a literal in all tasks; a literal that needs more is not implied.
MAX_BINDINGS = 5000


@dataclass(frozen=True)
class StaticFacts:
    """What holds in every state of a task, of the predicates that no action changes."""

    objects: Mapping[str, str]  #: the type of each
    facts: frozenset[GroundAtom]


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
    """Of static literals and equalities, all of which hold when an action runs, those that exclude nothing.

    Those that are `sure` stay.
    """
    left = set(literals)
    places = [_Place(task, by_predicate(task.facts), words) for task in tasks]
    for literal in going(literals - sure, parameters):
        others = _connected(literal, sorted(left - {literal}))
        if not _excludes(literal, others, parameters, places):
            left.remove(literal)
    return frozenset(literals - left)


def idle(fails: Table, kept: Table, places: Sequence[int]) -> Table:
    """Of the literals in these places, those without which the others kept explain as many refusals.

    They go in this order. `fails` says which literals did not hold at each refusal, shape (refusals,
    literals); `kept` and the result are of shape (literals,).
    """
    found = np.zeros_like(kept)
    failing = np.count_nonzero(fails[:, kept], axis=1)
    for i in places:
        if not (fails[:, i] & (failing == 1)).any():
            found[i] = True
            failing -= fails[:, i]
    return found


def going(literals: Iterable[NamedLiteral], parameters: Parameters) -> list[NamedLiteral]:
    """The literals in the order in which they go; of equals, what names the first parameters first stays."""
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


@dataclass(frozen=True)
class _Place:
    """A task in which literals are looked at."""

    task: StaticFacts
    held: Mapping[str, Sequence[GroundAtom]]
    words: Vocabulary

    def allows(self, binding: Binding, names: Mapping[str, str], parameters: Parameters) -> bool:
        """Whether the objects are of the types of all parameters, some of which go by other names."""
        kinds, types = {**self.words.constants, **self.task.objects}, self.words.types
        terms = ((names.get(variable, variable), kind) for variable, kind in parameters)
        chosen = ((binding.get(term, term), kind) for term, kind in terms)
        return all(is_variable(name) or types.is_subtype(kinds[name], kind) for name, kind in chosen)


def _excludes(
    literal: NamedLiteral, others: Sequence[NamedLiteral], parameters: Parameters, places: Sequence[_Place]
) -> bool:
    """Whether in some place arguments satisfy the others and not this one.

    Also if too many would have to be looked at.
    """
    names = _same([*others, literal.negated])
    needed = [each.renamed(names) for each in (*others, literal.negated)]
    named = {variable for each in needed for variable in _variables(each)}
    own = tuple((variable, kind) for variable, kind in parameters if variable in named)
    atoms = [each for each in needed if each.positive and each.predicate != EQUAL]
    limit = BindingLimit(literal.predicate, MAX_BINDINGS)
    try:
        for place in places:
            task = place.task
            for found in bindings(atoms, place.held, limit=limit):
                for binding in completed(own, found, task.objects, place.words.types):
                    limit.take()
                    fits = place.allows(binding, names, parameters)
                    if fits and all(each.holds(binding, task.facts) for each in needed):
                        return True
    except TooLoose:
        return True
    return False


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
