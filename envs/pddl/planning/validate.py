"""Does a plan work, and if not, which step fails and which conditions are false there?

The plan is replayed with the slow, obvious simulator, so a verdict shares nothing with the planner, nor with
the grounding and the bit operations of the fast simulator. Conditions are named as PDDL text with objects in
the place of the action's parameters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

from tarski import syntax as fol

from envs.pddl.language.operators import format_operator, parse_operator
from envs.pddl.language.render import render_formula
from envs.pddl.language.sexpr import printable
from envs.pddl.language.structure import Action, GroundAtom, Problem
from envs.pddl.simulation.reference import Binding, ReferenceSimulator

_VARIABLE = re.compile(r"\?[^\s()]+")
#: How many false instances of one quantified condition are listed.
_MAX_INSTANCES = 20


class PlanFault(StrEnum):
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
    reason: PlanFault | None  #: None exactly if the plan is valid
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
            return f"the plan runs, but the goal is not reached: {', '.join(self.unmet_goals)}"
        failed = printable(self.plan[self.failed_step])
        step = f"step {self.failed_step + 1} of {len(self.plan)}, {failed}"
        why = self.detail or f"its precondition is false: {', '.join(self.false_conditions)}"
        return f"{step}, cannot run: {why}"


def validate_plan(problem: Problem, plan: Sequence[str]) -> PlanReport:
    """Replay `plan`, operator texts in any case, from the initial state of `problem`."""
    replay = _Replay(problem)
    for index, text in enumerate(plan):
        try:
            replay.step(text)
        except _CannotRun as misfit:
            fault, false, unmet = misfit.fault, misfit.false, tuple(replay.false_parts(problem.goal, {}))
            return PlanReport(tuple(plan), index, fault, false, unmet, replay.state, misfit.detail)
    unmet = tuple(replay.false_parts(problem.goal, {}))
    return PlanReport(tuple(plan), None, PlanFault.GOAL if unmet else None, (), unmet, replay.state)


class _CannotRun(Exception):
    """Why a step cannot run."""

    def __init__(self, fault: PlanFault, detail: str = "", false: tuple[str, ...] = ()):
        super().__init__(fault)
        self.fault, self.detail, self.false = fault, detail, false


class _Replay:
    """Runs a plan step by step, and finds the parts that make a formula false."""

    def __init__(self, problem: Problem):
        self._problem = problem
        self._simulator = ReferenceSimulator(problem)
        self.state = self._simulator.initial()

    def step(self, text: str) -> None:
        """Run one step. Raises _CannotRun, which leaves the state as it is."""
        operator, action, binding = self._resolved(text)
        false = tuple(self.false_parts(action.precondition, binding))
        if false:
            raise _CannotRun(PlanFault.PRECONDITION, false=false)
        self.state = self._simulator.successor(self.state, operator)

    def _resolved(self, text: str) -> tuple[str, Action, Binding]:
        """The operator, action and binding that a step means. Raises _CannotRun if it means none."""
        try:
            name, arguments = parse_operator(text)
        except ValueError as error:
            raise _CannotRun(PlanFault.NOT_AN_OPERATOR, str(error)) from None
        action = self._problem.domain.actions.get(name)
        if action is None:
            known = ", ".join(self._problem.domain.actions)
            raise _CannotRun(PlanFault.UNKNOWN_ACTION, f"there is no action {name}; there is: {known}")
        if len(arguments) != len(action.parameters):
            wanted = " ".join(f"{v.symbol} - {v.sort.name}" for v in action.parameters)
            detail = f"{name} takes {len(action.parameters)} arguments ({wanted}), not {len(arguments)}"
            raise _CannotRun(PlanFault.WRONG_ARITY, detail)
        for variable, argument in zip(action.parameters, arguments, strict=True):
            kind, wanted = self._problem.objects.get(argument), variable.sort.name
            if kind is None:
                raise _CannotRun(PlanFault.UNKNOWN_OBJECT, f"there is no object {argument}")
            if not self._problem.domain.is_subtype(kind, wanted):
                detail = f"{argument} is a {kind}, but {variable.symbol} of {name} must be a {wanted}"
                raise _CannotRun(PlanFault.WRONG_TYPE, detail)
        binding = {v.symbol: a for v, a in zip(action.parameters, arguments, strict=True)}
        return format_operator(name, arguments), action, binding

    def false_parts(self, formula: fol.Formula, binding: Binding) -> Iterator[str]:
        """The smallest false parts as PDDL text, in the order of the text; none exactly if it holds."""
        if self._simulator.holds(formula, self.state, binding):
            return
        if isinstance(formula, fol.CompoundFormula) and formula.connective is fol.Connective.And:
            for part in formula.subformulas:
                yield from self.false_parts(part, binding)
        elif isinstance(formula, fol.QuantifiedFormula) and formula.quantifier is fol.Quantifier.Forall:
            instances = self._simulator.extended(formula.variables, binding)
            found = (text for inner in instances for text in self.false_parts(formula.formula, inner))
            yield from islice(found, _MAX_INSTANCES)
        else:  # with objects for the variables that are bound; inner ones never share a name
            yield _VARIABLE.sub(lambda name: binding.get(name[0], name[0]), render_formula(formula))
