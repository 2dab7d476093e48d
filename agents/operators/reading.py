"""A domain's rules in the form of learned operators: the inverse of `agents.operators.lifted.domain_of`.

So rules that somebody wrote can be held against traces, and compared with what was learned. Preconditions are
read as clauses: conjuncts of which each is a disjunction of conditions, and each of these a conjunction of
literals that hold for some objects or for none. What needs more, such as a quantifier below another one of
the opposite kind, is refused.
"""

from __future__ import annotations

from collections.abc import Iterator

from agents.operators.lifted import Clause, Condition, ConditionalEffect, NamedLiteral, Operator
from envs.pddl.language.domain import Domain
from envs.pddl.language.terms import DomainTree, Part, Tree, show, tree_of, typed
from envs.pddl.language.vocabulary import Parameters


def operators_of(domain: Domain) -> Iterator[Operator]:
    """The rules of a domain, an operator an action, by name.

    Raises ValueError, with the action's name, for a rule that operators have no form for.
    """
    tree = tree_of(domain)
    for name in sorted(domain.actions):
        try:
            yield _operator(name, domain.vocabulary.actions[name], tree)
        except ValueError as error:
            raise ValueError(f"action {name}: {error}") from error


def _operator(name: str, parameters: Parameters, tree: DomainTree) -> Operator:
    clauses = list(_clauses(tree.part(name, Part.PRECONDITION)))
    plain = [clause[0].literals[0] for clause in clauses if _is_literal(clause)]
    effects = list(_effects(tree.part(name, Part.EFFECT)))
    return Operator(
        name,
        parameters,
        tuple(sorted(plain)),
        tuple(sorted(e.effect for e in effects if not e.conditions and not e.variables)),
        tuple(sorted(clause for clause in clauses if not _is_literal(clause))),
        tuple(sorted(e for e in effects if e.conditions or e.variables)),
    )


def _is_literal(clause: Clause) -> bool:
    return len(clause) == 1 and not clause[0].variables and len(clause[0].literals) == 1


def _clauses(tree: Tree) -> Iterator[Clause]:
    for part, positive in _parts(tree, True, "and"):
        yield tuple(_condition(*one) for one in _parts(part, positive, "or"))


def _parts(tree: Tree, positive: bool, joined_by: str) -> Iterator[tuple[Tree, bool]]:
    """What a conjunction (or a disjunction) is made of, with signs; the tree itself if it is none."""
    head, parts = _split(tree)
    if head == "not":
        yield from _parts(parts[0], not positive, joined_by)
    elif head in ("and", "or") and (head == joined_by) == positive:
        for part in parts:
            yield from _parts(part, positive, joined_by)
    else:
        yield tree, positive


def _split(tree: Tree) -> tuple[str, tuple[Tree, ...]]:
    """The first word of a group, and the rest."""
    assert isinstance(tree, tuple) and isinstance(tree[0], str), "read domains are made of groups"
    return tree[0], tree[1:]


def _condition(tree: Tree, positive: bool) -> Condition:
    """A conjunction of literals, for some objects or for none."""
    head = _split(tree)[0]
    # for all objects: for none the opposite
    sign = (head == "exists") == positive if head in ("exists", "forall") else True
    literals, variables = _literals(tree, positive == sign)
    return Condition(tuple(literals), tuple(variables), sign)


def _literals(tree: Tree, positive: bool) -> tuple[list[NamedLiteral], list[tuple[str, str]]]:
    """The literals of a conjunction, and the variables for which some objects are to make them true."""
    literals, variables = list[NamedLiteral](), list[tuple[str, str]]()
    for part, sign in _parts(tree, positive, "and"):
        head, rest = _split(part)
        if head in ("exists", "forall") and (head == "exists") == sign:
            variables += typed(rest[0])
            inner = _literals(rest[1], sign)
            literals += inner[0]
            variables += inner[1]
        elif head in ("or", "and", "exists", "forall"):
            raise ValueError(f"{show(part)} is no literal, where operators have conjunctions of literals")
        else:
            literals.append(NamedLiteral(head, tuple(map(show, rest)), sign))
    return literals, variables


def _effects(
    tree: Tree, variables: Parameters = (), when: tuple[Condition, ...] = ()
) -> Iterator[ConditionalEffect]:
    """Each change, with what it needs and the objects that it is for."""
    head, parts = _split(tree)
    match head:
        case "and":
            for part in parts:
                yield from _effects(part, variables, when)
        case "forall":
            yield from _effects(parts[1], (*variables, *typed(parts[0])), when)
        case "when":
            clauses = list(_clauses(parts[0]))
            if any(len(clause) > 1 for clause in clauses):
                raise ValueError("an effect depends on a disjunction")
            yield from _effects(parts[1], variables, (*when, *(clause[0] for clause in clauses)))
        case "increase":  # what an action costs is no rule
            return
        case _:
            (effect,), _ = _literals(tree, True)
            yield ConditionalEffect(effect, when, variables)
