"""Types that a domain does not declare, inferred from what was seen: which literals are worth a look.

Where a domain has no types, an action of seven parameters has hundreds of literals over them, and each may be
an effect. Most mix up what the domain's authors kept apart with predicates, as `(food ?x)` or `(place ?x)`.
A kind of objects is what no effect changes of the predicates of one argument that are true of them at the
start. A parameter is of the kinds that the world has executed its action with. An argument of a predicate is
of the kinds that stand there at the start in some task, and of those of the parameters that stand there in
some precondition or effect of the model. A literal is left out where its predicate's argument and the term
there have no kind in common.

That is a guess: an effect that the model lacks may be the only one to put a kind of objects there. So it is
made in large actions only, and whoever explains too little without the other literals has to go on with them
(`RepairSession.stop_inferring_types`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from agents.repair.examples import TrainingExamples
from agents.repair.model import EQUAL, Editable, Model
from envs.pddl.simulation.lifted import Literal, literals_of

#: Literals of one action above which some are left out.
MANY_LITERALS = 200
#: The predicates that are true of an object of this kind.
Kind = frozenset[str]


def without_ill_typed(model: Model, seen: TrainingExamples) -> Model:
    """The model without such literals in its large actions; the model itself where nothing is left out."""
    large = {name: own for name, own in model.actions.items() if len(own.candidates) > MANY_LITERALS}
    if not large:
        return model
    kinds = _Kinds(model, seen)
    less = {name: kinds.admitted(own) for name, own in large.items()}
    if all(less[name].tests == own.tests for name, own in large.items()):
        return model
    return replace(model, actions={**model.actions, **less})


class _Kinds:
    """The kinds of objects in one model, and where they stand."""

    def __init__(self, model: Model, seen: TrainingExamples):
        self._model, self._seen = model, seen
        self._of = [self._of_objects(task) for task in range(len(model.tasks))]
        self._terms: dict[tuple[str, int], set[Kind] | None] = {}
        self._elsewhere = self._in_other_parts()
        self._places = self._at_places()
        self._same = self._same_arguments()

    def admitted(self, action: Editable) -> Editable:
        """The action with those of its literals that are well-typed."""
        candidates = tuple(p for p in action.candidates if self._is_typed(action, p))
        return replace(
            action, candidates=candidates, tests=tuple(p for p in action.tests if self._is_typed(action, p))
        )

    def _is_typed(self, action: Editable, literal: Literal) -> bool:
        own = [self._of_term(action.name, term) for term in literal.terms]
        if literal.predicate == EQUAL:
            places = own[::-1]
        else:
            places = [self._places.get((literal.predicate, place)) for place in range(len(own))]
        fits = all(not a or not b or a & b for a, b in zip(own, places, strict=True))
        same = self._same.get(literal.predicate)
        return fits and (same is None or _equal_pairs(literal.terms) <= same)

    def _of_objects(self, task: int) -> dict[int, Kind]:
        """The kind of each object in one task; by number."""
        true: dict[int, set[str]] = defaultdict(set)
        init = self._model.tasks[task].init
        for predicate in sorted(self._model.steady & init.keys()):
            for row in init[predicate]:
                if len(row) == 1:
                    true[row[0]].add(predicate)
        return {number: frozenset(true[number]) for number in range(self._model.base)}

    def _of_term(self, action: str, term: int) -> set[Kind] | None:
        """The kinds of a term; None of a parameter of an action that the world has not executed."""
        if (action, term) not in self._terms:
            self._terms[action, term] = self._executed(action, term)
        return self._terms[action, term]

    def _executed(self, action: str, term: int) -> set[Kind] | None:
        if term >= 0:
            return {own[term] for own in self._of}
        examples = self._seen.of[action]
        if not len(examples.positive):
            return None
        tasks = self._seen.walks.task[examples.nodes[examples.positive]]
        pairs = np.unique(np.stack([tasks, examples.arguments[examples.positive, ~term]]), axis=1)
        return {self._of[task][number] for task, number in pairs.T.tolist()}

    def _at_places(self) -> dict[tuple[str, int], set[Kind]]:
        """The kinds at each argument of each predicate; none for one of which too little is known."""
        found: dict[tuple[str, int], set[Kind]] = defaultdict(set)
        for kinds, task in zip(self._of, self._model.tasks, strict=True):
            for predicate, rows in task.init.items():
                for row in rows:
                    for place, number in enumerate(row):
                        found[predicate, place].add(kinds[number])
        for action, literal in self._own_literals():
            for place, term in enumerate(literal.terms):
                found[literal.predicate, place] |= self._of_term(action, term) or set()
        for predicate in self._elsewhere:
            for place in range(len(self._model.domain.predicates[predicate])):
                found.pop((predicate, place), None)
        return found

    def _same_arguments(self) -> dict[str, set[tuple[int, int]]]:
        """By predicate, the pairs of arguments that are the same at the start, or in the model."""
        rows = [(p, row) for task in self._model.tasks for p, found in task.init.items() for row in found]
        rows += [(literal.predicate, literal.terms) for _, literal in self._own_literals()]
        found: dict[str, set[tuple[int, int]]] = defaultdict(set)
        for predicate, row in rows:
            found[predicate] |= _equal_pairs(row)
        return {p: pairs for p, pairs in found.items() if p not in self._elsewhere}

    def _own_literals(self) -> Iterator[tuple[str, Literal]]:
        for name, action in self._model.actions.items():
            yield from ((name, literal) for literal in (*action.preconditions, *action.effects))

    def _in_other_parts(self) -> set[str]:
        """The predicates in parts that are no literals, whose variables may be of any kind."""
        found: set[str] = set()
        for action in self._model.actions.values():
            for condition in (*action.fixed, *(effect.condition for effect in action.conditional)):
                found |= {literal.predicate for literal in literals_of(condition)}
            found |= {effect.predicate for effect in action.conditional}
        return found - {EQUAL}


def _equal_pairs(row: Sequence[int]) -> set[tuple[int, int]]:
    """The places of equal numbers, two by two."""
    return {(i, j) for i, j in combinations(range(len(row)), 2) if row[i] == row[j]}
