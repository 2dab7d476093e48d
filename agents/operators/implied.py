"""Preconditions that hold whenever an action runs, and that exclude nothing beside the others.

A static literal excludes nothing if it holds wherever the other static ones do, in all tasks seen: in a grid
of three rows, what is before a row that is before another one is the first. Any literal excludes nothing if
all that was refused is so for other literals. Literals go one after another, negations and inequalities
before atoms, and atoms of few variables before others: what relates two arguments is likelier to be a rule
than what is said of one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np

from agents.operators.examples import Table
from agents.operators.lifted import EQUAL, NamedLiteral, is_variable
from agents.operators.matching import BindingLimit, TooLoose, bindings, by_predicate, completed
from envs.pddl.language.domain import GroundAtom
from envs.pddl.language.vocabulary import Parameters, Vocabulary
from envs.pddl.traces.trace import Traces

#: Bindings that are looked at for a literal in a task; a literal that needs more is not implied.
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
    left = sorted(literals)
    places = [_Place(task, by_predicate(task.facts), parameters, words) for task in tasks]
    for literal in sorted(literals - sure, key=by_rank):
        others = _connected(literal, [other for other in left if other != literal])
        if not any(place.excludes(literal, others) for place in places):
            left.remove(literal)
    return frozenset(literals - {*left})


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


def by_rank(literal: NamedLiteral) -> tuple[bool, int, NamedLiteral]:
    """The order in which literals go."""
    positive = literal.positive and literal.predicate != EQUAL
    return positive, len(_variables(literal)), literal


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
    parameters: Parameters
    words: Vocabulary

    def excludes(self, literal: NamedLiteral, others: Sequence[NamedLiteral]) -> bool:
        """Whether arguments satisfy the others and not this one, or too many would have to be looked at."""
        needed = [*others, literal.negated]
        named = {variable for each in needed for variable in _variables(each)}
        own = tuple((variable, kind) for variable, kind in self.parameters if variable in named)
        atoms = [each for each in needed if each.positive and each.predicate != EQUAL]
        limit = BindingLimit(literal.predicate, MAX_BINDINGS)
        try:
            for found in bindings(atoms, self.held, limit=limit):
                for binding in completed(own, found, self.task.objects, self.words.types):
                    limit.take()
                    if all(each.holds(binding, self.task.facts) for each in needed):
                        return True
        except TooLoose:
            return True
        return False
