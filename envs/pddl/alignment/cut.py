"""Predicates cut by the types of their arguments.

A predicate that stands for several things under one name, `(opened ?x)` of furniture and of boxes, is as good
as several predicates if no object is of both types. Two literals of a predicate belong together if at each
place there may be an object that fits both, or if a third one links them; what belongs together is a piece.
A piece has, at each place, the types of all its literals, and pieces whose types share a tuple of objects are
joined again, until none do.

Cutting keeps the meaning. The types of an atom's objects lie within those of any literal that it is an
instance of, so within those of that literal's piece, and no tuple of objects lies within two pieces. So no
action reads in one piece what it, or another one, writes in the other: renaming one of them everywhere, in
problems by the types of the objects, changes nothing. An atom within no piece is known to no action.

Types are sets here as in `envs.pddl.language.vocabulary`: an object of type `(either a b)` is within that
union, and two unions have an object in common if some type lies within both.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from envs.pddl.alignment.clauses import BUILT_IN, Leaf
from envs.pddl.language.vocabulary import OBJECT, Types, Vocabulary, members_of, union_of

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
        if all(_overlap(types, *pair) for pair in zip(kinds, other, strict=True)):
            joined = tuple(_joined(types, *pair) for pair in zip(kinds, other, strict=True))
            return _with(types, (*found[:at], *found[at + 1 :]), joined)
    return (*found, kinds)


def _overlap(types: Types, kind: str, other: str) -> bool:
    """Whether an object may be of both types."""
    names = (OBJECT, *types.parents)
    return any(types.is_subtype(name, kind) and types.is_subtype(name, other) for name in names)


def _joined(types: Types, kind: str, other: str) -> str:
    """The type of all that is of one or the other."""
    if types.is_subtype(kind, other):
        return other
    return kind if types.is_subtype(other, kind) else union_of((*members_of(kind), *members_of(other)))
