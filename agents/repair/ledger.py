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
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.repair.candidate import Candidate, EffectEdit, effects_of
from agents.repair.examples import ActionExamples, Mask, Numbers, Tables, keys_of
from agents.repair.forest import Forest, NodeGroup
from agents.repair.model import Editable
from agents.repair.rivals import rivals_of
from agents.repair.search import Repairs
from agents.repair.text import shown
from envs.pddl.language.operators import format_operator
from envs.pddl.language.terms import Part
from envs.pddl.simulation.lifted import Literal
from ew.counterexample.disagreement import Observation

#: Examples that are evidence: rows of an action's number and the example's.
Pairs = Numbers
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

    #: something that was seen cannot be explained without it, and nothing speaks against it
    NEEDED = "needed"
    REFUTED = "refuted"
    OPEN = "open"  #: nothing that was seen depends on it, or something else would have done as well


@dataclass(frozen=True)
class Entry:
    """The evidence about one literal of one action. Counts are of operators, each in one state."""

    action: str
    part: Part
    literal: str
    supporting: int  #: cannot be explained without it
    refuting: int  #: cannot be explained with it
    present: bool = True  #: whether the repaired model has it
    edited: bool = False  #: whether the repair added or removed it
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


def ledger(repairs: Repairs, candidate: Candidate, reached: Sequence[int] = ()) -> tuple[Entry, ...]:
    """The evidence about all literals of the repaired model, those that were removed, and rivals.

    By action in the order of their names, preconditions first. `reached` are nodes where the goal holds in
    world and model.
    """
    return tuple(_Ledger(repairs, candidate, list(reached)).entries())


@dataclass(frozen=True, eq=False)
class _View:
    """One action's examples in the states of the repaired model."""

    number: int
    action: Editable
    examples: ActionExamples
    added: tuple[Literal, ...]  #: of the preconditions
    refuted: dict[Literal, Numbers]  #: to the examples that the world executes where it is false
    literals: tuple[Literal, ...]  #: the preconditions of the repaired model
    truth: Mask  #: of these, shape (literals, examples)
    fixed: Mask

    def only(self, row: int) -> Numbers:
        """The refused examples that this one of the preconditions excludes and nothing else."""
        refused = self.examples.negative
        false = np.count_nonzero(~self.truth[:, refused], axis=0) + ~self.fixed[refused]
        found: Numbers = refused[~self.truth[row, refused] & (false == 1)]
        return found

    def pairs(self, examples: Numbers) -> Pairs:
        """Examples of this action as evidence."""
        return np.stack([np.full(len(examples), self.number), examples], axis=1)


class _Ledger:
    """One candidate and what was seen."""

    def __init__(self, repairs: Repairs, candidate: Candidate, reached: list[int]):
        self._repairs, self._candidate, self._reached = repairs, candidate, reached
        self._model, self._walks = repairs.model, repairs.seen.walks
        self._tables = repairs.tables(candidate.edits)
        actions = [action for _, action in sorted(self._model.actions.items())]
        self._views = [self._view(number, action) for number, action in enumerate(actions)]
        self._effects = [(view, e) for view in self._views for e in effects_of(view.action, candidate.edits)]

    def entries(self) -> Iterator[Entry]:
        """All entries."""
        evidence = self._evidence_of_effects()
        removed = [e for e in self._candidate.edits if isinstance(e, EffectEdit) and not e.present]
        for view in self._views:
            yield from self._preconditions(view)
            for (owner, effect), (supporting, refuting) in zip(self._effects, evidence, strict=True):
                if owner is view:
                    edited, goal = effect not in view.action.effects, self._goal_needs(view, effect)
                    yield self._entry(
                        view, Part.EFFECT, effect, supporting, refuting, edited=edited, goal=goal
                    )
            for edit in sorted(removed, key=repr):
                if edit.action == view.action.name:
                    refuting = self._wrong_with(edit)
                    yield self._entry(
                        view, Part.EFFECT, edit.effect, refuting=refuting, present=False, edited=True
                    )

    def _goal_needs(self, view: _View, effect: Literal) -> bool:
        """Whether the goal would not hold without an effect, at some node where it holds in the world."""
        if not self._reached or (effect.predicate, effect.positive) not in self._model.wanted:
            return False
        edit = EffectEdit(view.action.name, effect, effect not in view.action.effects)
        return not self._repairs.goal_held(self._candidate.edits ^ {edit})[self._reached].all()

    def _preconditions(self, view: _View) -> Iterator[Entry]:
        entry = partial(self._entry, view, Part.PRECONDITION)
        for literal, false in view.refuted.items():
            yield entry(literal, refuting=view.pairs(false), present=False, edited=True)
        for row, literal in enumerate(view.literals):
            only, added = view.only(row), literal in view.added
            fitted = self._candidate.fit_of(view.action)
            rivals = rivals_of(self._repairs, view.action, fitted, only, self._tables) if added else []
            yield entry(literal, view.pairs(only), edited=added, rivals=len(rivals))
            rival_of = shown(self._model, view.action.name, literal)
            for rival in rivals:
                yield entry(rival, view.pairs(only), present=False, rival_of=rival_of)

    def _evidence_of_effects(self) -> list[tuple[Pairs, Pairs]]:
        """By effect of the repaired model, the examples that support it and those that refute it."""
        numbered = {
            view.action.name: [(n, e) for n, (owner, e) in enumerate(self._effects) if owner is view]
            for view in self._views
        }
        written = sorted({effect.predicate for _, effect in self._effects})
        made = origins(self._walks, numbered, {p: self._tables[p] for p in written}, self._model.base)
        supporting, refuting = [], []
        for view in self._views:
            executed = view.examples.positive
            for row, literal in enumerate(view.literals):
                if literal.predicate in made:
                    depending = np.concatenate([executed[view.truth[row, executed]], view.only(row)])
                    supporting.append(self._by_origin(view, literal, depending, made[literal.predicate]))
            for literal, false in view.refuted.items():
                if literal.predicate in made:
                    refuting.append(self._by_origin(view, literal, false, made[literal.predicate]))
        return list(zip(self._grouped(supporting), self._grouped(refuting), strict=True))

    def _by_origin(
        self, view: _View, literal: Literal, examples: Numbers, origin: NDArray[np.int16]
    ) -> Numbers:
        """Rows of an effect and a pair, where the effect made the literal's atom what it is."""
        nodes, arguments = view.examples.nodes[examples], view.examples.arguments[examples]
        keys = keys_of(literal.terms, dict(enumerate(arguments.T)), len(examples), self._model.base)
        effects = origin[nodes, keys].astype(np.int64)
        rows = np.concatenate([effects[:, None], view.pairs(examples)], axis=1)
        return rows[effects >= 0]

    def _grouped(self, parts: list[Numbers]) -> list[Pairs]:
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
            parts = (*view.literals, *view.action.fixed)
            then = self._repairs.satisfied(view.action, parts, tables)
            found.append(view.pairs(np.flatnonzero((now == executed) & (then != executed))))
        return np.concatenate(found)

    def _view(self, number: int, action: Editable) -> _View:
        examples, found = self._repairs.seen.of[action.name], self._candidate.fit_of(action)
        literals = found.preconditions(action)
        satisfied = partial(self._repairs.satisfied, action, tables=self._tables)
        refuted = {p: self._repairs.refuting(action.name, p, self._tables) for p in found.refuted}
        rows = [satisfied([literal]) for literal in literals]
        truth = np.array(rows, dtype=np.bool_).reshape(len(literals), len(examples.nodes))
        return _View(number, action, examples, found.added, refuted, literals, truth, satisfied(action.fixed))

    def _entry(
        self,
        view: _View,
        part: Part,
        literal: Literal,
        supporting: Pairs = _NOTHING,
        refuting: Pairs = _NOTHING,
        **facts: Any,
    ) -> Entry:
        """The entry of a literal; `facts` are further fields of it."""
        return Entry(
            view.action.name,
            part,
            shown(self._model, view.action.name, literal),
            supporting=len(supporting),
            refuting=len(refuting),
            example=self._shortest(refuting if len(refuting) else supporting),
            **facts,
        )

    def _shortest(self, pairs: Pairs) -> Observation | None:
        """The observation after the shortest walk."""
        if not len(pairs):
            return None
        nodes = np.zeros(len(pairs), dtype=np.int64)
        for number in np.unique(pairs[:, 0]).tolist():
            own = pairs[:, 0] == number
            nodes[own] = self._views[number].examples.nodes[pairs[own, 1]]
        first = np.lexsort((pairs[:, 1], pairs[:, 0], nodes, self._walks.depth[nodes]))[0]
        number, example = pairs[first].tolist()
        examples, name = self._views[number].examples, self._views[number].action.name
        operator = self._text(name, examples.arguments[example].tolist())
        walk = [self._text(step.action, step.arguments) for step in self._walks.path(int(nodes[first]))]
        problem = self._model.problems[int(self._walks.task[nodes[first]])]
        return Observation.of(problem.name, walk, operator, bool(np.isin(example, examples.positive)))

    def _text(self, name: str, arguments: Sequence[int]) -> str:
        return format_operator(name, [self._model.objects[a] for a in arguments])


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


def _write(group: NodeGroup, number: int, effect: Literal, tables: Tables, found: Origins, base: int) -> None:
    """Note what one effect did at a group of nodes."""
    columns = dict(enumerate(group.arguments.T))
    keys = keys_of(effect.terms, columns, len(group.nodes), base)
    origin = found[effect.predicate]
    known = origin[group.nodes, keys]
    lasting = tables[effect.predicate][group.nodes, keys] == effect.positive
    written = np.where((known == _NEW) | (known == number), number, _NONE)
    # what is deleted and added at once is true by the adding alone, whatever it was before
    origin[group.nodes, keys] = np.where(lasting, written, _NEW)
