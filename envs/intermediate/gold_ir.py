"""A task as a gold IR: everything that it has to state, as a person would state it.

How many objects of each type there are, and the names that nothing else mentions or makes; then the initial
state and the goal, predicate by predicate: what is true of every object of a type as a rule, what pairs two
types off in the order of their numbers as a map, the rest as facts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby
from types import MappingProxyType

from envs.intermediate.implied import IMPLIED, Implied, read_implied
from envs.intermediate.outline import Cell, Stated, outlined, with_helpers
from envs.pddl.language.domain import GroundAtom, read_vocabulary
from envs.pddl.language.vocabulary import Vocabulary
from envs.registry import WORLDS_FOLDER
from envs.tasks import Literal, TaskFacts
from envs.verbalisation.compact import FactBlock, Wholes, cover

_NUMBERED = re.compile(r"(.*?)(\d+)")


#: Facts that the rules of a world give back to the readers of terse texts alone.
_TERSE_ONLY = MappingProxyType({"floortile": "available-color", "grippers": "free"})
#: Of these predicates the rules give back some facts; of the others that they give back, all.
_IN_PART = MappingProxyType({"storage": "in", "termes": "height"})


def constant(name: str) -> str:
    """The constant of a name of PDDL where no two names come to the same one: lower case, `_` for `-`."""
    return name.lower().replace("-", "_")


def gold_ir(world: str, facts: TaskFacts, asp: Callable[[str], str] = constant) -> str:
    """The IR of a task of a built-in world; `asp` gives the constant of each name.

    With the world's rules the task follows from it, without them it does not, unless the world has nothing to
    derive. Raises FileNotFoundError if there is no such world.
    """
    domain = read_vocabulary((WORLDS_FOLDER / world / "domain.pddl").read_text(encoding="utf-8"))
    return _Writer(facts, domain, asp).write(stated(facts, domain, world))


def stated(facts: TaskFacts, domain: Vocabulary, world: str) -> Stated:
    """What is left of a task of a built-in world to state; everything if nothing says what follows.

    Everything, too, of a task in which something follows that is not so.
    """
    path = WORLDS_FOLDER / world / IMPLIED
    implied = read_implied(path.read_text(encoding="utf-8")) if path.is_file() else Implied()
    rules = tuple(rule for rule in implied.facts if rule.fact[0] == _IN_PART.get(world))
    derived = {rule.fact[0] for rule in implied.facts} - {_IN_PART.get(world), _TERSE_ONLY.get(world)}
    left = replace(facts, init=tuple(atom for atom in facts.init if atom[0] not in derived))
    grids, symmetric, transitive = implied.grids, implied.symmetric, implied.transitive
    try:
        return outlined(left, domain, Implied(rules, (), symmetric, transitive, grids=grids))
    except ValueError:
        return Stated(facts.init, facts.goal)


def plain_ir(facts: TaskFacts, domain: Vocabulary, asp: Callable[[str], str] = constant) -> str:
    """The IR of a task of any domain with all that is true at first: no rules are needed beside it."""
    return _Writer(facts, domain, asp).write(Stated(facts.init, facts.goal))


def terse_ir(
    facts: TaskFacts, domain: Vocabulary, implied: Implied, asp: Callable[[str], str] = constant
) -> str:
    """The IR of what a terse text of a task states (`envs.verbalisation.terse`). Raises ValueError."""
    outline = outlined(facts, domain, implied)
    return _Writer(facts, with_helpers(domain, implied), asp).write(outline)


@dataclass(frozen=True)
class _Line:
    """A statement, the objects that it names, and those whose types it shows to whoever knows the domain."""

    text: str
    names: frozenset[str] = frozenset()
    shows: frozenset[str] = frozenset()


class _Writer:
    """Writes one task."""

    def __init__(self, facts: TaskFacts, domain: Vocabulary, asp: Callable[[str], str]):
        self._facts = facts
        self._domain = domain
        self._asp = asp
        self._order = {name: place for place, name in enumerate(facts.objects)}
        self._wholes = Wholes(facts.objects, domain)
        self._by_type = facts.by_type

    def write(self, outline: Stated) -> str:
        """The whole IR: objects, initial state and goal, with an empty line between them."""
        init = [*map(self._cell, outline.cells), *self._state("init", [(True, a) for a in outline.init])]
        goal = self._state("goal", outline.goal)
        parts = (
            self._objects((*init, *goal), outline.counted),
            (line.text for line in init),
            (line.text for line in goal),
        )
        return "\n\n".join("\n".join(part) for part in parts) + "\n"

    def _objects(self, lines: Sequence[_Line], counted: Mapping[str, tuple[str, int]]) -> Iterator[str]:
        """How many there are of each type, and their names, unless each is shown or made of the type."""
        shown = frozenset[str]().union(*(line.shows for line in lines))
        named = frozenset[str]().union(*(line.names for line in lines))
        for kind, names in self._by_type.items():
            type_ = self._asp(kind)
            helper, number = counted.get(kind, ("", 0))
            if helper:
                yield f"init({helper}({number}))."
                continue
            yield f"cardinality({type_}, {len(names)})."
            made = {f"{type_}{number}" for number in range(1, len(names) + 1)}
            makes_all = {self._asp(name) for name in names} == made
            if kind not in counted and any(
                name not in shown and (name in named or not makes_all) for name in names
            ):
                yield " ".join(f"object({self._asp(name)}, {type_})." for name in names)

    def _cell(self, cell: Cell) -> _Line:
        text = f"init({cell.grid}({cell.row}, {cell.column}, {self._asp(cell.name)}))."
        return _Line(text, frozenset((cell.name,)), frozenset((cell.name,)))

    def _state(self, state: str, literals: Sequence[Literal]) -> list[_Line]:
        """The lines of `init` or `goal`, by predicate in the order of the domain, true ones first."""
        place = {name: number for number, name in enumerate(self._domain.predicates)}

        def key(literal: Literal) -> tuple[int, bool]:
            return place[literal[1][0]], not literal[0]

        groups = groupby(sorted(dict.fromkeys(literals), key=key), key=key)
        lines = (self._group(state, [a for _, a in group], negative) for (_, negative), group in groups)
        return list(chain.from_iterable(lines))

    def _group(self, state: str, atoms: Sequence[GroundAtom], negative: bool) -> list[_Line]:
        """The lines of one predicate: a map, or a line for each of few blocks."""
        if not negative and (types := self._paired_types(atoms)) is not None:
            one, other = map(self._asp, types)
            return [_Line(f"{state}(map({one}, {self._asp(atoms[0][0])}, {other})).")]
        return [self._block(state, block, negative) for block in self._blocks(atoms)]

    def _paired_types(self, atoms: Sequence[GroundAtom]) -> tuple[str, str] | None:
        """The two types that the atoms pair off in the order of their numbers, if they do."""
        if len(atoms) < 2 or len(atoms[0]) != 3:
            return None
        types = self._facts.objects[atoms[0][1]], self._facts.objects[atoms[0][2]]
        left, right = (_by_number(self._by_type[kind]) for kind in types)
        if types[0] == types[1] or len(left) != len(right) or not left:
            return None
        return types if {atom[1:] for atom in atoms} == set(zip(left, right, strict=True)) else None

    def _blocks(self, atoms: Sequence[GroundAtom]) -> list[FactBlock]:
        """The atoms of one predicate as few blocks, by the slot whose wholes say most of them."""
        ways = [self._merged(atoms, []), *(self._merged(atoms, [slot]) for slot in range(len(atoms[0]) - 1))]
        return min(ways, key=len)

    def _merged(self, atoms: Sequence[GroundAtom], slots: Sequence[int]) -> list[FactBlock]:
        """One block for the atoms that differ in the slots only and make a whole, one for each other atom."""
        blocks = cover(atoms, slots, self._order)
        return [
            part
            for block in blocks
            for part in ([block] if self._is_whole(block) else cover(list(block.atoms), [], self._order))
        ]

    def _is_whole(self, block: FactBlock) -> bool:
        return all(len(names) == 1 or self._wholes.of(names) is not None for names in block.slots)

    def _block(self, state: str, block: FactBlock, negative: bool) -> _Line:
        """`init(at(ball1, room2)).`, or with a variable for the slot that holds a whole."""
        arguments, body = [], []
        for names in block.slots:
            whole = self._wholes.of(names)
            arguments.append(self._asp(names[0]) if whole is None else "X")
            if whole is not None:
                kind, rest = whole
                body += [f"object(X, {self._asp(kind)})", *(f"X != {self._asp(name)}" for name in rest)]
        atom = self._asp(block.predicate) + (f"({', '.join(arguments)})" if arguments else "")
        head = f"{state}({'-' if negative else ''}{atom})"
        text = f"{head} :- {', '.join(body)}." if body else f"{head}."
        return _Line(text, *self._named_and_shown(block))

    def _named_and_shown(self, block: FactBlock) -> tuple[frozenset[str], frozenset[str]]:
        """The single objects in a block, and those of them whose type is that of their slot."""
        slots = zip(self._domain.predicates[block.predicate], block.slots, strict=True)
        single = {names[0]: kind for (_, kind), names in slots if len(names) == 1}
        shown = (name for name, kind in single.items() if self._facts.objects[name] == kind)
        return frozenset(single), frozenset(shown)


def _by_number(names: Sequence[str]) -> list[str]:
    """The names in the order of their numbers, if they differ in nothing else; otherwise none."""
    read = [_NUMBERED.fullmatch(name) for name in names]
    numbers = {int(match[2]): name for match, name in zip(read, names, strict=True) if match}
    stems = {match[1] for match in read if match}
    return [numbers[n] for n in sorted(numbers)] if len(stems) == 1 and len(numbers) == len(names) else []
