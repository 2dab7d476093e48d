"""Domain and problem objects: PDDL text, read and typed.

Types, predicates and formulas are tarski's; the text is read by `sexpr`, judged by `diagnose` and only
then built, so building cannot fail on a valid text. A parsed domain is reused for any number of problems.
The conventions that formulas and effects keep are in `formulas`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tarski.fol import FirstOrderLanguage
from tarski.syntax import Formula, Predicate, Sort, Variable
from tarski.theories import Theory, load_theory

from envs.pddl.diagnosis.domain import ActionBody, CheckedDomain, check_domain
from envs.pddl.diagnosis.problem import check_problem
from envs.pddl.language.formulas import Cost, Effect, FormulaBuilder, cost_of, show_cost
from envs.pddl.language.issues import refuse_errors
from envs.pddl.language.sexpr import Group, Node
from envs.pddl.language.vocabulary import OBJECT, TOTAL_COST, Parameters, Vocabulary

#: A ground atom as plain data: predicate name, then object names, all lower case.
GroundAtom = tuple[str, ...]


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
class PredicateDeclaration:
    """A declared predicate: tarski's symbol and the variables it was declared with (for printing)."""

    symbol: Predicate
    parameters: tuple[Variable, ...]


@dataclass(frozen=True, eq=False)
class Domain:
    """A read domain. Mappings keep the order of the text."""

    name: str
    requirements: tuple[str, ...]
    language: Language
    types: Mapping[str, str | None]  #: type → parent; None below the root `object`, which is not listed
    constants: Mapping[str, str]  #: constant → type
    predicates: Mapping[str, PredicateDeclaration]
    actions: Mapping[str, Action]
    vocabulary: Vocabulary  #: the same declarations as plain data
    has_total_cost: bool = False

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


def read_domain(text: str, name: str = "domain") -> Domain:
    """The domain that `text` describes; `name` is what issues call the text. Raises PDDLError."""
    checked = check_domain(text, name)
    vocabulary = _vocabulary(checked)
    language = Language(vocabulary)
    for kind in vocabulary.types.parents:
        language.sort_of(kind)
    builder = FormulaBuilder(language, language.sort_of, vocabulary.constants)
    predicates = {
        head: _declare(language, builder, head, parameters)
        for head, parameters in vocabulary.predicates.items()
    }
    return Domain(
        name=vocabulary.name,
        requirements=vocabulary.requirements,
        language=language,
        types={kind: None if above == OBJECT else above for kind, above in vocabulary.types.parents.items()},
        constants=vocabulary.constants,
        predicates=predicates,
        actions=_actions(checked, vocabulary, builder),
        vocabulary=vocabulary,
        has_total_cost=TOTAL_COST in vocabulary.functions,
    )


def read_vocabulary(text: str, name: str = "domain") -> Vocabulary:
    """What the domain declares, without its conditions and effects: cheaper to read. Raises PDDLError."""
    return _vocabulary(check_domain(text, name))


def read_problem(text: str, domain: Domain, name: str = "problem") -> Problem:
    """The problem of `domain` that `text` describes; `name` is what issues call it. Raises PDDLError."""
    checked = check_problem(text, domain.vocabulary, name)
    refuse_errors(checked.issues)
    builder = FormulaBuilder(domain.language, domain.language.sort_of, checked.objects)
    return Problem(
        name=checked.name,
        domain=domain,
        objects=checked.objects,
        init=frozenset(checked.init),
        goal=builder.condition(_form(checked.goal)),
        costs=checked.costs,
        minimizes_cost=checked.minimizes_cost,
        requirements=checked.requirements,
    )


def _vocabulary(checked: CheckedDomain) -> Vocabulary:
    refuse_errors(checked.issues)
    assert checked.vocabulary is not None, "a text without errors has a vocabulary"
    costs = {name: cost_of(_form(body.effect)) for name, body in checked.bodies.items()}
    texts = {name: show_cost(cost) for name, cost in costs.items() if cost is not None}
    return replace(checked.vocabulary, costs=texts)


def _declare(
    language: Language, builder: FormulaBuilder, name: str, parameters: Parameters
) -> PredicateDeclaration:
    variables = builder.variables(parameters)
    return PredicateDeclaration(language.predicate(name, *(v.sort for v in variables)), variables)


def _actions(checked: CheckedDomain, vocabulary: Vocabulary, builder: FormulaBuilder) -> dict[str, Action]:
    return {
        name: _action(name, vocabulary.actions[name], body, builder) for name, body in checked.bodies.items()
    }


def _action(name: str, parameters: Parameters, body: ActionBody, builder: FormulaBuilder) -> Action:
    variables = builder.variables(parameters)
    effect = _form(body.effect)
    return Action(
        name=name,
        parameters=variables,
        precondition=builder.condition(_form(body.precondition), variables),
        effects=builder.effects(effect, variables),
        cost=cost_of(effect),
    )


def _form(node: Node | None) -> Group | None:
    """A checked condition or effect as the group it is."""
    return node if isinstance(node, Group) else None
