"""Does a plan work, and if not, which step fails and which conditions are false there?

The plan is replayed with the slow, obvious simulator, so a verdict shares nothing with the planner, nor with
the grounding and the bit operations of the fast simulator. Conditions are named as PDDL text with objects in
the place of the action's parameters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice, product
from typing import Any

from tarski.syntax import CompoundFormula, Connective, Formula, QuantifiedFormula, Quantifier

from envs.pddl.language.operators import format_operator, parse_operator
from envs.pddl.language.render import render_formula
from envs.pddl.language.sexpr import printable
from envs.pddl.language.structure import Action, GroundAtom, Problem
from envs.pddl.simulation.reference import Binding, ReferenceSimulator, State

_VARIABLE = re.compile(r"\?[^\s()]+")
#: How many false instances of one quantified condition are listed.
_MAX_INSTANCES = 20


class Fault(StrEnum):
    """Why a plan does not work."""

    NOT_AN_OPERATOR = "not_an_operator"  #: the step cannot be read
    UNKNOWN_ACTION = "unknown_action"
    WRONG_ARITY = "wrong_arity"
    UNKNOWN_OBJECT = "unknown_object"
    WRONG_TYPE = "wrong_type"
    PRECONDITION = "precondition"  #: the step's precondition is false
    GOAL = "goal"  #: every step ran, and the goal is false


@dataclass(frozen=True)
class PlanReport:
    """The verdict on a plan."""

    plan: tuple[str, ...]
    failed_step: int | None  #: index of the first step that cannot run, counted from 0; None if all ran
    reason: Fault | None  #: None exactly if the plan is valid
    false_conditions: tuple[str, ...]  #: the parts of the failed step's precondition that are false
    unmet_goals: tuple[str, ...]  #: the parts of the goal that are false in `final_state`
    final_state: frozenset[GroundAtom]  #: after the steps before `failed_step`, or after all
    detail: str = ""  #: which name, number or type is wrong, if that is the reason

    @property
    def valid(self) -> bool:
        """Every step ran and the goal holds."""
        return self.reason is None

    def render(self) -> str:
        """One line for people: what failed, where, and why."""
        if self.reason is None:
            return f"the plan is valid; its length is {len(self.plan)}"
        if self.failed_step is None:
            return f"the plan runs, but the goal is not reached: {_listed(self.unmet_goals)}"
        failed = printable(self.plan[self.failed_step])
        step = f"step {self.failed_step + 1} of {len(self.plan)}, {failed}"
        why = self.detail or f"its precondition is false: {_listed(self.false_conditions)}"
        return f"{step}, cannot run: {why}"


def validate_plan(problem: Problem, plan: Sequence[str]) -> PlanReport:
    """Replay `plan`, operator texts in any case, from the initial state of `problem`."""
    simulator = ReferenceSimulator(problem)
    falsity = _Falsity(problem, simulator)
    state = simulator.initial()
    for index, text in enumerate(plan):
        step = _resolve(problem, text)
        if isinstance(step, _Call):
            false = falsity.of(step.action.precondition, state, step.binding)
            if not false:
                state = simulator.successor(state, step.operator)
                continue
            step = _Misfit(Fault.PRECONDITION, false=false)
        unmet = falsity.of(problem.goal, state, {})
        return PlanReport(tuple(plan), index, step.fault, step.false, unmet, state, step.detail)
    unmet = falsity.of(problem.goal, state, {})
    return PlanReport(tuple(plan), None, Fault.GOAL if unmet else None, (), unmet, state)


@dataclass(frozen=True)
class _Call:
    """A step that names an action with fitting arguments."""

    operator: str
    action: Action
    binding: Binding


@dataclass(frozen=True)
class _Misfit:
    """Why a step cannot run."""

    fault: Fault
    detail: str = ""
    false: tuple[str, ...] = ()


def _resolve(problem: Problem, text: str) -> _Call | _Misfit:
    """The action and binding that a step means, or why it means none."""
    try:
        name, arguments = parse_operator(text)
    except ValueError as error:
        return _Misfit(Fault.NOT_AN_OPERATOR, str(error))
    action = problem.domain.actions.get(name)
    if action is None:
        return _Misfit(
            Fault.UNKNOWN_ACTION, f"there is no action {name}; there is: {_listed(problem.domain.actions)}"
        )
    if len(arguments) != len(action.parameters):
        wanted = " ".join(f"{v.symbol} - {v.sort.name}" for v in action.parameters)
        return _Misfit(
            Fault.WRONG_ARITY,
            f"{name} takes {len(action.parameters)} arguments ({wanted}), not {len(arguments)}",
        )
    for variable, argument in zip(action.parameters, arguments, strict=True):
        kind = problem.objects.get(argument)
        if kind is None:
            return _Misfit(Fault.UNKNOWN_OBJECT, f"there is no object {argument}")
        if not problem.domain.is_subtype(kind, variable.sort.name):
            return _Misfit(
                Fault.WRONG_TYPE,
                f"{argument} is a {kind}, but {variable.symbol} of {name} must be a {variable.sort.name}",
            )
    binding = {v.symbol: a for v, a in zip(action.parameters, arguments, strict=True)}
    return _Call(format_operator(name, arguments), action, binding)


class _Falsity:
    """Finds the parts that make a formula false."""

    def __init__(self, problem: Problem, simulator: ReferenceSimulator):
        self._problem = problem
        self._simulator = simulator

    def of(self, formula: Formula, state: State, binding: Binding) -> tuple[str, ...]:
        """The smallest false parts as PDDL text, in the order of the text; none exactly if it holds."""
        return tuple(self._parts(formula, state, binding))

    def _parts(self, formula: Formula, state: State, binding: Binding) -> Iterator[str]:
        if self._simulator.holds(formula, state, binding):
            return
        if isinstance(formula, CompoundFormula) and formula.connective is Connective.And:
            for part in formula.subformulas:
                yield from self._parts(part, state, binding)
        elif isinstance(formula, QuantifiedFormula) and formula.quantifier is Quantifier.Forall:
            found = (
                text
                for inner in self._instances(formula.variables, binding)
                for text in self._parts(formula.formula, state, inner)
            )
            yield from islice(found, _MAX_INSTANCES)
        else:
            yield _text(formula, binding)

    def _instances(self, variables: Sequence[Any], binding: Binding) -> Iterator[Binding]:
        """`binding` with every assignment of fitting objects to `variables`, in the order of their names."""
        objects, is_subtype = sorted(self._problem.objects.items()), self._problem.domain.is_subtype
        fitting = ([o for o, kind in objects if is_subtype(kind, v.sort.name)] for v in variables)
        for chosen in product(*fitting):
            yield {**binding, **{v.symbol: o for v, o in zip(variables, chosen, strict=True)}}


def _text(formula: Formula, binding: Binding) -> str:
    """PDDL text of a formula, with objects for the variables in `binding` (inner ones never share a name)."""
    return _VARIABLE.sub(lambda name: binding.get(name[0], name[0]), render_formula(formula))


def _listed(words: Sequence[str] | Mapping[str, object]) -> str:
    return ", ".join(words)
