"""What a program leaves to be made: objects of which only the number is stated, and the pairs of its maps.

Neither can be said by a rule without a choice between equals, so both are made here, in a fixed order, from
what one grounding of the program shows; they are part of the next one. An object that a type lacks gets the
type's name and the first number that makes it new. A map pairs what is left over of two types, in the order of
numbers and names.

An object called `shot1` of which only a type above `shot` is known is the shot with number 1: a text that gives
the number of shots and says of some what they contain means these.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count, islice

import clingo
from clingo import Function, Symbol, SymbolType

#: More objects than this are not made.
MAX_OBJECTS = 100_000

_PLAIN = re.compile(r"_*[a-z][A-Za-z0-9_']*", re.ASCII)

#: The state (`init` or `goal`), a type, a predicate, and the other type.
Map = tuple[str, str, str, str]
#: What is wrong: a word for it, and what it is about.
Wrong = tuple[str, ...]


@dataclass(frozen=True)
class Seen:
    """What one grounding of a program shows: what is true in some model at least."""

    objects: dict[str, list[Symbol]] = field(default_factory=dict)  #: by type
    cardinalities: dict[str, list[Symbol]] = field(default_factory=dict)  #: by type
    above: dict[str, set[str]] = field(default_factory=dict)  #: type → the types above it
    maps: list[Map] = field(default_factory=list)  #: sorted
    pairs: dict[tuple[str, str], list[Symbol]] = field(default_factory=dict)  #: by state and binary predicate

    @classmethod
    def of(cls, atoms: clingo.SymbolicAtoms) -> Seen:
        """What the atoms of a grounding say."""
        seen = cls()
        for found in atoms.by_signature("object", 2):
            thing, kind = found.symbol.arguments
            seen.objects.setdefault(str(kind), []).append(thing)
        for found in atoms.by_signature("tic_above", 2):
            above, kind = map(str, found.symbol.arguments)
            seen.above.setdefault(kind, set()).add(above)
        for found in atoms.by_signature("cardinality", 2):
            kind, number = found.symbol.arguments
            seen.cardinalities.setdefault(str(kind), []).append(number)
        for state in ("init", "goal"):
            for found in atoms.by_signature(state, 1):
                seen._add_fact(state, found.symbol.arguments[0])
        seen.maps.sort()
        return seen

    def types(self) -> dict[Symbol, set[str]]:
        """Every type of each object."""
        types: dict[Symbol, set[str]] = {}
        for kind, symbols in self.objects.items():
            for symbol in symbols:
                types.setdefault(symbol, set()).add(kind)
        return types

    def _add_fact(self, state: str, fact: Symbol) -> None:
        if fact.match("map", 3):
            left, predicate, right = map(str, fact.arguments)
            self.maps.append((state, left, predicate, right))
        elif fact.type is SymbolType.Function and len(fact.arguments) == 2 and fact.positive:
            self.pairs.setdefault((state, fact.name), []).append(fact)


@dataclass(frozen=True)
class Completion:
    """What was made after a grounding; the context that clingo calls in the next one."""

    objects: dict[str, tuple[Symbol, ...]] = field(default_factory=dict)  #: made, by type
    pairs: dict[Map, tuple[Symbol, ...]] = field(default_factory=dict)  #: made, by map
    wrong: tuple[Wrong, ...] = ()

    def after(self, seen: Seen) -> Completion:
        """What has to be made as a program shows itself that this completion was part of."""
        wrong: list[Wrong] = []
        made = self._missing(seen, wrong)
        paired = ((key, self._paired(key, seen, wrong)) for key in seen.maps)
        return Completion(made, {key: facts for key, facts in paired if facts}, tuple(wrong))

    def makes_the_same(self, other: Completion) -> bool:
        """Whether both would be the same part of a program."""
        return self.objects == other.objects and self.pairs == other.pairs

    def _missing(self, seen: Seen, wrong: list[Wrong]) -> dict[str, tuple[Symbol, ...]]:
        types = seen.types()
        taken: set[Symbol] = set()
        made: dict[str, tuple[Symbol, ...]] = {}
        for kind, numbers in sorted(seen.cardinalities.items()):
            if _PLAIN.fullmatch(kind) is None or not all(map(_countable, numbers)):
                wrong += [("number", kind, str(number)) for number in sorted(numbers)]
            elif len(numbers) > 1:
                wrong.append(("numbers", kind, *map(str, sorted(numbers))))
            else:
                own = set(self.objects.get(kind, ()))
                named = sum(symbol not in own for symbol in seen.objects.get(kind, ()))
                names = _names_for(kind, own, types, seen.above.get(kind, set()), taken)
                made[kind] = tuple(sorted(islice(names, max(0, numbers[0].number - named)), key=_by_number))
                taken.update(made[kind])
        return {kind: symbols for kind, symbols in made.items() if symbols}

    def _paired(self, key: Map, seen: Seen, wrong: list[Wrong]) -> tuple[Symbol, ...]:
        state, left, predicate, right = key
        if not all(map(_PLAIN.fullmatch, key)):
            wrong.append(("unpaired", *key))
            return ()
        lefts, rights = (sorted(seen.objects.get(kind, ()), key=_by_number) for kind in (left, right))
        stated = list(self._stated(seen, state, predicate, set(lefts), set(rights)))
        if len(lefts) != len(rights):
            wrong.append(("unequal", *key, str(len(lefts)), str(len(rights))))
        for place, things in enumerate((lefts, rights)):
            used = Counter(fact.arguments[place] for fact in stated)
            wrong += [("twice", *key, str(one)) for one in sorted(used) if used[one] > 1]
            things[:] = [thing for thing in things if thing not in used]
        return tuple(Function(predicate, [x, y]) for x, y in zip(lefts, rights, strict=False))

    def _stated(
        self, seen: Seen, state: str, predicate: str, lefts: set[Symbol], rights: set[Symbol]
    ) -> Iterator[Symbol]:
        """The pairs that are not of a map."""
        ours = {fact for key, facts in self.pairs.items() if key[0] == state for fact in facts}
        for fact in seen.pairs.get((state, predicate), ()):
            if fact not in ours and fact.arguments[0] in lefts and fact.arguments[1] in rights:
                yield fact

    def facts(self) -> str:
        """What the schema has to know to ask for it."""
        counted = (f"tic_counted({kind}).\n" for kind in self.objects)
        return "".join([*counted, *(f"tic_mapped({','.join(key)}).\n" for key in self.pairs)])

    def make_objects(self, kind: Symbol) -> Sequence[Symbol]:
        """The objects made of a type."""
        return self.objects[str(kind)]

    def make_map(self, state: Symbol, left: Symbol, predicate: Symbol, right: Symbol) -> Sequence[Symbol]:
        """The pairs made of a map."""
        return self.pairs[str(state), str(left), str(predicate), str(right)]

    @staticmethod
    def make_id(kind: Symbol, number: Symbol) -> Symbol:
        """The constant of a type with a number."""
        return _numbered(str(kind), number.number)

    @staticmethod
    def make_fact(predicate: Symbol, *arguments: Symbol) -> Symbol:
        """A predicate of some arguments."""
        return Function(predicate.name, arguments)

    @staticmethod
    def make_seq(length: Symbol, kind: Symbol, predicate: Symbol, start: Symbol) -> Sequence[Symbol]:
        """Facts that put constants of a type in a row."""
        places = range(start.number, start.number + length.number)
        names = [(_numbered(str(kind), i), _numbered(str(kind), i + 1)) for i in places]
        return [Function(predicate.name, pair) for pair in names]


def _countable(number: Symbol) -> bool:
    return number.type is SymbolType.Number and 0 <= number.number <= MAX_OBJECTS


def _numbered(kind: str, number: int) -> Symbol:
    return Function(f"{kind}{number}")


def _names_for(
    kind: str, own: set[Symbol], types: dict[Symbol, set[str]], above: set[str], taken: set[Symbol]
) -> Iterator[Symbol]:
    """Names for objects of a type: those that are known by types above it, then new ones."""
    numbered = re.compile(rf"{kind}\d+")
    known = [symbol for symbol, found in types.items() if symbol in own or found <= above]
    mentioned = sorted((s for s in known if numbered.fullmatch(str(s)) and s not in taken), key=_by_number)
    yield from mentioned
    yield from (n for n in map(partial(_numbered, kind), count(1)) if n not in types and n not in taken)


def _by_number(thing: Symbol) -> tuple[tuple[str, int], ...]:
    """Orders shot2 before shot10."""
    return tuple((text, int(number or 0)) for text, number in re.findall(r"(\D+|^)(\d*)", str(thing)))
