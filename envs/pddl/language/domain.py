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
from envs.pddl.language.sexpr import Group, Source, read_sexprs
from envs.pddl.language.structure import Action as Action
from envs.pddl.language.structure import Domain as Domain
from envs.pddl.language.structure import GroundAtom as GroundAtom
from envs.pddl.language.structure import Language
from envs.pddl.language.structure import Problem as Problem
from envs.pddl.language.vocabulary import Parameters, Vocabulary


def read_domain(text: str, name: str = "domain") -> Domain:
    """The domain that `text` describes; `name` is what issues call the text. Raises PDDLError."""
    return build_domain(check_domain(text, name))


def build_domain(checked: CheckedDomain) -> Domain:
    """The domain of a text that was checked. Raises PDDLError if that found errors."""
    vocabulary = vocabulary_in(checked)
    language = Language(vocabulary)
    for kind in vocabulary.types.parents:
        language.sort_of(kind)
    for head, parameters in vocabulary.predicates.items():
        language.predicate(head, *(language.sort_of(kind) for _, kind in parameters))
    builder = FormulaBuilder(language, vocabulary.constants)
    actions = {
        name: _action(name, vocabulary.actions[name], body, builder) for name, body in checked.bodies.items()
    }
    return Domain(language, vocabulary.constants, actions, vocabulary)


def read_vocabulary(text: str, name: str = "domain") -> Vocabulary:
    """What the domain declares, without its conditions and effects: cheaper to read. Raises PDDLError."""
    return vocabulary_in(check_domain(text, name))


def read_problem(text: str, domain: Domain, name: str = "problem") -> Problem:
    """The problem of `domain` that `text` describes; `name` is what issues call it. Raises PDDLError."""
    return build_problem(check_problem(text, domain.vocabulary, name), domain)


def build_problem(checked: CheckedProblem, domain: Domain) -> Problem:
    """The problem of a text that was checked against `domain`. Raises PDDLError if that found errors."""
    refuse_errors(checked.issues)
    builder = FormulaBuilder(domain.language, checked.objects)
    return Problem(
        name=checked.name,
        domain=domain,
        objects=checked.objects,
        init=frozenset(checked.init),
        goal=builder.condition(checked.goal),
        costs=checked.costs,
        minimizes_cost=checked.minimizes_cost,
        requirements=checked.requirements,
    )


def with_goal(problem: Problem, text: str, domain: Domain | None = None) -> Problem:
    """The problem with another goal, the text of a valid condition; in the words of `domain`, if given."""
    (form,) = read_sexprs(Source(text, "goal"))
    assert isinstance(form, Group), "a goal is in parentheses"
    domain = domain or problem.domain
    goal = FormulaBuilder(domain.language, problem.objects).condition(form)
    return replace(problem, domain=domain, goal=goal)


def vocabulary_in(checked: CheckedDomain) -> Vocabulary:
    """What a text that was checked declares. Raises PDDLError if that found errors."""
    refuse_errors(checked.issues)
    assert checked.vocabulary is not None, "a text without errors has a vocabulary"
    costs = {name: cost_of(body.effect) for name, body in checked.bodies.items()}
    texts = {name: show_cost(cost) for name, cost in costs.items() if cost is not None}
    return replace(checked.vocabulary, costs=texts)


def _action(name: str, parameters: Parameters, body: ActionBody, builder: FormulaBuilder) -> Action:
    variables = builder.variables(parameters)
    precondition = builder.condition(body.precondition, variables)
    effects = builder.effects(body.effect, variables)
    return Action(name, variables, precondition, effects, cost_of(body.effect))
