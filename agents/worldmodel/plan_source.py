"""A plan that a person says should work, as a source of remarks.

The model is followed along the plan to the first step that it does not allow. The remark says which
conditions are false there, and says the actions up to that step in words, since an earlier one may be wrong;
it goes to the action of that step and, told the same again, to those before it. A task that cannot be written
down with the model's predicates is a remark, too. Where telling it twice has not helped, the fault may be the
problem's: another one is asked for, and kept if better.

Source: Guan et al. 2023, Appendix A.4.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from agents.problems import ProblemReading
from agents.texts import WorldTexts
from agents.worldmodel.model import WorldModel
from agents.worldmodel.problems import Problems
from agents.worldmodel.remarks import (
    TOLD_BEFORE_PROBLEM,
    Opinion,
    Remark,
    Review,
    mentioning,
    remark_to_next,
    told_before,
)
from agents.worldmodel.requests import untranslatable
from agents.worldmodel.saying import Sayer
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.operators import format_operator, parse_operator
from envs.pddl.language.vocabulary import OBJECT, Types
from envs.pddl.planning.validate import Fault, PlanReport, validate_plan

#: What a model is worth that the task cannot be written down for, and one that cannot be judged.
_UNUSABLE, _UNKNOWN = (-1.0,), (-2.0,)


@dataclass(frozen=True)
class SuggestedPlan:
    """A plan for a task."""

    plan: tuple[str, ...]  #: operators such as `(load-truck p1 t1 depot)`
    task: Problems
    text: str  #: the task in words

    def review(self, model: WorldModel, made: Sequence[Remark]) -> Review:
        """Content if the plan works in the model, which is worth the steps that run."""
        reading = self.task.problem(model)
        found = self._judged(model, reading, made)
        words = found.remark.words if found.remark is not None else ""
        if not words or len(told_before(words, made)) < TOLD_BEFORE_PROBLEM:
            return found
        mended = self.task.mended(model, words)
        other = self._judged(model, mended, made)
        if other.worth <= found.worth:
            return found
        self.task.keep(model, mended)
        return other

    def _judged(self, model: WorldModel, reading: ProblemReading, made: Sequence[Remark]) -> Review:
        """The review with this translation of the task."""
        if not reading.answered:
            note = f"the task could not be translated for this model: {reading.fault}"
            return Review(Opinion.CANNOT_JUDGE, _UNKNOWN, note=note)
        if reading.problem is None:
            fault = reading.fault or ""
            words, suspects = untranslatable(self.text, fault), mentioning(fault, model)
            return Review(Opinion.OBJECTS, _UNUSABLE, remark_to_next(words, suspects, model, made))
        return self._followed(model, reading.problem, made)

    def _followed(self, model: WorldModel, problem: str, made: Sequence[Remark]) -> Review:
        """What following the plan in the model shows."""
        report = validate_plan(read_problem(problem, read_domain(model.text())), self.plan)
        if report.valid:
            return Review(Opinion.CONTENT, (len(self.plan) + 1.0,))
        if report.reason not in (Fault.PRECONDITION, Fault.GOAL) or not self.plan:
            note = f"the plan itself is at fault: {report.render()}"
            return Review(Opinion.CANNOT_JUDGE, _UNKNOWN, note=note)
        steps = len(self.plan) if report.failed_step is None else report.failed_step
        return Review(Opinion.OBJECTS, (float(steps),), self._remark(report, model, made))

    def _remark(self, report: PlanReport, model: WorldModel, made: Sequence[Remark]) -> Remark:
        ran = self.plan if report.failed_step is None else self.plan[: report.failed_step + 1]
        actions = tuple(dict.fromkeys(parse_operator(step)[0] for step in ran))
        said = Sayer.of(model).say(actions)
        parts = ["A person says that this plan works:", _numbered(self.plan), _fault(report)]
        parts += ["The actions up to there, as your model has them, in words:", said]
        suspects = (parse_operator(step)[0] for step in reversed(ran))
        return remark_to_next("\n\n".join(parts), suspects, model, made)


def _fault(report: PlanReport) -> str:
    if report.failed_step is None:
        unmet = "\n".join(f"- {goal}" for goal in report.unmet_goals)
        return f"Your model runs all of it, but then these goals are not reached:\n{unmet}"
    step = report.plan[report.failed_step]
    false = "\n".join(f"- {condition}" for condition in report.false_conditions)
    return (
        f"Your model does not allow step {report.failed_step + 1}, {step}: these parts of its precondition "
        f"are false there:\n{false}\nEither they are wrong, or an effect of a step before is."
    )


def _numbered(plan: Sequence[str]) -> str:
    return "\n".join(f"{number}. {step}" for number, step in enumerate(plan, 1))


class UnreadablePlan(ValueError):
    """A file with a plan that cannot be read; the message says where and what was expected."""


def read_plan(text: str, texts: WorldTexts) -> tuple[str, ...]:
    """The operators of a file with one a line, in the order of the file; what follows a `;` is a comment.

    Raises UnreadablePlan unless each is an action of the task in `texts` with fitting objects of it.
    """
    lines = ((number, line.partition(";")[0].strip()) for number, line in enumerate(text.splitlines(), 1))
    return tuple(_operator(line, number, texts) for number, line in lines if line)


def _operator(line: str, number: int, texts: WorldTexts) -> str:
    try:
        name, arguments = parse_operator(line)
    except ValueError as error:
        raise UnreadablePlan(f"line {number}: {error}") from error
    actions = {action.name: action for action in texts.actions}
    action = actions[_known("action", name, actions, number)]
    if len(arguments) != len(action.parameters):
        raise UnreadablePlan(
            f"line {number}: {name} takes {len(action.parameters)} arguments, not {len(arguments)}: write it "
            f"as {action}"
        )
    types = Types({kind: parent or OBJECT for kind, parent in texts.types.items()})
    for given, wanted in zip(arguments, action.parameters, strict=True):
        kind = texts.objects[_known("object", given, texts.objects, number)]
        if not types.is_subtype(kind, wanted.type):
            raise UnreadablePlan(
                f"line {number}: {given} is a {kind}, but {wanted.name} must be a {wanted.type}: write it as "
                f"{action}"
            )
    return format_operator(name, arguments)


def _known(what: str, name: str, known: Iterable[str], line: int) -> str:
    names = list(known)
    if name in names:
        return name
    near = get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}?" if near else f"there is: {', '.join(names)}"
    raise UnreadablePlan(f"line {line}: there is no {what} {name}; {hint}")
