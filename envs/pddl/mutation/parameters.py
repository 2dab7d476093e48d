"""Predicates with a parameter too few or too many, everywhere in a domain and its problems.

`(free ?g)` instead of `(free ?r ?g)` is a fault that language models make: the domain reads, plans are
found, and a robot with a free gripper seems to lend it to the others. A parameter dropped takes its arguments
with it, wherever the predicate stands. One added gets, in an action, the first variable (else constant) of
its type that the atom does not name yet; what holds at the start holds for every object of the type; and a
goal is content with any.

Source of the example: Mahdavi et al. 2024, Appendix A.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from envs.pddl.language.domain import read_problem
from envs.pddl.language.render import render_problem
from envs.pddl.language.structure import Domain, Problem
from envs.pddl.language.terms import Term, Tree, parsed, show_sections, terms_in, tree_of, typed
from envs.pddl.language.vocabulary import OBJECT, Parameters, Vocabulary, show_typed

#: The variable of an added parameter, in declarations and goals.
NEW_PARAMETER = "?extra"


@dataclass(frozen=True)
class ParameterFault:
    """One parameter of a predicate is missing, or there is one too many."""

    predicate: str
    place: int  #: from 0
    type: str  #: a type expression
    dropped: bool

    @property
    def subject(self) -> str:
        """What it concerns: no two faults of one domain concern the same."""
        return self.predicate

    def changed(self, atom: Tree, extra: str = "") -> Tree:
        """An atom of the predicate without the dropped argument, or with `extra` as the added one."""
        at = self.place + 1
        return (*atom[:at], *atom[at + 1 :]) if self.dropped else (*atom[:at], extra, *atom[at:])

    def __str__(self) -> str:
        what = f"parameter {self.place + 1} ({self.type}) of {self.predicate}"
        return f"dropped {what}" if self.dropped else f"added {what}"


@lru_cache(maxsize=4)
def parameter_faults(domain: Domain) -> tuple[ParameterFault, ...]:
    """Every fault of the predicates that some action names, in the order of their declaration."""
    terms = terms_in(tree_of(domain))
    found: list[ParameterFault] = []
    for predicate, declared in domain.vocabulary.predicates.items():
        own = [term for term in terms if term.atom[0] == predicate]
        if not own:
            continue
        found += [ParameterFault(predicate, i, kind, True) for i, (_, kind) in enumerate(declared)]
        for kind in domain.vocabulary.types.parents or (OBJECT,):
            if all(_argument(term, kind, domain.vocabulary) is not None for term in own):
                found += [ParameterFault(predicate, i, kind, False) for i in range(len(declared) + 1)]
    return tuple(found)


def faulty_domain(domain: Domain, fault: ParameterFault) -> str:
    """The text of the domain with one such fault. Raises ValueError if it is none of this domain."""
    if fault not in parameter_faults(domain):
        raise ValueError(f"domain {domain.name!r} cannot have this fault: {fault}")
    tree = tree_of(domain).declaring(fault.predicate, _declared(fault, domain.vocabulary))
    for term in terms_in(tree):
        if term.atom[0] == fault.predicate:
            extra = "" if fault.dropped else _argument(term, fault.type, domain.vocabulary)
            assert extra is not None, "a fault of the domain fits all its terms"
            change = partial(fault.changed, extra=extra)
            tree = tree.with_piece(term.place, _rewritten(term.literal, fault, change))
    return tree.render()


def faulty_problem(problem: Problem, fault: ParameterFault) -> str:
    """The text of a problem of the domain without the fault, stated in the words of the domain with it."""
    tree = parsed(render_problem(problem))
    assert not isinstance(tree, str), "a rendered problem is one form"
    return show_sections([_section(section, problem, fault) for section in tree])


def restated(problem: Problem, fault: ParameterFault, domain: Domain) -> Problem:
    """The problem in the words of `domain`, which is its domain with the fault; as `faulty_problem` has it.

    Atoms of the initial state are not written out and read again: there may be thousands. Raises PDDLError.
    """
    read = read_problem(faulty_problem(replace(problem, init=frozenset()), fault), domain)
    atoms = (tuple(map(str, new)) for atom in problem.init for new in _facts(atom, problem, fault))
    return replace(read, init=frozenset(atoms))


def _section(section: Tree, problem: Problem, fault: ParameterFault) -> Tree:
    if section[0] == ":init":
        atoms = (atom for fact in section[1:] for atom in _facts(fact, problem, fault))
        return (":init", *dict.fromkeys(atoms))
    if section[0] == ":goal":
        goal = _rewritten(section[1], fault, lambda atom: _wish(atom, fault))
        return (":goal", _without_idle(goal, problem) if fault.dropped else goal)
    return section


def _without_idle(tree: Tree, problem: Problem) -> Tree:
    """A condition without quantified variables that it does not name, of types that have objects.

    Planners try all objects for each of them.
    """
    if isinstance(tree, str) or not tree:
        return tree
    parts = tuple(_without_idle(part, problem) for part in tree)
    if tree[0] not in ("exists", "forall"):
        return parts
    named, kinds = set(_names(parts[2])), problem.objects.values()
    kept = [
        (name, kind)
        for name, kind in typed(tree[1])
        if name in named or not any(problem.domain.is_subtype(own, kind) for own in kinds)
    ]
    return (parts[0], parsed(f"({show_typed(kept)})"), parts[2]) if kept else parts[2]


def _names(tree: Tree) -> Iterator[str]:
    if isinstance(tree, str):
        yield tree
    else:
        for part in tree:
            yield from _names(part)


def _facts(fact: Tree, problem: Problem, fault: ParameterFault) -> Iterator[Tree]:
    """What becomes of one fact of the initial state."""
    if fact[0] != fault.predicate:
        yield fact
    elif fault.dropped:
        yield fault.changed(fact)
    else:
        for name, kind in problem.objects.items():
            if problem.domain.is_subtype(kind, fault.type):
                yield fault.changed(fact, name)


def _wish(atom: Tree, fault: ParameterFault) -> Tree:
    """What becomes of one atom of the goal."""
    if fault.dropped:
        return fault.changed(atom)
    return ("exists", parsed(f"({NEW_PARAMETER} - {fault.type})"), fault.changed(atom, NEW_PARAMETER))


def _rewritten(tree: Tree, fault: ParameterFault, change: Callable[[Tree], Tree]) -> Tree:
    """The tree with every atom of the predicate changed."""
    if isinstance(tree, str):
        return tree
    if tree and tree[0] == fault.predicate:
        return change(tree)
    return tuple(_rewritten(part, fault, change) for part in tree)


def _declared(fault: ParameterFault, vocabulary: Vocabulary) -> Parameters:
    """What the predicate is declared with."""
    declared = list(vocabulary.predicates[fault.predicate])
    if fault.dropped:
        del declared[fault.place]
    else:
        declared.insert(fault.place, (NEW_PARAMETER, fault.type))
    return tuple(declared)


def _argument(term: Term, kind: str, vocabulary: Vocabulary) -> str | None:
    """What an added parameter of that type is given in this term; None if nothing fits."""
    kinds = {**dict(term.scope), **vocabulary.constants}
    fitting = [name for name, declared in kinds.items() if vocabulary.types.is_subtype(declared, kind)]
    return min(fitting, key=lambda name: name in term.atom, default=None)
