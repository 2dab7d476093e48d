"""Where an effect that a model lacks would have to fire, and where it must not, by what was executed.

An effect on an atom matters to an example that reads the atom by a precondition of its action, where the
atom's value in the model would be another one had the effect fired at one of the steps since the model's own
effects last wrote it. An operator that the world executes has no false precondition, and one that it refuses
has one; so the effect must have fired at one of these steps or at none of them. Preconditions are taken to be
right here, all but those that are proved wrong.

The goal is read in the same way where the world has said whether it holds: if it does not, some part of it
must be false, whichever.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from agents.repair.candidate import Candidate, Edit, lifted_effects
from agents.repair.examples import HoldsAt, Mask, Numbers, bindings, keys_of
from agents.repair.model import EQUAL, Editable
from agents.repair.search import Repairs
from envs.pddl.simulation.lifted import LiftedEffect, Literal, conjuncts
from ew.lifted.relations import Columns, decoded

#: Readings of each kind that are looked at; more are thinned out evenly.
MAX_WANTED, MAX_UNWANTED = 1000, 4000
#: A predicate, and whether an effect adds or deletes its atom.
Change = tuple[str, bool]
_UNASKED: Mapping[int, bool] = {}


@dataclass(frozen=True, eq=False)
class Readings:
    """Atoms at nodes that some examples read, where a change would have been or must not have been."""

    nodes: Numbers
    keys: Numbers
    weights: Numbers  #: examples that read it
    wanted: Mask  #: whether the change is wanted; else it must not be
    groups: Numbers  #: of wanted ones with the same number, one is enough

    def thinned(self) -> Readings:
        """Up to MAX_WANTED and MAX_UNWANTED of them."""
        chosen = []
        for wanted, most in ((True, MAX_WANTED), (False, MAX_UNWANTED)):
            rows = np.flatnonzero(self.wanted == wanted)
            chosen.append(rows[:: max(1, -(-len(rows) // most))])
        kept = np.concatenate(chosen)
        return Readings(
            self.nodes[kept], self.keys[kept], self.weights[kept], self.wanted[kept], self.groups[kept]
        )


@dataclass(frozen=True, eq=False)
class _Said:
    """Readings of one kind: places in the table of the change's predicate, read row after row."""

    wanted: bool
    places: Numbers
    groups: Numbers | None = None  #: see `Readings`; None if each is on its own


@dataclass(frozen=True, eq=False)
class Firings:
    """The steps at which one effect bears on readings: each an instance of the effect, by number."""

    reading: Numbers  #: of each pair, a reading
    instance: Numbers  #: and an instance that would make the change
    steps: Numbers  #: of each instance, the node after the step
    objects: Numbers  #: what the effect's own variable denotes there; 0 if it has none


@dataclass(frozen=True, eq=False)
class OwnEffect:
    """An effect of an action over its parameters, and perhaps one variable of its own.

    If the literal does not name the variable, its condition does: the effect fires for any such object.
    """

    action: str
    literal: Literal
    variable: int  #: as a term: the first that the action does not use
    kind: str = ""  #: the variable's type; empty if there is none
    #: whether an object is of that type; shape (tasks, objects)
    members: Mask = field(default_factory=lambda: np.zeros((0, 0), dtype=np.bool_))

    @property
    def is_for_any(self) -> bool:
        """Whether the variable stands in the condition alone."""
        return bool(self.kind) and self.variable not in self.literal.terms


@dataclass(frozen=True, eq=False)
class _Steps:
    """The steps of the walks, by the node after each of them."""

    parents: Numbers
    paths: Numbers  #: shape (nodes, most depth): the nodes on the way to each, -1 where it ends before
    of: dict[str, Mask]  #: by action, whether a node's step is of it
    arguments: dict[str, Numbers]  #: by action, shape (arity, nodes); 0 where another action's

    @classmethod
    def of_walks(cls, repairs: Repairs) -> _Steps:
        """The steps of all walks that were seen."""
        walks, actions = repairs.seen.walks, repairs.model.actions
        parents = np.full(walks.nodes, -1, dtype=np.int64)
        paths = np.full((walks.nodes, len(walks.levels)), -1, dtype=np.int64)
        of = {name: np.zeros(walks.nodes, dtype=np.bool_) for name in actions}
        arguments = {
            name: np.zeros((a.schemas[0].arity, walks.nodes), dtype=np.int64) for name, a in actions.items()
        }
        for depth, level in enumerate(walks.levels):
            for group in level:
                parents[group.nodes] = group.parents
                paths[group.nodes] = paths[group.parents]
                paths[group.nodes, depth] = group.nodes
                of[group.schema][group.nodes] = True
                arguments[group.schema][:, group.nodes] = group.arguments.T
        return cls(parents, paths, of, arguments)


class FiringEvidence:
    """The readings of all examples of one model, by the change that they speak for or against."""

    def __init__(
        self,
        repairs: Repairs,
        candidate: Candidate,
        edits: frozenset[Edit],
        verdicts: Mapping[int, bool] = _UNASKED,
        added: bool = False,
        only: Collection[str] | None = None,
    ):
        """Of a candidate's preconditions, those that are proved wrong are not read; if `added`, new ones are.

        `verdicts` are those of the world on its goal, by node. With `only`, changes of these predicates alone
        are read.
        """
        self._repairs, self._model, self._walks = repairs, repairs.model, repairs.seen.walks
        self._edits, self.tables = edits, repairs.tables(edits)
        self.of_goals = bool(verdicts)  #: which say little, so more rules than the simplest are likely
        self.wrong = 0  #: examples and verdicts that were read and that the model gets wrong
        found: dict[Change, list[_Said]] = {}
        for change, said in self._everything_said(candidate, added, verdicts, only):
            found.setdefault(change, []).append(said)
        self.readings = {
            change: self._merged(change, said)
            for change, said in sorted(found.items())
            if only is None or change[0] in only
        }

    def _everything_said(
        self,
        candidate: Candidate,
        added: bool,
        verdicts: Mapping[int, bool],
        only: Collection[str] | None,
    ) -> Iterator[tuple[Change, _Said]]:
        """What the examples and verdicts say; of actions that read none of the predicates, nothing."""
        for _, action in sorted(self._model.actions.items()):
            kept = [p for p in action.preconditions if (action.name, p) not in candidate.proved]
            if added:
                kept += candidate.fit_of(action).added
            if only is None or any(literal.predicate in only for literal in kept):
                yield from self._of_action(action, kept)
        for task in range(len(self._model.tasks)):
            yield from self._of_goal(task, verdicts)

    def _of_action(self, action: Editable, literals: list[Literal]) -> Iterator[tuple[Change, _Said]]:
        """What an action's examples say."""
        examples = self._repairs.seen.of[action.name]
        held = self._repairs.truths(action.name, literals, self._edits)
        executed = np.zeros(len(examples.nodes), dtype=np.bool_)
        executed[examples.positive] = True
        fixed = self._repairs.satisfied(action, action.fixed, self.tables)
        columns = dict(enumerate(examples.arguments.T))
        places = [self._places(literal, columns, examples.nodes) for literal in literals]
        yield from self._said(literals, held, places, fixed, executed, None)

    def _of_goal(self, task: int, verdicts: Mapping[int, bool]) -> Iterator[tuple[Change, _Said]]:
        """What the verdicts on one task's goal say."""
        own = [node for node in verdicts if self._repairs.seen.walks.task[node] == task]
        nodes, goal = np.array(own, dtype=np.int64), self._model.tasks[task].goal
        holds = HoldsAt(nodes, self.tables, goal, self._model.base)
        parts = [(part, holds.rows(part, {}, len(nodes))) for part in conjuncts(goal.precondition)]
        literals = [part for part, _ in parts if isinstance(part, Literal)]
        truth = [held for part, held in parts if isinstance(part, Literal)]
        held = np.array(truth, dtype=np.bool_).reshape(len(truth), len(nodes))
        others = [held for part, held in parts if not isinstance(part, Literal)]
        fixed = np.logical_and.reduce([np.ones(len(nodes), dtype=np.bool_), *others])
        reached = np.array([verdicts[node] for node in own], dtype=np.bool_)
        places = [self._places(literal, {}, nodes) for literal in literals]
        yield from self._said(literals, held, places, fixed, reached, ~nodes)

    def _places(self, literal: Literal, columns: Columns, nodes: Numbers) -> Numbers:
        """Where a literal's atom stands in its table, read row after row."""
        keys = keys_of(literal.terms, columns, len(nodes), self._model.base)
        places: Numbers = nodes * self._model.base ** len(literal.terms) + keys
        return places

    def _said(
        self,
        literals: Sequence[Literal],
        held: Mask,
        places: Sequence[Numbers],
        fixed: Mask,
        executed: Mask,
        groups: Numbers | None,
    ) -> Iterator[tuple[Change, _Said]]:
        """What examples say by these literals, which are `held`; shape (literals, examples).

        Where one of several must be false, `groups` numbers the example (below 0), unless it is None.
        """
        false = np.count_nonzero(~held, axis=0)
        runs = fixed & (false == 0)
        self.wrong += int(np.count_nonzero(runs != executed))
        for literal, own, place in zip(literals, held, places, strict=True):
            if literal.predicate == EQUAL:
                continue
            to_false, to_true = ((literal.predicate, s) for s in (not literal.positive, literal.positive))
            rows = runs & ~executed
            yield to_false, _Said(True, place[rows], place[rows] if groups is None else groups[rows])
            yield to_false, _Said(False, place[executed & own])
            yield to_true, _Said(True, place[executed & ~own])
            if not any(p.predicate == literal.predicate and p.positive != literal.positive for p in literals):
                yield to_true, _Said(False, place[~executed & ~own & fixed & (false == 1)])

    def _merged(self, change: Change, parts: Sequence[_Said]) -> Readings:
        """Equal readings as one; what must not be is not wanted, whatever else reads it."""
        places = np.concatenate([said.places for said in parts])
        groups = np.concatenate([said.places if said.groups is None else said.groups for said in parts])
        wanted = np.concatenate([np.full(len(said.places), said.wanted) for said in parts])
        unique, which, counts = np.unique(places, return_inverse=True, return_counts=True)
        unwanted = np.bincount(which[~wanted], minlength=len(unique)) > 0
        own = np.full(len(unique), np.iinfo(np.int64).min)
        np.maximum.at(own, which, groups)
        size = self.tables[change[0]].shape[1]
        return Readings(unique // size, unique % size, counts, ~unwanted, own).thinned()

    def firings(self, change: Change, effect: OwnEffect) -> Firings:
        """The steps at which an effect that makes this change bears on the readings of the change."""
        return self._firings(self.readings[change], self._on[change], self._last[change], effect)

    def made_before(self, effect: OwnEffect, steps: Numbers, objects: Numbers) -> Mask:
        """Whether the effect has made its change at an earlier step of the same walk, and it still holds.

        `steps` are nodes after steps of the effect's action; its variable denotes `objects` there.
        """
        columns = dict(enumerate(self.arguments(effect.action, steps))) | {~effect.variable: objects}
        nodes, ones = self.parents[steps], np.ones(len(steps), dtype=np.int64)
        keys = keys_of(effect.literal.terms, columns, len(steps), self._model.base)
        readings = Readings(nodes, keys, ones, ones.astype(np.bool_), ones)
        on = self._steps.paths[nodes]
        last = self._last_written(effect.literal.predicate, readings, on)
        made = np.zeros(len(steps), dtype=np.bool_)
        made[self._firings(readings, on, last, effect).reading] = True
        return made

    def _firings(self, readings: Readings, on: Numbers, last: Numbers, effect: OwnEffect) -> Firings:
        """See `firings`; `on` are the nodes on the ways to the readings, `last` depths of the last write."""
        digits = decoded(readings.keys, len(effect.literal.terms), self._model.base)
        adds = effect.literal.positive
        since = self._depths >= last[:, None] + (not adds)  # adding comes after deleting
        matched = since & (on >= 0) & self._steps.of[effect.action][on]
        for term, digit in zip(effect.literal.terms, digits, strict=True):
            if term >= 0:
                matched &= (digit == term)[:, None]
            elif term != effect.variable:
                matched &= self._steps.arguments[effect.action][~term][on] == digit[:, None]
        own = [
            digit for term, digit in zip(effect.literal.terms, digits, strict=True) if term == effect.variable
        ]
        objects = own[0] if own else np.zeros(len(on), dtype=np.int64)
        task = self._repairs.seen.walks.task[readings.nodes]
        for digit in own:
            matched &= ((digit == objects) & effect.members[task, objects])[:, None]
        reading, at = np.nonzero(matched)
        codes = on[reading, at] * self._model.base + objects[reading]
        if effect.is_for_any:
            pairs, denoted = np.nonzero(effect.members[task[reading]])
            reading, codes = reading[pairs], codes[pairs] + denoted
        unique, instance = np.unique(codes, return_inverse=True)
        return Firings(reading, instance, unique // self._model.base, unique % self._model.base)

    @property
    def parents(self) -> Numbers:
        """The node before each node; -1 for a root."""
        return self._steps.parents

    def arguments(self, action: str, nodes: Numbers) -> Numbers:
        """The arguments of an action's steps to these nodes; shape (arity, nodes)."""
        return self._steps.arguments[action][:, nodes]

    @cached_property
    def _steps(self) -> _Steps:
        return _Steps.of_walks(self._repairs)

    @cached_property
    def _depths(self) -> Numbers:
        return np.arange(1, self._steps.paths.shape[1] + 1)

    @cached_property
    def _on(self) -> dict[Change, Numbers]:
        """For each change, the nodes on the ways to its readings, by depth; -1 beyond the end."""
        return {change: self._steps.paths[own.nodes] for change, own in self.readings.items()}

    @cached_property
    def _last(self) -> dict[Change, Numbers]:
        """For each change, the depth where the model's own effects last wrote its readings; 0 for never."""
        return {
            change: self._last_written(change[0], own, self._on[change])
            for change, own in self.readings.items()
        }

    def _last_written(self, predicate: str, readings: Readings, on: Numbers) -> Numbers:
        last = np.zeros(len(readings.nodes), dtype=np.int64)
        for name, action in sorted(self._model.actions.items()):
            for effect in lifted_effects(action, self._edits):
                if effect.predicate == predicate:
                    for keys in self._writings(name, effect):
                        same = (on >= 0) & (keys[on] == readings.keys[:, None])
                        last = np.maximum(last, (same * self._depths).max(axis=1, initial=0))
        return last

    def _writings(self, name: str, effect: LiftedEffect) -> Iterator[Numbers]:
        """For each binding of an effect's variables, the key that it writes at each node; -1 for none."""
        for task, schema in enumerate(self._model.actions[name].schemas):
            nodes = np.flatnonzero(self._steps.of[name] & (self._repairs.seen.walks.task == task))
            arguments = self._steps.arguments[name][:, nodes].T
            holds = HoldsAt(self._steps.parents[nodes], self.tables, schema, self._model.base)
            for columns in bindings(effect.variables, schema, arguments):
                fires = holds.rows(effect.condition, columns, len(nodes))
                keys = np.full(len(self._steps.parents), -1, dtype=np.int64)
                keys[nodes[fires]] = keys_of(effect.terms, columns, len(nodes), self._model.base)[fires]
                yield keys
