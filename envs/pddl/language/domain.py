"""Reading PDDL: the objects of `structure`, made from text.

The text is read by `sexpr`, judged by `diagnosis` and only then built, so building cannot fail on a valid
text. A parsed domain is reused for any number of problems. Domains, problems and ground atoms can be imported
from here as well, together with what reads them.
"""

from __future__ import annotations

from dataclasses import replace

from envs.pddl.diagnosis.domain import ActionBody, CheckedDomain, check_domain
from envs.pddl.diagnosis.problem import CheckedProblem, check_problem
from envs.pddl.language.formulas import FormulaBuilder, cost_of, show_cost
from envs.pddl.language.issues import refuse_errors
from envs.pddl.language.sexpr import Group, Node
from envs.pddl.language.structure import (
    Action,
    Domain,
    GroundAtom,
    Language,
    PredicateDeclaration,
    Problem,
)
from envs.pddl.language.vocabulary import OBJECT, TOTAL_COST, Parameters, Vocabulary

__all__ = [
    "Domain",
    "GroundAtom",
    "Problem",
    "build_domain",
    "build_problem",
    "read_domain",
    "read_problem",
    "read_vocabulary",
    "vocabulary_in",
]


def read_domain(text: str, name: str = "domain") -> Domain:
    """The domain that `text` describes; `name` is what issues call the text. Raises PDDLError."""
    return build_domain(check_domain(text, name))


def build_domain(checked: CheckedDomain) -> Domain:
    """The domain of a text that was checked. Raises PDDLError if that found errors."""
    vocabulary = vocabulary_in(checked)
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
    return vocabulary_in(check_domain(text, name))


def read_problem(text: str, domain: Domain, name: str = "problem") -> Problem:
    """The problem of `domain` that `text` describes; `name` is what issues call it. Raises PDDLError."""
    return build_problem(check_problem(text, domain.vocabulary, name), domain)


def build_problem(checked: CheckedProblem, domain: Domain) -> Problem:
    """The problem of a text that was checked against `domain`. Raises PDDLError if that found errors."""
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


def vocabulary_in(checked: CheckedDomain) -> Vocabulary:
    """What a text that was checked declares. Raises PDDLError if that found errors."""
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
