"""The evaluation of a candidate: check, walks, plan, and feedback.

In the order of Mahdavi et al. 2024, Appendix B.3: PDDL that does not check is rated by the kind of fault;
a model that can be walked is rated by its EW score; if that is 1, the planner's plan is tried in the
environment. Before that, a model whose EW is 1 may be looked at further (`ew.probes.further`): what is found
then is a disagreement like any other. What is found is rated and put in words. Runs in a worker: the
environment is reopened there by its name, and every random number comes from the run's seed and the
candidate's content, so the result does not depend on where or when it was computed. All candidates of an
episode meet the same walks of the world.

On several tasks (`TasksEvaluator`) a candidate is evaluated one after another, up to the first that it does
not solve. That one decides what the next candidate should bring: edits of the domain; or edits or a better
problem, if the fault may lie in the problem; or, if all its problems are solved, that of the next task.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from agents.proposal import Proposal, check_candidate
from agents.refine import Wanted
from envs.pddl.interface import TransitionSystem, World
from envs.pddl.language.domain import Problem
from envs.pddl.language.issues import Diagnosis, PDDLError
from envs.pddl.planning.planner import PlanOutcome
from envs.pddl.simulation.grounding import Explosion, GroundingExploded, limits_in
from envs.pddl.simulation.simulator import Task
from envs.world import open_world
from ew.counterexample import feedback
from ew.counterexample.disagreement import (
    MOST_STEPS,
    Direction,
    Disagreement,
    Observation,
    first_contradiction,
    first_disagreement,
    state_before,
)
from ew.counterexample.doubting import fact_doubts, may_be_initial
from ew.counterexample.doubts import Doubt
from ew.counterexample.explained import MAX_FURTHER, MAX_SHRINKING, Counterexample, explained
from ew.counterexample.feedback import Explained, Faults, NoInitialAction, Repeated
from ew.counterexample.no_plan import NoVerdict, no_plan
from ew.counterexample.shrink import Shrunk, shrink_by
from ew.lifted.sampled_score import GAVE_UP, BoundedLifted
from ew.probes.further import FurtherLook
from ew.score.exercised import tally
from ew.score.rating import Outcome, Rating
from ew.walks.adapter import transitions_of
from ew.walks.budget import BudgetExceeded, QueryBudget
from ew.walks.simulator_cost import cost_of
from ew.walks.world_walks import WorldWalks
from experiments.config import shared
from experiments.evaluation.counterexamples import step_by_step
from experiments.evaluation.judge import Judge, score_record
from experiments.runs.records import NodeRecord, Score, Story, world_label
from experiments.runs.seeds import stream

#: No score was taken.
_UNSCORED = Score()
#: Explosions that do not depend on the machine; such models are walked lifted.
_COUNTED = (Explosion.OPERATORS, Explosion.RULES, Explosion.LITERALS)


@dataclass(frozen=True)
class CandidateEvaluation:
    """What was found about a candidate; what a search needs of it, and what a record keeps."""

    rating: Rating
    score: Score
    plan: str | None  #: the planner's outcome if it was asked
    failure: str | None  #: kind of the failure that the feedback is about
    feedback: str
    wall_s: float
    task: str = ""  #: the task that the failure was met in
    story: Story | None = None  #: the disagreement or the plan that failed, step by step
    wanted: Wanted = Wanted.DOMAIN  #: what a child should bring
    doubts: tuple[Doubt, ...] = ()  #: about the text of the task that the failure was met in

    @property
    def solved(self) -> bool:
        """EW is 1 and the plan works in the environment, in every task that there is to try."""
        return self.rating.outcome is Outcome.SOLVED and self.wanted is not Wanted.TASK

    @property
    def expandable(self) -> bool:
        """Whether another domain could help: not without a problem, nor if no fault is known."""
        return self.failure not in (feedback.NoProblem.__name__, NoVerdict.__name__)

    @classmethod
    def of(cls, found: TaskFinding, task: str, wall_s: float, **more: Any) -> CandidateEvaluation:
        """The evaluation that consists of what was found in `task`; `more` are further fields."""
        stands = found.rating.tasks > 0
        return cls(
            found.rating, found.score, found.plan, found.kind, found.words(stands), round(wall_s, 6), task,
            found.story, **more,
        )  # fmt: skip

    @classmethod
    def of_record(cls, record: NodeRecord) -> CandidateEvaluation:
        """The evaluation that a node's record holds."""
        outcome = Outcome[record.outcome]
        ew = record.score.ew if outcome >= Outcome.WALKED else None
        rating = Rating(outcome, ew, record.tasks_solved)
        return cls(**shared(record, cls) | {"rating": rating, "wanted": Wanted(record.wanted)})


@dataclass(frozen=True)
class TaskFinding:
    """What was found about a candidate in one task."""

    rating: Rating
    failure: feedback.Failure | NoVerdict
    score: Score = _UNSCORED
    plan: PlanOutcome | None = None  #: the planner's outcome if it was asked
    story: Story | None = None
    read: Problem | None = None  #: the candidate's problem with its domain, if its texts can be read

    @property
    def kind(self) -> str:
        """The kind of failure, for records."""
        return type(self.failure).__name__

    def words(self, domain_stands: bool = False) -> str:
        """The failure in words, see `render_failure`; empty if the planner gave no verdict."""
        if isinstance(self.failure, NoVerdict):
            return ""
        return feedback.render_failure(self.failure, domain_stands)


def evaluate_root(proposal: Proposal) -> CandidateEvaluation:
    """A root holds a problem and no domain yet: it is either of no use or the lowest that can be expanded."""
    checked = check_candidate(proposal)
    if checked.outcome is None or checked.failure is None:
        raise ValueError("not a root: it has a domain; evaluate it with an Evaluator")
    return CandidateEvaluation.of(TaskFinding(Rating(checked.outcome), checked.failure), "", 0.0)


@dataclass(frozen=True)
class Evaluator:
    """Evaluates proposals for one task of an environment. Picklable and cheap to send."""

    env: str
    problem: int | str
    seed: int
    judge: Judge
    tells_plans: bool = True  #: whether feedback says how a plan failed, or only that it did
    looks_further: bool = False  #: whether a model whose EW is 1 is looked at further before it plans

    def __call__(self, proposal: Proposal) -> CandidateEvaluation:
        """The evaluation of `proposal`. Raises MachineFault, PlannerMissing; never for the model's faults."""
        started = time.perf_counter()
        found = self.find(proposal)
        return CandidateEvaluation.of(found, str(self.problem), time.perf_counter() - started)

    def find(self, proposal: Proposal) -> TaskFinding:
        """What is found about the problem and the domain of `proposal`. Raises as the evaluation does."""
        checked = check_candidate(proposal)
        if checked.outcome is not None and checked.failure is not None:
            return TaskFinding(Rating(checked.outcome), checked.failure)
        assert checked.read is not None, "a proposal without a failure can be read"
        world = open_world(self.env, self.problem)
        seen = tuple(o for o in proposal.observations if o.task == str(self.problem))
        return replace(self._found(world, checked.read, seen), read=checked.read)

    def _found(self, world: World, problem: Problem, seen: Sequence[Observation]) -> TaskFinding:
        try:
            model = self.judge.compile(problem, world)
        except PDDLError as error:
            return TaskFinding(Rating(Outcome.INVALID_DOMAIN), feedback.Faults(Diagnosis(error.issues)))
        except GroundingExploded as error:
            return self._walk_lifted(world, problem, error)
        return self._walk(world, problem, model, seen)

    def _walk(self, world: World, problem: Problem, model: Task, seen: Sequence[Observation]) -> TaskFinding:
        system = transitions_of(world)
        found = self._walked(_Case(world, problem, model, system), seen)
        score = replace(found.score, simulator=cost_of(system))
        return replace(found, score=score.with_actions(action.name for action in world.actions))

    def _walked(self, case: _Case, seen: Sequence[Observation]) -> TaskFinding:
        world, model = case.world, case.model
        score = self.judge.walk(case.system, model, self._walks())
        if score.ew is None:
            stuck = feedback.NoInitialAction.seen_in(world)
            shown = (stuck.executable,) if stuck.executable else ()
            story = step_by_step(world, model, Direction.FORWARD, shown)
            return TaskFinding(Rating(Outcome.NO_INITIAL_ACTION), stuck, score, story=story)
        case = replace(case, score=score)
        known = first_contradiction(world, model, seen)
        if known is not None:
            return self._disagreeing(case, known, repeated=True)
        if score.ew == 1.0:
            found, case = self._looked_further(case) if self.looks_further else (None, case)
            return self._plan(case) if found is None else self._disagreeing(case, found)
        difference = first_disagreement(world, model, self._walks(), self.judge.walks, case.system)
        if difference is None:
            raise RuntimeError(f"EW is {score.ew}, but the walks that it was taken on all agree")
        return self._disagreeing(case, difference)

    def _walk_lifted(self, world: World, problem: Problem, explosion: GroundingExploded) -> TaskFinding:
        """Without grounding, where the estimator scores lifted models and bounds are kept."""
        exploded = feedback.Exploded(str(explosion))
        unscored = TaskFinding(Rating(Outcome.EXPLODED), exploded)
        if not self.judge.walks.by.scores_lifted or explosion.kind not in _COUNTED:
            return unscored
        failure: feedback.Failure = exploded
        shrinking = 0
        try:
            both = BoundedLifted(world, problem, self.judge.walks, self.judge.limits.cpu_s)
            score = score_record(both.score(self._walks()))
            if score.ew is None:
                return TaskFinding(
                    Rating(Outcome.NO_INITIAL_ACTION), feedback.NoInitialAction.seen_in(world), score
                )
            difference = both.disagreement(self._walks())
            if difference is not None:
                failure = difference
                if self.judge.feedback == "shortest":
                    failure = shrink_by(world, both.ran, difference, MAX_SHRINKING, asked=both.system)
                    shrinking = failure.world_queries
        except GAVE_UP:
            return unscored
        spent = replace(score, world_queries=both.world_queries + shrinking, simulator=cost_of(both.system))
        spent = spent.with_actions(action.name for action in world.actions)
        return TaskFinding(Rating(Outcome.WALKED, score.ew), failure, spent)

    def _plan(self, case: _Case) -> TaskFinding:
        """Try the planner's plan; if it fails, what a walk shows may say better why than the plan does."""
        result = self.judge.draw_plan(case.problem)
        ew, score = case.score.ew, case.score
        failure: feedback.Failure | NoVerdict
        story = difference = None
        if result.plan is None:
            failure = no_plan(result.outcome)
        else:
            verdict = case.world.verify(result.plan)
            if verdict.valid:
                return TaskFinding(
                    Rating(Outcome.SOLVED, ew), feedback.Solved(result.plan), score, PlanOutcome.SOLVED
                )
            failure = rejected = feedback.PlanRejected.seen_in(case.world, result.plan, verdict)
            story = step_by_step(case.world, case.model, "plan", result.plan)
            if self.judge.feedback == "shortest":
                difference = rejected.disagreement
        if not self.tells_plans:
            failure = failure if isinstance(failure, NoVerdict) else feedback.Incorrect()
            return TaskFinding(Rating(Outcome.WALKED, ew), failure, score, result.outcome, story)
        if difference is None:
            difference, case = self._further_out(case)
        if difference is not None:
            return replace(self._disagreeing(case, difference), plan=result.outcome)
        return TaskFinding(Rating(Outcome.WALKED, ew), failure, case.score, result.outcome, story)

    def _looked_further(self, case: _Case) -> tuple[Disagreement | None, _Case]:
        """A disagreement by `mixed` walks or a probe, and the case with what looking for it took and showed.

        With the score, it keeps to the steps that a world's simulator may make.
        """
        walks = WorldWalks(case.system)
        self.judge.walk(walks, case.model, self._walks())  # the score's own walks are paid for already
        known, before, most = walks.queries, len(walks.seen().parents), self.judge.walks.max_world_steps
        look = FurtherLook(limits=limits_in(case.world, self.judge.limits))
        left = MOST_STEPS if most is None else min(MOST_STEPS, max(0, most - walks.cost.steps))
        with walks.capped(left):
            rng = stream(self.seed, "further", world_label(self.env), self.problem)
            found = look(walks, case.problem, case.model, rng)
        ran = tally(walks.operators, walks.seen().operators[before:], "world_executed")
        score = case.score.with_cost(walks.queries - known).with_tally(ran)
        shown = None if found is None else Disagreement(*found, state_before(case.world, found.walk))
        return shown, replace(case, score=score)

    def _further_out(self, case: _Case) -> tuple[Disagreement | None, _Case]:
        """A disagreement on walks longer than the score's, and the case with what looking for it took."""
        walks = WorldWalks(case.system, QueryBudget(MAX_FURTHER))
        self.judge.walk(walks, case.model, self._walks())  # the score's own walks are paid for already
        known = walks.queries
        try:
            found = first_disagreement(case.world, case.model, self._walks(), self.judge.walks, walks)
        except BudgetExceeded:
            found = None
        return found, replace(case, score=case.score.with_cost(walks.queries - known))

    def _disagreeing(self, case: _Case, found: Disagreement, *, repeated: bool = False) -> TaskFinding:
        """A disagreement in the form that the episode asks for."""
        shortest = Counterexample(found)
        if self.judge.feedback == "shortest":
            rng = stream(self.seed, "agreement", world_label(self.env), self.problem)
            shortest = explained(case.world, case.problem, case.model, found, rng, asked=case.system)
        spent = case.score.with_cost(shortest.world_queries)
        story = step_by_step(case.world, case.model, shortest.shown.direction, shortest.shown.walk)
        failure = feedback.Repeated(shortest.failure) if repeated else shortest.failure
        return TaskFinding(Rating(Outcome.WALKED, case.score.ew), failure, spent, story=story)

    def _walks(self) -> np.random.Generator:
        """Equal for all candidates; differences are first sought in the walks of the score."""
        return stream(self.seed, "walks", world_label(self.env), self.problem)


@dataclass(frozen=True)
class _Case:
    """A model that could be walked, beside the world, the system that this is walked in, and its score.

    A simulator never goes again where the walks of the score have been, and its system counts all it does.
    """

    world: World
    problem: Problem
    model: Task
    system: TransitionSystem
    score: Score = _UNSCORED


@dataclass(frozen=True)
class TasksEvaluator:
    """Evaluates proposals that hold a problem for each of the first of `tasks`. Picklable."""

    env: str
    tasks: tuple[int | str, ...]
    seed: int
    judge: Judge
    tells_plans: bool = True  #: whether feedback says how a plan failed, or only that it did
    corrects_problems: bool = True  #: whether a problem may be found at fault
    looks_further: bool = False  #: see `Evaluator`

    def __call__(self, proposal: Proposal) -> CandidateEvaluation:
        """The evaluation of `proposal`. Raises MachineFault, PlannerMissing; never for the model's faults."""
        started = time.perf_counter()
        number, found, score = self._first_unsolved(proposal)
        rating = replace(found.rating, tasks=number)
        return CandidateEvaluation.of(
            replace(found, rating=rating, score=score),
            str(self.tasks[number]),
            time.perf_counter() - started,
            wanted=self._wanted(number, found, proposal),
            doubts=self._doubts(number, found),
        )

    def _first_unsolved(self, proposal: Proposal) -> tuple[int, TaskFinding, Score]:
        """The index of that task, or of the last with a problem; what was found in it; its score, with what
        all of them cost and exercised."""
        before = _UNSCORED
        for number, problem in enumerate(proposal.problems or (None,)):
            task, flags = self.tasks[number], (self.tells_plans, self.looks_further)
            evaluator = Evaluator(self.env, task, self.seed, self.judge, *flags)
            found = evaluator.find(replace(proposal, problem=problem))
            score = found.score.after(before)
            if found.rating.outcome is not Outcome.SOLVED:
                break
            before = score
        return number, found, score

    def _doubts(self, number: int, found: TaskFinding) -> tuple[Doubt, ...]:
        """Doubts about the text of a task, where the domain solved the tasks before it."""
        explained = found.failure.failure if isinstance(found.failure, Repeated) else found.failure
        if not number or not isinstance(explained, Explained):
            return ()
        return fact_doubts(str(self.tasks[number]), explained.causes)

    def _wanted(self, number: int, found: TaskFinding, proposal: Proposal) -> Wanted:
        if found.rating.outcome is Outcome.SOLVED:
            return Wanted.TASK if number + 1 < len(self.tasks) else Wanted.DOMAIN
        # A domain that works in the tasks before is no more suspect than the problem of this one.
        suspect = number > 0 or _may_be_the_problem(found)
        return Wanted.EITHER if self.corrects_problems and suspect else Wanted.DOMAIN


def _may_be_the_problem(found: TaskFinding) -> bool:
    """Whether the problem may be at fault: its goal if a plan fails, its initial state if no action has had
    a say in what the step that parts depends on, or if facts of it explain what was seen.

    A domain that was walked through without a difference up to its plan has little left that is wrong.
    """
    failure = found.failure.failure if isinstance(found.failure, Repeated) else found.failure
    match failure:
        case NoInitialAction():
            return True
        case Faults(diagnosis):
            return any(issue.source == "problem" for issue in diagnosis.errors)
        case Explained(shrunk, _, _, causes):
            parting, suspected = shrunk.disagreement, causes.suspects_facts
        case Shrunk(parting):
            suspected = False
        case Disagreement():
            parting, suspected = failure, False
        case _:
            return found.plan is not None
    if suspected or found.plan is not None or found.read is None:
        return suspected or found.plan is not None
    return may_be_initial(found.read, parting)
