"""How a repair is judged: EW on fresh walks, what still disagrees, and tasks that are tried.

All of it, and the repair itself, draws on one `Allowance` of world queries and seconds. Nothing is done
beyond it: a score takes as many walks as the queries surely pay for, and what is not paid for is reported as
such.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from envs.pddl.language.domain import Domain, Problem, read_problem
from envs.pddl.language.issues import PDDLError
from envs.pddl.planning.planner import Planner
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.grounding import GroundingExploded, Limits, limits_in
from envs.world import open_world
from ew.counterexample.disagreement import first_disagreement
from ew.counterexample.explained import MAX_SHRINKING
from ew.counterexample.feedback import Exploded, NoInitialAction, render_failure
from ew.counterexample.shrink import shrink
from ew.score.forecast import fitting
from ew.score.score import EWVerdict, ew_score
from ew.score.shown import shown
from ew.walks.adapter import transitions_of
from ew.walks.budget import BudgetExceeded, QueryBudget, SimulatorCost, TimeUp, total_cost
from ew.walks.simulator_cost import cost_of
from ew.walks.world_walks import WorldWalks
from experiments.evaluation.judge import Judge
from experiments.evaluation.solve import Attempt, act, unplanned
from experiments.runs.records import TaskOutcome, world_label
from experiments.runs.seeds import stream
from experiments.studies.candidates import model_of
from experiments.studies.repair.cases import Case, fresh_walks

#: What a verdict means, for people.
VERDICTS: Mapping[str, str] = MappingProxyType(
    {
        "agrees": "nothing in the world speaks against the repaired model, and all of it was looked at",
        "agrees_as_far_as_seen": "nothing that was seen in the world speaks against the repaired model",
        "holds_for_the_tasks_seen": (
            "nothing in the world speaks against the model in these tasks; of others nobody knows what the "
            "new conditions read at the start"
        ),
        "misses_the_goal": "nothing that runs speaks against the model, but it does not lead to every goal",
        "disables": "nothing speaks against the model, but the edits keep an action from ever running",
        "out_of_queries": "the world may not be asked more often (--queries); the best model so far",
        "out_of_time": "the time is up (--wall-s); the best model so far",
        "too_large": "the model that explains what was seen is too large to be walked in; unconfirmed",
        "unexplained": "no edits that repair can make explain all that was seen; the best model found",
    }
)
#: What became of the goal, for people.
GOALS: Mapping[str, str] = MappingProxyType(
    {
        "reached": "after a walk, it holds in the world as it does in the repaired model",
        "not_reached": "no model that was tried has a plan to it; nothing was edited for its sake",
        "unknown": "a limit was met before a plan was confirmed; nothing was edited for its sake",
        "not_asked": "walks and model do not agree, so no plan was tried",
    }
)
NO_QUERIES = "the world may not be asked more often (--queries)"
NO_TIME = "the time is up (--wall-s)"
TOO_LARGE = "the model is too large to be walked in"
NO_ACTION = "nothing can be done at first"
#: Walks of the EW score that a tried task is shown with.
_TASK_WALKS = 100
#: Of a look for a disagreement where no score was paid for.
_LEAST_WALKS = 2
#: Seconds that a planner is started for at least.
_LEAST_S = 0.5


class Allowance:
    """World queries and seconds for everything that one command does; it begins when it is made."""

    def __init__(self, queries: int, wall_s: float):
        self.queries, self.wall_s = queries, wall_s
        self.spent = 0
        self._started = time.monotonic()

    @property
    def seconds(self) -> float:
        """Seconds that are left, at least 0."""
        return max(0.0, self._started + self.wall_s - time.monotonic())

    @property
    def used(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self._started

    def budget(self, share: float = 1.0) -> QueryBudget:
        """A budget of at most that share of all queries and seconds; what it takes is added to `spent`."""
        seconds = min(self.seconds, share * self.wall_s)
        left = min(self.queries - self.spent, int(share * self.queries))
        return QueryBudget(left, time.monotonic() + seconds)


@dataclass(frozen=True)
class Measured:
    """An EW score on fresh walks, or why there is none."""

    ew: float | None
    walks: int = 0
    why: str = ""

    def is_below(self, other: Measured) -> bool:
        """Whether it is the lower of two scores, on the same walks."""
        same = self.walks == other.walks
        return same and self.ew is not None and other.ew is not None and self.ew < other.ew

    def __str__(self) -> str:
        return f"none ({self.why})" if self.ew is None else shown(self.ew, 3)


class RepairJudge:
    """Judges models of one world, and tries its tasks, with what is left of an allowance.

    All models are judged by the same fresh walks; what the world said to one is not asked again for another.
    """

    def __init__(self, case: Case, seed: int, walks: int, planner: Planner, allowance: Allowance):
        self._case, self._seed, self._walks, self._planner = case, seed, walks, planner
        self._allowance = allowance
        # a world of its own, so that what a simulator counts itself is not counted for the repair too
        self._system = transitions_of(open_world(case.env, case.number))
        self._tree = WorldWalks(self._system)
        self._tried: list[SimulatorCost | None] = []  # what simulators did for tasks

    @property
    def simulator(self) -> SimulatorCost | None:
        """What simulators did for walks by now; None where these are batched."""
        return total_cost((cost_of(self._system), *self._tried))

    def measure(self, problem: Problem, share: float = 1.0) -> Measured:
        """EW on fresh walks, by at most that share of the allowance."""
        model = model_of(problem, self._case.world)
        if model is None:
            return Measured(None, why=TOO_LARGE)
        with self._spending(self._tree, share):
            try:
                config = fitting(fresh_walks(self._walks), self._tree)
                found = ew_score(self._tree, model, self._fresh(), config)
            except TimeUp:
                return Measured(None, why=NO_TIME)
        why = NO_QUERIES if found.verdict is EWVerdict.OUT_OF_BUDGET else NO_ACTION
        return Measured(found.score, found.walks, "" if found.score is not None else why)

    def disagreement(self, problem: Problem, walks: int) -> str:
        """What still disagrees on so many of the fresh walks, or on longer ones, at its shortest, in words.

        Empty if nothing is found, or if it is not paid for.
        """
        world, model = self._case.world, model_of(problem, self._case.world)
        if model is None:
            return render_failure(Exploded("It cannot be ground within the limits."))
        try:
            with self._spending(self._tree):
                if not model.applicable(model.initial(1)).any():
                    self._tree.applicable(self._tree.initial(1))  # paid for before it is described
                    return render_failure(NoInitialAction.seen_in(world))
                config = fresh_walks(max(_LEAST_WALKS, walks))
                found = first_disagreement(world, model, self._fresh(), config, self._tree)
        except (BudgetExceeded, TimeUp):
            return ""
        if found is None:
            return ""
        left = self._allowance.budget()
        short = shrink(world, model, found, min(MAX_SHRINKING, left.limit), left.until, self._system)
        self._allowance.spent += short.world_queries
        return render_failure(short)

    def attempt(self, task: int | str, domain: Domain, text: str) -> Attempt:
        """One task with a model: EW, a plan, and the plan in the environment, each step a query.

        Raises BudgetExceeded, TimeUp, MachineFault, WorldFault.
        """
        self._allowance.budget().check_time()
        env = self._case.env
        world = open_world(env, task)
        try:
            problem = read_problem(text, domain)
            model = compile_task(problem, limits_in(world, Limits()))
        except PDDLError as error:
            return Attempt(TaskOutcome.INVALID_PROBLEM, detail=str(error))
        except GroundingExploded as error:
            return Attempt(TaskOutcome.EXPLODED, detail=str(error))
        rng = stream(self._seed, "task", world_label(env), task)
        tree = WorldWalks(transitions_of(world))
        seconds = max(_LEAST_S, min(self._planner.wall_s, self._allowance.seconds))
        judge = Judge(fresh_walks(_TASK_WALKS), replace(self._planner, wall_s=seconds))
        with self._spending(tree):
            score = judge.walk(tree, model, rng)
        self._tried.append(score.simulator)
        result = judge.draw_plan(problem)
        if result.plan is None:
            self._allowance.budget().check_time()  # a planner that we cut short says nothing of the task
            return unplanned(result, score)
        return replace(act(env, task, result.plan, self._pay_step), score=score)

    def _pay_step(self) -> None:
        self._allowance.budget().take(1)
        self._allowance.spent += 1

    def _fresh(self) -> np.random.Generator:
        return stream(self._seed, "fresh", world_label(self._case.env), self._case.number)

    @contextmanager
    def _spending(self, tree: WorldWalks, share: float = 1.0) -> Iterator[None]:
        """Let a tree ask the world on the allowance's account."""
        tree.budget, before = self._allowance.budget(share), tree.queries
        try:
            yield
        finally:
            self._allowance.spent += tree.queries - before
