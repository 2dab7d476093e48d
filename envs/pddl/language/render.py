"""Canonical PDDL text of domains, problems and formulas.

The order of sections is fixed; types, constants, predicates, actions, objects and the parts of a condition
keep the order of the text that was read; facts are sorted. Writing what was read, reading it and writing it
again gives the same text, and the same task.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from textwrap import indent

from tarski import syntax as fol
from tarski.fstrips import AddEffect, DelEffect, UniversalEffect

from envs.pddl.language.formulas import conjuncts, show_cost, show_number
from envs.pddl.language.structure import Action, Domain, Effect, Problem
from envs.pddl.language.vocabulary import TOTAL_COST, Parameters, show_declaration, show_typed

_WIDTH = 100


def render_domain(domain: Domain) -> str:
    """The canonical text of a domain."""
    vocabulary = domain.vocabulary
    sections = [
        _section(":requirements", vocabulary.requirements),
        _section(":types", [show_typed(vocabulary.types.parents.items())]),
        _section(":constants", [show_typed(domain.constants.items())]),
        _declarations(":predicates", vocabulary.predicates, ""),
        _declarations(":functions", vocabulary.functions, " - number"),
        *(_action(action) for action in domain.actions.values()),
    ]
    return _form(f"define (domain {domain.name})", filter(None, sections)) + "\n"


def render_problem(problem: Problem) -> str:
    """The canonical text of a problem."""
    constants = problem.domain.constants
    objects = [(name, kind) for name, kind in problem.objects.items() if name not in constants]
    facts = [f"({' '.join(fact)})" for fact in sorted(problem.init)]
    facts += [f"(= ({' '.join(term)}) {show_number(value)})" for term, value in sorted(problem.costs.items())]
    sections = [
        f"(:domain {problem.domain.name})",
        _section(":requirements", problem.requirements),
        _section(":objects", [show_typed(objects)]),
        _form(":init", facts),
        _form(":goal", [_wide(problem.goal)]),
        f"(:metric minimize ({TOTAL_COST}))" if problem.minimizes_cost else "",
    ]
    return _form(f"define (problem {problem.name})", filter(None, sections)) + "\n"


def render_formula(formula: fol.Formula) -> str:
    """The text of a formula, in one line. True is `(and)`, false is `(or)`."""
    if isinstance(formula, fol.Tautology):
        return "(and)"
    if isinstance(formula, fol.Contradiction):
        return "(or)"
    if isinstance(formula, fol.Atom):
        return f"({' '.join([str(formula.predicate.symbol), *(str(t.symbol) for t in formula.subterms)])})"
    if isinstance(formula, fol.CompoundFormula):
        return f"({formula.connective} {' '.join(map(render_formula, formula.subformulas))})"
    if isinstance(formula, fol.QuantifiedFormula):
        bound = show_typed(_typed(formula.variables))
        return f"({formula.quantifier} ({bound}) {render_formula(formula.formula)})"
    raise TypeError(f"not a formula of ours: {formula!r}")


def render_effect(effect: Effect) -> str:
    """The text of one effect, in one line."""
    if isinstance(effect, UniversalEffect):
        parts = [render_effect(part) for part in effect.effects]
        body = parts[0] if len(parts) == 1 else f"(and {' '.join(parts)})"
        return f"(forall ({show_typed(_typed(effect.variables))}) {body})"
    if not isinstance(effect, AddEffect | DelEffect):
        raise TypeError(f"not an effect of ours: {effect!r}")
    literal = render_formula(effect.atom)
    if isinstance(effect, DelEffect):
        literal = f"(not {literal})"
    if isinstance(effect.condition, fol.Tautology):
        return literal
    return f"(when {render_formula(effect.condition)} {literal})"


def _action(action: Action) -> str:
    effects = [render_effect(effect) for effect in action.effects]
    if action.cost is not None:
        effects.append(f"(increase ({TOTAL_COST}) {show_cost(action.cost)})")
    return (
        f"(:action {action.name}\n"
        f"  :parameters ({show_typed(_typed(action.parameters))})\n"
        f"  :precondition\n{indent(_wide(action.precondition), '    ')}\n"
        f"  :effect\n{indent(_and(effects), '    ')})"
    )


def _wide(formula: fol.Formula) -> str:
    """A formula's text, its conjuncts below each other if it is too long for a line."""
    return _and([render_formula(part) for part in conjuncts(formula)])


def _and(parts: list[str]) -> str:
    if len(parts) == 1:
        return parts[0]
    line = f"(and {' '.join(parts)})" if parts else "(and)"
    return line if len(line) <= _WIDTH else _form("and", parts)


def _typed(variables: Iterable[fol.Variable]) -> list[tuple[str, str]]:
    return [(variable.symbol, variable.sort.name) for variable in variables]


def _section(keyword: str, words: Iterable[str]) -> str:
    text = " ".join(words)
    return f"({keyword} {text})" if text else ""


def _declarations(keyword: str, declared: Mapping[str, Parameters], suffix: str) -> str:
    lines = [show_declaration(name, parameters) + suffix for name, parameters in declared.items()]
    return _form(keyword, lines) if lines else ""


def _form(head: str, parts: Iterable[str]) -> str:
    """A form with each of its parts on lines of its own."""
    return "\n".join([f"({head}", *(indent(part, "  ") for part in parts)]) + ")"
