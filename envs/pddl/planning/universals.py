"""Universal conditions of single literals, written out for a planner.

Fast Downward makes an axiom of every quantified condition. Its heuristics see little through axioms, and it
multiplies an operator by all values that a negated condition leaves. So `(not (exists (?x) (at ?x ?to)))`
becomes one condition for each object, on a predicate that is kept true where `at` is false. Plans for a
sliding puzzle of fifteen tiles are found then; by axioms, none was found in 2 GB.

That is done where each conjunct of a precondition says it of one literal, for few objects, and where only
effects without conditions and quantifiers change the predicate. All else stays as it is. Operators keep
their names and parameters, so a plan for the one is a plan for the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, product
from math import prod

from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.language.render import render_problem
from envs.pddl.language.terms import (
    DomainTree,
    Part,
    Scope,
    Tree,
    atom_of,
    conjunct_trees,
    parsed,
    show_sections,
    tree_of,
    typed,
)
from envs.pddl.language.vocabulary import show_declaration, show_typed

#: Conditions that one quantified one is written out as, and atoms of a predicate that one is kept beside.
MAX_CONDITIONS, MAX_ATOMS = 200, 20_000
_DENIED = "--denied"


@dataclass(frozen=True)
class _Universal:
    """What a conjunct says of all objects of some types: a literal."""

    scope: Scope
    literal: Tree

    @property
    def denied(self) -> str:
        """The predicate that it says is false; empty if it says that one is true."""
        return str(self.literal[1][0]) if self.literal[0] == "not" else ""


def written_out(problem: Problem) -> Problem:
    """The same task with universal conditions of single literals written out; itself if there is none."""
    tree = tree_of(problem.domain)
    said = {
        (action, conjunct): found
        for action in tree.actions
        for conjunct in conjunct_trees(tree.part(action, Part.PRECONDITION))
        if (found := _universal(conjunct)) is not None
        and prod(len(_members(problem, kind)) for _, kind in found.scope) <= MAX_CONDITIONS
    }
    plain, others = _changed(tree)
    fluents = {found.denied for found in said.values()} & (plain | others)
    kept = {p: _new_name(problem, p) for p in sorted(fluents - others) if _atoms(problem, p) <= MAX_ATOMS}
    said = {at: found for at, found in said.items() if found.denied not in fluents or found.denied in kept}
    return _written(problem, tree, said, kept) if said else problem


def _universal(conjunct: Tree) -> _Universal | None:
    """What a conjunct says of all objects of some types, if it is a literal."""
    denies = conjunct[0] == "not" and conjunct[1][0] == "exists"
    quantified = conjunct[1] if denies else conjunct
    if quantified[0] != ("exists" if denies else "forall"):
        return None
    body = quantified[2]
    atom = atom_of(body)
    if not all(isinstance(word, str) for word in atom) or atom[0] == "=" or len(atom) == 1:
        return None
    literal = (body[1] if body[0] == "not" else ("not", body)) if denies else body
    return _Universal(typed(quantified[1]), literal)


def _changed(tree: DomainTree) -> tuple[set[str], set[str]]:
    """The predicates that plain effects change, and those that others change."""
    plain, others = set[str](), set[str]()
    for action in tree.actions:
        for effect in conjunct_trees(tree.part(action, Part.EFFECT)):
            atom = atom_of(effect) if effect else ()
            if all(isinstance(word, str) for word in atom):
                plain.update(map(str, atom[:1]))
            else:
                others.update(_words(effect))
    return plain, others


def _words(tree: Tree) -> Iterator[str]:
    """All first words, among them the predicates."""
    if not isinstance(tree, str) and tree:
        if isinstance(tree[0], str):
            yield tree[0]
        for part in tree:
            yield from _words(part)


def _members(problem: Problem, kind: str) -> list[str]:
    return [name for name, own in problem.objects.items() if problem.domain.is_subtype(own, kind)]


def _atoms(problem: Problem, predicate: str) -> int:
    """How many atoms a predicate has."""
    return prod(len(_members(problem, kind)) for _, kind in problem.domain.vocabulary.predicates[predicate])


def _new_name(problem: Problem, predicate: str) -> str:
    names = (f"{predicate}{_DENIED}{number or ''}" for number in count())
    return next(name for name in names if name not in problem.domain.predicates)


def _written(
    problem: Problem,
    tree: DomainTree,
    said: Mapping[tuple[str, Tree], _Universal],
    kept: Mapping[str, str],
) -> Problem:
    """The task with these conditions written out; `kept` are predicates, and those that deny them."""
    for action in tree.actions:
        needed: list[Tree] = []
        for conjunct in conjunct_trees(tree.part(action, Part.PRECONDITION)):
            found = said.get((action, conjunct))
            needed += [conjunct] if found is None else _conditions(problem, found, kept)
        effects = conjunct_trees(tree.part(action, Part.EFFECT))
        tree = tree.replaced(action, Part.PRECONDITION, ("and", *needed))
        tree = tree.replaced(action, Part.EFFECT, ("and", *effects, *_kept_true(effects, kept)))
    predicates = problem.domain.vocabulary.predicates
    declared = [parsed(show_declaration(new, predicates[p])) for p, new in kept.items()]
    sections = [section for section in tree.sections if section[0] != ":constants"]
    at = next(number for number, section in enumerate(sections) if section[0] == ":predicates")
    constants = (":constants", *parsed(f"({show_typed(problem.objects.items())})"))
    sections[at : at + 1] = [constants, (*sections[at], *declared)]
    begun = [
        (new, *arguments)
        for predicate, new in kept.items()
        for arguments in product(*(_members(problem, kind) for _, kind in predicates[predicate]))
        if (predicate, *arguments) not in problem.init
    ]
    stated = [
        (*section, *begun) if section[0] == ":init" else section
        for section in parsed(render_problem(problem))
        if section[0] != ":objects"
    ]
    return read_problem(show_sections(stated), read_domain(show_sections(sections)))


def _conditions(problem: Problem, found: _Universal, kept: Mapping[str, str]) -> Iterator[Tree]:
    """What is said of all, said of each."""
    atom = atom_of(found.literal)
    for objects in product(*(_members(problem, kind) for _, kind in found.scope)):
        names = dict(zip((name for name, _ in found.scope), objects, strict=True))
        own = tuple(names.get(str(word), word) for word in atom)
        if found.denied in kept:
            yield (kept[found.denied], *own[1:])
        else:
            yield ("not", own) if found.denied else own


def _kept_true(effects: Sequence[Tree], kept: Mapping[str, str]) -> Iterator[Tree]:
    """The effects that keep denying predicates right; an atom that is added as well is not deleted."""
    for effect in effects:
        atom = atom_of(effect) if effect else ()
        new = kept.get(str(atom[0])) if atom else None
        if new is None:
            continue
        if effect is atom:
            yield ("not", (new, *atom[1:]))
            continue
        denying: Tree = (new, *atom[1:])
        added = [other[1:] for other in effects if other and other[0] == atom[0]]
        if atom[1:] not in added:
            yield (
                ("when", ("and", *(_differ(atom[1:], other) for other in added)), denying)
                if added
                else denying
            )


def _differ(some: Sequence[Tree], others: Sequence[Tree]) -> Tree:
    """That the objects of two lists are not all the same."""
    return ("or", *(("not", ("=", a, b)) for a, b in zip(some, others, strict=True) if a != b))
