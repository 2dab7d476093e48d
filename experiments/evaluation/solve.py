"""One evaluation task: plan in the model, act in the environment, and compare the two by walks.

The plan is executed step by step in the Gymnasium environment through its text interface, and only what
the environment says there decides: `info["executable"]` for a step, `terminated` for the goal. Runs in a
worker; nothing is handed over but names, numbers and PDDL text.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import ParamSpec

import numpy as np

from agents.problems import ProblemReading
from agents.refine import Translation
from envs.environment import open_environment
from envs.pddl.equivalence.aligned import compare_aligned
from envs.pddl.equivalence.compare import Comparison
from envs.pddl.equivalence.goals.derive import Means
from envs.pddl.interface import TransitionSystem, World
from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.language.issues import PDDLError
from envs.pddl.planning.planner import Planner, PlanOutcome, PlanResult
from envs.pddl.simulation.grounding import GroundingExploded
from envs.pddl.simulation.simulator import Task
from envs.source import world_invariants
from envs.truth import truth_of
from envs.world import PddlWorld, open_world
from ew.counterexample.disagreement import Direction, Disagreement, first_disagreement, state_before
from ew.counterexample.doubting import fact_doubts, goal_doubts
from ew.counterexample.doubts import Doubt, object_doubt
from ew.counterexample.explained import Counterexample, explained
from ew.counterexample.feedback import Exploded, Failure, NoInitialAction, PlanRejected, render_failure
from ew.counterexample.no_plan import NoVerdict, no_plan
from ew.walks.adapter import first_applicable, transitions_of
from ew.walks.simulator_cost import cost_of
from experiments.evaluation.judge import Judge
from experiments.runs.details import Detail
from experiments.runs.records import Score, TaskOutcome, world_label
from experiments.runs.seeds import stream

P = ParamSpec("P")
#: No score was taken.
_UNSCORED = Score()
#: Seconds that the planner may take to say what a goal implies. Problems that are right seldom need it.
_ASKED_S = 3.0
#: What may come of a goal, or of a fact, that the environment does not have.
_DOUBTFUL = (
    TaskOutcome.GOAL_NOT_REACHED,
    TaskOutcome.STEP_REJECTED,
    TaskOutcome.UNSOLVABLE,
    TaskOutcome.EXHAUSTED,
)
_NO_PLAN = {
    PlanOutcome.UNSOLVABLE_PROVED: TaskOutcome.UNSOLVABLE,
    PlanOutcome.UNSOLVABLE_INCOMPLETE: TaskOutcome.EXHAUSTED,
    PlanOutcome.TIMEOUT: TaskOutcome.TIMEOUT,
    PlanOutcome.MEMOUT: TaskOutcome.MEMOUT,
    PlanOutcome.UNSUPPORTED: TaskOutcome.UNSUPPORTED,
    PlanOutcome.INVALID_INPUT: TaskOutcome.INVALID_INPUT,
}


@dataclass(frozen=True)
class Attempt:
    """What became of one task."""

    outcome: TaskOutcome
    score: Score = _UNSCORED
    plan_length: int | None = None
    failed_step: int | None = None  #: 1-based
    detail: str = ""
    wall_s: float = 0.0
    feedback: str = ""  #: why it failed, in words for the language model, if that was asked for
    told: Mapping[str, int] = field(default_factory=dict)  #: faults of plans that were sent back, by kind
    details: tuple[Detail, ...] = ()  #: what the method adds to the record
    comparison: Comparison | None = None  #: of the model's problem with the true one, if both can be read
    doubts: tuple[Doubt, ...] = ()  #: about the task's text

    @property
    def solved(self) -> bool:
        """Whether the plan ran and reached the goal."""
        return self.outcome is TaskOutcome.SOLVED

    @property
    def may_be_told(self) -> bool:
        """Whether it failed in a way that another answer could do better in."""
        return not self.solved and (bool(self.feedback) or not self.outcome.undecided)

    @property
    def rank(self) -> tuple[bool, float, int]:
        """Orders attempts at one task: solved, then the higher EW, then how far it came (`TaskOutcome`)."""
        ew = -1.0 if self.score.ew is None else self.score.ew
        return self.solved, ew, -list(TaskOutcome).index(self.outcome)


def timed(solve: Callable[P, Attempt]) -> Callable[P, Attempt]:
    """`solve`, with the seconds that it took in its attempts."""

    @wraps(solve)
    def timing(*args: P.args, **kwargs: P.kwargs) -> Attempt:
        started = time.perf_counter()
        attempt = solve(*args, **kwargs)
        return replace(attempt, wall_s=round(time.perf_counter() - started, 6))

    return timing


@dataclass(frozen=True)
class ModelSolver:
    """Solves evaluation tasks of an environment with a model of it. Picklable."""

    env: str
    seed: int
    judge: Judge
    explains: bool = False  #: whether a failure is put in words
    domain_stands: bool = False  #: whether the domain solved another task, so that the text may be doubted

    @timed
    def __call__(self, task: int | str, domain: str, problem: str) -> Attempt:
        """Try task number `task` with the model's two texts.

        Raises MachineFault, PlannerMissing, LabellingFailed.
        """
        outcome = TaskOutcome.INVALID_DOMAIN
        try:
            parsed = read_domain(domain)
            outcome = TaskOutcome.INVALID_PROBLEM
            read = read_problem(problem, parsed)
        except PDDLError as error:
            words = str(error) if outcome is TaskOutcome.INVALID_PROBLEM else ""
            return Attempt(outcome, detail=str(error), feedback=words)
        world = open_world(self.env, task)
        compared = held_against_truth(self.env, world, read, self.judge.planner)
        return replace(self._tried(task, world, read), comparison=compared)

    def _tried(self, task: int | str, world: World, problem: Problem) -> Attempt:
        try:
            model = self.judge.compile(problem, world)
        except PDDLError as error:
            return Attempt(TaskOutcome.INVALID_PROBLEM, detail=str(error), feedback=str(error))
        except GroundingExploded as error:
            words = render_failure(Exploded(str(error)))
            return Attempt(TaskOutcome.EXPLODED, detail=str(error), feedback=words)
        system = transitions_of(world)
        score = self.judge.walk(system, model, self._walks(task))
        case = _Case(task, world, problem, model, system, self.judge.draw_plan(problem))
        attempt = self._acted(case, score)
        score = replace(attempt.score, simulator=cost_of(system))
        return replace(attempt, score=score.with_actions(action.name for action in world.actions))

    def _acted(self, case: _Case, score: Score) -> Attempt:
        """The plan carried out, and what is said of its failure or of the text."""
        if case.result.plan is None:
            attempt = unplanned(case.result, score)
        else:
            attempt = replace(act(self.env, case.task, case.result.plan), score=score)
        if self.domain_stands and (score.ew != 1 or attempt.outcome in _DOUBTFUL):
            return self._doubting(attempt, case)
        return attempt if attempt.solved else self._explained(attempt, case)

    def _doubting(self, attempt: Attempt, case: _Case) -> Attempt:
        """With doubts about the text, as the domain works elsewhere; in words too, if that is asked for."""
        score, name = attempt.score, str(case.task)
        if score.ew == 1 and attempt.outcome is not TaskOutcome.STEP_REJECTED:
            ended = attempt.outcome is TaskOutcome.GOAL_NOT_REACHED
            doubts, queries = goal_doubts(name, case.world, case.problem, case.model, ended)
            failed = self._explained(replace(attempt, score=score.with_cost(queries), doubts=doubts), case)
            if not self.explains or not doubts:
                return failed
            found = [f"- {d.subject}: {d.showed}; {d.evidence}" for d in doubts]
            return replace(failed, feedback="\n".join([f"{failed.feedback}\n\nOf your goal:", *found]))
        shortest = self._counterexample(case, score)
        if shortest is None:
            return self._explained(attempt, case)
        words = render_failure(shortest.failure, self.domain_stands) if self.explains else ""
        spent, doubts = score.with_cost(shortest.world_queries), fact_doubts(name, shortest.causes)
        return replace(attempt, score=spent, feedback=words, doubts=doubts)

    def _counterexample(self, case: _Case, score: Score) -> Counterexample | None:
        """The shortest disagreement with its causes, if walks show one."""
        found = self._difference(case, score)
        if found is None:
            return None
        rng = stream(self.seed, "agreement", world_label(self.env), case.task)
        return explained(case.world, case.problem, case.model, found, rng, asked=case.system)

    def _explained(self, attempt: Attempt, case: _Case) -> Attempt:
        """With the shortest disagreement and its causes if walks show one, else what became of the plan.

        As it is, if nothing is to be put in words.
        """
        if not self.explains:
            return attempt
        score, world = attempt.score, case.world
        failure: Failure | NoVerdict
        if score.ew is None and not self.domain_stands:
            failure = NoInitialAction.seen_in(world)
        elif shortest := self._counterexample(case, score):
            failure = shortest.failure
            score = score.with_cost(shortest.world_queries)
        elif case.result.plan is None:
            failure = no_plan(case.result.outcome)
        else:
            failure = PlanRejected.seen_in(world, case.result.plan, world.verify(case.result.plan))
        words = "" if isinstance(failure, NoVerdict) else render_failure(failure, self.domain_stands)
        return replace(attempt, score=score, feedback=words)

    def _difference(self, case: _Case, score: Score) -> Disagreement | None:
        """Where the walks of the score part, or else the plan; at the start, if nothing runs in the model."""
        if score.ew == 1:
            if case.result.plan is None or not self.domain_stands:
                return None
            verdict = case.world.verify(case.result.plan)
            return PlanRejected.seen_in(case.world, case.result.plan, verdict).disagreement
        if score.ew is None:
            first = first_applicable(case.world)
            if first is None:
                return None
            return Disagreement(Direction.FORWARD, (first,), state_before(case.world, (first,)))
        walks = self._walks(case.task)
        return first_disagreement(case.world, case.model, walks, self.judge.walks, case.system)

    def _walks(self, task: int | str) -> np.random.Generator:
        """Equal for all attempts at a task."""
        return stream(self.seed, "task", world_label(self.env), task)


@dataclass(frozen=True)
class _Case:
    """One task, the system that it is walked in, the model's problem, compiled, and the planner's answer."""

    task: int | str
    world: World
    problem: Problem
    model: Task
    system: TransitionSystem
    result: PlanResult


@dataclass(frozen=True)
class PlanRunner:
    """Tries plans that were made without a model. Picklable."""

    env: str

    @timed
    def __call__(self, task: int | str, plan: tuple[str, ...]) -> Attempt:
        """Execute `plan` in task number `task`."""
        return act(self.env, task, plan)


def unread(found: Translation | ProblemReading, doubting: str | None) -> Attempt:
    """The attempt of a reply without a problem that can be used.

    `doubting` is the task whose text may be doubted, as the domain works elsewhere; None if it may not be.
    """
    outcome = TaskOutcome.NO_PROBLEM if found.answered else TaskOutcome.NO_ANSWER
    misfits = found.misfits if doubting is not None else ()
    doubts = tuple(object_doubt(doubting or "", m.name, m.atom, m.wanted, m.kind) for m in misfits)
    return Attempt(outcome, detail=found.fault or "", doubts=doubts)


def held_against_truth(env: str, world: World, problem: Problem, planner: Planner) -> Comparison | None:
    """A problem of a model's domain beside the true one; None where an environment has no PDDL behind it.

    The planner is asked what goals imply, briefly each time. Raises LabellingFailed, BadRules and
    PlannerMissing.
    """
    if not isinstance(world, PddlWorld):
        return None
    true = truth_of(world.key).problem
    hasty = replace(planner, wall_s=min(planner.wall_s, _ASKED_S))
    return compare_aligned(true, problem, Means(invariants=world_invariants(env), planner=hasty))


def unplanned(result: PlanResult, score: Score = _UNSCORED) -> Attempt:
    """What a planning call that brought no plan makes of a task."""
    return Attempt(_NO_PLAN[result.outcome], score, detail=result.log_tail[-300:])


def act(
    env: str, task: int | str, plan: Sequence[str], before_step: Callable[[], None] = lambda: None
) -> Attempt:
    """Execute a plan in the environment, from its reset to the goal, a refusal or the plan's end.

    Raises what `before_step` raises, which is called before each step.
    """
    length = len(plan)
    environment = open_environment(env, task)
    _, info = environment.reset(seed=0)
    reached = bool(info["goal_reached"])
    for number, operator in enumerate(plan, start=1):
        if reached:
            break
        before_step()
        _, _, terminated, _, info = environment.step(operator)
        if not info["executable"]:
            detail = f"{operator}: {info['reason']}"
            return Attempt(TaskOutcome.STEP_REJECTED, _UNSCORED, length, number, detail)
        reached = terminated and bool(info["goal_reached"])
    return Attempt(TaskOutcome.SOLVED if reached else TaskOutcome.GOAL_NOT_REACHED, _UNSCORED, length)
