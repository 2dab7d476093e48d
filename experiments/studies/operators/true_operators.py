"""A domain of conjunctions in the form of learned operators, so that both can be compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from agents.operators.lifted import EQUAL, Literal, Operator
from envs.pddl.language.domain import Domain, read_problem
from envs.pddl.language.template import problem_template
from envs.pddl.simulation.lifted import And, Equality, Schema, lift
from envs.pddl.simulation.lifted import Literal as NumberedLiteral


def true_operators(domain: Domain) -> Iterator[Operator]:
    """The rules of a domain of conjunctions. Raises ValueError for an action of another form."""
    problem = read_problem(problem_template("any", domain.name, {}), domain)
    task = lift(problem)
    for schema in task.schemas:
        variables = domain.vocabulary.actions[schema.name]
        names = {~i: variable for i, (variable, _) in enumerate(variables)} | dict(enumerate(task.objects))
        parts = schema.precondition.parts if isinstance(schema.precondition, And) else (schema.precondition,)
        if any(e.variables or e.condition != And(()) for e in schema.effects):
            raise ValueError(f"action {schema.name} has conditional or quantified effects")
        effects = (Literal(e.predicate, tuple(names[t] for t in e.terms), e.adds) for e in schema.effects)
        needed = tuple(sorted(_literal(part, names, schema) for part in parts))
        yield Operator(schema.name, variables, needed, tuple(sorted(effects)))


def _literal(part: object, names: Mapping[int, str], schema: Schema) -> Literal:
    match part:
        case NumberedLiteral(predicate=predicate, terms=terms, positive=positive):
            return Literal(predicate, tuple(names[t] for t in terms), positive)
        case Equality(left=left, right=right, positive=positive):
            return Literal(EQUAL, (names[left], names[right]), positive)
    raise ValueError(f"the precondition of action {schema.name} is no conjunction of literals")
