"""Edits of what stands below `or`, a quantifier or a `when`: literals there, and whole such parts.

A literal there may be dropped, turned into its negation, or have an argument replaced or two swapped; another
literal or an equality may be added beside it, by `and` or by `or`, or become the condition of an effect. A
whole part that is no literal may be dropped: a disjunction, a quantified condition, a conditional effect.
Also which conditional effects an action has, each with its literals and where these stand (`firing_effects`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations

from envs.pddl.language.terms import (
    DomainTree,
    Part,
    Place,
    Term,
    Tree,
    atom_of,
    conjunct_trees,
    literal_of,
    piece_at,
    replace_at,
    show,
    terms_in,
    typed,
)
from envs.pddl.language.vocabulary import OBJECT, Parameters, Vocabulary
from envs.pddl.mutation.faults import swaps, with_argument

#: Pairs of edits below one quantifier, `when` or `or` that are tried.
MAX_PAIRS = 300
_JOINING = ("forall", "exists", "when", "or")


@dataclass(frozen=True)
class NestedEdit:
    """Another piece at one place of a domain; none where it is dropped."""

    place: Place
    before: Tree
    after: Tree | None

    @property
    def adds(self) -> bool:
        """Whether a literal comes beside another, or becomes the condition of an effect."""
        return self.after is not None and self.after[0] in ("and", "or", "when")

    def overlaps(self, other: NestedEdit) -> bool:
        """Whether they are of one piece, or of one within the other's, and do not both add to it alike."""
        path, within = self.place[2], other.place[2]
        shorter = min(len(path), len(within))
        if self.place[:2] != other.place[:2] or path[:shorter] != within[:shorter]:
            return False
        joined = [edit.after[0] if edit.after else "" for edit in (self, other)]
        alike = self.place == other.place and joined in (["and", "and"], ["or", "or"])
        return self == other or not alike

    def __str__(self) -> str:
        action, part, _ = self.place
        if self.after is None:
            return f"remove {show(self.before)} from the {part} of {action}"
        return f"write {show(self.after)} for {show(self.before)} in the {part} of {action}"


@dataclass(frozen=True)
class FiringEffect:
    """A conditional effect: literals of an action's effect that fire at once where one condition holds.

    The condition may be empty.
    """

    action: str
    paths: tuple[tuple[int, ...], ...]  #: of the literals, or of their `when`, in the action's effect
    scope: Parameters  #: the variables of its own
    condition: Tree
    literals: tuple[Tree, ...]

    @property
    def conjuncts(self) -> tuple[Tree, ...]:
        """The parts of its condition; none if it always fires."""
        return conjunct_trees(self.condition)

    @property
    def is_of_one_variable(self) -> bool:
        """Whether each literal names its variable, if it has any, and it has no other."""
        named = (name in atom_of(literal) for name, _ in self.scope for literal in self.literals)
        return len(self.scope) <= 1 and all(named)

    def shown(self, condition: Tree) -> Tree:
        """It as PDDL, with a condition."""
        one = self.literals[0] if len(self.literals) == 1 else ("and", *self.literals)
        tree = ("when", condition, one) if conjunct_trees(condition) else one
        for name, kind in reversed(self.scope):
            tree = ("forall", (name, "-", kind), tree)
        return tree

    def made(self, effect: Tree, condition: Tree | None) -> Tree:
        """The action's effect with another condition of this one; without it, if that is None."""
        for path, literal in zip(self.paths, self.literals, strict=True):
            piece: Tree = ("and",)
            if condition is not None:
                piece = ("when", condition, literal) if conjunct_trees(condition) else literal
            effect = replace_at(effect, path, piece)
        return effect


def firing_effects(tree: DomainTree, action: str) -> list[FiringEffect]:
    """The parts of an action's effect, each literal in one of them."""
    found: dict[tuple[Parameters, Tree], FiringEffect] = {}
    alone: list[FiringEffect] = []
    for path, scope, condition, literal in _fired(tree.part(action, Part.EFFECT), (), ()):
        one = FiringEffect(action, (path,), scope, condition, (literal,))
        if not one.conjuncts:
            alone.append(one)
        elif (own := found.get((scope, condition))) is None:
            found[scope, condition] = one
        else:
            both = replace(own, paths=(*own.paths, path), literals=(*own.literals, literal))
            found[scope, condition] = both
    return [*found.values(), *alone]


def _fired(
    tree: Tree, path: tuple[int, ...], scope: Parameters
) -> Iterator[tuple[tuple[int, ...], Parameters, Tree, Tree]]:
    """The literals of an effect, in canonical text, each with what its condition and place are."""
    head = tree[0]
    if head == "and":
        for at, part in enumerate(tree[1:], 1):
            yield from _fired(part, (*path, at), scope)
    elif head == "forall":
        yield from _fired(tree[2], (*path, 2), (*scope, *typed(tree[1])))
    elif head == "when":
        yield path, scope, tree[1], tree[2]
    elif head != "increase":
        yield path, scope, ("and",), tree


#: Edits that are made together: of different pieces, or that add to one piece alike.
Edits = tuple[NestedEdit, ...]


def made(tree: DomainTree, edits: Edits) -> Tree:
    """The whole part with these edits of different pieces of it, or that add to the same piece."""
    pieces: dict[Place, Tree] = {}
    for edit in edits:
        if edit.after is not None:
            own = pieces.get(edit.place)
            pieces[edit.place] = edit.after if own is None else (*own, _added(edit))
    for place, piece in pieces.items():
        tree = tree.with_piece(place, piece)
    dropped = [edit.place for edit in edits if edit.after is None]  # last, as places change by it
    return (tree.without(dropped) if dropped else tree).part(*edits[0].place[:2])


def nested_edits(tree: DomainTree, action: str, part: Part, words: Vocabulary) -> Iterator[NestedEdit]:
    """All edits below the top of one part of an action, in a fixed order; see the module."""
    whole = tree.part(action, part)
    terms = [t for t in terms_in(tree) if (t.action, t.part) == (action, part) and is_nested(whole, t)]
    shells = {term.path[:depth] for term in terms for depth in range(len(term.path))}
    for path in sorted(shells):
        piece = piece_at(whole, path)
        if piece[0] in ("or", "forall", "exists", "when", "not") and (
            path == () or piece_at(whole, path[:-1])[0] == "and"
        ):
            yield NestedEdit((action, part, path), piece, None)
    for term in terms:
        yield from _of_literal(term, words)
    for term in terms:
        yield from _beside(whole, term, words)


def is_nested(whole: Tree, term: Term) -> bool:
    """Whether a literal stands below the top of a part."""
    return len(term.path) > 1 or (len(term.path) == 1 and whole[0] != "and")


def _of_literal(term: Term, words: Vocabulary) -> Iterator[NestedEdit]:
    """The literal dropped, negated, with another argument, or with two swapped."""
    literal, atom = term.literal, term.atom
    yield NestedEdit(term.place, literal, None)
    yield NestedEdit(term.place, literal, atom if literal[0] == "not" else ("not", literal))
    kinds = {**words.constants, **dict(term.scope)}
    names, equates = [show(name) for name in atom[1:]], atom[0] == "="
    fits: Callable[[str, str], bool] = words.types.overlap if equates else words.types.is_subtype
    if equates:
        wanted = [kinds.get(other, OBJECT) for other in reversed(names)]
    else:
        wanted = [kind for _, kind in words.predicates[show(atom[0])]]
    for place, kind in enumerate(wanted, 1):
        own = names if equates else [names[place - 1]]
        for name in kinds:
            if name not in own and fits(kinds[name], kind):
                yield NestedEdit(term.place, literal, with_argument(literal, place, name))
    yield from (NestedEdit(term.place, literal, literal_of(text)) for text in swaps(term, words))


def _beside(whole: Tree, term: Term, words: Vocabulary) -> Iterator[NestedEdit]:
    """The literal with another one beside it, once for all literals of one conjunction or disjunction.

    It becomes the condition of an effect that has none.
    """
    above = piece_at(whole, term.path[:-1])[0]
    scope = (*term.scope, *words.constants.items())
    atoms: list[Tree] = [*words.atoms(scope)]
    pairs = combinations(scope, 2)
    atoms += [("=", one, other) for (one, kind), (other, its) in pairs if words.types.overlap(kind, its)]
    literals = [literal for atom in atoms if atom != term.atom for literal in (atom, ("not", atom))]
    if not term.condition:
        has_one = any(piece_at(whole, term.path[:depth])[0] == "when" for depth in range(len(term.path)))
        for literal in () if has_one else literals:
            yield NestedEdit(term.place, term.literal, ("when", literal, term.literal))
        return
    there = piece_at(whole, term.path[:-1])[1:]
    for joined in ("and", "or"):
        if above != joined or term.path[-1] == 1:
            for literal in (p for p in literals if above != joined or p not in there):
                yield NestedEdit(term.place, term.literal, (joined, term.literal, literal))


def close_pairs(tree: DomainTree, edits: Sequence[NestedEdit]) -> Iterator[Edits]:
    """Pairs of edits of two literals below the same quantifier, `when` or `or`; of many, some."""
    below: dict[Place, list[NestedEdit]] = {}
    literals = {term.place for term in terms_in(tree)}
    for edit in edits:
        action, part, path = edit.place
        whole = tree.part(action, part)
        depths = [d for d in range(len(path)) if piece_at(whole, path[:d])[0] in _JOINING]
        if depths and edit.place in literals:
            below.setdefault((action, part, path[: depths[-1]]), []).append(edit)
    for alike in below.values():
        pairs = [pair for pair in combinations(alike, 2) if pair[0].place != pair[1].place]
        yield from pairs[:: -(-len(pairs) // MAX_PAIRS) or 1]


#: An atom, and a literal beside it, with numbers for their arguments in the order of their first places.
Cooccurrence = tuple[Tree, Tree]


def cooccurrences(tree: DomainTree) -> frozenset[Cooccurrence]:
    """All pairs of literals that co-occur in a domain: in one conjunction, disjunction or `when`."""
    beside: dict[Place, list[Tree]] = {}
    for term in terms_in(tree):
        beside.setdefault((term.action, term.part, term.path[:-1]), []).append(term.literal)
    return frozenset(
        _numbered(one, other) for alike in beside.values() for one, other in permutations(alike, 2)
    )


def cooccurs(edit: NestedEdit, tree: DomainTree, known: Collection[Cooccurrence]) -> bool:
    """Whether the added literal and one that it is added beside also co-occur elsewhere in the domain.

    Rules of a domain are alike: what happens when a part is added and when it is removed, say.
    """
    action, part, path = edit.place
    above = piece_at(tree.part(action, part), path[:-1]) if path else ()
    joined = above[1:] if edit.after is not None and above[:1] == edit.after[:1] else (edit.before,)
    return any(_numbered(one, _added(edit)) in known for one in joined)


def _numbered(one: Tree, other: Tree) -> Cooccurrence:
    """Two literals, equal to two others if these differ in names of arguments, or in the first one's sign.

    A variable never takes the place of a constant.
    """
    numbers: dict[str, str] = {}

    def numbered(literal: Tree) -> Tree:
        if literal[0] == "not":
            return "not", numbered(literal[1])
        names = map(show, literal[1:])
        return literal[0], *(numbers.setdefault(n, f"{n[:1] == '?':d}.{len(numbers)}") for n in names)

    return numbered(atom_of(one)), numbered(other)


def strays(edit: NestedEdit, tree: DomainTree) -> bool:
    """Whether the literal that comes names none of the quantified variables of the one beside it."""
    own = {name for name, _ in tree.parameters(edit.place[0])}
    variables = {name for name in map(show, _arguments(edit.before)) if name.startswith("?")} - own
    return bool(variables) and variables.isdisjoint(map(show, _arguments(_added(edit))))


def doubt_of(edit: NestedEdit) -> tuple[bool, bool, bool, int]:
    """How unlikely an edit is, beside others, where nothing else says so; the lower, the likelier."""
    if not edit.adds:
        return False, False, False, 0
    added = _added(edit)
    names = _arguments(added)
    repeats = atom_of(added)[0] == "=" or len({*names}) < len(names)
    return True, repeats, added[0] == "not", -len(names)


def _added(edit: NestedEdit) -> Tree:
    """The literal that comes beside another."""
    assert edit.after is not None, "an edit that adds a literal drops none"
    return next(one for one in edit.after[1:] if one != edit.before)


def _arguments(literal: Tree) -> Tree:
    return atom_of(literal)[1:]
