"""Edits as words, and as the PDDL that has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from agents.repair.candidate import Candidate, EffectEdit
from agents.repair.model import Model
from envs.pddl.language.domain import Problem
from envs.pddl.language.render import render_problem
from envs.pddl.language.terms import Part, Tree, literal_of, tree_of, with_part
from envs.pddl.mutation.parameters import NEW_PARAMETER, ParameterFault
from envs.pddl.simulation.lifted import Literal


@dataclass(frozen=True, order=True)
class Change:
    """One edit in words of PDDL."""

    where: str  #: an action's name, or `initial state`
    part: str  #: `precondition`, `effect` or empty
    literal: str
    added: bool

    def __str__(self) -> str:
        place = f"the {self.part} of {self.where}" if self.part else f"the {self.where}"
        return f"add {self.literal} to {place}" if self.added else f"remove {self.literal} from {place}"


def parameter_words(edit: ParameterFault) -> str:
    """Another parameter list as an edit in words: what to do to the predicate, not what is wrong with it."""
    if edit.dropped:
        return f"take parameter {edit.place + 1} ({edit.type}) from predicate {edit.predicate}"
    new = f"{NEW_PARAMETER} - {edit.type}"
    return f"give predicate {edit.predicate} the parameter {new} at place {edit.place + 1}"


def changes(model: Model, candidate: Candidate) -> tuple[Change, ...]:
    """All edits of a candidate, those of preconditions included, sorted."""
    return tuple(sorted(_changes(model, candidate)))


def changed_domain(problem: Problem, edits: Iterable[Change]) -> str:
    """The text of the problem's domain with all edits of its actions made.

    Raises ValueError for a literal to be removed that is not at the top of its part.
    """
    tree = tree_of(problem.domain)
    for edit in edits:
        if edit.part:
            part = Part(edit.part)
            whole = _edited(tree.part(edit.where, part), edit)
            tree = tree.replaced(edit.where, part, whole)
    return tree.render()


def changed_problem(problem: Problem, edits: Iterable[Change]) -> str:
    """The text of the problem with all edits of its initial state made."""
    init = set(problem.init)
    for edit in edits:
        if not edit.part:
            (init.add if edit.added else init.discard)(tuple(edit.literal[1:-1].split()))
    return render_problem(replace(problem, init=frozenset(init)))


def _edited(whole: Tree, edit: Change) -> Tree:
    literal = literal_of(edit.literal)
    if edit.added:
        return with_part(whole, literal)
    parts = whole[1:] if whole[0] == "and" else (whole,)
    if literal not in parts:
        raise ValueError(f"{edit.literal} does not stand at the top of the {edit.part} of {edit.where}")
    return ("and", *(part for part in parts if part != literal))


def _changes(model: Model, candidate: Candidate) -> Iterator[Change]:
    for edit in candidate.edits:
        if isinstance(edit, EffectEdit):
            yield Change(edit.action, Part.EFFECT, shown(model, edit.action, edit.effect), edit.present)
        else:
            words = " ".join((edit.predicate, *(model.task.objects[n] for n in edit.arguments)))
            yield Change("initial state", "", f"({words})", edit.present)
    for action, found in candidate.fits.items():
        for literal, _ in found.dropped:
            yield Change(action, Part.PRECONDITION, shown(model, action, literal), False)
        for literal in found.added:
            yield Change(action, Part.PRECONDITION, shown(model, action, literal), True)


def shown(model: Model, action: str, literal: Literal) -> str:
    """An action's literal as PDDL."""
    names = [str(p.symbol) for p in model.problem.domain.actions[action].parameters]
    words = (names[~t] if t < 0 else model.task.objects[t] for t in literal.terms)
    atom = f"({' '.join((literal.predicate, *words))})"
    return atom if literal.positive else f"(not {atom})"
