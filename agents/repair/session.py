"""A repair under way: the model in parts, what was seen of its world, and how much may still be spent.

Walks show what runs; `GoalEvidence` is what the world says of its goal after walks. A verdict is the world's
answer to whether its goal holds after one walk; it costs one query, however long the walk. A walk that is
made for the sake of a verdict is evidence as every other is: the world is asked what may run at each of its
steps.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from agents.repair.examples import ExampleMaker, Mask
from agents.repair.model import Candidate, Model
from agents.repair.search import Repairs
from agents.repair.text import edited_problem
from envs.pddl.interface import World
from envs.pddl.language.domain import Problem
from envs.pddl.planning.planner import Planner, PlanResult, planner_texts
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.grounding import GroundingExploded, Limits, limits_in
from ew.counterexample.disagreement import Direction
from ew.counterexample.exposure import ExposureConfig, expose
from ew.probes.examine import Examination, ExaminationConfig, examine
from ew.probes.ways import probing_hints
from ew.walks.adapter import transitions_of
from ew.walks.budget import QueryBudget
from ew.walks.policies import Hints, make_policy
from ew.walks.walk_policy import policy_walks
from ew.walks.world_walks import Evidence, WorldWalks


@dataclass(frozen=True)
class Followed:
    """How a plan went in the world."""

    node: int  #: of the last state that was reached
    refused: str = ""  #: the operator that the world refused there; empty if the plan ran to its end


class GoalEvidence:
    """The verdicts on the nodes of a tree of walks. Grows with use; shares the budget of the walks."""

    def __init__(self, world: World, walks: WorldWalks):
        self._world, self._walks = world, walks
        self._numbers = {text: number for number, text in enumerate(walks.operators)}
        self.verdicts: dict[int, bool] = {}  #: node to whether the goal holds there, in the order of asking
        self.queries = 0  #: verdicts that the world was asked for

    def ask(self, node: int) -> bool:
        """Whether the goal holds after the walk to a node; asked once. Raises BudgetExceeded, TimeUp."""
        if node not in self.verdicts:
            if self._walks.budget is not None:
                self._walks.budget.take(1)
            self.queries += 1
            walk = self.walk_to(node)
            self._walks.count_walk(len(walk))
            self.verdicts[node] = self._world.verify(walk).goal_reached
        return self.verdicts[node]

    def follow(self, plan: Sequence[str]) -> Followed:
        """Walk in the world as a plan says, as far as that goes. Raises BudgetExceeded, TimeUp."""
        node = 0
        for operator in plan:
            number, here = self._numbers.get(operator), np.array([node])
            runs = self._walks.applicable(here)[0]
            if number is None or not runs[number]:
                return Followed(node, operator)
            node = int(self._walks.successors(here, np.array([number]))[0])
        self._walks.applicable(np.array([node]))  # the last state is looked at, too
        return Followed(node)

    def walk_to(self, node: int) -> tuple[str, ...]:
        """The operators that lead to a node."""
        return tuple(self._walks.operators[o] for o in self._walks.seen().walk_to(node))


@dataclass(frozen=True)
class RepairConfig:
    """How much may be spent, and how it is spent."""

    queries: int = 5000  #: of the world
    wall_s: float = 30.0
    max_world_steps: int | None = None  #: that a world's simulator may make; None is no cap
    walks: int = 30  #: of the first look, by coverage
    t_max: int = 15
    check: ExposureConfig = field(default_factory=lambda: ExposureConfig(budget=250, batch=10, horizon=25))
    policies: tuple[str, ...] = ("mixed",)  #: of the checks, in turn
    #: of a model that the checks show nothing against; None: it is not looked at further
    examination: ExaminationConfig | None = field(
        default_factory=lambda: ExaminationConfig(plan_s=1.0, plans_s=5.0, stops=False)
    )
    #: `constraints` falls back on the search where its program is too large or takes too long
    search: Literal["constraints", "best_first"] = "constraints"
    constraints_s: float = 8.0  #: processor time of one program
    agreeing: int = 3  #: checks in a row that must show nothing
    expansions: int = 40  #: of one search; doubled where it gets nowhere
    most_expansions: int = 2000
    limits: Limits = field(default_factory=Limits)
    goal_trials: int = 12  #: plans for the goal that are asked for, before each is tried; 0 for none
    goal_guesses: int = 300  #: sets of edits that are looked at before each
    planner: Planner = field(default_factory=Planner)
    plan_s: float = 10.0  #: of one plan, if the planner itself has no shorter limit
    keeps_ledger: bool = False  #: whether the evidence for each literal is given back
    keeps_walked: bool = False  #: whether what was seen of the world is given back, for other repairs


class RepairSession:
    """One model, its world, and what was seen by now."""

    def __init__(
        self,
        world: World,
        problem: Problem,
        rng: np.random.Generator,
        config: RepairConfig,
        known: Evidence | None,
    ):
        self._started = time.monotonic()
        self.config, self.model = config, Model.of(problem)
        self._world, self._rng = world, rng
        self.budget = QueryBudget(config.queries, self._started + config.wall_s)
        self.walks = WorldWalks(transitions_of(world, config.max_world_steps), self.budget, known)
        self.examples = ExampleMaker(self.model.task, self.walks.operators)
        self.goal = GoalEvidence(world, self.walks)
        self.rounds = 0
        self._hard: dict[str, Mask] = {}
        self._shared: tuple[tuple[int, int], Repairs] | None = None

    @property
    def spent_s(self) -> float:
        """Seconds since the repair began."""
        return time.monotonic() - self._started

    @property
    def left_s(self) -> float:
        """Seconds that are left; negative when the time is up."""
        return self.config.wall_s - self.spent_s

    def is_late(self) -> bool:
        """Whether the time is up."""
        return self.left_s < 0

    def edit(self, problem: Problem) -> None:
        """Go on with another problem of the same names, such as one with other parameters of a predicate."""
        self.model, self._shared, self._hard = Model.of(problem), None, {}
        self.examples = ExampleMaker(self.model.task, self.walks.operators, self.examples.also)

    def repairs(self) -> Repairs:
        """The candidates for all that was seen by now; the same ones as long as nothing is added to that."""
        seen = self.walks.seen()
        size = len(seen.parents), len(seen.asked)
        if self._shared is None or self._shared[0] != size:
            self._shared = size, Repairs(self.model, self.examples.examples(seen, self._hard))
        return self._shared[1]

    def explains(self, candidate: Candidate) -> bool:
        """Whether the candidate, as it is, explains all that was seen by now."""
        repairs = self.repairs()
        again = repairs.candidate(candidate.edits)
        return not again.unexplained and again.rules == candidate.rules and not repairs.overlooked(again)

    def untyped(self) -> list[str]:
        """See `ExampleMaker.untyped`."""
        return self.examples.untyped(self.walks.seen())

    def look(self) -> None:
        """Walk in the world alone. Raises BudgetExceeded, TimeUp."""
        policy = make_policy("coverage")(self.walks)
        policy_walks(self.walks, policy, [self.config.t_max] * self.config.walks, self._rng)

    def look_at(self, operator: str) -> None:
        """Have an operator among the examples, if it was too far from the world's own to be one."""
        known = self.examples.knowing(operator)
        if known is not self.examples:
            self.examples, self._hard, self._shared = known, {}, None

    def keep_hard(self, overlooked: Mapping[str, Mask]) -> bool:
        """Thin out no more examples of these operators; False if none of them is new."""
        new = False
        for name, rows in overlooked.items():
            known = self._hard.get(name, np.zeros_like(rows))
            new = new or bool((rows & ~known).any())
            self._hard[name] = known | rows
        self._shared = None
        return new

    def check(self, candidate: Candidate) -> bool:
        """Walk in world and edited model side by side, by the next policy; False if that is too large.

        Raises BudgetExceeded, TimeUp.
        """
        policy = self.config.policies[self.rounds % len(self.config.policies)]
        self.rounds += 1
        problem = edited_problem(self.model, candidate)
        try:
            limits = limits_in(self._world, self.config.limits)
            task = compile_task(problem, limits)
            hints = probing_hints(problem, task, limits) if policy == "mixed" else Hints(model=task)
        except GroundingExploded:
            return False
        check = self.config.check
        check = replace(check, budget=max(1, min(check.budget, self.budget.left)))
        found = expose(self.walks, task, make_policy(policy, hints), self._rng, check)
        if found.direction is Direction.BACKWARD:
            self.look_at(found.walk[-1])
        return True

    def examined(self, candidate: Candidate) -> Examination:
        """What walks did not show of the edited model, after a look at it. Raises PlannerMissing."""
        config = self.config.examination
        assert config is not None, "the caller asks only where it is to be examined"
        own = replace(
            config,
            planner=self.config.planner,
            plans_s=min(config.plans_s, max(0.0, self.left_s / 2)),
            limits=limits_in(self._world, self.config.limits),
        )
        found = examine(self.walks, edited_problem(self.model, candidate), self._rng, own)
        if found.found is not None and found.found.direction is Direction.BACKWARD:
            self.look_at(found.found.walk[-1])
        return found

    def planned(self, candidate: Candidate) -> PlanResult:
        """The planner's answer for the edited model, in the time that is left. Raises PlannerMissing."""
        share = max(1.0, min(self.config.planner.wall_s, self.config.plan_s, self.left_s))
        planner = replace(self.config.planner, wall_s=share)
        return planner.plan(*planner_texts(edited_problem(self.model, candidate)))
