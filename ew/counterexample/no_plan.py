"""A planning call without a plan: a verdict on the model, with its words, or nobody's fault, without any."""

from __future__ import annotations

from dataclasses import dataclass

from envs.pddl.planning.planner import PlanOutcome
from ew.counterexample.disagreement import Failure

#: What the planner says of a model without a plan, and what is expected.
_NO_PLAN = {
    PlanOutcome.UNSOLVABLE_PROVED: (
        "the planner has proved that the goal of your problem cannot be reached in your model",
        "a model in which the goal can be reached. Either an action on the way to the goal can never become "
        "executable, or the initial state lacks a fact, or the goal asks for something else than the task.",
    ),
    PlanOutcome.INVALID_INPUT: (
        "the planner rejects the PDDL of your model as invalid",
        "plain PDDL: typed parameters, preconditions and effects over declared predicates, and no other "
        "constructs than needed.",
    ),
    PlanOutcome.UNSUPPORTED: (
        "your model uses constructs of PDDL that the planner does not support",
        "the same meaning in simpler constructs: conjunctions of literals, and `forall`, `exists`, `or` and "
        "`when` only where nothing simpler says it.",
    ),
}


@dataclass(frozen=True)
class NoPlan(Failure):
    """The model agrees with the world on all walks tried, but there is no plan in it, as the planner says.

    Raises ValueError for an outcome that says nothing about the model: that is a `NoVerdict`.
    """

    outcome: PlanOutcome

    def __post_init__(self) -> None:
        if self.outcome not in _NO_PLAN:
            raise ValueError(f"the outcome {self.outcome.value} says nothing about a model")


@dataclass(frozen=True)
class NoVerdict:
    """The planner ended without a verdict on the model, which agrees with the world on all walks tried.

    No `Failure`: limits or the search are the reason and not the model, so there are no words for it, and no
    language model is asked because of it.
    """

    outcome: PlanOutcome


def no_plan(outcome: PlanOutcome) -> NoPlan | NoVerdict:
    """The failure of a planning call without a plan: the model's, or nobody's."""
    return NoPlan(outcome) if outcome.judges else NoVerdict(outcome)


def no_plan_words(outcome: PlanOutcome) -> list[str]:
    """The paragraphs about a `NoPlan`."""
    reason, expected = _NO_PLAN[outcome]
    return [
        "Incorrect. Your model and the environment agree on all random action sequences that were "
        f"tried, but there is no plan in your model: {reason}.",
        f"Expected: {expected}",
    ]
