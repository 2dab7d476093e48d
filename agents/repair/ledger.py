"""The ledger of evidence: what speaks for and against each literal of a repaired model, counted, with a walk.

A precondition is refuted by every operator that the world executed where it was false, and needed for every
operator that the world refused though all other preconditions held. An effect is needed for what was seen
only because it happened: executed operators one of whose preconditions it made true, and refused ones that
nothing excludes but what it changed. It is refuted where it made a precondition false that was refuted there;
one that the repair took away, by all that the model explains without it and would not explain with it.

A precondition that was added stays open as long as others could have been added in its place: these are its
rivals, and are in the ledger too. An effect on what the goal reads is needed, too, if the goal holds in the
world after a walk and would not hold in the model without it.

All evidence is relative to the states of the repaired model. An atom's origin at a node is the effect
without which it would have another value there: the one that changed it last, if no other effect has written
the same value again since then. So an observation that depends on the atom is evidence for that effect. What
conditional effects change has no origin.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from agents.repair.candidate import Candidate, EffectEdit, effects_of
from agents.repair.fit import Fit
from agents.repair.goal_reach import goal_held
from agents.repair.lessons import Examples, Lessons
from agents.repair.model import Editable, Effect, Model
from agents.repair.search import Repairs
from agents.repair.states import Forest, Level, Paths, Tables, holds, keys_of
from agents.repair.text import shown
from envs.pddl.language.operators import format_operator
from envs.pddl.language.terms import Part
from envs.pddl.simulation.lifted import Literal
from ew.counterexample.observations import Observation

Mask = NDArray[np.bool_]
Indices = NDArray[np.int64]
#: Examples that are evidence: rows of an action's number and the example's.
Pairs = NDArray[np.int64]
_NOTHING: Pairs = np.zeros((0, 2), dtype=np.int64)
#: No effect, or more than one. All numbers below 0 say this.
_NONE = -1
#: The atom's value is new in this step, and nothing has been found yet that wrote it.
_NEW = -2
#: Predicate to the numbers of the effects, of the shape of its table; negative where there is no origin.
Origins = Mapping[str, NDArray[np.int16]]
#: The effects of each action, numbered.
Numbered = Mapping[str, Sequence[tuple[int, Literal]]]


class Standing(StrEnum):
    """What is known about a literal."""

    NEEDED = (
        "needed"  #: something that was seen cannot be explained without it, and nothing speaks against it
    )
    REFUTED = "refuted"
    OPEN = "open"  #: nothing that was seen depends on it, or something else would have done as well


@dataclass(frozen=True)
class Entry:
    """The evidence about one literal of one action. Counts are of operators, each in one state."""

    action: str
    part: Part
    literal: str
    present: bool  #: whether the repaired model has it
    edited: bool  #: whether the repair added or removed it
    supporting: int  #: cannot be explained without it
    refuting: int  #: cannot be explained with it
    rivals: int = 0  #: literals that would have done as well
    rival_of: str = ""  #: the literal that was added in whose place this one would have done as well
    example: Observation | None = None  #: after the shortest walk; a refuting one if there is any
    goal: bool = False  #: whether the goal, where it holds in the world, would not hold without it

    @property
    def standing(self) -> Standing:
        """What follows from the counts."""
        if self.refuting:
            return Standing.REFUTED
        alone = self.supporting and not self.rivals and not self.rival_of
        return Standing.NEEDED if alone or self.goal else Standing.OPEN


def ledger(
    model: Model,
    seen: Lessons,
    candidate: Candidate,
    repairs: Repairs | None = None,
    reached: Sequence[int] = (),
) -> tuple[Entry, ...]:
    """The evidence about all literals of the repaired model, those that were removed, and rivals.

    By action in the order of their names, preconditions first. `repairs` are those of the same model and
    lessons, if somebody has them already; `reached` are nodes where the goal holds in world and model.
    """
    return tuple(_Ledger(model, seen, candidate, repairs or Repairs(model, seen), reached).entries())


@dataclass(frozen=True, eq=False)
class _View:
    """One action's examples in the states of the repaired model."""

    number: int
    action: Editable
    examples: Examples
    found: Fit
    literals: tuple[Literal, ...]  #: the preconditions of the repaired model
    truth: Mask  #: of these, shape (literals, examples)
    fixed: Mask

    def only(self, row: int) -> Indices:
        """The refused examples that this one of the preconditions excludes and nothing else."""
        refused = self.examples.negative
        false = np.count_nonzero(~self.truth[:, refused], axis=0) + ~self.fixed[refused]
        found: Indices = refused[~self.truth[row, refused] & (false == 1)]
        return found

    def pairs(self, examples: Indices) -> Pairs:
        """Examples of this action as evidence."""
        return np.stack([np.full(len(examples), self.number), examples], axis=1)


class _Ledger:
    """One candidate and what was seen."""

    def __init__(
        self, model: Model, seen: Lessons, candidate: Candidate, repairs: Repairs, reached: Sequence[int]
    ):
        self._model, self._seen, self._candidate, self._repairs = model, seen, candidate, repairs
        self._reached = list(reached)
        self._tables = repairs.tables(candidate.edits)
        self._paths = Paths.of(seen.walks)
        self._views = [self._view(i, model.actions[name]) for i, name in enumerate(sorted(model.actions))]
        self._effects = [
            (view.action.schema.name, effect)
            for view in self._views
            for effect in effects_of(view.action, candidate.edits)
        ]

    def entries(self) -> Iterator[Entry]:
        """All entries."""
        evidence = self._evidence_of_effects()
        removed = [e for e in self._candidate.edits if isinstance(e, EffectEdit) and not e.present]
        for view in self._views:
            yield from self._preconditions(view)
            for (name, effect), (supporting, refuting) in zip(self._effects, evidence, strict=True):
                if name == view.action.schema.name:
                    edited = effect not in view.action.effects
                    entry = self._entry(view, Part.EFFECT, effect, True, edited, supporting, refuting)
                    yield replace(entry, goal=self._goal_needs(view, effect))
            for edit in sorted(removed, key=repr):
                if edit.action == view.action.schema.name:
                    refuting = self._wrong_with(edit)
                    yield self._entry(view, Part.EFFECT, edit.effect, False, True, _NOTHING, refuting)

    def _goal_needs(self, view: _View, effect: Effect) -> bool:
        """Whether the goal would not hold without an effect, at some node where it holds in the world."""
        if not self._reached or (effect.predicate, effect.positive) not in self._model.wanted:
            return False
        edit = EffectEdit(view.action.schema.name, effect, effect not in view.action.effects)
        held = goal_held(self._model, self._repairs, self._candidate.edits ^ {edit})
        return not held[self._reached].all()

    def _preconditions(self, view: _View) -> Iterator[Entry]:
        for literal, _ in view.found.dropped:
            executed = view.examples.positive
            refuting = view.pairs(executed[~self._truth(literal, view.examples)[executed]])
            yield self._entry(view, Part.PRECONDITION, literal, False, True, _NOTHING, refuting)
        for row, literal in enumerate(view.literals):
            only, added = view.only(row), literal in view.found.added
            rivals = self._rivals(view, only) if added else []
            yield self._entry(
                view, Part.PRECONDITION, literal, True, added, view.pairs(only), _NOTHING, len(rivals)
            )
            for rival in rivals:
                yield self._entry(
                    view, Part.PRECONDITION, rival, False, False, view.pairs(only), _NOTHING, 0, literal
                )

    def _rivals(self, view: _View, only: Indices) -> list[Literal]:
        """Literals that nothing refutes and that exclude the same refused examples."""
        kept = set(view.literals) | {literal for literal, _ in view.found.dropped}
        others = [literal for literal in view.action.tests if literal not in kept]
        truths = ((literal, self._truth(literal, view.examples)) for literal in others)
        return [p for p, held in truths if held[view.examples.positive].all() and not held[only].any()]

    def _evidence_of_effects(self) -> list[tuple[Pairs, Pairs]]:
        """By effect of the repaired model, the examples that support it and those that refute it."""
        numbered: dict[str, list[tuple[int, Effect]]] = {view.action.schema.name: [] for view in self._views}
        for number, (name, effect) in enumerate(self._effects):
            numbered[name].append((number, effect))
        read = {p.predicate for view in self._views for p in (*view.literals, *_dropped(view))}
        tables = {p: self._tables[p] for p in sorted(read)}
        made = origins(self._seen.walks, numbered, tables, self._model.base)
        supporting, refuting = [], []
        for view in self._views:
            executed = view.examples.positive
            for row, literal in enumerate(view.literals):
                depending = np.concatenate([executed[view.truth[row, executed]], view.only(row)])
                supporting.append(self._by_origin(view, literal, depending, made[literal.predicate]))
            for literal in _dropped(view):
                false = executed[~self._truth(literal, view.examples)[executed]]
                refuting.append(self._by_origin(view, literal, false, made[literal.predicate]))
        return list(zip(self._grouped(supporting), self._grouped(refuting), strict=True))

    def _by_origin(
        self, view: _View, literal: Literal, examples: Indices, origin: NDArray[np.int16]
    ) -> NDArray[np.int64]:
        """Rows of an effect and a pair, where the effect made the literal's atom what it is."""
        nodes, arguments = view.examples.nodes[examples], view.examples.arguments[examples]
        keys = keys_of(literal.terms, dict(enumerate(arguments.T)), len(examples), self._model.base)
        effects = origin[nodes, keys].astype(np.int64)
        rows = np.concatenate([effects[:, None], view.pairs(examples)], axis=1)
        return rows[effects >= 0]

    def _grouped(self, parts: list[NDArray[np.int64]]) -> list[Pairs]:
        """Rows of an effect and a pair, as pairs by effect, each once."""
        rows = np.unique(np.concatenate([np.zeros((0, 3), dtype=np.int64), *parts]), axis=0)
        ends = np.searchsorted(rows[:, 0], np.arange(len(self._effects) + 1))
        return [rows[a:b, 1:] for a, b in pairwise(ends.tolist())]

    def _wrong_with(self, edit: EffectEdit) -> Pairs:
        """The examples that the repaired model explains and would not explain had it kept the effect."""
        tables = self._repairs.tables(self._candidate.edits - {edit})
        found = [_NOTHING]
        for view in self._views:
            executed = np.zeros(len(view.examples.nodes), dtype=np.bool_)
            executed[view.examples.positive] = True
            now = view.truth.all(axis=0) & view.fixed
            then = self._fixed(view.action, view.examples, tables)
            for literal in view.literals:
                then &= self._truth(literal, view.examples, tables)
            found.append(view.pairs(np.flatnonzero((now == executed) & (then != executed))))
        return np.concatenate(found)

    def _view(self, number: int, action: Editable) -> _View:
        name = action.schema.name
        examples, found = self._seen.examples[name], self._candidate.fits.get(name, Fit())
        dropped = {literal for literal, _ in found.dropped}
        literals = tuple(p for p in (*action.preconditions, *found.added) if p not in dropped)
        truth = np.ones((len(literals), len(examples.nodes)), dtype=np.bool_)
        for row, literal in enumerate(literals):
            truth[row] = self._truth(literal, examples)
        return _View(number, action, examples, found, literals, truth, self._fixed(action, examples))

    def _truth(self, literal: Literal, examples: Examples, tables: Tables | None = None) -> Mask:
        """Which examples satisfy a literal, in the states of the repaired model or in others."""
        columns = dict(enumerate(examples.arguments.T))
        keys = keys_of(literal.terms, columns, len(examples.nodes), self._model.base)
        held: Mask = (tables or self._tables)[literal.predicate][examples.nodes, keys] == literal.positive
        return held

    def _fixed(self, action: Editable, examples: Examples, tables: Tables | None = None) -> Mask:
        """Which examples satisfy the parts of the precondition that stay."""
        held = np.ones(len(examples.nodes), dtype=np.bool_)
        columns = dict(enumerate(examples.arguments.T))
        for part in action.fixed:
            nodes, found = examples.nodes, tables or self._tables
            held &= holds(part, columns, nodes, found, action.schema, self._model.base)
        return held

    def _entry(
        self,
        view: _View,
        part: Part,
        literal: Literal,
        present: bool,
        edited: bool,
        supporting: Pairs,
        refuting: Pairs,
        rivals: int = 0,
        rival_of: Literal | None = None,
    ) -> Entry:
        name = view.action.schema.name
        return Entry(
            name,
            part,
            shown(self._model, name, literal),
            present,
            edited,
            len(supporting),
            len(refuting),
            rivals,
            shown(self._model, name, rival_of) if rival_of else "",
            self._shortest(refuting if len(refuting) else supporting),
        )

    def _shortest(self, pairs: Pairs) -> Observation | None:
        """The observation after the shortest walk."""
        if not len(pairs):
            return None
        nodes = np.zeros(len(pairs), dtype=np.int64)
        for number in np.unique(pairs[:, 0]).tolist():
            own = pairs[:, 0] == number
            nodes[own] = self._views[number].examples.nodes[pairs[own, 1]]
        first = np.lexsort((pairs[:, 1], pairs[:, 0], nodes, self._paths.depth[nodes]))[0]
        number, example = pairs[first].tolist()
        examples, name = self._views[number].examples, self._views[number].action.schema.name
        operator = self._text(name, examples.arguments[example].tolist())
        walk = [self._text(step.action, step.arguments) for step in self._paths.to(int(nodes[first]))]
        return Observation.of(
            self._model.problem.name, walk, operator, bool(np.isin(example, examples.positive))
        )

    def _text(self, name: str, arguments: Sequence[int]) -> str:
        return format_operator(name, [self._model.task.objects[a] for a in arguments])


def _dropped(view: _View) -> tuple[Literal, ...]:
    return tuple(literal for literal, _ in view.found.dropped)


def origins(walks: Forest, effects: Numbered, tables: Tables, base: int) -> Origins:
    """The origins of the atoms of all predicates in `tables`, which are the states that the effects make."""
    found = {p: np.full(table.shape, _NONE, dtype=np.int16) for p, table in tables.items()}
    for level in walks.levels:
        for group in level:
            for predicate, table in tables.items():
                rows = found[predicate][group.parents]
                rows[table[group.nodes] != table[group.parents]] = _NEW
                found[predicate][group.nodes] = rows
            own = [(number, effect) for number, effect in effects[group.schema] if effect.predicate in tables]
            for number, effect in sorted(own, key=lambda e: e[1].positive):  # deletes come before adds
                _write(group, number, effect, tables, found, base)
    return found


def _write(group: Level, number: int, effect: Literal, tables: Tables, found: Origins, base: int) -> None:
    """Note what one effect did at a group of nodes."""
    columns = dict(enumerate(group.arguments.T))
    keys = keys_of(effect.terms, columns, len(group.nodes), base)
    origin = found[effect.predicate]
    known = origin[group.nodes, keys]
    lasting = tables[effect.predicate][group.nodes, keys] == effect.positive
    written = np.where((known == _NEW) | (known == number), number, _NONE)
    # what is deleted and added at once is true by the adding alone, whatever it was before
    origin[group.nodes, keys] = np.where(lasting, written, _NEW)
