"""Worlds without telling names: every name replaced consistently by a neutral token.

Types become `t1`, `t2`, …, predicates `p1`, …, actions `a1`, …, objects and constants `o1`, …, functions
`f1`, … and variables `?x1`, …. Which name gets which number is drawn from the texts themselves: it is always
the same, tells nothing about the alphabet or the order of declaration, and for the domain's names it is the
same in every task. Declarations stand in the order of the new numbers. `object`, `=` and `total-cost` are
words of PDDL and stay.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from envs.pddl.diagnosis.domain import ActionBody, CheckedDomain, check_domain
from envs.pddl.diagnosis.problem import CheckedProblem, check_problem
from envs.pddl.language.domain import vocabulary_in
from envs.pddl.language.issues import refuse_errors
from envs.pddl.language.sexpr import Group, Node
from envs.pddl.language.vocabulary import (
    OBJECT,
    TOTAL_COST,
    Parameters,
    Vocabulary,
    members_of,
    show_typed,
    union_of,
)
from envs.tasks import shuffled
from envs.verbalisation.words import PredicateWords, TypeWords, Words

_JUNCTIONS = ("and", "or", "not", "imply", "when", "increase", "=")


@dataclass(frozen=True)
class Anonymised:
    """A domain and a problem with neutral names, and the neutral words for them."""

    domain: str
    problem: str
    words: Words
    names: Mapping[str, Mapping[str, str]]  #: `types`, `predicates`, `actions`, `objects`: old name → new


def anonymise(domain_text: str, problem_text: str) -> Anonymised:
    """The same task under neutral names. Raises PDDLError if the texts cannot be read."""
    domain = check_domain(domain_text)
    vocabulary = vocabulary_in(domain)
    problem = check_problem(problem_text, vocabulary)
    refuse_errors(problem.issues)
    new = _Renaming(domain_text, problem_text, vocabulary, problem)
    names = {
        **{"types": new.types, "predicates": new.predicates},
        **{"actions": new.actions, "objects": new.objects},
    }
    return Anonymised(new.domain(domain), new.problem(problem), _neutral_words(new, vocabulary), names)


class _Renaming:
    """The new names, and the texts written with them."""

    def __init__(self, domain: str, problem: str, vocabulary: Vocabulary, task: CheckedProblem):
        self._vocabulary = vocabulary
        self.types = _numbered("t", vocabulary.types.parents, domain) | {OBJECT: OBJECT}
        self.predicates = _numbered("p", vocabulary.predicates, domain)
        self.actions = _numbered("a", vocabulary.actions, domain)
        functions = [name for name in vocabulary.functions if name != TOTAL_COST]
        self.functions = _numbered("f", functions, domain) | {TOTAL_COST: TOTAL_COST}
        self.objects = _numbered("o", vocabulary.constants, domain)
        others = [name for name in task.objects if name not in vocabulary.constants]
        self.objects |= _numbered("o", others, domain + problem, start=len(self.objects) + 1)

    def domain(self, checked: CheckedDomain) -> str:
        """The domain's text."""
        known = self._vocabulary
        types = _in_order(
            (self.types[name], self._kind(above)) for name, above in known.types.parents.items()
        )
        constants = self._entries(known.constants)
        sections = [
            f"(:requirements {' '.join(known.requirements)})" if known.requirements else "",
            f"(:types {show_typed(types)})" if types else "",
            f"(:constants {show_typed(constants)})" if constants else "",
            self._declarations(":predicates", known.predicates, self.predicates),
            self._declarations(":functions", known.functions, self.functions),
            *(self._action(name, checked.bodies[name]) for name in _by_number(self.actions)),
        ]
        return _define("(domain world)", sections)

    def problem(self, checked: CheckedProblem) -> str:
        """The problem's text."""
        objects = {n: kind for n, kind in checked.objects.items() if n not in self._vocabulary.constants}
        facts = sorted(self._atom(self.predicates, fact) for fact in checked.init)
        costs = sorted(checked.costs.items())
        facts += [f"(= {self._atom(self.functions, term)} {value:g})" for term, value in costs]
        sections = [
            "(:domain world)",
            f"(:requirements {' '.join(checked.requirements)})" if checked.requirements else "",
            f"(:objects {show_typed(self._entries(objects))})",
            "\n    ".join(["(:init", *facts]) + ")",
            f"(:goal {self._formula(checked.goal, {})})",
            f"(:metric minimize ({TOTAL_COST}))" if checked.minimizes_cost else "",
        ]
        return _define("(problem task)", sections)

    def _action(self, name: str, body: ActionBody) -> str:
        parameters = self._vocabulary.actions[name]
        variables = _numbered_variables(parameters)
        fields = [(":precondition", body.precondition), (":effect", body.effect)]
        lines = [
            f"(:action {self.actions[name]}",
            f":parameters ({self._parameters(parameters, variables)})",
            *(f"{key} {self._formula(node, variables)}" for key, node in fields if node is not None),
        ]
        return "\n    ".join(lines) + ")"

    def _declarations(self, keyword: str, old: Mapping[str, Parameters], new: Mapping[str, str]) -> str:
        typed = (
            (new[name], self._parameters(old[name], _numbered_variables(old[name])))
            for name in sorted(old, key=lambda name: _number(new[name]))
        )
        lines = [f"({f'{name} {parameters}'.strip()})" for name, parameters in typed]
        return "\n    ".join([f"({keyword}", *lines]) + ")" if lines else ""

    def _parameters(self, parameters: Parameters, variables: Mapping[str, str]) -> str:
        return show_typed((variables[name], self._kind(kind)) for name, kind in parameters)

    def _entries(self, objects: Mapping[str, str]) -> list[tuple[str, str]]:
        return _in_order((self.objects[name], self._kind(kind)) for name, kind in objects.items())

    def _kind(self, type_expression: str) -> str:
        return union_of(self.types[name] for name in members_of(type_expression))

    def _atom(self, heads: Mapping[str, str], atom: Iterable[str]) -> str:
        head, *arguments = atom
        return f"({' '.join([heads[head], *(self.objects[name] for name in arguments)])})"

    def _formula(self, node: Node | None, variables: Mapping[str, str]) -> str:
        """A condition or effect; what is no group is a variable, an object or a number."""
        if not isinstance(node, Group):
            return "(and)" if node is None else self._name(str(node), variables)
        if not node.items:
            return "(and)"
        head, rest = node.head, node.items[1:]
        if head in ("forall", "exists"):
            return self._quantified(head, node.parts[0], rest[1], variables)
        new = head
        if head not in _JUNCTIONS:
            new = str(self.functions.get(head)) if head not in self.predicates else self.predicates[head]
        return f"({' '.join([new, *(self._formula(part, variables) for part in rest)])})"

    def _quantified(self, head: str, bound: Group, body: Node, variables: Mapping[str, str]) -> str:
        inner, words = dict(variables), []
        fresh = max((_number(name[1:]) for name in variables.values()), default=0)
        for place, item in enumerate(bound.items):
            if isinstance(item, Group):
                words.append(self._kind(union_of(map(str, item.items[1:]))))
            elif place and str(bound.items[place - 1]) == "-":
                words.append(self._kind(str(item)))
            elif str(item) == "-":
                words.append("-")
            else:
                fresh += 1
                inner[str(item)] = f"?x{fresh}"
                words.append(inner[str(item)])
        return f"({head} ({' '.join(words)}) {self._formula(body, inner)})"

    def _name(self, word: str, variables: Mapping[str, str]) -> str:
        return variables.get(word, word) if word[0] == "?" else self.objects.get(word, word)


def _neutral_words(names: _Renaming, vocabulary: Vocabulary) -> Words:
    predicates = {
        names.predicates[old]: _neutral_phrases(names.predicates[old], len(parameters))
        for old, parameters in vocabulary.predicates.items()
    }
    kinds = [new for new in names.types.values() if new != OBJECT]
    return Words(types={k: TypeWords(f"{k} object", f"{k} objects") for k in kinds}, predicates=predicates)


def _neutral_phrases(name: str, arity: int) -> PredicateWords:
    if arity == 0:
        return PredicateWords(f"condition {name} holds", f"condition {name} does not hold")
    if arity == 1:
        subject, verb, slots, none = f"property {name}", "hold", " of {0}", "of nothing"
    else:
        subject, verb, none = f"relation {name}", "link", "nothing"
        slots = " {0} to {1}" + "".join(f" via {{{i}}}" for i in range(2, arity))
    return PredicateWords(
        f"{subject} {verb}s{slots}", f"{subject} does not {verb}{slots}", none=f"{subject} {verb}s {none}"
    )


def _numbered(letter: str, names: Iterable[str], seed: str, start: int = 1) -> dict[str, str]:
    """New names for `names`, numbered in an order drawn from `seed`."""
    entropy = int.from_bytes(hashlib.sha256(f"{letter}\0{seed}".encode()).digest()[:16], "big")
    order = shuffled(np.random.default_rng(entropy), sorted(names))
    return {name: f"{letter}{number}" for number, name in enumerate(order, start)}


def _numbered_variables(parameters: Parameters) -> dict[str, str]:
    return {old: f"?x{number}" for number, (old, _) in enumerate(parameters, start=1)}


def _in_order(entries: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return sorted(entries, key=lambda entry: _number(entry[0]))


def _by_number(names: Mapping[str, str]) -> list[str]:
    """The old names, in the order of the new ones."""
    return sorted(names, key=lambda name: _number(names[name]))


def _number(name: str) -> int:
    """The number in a new name; words of PDDL that stayed come first."""
    return int(name[1:]) if name[1:].isdigit() else 0


def _define(title: str, sections: Iterable[str]) -> str:
    return "\n".join([f"(define {title}", *(f"  {section}" for section in sections if section)]) + ")\n"
