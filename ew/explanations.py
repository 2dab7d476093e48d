"""Which literals of the model, if changed, would explain its disagreements with the world.

Evidence are operators in joint states: whether the world runs them, whether the model does, and which parts
of the model's precondition hold. Three kinds of single changes are weighed, each by how many disagreements it
explains and how many agreements it would break (contradictions):

- a precondition to add: a literal over the action's parameters. It explains an operator that only the model
  runs if it is false there, and contradicts one that both run if it is false there.
- a precondition to drop: a part of the model's precondition. It explains an operator that only the world runs
  if it alone is false there, and contradicts one that both refuse if it alone is false there.
- an effect to add: the fault may lie earlier. If a single precondition literal decides, the suspect is the
  last operator of the walk whose arguments include all of the literal's: its action may lack the effect that
  would have made the literal right. It explains and contradicts operators as above.

These are counts, not proofs: the literal that explains most and contradicts nothing is the first to look at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import product

import numpy as np
from numpy.typing import NDArray

from envs.pddl.language import Domain
from envs.pddl.lifted import And, Condition, Equality, Exists, Forall, LiftedTask, Literal, Or, Schema
from ew.relations import Holds, Relations

#: An operator of a walk: its action and its arguments' numbers.
Step = tuple[str, tuple[int, ...]]


class Change(StrEnum):
    """What is done to the literal."""

    ADD_PRECONDITION = "add_precondition"
    DROP_PRECONDITION = "drop_precondition"
    ADD_EFFECT = "add_effect"


@dataclass(frozen=True)
class Explanation:
    """A change of one literal of one action, and what speaks for and against it."""

    change: Change
    action: str
    literal: str  #: over the action's parameters
    explains: int  #: disagreements that it would remove
    contradicts: int  #: agreements that it would break


@dataclass(frozen=True, eq=False)
class Evidence:
    """Operators of one schema in one joint state, one a row."""

    schema: Schema
    arguments: NDArray[np.int64]  #: shape (operators, arity)
    in_world: NDArray[np.bool_]
    in_model: NDArray[np.bool_]


class Weighing:
    """Counts evidence for and against every change; grows by `add`."""

    def __init__(self, task: LiftedTask, domain: Domain):
        self._task = task
        self._schemas = {s.name: s for s in task.schemas}
        self._names = {
            name: tuple(str(v.symbol) for v in action.parameters) for name, action in domain.actions.items()
        }
        self._literals = {s.name: tuple(_literals(s, domain)) for s in task.schemas}
        self._present = {
            (s.name, e.predicate, e.terms, e.adds) for s in task.schemas for e in s.effects if not e.variables
        }
        self._for: Counter[tuple[Change, str, str]] = Counter()
        self._against: Counter[tuple[Change, str, str]] = Counter()

    def add(self, evidence: Evidence, state: Relations, walk: Sequence[Step]) -> None:
        """Weigh the operators met in a state that `walk` leads to."""
        base, schema, count = len(self._task.objects), evidence.schema, len(evidence.arguments)
        holds = Holds(schema, state, base)
        columns = {v: evidence.arguments[:, v] for v in range(schema.arity)}
        for literal in self._literals[schema.name]:
            held = holds.rows(literal, columns, count)
            self._weigh_added(schema, literal, evidence, held)
        parts = parts_of(schema.precondition)
        held_parts = np.array([holds.rows(p, columns, count) for p in parts]).reshape(len(parts), count)
        for number, part in enumerate(parts):
            alone = ~held_parts[number] & (np.delete(held_parts, number, axis=0).all(axis=0))
            self._weigh_dropped(schema, part, evidence, alone)
            if isinstance(part, Literal):
                self._weigh_effects(part, evidence, alone, walk)

    def explanations(self, at_most: int = 10) -> tuple[Explanation, ...]:
        """The changes that explain more than they contradict, the best first."""
        found = [Explanation(*key, self._for[key], self._against[key]) for key in sorted(self._for)]
        better = [e for e in found if e.explains > e.contradicts]
        return tuple(sorted(better, key=lambda e: (e.contradicts - e.explains, e.contradicts))[:at_most])

    def _weigh_added(
        self, schema: Schema, literal: Literal, evidence: Evidence, held: NDArray[np.bool_]
    ) -> None:
        for positive in (True, False):
            signed = Literal(literal.predicate, literal.terms, positive)
            key = (Change.ADD_PRECONDITION, schema.name, self._text(schema.name, signed))
            false = held != positive
            self._count(key, false & evidence.in_model & ~evidence.in_world, for_it=True)
            self._count(key, false & evidence.in_model & evidence.in_world, for_it=False)

    def _weigh_dropped(
        self, schema: Schema, part: Condition, evidence: Evidence, alone: NDArray[np.bool_]
    ) -> None:
        key = (Change.DROP_PRECONDITION, schema.name, self._text(schema.name, part))
        self._count(key, alone & evidence.in_world, for_it=True)
        self._count(key, alone & ~evidence.in_world, for_it=False)

    def _weigh_effects(
        self, part: Literal, evidence: Evidence, alone: NDArray[np.bool_], walk: Sequence[Step]
    ) -> None:
        """The part should hold where it alone keeps the model back, and not where only the model runs."""
        decides = alone | evidence.in_model
        for row in np.flatnonzero(decides).tolist():
            arguments = evidence.arguments[row].tolist()
            ground = tuple(t if t >= 0 else arguments[~t] for t in part.terms)
            wrong = bool(evidence.in_world[row] != evidence.in_model[row])
            adds = part.positive != bool(evidence.in_model[row])
            for action, effect in self._suspects(part.predicate, ground, adds, walk):
                self._count((Change.ADD_EFFECT, action, effect), np.ones(1, dtype=np.bool_), for_it=wrong)

    def _suspects(
        self, predicate: str, ground: tuple[int, ...], adds: bool, walk: Sequence[Step]
    ) -> Iterator[tuple[str, str]]:
        """Effects of the last operator that touches all of the atom's objects, which its action lacks."""
        for action, arguments in reversed(walk):
            if not set(ground) <= set(arguments) or not ground:
                continue
            places = [[~v for v, o in enumerate(arguments) if o == wanted] for wanted in ground]
            for terms in product(*places):
                if (action, predicate, terms, adds) not in self._present:
                    yield action, self._text(action, Literal(predicate, terms, adds))
            return

    def _count(self, key: tuple[Change, str, str], rows: NDArray[np.bool_], *, for_it: bool) -> None:
        number = int(np.count_nonzero(rows))
        if number:
            (self._for if for_it else self._against)[key] += number

    def _text(self, action: str, condition: Condition) -> str:
        return render(condition, self._task.objects, self._names[action])


def parts_of(condition: Condition) -> tuple[Condition, ...]:
    """The parts of a conjunction."""
    return condition.parts if isinstance(condition, And) else (condition,)


def render(condition: Condition, objects: Sequence[str], parameters: Sequence[str]) -> str:
    """A lifted condition as PDDL; variables beyond the parameters are named by their numbers."""

    def term(number: int) -> str:
        if number >= 0:
            return objects[number]
        return parameters[~number] if ~number < len(parameters) else f"?v{~number}"

    def text(c: Condition) -> str:
        match c:
            case Literal(predicate=predicate, terms=terms, positive=positive):
                atom = f"({' '.join((predicate, *map(term, terms)))})"
                return atom if positive else f"(not {atom})"
            case Equality(left=left, right=right, positive=positive):
                atom = f"(= {term(left)} {term(right)})"
                return atom if positive else f"(not {atom})"
            case And(parts=parts):
                return f"({' '.join(('and', *map(text, parts)))})"
            case Or(parts=parts):
                return f"({' '.join(('or', *map(text, parts)))})"
            case Forall(variables=variables, body=body):
                return f"(forall ({' '.join(term(~v) for v in variables)}) {text(body)})"
            case Exists(variables=variables, body=body):
                return f"(exists ({' '.join(term(~v) for v in variables)}) {text(body)})"

    return text(condition)


def _literals(schema: Schema, domain: Domain) -> Iterator[Literal]:
    """Every typed atom over the parameters of an action, each argument of a declared type's subtype."""
    kinds = [str(v.sort.name) for v in domain.actions[schema.name].parameters]
    for name, declaration in sorted(domain.predicates.items()):
        wanted = [str(v.sort.name) for v in declaration.parameters]
        fitting = [[~v for v, k in enumerate(kinds) if domain.is_subtype(k, w)] for w in wanted]
        for terms in product(*fitting):
            yield Literal(name, terms, True)
