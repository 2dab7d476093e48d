"""A world model as the validator of plans: what is wrong with a plan for an instruction, in words.

A plan is followed in the model. Told is the first fault: a step whose precondition is not met, a step that is
no action or has parameters that do not fit, a goal that is not met in the end, or stages of an instruction
that were reached in another order. Conditions are said in the meanings of the model's predicates.

Source: Guan et al. 2023, Appendix A.12.3 (the first three); order and words are ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import pairwise

from agents.worldmodel.model import WorldModel
from agents.worldmodel.saying import Sayer
from envs.pddl.language.domain import Domain, Problem, read_domain, read_problem
from envs.pddl.language.sexpr import Group, Node, Source, read_sexprs
from envs.pddl.planning.validate import Fault, PlanReport, validate_plan
from envs.pddl.simulation.reference import ReferenceSimulator


class AdviceKind(StrEnum):
    """What a plan is told."""

    PRECONDITION = "unmet precondition"
    PARAMETER = "invalid parameter"  #: no such action or object, or of another type, or too many or few
    GOAL = "unmet goal"
    ORDER = "other order"  #: stages that were reached in another order than asked for


@dataclass(frozen=True)
class Advice:
    """What is wrong with a plan."""

    kind: AdviceKind
    words: str


@dataclass(frozen=True)
class Advisor:
    """Follows plans for one instruction in a model whose text reads without errors."""

    model: WorldModel
    problems: tuple[str, ...]  #: the stages, one at least; PDDL over the model's predicates

    def advise(self, plan: Sequence[str]) -> Advice | None:
        """The first fault of `plan`; None if the model finds none."""
        report = validate_plan(self._stages[-1], plan)
        if report.failed_step is not None:
            return self._of_step(report, report.failed_step)
        if not report.valid:
            unmet = self._say(report.unmet_goals)
            words = f"Every step can be done, but in the end this does not hold:\n{unmet}"
            return Advice(AdviceKind.GOAL, words)
        return self._of_order(plan)

    @cached_property
    def _domain(self) -> Domain:
        return read_domain(self.model.text())

    @cached_property
    def _stages(self) -> tuple[Problem, ...]:
        return tuple(read_problem(text, self._domain) for text in self.problems)

    @cached_property
    def _sayer(self) -> Sayer:
        return Sayer.of(self.model)

    def _of_step(self, report: PlanReport, index: int) -> Advice:
        step = f"Step {index + 1}, {report.plan[index]},"
        if report.reason is Fault.PRECONDITION:
            unmet = self._say(report.false_conditions)
            words = f"{step} cannot be done there. It needs what does not hold at that point:\n{unmet}"
            return Advice(AdviceKind.PRECONDITION, words)
        return Advice(AdviceKind.PARAMETER, f"{step} is no action that there is: {report.detail}.")

    def _of_order(self, plan: Sequence[str]) -> Advice | None:
        """Whether every stage before the last is reached later than the one before it."""
        simulator = ReferenceSimulator(self._stages[-1])
        states = [simulator.initial()]
        for step in plan:
            states.append(simulator.successor(states[-1], step))
        reached = [
            next((i for i, state in enumerate(states) if simulator.holds(stage.goal, state, {})), len(states))
            for stage in self._stages[:-1]
        ]
        for place, (earlier, later) in enumerate(pairwise(reached)):
            if earlier >= later:
                words = (
                    "The order is not the one asked for. First this has to become true:\n"
                    f"{self._goal(place)}\nand only after it this:\n{self._goal(place + 1)}"
                )
                return Advice(AdviceKind.ORDER, words)
        return None

    def _goal(self, place: int) -> str:
        """A stage's goal in words, a part a line."""
        (form,) = read_sexprs(Source(self.problems[place], "problem"))
        items = form.items if isinstance(form, Group) else []
        goals = [item for item in items if isinstance(item, Group) and item.head == ":goal"]
        return self._say([str(node) for goal in goals for node in goal.items[1:]])

    def _say(self, conditions: Sequence[str]) -> str:
        """Conditions in PDDL as a list of sentences."""
        nodes = [node for text in conditions for node in read_sexprs(Source(text, "condition"))]
        parts = [part for node in nodes for part in _conjuncts(node)]
        return "\n".join(f"- {self._clause(part)}" for part in parts)

    def _clause(self, node: Node, holds: bool = True) -> str:
        if not isinstance(node, Group):
            return str(node)
        if node.head == "not" and len(node.items) == 2:
            return self._clause(node.items[1], not holds)
        if node.head in ("or", "and") and holds:
            joint = f"; {node.head} "
            return f"({joint.join(self._clause(part) for part in node.parts)})"
        terms = [str(item) for item in node.items[1:]]
        if node.head == "=":
            return f"{' and '.join(terms)} are {'the same' if holds else 'different'}"
        if node.head in self._domain.predicates:
            return self._sayer.atom(node.head, terms, holds)
        return f"{node} is {'true' if holds else 'false'}"


def _conjuncts(node: Node) -> list[Node]:
    """The parts of a conjunction, however it is nested."""
    if isinstance(node, Group) and node.head == "and":
        return [part for item in node.items[1:] for part in _conjuncts(item)]
    return [node]
