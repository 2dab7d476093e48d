"""Repair: the fewest edits that make a model agree with its world, found by walking and searching in turn.

Each round looks for the fewest edits that explain all that was seen so far, then walks in the world and in
the model so edited, side by side and by several policies. What the walks add is evidence for the next round.
It ends when an edited model explains its own walks too, or when its budget is spent: then the best model so
far is returned with what still speaks against it. A model that explains all walks is then asked for a way to
the goal, and the world whether it holds there (`agents.repair.goals`).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from agents.repair.best_first import best_first
from agents.repair.candidate import Candidate
from agents.repair.constraints import fewest_edits
from agents.repair.goal_evidence import GoalEvidence
from agents.repair.goal_reach import GoalReach
from agents.repair.goals import GoalSearch, GoalStanding
from agents.repair.ledger import Entry, ledger
from agents.repair.lessons import Lessons, Teacher
from agents.repair.model import Model
from agents.repair.parameters import best_variant
from agents.repair.search import Repairs
from agents.repair.text import (
    Change,
    changed_domain,
    changed_problem,
    changes,
    edited_problem,
    parameter_words,
)
from envs.pddl.interface import World
from envs.pddl.language.domain import Problem
from envs.pddl.mutation.parameters import ParameterFault
from envs.pddl.planning.planner import Planner, PlanResult
from envs.pddl.planning.planner_text import planner_texts
from envs.pddl.simulation.allowance import limits_in
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.grounding import GroundingExploded, Limits
from envs.pddl.simulation.simulator import Task
from ew.counterexample.disagreement import Direction
from ew.counterexample.exposure import ExposureConfig, expose
from ew.walks.adapter import transitions_of
from ew.walks.budget import BudgetExceeded, QueryBudget, TimeUp
from ew.walks.choosing import policy_walks
from ew.walks.policies import Hints, make_policy
from ew.walks.world_walks import Evidence, WorldWalks


class Verdict(StrEnum):
    """How a repair ended."""

    AGREES = "agrees"  #: nothing that was seen speaks against the model
    OUT_OF_QUERIES = "out_of_queries"
    OUT_OF_TIME = "out_of_time"
    UNEXPLAINED = "unexplained"  #: no edits that may be made explain all that was seen
    TOO_LARGE = "too_large"  #: what explains all that was seen is too large to be walked in, so unconfirmed


@dataclass(frozen=True)
class RepairConfig:
    """How much may be spent, and how it is spent."""

    queries: int = 5000  #: of the world
    wall_s: float = 30.0
    walks: int = 30  #: of the first look, by coverage
    t_max: int = 15
    check: ExposureConfig = field(default_factory=lambda: ExposureConfig(budget=250, batch=10, horizon=25))
    policies: tuple[str, ...] = ("coverage", "uniform", "schema_first")  #: of the checks, in turn
    #: `constraints` falls back on the search where its program is too large or takes too long
    search: Literal["constraints", "best_first"] = "constraints"
    constraints_s: float = 8.0  #: of one program
    agreeing: int = 3  #: checks in a row that must show nothing
    expansions: int = 40  #: of one search; doubled where it gets nowhere
    most_expansions: int = 2000
    limits: Limits = field(default_factory=Limits)
    goal_trials: int = 12  #: plans for the goal that are asked for, before each is tried; 0 for none
    goal_guesses: int = 300  #: sets of edits that are looked at before each
    planner: Planner = field(default_factory=Planner)
    plan_s: float = 10.0  #: of one plan, if the planner itself has no shorter limit
    keeps_ledger: bool = False  #: whether the evidence is told for each literal
    keeps_walked: bool = False  #: whether what was seen of the world is given back, for other repairs


@dataclass(frozen=True)
class Repaired:
    """What a repair came to."""

    verdict: Verdict
    domain: str
    problem: str
    edits: tuple[Change, ...]
    unexplained: int  #: operators seen that speak against the model
    world_queries: int
    rounds: int
    wall_s: float
    parameters: tuple[ParameterFault, ...] = ()  #: predicates that were given another parameter list first
    goal: GoalStanding = GoalStanding.NOT_ASKED
    goal_walk: tuple[str, ...] = ()  #: after which it holds in the world and in the model, if it is reached
    evidence: tuple[Entry, ...] = ()  #: the ledger, if it was asked for
    walked: Evidence | None = None  #: what was seen of the world, if it was asked for

    @property
    def told(self) -> tuple[str, ...]:
        """All edits in words, those of parameter lists first."""
        return (*map(parameter_words, self.parameters), *map(str, self.edits))


def repair(
    world: World,
    problem: Problem,
    rng: np.random.Generator,
    config: RepairConfig | None = None,
    known: Evidence | None = None,
) -> Repaired:
    """Repair a problem and its domain in `world`. Deterministic for a generator, but for the time limits.

    What is `known` of the world, in the same task, is evidence from the start and costs no query.
    Raises PlannerMissing, unless goals are not to be asked for (`RepairConfig.goal_trials`).
    """
    return _Repair(world, problem, rng, config or RepairConfig(), known).run()


class _Repair:
    """One model, its world, and what was seen."""

    def __init__(
        self,
        world: World,
        problem: Problem,
        rng: np.random.Generator,
        config: RepairConfig,
        known: Evidence | None,
    ):
        self._started = time.monotonic()
        self._world, self._problem, self._rng, self._config = world, problem, rng, config
        self._given = problem
        self._model = Model.of(problem)
        budget = QueryBudget(config.queries, self._started + config.wall_s)
        self._walks = WorldWalks(transitions_of(world), budget, known)
        self._knows = 0 if known is None else len(known.states)
        self._teacher = Teacher(self._model.task, self._walks.operators)
        self._hard: dict[str, NDArray[np.bool_]] = {}
        self._parameters: tuple[ParameterFault, ...] = ()
        self._rounds = 0
        self._expansions = config.expansions
        self._best = Candidate(frozenset(), {})
        self._shared: tuple[tuple[int, int], Repairs] | None = None
        self._goal, self._goal_evidence = GoalStanding.NOT_ASKED, GoalEvidence(world, self._walks)

    def run(self) -> Repaired:
        """Round after round, and then the goal."""
        try:
            if 2 * self._knows < self._config.walks * self._config.t_max:  # others have not looked for it
                self._look()
            self._best = self._search(self._best)
            verdict = self._agreed(self._config.agreeing)
            while verdict is Verdict.AGREES and self._changed_by_goal():
                verdict = self._agreed(1)
        except BudgetExceeded:
            verdict = Verdict.OUT_OF_QUERIES
        except TimeUp:
            verdict = Verdict.OUT_OF_TIME
        return self._result(verdict)

    def _agreed(self, checks: int) -> Verdict:
        """Edit the model until so many checks in a row show nothing. Raises BudgetExceeded, TimeUp."""
        agreeing = 0
        while agreeing < checks:
            if self._late:
                return Verdict.OUT_OF_TIME
            before = self._walks.queries
            walked = self._check(self._best)
            if self._explains(self._best):
                if not walked:
                    return Verdict.TOO_LARGE
                if self._teacher.untyped(self._walks.seen()):
                    return Verdict.UNEXPLAINED
                agreeing += 1
                continue
            agreeing = 0
            if not self._improved(before):
                return Verdict.UNEXPLAINED
        return Verdict.AGREES

    def _improved(self, before: int) -> bool:
        """Search for what explains all that was seen; False if there was nothing more to be tried.

        Where nothing new was found, the next search goes further; and if no query was made since `before`,
        there is something new to be seen by then.
        """
        found = self._search(self._best)
        if found.unexplained and found.edits == self._best.edits:
            if self._changes_parameters(found):
                self._best = self._search(Candidate(frozenset(), {}))
                return True
            if self._expansions > self._config.most_expansions:
                return False
            self._expansions *= 2
            if self._walks.queries == before:
                self._look()
        self._best = found
        return True

    def _changed_by_goal(self) -> bool:
        """Ask for a way to the goal; True if there is a model, or something seen, to be walked again."""
        if not self._config.goal_trials:
            return False
        search = GoalSearch(
            self._model,
            self._teacher,
            self._goal_evidence,
            self._repairs,
            self._planned,
            self._explains,
            self._look_at,
            lambda: self._late,
            self._config.goal_guesses,
        )
        try:
            found = search.settle(self._best, self._config.goal_trials)
        except (BudgetExceeded, TimeUp):
            self._goal = GoalStanding.UNKNOWN
            if self._explains(self._best):
                return False
            raise
        self._goal = found.standing
        changed = found.candidate.rules != self._best.rules
        self._best = found.candidate
        return changed or found.news

    def _changes_parameters(self, found: Candidate) -> bool:
        """Give a predicate another parameter list, if that alone is worth more than the edits of `found`."""
        repairs = self._repairs()
        variant = best_variant(self._problem, repairs.lessons, repairs.suspects(found), lambda: self._late)
        if variant is None or variant.worth >= found.worth:
            return False
        self._problem, self._model, self._shared = variant.problem, Model.of(variant.problem), None
        self._parameters = (*self._parameters, variant.edit)
        return True

    def _look(self) -> None:
        """Walk in the world alone."""
        chooser = make_policy("coverage").start(self._walks)
        policy_walks(self._walks, chooser, [self._config.t_max] * self._config.walks, self._rng)

    @property
    def _late(self) -> bool:
        return time.monotonic() - self._started > self._config.wall_s

    def _repairs(self) -> Repairs:
        """The candidates for all that was seen by now; the same ones as long as nothing is added to that."""
        seen = self._walks.seen()
        size = len(seen.parents), len(seen.asked)
        if self._shared is None or self._shared[0] != size:
            self._shared = size, Repairs(self._model, self._teacher.lessons(seen, self._hard))
        return self._shared[1]

    def _search(self, before: Candidate) -> Candidate:
        """The fewest edits for all that was seen; what was thinned out is brought back if need be."""
        while True:
            repairs = self._repairs()
            found = self._fewest(repairs, before)
            if self._late or found.unexplained or not self._learn(repairs.overlooked(found)):
                return found

    def _fewest(self, repairs: Repairs, before: Candidate) -> Candidate:
        """The edits that the constraints choose if they end in time, else what the search finds from them."""
        start = before.edits
        if self._config.search == "constraints":
            left = self._config.wall_s - (time.monotonic() - self._started)
            share = min(self._config.constraints_s, left)
            chosen = fewest_edits(self._model, repairs.lessons, share, repairs)
            if chosen.finished and not chosen.candidate.unexplained:
                return chosen.candidate
            start = min(chosen.candidate, repairs.candidate(start), key=lambda c: c.rank).edits
        return best_first(repairs, start, self._expansions, lambda: self._late)

    def _learn(self, overlooked: dict[str, NDArray[np.bool_]]) -> bool:
        """Name more operators as hard; False if they all were."""
        new = False
        for name, rows in overlooked.items():
            known = self._hard.get(name, np.zeros_like(rows))
            new = new or bool((rows & ~known).any())
            self._hard[name] = known | rows
        self._shared = None
        return new

    def _explains(self, candidate: Candidate) -> bool:
        """Whether the candidate, as it is, explains all that was seen by now."""
        repairs = self._repairs()
        again = repairs.candidate(candidate.edits)
        return not again.unexplained and again.rules == candidate.rules and not repairs.overlooked(again)

    def _check(self, candidate: Candidate) -> bool:
        """Walk in world and edited model side by side, by the next policy; False if that is too large."""
        policy = self._config.policies[self._rounds % len(self._config.policies)]
        self._rounds += 1
        task = self._compiled(candidate)
        if task is None:
            return False
        left = self._walks.budget.left if self._walks.budget else self._config.check.budget
        check = replace(self._config.check, budget=max(1, min(self._config.check.budget, left)))
        found = expose(self._walks, task, make_policy(policy, Hints(model=task)), self._rng, check)
        if found.direction is Direction.BACKWARD:
            self._look_at(found.walk[-1])
        return True

    def _look_at(self, operator: str) -> None:
        """Have an operator among the examples, if it was too far from the world's own to be one."""
        teacher = self._teacher.knowing(operator)
        if teacher is not self._teacher:
            self._teacher, self._hard, self._shared = teacher, {}, None

    def _compiled(self, candidate: Candidate) -> Task | None:
        """The edited model, to be walked in; None if it is too large for that."""
        limits = limits_in(self._world, self._config.limits)
        try:
            return compile_task(edited_problem(self._model, candidate), limits)
        except GroundingExploded:
            return None

    def _planned(self, candidate: Candidate) -> PlanResult:
        """The planner's answer for the edited model, in the time that is left. Raises PlannerMissing."""
        left = self._config.wall_s - (time.monotonic() - self._started)
        share = min(self._config.planner.wall_s, self._config.plan_s, left)
        planner = replace(self._config.planner, wall_s=max(1.0, share))
        return planner.plan(*planner_texts(edited_problem(self._model, candidate)))

    def _result(self, verdict: Verdict) -> Repaired:
        """The best candidate, or the model as it was given if that gets less wrong of what was seen."""
        best, lessons = self._best, self._repairs().lessons
        errors, wrong = self._errors(self._model, lessons, best)
        if verdict is not Verdict.AGREES:
            given = Model.of(self._given)
            before = self._errors(given, lessons, None)
            if before <= (errors, wrong):
                self._problem, self._model, self._parameters = self._given, given, ()
                best, (errors, wrong) = Candidate(frozenset(), {}), before
        edits = changes(self._model, best)
        verdicts = self._goal_evidence.verdicts
        reached = [] if wrong else self._reach(self._model, lessons).confirmed(best.edits, verdicts)
        return Repaired(
            verdict,
            changed_domain(self._problem, edits),
            changed_problem(self._problem, edits),
            edits,
            errors,
            self._walks.queries + self._goal_evidence.queries,
            self._rounds,
            time.monotonic() - self._started,
            self._parameters,
            self._standing(reached),
            self._goal_evidence.walk_to(reached[0]) if reached else (),
            ledger(self._model, lessons, best, None, reached) if self._config.keeps_ledger else (),
            self._walks.evidence() if self._config.keeps_walked else None,
        )

    def _reach(self, model: Model, lessons: Lessons) -> GoalReach:
        return GoalReach(model, Repairs(model, lessons), self._teacher.own())

    def _errors(self, model: Model, lessons: Lessons, candidate: Candidate | None) -> tuple[int, int]:
        """Operators that speak against a candidate, or against the model itself, and verdicts on the goal."""
        edits = candidate.edits if candidate else frozenset()
        wrong = self._reach(model, lessons).contradicted(edits, self._goal_evidence.verdicts)
        untyped = self._teacher.untyped(self._walks.seen())
        return Repairs(model, lessons).errors(candidate) + untyped, len(wrong)

    def _standing(self, reached: Sequence[int]) -> GoalStanding:
        """What can be said of the goal in the end; `reached` are nodes where world and model have it."""
        if reached:
            return GoalStanding.REACHED
        return GoalStanding.UNKNOWN if self._goal is GoalStanding.REACHED else self._goal
