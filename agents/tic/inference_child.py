"""The program of a child that infers: it grounds and solves what an IR and our own rules come to.

Its standard input is the program; what it writes is a `Reply` as JSON. The program is ground until nothing
more is made, then solved: two models that differ in what they show are looked for. If there is none, the
fewest statements are looked for that stand in the way.

It imports little, so that it starts quickly, and enables no scripts.

A program leaves to be made the objects of which only the number is stated, and the pairs of its maps. Neither
can be said by a rule without a choice between equals, so both are made here, in a fixed order, from
what one grounding of the program shows; they are part of the next one. An object that a type lacks gets the
type's name, or another one that the world's rules give, and the first number that makes it new. A map pairs
what is left over of two types, in the order of numbers and names.

An object called `shot1` of which only a type above `shot` is known is the shot with number 1: a text that
gives the number of shots and says of some what they contain means these.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import asdict, dataclass, field
from itertools import count, islice, pairwise

import clingo
from clingo import Function, Number, Symbol

#: A program that asks for more rounds has no answer.
_ROUNDS = 8
#: More atoms than this are not handed back.
MAX_ATOMS = 500_000
#: More objects than this are not made.
MAX_OBJECTS = 100_000

#: What is above a type that the domain does not know.
_ROOT = frozenset({"object"})
_PLAIN = re.compile(r"_*[a-z][A-Za-z0-9_']*", re.ASCII)
_ENDING_NUMBER = re.compile(r"\d+$", re.ASCII)

#: The state (`init` or `goal`), a type, a predicate, and the other type.
Map = tuple[str, str, str, str]
Pair = tuple[str, str]
#: A stem and the first number behind it.
Names = tuple[str, int]
#: What is wrong: a word for it, and what it is about.
Wrong = tuple[str, ...]


@dataclass(frozen=True)
class Facts:
    """A model, in constants (`agents.tic.knowledge`); everything sorted. Picklable."""

    objects: tuple[tuple[str, str], ...]  #: (object, type), every type of each
    init: tuple[tuple[str, ...], ...]  #: (predicate, argument, ...)
    goal: tuple[tuple[bool, tuple[str, ...]], ...]  #: (True if it has to hold, (predicate, argument, ...))

    def statements(self) -> Iterator[str]:
        """Each fact as an IR would state it."""
        yield from (f"object({thing}, {kind})" for thing, kind in self.objects)
        yield from (f"init({show_fact(fact)})" for fact in self.init)
        yield from (show_goal(holds, fact) for holds, fact in self.goal)


def show_fact(fact: Sequence[str]) -> str:
    """`on(a, b)`, or `has_block`."""
    predicate, *arguments = fact
    return f"{predicate}({', '.join(arguments)})" if arguments else predicate


def show_goal(holds: bool, fact: Sequence[str]) -> str:
    """`goal(on(a, b))`, or `goal(-on(a, b))`."""
    return f"goal({'' if holds else '-'}{show_fact(fact)})"


@dataclass
class Reply:
    """What became of a request. With `wrong`, one model shows what is true where these are overlooked."""

    models: list[Facts] = field(default_factory=list)  #: two at the most
    wrong: list[Wrong] = field(default_factory=list)
    refused: bool = False  #: clingo does not take the program; `notes` say why
    too_many: bool = False  #: more atoms than are handed back
    notes: list[tuple[int, str]] = field(default_factory=list)  #: line of the program, and what clingo says


def answer(program: str) -> Reply:
    """The models of a program, or what is wrong with it."""
    reply = Reply()
    try:
        control, made, settled = _settled(program, reply)
    except RuntimeError:
        reply.refused = True
        return reply
    if not settled:
        reply.wrong = [("unsettled",)]
    elif made.wrong:
        reply.wrong = list(made.wrong)
    else:
        _solve(control, reply)
    return reply


def _settled(program: str, reply: Reply) -> tuple[clingo.Control, Additions, bool]:
    """The program ground with all that has to be made, and whether that came to an end."""
    made = Additions()
    for _ in range(_ROUNDS):
        reply.notes = []
        control = _ground(program, made, reply)
        following = made.after(Grounded.of(control.symbolic_atoms))
        if (following.objects, following.pairs) == (made.objects, made.pairs):
            return control, following, True
        made = following
    return control, made, bool(made.wrong)


def _ground(program: str, made: Additions, reply: Reply) -> clingo.Control:
    def log(_code: clingo.MessageCode, message: str) -> None:
        place, _, words = message.partition(": ")
        numbers = place.split(":")[1:2]
        reply.notes.append((int(numbers[0]) if numbers else 0, " ".join(words.split())))

    control = clingo.Control(["--project=show", "--opt-mode=ignore"], logger=log, message_limit=1000)
    control.add("base", [], f"{program}{made.facts()}")
    control.ground([("base", [])], context=made)
    return control


def _solve(control: clingo.Control, reply: Reply) -> None:
    """The first two models; if there is none, the one in which the fewest things are wrong."""
    control.assign_external(Function("tic_strict"), True)
    for terms in _models(control, 2):
        reply.models.append(_model(terms))
        reply.wrong += [("open", what) for what in _about(terms, "tic_open")]
        reply.too_many |= len(terms) > MAX_ATOMS
    if not reply.models:
        control.assign_external(Function("tic_strict"), False)
        control.configuration.solve.opt_mode = "opt"
        for terms in _models(control, 0):  # each is better than the one before
            reply.models = [_model(terms)]
            reply.wrong = [tuple(split_term(what)) for what in _about(terms, "tic_wrong")]
        reply.wrong = reply.wrong or [("denied",)]


def _about(terms: Iterable[str], predicate: str) -> list[str]:
    """What a predicate of the schema says, sorted."""
    return sorted(term[len(predicate) + 1 : -1] for term in terms if term.startswith(f"{predicate}("))


def _models(control: clingo.Control, limit: int) -> Iterator[list[str]]:
    control.configuration.solve.models = limit
    with control.solve(yield_=True) as handle:
        for model in handle:
            yield list(map(str, model.symbols(shown=True)))


def _model(terms: Iterable[str]) -> Facts:
    """A model out of its terms' texts: to ask clingo for their parts takes far longer."""
    objects, init, goal = [], [], []
    for term in terms:
        name, _, inner = term[:-1].partition("(")
        if name == "object":
            thing, kind = split_term(term)[1:]
            objects.append((thing, kind))
        elif name == "goal":
            goal.append((not inner.startswith("-"), tuple(split_term(inner.removeprefix("-")))))
        elif name == "init" and not inner.startswith("-"):
            init.append(tuple(split_term(inner)))
    return Facts(tuple(sorted(objects)), tuple(sorted(init)), tuple(sorted(goal)))


@dataclass(frozen=True)
class Grounded:
    """What one grounding of a program shows: what is true in some model at least. All terms are texts."""

    objects: dict[str, list[str]] = field(default_factory=dict)  #: by type
    cardinalities: dict[str, list[str]] = field(default_factory=dict)  #: by type
    numbered: dict[str, Names] = field(default_factory=dict)  #: by type: stem and first number of new names
    above: dict[str, set[str]] = field(default_factory=dict)  #: type → the types above it
    maps: list[Map] = field(default_factory=list)  #: sorted
    pairs: dict[tuple[str, str], list[Pair]] = field(default_factory=dict)  #: by state and predicate

    @classmethod
    def of(cls, atoms: clingo.SymbolicAtoms) -> Grounded:
        """What the atoms of a grounding say."""
        seen = cls()
        for thing, kind in _arguments(atoms, "object", 2):
            seen.objects.setdefault(kind, []).append(thing)
        for above, kind in _arguments(atoms, "tic_above", 2):
            seen.above.setdefault(kind, set()).add(above)
        for kind, number in _arguments(atoms, "cardinality", 2):
            seen.cardinalities.setdefault(kind, []).append(number)
        for kind, stem, first in _arguments(atoms, "numbered_from", 3):
            if _PLAIN.fullmatch(stem) and _countable(first):
                seen.numbered[kind] = stem, int(first)
        for state in ("init", "goal"):
            for found in atoms.by_signature(state, 1):
                name, *arguments = split_term(str(found.symbol)[len(state) + 1 : -1])
                if name == "map" and len(arguments) == 3:
                    seen.maps.append((state, arguments[0], arguments[1], arguments[2]))
                elif len(arguments) == 2:
                    seen.pairs.setdefault((state, name), []).append((arguments[0], arguments[1]))
        seen.maps.sort()
        return seen

    def types(self) -> dict[str, set[str]]:
        """Every type of each object."""
        types: dict[str, set[str]] = {}
        for kind, things in self.objects.items():
            for thing in things:
                types.setdefault(thing, set()).add(kind)
        return types

    def names_of(self, kind: str, named: Sequence[str]) -> Names:
        """What new objects of a type are called: as the rules say, unless those that are named differ."""
        stem, first = self.numbered.get(kind, (kind, 1))
        alike = not named or any(re.fullmatch(rf"{stem}\d+", thing) for thing in named)
        return (stem, first) if alike else (kind, 1)


@dataclass(frozen=True)
class Additions:
    """What was made after a grounding; the context that clingo calls in the next one."""

    objects: dict[str, tuple[str, ...]] = field(default_factory=dict)  #: made, by type
    pairs: dict[Map, tuple[Pair, ...]] = field(default_factory=dict)  #: made, by map
    wrong: tuple[Wrong, ...] = ()

    def after(self, seen: Grounded) -> Additions:
        """What has to be made as a program shows itself that this completion was part of."""
        wrong: list[Wrong] = []
        made = self._missing(seen, wrong)
        paired = ((key, self._paired(key, seen, wrong)) for key in seen.maps)
        return Additions(made, {key: facts for key, facts in paired if facts}, tuple(wrong))

    def _missing(self, seen: Grounded, wrong: list[Wrong]) -> dict[str, tuple[str, ...]]:
        types = seen.types()
        taken: set[str] = set()
        made: dict[str, tuple[str, ...]] = {}
        for kind, numbers in sorted(seen.cardinalities.items()):
            if _PLAIN.fullmatch(kind) is None or not all(map(_countable, numbers)):
                wrong += [("number", kind, number) for number in sorted(numbers)]
            elif len(numbers) > 1:
                wrong.append(("numbers", kind, *sorted(numbers, key=int)))
            else:
                own = set(self.objects.get(kind, ()))
                named = [thing for thing in seen.objects.get(kind, ()) if thing not in own]
                names = _names_for(seen.names_of(kind, named), own, types, seen.above.get(kind, _ROOT), taken)
                lacking = max(0, int(numbers[0]) - len(named))
                made[kind] = tuple(sorted(islice(names, lacking), key=by_number))
                taken.update(made[kind])
        return {kind: things for kind, things in made.items() if things}

    def _paired(self, key: Map, seen: Grounded, wrong: list[Wrong]) -> tuple[Pair, ...]:
        state, left, predicate, right = key
        if not all(map(_PLAIN.fullmatch, key)):
            wrong.append(("unpaired", *key))
            return ()
        lefts, rights = (sorted(seen.objects.get(kind, ()), key=by_number) for kind in (left, right))
        stated = list(self._stated(seen, state, predicate, set(lefts), set(rights)))
        if len(lefts) != len(rights):
            wrong.append(("unequal", *key, str(len(lefts)), str(len(rights))))
        for place, things in enumerate((lefts, rights)):
            used = Counter(pair[place] for pair in stated)
            wrong += [("twice", *key, one) for one in sorted(used) if used[one] > 1]
            things[:] = [thing for thing in things if thing not in used]
        return tuple(zip(lefts, rights, strict=False))

    def _stated(
        self, seen: Grounded, state: str, predicate: str, lefts: set[str], rights: set[str]
    ) -> Iterator[Pair]:
        """The pairs that are not of a map."""
        maps = (pairs for key, pairs in self.pairs.items() if (key[0], key[2]) == (state, predicate))
        ours = {pair for pairs in maps for pair in pairs}
        for pair in seen.pairs.get((state, predicate), ()):
            if pair not in ours and pair[0] in lefts and pair[1] in rights:
                yield pair

    def facts(self) -> str:
        """What the schema has to know to ask for it."""
        counted = (f"tic_counted({kind}).\n" for kind in self.objects)
        return "".join([*counted, *(f"tic_mapped({','.join(key)}).\n" for key in self.pairs)])

    def make_objects(self, kind: Symbol) -> Sequence[Symbol]:
        """The objects made of a type."""
        return [_symbol(thing) for thing in self.objects[str(kind)]]

    def make_map(self, state: Symbol, left: Symbol, predicate: Symbol, right: Symbol) -> Sequence[Symbol]:
        """The pairs made of a map."""
        key = str(state), str(left), str(predicate), str(right)
        return [Function(key[2], [_symbol(x), _symbol(y)]) for x, y in self.pairs[key]]

    @staticmethod
    def make_id(kind: Symbol, number: Symbol) -> Sequence[Symbol]:
        """The constant of a type with a number."""
        names = _PLAIN.fullmatch(str(kind)) and _countable(str(number))
        return [Function(f"{kind}{int(str(number))}")] if names else []

    @staticmethod
    def number(thing: Symbol) -> Sequence[Symbol]:
        """The number that a constant ends with; none if it ends with none or with a huge one."""
        found = _ENDING_NUMBER.search(str(thing))
        return [Number(int(found[0]))] if found and _countable(found[0]) else []

    @staticmethod
    def make_fact(predicate: Symbol, *arguments: Symbol) -> Sequence[Symbol]:
        """A predicate of some arguments."""
        return [Function(str(predicate), arguments)] if _PLAIN.fullmatch(str(predicate)) else []

    @staticmethod
    def make_seq(length: Symbol, kind: Symbol, predicate: Symbol, start: Symbol) -> Sequence[Symbol]:
        """Facts that put constants of a type in a row; none if they cannot be counted."""
        if not all(map(_countable, (str(length), str(start)))) or not _PLAIN.fullmatch(str(kind)):
            return []
        places = range(int(str(start)), int(str(start)) + int(str(length)) + 1)
        names = [Function(f"{kind}{place}") for place in places]
        return [Function(str(predicate), pair) for pair in pairwise(names)]


def _arguments(atoms: clingo.SymbolicAtoms, name: str, arity: int) -> Iterator[list[str]]:
    """The arguments of the atoms of a predicate, as texts."""
    return (split_term(str(found.symbol))[1:] for found in atoms.by_signature(name, arity))


def split_term(text: str) -> list[str]:
    """Name and arguments of a term that clingo has written: `p(a,f(b,c))` is p, a and f(b,c)."""
    if not text.endswith(")") or text.startswith("("):
        return [text]
    name, _, inner = text[:-1].partition("(")
    if "(" not in inner:
        return [name, *inner.split(",")]
    parts, depth = [""], 0
    for sign in inner:
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [name, *parts]


def _symbol(text: str) -> Symbol:
    return Function(text) if _PLAIN.fullmatch(text) else clingo.parse_term(text)


def _countable(number: str) -> bool:
    return number.isdecimal() and int(number) <= MAX_OBJECTS


def _names_for(
    new: Names, own: set[str], types: dict[str, set[str]], above: Set[str], taken: set[str]
) -> Iterator[str]:
    """Names for objects of a type: those that are known by types above it, then new ones."""
    stem, first = new
    numbered = re.compile(rf"{stem}\d+")
    known = (thing for thing, found in types.items() if thing in own or found <= above)
    yield from sorted((t for t in known if numbered.fullmatch(t) and t not in taken), key=by_number)
    names = (f"{stem}{number}" for number in count(first))
    yield from (name for name in names if name not in types and name not in taken)


def by_number(thing: str) -> tuple[tuple[str, int], ...]:
    """A key that orders shot2 before shot10."""
    return tuple((text, int(number or 0)) for text, number in re.findall(r"(\D+|^)(\d*)", thing))


def main() -> None:
    """Answer for the program on standard input."""
    json.dump(asdict(answer(sys.stdin.read())), sys.stdout)


if __name__ == "__main__":
    main()
