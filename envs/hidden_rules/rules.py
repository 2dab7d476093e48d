"""A rule that a model lacks: further conjuncts of a domain's actions, and perhaps a predicate for them.

A rule is plain data. It turns a domain into the one that a world obeys, and the problems of the first into
problems of the second: a new predicate has initial atoms that the rule gives, for all objects of its types or
for those of a static predicate. A literal may be one that the base domain has itself; then the model is that
domain without it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from itertools import product
from pathlib import Path

import msgspec

from envs.pddl.language.domain import Domain, GroundAtom, Problem, read_domain, read_problem
from envs.pddl.language.render import render_problem
from envs.pddl.language.terms import Part, Tree, parsed, terms, tree_of, without_terms
from envs.pddl.language.vocabulary import show_declaration


class RuleKind(StrEnum):
    """What a hidden rule is made of."""

    NONE = "none"  #: there is no rule: a control
    LITERAL = "literal"  #: a precondition: a literal, or an (in)equality
    QUANTIFIED = "quantified"  #: a precondition with `exists` or `forall`
    CONDITIONAL = "conditional"  #: an effect with `when`, perhaps below a `forall`
    NEW_PREDICATE = "new_predicate"  #: a predicate that is set, cleared and required


@dataclass(frozen=True)
class Addition:
    """A conjunct more in one part of an action."""

    action: str
    part: Part
    text: str  #: PDDL over the action's parameters

    def __str__(self) -> str:
        return f"{self.text} in the {self.part} of {self.action}"


@dataclass(frozen=True)
class HiddenPredicate:
    """A predicate that the base domain lacks, and what holds of it at first."""

    name: str
    types: tuple[str, ...]  #: of its arguments
    initially: bool  #: whether it holds at first; else of no objects
    among: str = ""  #: a static predicate: it holds at first where that does; empty for all objects

    @property
    def declaration(self) -> str:
        """As PDDL, `(ready ?a1 - robot)`."""
        return show_declaration(self.name, ((f"?a{i}", kind) for i, kind in enumerate(self.types, 1)))

    def atoms(self, problem: Problem) -> frozenset[GroundAtom]:
        """Its initial atoms in a problem."""
        return frozenset(self._atoms(problem)) if self.initially else frozenset()

    def _atoms(self, problem: Problem) -> Iterator[GroundAtom]:
        is_subtype = problem.domain.is_subtype
        fitting = ([o for o, kind in problem.objects.items() if is_subtype(kind, t)] for t in self.types)
        for arguments in product(*fitting):
            if not self.among or (self.among, *arguments) in problem.init:
                yield (self.name, *arguments)


@dataclass(frozen=True)
class HiddenRule:
    """One rule; see the module."""

    kind: RuleKind
    additions: tuple[Addition, ...]
    predicate: HiddenPredicate | None = None
    own: bool = False  #: whether the base domain has it, so that it is the model that has to lack it

    def model(self, base: Domain) -> Domain:
        """The domain without the rule. Raises ValueError if the rule is its `own` and it has none such."""
        if not self.own:
            return base
        places = {(addition.action, addition.part, addition.text) for addition in self.additions}
        found = [term for term in terms(base) if (term.action, term.part, term.text) in places]
        if not found:
            raise ValueError(f"{base.name} has no {self}")
        return read_domain(without_terms(base, found))

    def domain(self, model: Domain) -> Domain:
        """The domain with the rule. Raises KeyError without such an action, PDDLError if it does not fit."""
        tree = tree_of(model)
        for addition in self.additions:
            tree = tree.with_literal(addition.action, addition.part, parsed(addition.text))
        sections = [section for section in tree.sections if section[0] != ":requirements"]
        sections.insert(2, (":requirements", *dict.fromkeys((*model.vocabulary.requirements, ":adl"))))
        if self.predicate is not None:
            sections = [_declared(section, self.predicate.declaration) for section in sections]
        return read_domain(replace(tree, sections=tuple(sections)).render())

    def problem(self, given: Problem, domain: Domain) -> Problem:
        """A problem of the model as one of `domain`, the domain with the rule."""
        more = self.predicate.atoms(given) if self.predicate is not None else frozenset()
        return read_problem(render_problem(replace(given, init=given.init | more)), domain)

    def __str__(self) -> str:
        words = list(map(str, self.additions))
        if self.predicate is not None:
            among = f" where {self.predicate.among} does" if self.predicate.among else ""
            holds = f"true at first{among}" if self.predicate.initially else "false at first"
            words.insert(0, f"{self.predicate.declaration}, {holds}")
        return "; ".join(words)


def _declared(section: Tree, declaration: str) -> Tree:
    """A section of a domain, with one predicate more if it declares them."""
    return (*section, parsed(declaration)) if section[0] == ":predicates" else section


#: The cases that come with the package. Drawing takes the planner and up to a minute a case; kept, it opens
#: at once, and is the same whatever the planner and its speed.
FILE = Path(__file__).parent / "cases.json"


@dataclass(frozen=True)
class Drawn:
    """What the drawing of a case came to."""

    rule: HiddenRule | None  #: None for a control
    places: tuple[int, ...]  #: of the case's tasks among those that they were chosen from


@cache
def kept_cases() -> Mapping[str, Drawn]:
    """The kept cases by name, such as `grippers/quantified/0`."""
    return msgspec.json.decode(FILE.read_bytes(), type=dict[str, Drawn])


def keep(drawn: Mapping[str, Drawn]) -> None:
    """Write these cases, and no other."""
    lines = (f'"{name}":{msgspec.json.encode(case).decode()}' for name, case in sorted(drawn.items()))
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
