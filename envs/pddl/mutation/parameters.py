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
from dataclasses import dataclass
from functools import partial

from envs.pddl.language.render import render_problem
from envs.pddl.language.structure import Domain, Problem
from envs.pddl.language.terms import DomainTree, Term, Tree, parsed, replace_at, show, terms_in, tree_of
from envs.pddl.language.vocabulary import OBJECT, Vocabulary, show_typed

#: The variable of an added parameter, in declarations and goals.
NEW_PARAMETER = "?extra"


@dataclass(frozen=True)
class ParameterFault:
    """One parameter of a predicate is missing, or there is one too many."""

    predicate: str
    place: int  #: from 0
    type: str  #: a type expression
    dropped: bool

    def __str__(self) -> str:
        what = f"parameter {self.place + 1} ({self.type}) of {self.predicate}"
        return f"dropped {what}" if self.dropped else f"added {what}"


def parameter_faults(domain: Domain) -> tuple[ParameterFault, ...]:
    """Every fault of the predicates that some action names, in the order of their declaration."""
    tree = tree_of(domain)
    found: list[ParameterFault] = []
    for predicate, declared in domain.vocabulary.predicates.items():
        own = [term for term in terms_in(tree) if _atom(term)[0] == predicate]
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
    tree = _declaring(tree_of(domain), fault, domain.vocabulary)
    for term in terms_in(tree):
        if _atom(term)[0] == fault.predicate:
            extra = "" if fault.dropped else _argument(term, fault.type, domain.vocabulary)
            assert extra is not None, "a fault of the domain fits all its terms"
            changed = _rewritten(term.literal, fault, partial(_changed, fault=fault, extra=extra))
            whole = replace_at(tree.part(term.action, term.part), term.path, changed)
            tree = tree.replaced(term.action, term.part, whole)
    return tree.render()


def faulty_problem(problem: Problem, fault: ParameterFault) -> str:
    """The text of a problem of the domain without the fault, stated in the words of the domain with it."""
    tree = parsed(render_problem(problem))
    assert not isinstance(tree, str), "a rendered problem is one form"
    sections = [_section(section, problem, fault) for section in tree]
    return "\n".join(["(" + show(sections[0]), *map(show, sections[1:])]) + ")\n"


def _section(section: Tree, problem: Problem, fault: ParameterFault) -> Tree:
    if section[0] == ":init":
        atoms = (atom for fact in section[1:] for atom in _facts(fact, problem, fault))
        return (":init", *dict.fromkeys(atoms))
    if section[0] == ":goal":
        return (":goal", _rewritten(section[1], fault, lambda atom: _wish(atom, fault)))
    return section


def _facts(fact: Tree, problem: Problem, fault: ParameterFault) -> Iterator[Tree]:
    """What becomes of one fact of the initial state."""
    if fact[0] != fault.predicate:
        yield fact
    elif fault.dropped:
        yield _changed(fact, fault, "")
    else:
        is_subtype = problem.domain.is_subtype
        named = (name for name, kind in problem.objects.items() if is_subtype(kind, fault.type))
        yield from (_changed(fact, fault, name) for name in named)


def _wish(atom: Tree, fault: ParameterFault) -> Tree:
    """What becomes of one atom of the goal."""
    if fault.dropped:
        return _changed(atom, fault, "")
    return ("exists", (NEW_PARAMETER, "-", _parsed_type(fault.type)), _changed(atom, fault, NEW_PARAMETER))


def _parsed_type(kind: str) -> Tree:
    """A type expression as a tree."""
    return parsed(kind) if kind.startswith("(") else kind


def _rewritten(tree: Tree, fault: ParameterFault, change: Callable[[Tree], Tree]) -> Tree:
    """The tree with every atom of the predicate changed."""
    if isinstance(tree, str):
        return tree
    if tree and tree[0] == fault.predicate:
        return change(tree)
    return tuple(_rewritten(part, fault, change) for part in tree)


def _changed(atom: Tree, fault: ParameterFault, extra: str) -> Tree:
    """An atom without the dropped argument, or with the added one."""
    at = fault.place + 1
    return (*atom[:at], *atom[at + 1 :]) if fault.dropped else (*atom[:at], extra, *atom[at:])


def _declaring(tree: DomainTree, fault: ParameterFault, vocabulary: Vocabulary) -> DomainTree:
    declared = list(vocabulary.predicates[fault.predicate])
    if fault.dropped:
        del declared[fault.place]
    else:
        declared.insert(fault.place, (NEW_PARAMETER, fault.type))
    changed = parsed(f"({fault.predicate} {show_typed(declared)})")
    sections = tuple(
        tuple(changed if part[0] == fault.predicate else part for part in section)
        if section[0] == ":predicates"
        else section
        for section in tree.sections
    )
    return DomainTree(sections, tree.actions)


def _argument(term: Term, kind: str, vocabulary: Vocabulary) -> str | None:
    """What an added parameter of that type is given in this term; None if nothing fits."""
    kinds = {**dict(term.scope), **vocabulary.constants}
    fitting = [name for name, declared in kinds.items() if vocabulary.types.is_subtype(declared, kind)]
    return min(fitting, key=lambda name: name in _atom(term), default=None)


def _atom(term: Term) -> Tree:
    return term.literal[1] if term.literal[0] == "not" else term.literal
