"""Failures, and the one place where they become words.

Every way in which a candidate can fall short is a frozen record of the class `Failure`, here or where it is
found (`Disagreement`, `Shrunk`, `NoPlan`), and `render_failure` turns any of them into the text that both the
user and the language model read: what happened, where, the state there, what was expected. The text depends
on the record alone. It says how the environment behaved and never why: which condition refused an operator
stays the world's secret.

In a record, walks and plans are operator texts from the initial state, and states are in words.
Source: Mahdavi et al. 2024, section 4.4, Appendix B.3 and the form of Listing 9; the sentences are ours.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from envs.pddl.interface import PlanVerdict, World
from envs.pddl.language.issues import Diagnosis
from ew.counterexample.agreement import Agreement, SchemaAgreement
from ew.counterexample.causes import NO_CAUSES, Causes, cause_words
from ew.counterexample.disagreement import Direction, Disagreement, state_before
from ew.counterexample.disagreement import Failure as Failure
from ew.counterexample.no_plan import NoPlan, no_plan_words
from ew.counterexample.shrink import Shrunk
from ew.walks.adapter import first_applicable

#: A longer list of operators loses its middle: this many stay at its start and at its end.
HEAD, TAIL = 20, 100
#: More issues than this are counted, not shown.
MAX_ISSUES = 20
#: The predicate of a state's line that is a PDDL atom.
_PREDICATE = re.compile(r"^\((?:not \()?([^\s()]+)", re.MULTILINE)
#: Stands for a state of which nothing is said.
NO_FACTS = "(nothing to report)"


@dataclass(frozen=True)
class NoProblem(Failure):
    """The problem text is unusable, so no domain can help."""

    reason: str


@dataclass(frozen=True)
class NoEdit(Failure):
    """The reply holds no modification of the domain."""

    reason: str = ""


@dataclass(frozen=True)
class EditsRefused(Failure):
    """Modifications of the reply could not be read or applied."""

    reasons: tuple[str, ...]


@dataclass(frozen=True)
class InsaneDomain(Failure):
    """The domain fails the sanity check."""

    actions: tuple[str, ...]  #: the actions without effects


@dataclass(frozen=True)
class Faults(Failure):
    """The PDDL text has errors."""

    diagnosis: Diagnosis


@dataclass(frozen=True)
class Exploded(Failure):
    """The model is too large to ground within its limits."""

    message: str


@dataclass(frozen=True)
class NoInitialAction(Failure):
    """No operator is applicable in the model's initial state."""

    state: str  #: the world's initial state
    executable: str | None = None  #: an operator that the world does execute there

    @classmethod
    def seen_in(cls, world: World) -> NoInitialAction:
        """With the world's initial state and the first of the operators that it executes there."""
        first = first_applicable(world)
        return cls(world.describe() if first is None else state_before(world, (first,)), first)


@dataclass(frozen=True)
class PlanRejected(Failure):
    """The model's plan does not work in the world."""

    plan: tuple[str, ...]
    steps: int  #: how many operators of `plan` the world executed
    state: str  #: the world's state after them

    @classmethod
    def seen_in(cls, world: World, plan: Sequence[str], verdict: PlanVerdict) -> PlanRejected:
        """With the state that the world was left in; `verdict` is the world's on `plan`."""
        steps = verdict.execution.steps
        ended = steps == len(plan)
        state = world.describe(tuple(plan)) if ended else state_before(world, tuple(plan[: steps + 1]))
        return cls(tuple(plan), steps, state)

    @property
    def disagreement(self) -> Disagreement | None:
        """The plan up to the refused operator, as a walk of the model; None if every operator ran."""
        if self.steps == len(self.plan):
            return None
        return Disagreement(Direction.BACKWARD, self.plan[: self.steps + 1], self.state)


@dataclass(frozen=True)
class Incorrect(Failure):
    """The model's plan does not work in the world, without any detail. The published feedback."""


@dataclass(frozen=True)
class Repeated(Failure):
    """A disagreement that an earlier candidate was refuted by already."""

    failure: Disagreement | Shrunk | Explained


@dataclass(frozen=True)
class Solved(Failure):
    """No failure: the model's plan works in the world."""

    plan: tuple[str, ...]


@dataclass(frozen=True)
class Explained(Failure):
    """A disagreement cut short, the actions that world and model treat differently, and likely causes."""

    shrunk: Shrunk
    states: int  #: joint states that were compared
    actions: tuple[SchemaAgreement, ...]  #: those that some state shows to differ, sorted by name
    causes: Causes = NO_CAUSES

    @classmethod
    def by(cls, shrunk: Shrunk, found: Agreement, predicates: Collection[str] = ()) -> Explained:
        """With what `found` says of the actions that differ; `predicates` are the model's."""
        differing = tuple(s for s in found.schemas if s.only_world or s.only_model)
        named = dict.fromkeys(_PREDICATE.findall(shrunk.disagreement.state)) if predicates else {}
        lacking = tuple(name for name in named if name not in predicates)
        causes = Causes(found.differences, found.explanations, found.together, found.alike, lacking)
        return cls(shrunk, found.states, differing, causes)


def render_failure(failure: Failure, domain_stands: bool = False) -> str:
    """The words of any failure. Paragraphs are separated by blank lines; no line break at the end.

    `domain_stands`: the domain solved another task, so that this one's problem is the first suspect.
    """
    match failure:
        case Disagreement():
            parts = _disagreement(failure)
        case Shrunk():
            parts = _shrunk(failure, domain_stands)
        case Explained():
            parts = [*_shrunk(failure.shrunk, domain_stands), _differing(failure)]
            parts += [cause_words(failure.causes, domain_stands)]
        case NoInitialAction():
            parts = _no_initial_action(failure)
        case PlanRejected():
            parts = _plan_rejected(failure, domain_stands)
        case Faults():
            parts = _faults(failure)
        case Repeated(known):
            parts = [
                "Incorrect. Your model contradicts what was observed before.",
                render_failure(known, domain_stands),
            ]
        case _:
            parts = _short(failure)
    return "\n\n".join(part for part in parts if part)


def _short(failure: Failure) -> list[str]:
    """The failures that need no more than a sentence and their own data."""
    match failure:
        case NoProblem(reason):
            return ["Incorrect. The problem PDDL cannot be used.", reason]
        case NoEdit(reason):
            return [
                "Incorrect. Your reply does not change the domain.",
                reason,
                "Expected: a code block that calls add_or_update_predicates and modify_action.",
            ]
        case EditsRefused(reasons):
            return [
                "Incorrect. Your changes of the domain could not be applied:",
                "\n".join(f"- {reason}" for reason in reasons),
            ]
        case InsaneDomain(actions):
            return [
                "Incorrect. Every action must change something, but these actions have no effect:",
                "\n".join(f"- {action}" for action in actions),
                "Expected: at least one effect for every action of the interface.",
            ]
        case Exploded(message):
            return [
                "Incorrect. Your model is too large: its actions apply to too many combinations of objects.",
                message,
                "Expected: preconditions that only hold for the objects an action is meant for.",
            ]
        case NoPlan(outcome):
            return no_plan_words(outcome)
        case Incorrect():
            return ["Incorrect."]
        case Solved():
            return ["Correct. The plan found in your model reaches the goal in the environment."]
    raise TypeError(f"no words for {failure!r}")


def _disagreement(failure: Disagreement) -> list[str]:
    """What was sampled where, what ran, what did not, the state there, and what was expected."""
    forward = failure.direction is Direction.FORWARD
    if forward:
        sampled = (
            "Random actions were sampled in the environment, which executes all of them. "
            "Your model does not execute the last one."
        )
        expected = (
            f"Expected: {failure.failing} is executable at this point, as it is in the environment. "
            "In your model its precondition does not hold here: "
            "the precondition, or what came before, is wrong."
        )
    else:
        sampled = (
            "Random actions were sampled in your model, which executes all of them. "
            "The environment does not execute the last one."
        )
        expected = (
            f"Expected: {failure.failing} is not executable at this point, as in the environment. "
            "In your model its precondition holds here: the precondition, or what came before, is wrong."
        )
    return [
        f"Incorrect. Your model and the environment disagree. {sampled}",
        _story(failure.executed, "your model and the environment"),
        f"Next action: {failure.failing}",
        f"State of the environment before this action:\n{failure.state or NO_FACTS}",
        f"Result: {'your model' if forward else 'the environment'} refuses {failure.failing}. {expected}",
    ]


def _shrunk(failure: Shrunk, domain_stands: bool) -> list[str]:
    """The shortest walk that was found, the state there, and the operator's status on both sides."""
    found = failure.disagreement
    ours, theirs = (
        ("refused", "executed") if found.direction is Direction.FORWARD else ("executed", "refused")
    )
    needed = (
        "None of these actions can be left out: each of them is needed for the disagreement."
        if failure.minimal and len(found.executed) > 1
        else ""
    )
    effect = "an effect of one of the actions before it, " if found.executed else ""
    fault = (
        "Your domain works in another task, so a fact of your initial state is likely missing or wrong."
        if domain_stands
        else f"Its precondition in your model, {effect}or a fact of your initial state is wrong."
    )
    return [
        "Incorrect. Your model and the environment disagree. This is the shortest case that was found.",
        _story(found.executed, "your model and the environment"),
        needed,
        f"Next action: {found.failing}",
        f"State of the environment before this action:\n{found.state or NO_FACTS}",
        f"Result of {found.failing}:\n- in the environment: {theirs}\n- in your model: {ours}",
        f"Expected: your model and the environment treat {found.failing} alike at this point. {fault}",
    ]


def _differing(failure: Explained) -> str:
    """The actions that differ, each with its counts."""
    lines = [
        f"- {s.action}: executed by both {s.both} times, only by the environment "
        f"{s.only_world} times, only by your model {s.only_model} times"
        for s in failure.actions
    ]
    if not lines:
        return ""
    head = f"All actions were compared in {failure.states} states that both reach. Treated differently are:"
    return "\n".join([head, *lines])


def _no_initial_action(failure: NoInitialAction) -> list[str]:
    """The initial state, and an operator that should be applicable in it."""
    expected = "Expected: at least one action is executable in the initial state."
    if failure.executable:
        expected += f" For example, the environment executes {failure.executable}."
    return [
        "Incorrect. No action at all is executable in the initial state of your model.",
        f"State of the environment at the start:\n{failure.state or NO_FACTS}",
        expected,
    ]


def _plan_rejected(failure: PlanRejected, domain_stands: bool) -> list[str]:
    """How far the plan ran, and the state it ended in."""
    ran, plan = failure.plan[: failure.steps], failure.plan
    story = _story(ran, "the environment") if plan else "The plan is empty: your goal holds at the start."
    head = "Incorrect. A plan that reaches the goal in your model does not work in the environment."
    if len(ran) < len(plan):
        return [
            head,
            _story(ran, "the environment"),
            f"Next action: {plan[len(ran)]}",
            f"State of the environment before this action:\n{failure.state or NO_FACTS}",
            f"Result: the environment refuses {plan[len(ran)]}, step {len(ran) + 1} of {len(plan)}. "
            "Expected: your model does not execute it here either.",
        ]
    expected = (
        "Your domain works in another task, so your goal likely is not the one that the environment has."
        if domain_stands
        else "the actions have the same effects, and the goal the same meaning, as in the environment."
    )
    return [
        head,
        story,
        "State of the environment after the plan (false facts and those that never change may be left out):\n"
        f"{failure.state or NO_FACTS}",
        f"Result: every action was executed, but the goal is not reached. Expected: {expected}",
    ]


def _faults(failure: Faults) -> list[str]:
    """Every issue with its place and its fix, in the order of the text."""
    shown = failure.diagnosis.issues[:MAX_ISSUES]
    hidden = len(failure.diagnosis.issues) - len(shown)
    return [
        "Incorrect. The PDDL has errors:",
        Diagnosis(shown).render(),
        f"({hidden} more issues are not shown.)" if hidden else "",
    ]


def _story(operators: Sequence[str], where: str) -> str:
    """The operators that ran, one a line."""
    if not operators:
        return "No action was executed before: this is the initial state."
    lines = list(operators)
    if len(lines) > HEAD + TAIL:
        lines[HEAD:-TAIL] = [f"... ({len(lines) - HEAD - TAIL} more actions) ..."]
    return f"Executed one after another from the initial state, in {where}:\n" + "\n".join(lines)
