"""Comparing problems of two domains that have the same rules under other names.

The author of a domain chooses its predicates and the order of their arguments, so the correct problem for it
does not use the names of the true domain. `envs.pddl.alignment.errors_of` finds which predicate corresponds
to which; if no error is left under that, the problem is put in the true domain's words and compared there.
Facts about predicates without a counterpart are left out on both sides, since no action knows them. If errors
are left, the domains are not the same, and nothing is said of problems: that is `unsupported`.

Arguments of predicates have no types in that comparison: what the true domain would not allow to be said, a
made one may, and it never holds. Only where a predicate corresponds to several, each for objects of other
types, do the types of an atom's objects tell which one is meant. Facts about other objects are left out, and
a goal about them, or about variables of a more general type, is `unsupported`.

Where a domain has predicates of the same use, several correspondences have no error. The one that keeps most
names counts, so `different` means: under that one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from envs.pddl.alignment.clauses import Kinds, within
from envs.pddl.alignment.errors_of import PredicateMatch, align
from envs.pddl.alignment.program import TooManyLiterals
from envs.pddl.equivalence.compare import Comparison, ProblemPart, Verdict, compare, identical, same_domain
from envs.pddl.equivalence.goals.derive import MEANS, Means
from envs.pddl.equivalence.graphs.scenes import kinds_of
from envs.pddl.equivalence.partners import unequal_counts
from envs.pddl.language.domain import read_domain, with_goal
from envs.pddl.language.render import render_formula
from envs.pddl.language.structure import Domain, GroundAtom, Problem
from envs.pddl.language.terms import Tree, parsed, show, tree_of, typed
from envs.pddl.language.vocabulary import Types

_JUNCTIONS = ("and", "or", "not", "imply")
_QUANTIFIERS = ("forall", "exists")


class NoCounterpart(ValueError):
    """An atom that the true domain has nothing for, or more than one thing."""


@dataclass(frozen=True)
class _Word:
    """What a predicate is called in the true domain."""

    name: str
    places: tuple[int, ...]  #: for each argument of the true one, its place among the predicate's own
    kinds: Kinds | None  #: the types of these arguments for which it is; None if for all


@dataclass(frozen=True)
class _Words:
    """How one of the two domains says what the true one says."""

    types: Types  #: of the true domain
    known: Mapping[str, tuple[_Word, ...]]

    def in_true_words(self, atom: GroundAtom, kinds: Mapping[str, str]) -> GroundAtom | None:
        """An atom in true words, `kinds` being the types of what it names; None if there is nothing for it.

        Raises NoCounterpart if there are several words for it, which only other types than the true ones do.
        """
        fitting = [
            (word.name, *terms)
            for word in self.known.get(atom[0], ())
            for terms in [tuple(atom[1 + place] for place in word.places)]
            if word.kinds is None or within(self.types, tuple(kinds[term] for term in terms), word.kinds)
        ]
        if len(fitting) > 1:
            either = " or ".join(map(show, fitting))
            raise NoCounterpart(f"{show(atom)} may be {either}: the domain's types are not the true ones")
        return fitting[0] if fitting else None


def compare_aligned(true: Problem, made: Problem, means: Means = MEANS) -> Comparison:
    """Compare `made`, whose domain has the actions of `true` with parameters in their order, with `true`.

    The witness describes both in the names of the true domain, `true` being the first problem. Raises what
    `compare` does.
    """
    if same_domain(true, made) and identical(true, made):
        return Comparison(Verdict.EQUIVALENT, None, {name: name for name in true.objects})
    uneven = unequal_counts(kinds_of(true), kinds_of(made))
    if uneven:
        return Comparison(Verdict.DIFFERENT, ProblemPart.OBJECTS, uneven)
    try:
        alignment = align(true.domain, made.domain, in_order=True)
    except TooManyLiterals as error:
        return Comparison(Verdict.UNSUPPORTED, None, str(error))
    if alignment.errors:
        errors = f"errors: {len(alignment.errors)}, the first: {alignment.errors[0]}"
        return Comparison(Verdict.UNSUPPORTED, None, f"the domain is not the true one; {errors}")
    kept, words = _both_words(true.domain.vocabulary.types, alignment.predicates)
    try:
        domain = _untyped(true.domain)
        problems = _told(true, domain, kept), _told(made, domain, words)
    except NoCounterpart as error:
        return Comparison(Verdict.UNSUPPORTED, ProblemPart.GOAL, str(error))
    return compare(*problems, means=means)


def _both_words(types: Types, matches: Iterable[PredicateMatch]) -> tuple[_Words, _Words]:
    """The words of the true domain, which stay, and those of the made one."""
    matches = tuple(matches)
    true, made = Counter(m.true for m in matches), Counter(m.made for m in matches)
    kept: dict[str, tuple[_Word, ...]] = {}
    words: dict[str, tuple[_Word, ...]] = {}
    for m in matches:
        kinds = m.kinds if true[m.true] > 1 or made[m.made] > 1 else None
        places = tuple(place for place in m.places if place is not None)
        kept[m.true] = (*kept.get(m.true, ()), _Word(m.true, tuple(range(len(m.places))), kinds))
        words[m.made] = (*words.get(m.made, ()), _Word(m.true, places, kinds))
    return _Words(types, kept), _Words(types, words)


def _untyped(domain: Domain) -> Domain:
    """The domain with predicates that take any objects."""
    tree = tree_of(domain)
    sections = (_any_arguments(part) if part[:1] == (":predicates",) else part for part in tree.sections)
    return read_domain(replace(tree, sections=tuple(sections)).render())


def _any_arguments(section: Tree) -> Tree:
    declared = ((part[0], *(name for name, _ in typed(part[1:]))) for part in section[1:])
    return (":predicates", *declared)


def _told(problem: Problem, domain: Domain, words: _Words) -> Problem:
    """The problem in the words of `domain`. Raises NoCounterpart."""
    facts = (words.in_true_words(atom, problem.objects) for atom in problem.init)
    init = frozenset(fact for fact in facts if fact is not None)
    text = show(_condition(parsed(render_formula(problem.goal)), words, problem.objects))
    return replace(with_goal(problem, text, domain), init=init)


def _condition(tree: Tree, words: _Words, kinds: Mapping[str, str]) -> Tree:
    """A condition in true words, `kinds` being the types of the names that may stand in it."""
    head = tree[0] if tree else "and"
    if head in _JUNCTIONS:
        return (head, *(_condition(part, words, kinds) for part in tree[1:]))
    if head in _QUANTIFIERS:
        inner = {**kinds, **dict(typed(tree[1]))}
        return (head, tree[1], *(_condition(part, words, inner) for part in tree[2:]))
    if head == "=":
        return tree
    atom = tuple(map(show, tree))
    found = words.in_true_words(atom, kinds)
    if found is None:
        types = f" for arguments of type {', '.join(kinds[term] for term in atom[1:])}"
        why = types if atom[0] in words.known else ""
        raise NoCounterpart(f"the goal has {show(tree)}, which the true domain has nothing for{why}")
    return found
