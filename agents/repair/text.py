"""Edits as words, as the PDDL text that has them, and made in a model's own formulas.

A repair walks in `edited_problem` round after round, which neither writes nor reads a text. The texts are for
people and files, and are made once in the end: read, they are the same problem.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from agents.repair.candidate import Candidate, EffectEdit
from agents.repair.model import Model
from envs.pddl.language.domain import GroundAtom, Problem
from envs.pddl.language.render import render_problem
from envs.pddl.language.terms import Part, Tree, literal_of, tree_of, with_part
from envs.pddl.mutation.parameters import NEW_PARAMETER, ParameterFault
from envs.pddl.simulation.lifted import Literal
from envs.pddl.simulation.literal_edits import not_at_the_top, with_literal, without_literal


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
    return tuple(change for change, _ in _placed(model, candidate))


def edited_problem(model: Model, candidate: Candidate) -> Problem:
    """The model's problem with all edits of a candidate made; it shares what is not edited with the model.

    Raises ValueError for a literal to be removed that is not at the top of its part.
    """
    problem = model.problem
    actions, init = dict(problem.domain.actions), set(problem.init)
    for change, literal in _placed(model, candidate):
        if change.part:
            action, part = actions[change.where], Part(change.part)
            actions[change.where] = (
                with_literal(action, part, literal, problem.domain, model.task.objects)
                if change.added
                else without_literal(action, part, change.literal)
            )
        else:
            (init.add if change.added else init.discard)(_named(literal, model.task.objects))
    return replace(problem, domain=replace(problem.domain, actions=actions), init=frozenset(init))


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
        raise not_at_the_top(edit.where, Part(edit.part), edit.literal)
    return ("and", *(part for part in parts if part != literal))


def _placed(model: Model, candidate: Candidate) -> list[tuple[Change, Literal]]:
    """Every edit in words, with its literal, which has object numbers alone if it is of the initial state."""
    return sorted(_edits(model, candidate), key=lambda placed: placed[0])


def _edits(model: Model, candidate: Candidate) -> Iterator[tuple[Change, Literal]]:
    for edit in candidate.edits:
        if isinstance(edit, EffectEdit):
            words = shown(model, edit.action, edit.effect)
            yield Change(edit.action, Part.EFFECT, words, edit.present), edit.effect
        else:
            atom = Literal(edit.predicate, edit.arguments, True)
            words = f"({' '.join(_named(atom, model.task.objects))})"
            yield Change("initial state", "", words, edit.present), atom
    for action, found in candidate.fits.items():
        for literal, _ in found.dropped:
            yield Change(action, Part.PRECONDITION, shown(model, action, literal), False), literal
        for literal in found.added:
            yield Change(action, Part.PRECONDITION, shown(model, action, literal), True), literal


def _named(atom: Literal, objects: Sequence[str]) -> GroundAtom:
    return atom.predicate, *(objects[term] for term in atom.terms)


def shown(model: Model, action: str, literal: Literal) -> str:
    """An action's literal as PDDL."""
    names = [str(p.symbol) for p in model.problem.domain.actions[action].parameters]
    words = (names[~t] if t < 0 else model.task.objects[t] for t in literal.terms)
    atom = f"({' '.join((literal.predicate, *words))})"
    return atom if literal.positive else f"(not {atom})"
