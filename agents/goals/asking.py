"""Goals predicted by a language model: what it is told of a plan, and how its reply is read.

Told are always the environment (predicates, objects, what held at first), the steps and the form of goals.
Beside that a *view* of the plan may be told: the operators, or what precondition parsing makes of it. Three
guesses are asked for in one reply; they are read tolerantly, since their notation is not what is measured.
Source: Siegel et al. 2024, section 5.3; all words are ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby
from types import MappingProxyType

from agents.goals.extension import UNBOUNDED, extend, texts_of
from agents.goals.task import Goal, GoalSpace, Observed
from agents.llm.interface import Completion, LanguageModel, Usage
from agents.operators.lifted import NamedLiteral, Operator
from agents.prompts import Messages, render, request
from agents.replies import ReplyTooLarge, code_blocks
from agents.sampling import sample, why_unanswered
from envs.pddl.language.vocabulary import show_declaration, show_typed

#: Guesses of one reply that count.
GUESSES = 3
_NUMBERS = MappingProxyType({1: "one", 2: "two", 3: "three", 4: "four", 5: "five"})


class View(StrEnum):
    """What is told of a plan beside its steps."""

    ACTIONS = "actions"  #: nothing
    OPERATORS = "operators"  #: all operators
    PARSED = "parsed"  #: unsupported effects, and extensions of a plan that was seen in part


@dataclass(frozen=True)
class Presentation:
    """How a parsed plan is presented. The defaults are ours."""

    hanging: bool = False  #: effects of hanging steps, not the unsupported effects of all steps
    unbounded: bool = False  #: all extensions of a round, not the likeliest


OURS = Presentation()
#: For ablation. Source: Siegel et al. 2024, section 5.
PUBLISHED = Presentation(hanging=True, unbounded=True)


@dataclass(frozen=True)
class Guesses:
    """What one reply predicts, best first; `fault` says why it predicts nothing."""

    goals: tuple[Goal, ...]
    fault: str | None = None
    usage: Usage = field(default_factory=Usage)


def predict(
    model: LanguageModel,
    observed: Observed,
    space: GoalSpace,
    view: View,
    *,
    whole: bool,
    examples: Sequence[Goal],
    seed: int,
    presentation: Presentation = OURS,
) -> Guesses:
    """Ask once, at temperature 0. Raises what the model raises."""
    messages = goal_request(observed, space, view, examples, whole=whole, presentation=presentation)
    (completion,) = sample(model, messages, 1, seed)
    return read_guesses(completion, space)


def goal_request(
    observed: Observed,
    space: GoalSpace,
    view: View,
    examples: Sequence[Goal],
    *,
    whole: bool,
    presentation: Presentation = OURS,
) -> Messages:
    """The messages. `whole` says that the plan was seen to its end; `examples` are goals of others."""
    return request(
        "goals_system.md",
        "goals.md",
        predicates="\n".join(show_declaration(*one) for one in observed.vocabulary.predicates.items()),
        objects=_objects(observed),
        facts="\n".join(sorted(f"({' '.join(fact)})" for fact in observed.facts)),
        manner=_manner(whole),
        steps="\n".join(f"{number}. {step}" for number, step in enumerate(observed.plan, start=1)),
        known=_known(observed, view, whole, presentation),
        form=_form(space),
        candidates="\n".join(space.candidates),
        examples=_examples(examples),
        count=_NUMBERS.get(space.size, str(space.size)),
    )


def read_guesses(completion: Completion, space: GoalSpace) -> Guesses:
    """The lines of the last code block that name as many candidates as a goal has, the first `GUESSES`.

    Without a code block they are the reply's last such lines, as reasoning comes first. Of equal guesses the
    first counts.
    """
    unanswered = why_unanswered(completion)
    if unanswered:
        return Guesses((), unanswered, completion.usage)
    try:
        blocks = code_blocks(completion.text)
    except ReplyTooLarge as refusal:
        return Guesses((), str(refusal), completion.usage)
    lines = (blocks[-1] if blocks else completion.text).splitlines()
    found = (_goal(line, space.candidates) for line in lines)
    named = [goal for goal in found if len(goal) == space.size]
    goals = tuple(dict.fromkeys(named if blocks else named[-GUESSES:]))[:GUESSES]
    fault = None if goals else f"no line of the reply names {space.size} of what may be wanted"
    return Guesses(goals, fault, completion.usage)


def _goal(line: str, candidates: Iterable[str]) -> Goal:
    words = re.findall(r"[\w-]+", line.lower())
    return frozenset(words).intersection(candidates)


def _manner(whole: bool) -> str:
    if whole:
        return "These are all steps, in order; with the last one the goal was reached:"
    return "These are the first steps, in order; the goal is not reached yet, and more steps will follow:"


def _form(space: GoalSpace) -> str:
    if space.size == 1:
        form = f"What is wanted is one thing of the form {space.show(space.asked)}."
    else:
        number = _NUMBERS.get(space.size, str(space.size))
        form = f"What is wanted is {number} different things, each of the form {space.show(space.asked)}."
    return f"{form} What held before the first step does not count."


def _examples(examples: Sequence[Goal]) -> str:
    if not examples:
        return "Nothing is known of the goals of others."
    goals = "\n".join(" ".join(sorted(goal)) for goal in examples)
    return f"Goals that others had in other tasks, one a line:\n\n```\n{goals}\n```"


def _objects(observed: Observed) -> str:
    """A line for each type."""
    ordered = sorted(observed.objects.items(), key=lambda entry: entry[1])
    groups = groupby(ordered, key=lambda entry: entry[1])
    return "\n".join(f"{' '.join(name for name, _ in group)} - {kind}" for kind, group in groups)


def _known(observed: Observed, view: View, whole: bool, presentation: Presentation) -> str:
    """The section of a view, between blank lines."""
    if view is View.ACTIONS:
        return ""
    if view is View.OPERATORS:
        text = "\n\n".join(map(_rule, observed.operators))
        return f"\n{render('goals_operators.md', operators=text)}\n"
    graph = observed.graph
    hanging = ((number, effect) for number in graph.hanging for effect in graph.steps[number].effects)
    effects = _listed(hanging if presentation.hanging else graph.unsupported_effects)
    kind = "hanging" if presentation.hanging else "loose"
    if whole:
        return f"\n{render(f'goals_{kind}.md', effects=effects)}\n"
    rounds = extend(
        graph,
        observed.operators,
        observed.objects,
        observed.vocabulary,
        observed.reached,
        UNBOUNDED if presentation.unbounded else None,
    )
    extensions = "\n".join(texts_of(rounds)) or "(none)"
    name = "goals_extensions.md" if kind == "loose" else "goals_hanging_extensions.md"
    return f"\n{render(name, effects=effects, extensions=extensions)}\n"


def _rule(operator: Operator) -> str:
    """An operator on three lines, without what it needs to be absent: a library of them is long."""
    needs = " ".join(str(literal) for literal in operator.preconditions if literal.positive)
    changes = " ".join(map(str, operator.effects))
    head = f"({operator.name} {show_typed(operator.parameters)})"
    return f"{head}\n  needs: {needs}\n  changes: {changes}"


def _listed(effects: Iterable[tuple[int, NamedLiteral]]) -> str:
    """What steps make true, each after the number of its step."""
    return "\n".join(f"{number + 1}. {effect}" for number, effect in effects if effect.positive) or "(none)"
