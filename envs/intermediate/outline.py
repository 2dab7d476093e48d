"""A task without what follows, as declared in the `implied.json` of its world.

What is left out here is inferred again by the rules of the world; that it is, is tested for all tasks. Where
something lies in a grid is read off its name, `pos-2-1`, and stated only if the names agree
with the facts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise, product

from envs.intermediate.implied import IMPLIED, Grid, Helper, Implied, ImpliedRule, Order, Pattern
from envs.pddl.language.domain import GroundAtom
from envs.pddl.language.vocabulary import OBJECT, Vocabulary
from envs.tasks import Literal, TaskFacts

Binding = Mapping[str, str]
_ENDING_NUMBER = re.compile(r"(.*?)(\d+)")
_PLACE_IN_GRID = re.compile(r"[-_](\d+)[-_](\d+)$")


@dataclass(frozen=True)
class Cell:
    """An object in a grid."""

    grid: str  #: the helper predicate that says so
    row: int
    column: int
    name: str
    within: str = ""  #: the place that has a grid of its own, where there is more than one


@dataclass(frozen=True)
class Stated:
    """What there is to state."""

    init: tuple[GroundAtom, ...]
    goal: tuple[Literal, ...]
    cells: tuple[Cell, ...] = ()
    #: type of which the number alone is stated → the helper predicate that says so, and what it takes; an
    #: empty name stands for the number of objects itself
    counted: Mapping[str, tuple[str, int]] = field(default_factory=dict)


def with_helpers(domain: Vocabulary, implied: Implied) -> Vocabulary:
    """The domain with the helper predicates that stand in place of facts. Raises ValueError."""
    helpers = {entry.helper[0]: _parameters(entry, domain) for entry in implied.helpers}
    return replace(domain, predicates={**domain.predicates, **helpers})


def outlined(facts: TaskFacts, domain: Vocabulary, implied: Implied) -> Stated:
    """What is left of a task to state; its atoms may be of helper predicates.

    Raises ValueError if `implied` does not fit the domain, or makes something follow that is not true.
    """
    return _Outliner(facts, domain, implied).outline()


class _Outliner:
    """Leaves out of one task what follows."""

    def __init__(self, facts: TaskFacts, domain: Vocabulary, implied: Implied):
        self._facts, self._domain, self._implied = facts, with_helpers(domain, implied), implied
        self._helpers = dict.fromkeys(a for entry in implied.helpers for a in self._restated(entry))
        self._init = _by_predicate((*facts.init, *self._helpers))
        self._goal = _by_predicate(atom for holds, atom in facts.goal if holds)
        self._order = {name: place for place, name in enumerate(facts.objects)}

    def outline(self) -> Stated:
        """What is left."""
        self._check_names()
        orders = [order for order in self._implied.orders if self._in_order(order)]
        follows = {atom for order in orders for atom in self._of_order(order)}
        cells: list[Cell] = []
        for grid in self._implied.grids:
            found, facts = self._of_grid(grid)
            cells += found
            follows |= facts
        follows |= self._following(self._implied.facts, self._init, set(self._facts.init))
        init = [atom for atom in (*self._facts.init, *self._helpers) if atom not in follows]
        return Stated(
            tuple(atom for atom in init if not self._is_doubled(atom)),
            tuple(self._goal_left()),
            tuple(cells),
            counted={o.type: (o.helper, len(self._of_type(o.type)) - 1) for o in orders},
        )

    def _goal_left(self) -> Iterator[Literal]:
        """The goal without what follows, as long as something of its predicate is left."""
        wanted = {atom for holds, atom in self._facts.goal if holds}
        rules = [rule for rule in self._implied.goals if rule.fact[0] in self._goal]
        follows = self._following(rules, self._goal, wanted)
        asked = {atom[0] for atom in wanted - follows}
        for holds, atom in self._facts.goal:
            if not holds or atom not in follows or atom[0] not in asked:
                yield holds, atom

    def _following(
        self, rules: Iterable[ImpliedRule], pool: Mapping[str, list[GroundAtom]], true: set[GroundAtom]
    ) -> set[GroundAtom]:
        """What follows by some rules of a state or the goal. Raises ValueError if it is not all true."""
        follows = {atom for rule in rules for atom in self._by_rule(rule, pool)}
        if false := sorted(follows - true):
            raise ValueError(
                f"{IMPLIED} makes ({' '.join(false[0])}) follow, which is not so in the task: no text of it "
                "can leave out what follows, only those of other levels can be had"
            )
        return follows

    def _by_rule(self, rule: ImpliedRule, pool: Mapping[str, list[GroundAtom]]) -> Iterator[GroundAtom]:
        for pattern in (rule.fact, *rule.when, *rule.unless):
            self._check(pattern)
        bindings: list[Binding] = [{}]
        for pattern in rule.when:
            atoms, bare = self._atoms(pattern)
            bindings = [n for b in bindings for atom in atoms if (n := _match(bare, atom, b)) is not None]
        kinds = [kind for _, kind in self._domain.predicates[rule.fact[0]]]
        for binding in bindings:
            terms = [binding.get(term, term) for term in rule.fact[1:]]
            slots = [
                [name for name in self._of_type(kind) if term == name or term.startswith("?")]
                for term, kind in zip(terms, kinds, strict=True)
            ]
            for arguments in product(*slots):
                atom = (rule.fact[0], *arguments)
                if not self._is_barred(rule, atom, pool):
                    yield atom

    def _is_barred(self, rule: ImpliedRule, atom: GroundAtom, pool: Mapping[str, list[GroundAtom]]) -> bool:
        """Whether an exception of a rule holds for what it makes follow."""
        binding = _match(rule.fact, atom, {})
        if binding is None:
            return True
        for pattern in rule.unless:
            atoms, bare = self._atoms(pattern)
            if any(_match(bare, other, binding) is not None for other in atoms):
                return True
        others = tuple("?" if term == rule.unless_other else term for term in rule.fact)
        stated = pool.get(atom[0], ()) if rule.unless_other else ()
        return any(_match(others, other, binding) is not None and other != atom for other in stated)

    def _atoms(self, pattern: Pattern) -> tuple[list[GroundAtom], Pattern]:
        """The atoms that a pattern looks at, and the pattern without the word `goal`."""
        if pattern[0] == "goal":
            return self._goal.get(pattern[1], []), pattern[1:]
        return self._init.get(pattern[0], []), pattern

    def _check(self, pattern: Pattern) -> None:
        name, *arguments = pattern[1:] if pattern[0] == "goal" else pattern
        parameters = self._domain.predicates.get(name)
        if parameters is None or len(parameters) != len(arguments):
            raise ValueError(f"{IMPLIED}: {' '.join(pattern)!r} is no fact of the domain {self._domain.name}")

    def _check_names(self) -> None:
        """Refuses types and predicates that are not there and stand outside of patterns."""
        implied, domain = self._implied, self._domain
        types = {OBJECT, *domain.types.parents}
        typed = [*(order.type for order in implied.orders), *(grid.type for grid in implied.grids)]
        within = [grid.within for grid in implied.grids if grid.within]
        for what, names, known in (
            ("type", typed, types),
            ("predicate", [*implied.symmetric, *implied.transitive, *within], set(domain.predicates)),
        ):
            if wrong := [name for name in names if name not in known]:
                there = ", ".join(sorted(known))
                raise ValueError(
                    f"{IMPLIED}: {wrong[0]!r} is no {what} of the domain {domain.name}; it has {there}"
                )

    def _of_type(self, kind: str) -> list[str]:
        objects = self._facts.objects.items()
        return [name for name, own in objects if self._domain.types.is_subtype(own, kind)]

    def _restated(self, entry: Helper) -> Iterator[GroundAtom]:
        """What a helper predicate states in place of facts."""
        for pattern in entry.source:
            self._check(pattern)
            for atom in self._facts.init:
                if (binding := _match(pattern, atom, {})) is not None:
                    yield tuple(binding.get(term, term) for term in entry.helper)

    def _in_order(self, order: Order) -> bool:
        """Whether the objects of a type are named in a row and the facts say the same."""
        self._check(order.fact)
        stated = {atom for atom in self._facts.init if atom[0] == order.fact[0]}
        in_row = set(self._names(order)) == set(self._of_type(order.type))
        return bool(stated) and in_row and stated == set(self._of_order(order))

    def _names(self, order: Order) -> list[str]:
        found = _ENDING_NUMBER.fullmatch(order.first)
        if found is None:
            raise ValueError(f"{IMPLIED}: {order.first!r} does not end with a number")
        count = len(self._of_type(order.type))
        return [f"{found[1]}{int(found[2]) + place}" for place in range(count)]

    def _of_order(self, order: Order) -> Iterator[GroundAtom]:
        names = self._names(order)
        for one, other in combinations(names, 2) if order.every_pair else pairwise(names):
            yield _filled(order.fact, one, other)

    def _of_grid(self, grid: Grid) -> tuple[list[Cell], set[GroundAtom]]:
        """The cells of a grid and what follows from them; nothing if that is not all true."""
        places = {atom[1]: atom[2] for atom in self._init.get(grid.within, ()) if len(atom) == 3}
        named = ((name, _PLACE_IN_GRID.search(name)) for name in self._of_type(grid.type))
        cells = [
            Cell(grid.helper, int(spot[1]), int(spot[2]), name, places.get(name, ""))
            for name, spot in named
            if spot
        ]
        spots = {(cell.within, cell.row, cell.column): cell.name for cell in cells}
        follows = set[GroundAtom]()
        for rows, columns, patterns in ((1, 0, grid.above), (0, 1, grid.right)):
            for pattern in patterns:
                self._check(pattern)
            near = [(c.name, spots.get((c.within, c.row - rows, c.column - columns))) for c in cells]
            follows |= {_filled(pattern, a, b) for a, b in near if b is not None for pattern in patterns}
        if len(spots) < len(cells) or not follows <= set(self._facts.init):
            return [], set()
        return cells, follows

    def _is_doubled(self, atom: GroundAtom) -> bool:
        """Whether an atom follows from the same one turned round, or from two in a row."""
        if len(atom) != 3:
            return False
        name, one, other = atom
        true = self._init[name]
        if name in self._implied.symmetric and (name, other, one) in true:
            return self._order[one] > self._order[other]
        between = {a[2] for a in true if a[1] == one} & {a[1] for a in true if a[2] == other}
        return name in self._implied.transitive and bool(between - {one, other})


def _parameters(entry: Helper, domain: Vocabulary) -> tuple[tuple[str, str], ...]:
    """The parameters of a helper predicate, with the types that they have where they come from."""
    kinds: dict[str, str] = {}
    for name, *terms in entry.source:
        declared = domain.predicates.get(name, ())
        kinds |= {term: kind for term, (_, kind) in zip(terms, declared, strict=False)}
    return tuple((term, kinds.get(term, OBJECT)) for term in entry.helper[1:])


def _by_predicate(atoms: Iterable[GroundAtom]) -> dict[str, list[GroundAtom]]:
    found: dict[str, list[GroundAtom]] = {}
    for atom in atoms:
        found.setdefault(atom[0], []).append(atom)
    return found


def _match(pattern: Pattern, atom: GroundAtom, binding: Binding) -> Binding | None:
    """`binding` with what the variables of a pattern stand for in an atom; None if they do not fit."""
    if len(pattern) != len(atom) or pattern[0] != atom[0]:
        return None
    found = dict(binding)
    for term, name in zip(pattern[1:], atom[1:], strict=True):
        if term != "?" and (found.setdefault(term, name) if term.startswith("?") else term) != name:
            return None
    return found


def _filled(pattern: Pattern, one: str, other: str) -> GroundAtom:
    """The pattern with `?a` and `?b` filled in."""
    names = {"?a": one, "?b": other}
    return tuple(names.get(term, term) for term in pattern)
