"""Inferred facts, as plain data and as the text of a PDDL problem.

Only what is the domain's is compiled: helper types and predicates are left out. What names a predicate of the
domain and does not fit it is a fault, and so is an object that would need two types, or none.

The text is the canonical one of `envs.pddl.language.render`: objects by type in the order of the domain and
then by number and name, facts and goals sorted. The total cost starts at 0 in a domain that has one, and is
to be minimised if that is so in the domain's example.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from agents.tic.inference_child import Facts, by_number, show_fact, show_goal
from agents.tic.knowledge import Knowledge, NameTable, type_expressions
from envs.pddl.language.domain import Domain, read_domain, read_problem
from envs.pddl.language.issues import PDDLError
from envs.pddl.language.render import render_problem
from envs.pddl.language.vocabulary import TOTAL_COST, Parameters, Vocabulary, show_typed

#: More faults than this are counted, not told.
_MAX_FAULTS = 20
_METRIC = f"(:metric minimize ({TOTAL_COST}))"


def some(lines: Sequence[str], most: int) -> list[str]:
    """The first lines; those beyond `most` are counted."""
    more = len(lines) - most
    return [*lines[:most], *([f"and {more} more like these"] if more > 0 else [])]


@dataclass(frozen=True)
class Compilation:
    """A problem's text, or why there is none: exactly one of `problem` and `faults` is empty."""

    problem: str | None
    faults: tuple[str, ...] = ()  #: what does not fit the domain, in words for the author of the IR


def compile_problem(facts: Facts, knowledge: Knowledge, name: str = "task") -> Compilation:
    """The PDDL problem called `name`. Raises PDDLError if the knowledge's own domain is none."""
    compiler = _Compiler(facts, knowledge)
    faults = list(compiler.faults())
    if faults:
        return Compilation(None, tuple(some(faults, _MAX_FAULTS)))
    try:
        return Compilation(render_problem(read_problem(compiler.text(name), _domain(knowledge.domain))))
    except PDDLError as error:
        return Compilation(None, (str(error),))


class _Compiler:
    """One model, and what of it is the domain's."""

    def __init__(self, facts: Facts, knowledge: Knowledge):
        self._knowledge, self._declared = knowledge, knowledge.vocabulary
        known = knowledge.names
        self._arities = {known.asp(p): len(ps) for p, ps in self._declared.predicates.items()}
        self._init = [fact for fact in facts.init if fact[0] in self._arities]
        self._goal = [(holds, fact) for holds, fact in facts.goal if fact[0] in self._arities]
        self._types = _least_types(facts, self._declared, known)
        self._names = known.with_symbols(self._types)

    def faults(self) -> Iterator[str]:
        """What does not fit the domain."""
        if not self._goal:
            yield "no goal of the domain is stated: write goal(...) for what has to be true in the end"
        for statement, (predicate, *arguments) in self._statements():
            declared, wanted = self._parameters(predicate), self._arities[predicate]
            if len(arguments) != wanted:
                given = f"{len(arguments)} argument{'s' * (len(arguments) != 1)}"
                listed = f": {show_typed(declared)}" if declared else ""
                yield f"{statement} has {given}, but {predicate} takes {wanted}{listed}"
        for thing, kinds in self._types.items():
            constant = self._knowledge.names.pddl(thing)
            declared_as = self._declared.constants.get(constant)
            if not re.match("_*[a-z]", thing):
                used = (f", in {statement}" for statement, fact in self._statements() if thing in fact[1:])
                yield f"{thing} stands where an object's name is expected{next(used, '')}"
            elif len(kinds) > 1:
                reasons = "; ".join(f"{kind}{self._reason(thing, kind)}" for kind in kinds)
                yield f"{thing} cannot be of more than one type, but it is stated or used as {reasons}"
            elif declared_as and not self._declared.types.is_subtype(declared_as, kinds[0]):
                yield f"{constant} is a {declared_as} in every task, but it is stated or used as {kinds[0]}"

    def _statements(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        yield from ((f"init({show_fact(fact)})", fact) for fact in self._init)
        yield from ((show_goal(holds, fact), fact) for holds, fact in self._goal)

    def _parameters(self, predicate: str) -> Parameters:
        return self._declared.predicates[self._names.pddl(predicate)]

    def _reason(self, thing: str, kind: str) -> str:
        """What makes an object one of that type."""
        for statement, (predicate, *arguments) in self._statements():
            if (thing, kind) in zip(arguments, (k for _, k in self._parameters(predicate)), strict=False):
                return f" by {statement}"
        return ""

    def text(self, name: str) -> str:
        """The problem, not yet in canonical form."""
        atoms = [self._atom(fact) for fact in self._init]
        goals = [self._atom(fact) if holds else f"(not {self._atom(fact)})" for holds, fact in self._goal]
        costs = TOTAL_COST in self._declared.functions
        return "\n".join(
            [
                f"(define (problem {name}) (:domain {self._declared.name})",
                f"(:objects {show_typed(self._objects())})",
                *("(:init", *atoms, f"(= ({TOTAL_COST}) 0))" if costs else ")"),
                *("(:goal (and", *sorted(goals, key=by_number), "))"),
                _METRIC if costs and ":metric" in self._knowledge.example_problem else "",
                ")",
            ]
        )

    def _objects(self) -> list[tuple[str, str]]:
        """Name and type of each object that is not a constant."""
        order = {kind: place for place, kind in enumerate(type_expressions(self._declared))}
        named = ((self._names.pddl(thing), kinds[0]) for thing, kinds in self._types.items())
        own = ((name, kind) for name, kind in named if name not in self._declared.constants)
        return sorted(own, key=lambda entry: (order[entry[1]], by_number(entry[0])))

    def _atom(self, fact: tuple[str, ...]) -> str:
        return f"({' '.join(map(self._names.pddl, fact))})"


def _least_types(facts: Facts, declared: Vocabulary, names: NameTable) -> dict[str, list[str]]:
    """The types of each object that has any of the domain, without those above another one of them."""
    known = {names.asp(kind): kind for kind in type_expressions(declared)}
    types: dict[str, list[str]] = {}
    for thing, kind in facts.objects:
        if kind in known:
            types.setdefault(thing, []).append(known[kind])
    below = declared.types.is_subtype
    least = {
        kinds: [k for k in kinds if not any(below(other, k) and not below(k, other) for other in kinds)]
        for kinds in set(map(tuple, types.values()))
    }
    return {thing: least[tuple(kinds)] for thing, kinds in types.items()}


@lru_cache(maxsize=32)
def _domain(text: str) -> Domain:
    return read_domain(text)
