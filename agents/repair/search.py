"""The search for the fewest edits that make a model fit what was seen.

Preconditions need no search: for given states `agents.repair.fit` finds them. So the search is over effects
and initial atoms alone, best first. A candidate is worth its edits, with those of the preconditions that fit
it, and what it leaves unexplained: a refuted precondition may be a wrong one, which one edit drops, or a sign
of a missing effect, so it counts the more the more operators refute it, unless one does so where no effect
can have had a say; and so do operators that no precondition can exclude. Where nothing is left unexplained
the edits alone decide. Of these, one that takes away what the goal asks for counts as two: no walk would ever
speak for what only the goal reads, so it is taken only where nothing else is as good. What comes
first of equals is in `Candidate.rank`.

Tables of states and fits are kept by what they depend on, so an edit of one predicate's effects costs the
states of that predicate and the fits of the actions that it matters to.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from agents.repair.candidate import Candidate, Edit, EffectEdit, InitialEdit, effects_of, takes_from_goal
from agents.repair.fit import Fit, fit
from agents.repair.lessons import Lessons
from agents.repair.model import EQUAL, Editable, Model
from agents.repair.states import Paths, Table, Tables, holds, keys_of, progress
from envs.pddl.simulation.lifted import And, LiftedEffect, Literal

#: Tables, and truths of literals, that are kept; more are forgotten and made again.
MAX_BYTES = 200_000_000
#: Operators that refute a precondition of which one may prove it wrong.
MOST_PROOFS = 30
#: Initial atoms that are tried for one refuted precondition.
MOST_STARTS = 6
Mask = NDArray[np.bool_]


class _Kept:
    """Arrays by what they depend on; all are forgotten when they come to take more than `MAX_BYTES`."""

    def __init__(self) -> None:
        self._arrays: dict[object, Mask] = {}
        self._bytes = 0

    def get(self, key: object) -> Mask | None:
        """The array, if it is there."""
        return self._arrays.get(key)

    def keep(self, key: object, array: Mask) -> None:
        """Remember an array."""
        if self._bytes + array.nbytes > MAX_BYTES:
            self._arrays.clear()
            self._bytes = 0
        self._arrays[key] = array
        self._bytes += array.nbytes


class Repairs:
    """The candidates of one model for what was seen. Computes each table and each fit once."""

    def __init__(self, model: Model, seen: Lessons):
        self._model, self._seen = model, seen
        self._base = model.base
        self._wanted = model.wanted
        self._sizes = {
            name: self._base ** len(declared)
            for name, declared in model.problem.domain.vocabulary.predicates.items()
        }
        self._initial = {
            name: frozenset(_key(row, self._base) for row in model.task.init.get(name, ()))
            for name in self._sizes
        }
        self._sizes[EQUAL] = self._base**2
        self._initial[EQUAL] = frozenset(_key((o, o), self._base) for o in range(self._base))
        self._conditional = frozenset(e.predicate for a in model.actions.values() for e in a.conditional)
        domain = model.problem.domain
        numbers = {name: i for i, name in enumerate(model.task.objects)}
        self._constants = {numbers[name] for name in domain.constants}
        self._paths = Paths.of(seen.walks)
        self._proofs: dict[object, bool] = {}
        self._tables = _Kept()
        self._truth = _Kept()
        self._places: dict[tuple[str, tuple[int, ...]], NDArray[np.int64]] = {}
        self._fits: dict[object, Fit] = {}

    @property
    def lessons(self) -> Lessons:
        """What was seen."""
        return self._seen

    def candidate(self, edits: frozenset[Edit]) -> Candidate:
        """The candidate with these edits."""
        versions = self._versions(edits)
        tables = self._all_tables(edits, versions)
        fits = {
            name: self._fit(action, tables, versions) for name, action in sorted(self._model.actions.items())
        }
        found = {name: fitted for name, fitted in fits.items() if fitted != Fit()}
        proved = frozenset(
            (name, literal)
            for name, fitted in found.items()
            for literal, _ in fitted.dropped
            if self._is_proved(name, literal, tables, versions)
        )
        taken = sum(takes_from_goal(edit, self._wanted) for edit in edits)
        return Candidate(edits, found, proved, taken)

    def _is_proved(
        self, name: str, literal: Literal, tables: Tables, versions: dict[str, frozenset[Edit]]
    ) -> bool:
        """Whether an operator refutes it in a state that no step before can have made so.

        An effect without quantifiers changes atoms of its operator's arguments and of constants alone. Of the
        operators that refute it the first `MOST_PROOFS` are looked at, shortest walks first.
        """
        key = (name, literal, versions.get(literal.predicate, _NONE))
        if key not in self._proofs:
            examples = self._seen.examples[name]
            places = self._places_of(name, literal.terms)[examples.positive]
            wrong = examples.positive[~_at(tables[literal.predicate], places, literal.positive)]
            nodes = examples.nodes[wrong]
            first = np.lexsort((wrong, self._paths.depth[nodes]))[:MOST_PROOFS]
            self._proofs[key] = any(
                self._untouched(literal, examples.arguments[wrong[i]], int(nodes[i])) for i in first
            )
        return self._proofs[key]

    def _untouched(self, literal: Literal, arguments: NDArray[np.int64], node: int) -> bool:
        atom = {t if t >= 0 else int(arguments[~t]) for t in literal.terms} - self._constants
        return not any(atom <= set(step.arguments) for step in self._paths.to(node))

    def tables(self, edits: frozenset[Edit]) -> Tables:
        """The states of the model with these edits."""
        return self._all_tables(edits, self._versions(edits))

    def overlooked(self, candidate: Candidate) -> dict[str, NDArray[np.bool_]]:
        """By action, the operators that the candidate runs in some state where the world refuses them.

        All operators in all states are looked at, those too that are no examples.
        """
        tables = self.tables(candidate.edits)
        found: dict[str, NDArray[np.bool_]] = {}
        for name, action in sorted(self._model.actions.items()):
            examples, fitted = self._seen.examples[name], candidate.fits.get(name, Fit())
            dropped = {literal for literal, _ in fitted.dropped}
            literals = [p for p in (*action.preconditions, *fitted.added) if p not in dropped]
            runs = ~examples.executed
            for literal in literals:
                keys = keys_of(
                    literal.terms, dict(enumerate(examples.rows.T)), len(examples.rows), self._base
                )
                runs &= tables[literal.predicate][self._seen.asked][:, keys] == literal.positive
            states, operators = np.nonzero(runs)
            if action.fixed and len(states):
                columns = dict(enumerate(examples.rows[operators].T))
                nodes = self._seen.asked[states]
                for part in action.fixed:
                    held = holds(part, columns, nodes, tables, action.schema, self._base)
                    runs[states[~held], operators[~held]] = False
            if runs.any():
                found[name] = np.logical_or.reduce(runs, axis=0)
        return found

    def read(self, name: str, literal: Literal) -> set[int]:
        """The keys of the atoms by which executed operators satisfy an atom of their precondition."""
        places = self._places_of(name, literal.terms)[self._seen.examples[name].positive]
        true = _at(self.tables(_NONE)[literal.predicate], places, True)
        return set(np.unique(places[true] % self._sizes[literal.predicate]).tolist())

    def suspects(self, candidate: Candidate) -> frozenset[str]:
        """The predicates that what the candidate leaves open may have to do with."""
        own = {
            literal.predicate
            for name in candidate.fits
            for literal in self._model.actions[name].preconditions
        }
        return frozenset(own) | self._suspects(candidate)

    def errors(self, candidate: Candidate | None) -> int:
        """Examples that the candidate gets wrong, or that the model as it is given does."""
        total = 0
        tables = self.tables(candidate.edits if candidate else _NONE)
        for name, action in sorted(self._model.actions.items()):
            fitted = candidate.fits.get(name, Fit()) if candidate else Fit()
            dropped = {literal for literal, _ in fitted.dropped}
            examples = self._seen.examples[name]
            runs = np.ones(len(examples.nodes), dtype=np.bool_)
            for literal in (*action.preconditions, *fitted.added):
                if literal not in dropped:
                    places = self._places_of(name, literal.terms)
                    runs &= _at(tables[literal.predicate], places, literal.positive)
            for part in action.fixed:
                columns = dict(enumerate(examples.arguments.T))
                runs &= holds(part, columns, examples.nodes, tables, action.schema, self._base)
            total += int(
                np.count_nonzero(~runs[examples.positive]) + np.count_nonzero(runs[examples.negative])
            )
        return total

    def neighbours(self, candidate: Candidate) -> Iterator[frozenset[Edit]]:
        """The candidate's edits with one less, or one more that may bear on what it leaves open."""
        for edit in sorted(candidate.edits, key=repr):
            yield candidate.edits - {edit}
        suspects = self._suspects(candidate)
        for name, action in sorted(self._model.actions.items()):
            for literal in action.candidates:
                if literal.predicate not in suspects:
                    continue
                edit = EffectEdit(name, literal, literal not in action.effects)
                opposite = EffectEdit(
                    name, Literal(literal.predicate, literal.terms, not literal.positive), True
                )
                if edit not in candidate.edits and opposite not in candidate.edits:
                    yield candidate.edits | {edit}
        for start in self._starts(candidate):
            if start not in candidate.edits:
                yield candidate.edits | {start}

    def _starts(self, candidate: Candidate) -> Iterator[InitialEdit]:
        """Initial atoms that refuted preconditions missed most, up to `MOST_STARTS` for each literal."""
        tables = self.tables(candidate.edits)
        for name, fitted in sorted(candidate.fits.items()):
            examples = self._seen.examples[name]
            for literal, _ in fitted.dropped:
                if literal.predicate == EQUAL:
                    continue
                places = self._places_of(name, literal.terms)[examples.positive]
                width = self._sizes[literal.predicate]
                false = places[~_at(tables[literal.predicate], places, literal.positive)]
                keys, counts = np.unique(false % width, return_counts=True)
                for key in keys[np.argsort(-counts, kind="stable")][:MOST_STARTS].tolist():
                    yield InitialEdit(
                        literal.predicate, self._atom(key, len(literal.terms)), literal.positive
                    )

    def _atom(self, key: int, arity: int) -> tuple[int, ...]:
        """The arguments that a key stands for."""
        digits: list[int] = []
        for _ in range(arity):
            key, digit = divmod(key, self._base)
            digits.append(digit)
        return tuple(reversed(digits))

    def _suspects(self, candidate: Candidate) -> frozenset[str]:
        """Predicates of refuted preconditions, and all that could exclude what is left or newly excluded."""
        found: set[str] = set()
        for name, fitted in candidate.fits.items():
            found |= {literal.predicate for literal, _ in fitted.dropped}
            if fitted.left or fitted.added:
                found |= {literal.predicate for literal in self._model.actions[name].candidates}
        return frozenset(found)

    def _versions(self, edits: frozenset[Edit]) -> dict[str, frozenset[Edit]]:
        """Predicate to the edits that its table depends on."""
        versions: dict[str, frozenset[Edit]] = {}
        for edit in edits:
            name = edit.effect.predicate if isinstance(edit, EffectEdit) else edit.predicate
            versions[name] = versions.get(name, frozenset()) | {edit}
        if self._conditional:
            versions |= dict.fromkeys(sorted(self._conditional), edits)
        return versions

    def _all_tables(self, edits: frozenset[Edit], versions: dict[str, frozenset[Edit]]) -> Tables:
        found = {p: self._tables.get((p, versions.get(p, _NONE))) for p in self._sizes}
        missing = [p for p, table in found.items() if table is None]
        if not missing:
            return {p: table for p, table in found.items() if table is not None}
        made = progress(
            self._seen.walks,
            {name: a.schema for name, a in self._model.actions.items()},
            {name: self._effects(a, edits) for name, a in self._model.actions.items()},
            self._initial_atoms(edits),
            self._sizes,
            self._base,
            missing,
            {p: table for p, table in found.items() if table is not None},
        )
        for predicate, table in made.items():
            self._tables.keep((predicate, versions.get(predicate, _NONE)), table)
        return {p: table if table is not None else made[p] for p, table in found.items()}

    def _effects(self, action: Editable, edits: frozenset[Edit]) -> tuple[LiftedEffect, ...]:
        own = effects_of(action, edits)
        plain = (LiftedEffect((), And(()), e.predicate, e.terms, e.positive) for e in own)
        return (*plain, *action.conditional)

    def _initial_atoms(self, edits: frozenset[Edit]) -> dict[str, frozenset[int]]:
        changed = dict(self._initial)
        for edit in edits:
            if isinstance(edit, InitialEdit):
                atom = {_key(edit.arguments, self._base)}
                before = changed[edit.predicate]
                changed[edit.predicate] = before | atom if edit.present else before - atom
        return changed

    def _fit(self, action: Editable, tables: Tables, versions: dict[str, frozenset[Edit]]) -> Fit:
        """The fit; where nothing was added or is left, no predicates but the action's own had a say."""
        name, mine = action.schema.name, {literal.predicate for literal in action.preconditions}
        own = (name, "own", self._relevant(action, versions, mine))
        if own in self._fits:
            return self._fits[own]
        whole = (name, "all", self._relevant(action, versions, None))
        if whole not in self._fits:
            found = self._fitted(action, tables, versions)
            self._fits[whole] = found
            if not found.added and not found.left:
                self._fits[own] = found
        return self._fits[whole]

    def _relevant(
        self, action: Editable, versions: dict[str, frozenset[Edit]], predicates: set[str] | None
    ) -> object:
        if predicates is None or action.fixed:
            return tuple(sorted((p, _sorted(v)) for p, v in versions.items()))
        return tuple(sorted((p, _sorted(v)) for p, v in versions.items() if p in predicates))

    def _fitted(self, action: Editable, tables: Tables, versions: dict[str, frozenset[Edit]]) -> Fit:
        name, examples = action.schema.name, self._seen.examples[action.schema.name]

        def truth(literal: Literal, which: NDArray[np.int64] | None) -> Mask:
            places = self._places_of(name, literal.terms)
            if which is not None:
                return _at(tables[literal.predicate], places[which], literal.positive)
            key = (name, literal, versions.get(literal.predicate, _NONE))
            held = self._truth.get(key)
            if held is None:
                held = _at(tables[literal.predicate], places, literal.positive)
                self._truth.keep(key, held)
            return held

        fixed = np.ones(len(examples.nodes), dtype=np.bool_)
        for part in action.fixed:
            columns = dict(enumerate(examples.arguments.T))
            fixed &= holds(part, columns, examples.nodes, tables, action.schema, self._base)
        return fit(action, examples.positive, examples.negative, truth, fixed)

    def _places_of(self, name: str, terms: tuple[int, ...]) -> NDArray[np.int64]:
        """Where the atom with these terms stands in a table that is read row after row, for each example."""
        if (name, terms) not in self._places:
            examples = self._seen.examples[name]
            columns = dict(enumerate(examples.arguments.T))
            keys = keys_of(terms, columns, len(examples.nodes), self._base)
            self._places[name, terms] = examples.nodes * self._base ** len(terms) + keys
        return self._places[name, terms]


_NONE: frozenset[Edit] = frozenset()


def _at(table: Table, places: NDArray[np.int64], positive: bool) -> Mask:
    found: Mask = table.reshape(-1)[places]
    return found if positive else ~found


def _key(arguments: tuple[int, ...], base: int) -> int:
    key = 0
    for number in arguments:
        key = key * base + number
    return key


def _sorted(edits: frozenset[Edit]) -> tuple[str, ...]:
    return tuple(sorted(map(repr, edits)))
