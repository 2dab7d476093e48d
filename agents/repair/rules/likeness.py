"""Actions that the model lacks, with the rules of another one whose parameters theirs can stand for.

Of an action that the world alone has only the signature is known. But actions of a domain are often alike:
what lets a slow lift go up lets a fast one go down. With such rules come literals that the tasks seen do not
show to matter, such as that the floor is within reach, and edits of literals say in what the two differ. If
the other action has more parameters, it is without what names those that nothing stands for.

There are many ways to let parameters stand for another action's. The likeliest leave the least over: static
preconditions that what was executed refutes, preconditions that are lost, and parameters that stand for none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice

from agents.repair.candidate import Candidate, EffectEdit
from agents.repair.model import Model
from agents.repair.rules.variants import Variant
from agents.repair.search import Repairs
from envs.pddl.language.domain import Domain, Problem
from envs.pddl.language.terms import (
    DomainTree,
    Part,
    Tree,
    canonical,
    conjunct_trees,
    show,
    terms_in,
    tree_of,
    with_part_of,
)
from envs.pddl.simulation.lifted import Literal

#: Ways to let parameters stand for those of one other action that are looked at.
MAX_ORDERS = 720
#: Proposals for one action, and of those the ones by one other action.
MAX_PROPOSED, MAX_BY_ONE = 12, 3


@dataclass(frozen=True, order=True)
class _Way:
    """Another action, and which parameters stand for its own; the likelier comes first."""

    #: static preconditions that what was executed speaks against, preconditions that name a parameter which
    #: nothing stands for, and parameters that stand for none
    over: int
    moved: int  #: parameters that change their places
    other: str
    places: tuple[int, ...]  #: for each of the other's parameters, that which stands for it; -1 for none


def like_others(repairs: Repairs, found: Candidate, stop: Callable[[], bool]) -> Iterator[Variant]:
    """Variants with the rules of another action for one that was executed and has none, likeliest first."""
    model, trees = repairs.model, tree_of(repairs.model.domain)
    for name, action in sorted(model.actions.items()):
        if not action.is_empty or not len(repairs.seen.of[name].positive):
            continue
        others = frozenset(e for e in found.edits if not (isinstance(e, EffectEdit) and e.action == name))
        proposed: dict[object, Variant] = {}
        by_one = Counter[str]()
        for way in sorted(_ways(repairs, trees, name)):
            if stop() or len(proposed) == MAX_PROPOSED:
                break
            parts = _rules(trees, name, way)
            rules = tuple(map(canonical, parts.values()))
            size = sum(len(conjunct_trees(part)) for part in parts.values())
            if size and rules not in proposed and by_one[way.other] < MAX_BY_ONE:
                by_one[way.other] += 1
                words = f"write action {name} like {way.other}"
                # where not all is explained, what a rule explains is to outweigh half of what it says
                size = 1 + (size // 2 if found.unexplained else 0)
                problems = _written(model, name, parts)
                proposed[rules] = Variant(words, problems, size, others, (name,))
        yield from proposed.values()


def _ways(repairs: Repairs, trees: DomainTree, name: str) -> set[_Way]:
    """The ways to let the parameters of an action stand for those of others that have rules."""
    model, found = repairs.model, set[_Way]()
    start, arity = repairs.tables(frozenset()), len(trees.parameters(name))

    @cache
    def is_refuted(literal: Literal) -> bool:
        return len(repairs.refuting(name, literal, start)) > 0

    for other, given in model.actions.items():
        for places in () if given.is_empty else islice(_places(model.domain, trees, name, other), MAX_ORDERS):
            moved = [_moved(literal, places) for literal in given.preconditions]
            static = [own for own in moved if own is not None and own.predicate not in given.fluents]
            found.add(
                _Way(
                    sum(map(is_refuted, static)) + moved.count(None) + arity - sum(p >= 0 for p in places),
                    sum(own != place for place, own in enumerate(places)),
                    other,
                    places,
                )
            )
    return found


def _places(domain: Domain, trees: DomainTree, name: str, other: str) -> Iterator[tuple[int, ...]]:
    """The well-typed ways to let parameters stand for another action's, but for one at most that could."""
    kinds, theirs = [kind for _, kind in trees.parameters(name)], _variables(trees, other)
    terms = [term for term in terms_in(trees) if term.action == other]
    wanted: dict[str, set[str]] = {variable: set() for variable in theirs}
    for term in terms:
        declared = domain.predicates.get(show(term.atom[0]), ())
        for argument, (_, kind) in zip(term.atom[1:], declared, strict=False):
            wanted.get(show(argument), set()).add(kind)
    bound = {variable for term in terms for variable, _ in term.scope} - {*theirs}
    if bound & {*_variables(trees, name)}:  # they would be taken for the parameters
        return
    fitting = [
        frozenset(
            i for i, kind in enumerate(kinds) if all(domain.is_subtype(kind, own) for own in wanted[variable])
        )
        for variable in theirs
    ]
    yield from _assigned(fitting, max(0, len(theirs) - len(kinds)) + 1)


def _assigned(fitting: Sequence[frozenset[int]], gaps: int) -> Iterator[tuple[int, ...]]:
    """One of each of these sets, all different, and -1 for so many at most; in order first."""
    if not fitting:
        yield ()
        return
    for own in sorted(fitting[0]):
        yield from ((own, *rest) for rest in _assigned([one - {own} for one in fitting[1:]], gaps))
    if gaps:
        yield from ((-1, *rest) for rest in _assigned(fitting[1:], gaps - 1))


def _moved(literal: Literal, places: tuple[int, ...]) -> Literal | None:
    """Another action's literal with the parameters that stand for its own; None if nothing stands for one."""
    terms = [t if t >= 0 else ~places[~t] for t in literal.terms]
    if any(t < 0 <= moved for t, moved in zip(literal.terms, terms, strict=True)):
        return None
    return replace(literal, terms=tuple(terms))


def _rules(trees: DomainTree, name: str, way: _Way) -> dict[Part, Tree]:
    """The precondition and the effect of the other action, with the parameters that stand for its own."""
    own, theirs = _variables(trees, name), _variables(trees, way.other)
    names = {variable: own[i] for variable, i in zip(theirs, way.places, strict=True) if i >= 0}
    gone = {*theirs} - names.keys()
    lost = [t.place for t in terms_in(trees) if t.action == way.other and gone & {*map(show, t.atom)}]
    left = trees.without(lost)
    parts = {part: _renamed(left.part(way.other, part), names) for part in Part}
    effects = (
        one for one in conjunct_trees(parts[Part.EFFECT]) if one[0] != "increase"
    )  # costs stay its own
    return {**parts, Part.EFFECT: ("and", *effects)}


def _written(model: Model, name: str, parts: Mapping[Part, Tree]) -> tuple[Problem, ...]:
    """The model's problems with these parts of an action."""
    domain = model.domain
    for part, tree in parts.items():
        domain = with_part_of(domain, name, part, tree)
    return tuple(replace(problem, domain=domain) for problem in model.problems)


def _variables(trees: DomainTree, action: str) -> list[str]:
    return [variable for variable, _ in trees.parameters(action)]


def _renamed(tree: Tree, names: Mapping[str, str]) -> Tree:
    return names.get(tree, tree) if isinstance(tree, str) else tuple(_renamed(part, names) for part in tree)
