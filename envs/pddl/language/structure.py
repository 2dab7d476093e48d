"""What a domain and a problem are made of, as objects: actions, predicates, ground atoms.

Types, predicates and formulas are tarski's. `domain` makes these objects from text; the conventions that
formulas and effects keep are in `formulas`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from tarski.fol import FirstOrderLanguage
from tarski.fstrips import AddEffect, DelEffect, UniversalEffect
from tarski.syntax import Formula, Sort, Variable
from tarski.theories import Theory, load_theory

from envs.pddl.language.vocabulary import OBJECT, Parameters, Vocabulary

#: A ground atom as plain data: predicate name, then object names, all lower case.
GroundAtom = tuple[str, ...]
#: An effect, as `formulas` builds it.
Effect: TypeAlias = AddEffect | DelEffect | UniversalEffect
#: The cost of an operator: a number, or a function and its argument names.
Cost: TypeAlias = float | tuple[str, ...]


class Language(FirstOrderLanguage):  # type: ignore[misc]
    """tarski's language with PDDL's name spaces: a predicate may be named like a type.

    The sort of a union is named by its type expression, `(either a b)`; all sorts hang directly below
    `object`, because the hierarchy is the vocabulary's and is asked there.
    """

    def __init__(self, vocabulary: Vocabulary):
        super().__init__(vocabulary.name)
        self._vocabulary = vocabulary
        load_theory(self, Theory.EQUALITY)

    def _check_name_not_defined(
        self, name: str, where: Mapping[str, object], exception: type[Exception]
    ) -> None:
        if name in where:
            raise exception(name, where[name])

    def set_parent(self, sort: Sort, parent: Sort, overwrite: bool = False) -> None:
        """Hang a new sort below `object`."""
        self.immediate_parent[sort] = parent
        self.ancestor_sorts[sort] = {parent}

    def sort_of(self, type_expression: str) -> Sort:
        """The sort of a declared type or of a union, made when it is first asked for."""
        if not self.has_sort(type_expression):
            self.sort(type_expression)
        return self.get_sort(type_expression)

    def is_subtype(self, t: Sort | str, st: Sort | str) -> bool:
        """Whether sort `t` lies within sort `st`."""
        child, parent = (s.name if isinstance(s, Sort) else s for s in (t, st))
        return self._vocabulary.types.is_subtype(child, parent)


@dataclass(frozen=True, eq=False)
class Action:
    """A lifted action. Effects are tarski's AddEffect, DelEffect and UniversalEffect, flattened."""

    name: str
    parameters: tuple[Variable, ...]
    precondition: Formula
    effects: tuple[Effect, ...]
    cost: Cost | None = None  #: what it adds to the total cost, for printing; None if it adds nothing


@dataclass(frozen=True, eq=False)
class Domain:
    """A read domain. Mappings keep the order of the text."""

    language: Language
    constants: Mapping[str, str]  #: constant → type
    actions: Mapping[str, Action]
    vocabulary: Vocabulary  #: all that it declares, as plain data

    @property
    def name(self) -> str:
        """The domain's name."""
        return self.vocabulary.name

    @property
    def types(self) -> dict[str, str | None]:
        """Type → parent; None below the root `object`, which is not listed."""
        parents = self.vocabulary.types.parents
        return {kind: None if above == OBJECT else above for kind, above in parents.items()}

    @property
    def predicates(self) -> Mapping[str, Parameters]:
        """Predicate → the variables it was declared with and their types."""
        return self.vocabulary.predicates

    def is_subtype(self, child: str, parent: str) -> bool:
        """Whether every object of type `child` is one of type `parent` (a type is a subtype of itself).

        Both may be unions, `(either a b)`.
        """
        return self.vocabulary.types.is_subtype(child, parent)


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
    requirements: tuple[str, ...] = ()  #: the problem's own
