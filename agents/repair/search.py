"""Best-first search for the fewest edits that make a model fit what was seen.

Preconditions need no search: for given states `agents.repair.model.fit` finds them. So the search is over
effects and initial atoms alone, best first. A candidate costs its edits, with those of the preconditions that
fit it, and what it leaves unexplained: a refuted precondition may be a wrong one, which one edit drops, or a
sign of a missing effect, so it counts the more the more operators refute it, unless one does so where no
effect can have had a say; and so do operators that no precondition can exclude. Where nothing is left
unexplained the edits alone decide. Of these, one that takes away what the goal asks for counts as two: no
walk would ever speak for what only the goal reads, so it is taken only where nothing else is as good. What
comes first of equals is in `Candidate.rank`.

Tables of states and fits are kept by what they depend on, so an edit of one predicate's effects costs the
states of that predicate and the fits of the actions that it matters to.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import count
from typing import Any, TypeVar

import numpy as np

from agents.repair.candidate import (
    Candidate,
    Edit,
    EffectEdit,
    InitialEdit,
    is_added,
    lifted_effects,
    predicate_of,
)
from agents.repair.examples import (
    HoldsAt,
    KeptArrays,
    Mask,
    Numbers,
    Tables,
    TrainingExamples,
    keys_of,
    progress,
    truth_at,
)
from agents.repair.model import EQUAL, Editable, Fit, Model, fit, opposite
from agents.repair.satisfied import Satisfied
from envs.pddl.simulation.lifted import Condition, LiftedEffect, Literal
from ew.lifted.relations import decoded

T = TypeVar("T")

#: Operators that refute a precondition of which one may prove it wrong.
MOST_PROOFS = 30
#: Initial atoms that are tried for one refuted precondition.
MOST_STARTS = 6
#: Predicate to the edits that its table depends on.
Versions = dict[str, frozenset[Edit]]
_NONE: frozenset[Edit] = frozenset()


class Repairs:
    """The candidates of one model for what was seen. Computes each table and each fit once."""

    def __init__(self, model: Model, seen: TrainingExamples):
        self.model, self.seen = model, seen
        self._base = model.base
        predicates = model.domain.vocabulary.predicates.items()
        self._sizes = {name: self._base ** len(kinds) for name, kinds in predicates}
        self._sizes[EQUAL] = self._base**2
        self._conditional = sorted({e.predicate for a in model.actions.values() for e in a.conditional})
        self._quantified = {e.predicate for a in model.actions.values() for e in a.conditional if e.variables}
        self._constants = {model.objects.index(name) for name in model.domain.constants}
        self._proofs: dict[object, bool] = {}
        self._tables, self._truth = KeptArrays(), KeptArrays()
        #: the tables of the model as it is, which all candidates share but for what they edit
        self._own_tables: dict[str, Mask] = {}
        #: by action, terms and whether the table is stored row by row
        self._places: dict[tuple[str, tuple[int, ...], bool], Numbers] = {}
        self._fits: dict[tuple[Any, ...], Fit] = {}
        self._satisfied = Satisfied(seen, self._base)
        #: what was made of all operators of an action, see `of_all`
        self._of_all: dict[tuple[Any, ...], Any] = {}

    @classmethod
    def in_states(cls, model: Model, seen: TrainingExamples, tables: Tables) -> Repairs:
        """The candidates of a model for what was seen, in states that are at hand."""
        found = cls(model, seen)
        found._own_tables.update(tables)
        return found

    @cached_property
    def _initial(self) -> list[dict[str, frozenset[int]]]:
        """By task and predicate, the keys of the atoms that hold at the start."""
        same = {EQUAL: self._keys((o, o) for o in range(self._base))}
        names, tasks = self.model.domain.vocabulary.predicates, self.model.tasks
        return [{name: self._keys(task.init.get(name, ())) for name in names} | same for task in tasks]

    def candidate(self, edits: frozenset[Edit]) -> Candidate:
        """The candidate with these edits."""
        versions, tables = self._versions(edits), self.tables(edits)
        fits = {name: self._fit(a, tables, versions) for name, a in sorted(self.model.actions.items())}
        return self.with_fits(edits, {name: own for name, own in fits.items() if own != Fit()}, tables)

    def with_fits(
        self, edits: frozenset[Edit], found: dict[str, Fit], tables: Tables | None = None
    ) -> Candidate:
        """The candidate with these edits and preconditions; `tables` are its states, if they are at hand."""
        tables = self.tables(edits) if tables is None else tables
        refuted = ((name, literal) for name, fitted in found.items() for literal in fitted.refuted)
        proved = [one for one in refuted if self._is_proved(*one, edits, tables)]
        return Candidate.of(self.model, edits, found, proved, self.seen.missed)

    def with_model(self, model: Model, actions: Collection[str], changed: Collection[str]) -> Repairs:
        """The candidates of a model that differs in these actions, for what was seen; shares what is known.

        The states of the two may differ in the `changed` predicates alone. If there are any, all actions may
        differ in what may be added to them.
        """
        other = Repairs(model, self.seen)
        other._places, other._satisfied = self._places, self._satisfied
        if model.tasks is self.model.tasks:
            other._initial = self._initial
        other._tables.update({k: kept for k, kept in self._tables.items() if k[0] not in changed})
        other._own_tables.update({p: kept for p, kept in self._own_tables.items() if p not in changed})
        other._truth.update({k: kept for k, kept in self._truth.items() if k[1].predicate not in changed})
        if not changed:
            other._fits.update({k: kept for k, kept in self._fits.items() if k[0] not in actions})
        return other

    def _is_proved(self, name: str, literal: Literal, edits: frozenset[Edit], tables: Tables) -> bool:
        """Whether an operator refutes it in a state that no step before can have made so.

        An effect without quantifiers changes atoms of its operator's arguments and of constants alone. Of the
        operators that refute it the first `MOST_PROOFS` are looked at, shortest walks first.
        """
        key = (name, literal, self._versions(edits).get(literal.predicate, _NONE))
        if key not in self._proofs:
            examples, wrong = self.seen.of[name], self.refuting(name, literal, tables)
            nodes = examples.nodes[wrong]
            first = np.lexsort((wrong, self.seen.walks.depth[nodes]))[:MOST_PROOFS]
            self._proofs[key] = any(
                self._untouched(literal, examples.arguments[wrong[i]], int(nodes[i])) for i in first
            )
        return self._proofs[key]

    def _untouched(self, literal: Literal, arguments: Numbers, node: int) -> bool:
        atom = {t if t >= 0 else int(arguments[~t]) for t in literal.terms} - self._constants
        anywhere = literal.predicate in self._quantified
        return not any(anywhere or atom <= set(step.arguments) for step in self.seen.walks.path(node))

    def tables(self, edits: frozenset[Edit]) -> Tables:
        """The states of the model with these edits."""
        versions = self._versions(edits)
        keys = {p: (p, versions[p]) for p in self._sizes if versions.get(p)}
        found = {p: table for p, table in self._own_tables.items() if p not in keys}
        found |= {p: self._tables[key] for p, key in keys.items() if key in self._tables}
        if len(found) == len(self._sizes):
            return found
        made = progress(
            self.seen.walks,
            {name: action.schemas for name, action in self.model.actions.items()},
            self.effects(edits),
            self._initial_atoms(edits),
            self._sizes,
            self._base,
            [predicate for predicate in self._sizes if predicate not in found],
            found,
        )
        for predicate, table in made.items():
            if predicate in keys:
                self._tables[keys[predicate]] = table
            else:
                self._own_tables[predicate] = table
        return {**found, **made}

    @cached_property
    def _own_effects(self) -> dict[str, tuple[LiftedEffect, ...]]:
        return {name: lifted_effects(action, _NONE) for name, action in self.model.actions.items()}

    def effects(self, edits: frozenset[Edit]) -> dict[str, tuple[LiftedEffect, ...]]:
        """The effects of each action with these edits, those with conditions last."""
        edited = {edit.action for edit in edits if isinstance(edit, EffectEdit)}
        changed = {name: lifted_effects(self.model.actions[name], edits) for name in edited}
        return {**self._own_effects, **changed}

    def satisfied(
        self, action: Editable, parts: Iterable[Condition], tables: Tables, which: Numbers | None = None
    ) -> Mask:
        """Which of an action's examples, or of `which` of them, satisfy all these parts, in these states."""
        return self._satisfied.by(action, parts, tables, which)

    def of_all(
        self, action: Editable, literals: Sequence[Literal], edits: frozenset[Edit], make: Callable[[], T]
    ) -> T:
        """What `make` makes of an action with these preconditions in the states by these edits; made once."""
        mine = {literal.predicate for literal in literals}
        read = (v for v in self._versions(edits).items() if action.fixed or v[0] in mine)
        if (key := (action.name, tuple(literals), frozenset(read))) not in self._of_all:
            self._of_all[key] = make()
        made: T = self._of_all[key]
        return made

    def goal_held(self, edits: frozenset[Edit]) -> Mask:
        """Where the goal of its task holds in the model with these edits; shape (nodes of the walks,)."""
        tables, held = self.tables(edits), np.zeros(self.seen.walks.nodes, dtype=np.bool_)
        for number, task in enumerate(self.model.tasks):
            own = np.flatnonzero(self.seen.walks.task == number)
            holds = HoldsAt(own, tables, task.goal, self._base)
            held[own] = holds.rows(task.goal.precondition, {}, len(own))
        return held

    def read(self, name: str, literal: Literal) -> list[set[tuple[int, ...]]]:
        """By task, the arguments of the atoms by which executed operators satisfy a precondition."""
        true = np.setdiff1d(self.seen.of[name].positive, self.refuting(name, literal, self.tables(_NONE)))
        task, keys = self._tasks_and_keys(name, literal.terms, true)
        tasks = range(len(self.model.tasks))
        return [{self._atom(key, literal) for key in np.unique(keys[task == number])} for number in tasks]

    def suspects(self, candidate: Candidate, *, own: bool = False) -> frozenset[str]:
        """Predicates of refuted preconditions, and all that could exclude what is left or newly excluded.

        With `own`, also those of all preconditions of the actions that are edited.
        """
        found: set[str] = set()
        for name, fitted in candidate.fits.items():
            action = self.model.actions[name]
            literals = list(fitted.refuted)
            literals += action.candidates if fitted.left or fitted.added else ()
            literals += action.preconditions if own else ()
            found |= {literal.predicate for literal in literals}
        return frozenset(found)

    def errors(self, candidate: Candidate) -> int:
        """Examples that the candidate gets wrong."""
        total, tables = 0, self.tables(candidate.edits)
        for action in self.model.actions.values():
            examples = self.seen.of[action.name]
            parts = (*candidate.fit_of(action).preconditions(action), *action.fixed)
            runs = self.satisfied(action, parts, tables)
            wrong = np.count_nonzero(~runs[examples.positive]) + np.count_nonzero(runs[examples.negative])
            total += int(wrong)
        return total

    def neighbours(self, candidate: Candidate) -> Iterator[frozenset[Edit]]:
        """The candidate's edits with one less, or one more that may bear on what it leaves open."""
        for edit in sorted(candidate.edits, key=repr):
            yield candidate.edits - {edit}
        suspects = self.suspects(candidate)
        for name, action in sorted(self.model.actions.items()):
            for literal in action.candidates:
                if literal.predicate in suspects:
                    edit = EffectEdit(name, literal, literal not in action.effects)
                    if candidate.edits.isdisjoint({edit, EffectEdit(name, opposite(literal), True)}):
                        yield candidate.edits | {edit}
        for start in self._starts(candidate):
            if start not in candidate.edits:
                yield candidate.edits | {start}

    def _starts(self, candidate: Candidate) -> Iterator[InitialEdit]:
        """Initial atoms that refuted preconditions missed most, up to `MOST_STARTS` for each literal."""
        tables = self.tables(candidate.edits)
        for name, fitted in sorted(candidate.fits.items()):
            for literal in fitted.refuted:
                if literal.predicate == EQUAL or is_added(literal.predicate):
                    continue
                size = self._sizes[literal.predicate]
                false = self.refuting(name, literal, tables)
                task, atoms = self._tasks_and_keys(name, literal.terms, false)
                keys, counts = np.unique(task * size + atoms, return_counts=True)
                for key in keys[np.argsort(-counts, kind="stable")][:MOST_STARTS]:
                    atom = self._atom(key % size, literal)
                    yield InitialEdit(literal.predicate, atom, literal.positive, int(key // size))

    def refuting(self, name: str, literal: Literal, tables: Tables) -> Numbers:
        """The examples of an action that the world executes and where the literal is false."""
        positive, table = self.seen.of[name].positive, tables[literal.predicate]
        places = self._places_of(name, literal.terms, table)[positive]
        return positive[~truth_at(table, places, literal.positive)]

    def _atom(self, key: Numbers, literal: Literal) -> tuple[int, ...]:
        """The arguments that a key of a literal's predicate stands for."""
        return tuple(int(digit) for digit in decoded(key, len(literal.terms), self._base))

    def _keys(self, rows: Iterable[tuple[int, ...]]) -> frozenset[int]:
        """The keys of atoms of one predicate, given by their arguments."""
        return frozenset(int(keys_of(row, {}, 1, self._base)[0]) for row in rows)

    def _versions(self, edits: frozenset[Edit]) -> Versions:
        """The edits that the predicates' tables depend on, where there are any."""
        versions: Versions = {}
        for edit in edits:
            versions[predicate_of(edit)] = versions.get(predicate_of(edit), _NONE) | {edit}
        return versions | dict.fromkeys(self._conditional, edits)

    def _initial_atoms(self, edits: frozenset[Edit]) -> list[dict[str, frozenset[int]]]:
        changed = list(map(dict, self._initial))
        for edit in edits:
            if isinstance(edit, InitialEdit):
                own, atom = changed[edit.task], self._keys([edit.arguments])
                before = own[edit.predicate]
                own[edit.predicate] = before | atom if edit.present else before - atom
        return changed

    def _fit(self, action: Editable, tables: Tables, versions: Versions) -> Fit:
        """The fit; where nothing was added or is left, no predicates but the action's own had a say."""
        mine = {literal.predicate for literal in action.preconditions}
        own = action.name, "own", frozenset(v for v in versions.items() if action.fixed or v[0] in mine)
        if own in self._fits:
            return self._fits[own]
        whole = action.name, "all", frozenset(versions.items())
        if whole not in self._fits:
            found = self._fits[whole] = self._fitted(action, tables, versions)
            if not found.added and not found.left:
                self._fits[own] = found
        return self._fits[whole]

    def _fitted(self, action: Editable, tables: Tables, versions: Versions) -> Fit:
        name, examples = action.name, self.seen.of[action.name]

        def truth(literal: Literal, which: Numbers | None) -> Mask:
            if which is None:
                return self._truth_of(name, literal, tables, versions)
            table = tables[literal.predicate]
            return truth_at(table, self._places_of(name, literal.terms, table)[which], literal.positive)

        fixed = self.satisfied(action, action.fixed, tables)
        return fit(action, examples.positive, examples.negative, truth, fixed)

    def truths(self, name: str, literals: Sequence[Literal], edits: frozenset[Edit]) -> Mask:
        """Which literals hold in which of an action's examples; shape (literals, examples)."""
        tables, versions = self.tables(edits), self._versions(edits)
        found = [self._truth_of(name, literal, tables, versions) for literal in literals]
        return np.array(found, dtype=np.bool_).reshape(len(found), len(self.seen.of[name].nodes))

    def _truth_of(self, name: str, literal: Literal, tables: Tables, versions: Versions) -> Mask:
        key, table = (name, literal, versions.get(literal.predicate, _NONE)), tables[literal.predicate]
        if key not in self._truth:
            self._truth[key] = truth_at(table, self._places_of(name, literal.terms, table), literal.positive)
        return self._truth[key]

    def _places_of(self, name: str, terms: tuple[int, ...], table: Mask) -> Numbers:
        """Where the atom with these terms stands in a table as it is stored, for each example."""
        by_rows = table.flags.c_contiguous
        place = name, terms, by_rows
        if place not in self._places:
            examples = self.seen.of[name]
            nodes = examples.nodes
            keys = keys_of(terms, examples.columns, len(nodes), self._base)
            self._places[place] = nodes * table.shape[1] + keys if by_rows else keys * len(table) + nodes
        return self._places[place]

    def _tasks_and_keys(self, name: str, terms: tuple[int, ...], which: Numbers) -> tuple[Numbers, Numbers]:
        """Of some of an action's examples, the tasks, and the keys of the atoms with these terms."""
        examples = self.seen.of[name]
        columns = dict(enumerate(examples.arguments[which].T))
        return self.seen.walks.task[examples.nodes[which]], keys_of(terms, columns, len(which), self._base)


def best_first(
    repairs: Repairs, before: frozenset[Edit], expansions: int, stop: Callable[[], bool]
) -> Candidate:
    """The best candidate found within so many expansions; `before` are edits that were good before.

    Ends early where the best candidate leaves nothing unexplained and nothing in doubt, and none of its
    neighbours is better: an effect may save several edits of preconditions.
    """
    order = count()
    open_: list[tuple[tuple[float, int, int, int], int, Candidate]] = []
    seen = {frozenset(), before}
    for edits in (frozenset(), before) if before else (frozenset(),):
        found = repairs.candidate(edits)
        heapq.heappush(open_, (found.rank, next(order), found))
    best = open_[0][2]
    for _ in range(expansions):
        if not open_ or stop():
            break
        rank, _, candidate = heapq.heappop(open_)
        clear = rank <= _rank(best) and candidate.cost == candidate.weighed_cost
        if clear and not candidate.starts and candidate.size <= len(candidate.edits) + 1:
            return candidate
        for edits in repairs.neighbours(candidate):
            if stop():
                return best
            if edits not in seen:
                seen.add(edits)
                found = repairs.candidate(edits)
                best = min(best, found, key=_rank)
                heapq.heappush(open_, (found.rank, next(order), found))
        if clear and rank <= _rank(best):
            return candidate
    return best


def _rank(candidate: Candidate) -> tuple[float, int, int, int]:
    """What candidates are compared by: what all of them explain, the edits alone decide."""
    return candidate.rank if candidate.unexplained else (candidate.cost, *candidate.rank[1:])
