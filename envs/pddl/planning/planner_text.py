"""A problem as PDDL that Fast Downward reads: without costs, and without types if it cannot read them.

Fast Downward reads `(either ...)` in predicates alone, and `number` as a type of its own; its costs are small
integers, and it drops every operator whose cost the problem leaves open. Costs decide nothing about what can
be executed, so they are always left out. A problem with a type that cannot be said loses all its types:
each becomes a static predicate that is true of the type's objects and guards the variables of that type.
Operators keep their names and parameters, so a plan for the texts is a plan for the problem, and conversely.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from tarski import syntax as fol
from tarski.fstrips import UniversalEffect

from envs.pddl.language.formulas import junction, negation
from envs.pddl.language.render import render_domain, render_problem
from envs.pddl.language.structure import Action, Effect, Language, Problem
from envs.pddl.language.vocabulary import OBJECT, Types, Vocabulary

_PLANNERS_OWN_TYPE = "number"


def planner_texts(problem: Problem) -> tuple[str, str]:
    """The texts of the domain and the problem to hand to a planner; canonical where nothing is in its way."""
    costless = _without_costs(problem)
    texts = render_domain(costless.domain), render_problem(costless)
    # Canonical text holds neither comments nor strings, so the word can only be a type.
    unsaid = any("(either " in text for text in texts) or _PLANNERS_OWN_TYPE in problem.domain.types
    if not unsaid:
        return texts
    untyped = _Untyping(costless).problem()
    return render_domain(untyped.domain), render_problem(untyped)


def _without_costs(problem: Problem) -> Problem:
    domain = problem.domain
    actions = {name: replace(action, cost=None) for name, action in domain.actions.items()}
    vocabulary = replace(domain.vocabulary, functions={})
    costless = replace(domain, actions=actions, vocabulary=vocabulary)
    return replace(problem, domain=costless, costs={}, minimizes_cost=False)


class _Untyping:
    """Makes the untyped form of one problem, for printing; type expressions are numbered as they are met."""

    def __init__(self, problem: Problem):
        self._problem = problem
        self._language = Language(Vocabulary())
        self._root = self._language.sort_of(OBJECT)
        self._guards: dict[str, fol.Predicate] = {}

    def problem(self) -> Problem:
        """The problem without types."""
        problem, domain = self._problem, self._problem.domain
        actions = {name: self._action(action) for name, action in domain.actions.items()}
        goal = self._formula(problem.goal)
        kinds = {str(guard.name): kind for kind, guard in self._guards.items()}
        facts = {
            (guard, name)
            for guard, kind in kinds.items()
            for name, own in problem.objects.items()
            if domain.is_subtype(own, kind)
        }
        predicates = {
            name: tuple((variable, OBJECT) for variable, _ in parameters)
            for name, parameters in domain.predicates.items()
        }
        predicates |= {guard: (("?x", OBJECT),) for guard in kinds}
        constants = dict.fromkeys(domain.constants, OBJECT)
        vocabulary = replace(domain.vocabulary, types=Types(), constants=constants, predicates=predicates)
        untyped = replace(domain, constants=constants, actions=actions, vocabulary=vocabulary)
        objects = dict.fromkeys(problem.objects, OBJECT)
        return replace(problem, domain=untyped, objects=objects, init=problem.init | facts, goal=goal)

    def _action(self, action: Action) -> Action:
        guarded = [*self._guards_of(action.parameters), self._formula(action.precondition)]
        precondition = junction(fol.Connective.And, guarded)
        effects = tuple(self._effect(effect, ()) for effect in action.effects)
        parameters = self._bare(action.parameters)
        return replace(action, parameters=parameters, precondition=precondition, effects=effects)

    def _effect(self, effect: Effect, guards: Sequence[fol.Formula]) -> Effect:
        if isinstance(effect, UniversalEffect):
            own = self._guards_of(effect.variables)
            parts = [self._effect(part, own) for part in effect.effects]
            return UniversalEffect(list(self._bare(effect.variables)), parts)
        return type(effect)(
            effect.atom, junction(fol.Connective.And, [*guards, self._formula(effect.condition)])
        )

    def _formula(self, formula: fol.Formula) -> fol.Formula:
        if isinstance(formula, fol.CompoundFormula):
            return fol.CompoundFormula(
                formula.connective, [self._formula(part) for part in formula.subformulas]
            )
        if not isinstance(formula, fol.QuantifiedFormula):
            return formula
        guards, body = self._guards_of(formula.variables), self._formula(formula.formula)
        if formula.quantifier is fol.Quantifier.Exists:
            guarded = junction(fol.Connective.And, [*guards, body])
        else:
            guarded = junction(fol.Connective.Or, [*map(negation, guards), body])
        return fol.QuantifiedFormula(formula.quantifier, list(self._bare(formula.variables)), guarded)

    def _guards_of(self, variables: Iterable[fol.Variable]) -> list[fol.Formula]:
        bare = ((v.sort.name, fol.Variable(v.symbol, self._root)) for v in variables)
        return [fol.Atom(self._guard(kind), [variable]) for kind, variable in bare if kind != OBJECT]

    def _guard(self, expression: str) -> fol.Predicate:
        """The predicate that stands for a type expression, under a name that the domain does not use."""
        if expression not in self._guards:
            name = f"of-type-{len(self._guards)}"
            while name in self._problem.domain.predicates:
                name += "-"
            self._guards[expression] = self._language.predicate(name, self._root)
        return self._guards[expression]

    def _bare(self, variables: Iterable[fol.Variable]) -> tuple[fol.Variable, ...]:
        return tuple(fol.Variable(variable.symbol, self._root) for variable in variables)
