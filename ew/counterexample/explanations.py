"""Which single changes of the model would explain its disagreements with the world.

Evidence are operators in joint states: whether the world runs them, whether the model does, and which parts
of the model's precondition hold. Changes of four kinds are proposed where they fit some disagreement:

- a precondition to add: a literal over the action's parameters that is false where only the model runs.
- a precondition to drop: a part of the model's precondition that alone is false where only the world runs.
- an effect to add: the fault may lie earlier. If a single precondition literal decides, the suspect is the
  last operator of the walk whose arguments include all of the literal's: its action may lack the effect that
  would have made the literal right.
- a fact of the initial state to add or to drop: if a precondition literal decides about an atom that nothing
  touched along the walk, no action has had a say in it.

Each is then tried on all that was observed (`ew.counterexample.retrial`), which counts the disagreements that
it explains and the agreements that it contradicts. These are counts, not proofs. Changes with equal counts
are equals: nothing that was seen tells them apart, and their order says nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import product
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from envs.pddl.language.domain import Domain
from envs.pddl.simulation import lifted
from envs.pddl.simulation.lifted import Condition, LiftedTask, Literal, Schema
from ew.counterexample.retrial import Atom, Retrial, Step, TriedOperators, flipped, touched
from ew.lifted.relations import Holds, Relations

#: Of the proposed changes of actions, and of facts, so many are tried: those that fit most, all equals.
MAX_TRIED = 16
#: Facts that are changed together.
MAX_TOGETHER = 4


class Change(StrEnum):
    """What is done to the literal."""

    ADD_PRECONDITION = "add_precondition"
    DROP_PRECONDITION = "drop_precondition"
    ADD_EFFECT = "add_effect"
    ADD_FACT = "add_fact"
    DROP_FACT = "drop_fact"


#: Changes of the problem's initial state.
FACTS = frozenset({Change.ADD_FACT, Change.DROP_FACT})


@dataclass(frozen=True)
class Explanation:
    """A change of one literal, and what speaks for and against it."""

    change: Change
    action: str  #: empty for a fact of the initial state
    literal: str  #: over the action's parameters; of a fact, the atom
    explains: int  #: disagreements that it would remove
    contradicts: int  #: agreements that it would break


@dataclass(frozen=True)
class Together:
    """Facts of the initial state that, changed at once, explain all that was seen; empty: none was found."""

    facts: tuple[tuple[Change, str], ...] = ()
    explains: int = 0


NOT_TOGETHER = Together()


@dataclass(frozen=True)
class Alike:
    """Two operators that the world treats differently and no predicate of the model tells apart."""

    executed: str  #: an operator that the world executes
    refused: str  #: one of the same action that it refuses


@dataclass(frozen=True)
class _Proposed:
    """A change as data."""

    change: Change
    action: str
    condition: Condition  #: over the action's parameters; of a fact, a positive literal without variables

    def made(self, task: LiftedTask) -> LiftedTask:
        """The task with the change."""
        if self.change in FACTS:
            return flipped(task, [self.atom])
        return replace(task, schemas=tuple(map(self._schema, task.schemas)))

    @property
    def atom(self) -> Atom:
        """Of a fact."""
        assert isinstance(self.condition, Literal)
        return self.condition.predicate, self.condition.terms

    def _schema(self, schema: Schema) -> Schema:
        if schema.name != self.action:
            return schema
        parts, part = parts_of(schema.precondition), self.condition
        if self.change is Change.ADD_PRECONDITION:
            return replace(schema, precondition=lifted.conjunction((*parts, part)))
        if self.change is Change.DROP_PRECONDITION:
            return replace(schema, precondition=lifted.conjunction(p for p in parts if p != part))
        assert isinstance(part, Literal)
        effect = lifted.LiftedEffect((), lifted.TRUE, part.predicate, part.terms, part.positive)
        return replace(schema, effects=(*schema.effects, effect))


class Weighing:
    """Proposes changes and counts the evidence for and against each; grows by `add`."""

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
        self._proposed: Counter[_Proposed] = Counter()  #: by how many disagreements it was proposed for
        self._retrial = Retrial(task)
        #: By action and the values of all literals: an operator that the world runs, and one that it refuses.
        self._profiles: dict[tuple[str, bytes], dict[bool, str]] = {}
        self._differing: set[str] = set()

    def add(self, evidence: TriedOperators, state: Relations, walk: Sequence[Step]) -> None:
        """Weigh the operators met in a state that `walk` leads to; what was met there before counts once."""
        evidence = self._retrial.add(evidence, walk)
        base, schema, count = len(self._task.objects), evidence.schema, len(evidence.arguments)
        holds = Holds(schema, state, base)
        columns = {v: evidence.arguments[:, v] for v in range(schema.arity)}
        literals = self._literals[schema.name]
        held = np.array([holds.rows(p, columns, count) for p in literals], dtype=np.bool_)
        self._profile(evidence, held.reshape(len(literals), count))
        if (evidence.in_world == evidence.in_model).all():
            return
        self._differing.add(schema.name)
        self._propose_added(evidence, held.reshape(len(literals), count))
        parts = parts_of(schema.precondition)
        held_parts = np.array([holds.rows(p, columns, count) for p in parts]).reshape(len(parts), count)
        for number, part in enumerate(parts):
            alone = ~held_parts[number] & (np.delete(held_parts, number, axis=0).all(axis=0))
            dropped = _Proposed(Change.DROP_PRECONDITION, schema.name, part)
            self._count(dropped, alone & evidence.in_world)
            if isinstance(part, Literal):
                self._propose_about(part, evidence, alone, walk)

    @property
    def differences(self) -> int:
        """Operators after walks that only one side runs, each once."""
        return self._retrial.differences

    def explanations(self) -> tuple[Explanation, ...]:
        """The changes that explain more than they contradict, by the difference; then by contradictions."""
        found = [self._tried(proposed) for proposed in self._chosen()]
        better = [e for e in found if e.explains > e.contradicts]
        by = attrgetter("contradicts", "change", "action", "literal")
        return tuple(sorted(better, key=lambda e: (e.contradicts - e.explains, by(e))))

    def together(self) -> Together:
        """Few facts that explain all that was seen and contradict nothing; empty if one alone does, or none.

        Begins with each of the facts that explain most, and adds the one that explains most beside them.
        """
        facts = [p for p in self._chosen() if p.change in FACTS]
        wanted = self.differences
        weighed = {p: self._retrial.weigh(p.made(self._task)) for p in facts}
        sound = [p for p in facts if weighed[p][0] and not weighed[p][1]]
        if any(weighed[p][0] == wanted for p in sound):
            return NOT_TOGETHER
        for start in sorted(sound, key=lambda p: -weighed[p][0])[:MAX_TOGETHER]:
            chosen = self._grown([start], facts, weighed[start][0])
            if chosen is not None:
                named = tuple(sorted((p.change, self._text("", p.condition)) for p in chosen))
                return Together(named, wanted)
        return NOT_TOGETHER

    def alike(self) -> tuple[Alike, ...]:
        """Of each action that differs, two operators that no literal over its parameters tells apart."""
        found = {
            action: Alike(both[True], both[False])
            for (action, _), both in sorted(self._profiles.items())
            if action in self._differing and len(both) == 2
        }
        return tuple(found[action] for action in sorted(found))

    def _grown(
        self, chosen: list[_Proposed], facts: Sequence[_Proposed], explains: int
    ) -> list[_Proposed] | None:
        """With more facts, until all is explained; None if that does not come about."""
        while explains < self.differences:
            if len(chosen) == MAX_TOGETHER:
                return None
            others = [p for p in facts if p not in chosen]
            tried = [
                (*self._retrial.weigh(flipped(self._task, [q.atom for q in (*chosen, p)])), n)
                for n, p in enumerate(others)
            ]
            sound = [(more, -n) for more, against, n in tried if not against and more > explains]
            if not sound:
                return None
            explains, number = max(sound)
            chosen = [*chosen, others[-number]]
        return chosen

    def _chosen(self) -> list[_Proposed]:
        """The changes that are tried, of actions and of facts: the fittest, and the last one's equals."""
        found: list[_Proposed] = []
        for facts in (True, False):
            own = sorted(
                (p for p in self._proposed if (p.change in FACTS) == facts),
                key=lambda p: (-self._proposed[p], p.change, p.action, repr(p.condition)),
            )
            least = self._proposed[own[MAX_TRIED - 1]] if len(own) > MAX_TRIED else 0
            found += [p for p in own if self._proposed[p] >= least][: 3 * MAX_TRIED]
        return found

    def _tried(self, proposed: _Proposed) -> Explanation:
        explains, contradicts = self._retrial.weigh(proposed.made(self._task))
        literal = self._text(proposed.action, proposed.condition)
        return Explanation(proposed.change, proposed.action, literal, explains, contradicts)

    def _profile(self, evidence: TriedOperators, held: NDArray[np.bool_]) -> None:
        for row in range(len(evidence.arguments)):
            both = self._profiles.setdefault((evidence.schema.name, held[:, row].tobytes()), {})
            names = (self._task.objects[a] for a in evidence.arguments[row].tolist())
            both.setdefault(bool(evidence.in_world[row]), f"({' '.join((evidence.schema.name, *names))})")

    def _propose_added(self, evidence: TriedOperators, held: NDArray[np.bool_]) -> None:
        only_model = evidence.in_model & ~evidence.in_world
        if not only_model.any():
            return
        name = evidence.schema.name
        for literal, rows in zip(self._literals[name], held, strict=True):
            for positive in (True, False):
                signed = Literal(literal.predicate, literal.terms, positive)
                self._count(_Proposed(Change.ADD_PRECONDITION, name, signed), (rows != positive) & only_model)

    def _propose_about(
        self, part: Literal, evidence: TriedOperators, alone: NDArray[np.bool_], walk: Sequence[Step]
    ) -> None:
        """The part should hold where it alone keeps the model back, and not where only the model runs."""
        wrong = (alone & evidence.in_world) | (evidence.in_model & ~evidence.in_world)
        for row in np.flatnonzero(wrong).tolist():
            arguments = evidence.arguments[row].tolist()
            ground = tuple(t if t >= 0 else arguments[~t] for t in part.terms)
            should = bool(evidence.in_world[row])
            for action, effect in self._suspects(part.predicate, ground, part.positive == should, walk):
                self._proposed[_Proposed(Change.ADD_EFFECT, action, effect)] += 1
            if not touched(self._task, (part.predicate, ground), walk):
                change = Change.DROP_FACT if part.positive != should else Change.ADD_FACT
                self._proposed[_Proposed(change, "", Literal(part.predicate, ground, True))] += 1

    def _suspects(
        self, predicate: str, ground: tuple[int, ...], adds: bool, walk: Sequence[Step]
    ) -> Iterator[tuple[str, Literal]]:
        """Effects of the last operator that touches all of the atom's objects, which its action lacks."""
        for action, arguments in reversed(walk):
            if not set(ground) <= set(arguments) or not ground:
                continue
            places = [[~v for v, o in enumerate(arguments) if o == wanted] for wanted in ground]
            for terms in product(*places):
                if (action, predicate, terms, adds) not in self._present:
                    yield action, Literal(predicate, terms, adds)
            return

    def _count(self, proposed: _Proposed, rows: NDArray[np.bool_]) -> None:
        number = int(np.count_nonzero(rows))
        if number:
            self._proposed[proposed] += number

    def _text(self, action: str, condition: Condition) -> str:
        return render(condition, self._task.objects, self._names.get(action, ()))


def parts_of(condition: Condition) -> tuple[Condition, ...]:
    """The parts of a conjunction."""
    return condition.parts if isinstance(condition, lifted.And) else (condition,)


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
            case lifted.Equality(terms=(left, right), positive=positive):
                atom = f"(= {term(left)} {term(right)})"
                return atom if positive else f"(not {atom})"
            case lifted.And(parts=parts):
                return f"({' '.join(('and', *map(text, parts)))})"
            case lifted.Or(parts=parts):
                return f"({' '.join(('or', *map(text, parts)))})"
            case lifted.Forall(variables=variables, body=body):
                return f"(forall ({' '.join(term(~v) for v in variables)}) {text(body)})"
            case lifted.Exists(variables=variables, body=body):
                return f"(exists ({' '.join(term(~v) for v in variables)}) {text(body)})"

    return text(condition)


def _literals(schema: Schema, domain: Domain) -> Iterator[Literal]:
    """Every typed atom over the parameters of an action, each argument of a declared type's subtype."""
    kinds = [str(v.sort.name) for v in domain.actions[schema.name].parameters]
    for name, parameters in sorted(domain.predicates.items()):
        wanted = [kind for _, kind in parameters]
        fitting = [[~v for v, k in enumerate(kinds) if domain.is_subtype(k, w)] for w in wanted]
        for terms in product(*fitting):
            yield Literal(name, terms, True)
