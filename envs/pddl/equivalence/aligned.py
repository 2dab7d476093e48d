"""Comparing problems of two domains that have the same rules under other names.

Whoever writes a domain chooses its predicates and the order of their arguments, so the right problem for it
is not told in the words of the true one. `envs.pddl.alignment` finds which predicate corresponds to which;
if no error is left under that, the problem is told in the true domain's words and compared there. Facts about
predicates without a counterpart are left out on both sides, since no action knows them. If errors are left,
the domains are not the same, and nothing is said of problems: that is `unsupported`.

Arguments of predicates have no types in that comparison: what the true domain would not allow to be said, a
made one may, and it never holds.

Where a domain has predicates of the same use, several correspondences have no error. The one that keeps most
names counts, so `different` means: under that one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from envs.pddl.alignment import align
from envs.pddl.alignment_program import TooManyLiterals
from envs.pddl.equivalence.compare import Comparison, Part, Verdict, compare
from envs.pddl.equivalence.derive import Means
from envs.pddl.equivalence.partners import unequal_counts
from envs.pddl.equivalence.scenes import kinds_of
from envs.pddl.equivalence.specify import MEANS
from envs.pddl.formulas import FormulaBuilder
from envs.pddl.language import Domain, GroundAtom, Problem, read_domain
from envs.pddl.render import render_formula
from envs.pddl.sexpr import Group, Source, read_sexprs
from envs.pddl.terms import Tree, parsed, show, tree_of, typed

_JUNCTIONS = ("and", "or", "not", "imply")
_QUANTIFIERS = ("forall", "exists")
#: For each predicate its counterpart, and for each argument of that its place among the predicate's own.
_Words = Mapping[str, tuple[str, tuple[int, ...]]]


class NoCounterpart(ValueError):
    """A goal with a predicate that the other domain has nothing for."""


def compare_aligned(true: Problem, made: Problem, means: Means = MEANS) -> Comparison:
    """Compare `made`, whose domain has the actions of `true` with parameters in their order, with `true`.

    The witness tells of both in the words of the true domain, `true` being the first problem. Raises what
    `compare` does.
    """
    uneven = unequal_counts(kinds_of(true), kinds_of(made))
    if uneven:
        return Comparison(Verdict.DIFFERENT, Part.OBJECTS, uneven)
    try:
        alignment = align(true.domain, made.domain, in_order=True)
    except TooManyLiterals as error:
        return Comparison(Verdict.UNSUPPORTED, None, str(error))
    if alignment.errors:
        told = f"errors: {len(alignment.errors)}, the first: {alignment.errors[0]}"
        return Comparison(Verdict.UNSUPPORTED, None, f"the domain is not the true one; {told}")
    matches = alignment.predicates
    kept = {m.true: (m.true, tuple(range(len(m.places)))) for m in matches}
    words = {m.made: (m.true, tuple(place for place in m.places if place is not None)) for m in matches}
    try:
        domain = _untyped(true.domain)
        problems = _told(true, domain, kept), _told(made, domain, words)
    except NoCounterpart as error:
        return Comparison(Verdict.UNSUPPORTED, Part.GOAL, str(error))
    return compare(*problems, means=means)


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
    init = frozenset(_atom(atom, words) for atom in problem.init if atom[0] in words)
    text = show(_condition(parsed(render_formula(problem.goal)), words))
    (form,) = read_sexprs(Source(text, "goal"))
    assert isinstance(form, Group), "a goal is in parentheses"
    builder = FormulaBuilder(domain.language, domain.language.sort_of, problem.objects)
    return replace(problem, domain=domain, init=init, goal=builder.condition(form))


def _condition(tree: Tree, words: _Words) -> Tree:
    head = tree[0] if tree else "and"
    if head in _JUNCTIONS:
        return (head, *(_condition(part, words) for part in tree[1:]))
    if head in _QUANTIFIERS:
        return (head, tree[1], *(_condition(part, words) for part in tree[2:]))
    if head == "=":
        return tree
    if not isinstance(head, str) or head not in words:
        raise NoCounterpart(f"the goal has {show(tree)}, which the true domain has nothing for")
    return _atom(tuple(map(show, tree)), words)


def _atom(atom: GroundAtom, words: _Words) -> GroundAtom:
    name, places = words[atom[0]]
    return (name, *(atom[1 + place] for place in places))
