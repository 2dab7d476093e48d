"""The sources of remarks beside a person's file: the environment itself, and a plan that should work.

*Walks.* The model is walked beside the world, in one task after another; no person is needed. Further tasks
are walked in as long as nothing speaks against the model and some action was not exercised. Where they
disagree, the shortest disagreement is told in the words that every method gets
(`ew.counterexample.feedback`), with the actions that differ and their likely causes. The dialogue that goes
on is that of the likeliest action; if it was told the same before, of the next: other likely ones, the
operator's own, those of the walk from the last to the first. A model is worth its EW over the tasks
(`ew.score.several_tasks`), then the sum of its scores in further ones; one that cannot be walked is worth
less than any that can, and the less, the more of its actions are not written.

*A plan that a person says should work.* The model is followed along the plan to the first step that it does
not allow. The remark says which conditions are false there, and says the actions up to that step in words,
since an earlier one may be wrong; it goes to the action of that step and, told the same again, to those
before it.

A task that cannot be written down with the model's predicates is a remark like any other. Where telling it
twice has not helped, the fault may be the problem's: another one is asked for, and kept if better.

Source: Guan et al. 2023, Appendix A.4, of the plan; that the environment corrects is ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from agents.replies import hint
from agents.texts import WorldTexts
from agents.worldmodel import remarks
from agents.worldmodel.model import WorldModel
from agents.worldmodel.problems import TaskTranslator
from agents.worldmodel.remarks import Opinion, Remark, Review, Worth
from agents.worldmodel.requests import untranslatable
from agents.worldmodel.saying import Sayer
from envs.pddl.interface import ActionSignature, World
from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.language.operators import format_operator, parse_operator
from envs.pddl.language.vocabulary import OBJECT, Types
from envs.pddl.planning import validate
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.grounding import GroundingExploded, Limits, limits_in
from envs.pddl.simulation.simulator import Task
from ew.counterexample.causes import MAX_SHOWN, Causes
from ew.counterexample.disagreement import Disagreement, first_disagreement, state_before
from ew.counterexample.explained import MAX_FURTHER, explained
from ew.counterexample.explanations import FACTS
from ew.counterexample.feedback import Exploded, InsaneDomain, NoInitialAction, render_failure
from ew.probes.examine import ExaminationConfig, examine, executed
from ew.score.config import EWConfig
from ew.score.score import EWVerdict, ew_score
from ew.score.several_tasks import NO_AGREEMENT, ew_over_tasks
from ew.walks.adapter import transitions_of
from ew.walks.budget import BudgetExceeded, QueryBudget
from ew.walks.world_walks import WorldWalks

#: How a model is examined that walks show nothing against. The planner is not asked, whose answers depend on
#: the clock.
EXAMINED = ExaminationConfig(plans_s=0)
#: What a model is worth to a plan that cannot be followed in it.
_UNJUDGED = (-2.0,)
#: What a model is worth that cannot be walked, and one that cannot be judged.
_UNUSABLE, _UNKNOWN = (0.0, 0.0), (-1.0, 0.0)


@dataclass(frozen=True)
class Found:
    """What one task showed of a model."""

    directions: tuple[float, float] | None = None  #: of the EW, forward and backward; None if none was taken
    words: str = ""  #: what is wrong; empty if nothing is
    suspects: tuple[str, ...] = ()  #: actions that this may be due to, the likeliest first
    world_queries: int = 0
    met: frozenset[str] = frozenset()  #: actions that the world executed
    note: str = ""  #: why nothing can be said
    worth: Worth = (-1.0,)  #: for the order among problems of one task; that of a model that cannot be tried


@dataclass(frozen=True)
class Walker:
    """Walks in one task of a world, for models that have the world's own parameters. Picklable if it is."""

    world: World
    seed: tuple[int, ...]
    config: EWConfig = field(default_factory=EWConfig)
    limits: Limits = field(default_factory=Limits)
    examination: ExaminationConfig = EXAMINED

    def __call__(self, domain: str, problem: str) -> Found:
        """What walks show of a domain with a problem, both PDDL that reads without errors."""
        given = read_problem(problem, read_domain(domain))
        try:
            compiled = compile_task(given, limits_in(self.world, self.limits))
        except GroundingExploded as explosion:
            return Found(words=render_failure(Exploded(str(explosion))), suspects=(explosion.action,))
        return self._compared(given, compiled)

    def _compared(self, problem: Problem, compiled: Task) -> Found:
        """What walks in the world and in a model that is ground show."""
        asked = WorldWalks(transitions_of(self.world))
        score = ew_score(asked, compiled, self._rng(), self.config)
        if score.verdict is EWVerdict.WORLD_STUCK:
            return Found(note="no action is executable at the start")
        if score.score is None or score.forward is None or score.backward is None:
            stuck = NoInitialAction.seen_in(self.world)
            first = _actions((stuck.executable,) if stuck.executable else ())
            return Found(words=render_failure(stuck), suspects=first, world_queries=asked.queries + 1)
        asked.budget = QueryBudget(MAX_FURTHER)  # the score's own walks are known by now
        try:
            found = first_disagreement(self.world, compiled, self._rng(), self.config, asked)
        except BudgetExceeded:
            found = None
        if found is None:
            asked.budget = QueryBudget(self.examination.most)
            found = self._examined(asked, problem)
        agrees = Found(
            (score.forward, score.backward),
            world_queries=asked.queries,
            met=executed(asked),
            worth=(score.score, 1.0),
        )
        if found is None:
            return agrees
        shortest = explained(self.world, problem, compiled, found, self._rng())
        return replace(
            agrees,
            words=render_failure(shortest.failure),
            suspects=(*_suspects(shortest.causes), *_actions(shortest.shown.walk[::-1])),
            world_queries=asked.queries + shortest.world_queries,
            worth=(score.score, 0.0),
        )

    def _examined(self, asked: WorldWalks, problem: Problem) -> Disagreement | None:
        """What speaks against a model that walks show nothing against."""
        found = examine(asked, problem, self._rng(), self.examination).found
        return None if found is None else Disagreement(*found, state_before(self.world, found.walk))

    def _rng(self) -> np.random.Generator:
        return np.random.default_rng(list(self.seed))


def _over(looks: Iterable[Found]) -> float:
    """The EW over tasks."""
    return ew_over_tasks([look.directions or NO_AGREEMENT for look in looks]).score


def _suspects(causes: Causes) -> tuple[str, ...]:
    """The actions whose changes explain most, those that contradict nothing alone if there are any."""
    likely = causes.consistent or causes.explanations
    return tuple(e.action for e in likely[:MAX_SHOWN] if e.change not in FACTS)


def _actions(operators: Sequence[str]) -> tuple[str, ...]:
    return tuple(parse_operator(operator)[0] for operator in operators)


#: Has a walker walk with the PDDL of a domain and a problem.
Walk = Callable[[Walker, str, str], Found]


def walk_here(walker: Walker, domain: str, problem: str) -> Found:
    """Walk at once, in this thread."""
    return walker(domain, problem)


@dataclass(frozen=True)
class WorldTask:
    """One task of the world, and its problem over a model's predicates."""

    world: World
    problems: TaskTranslator


@dataclass(frozen=True)
class Walks:
    """Walks in the tasks of one world. The model's actions must have the world's own parameters."""

    tasks: tuple[WorldTask, ...]
    seed: int
    config: EWConfig = field(default_factory=EWConfig)
    limits: Limits = field(default_factory=Limits)
    walk: Walk = walk_here
    further: tuple[WorldTask, ...] = ()  #: walked in, in their order, until every action was exercised

    def review(self, model: WorldModel, made: Sequence[Remark]) -> Review:
        """Content if no walk of any task shows a difference. The same walks are taken for every model.

        Without judgement of a model whose action interface is not the given one.
        """
        if not model.brief.is_fixed:
            note = "a model whose parameters are its own cannot be walked beside the environment"
            return Review(Opinion.CANNOT_JUDGE, _UNKNOWN, note=note)
        if model.unwritten:
            words = render_failure(InsaneDomain(model.unwritten))
            worth = (0.0, -float(len(model.unwritten)))
            return Review(Opinion.OBJECTS, worth, Remark(model.unwritten[0], words))
        looks = tuple(self._looks(model, made))
        own, further = looks[: len(self.tasks)], looks[len(self.tasks) :]
        queries = sum(look.world_queries for look in looks)
        if own[-1].note:
            note = f"task {len(own)}: {own[-1].note}"
            return Review(Opinion.CANNOT_JUDGE, _UNKNOWN, note=note, world_queries=queries)
        wrong = next((look for look in looks if look.words), None)
        remark = remarks.remark_to_next(wrong.words, wrong.suspects, model, made) if wrong else None
        if own[-1].directions is None:
            return Review(Opinion.OBJECTS, _UNUSABLE, remark, world_queries=queries)
        besides = sum(1.0 if look.note else _over([look]) for look in further)
        if remark is None:  # tasks that did not have to be walked in
            besides += len(self.further) - len(further)
        opinion = Opinion.OBJECTS if remark else Opinion.CONTENT
        met = frozenset[str]().union(*(look.met for look in looks))
        return Review(opinion, (1.0, _over(own), besides), remark, world_queries=queries, met=met)

    def _looks(self, model: WorldModel, made: Sequence[Remark]) -> Iterator[Found]:
        """What the tasks show, one after another, as far as they are walked in."""
        left, agrees = {action.name for action in model.brief.actions}, True
        for number, task in enumerate((*self.tasks, *self.further)):
            is_further = number >= len(self.tasks)
            if is_further and not (left and agrees):
                return
            yield (found := self._walked(model, task, number, made))
            if not is_further and found.directions is None:
                return
            left -= found.met
            agrees = agrees and not found.words

    def _walked(self, model: WorldModel, task: WorldTask, number: int, made: Sequence[Remark]) -> Found:
        walker = Walker(task.world, (self.seed, number), self.config, self.limits)
        found = _tried(task.problems, model, made, lambda problem: self.walk(walker, model.text(), problem))
        if found is None:
            fault = task.problems.problem(model).fault
            return Found(note=f"it was not translated for this model: {fault}")
        return found


def _tried(
    task: TaskTranslator, model: WorldModel, made: Sequence[Remark], follow: Callable[[str], Found]
) -> Found | None:
    """What `follow` finds with the task's problem, or with another one that is better.

    Another one is asked for once the fault was told often enough. None if no translation was answered.
    """
    reading = task.problem(model)
    if not reading.answered:
        return None
    if reading.problem is None:
        fault = reading.fault or ""
        words, suspects = untranslatable(task.texts.task, fault), remarks.mentioning(fault, model)
        found = Found(words=words, suspects=suspects)
    else:
        found = follow(reading.problem)
    if not remarks.told_enough(found.words, made):
        return found
    further = task.another(model, found.words)
    if further.problem is None:
        return found
    other = follow(further.problem)
    queries = found.world_queries + other.world_queries
    if other.worth > found.worth:
        task.keep(model, further)
        found = other
    return replace(found, world_queries=queries)


@dataclass(frozen=True)
class SuggestedPlan:
    """A plan for a task."""

    plan: tuple[str, ...]  #: operators such as `(load-truck p1 t1 depot)`
    task: TaskTranslator

    def review(self, model: WorldModel, made: Sequence[Remark]) -> Review:
        """Content if the plan works in the model, which is worth the steps that run."""
        found = _tried(self.task, model, made, lambda problem: self._followed(model, problem))
        if found is None:
            note = f"the task could not be translated for this model: {self.task.problem(model).fault}"
            return Review(Opinion.CANNOT_JUDGE, _UNJUDGED, note=note)
        if found.note:
            return Review(Opinion.CANNOT_JUDGE, _UNJUDGED, note=found.note)
        if not found.words:
            return Review(Opinion.CONTENT, found.worth)
        remark = remarks.remark_to_next(found.words, found.suspects, model, made)
        return Review(Opinion.OBJECTS, found.worth, remark)

    def _followed(self, model: WorldModel, problem: str) -> Found:
        """What following the plan in the model shows."""
        report = validate.validate_plan(read_problem(problem, read_domain(model.text())), self.plan)
        if report.valid:
            return Found(worth=(len(self.plan) + 1.0,))
        if report.reason not in (validate.PlanFault.PRECONDITION, validate.PlanFault.GOAL) or not self.plan:
            return Found(note=f"the plan itself is at fault: {report.render()}", worth=_UNJUDGED)
        failed = report.failed_step
        ran = _actions(self.plan if failed is None else self.plan[: failed + 1])
        steps = "\n".join(f"{number}. {step}" for number, step in enumerate(self.plan, 1))
        parts = ["A person says that this plan works:", steps, _fault(report)]
        parts += ["The actions up to there, as your model has them, in words:"]
        parts += [Sayer.of(model).say(dict.fromkeys(ran))]
        worth = float(len(self.plan) if failed is None else failed)
        return Found(words="\n\n".join(parts), suspects=ran[::-1], worth=(worth,))


def _fault(report: validate.PlanReport) -> str:
    if report.failed_step is None:
        unmet = "\n".join(f"- {goal}" for goal in report.unmet_goals)
        return f"Your model runs all of it, but then these goals are not reached:\n{unmet}"
    step = report.plan[report.failed_step]
    false = "\n".join(f"- {condition}" for condition in report.false_conditions)
    return (
        f"Your model does not allow step {report.failed_step + 1}, {step}: these parts of its precondition "
        f"are false there:\n{false}\nEither they are wrong, or an effect of a step before is."
    )


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
    for fault in _misfits(action, arguments, texts, number):
        raise UnreadablePlan(f"line {number}: {fault}: write it as {action}")
    return format_operator(name, arguments)


def _misfits(
    action: ActionSignature, arguments: Sequence[str], texts: WorldTexts, line: int
) -> Iterator[str]:
    """What does not fit an action's parameters, the first first."""
    if len(arguments) != len(action.parameters):
        yield f"{action.name} takes {len(action.parameters)} arguments, not {len(arguments)}"
    types = Types({kind: parent or OBJECT for kind, parent in texts.types.items()})
    for given, wanted in zip(arguments, action.parameters, strict=True):
        kind = texts.objects[_known("object", given, texts.objects, line)]
        if not types.is_subtype(kind, wanted.type):
            yield f"{given} is a {kind}, but {wanted.name} must be a {wanted.type}"


def _known(what: str, name: str, known: Iterable[str], line: int) -> str:
    names = list(known)
    if name not in names:
        raise UnreadablePlan(f"line {line}: there is no {what} {name}; {hint(name, names, 'there is:')}")
    return name
