"""A domain's conditions and effects in pieces that can be compared with another domain's.

A clause is one conjunct of a precondition, or one effect with its quantifier and its condition; conjunctions
below `forall` are taken apart too. Its leaves are its literals, each with what it names and where it stands;
its skeleton is the rest. Variables bound inside a clause go by their type and a number, so that their own
names do not count. Costs are left out.

Predicates may be cut by the types of their arguments. One that stands for several things under one name,
`(opened ?x)` of furniture and of boxes, is as good as several predicates if no object is of both types. Two
literals of a predicate belong together if at each place there may be an object that fits both, or if a third
one links them; what belongs together is a piece. A piece has, at each place, the types of all its literals,
and pieces whose types share a tuple of objects are joined again, until none do.

Cutting keeps the meaning. The types of an atom's objects lie within those of any literal that it is an
instance of, so within those of that literal's piece, and no tuple of objects lies within two pieces. So no
action reads in one piece what it, or another one, writes in the other: renaming one of them everywhere, in
problems by the types of the objects, changes nothing. An atom within no piece is known to no action.

Types are sets here as in `envs.pddl.language.vocabulary`: an object of type `(either a b)` is within that
union, and two unions have an object in common if some type lies within both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations, product

from envs.pddl.language.structure import Domain
from envs.pddl.language.terms import Part, Tree, atom_of, canonical, show, tree_of, typed
from envs.pddl.language.vocabulary import Types, Vocabulary, members_of, union_of

#: Heads of literals that belong to the language and not to a domain; the last two are false and true.
BUILT_IN = ("=", "(or)", "(and)")
_LEAF = "*"


@dataclass(frozen=True)
class Leaf:
    """One literal of a clause."""

    text: str  #: as it stands in the domain
    predicate: str  #: or one of `BUILT_IN`
    arguments: tuple[str, ...]  #: parameters `?x`, constants `c`, bound variables `forall room 1`
    kinds: tuple[str, ...]  #: the arguments' types, in the domain's own names
    positive: bool
    context: tuple[str, ...]  #: the connectives and quantifiers above it, from the outside in
    number: int = 0  #: among all leaves of the domain

    @property
    def is_condition(self) -> bool:
        """Whether it is tested before an effect, which is the clause's own matter."""
        return "if" in self.context


@dataclass(frozen=True)
class Clause:
    """One conjunct of a precondition, or one effect."""

    number: int  #: among all clauses of the domain
    action: str
    part: Part
    text: str
    leaves: tuple[Leaf, ...]
    skeleton: Tree  #: the tree with the number of a leaf in its place; a quantifier's types are in its head

    @property
    def shape(self) -> Tree:
        """The skeleton of any clause that joins its leaves alike."""
        return canonical_shape(self.skeleton)

    @property
    def conjoined(self) -> tuple[tuple[int, int], ...]:
        """Pairs of leaves that are conjuncts once enough others go, as b and c in `(or a (and b c))`."""
        return tuple(_conjoined(self.skeleton))


def clauses_of(domain: Domain, types: Mapping[str, str] | None = None) -> tuple[Clause, ...]:
    """Every clause of a domain: actions in the order of the text, preconditions before effects.

    Skeletons and bound variables have `types` for the domain's own names of types, where it gives any.
    """
    tree, constants = tree_of(domain), domain.vocabulary.constants
    clauses: list[Clause] = []
    first = 0
    for action, part in product(tree.actions, Part):
        reader = _Reader(types or {}, {**constants, **dict(tree.parameters(action))}, [], first)
        for piece in dict.fromkeys(map(canonical, _split(canonical(tree.part(action, part))))):
            if piece[0] != "increase":
                done = len(reader.leaves)
                skeleton = reader.skeleton(piece, {}, ())
                leaves = tuple(reader.leaves[done:])
                clauses.append(Clause(len(clauses), action, part, show(piece), leaves, skeleton))
        first += len(reader.leaves)
    return tuple(clauses)


def canonical_shape(skeleton: Tree) -> Tree:
    """A skeleton without the numbers of its leaves, parts of `and` and `or` sorted."""
    if isinstance(skeleton, str):
        return _LEAF
    head, *rest = skeleton
    parts = [canonical_shape(part) for part in rest]
    return (head, *(sorted(parts, key=show) if head in ("and", "or") else parts))


@lru_cache(maxsize=4096)
def is_reduced(whole: Tree, reduced: Tree) -> bool:
    """Whether a shape is another one, or what is left of it when some leaves go."""
    if whole == reduced:
        return True
    if isinstance(whole, str):
        return False
    head, *rest = whole
    alike = not isinstance(reduced, str) and reduced[0] == head
    if head == "when":
        return all(map(is_reduced, rest, reduced[1:])) if alike else is_reduced(rest[1], reduced)
    if alike and _fit(rest, reduced[1:]):
        return True
    return head in ("and", "or") and any(is_reduced(part, reduced) for part in rest)


def _conjoined(skeleton: Tree) -> Iterator[tuple[int, int]]:
    if isinstance(skeleton, str):
        return
    head, *parts = skeleton
    if head in ("and", "or") or show(head).startswith("forall"):
        for part in parts:
            yield from _conjoined(part)
    if head == "and":
        for one, other in permutations(parts, 2):
            yield from product(_numbers(one), _numbers(other))


def _numbers(skeleton: Tree) -> list[int]:
    """The leaves below, by their numbers."""
    if isinstance(skeleton, str):
        return [int(skeleton)]
    return [number for part in skeleton[1:] for number in _numbers(part)]


def _fit(parts: Sequence[Tree], wanted: Sequence[Tree]) -> bool:
    """Whether every wanted shape is left of a part of its own."""
    if not wanted:
        return True
    return any(
        is_reduced(part, wanted[0]) and _fit([*parts[:at], *parts[at + 1 :]], wanted[1:])
        for at, part in enumerate(parts)
    )


def _split(tree: Tree) -> Iterator[Tree]:
    """The conjuncts of a condition or effect; none if it is `(and)`."""
    if tree[0] == "and":
        for part in tree[1:]:
            yield from _split(part)
    elif tree[0] == "forall":
        yield from (("forall", tree[1], piece) for piece in _split(tree[2]))
    else:
        yield tree


def renamed_type(kind: str, types: Mapping[str, str]) -> str:
    """A type expression in other names."""
    return union_of(types.get(name, name) for name in members_of(kind))


@dataclass(frozen=True)
class _Reader:
    """Takes clauses apart; their literals are appended to `leaves`."""

    types: Mapping[str, str]
    kinds: Mapping[str, str]  #: the type of every name that may stand here
    leaves: list[Leaf]
    first: int  #: the number of the first leaf

    def skeleton(self, tree: Tree, bound: Mapping[str, str], context: tuple[str, ...]) -> Tree:
        """The tree with numbers for its literals."""
        assert not isinstance(tree, str), "a condition or effect is in parentheses"
        head, *rest = tree
        if head in ("forall", "exists"):
            variables = [(name, renamed_type(kind, self.types)) for name, kind in typed(rest[0])]
            names = {**bound, **_named(show(head), variables, bound)}
            types = " ".join(sorted(kind for _, kind in variables))
            inner = replace(self, kinds={**self.kinds, **dict(typed(rest[0]))})
            return (f"{head} {types}", inner.skeleton(rest[1], names, (*context, show(head))))
        is_leaf = head not in ("and", "or", "when", "not") or not rest
        if is_leaf or (head == "not" and rest[0][0] not in ("and", "or", "not", "forall", "exists")):
            self.leaves.append(self._leaf(tree, bound, context))
            return str(self.leaves[-1].number)
        if head == "when":
            condition = self.skeleton(rest[0], bound, (*context, "if"))
            return (head, condition, self.skeleton(rest[1], bound, context))
        return (head, *(self.skeleton(part, bound, (*context, show(head))) for part in rest))

    def _leaf(self, tree: Tree, bound: Mapping[str, str], context: tuple[str, ...]) -> Leaf:
        atom = atom_of(tree)
        assert not isinstance(atom, str), "an atom is in parentheses"
        head, *names = map(show, atom)
        return Leaf(
            text=show(tree),
            predicate=show(atom) if head in ("and", "or") else head,
            arguments=tuple(bound.get(name, name) for name in names),
            kinds=tuple(self.kinds[name] for name in names),
            positive=tree[0] != "not",
            context=context,
            number=self.first + len(self.leaves),
        )


def _named(quantifier: str, variables: Sequence[tuple[str, str]], bound: Mapping[str, str]) -> dict[str, str]:
    """What variables are called that a quantifier binds: by type, and numbered among those of that type."""
    counts = Counter(name.split(" ", 1)[1].rpartition(" ")[0] for name in bound.values())
    named = {}
    for variable, kind in variables:
        counts[kind] += 1
        named[variable] = f"{quantifier} {kind} {counts[kind]}"
    return named


#: A type expression for each place of a predicate.
Kinds = tuple[str, ...]


@dataclass(frozen=True)
class Piece:
    """A predicate as far as it is about objects of some types; often the whole one."""

    predicate: str  #: or one of `BUILT_IN`, which have no types
    kinds: Kinds  #: for each place, in the domain's own names


def pieces_of(words: Vocabulary, leaves: Iterable[Leaf], cut: bool) -> tuple[Piece, ...]:
    """The pieces of every predicate that some literal names, in the order of first mention.

    Without `cut`, and where there is but one, that is the predicate with its declared types.
    """
    used: dict[str, list[Kinds]] = {}
    for leaf in leaves:
        used.setdefault(leaf.predicate, []).append(leaf.kinds)
    return tuple(p for name, kinds in used.items() for p in _pieces(words, name, kinds if cut else ()))


def within(types: Types, kinds: Kinds, wider: Kinds) -> bool:
    """Whether all objects of some types are, place by place, of others."""
    return all(types.is_subtype(kind, other) for kind, other in zip(kinds, wider, strict=True))


def _pieces(words: Vocabulary, name: str, used: Iterable[Kinds]) -> tuple[Piece, ...]:
    if name in BUILT_IN:
        return (Piece(name, ()),)
    found: tuple[Kinds, ...] = ()
    for kinds in dict.fromkeys(used):
        found = _with(words.types, found, kinds)
    if len(found) < 2:
        found = (tuple(kind for _, kind in words.predicates[name]),)
    return tuple(Piece(name, kinds) for kinds in found)


def _with(types: Types, found: tuple[Kinds, ...], kinds: Kinds) -> tuple[Kinds, ...]:
    """Kinds of which no two share objects, and one more, joined with those that it shares some with."""
    for at, other in enumerate(found):
        if all(types.overlap(*pair) for pair in zip(kinds, other, strict=True)):
            joined = tuple(_joined(types, *pair) for pair in zip(kinds, other, strict=True))
            return _with(types, (*found[:at], *found[at + 1 :]), joined)
    return (*found, kinds)


def _joined(types: Types, kind: str, other: str) -> str:
    """The type of all that is of one or the other."""
    if types.is_subtype(kind, other):
        return other
    return kind if types.is_subtype(other, kind) else union_of((*members_of(kind), *members_of(other)))
