"""Edits as words, as the PDDL text that has them, and made in a model's own formulas.

A repair walks in `edited_problem` round after round, which neither writes nor reads a text. The texts are for
people and files, and are made once in the end: read, they are the same problem.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from agents.repair.candidate import Candidate, EffectEdit
from agents.repair.model import Model
from envs.pddl.language.domain import Domain, Problem
from envs.pddl.language.render import render_problem
from envs.pddl.language.terms import (
    Part,
    Tree,
    conjunct_trees,
    edited_action,
    literal_of,
    show,
    tree_of,
    with_part,
    with_part_of,
)
from envs.pddl.simulation.lifted import Literal


@dataclass(frozen=True, order=True)
class DescribedEdit:
    """One edit in words of PDDL."""

    where: str  #: an action's name, or `initial state`
    part: str  #: `precondition`, `effect` or empty
    literal: str
    added: bool
    task: int = 0  #: of the initial state, by place

    def __str__(self) -> str:
        place = f"the {self.part} of {self.where}" if self.part else f"the {self.where}"
        return f"add {self.literal} to {place}" if self.added else f"remove {self.literal} from {place}"


def changes(model: Model, candidate: Candidate) -> tuple[DescribedEdit, ...]:
    """All edits of a candidate, those of preconditions included, sorted."""
    return tuple(sorted(_edits(model, candidate)))


def edited_problem(model: Model, candidate: Candidate, task: int = 0) -> Problem:
    """The problem of a task with all edits of a candidate made; what is not edited is the model's own.

    Raises ValueError for a literal to be removed that is not at the top of its part.
    """
    edits, domain = changes(model, candidate), model.domain
    for edit in edits:
        if edit.part:
            domain = _with_edit(domain, edit)
    return replace(_with_init(model.problems[task], edits, task), domain=domain)


def _with_edit(domain: Domain, edit: DescribedEdit) -> Domain:
    """A domain with one edit of an action made."""
    name, part = edit.where, Part(edit.part)
    try:
        action = edited_action(domain, domain.actions[name], part, edit.literal, edit.added)
    except ValueError:  # not at the top as it is written
        return with_part_of(domain, name, part, _edited(tree_of(domain).part(name, part), edit))
    return replace(domain, actions={**domain.actions, name: action})


def changed_domain(domain: Domain, edits: Iterable[DescribedEdit]) -> str:
    """The text of a domain with all edits of its actions made.

    Raises ValueError for a literal to be removed that is not at the top of its part.
    """
    tree = tree_of(domain)
    for edit in edits:
        if edit.part:
            place = edit.where, Part(edit.part)
            tree = tree.replaced(*place, _edited(tree.part(*place), edit))
    return tree.render()


def changed_problem(problem: Problem, edits: Iterable[DescribedEdit], task: int = 0) -> str:
    """The text of a task's problem with all edits of its initial state made."""
    return render_problem(_with_init(problem, edits, task))


def _with_init(problem: Problem, edits: Iterable[DescribedEdit], task: int) -> Problem:
    init = set(problem.init)
    for edit in edits:
        if not edit.part and edit.task == task:
            (init.add if edit.added else init.discard)(tuple(edit.literal[1:-1].split()))
    return replace(problem, init=frozenset(init))


def _edited(whole: Tree, edit: DescribedEdit) -> Tree:
    literal = literal_of(edit.literal)
    if edit.added:
        return with_part(whole, literal)
    for parts in (conjunct_trees(whole), tuple(_split(whole))):
        if literal in parts:
            return ("and", *(part for part in parts if part != literal))
    raise ValueError(f"{edit.literal} does not stand at the top of the {edit.part} of {edit.where}")


def _split(condition: Tree) -> Iterator[Tree]:
    """The conjuncts of a condition in canonical text, also those that a negated disjunction stands for."""
    negated = condition[0] == "not"
    inner = condition[1] if negated else condition
    if inner[0] == "not":
        yield from _split(inner[1])
    elif inner[0] == ("or" if negated else "and"):
        for part in inner[1:]:
            yield from _split(("not", part) if negated else part)
    else:
        yield condition


def _edits(model: Model, candidate: Candidate) -> Iterator[DescribedEdit]:
    for edit in candidate.edits:
        if isinstance(edit, EffectEdit):
            words = shown(model, edit.action, edit.effect)
            yield DescribedEdit(edit.action, Part.EFFECT, words, edit.present)
        else:
            named = (model.objects[number] for number in edit.arguments)
            where = "initial state" + (
                f" of {model.problems[edit.task].name}" if len(model.tasks) > 1 else ""
            )
            atom = f"({' '.join((edit.predicate, *named))})"
            yield DescribedEdit(where, "", atom, edit.present, edit.task)
    for action, found in candidate.fits.items():
        own = [*((literal, False) for literal, _ in found.dropped), *((p, True) for p in found.added)]
        for literal, added in own:
            yield DescribedEdit(action, Part.PRECONDITION, shown(model, action, literal), added)


def shown(model: Model, action: str, literal: Literal) -> str:
    """An action's literal as PDDL: with names of its parameters, and objects."""
    names = {~v: str(p.symbol) for v, p in enumerate(model.domain.actions[action].parameters)}
    return show(literal_tree(literal, names, model.objects))


def literal_tree(literal: Literal, variables: Mapping[int, str], objects: Sequence[str]) -> Tree:
    """A literal as PDDL, with these names of variables, by term, and of objects, by number."""
    words = (variables[t] if t < 0 else objects[t] for t in literal.terms)
    atom = (literal.predicate, *words)
    return atom if literal.positive else ("not", atom)
