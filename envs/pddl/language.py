"""Domain and problem objects: PDDL text, read and typed.

Types, predicates and formulas are tarski's; the text is read by `sexpr`, judged by `diagnose` and only
then built, so building cannot fail on a valid text. A parsed domain is reused for any number of problems.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tarski.fol import FirstOrderLanguage
from tarski.syntax import Formula, Predicate, Variable

#: A ground atom as plain data: predicate name, then object names, all lower case.
GroundAtom = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Action:
    """A lifted action. Effects are tarski's AddEffect, DelEffect and UniversalEffect, flattened."""

    name: str
    parameters: tuple[Variable, ...]
    precondition: Formula
    effects: tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class PredicateDeclaration:
    """A declared predicate: tarski's symbol and the variables it was declared with (for printing)."""

    symbol: Predicate
    parameters: tuple[Variable, ...]


@dataclass(frozen=True, eq=False)
class Domain:
    """A read domain. Mappings keep the order of the text."""

    name: str
    requirements: tuple[str, ...]
    language: FirstOrderLanguage
    types: Mapping[str, str | None]  #: type → parent; None below the root `object`, which is not listed
    constants: Mapping[str, str]  #: constant → type
    predicates: Mapping[str, PredicateDeclaration]
    actions: Mapping[str, Action]
    has_total_cost: bool = False

    def is_subtype(self, child: str, parent: str) -> bool:
        """Whether every object of type `child` is one of type `parent` (a type is a subtype of itself)."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Problem:
    """A read problem of a domain."""

    name: str
    domain: Domain
    objects: Mapping[str, str]  #: object → type, the domain's constants included
    init: frozenset[GroundAtom]
    goal: Formula
    costs: Mapping[GroundAtom, float] = field(default_factory=dict)  #: (= (f a b) 3) in :init, for printing
    minimizes_cost: bool = False
