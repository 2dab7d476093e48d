"""A world model in words, from the meanings that its predicates and parameters were given.

For people who cannot read PDDL, and for words about steps of a plan. Two models that differ in a literal are
said differently: where a meaning leaves out an argument, or is that of two predicates, the predicate's name
and arguments are added.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from agents.worldmodel.model import WorldModel
from envs.pddl.language.domain import Domain, read_domain
from envs.pddl.language.prose import letter, say_action
from envs.pddl.language.vocabulary import Parameters

_OPENING = re.compile(r"^(?:(?:it is )?true (?:if|when|iff)|whether|holds (?:if|when))\s+", re.IGNORECASE)
_VARIABLE = re.compile(r"\?[a-z0-9_][\w.+-]*", re.IGNORECASE)


@dataclass(frozen=True)
class Sayer:
    """The words of one model."""

    model: WorldModel
    domain: Domain
    meanings: Mapping[str, str]  #: predicate to a clause over its declared variables

    @classmethod
    def of(cls, model: WorldModel) -> Sayer:
        """The words of `model`, whose text reads without errors."""
        domain = read_domain(model.text())
        declared = domain.vocabulary.predicates
        clauses = {note.name: _clause(note.meaning) for note in model.predicates}
        shapes = {name: _shape(clause, declared[name]) for name, clause in clauses.items()}
        said = list(shapes.values())
        clear = {
            name: clauses[name]
            for name, shape in shapes.items()
            if said.count(shape) == 1 and _names_all(clauses[name], declared[name])
        }
        return cls(model, domain, clear)

    def say(self, actions: Iterable[str] | None = None) -> str:
        """What the actions need and change, a paragraph each; all of them if none are named."""
        chosen = self.domain.actions if actions is None else actions
        return "\n\n".join(self._say_action(name) for name in chosen)

    def show(self) -> str:
        """All actions as `say` says them, each with how a step with it is written, for somebody who plans.

        What is said of parameters names other ones by their letters too.
        """
        return "\n\n".join(f"{self._lettered(name)}\n{self._written(name)}" for name in self.domain.actions)

    def atom(self, predicate: str, terms: Sequence[str], holds: bool) -> str:
        """A clause that says that an atom holds, or that it does not."""
        meaning = self.meanings.get(predicate)
        if meaning is None:
            told = f"({' '.join((predicate, *terms))})"
            return f"{told} is {'true' if holds else 'false'}"
        variables = (name for name, _ in self.domain.vocabulary.predicates[predicate])
        names = dict(zip(variables, terms, strict=True))
        clause = _VARIABLE.sub(lambda found: names[found[0].lower()], meaning)
        return clause if holds else f"it is not the case that {clause}"

    def _lettered(self, name: str) -> str:
        letters = self._letters(name)
        said = self._say_action(name)
        return _VARIABLE.sub(lambda found: letters.get(found[0].lower(), found[0]), said)

    def _written(self, name: str) -> str:
        return f"Written: ({' '.join((name, *self._letters(name).values()))})"

    def _letters(self, name: str) -> dict[str, str]:
        """What an action's parameters are called, by variable, in their order."""
        parameters = self.domain.actions[name].parameters
        return {variable.symbol.lower(): letter(place) for place, variable in enumerate(parameters)}

    def _say_action(self, name: str) -> str:
        written = [action for action in self.model.actions if action.signature.name == name]
        meant = [pair for a in written for pair in zip(a.signature.parameters, a.meanings, strict=False)]
        brief = self.model.brief.action(name)
        about = brief.text.split(". ")[0].strip().rstrip(".") + "." if brief else ""
        return say_action(
            self.domain.actions[name],
            self.atom,
            lambda kind: kind,
            about,
            {parameter.name: meaning for parameter, meaning in meant},
        )


def _clause(meaning: str) -> str:
    """`true if the lamp ?l is lit.` as a clause: `the lamp ?l is lit`."""
    return _OPENING.sub("", meaning.strip()).rstrip(" .;")


def _shape(clause: str, parameters: Parameters) -> str:
    """The clause with its variables by their places: equal for clauses that cannot be told apart."""
    places = {name: str(place) for place, (name, _) in enumerate(parameters)}
    return _VARIABLE.sub(lambda found: f"?{places.get(found[0].lower(), found[0])}", clause).lower()


def _names_all(clause: str, parameters: Parameters) -> bool:
    """Whether a clause names each variable and no other."""
    named = {name.lower() for name in _VARIABLE.findall(clause)}
    return bool(clause) and named == {name for name, _ in parameters}
