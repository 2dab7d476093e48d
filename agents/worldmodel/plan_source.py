"""A plan that a person says should work, as a source of remarks.

The model is followed along the plan to the first step that it does not allow. The remark says which
conditions are false there, and says the actions up to that step in words, since an earlier one may be wrong.

Source: Guan et al. 2023, Appendix A.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.worldmodel.model import WorldModel
from agents.worldmodel.problems import Problems
from agents.worldmodel.remarks import Opinion, Remark, Review
from agents.worldmodel.saying import Sayer
from envs.pddl.language import read_domain, read_problem
from envs.pddl.validate import Fault, PlanReport, validate_plan


@dataclass(frozen=True)
class SuggestedPlan:
    """A plan for a task."""

    plan: tuple[str, ...]  #: operators such as `(load-truck p1 t1 depot)`
    task: Problems

    def review(self, model: WorldModel, made: Sequence[Remark]) -> Review:
        """Content if the plan works in the model, which is worth the steps that run."""
        reading = self.task.problem(model)
        if reading.problem is None:
            note = f"the task could not be translated for this model: {reading.fault}"
            return Review(Opinion.CANNOT_JUDGE, (-1.0,), note=note)
        report = validate_plan(read_problem(reading.problem, read_domain(model.text())), self.plan)
        if report.valid:
            return Review(Opinion.CONTENT, (len(self.plan) + 1.0,))
        if report.reason not in (Fault.PRECONDITION, Fault.GOAL) or not self.plan:
            note = f"the plan itself is at fault: {report.render()}"
            return Review(Opinion.CANNOT_JUDGE, (-1.0,), note=note)
        steps = len(self.plan) if report.failed_step is None else report.failed_step
        return Review(Opinion.OBJECTS, (float(steps),), self._remark(report, model))

    def _remark(self, report: PlanReport, model: WorldModel) -> Remark:
        ran = self.plan if report.failed_step is None else self.plan[: report.failed_step + 1]
        actions = tuple(dict.fromkeys(_action(step) for step in ran))
        said = Sayer.of(model).say(actions)
        parts = ["A person says that this plan works:", _numbered(self.plan), _fault(report)]
        parts += ["The actions up to there, as your model has them, in words:", said]
        return Remark(_action(ran[-1]), "\n\n".join(parts))


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


def _action(step: str) -> str:
    return step.strip("() \t").split()[0].lower()
