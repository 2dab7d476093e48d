"""A repair under way: the model in parts, what was seen of its world, and how much may still be spent.

Walks show what runs; `GoalEvidence` is what the world says of its goal after walks. A verdict is the world's
answer to whether its goal holds after one walk; it costs one query, however long the walk. A walk that is
made for the sake of a verdict is evidence as every other is: the world is asked what may run at each of its
steps.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from typing import Literal

import numpy as np

from agents.repair.candidate import Candidate
from agents.repair.examples import Mask, TrainingExamples
from agents.repair.inferred_types import without_ill_typed
from agents.repair.model import Model, Test, without_tests
from agents.repair.operators import ExampleMaker
from agents.repair.overlooked import overlooked
from agents.repair.search import Repairs
from agents.repair.text import edited_problem
from envs.pddl.interface import World
from envs.pddl.language.domain import Problem
from envs.pddl.language.operators import parse_operator
from envs.pddl.planning.planner import Planner, PlanResult, planner_texts
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.grounding import GroundingExploded, Limits, limits_in
from envs.pddl.simulation.lifted import LiftedTask
from envs.pddl.simulation.probes import ProbedTask
from envs.pddl.simulation.simulator import Task
from ew.counterexample.disagreement import Direction
from ew.counterexample.exposure import ExposureConfig, expose
from ew.probes.examine import Examination, ExaminationConfig, examine, merged
from ew.probes.ways import probing_hints
from ew.walks.adapter import transitions_of
from ew.walks.budget import QueryBudget
from ew.walks.policies import Hints, make_policy
from ew.walks.walk_policy import policy_walks
from ew.walks.world_walks import Evidence, WorldWalks

#: The share of the time that is left for something better than what explains all, as walks are to confirm it.
TO_DOUBT = 1 / 8
#: The same share where it is not known whether fewer edits explain all.
UNSETTLED = 1 / 3


@dataclass(frozen=True, eq=False)
class RepairTask:
    """One task of the world, and the model's problem of it; all problems of a repair share their domain."""

    world: World
    problem: Problem
    known: Evidence | None = None  #: of the world in this task, from before; it costs no query


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
    walks: int = 30  #: of the first look at all tasks, by coverage
    t_max: int = 15
    check: ExposureConfig = field(default_factory=lambda: ExposureConfig(budget=250, batch=10, horizon=25))
    policies: tuple[str, ...] = ("mixed",)  #: of the checks, in turn
    #: of a model that the checks show nothing against; None: it is not looked at further
    examination: ExaminationConfig | None = field(
        default_factory=lambda: ExaminationConfig(plan_s=1.0, plans_s=5.0, stops=False)
    )
    #: `constraints` falls back on the search where its program is too large or takes too long
    search: Literal["constraints", "best_first"] = "constraints"
    constraints_s: float | None = None  #: processor time of one program; None: a quarter of `wall_s`
    agreeing: int = 3  #: checks in a row that must show nothing; at least one in each task
    expansions: int = 40  #: of one search; doubled where it gets nowhere
    most_expansions: int = 2000
    limits: Limits = field(default_factory=Limits)
    goal_trials: int = 12  #: plans for the goal that are asked for, before each is tried; 0 for none
    goal_guesses: int = 300  #: sets of edits that are looked at before each
    planner: Planner = field(default_factory=Planner)
    plan_s: float = 10.0  #: of one plan, if the planner itself has no shorter limit
    keeps_ledger: bool = False  #: whether the evidence for each literal is given back
    keeps_walked: bool = False  #: whether what was seen of the world is given back, for other repairs

    @property
    def program_s(self) -> float:
        """Processor time of one program of constraints, in seconds."""
        return self.wall_s / 4 if self.constraints_s is None else self.constraints_s


class _Place:
    """One task of a repair: its world, and what was seen there."""

    def __init__(self, task: RepairTask, own: LiftedTask, budget: QueryBudget, most_steps: int | None):
        self.world = task.world
        self.walks = WorldWalks(transitions_of(task.world, most_steps), budget, task.known)
        self.maker = ExampleMaker(own, self.walks.operators)
        self.goal = GoalEvidence(task.world, self.walks)
        self.hard: dict[str, Mask] = {}

    def keep_hard(self, operators: Mapping[str, Mask]) -> bool:
        """Thin out no more examples of these operators; False if none of them is new."""
        new = False
        for name, rows in operators.items():
            known = self.hard.get(name, np.zeros_like(rows))
            new = new or bool((rows & ~known).any())
            self.hard[name] = known | rows
        return new


class RepairSession:
    """One model, the tasks that it is repaired in, and what was seen there by now."""

    def __init__(self, tasks: Sequence[RepairTask], rng: np.random.Generator, config: RepairConfig):
        self._started = time.monotonic()
        self.config, self.model = config, Model.of(*(task.problem for task in tasks))
        self.given, self._rng = self.model, rng
        self.budget = QueryBudget(config.queries, self._started + config.wall_s)
        steps = config.max_world_steps
        self.places = [
            _Place(*pair, self.budget, steps) for pair in zip(tasks, self.model.tasks, strict=True)
        ]
        self.rounds = 0
        #: whether literals are left out that are not well-typed by inferred types
        self.infers_types = True
        #: preconditions that are not added, as they would disable their actions; rivals may have them
        self.left_out: frozenset[Test] = frozenset()
        self._shared: tuple[object, Repairs] | None = None
        self._compiled_for: object = None
        self._models: dict[int, Task] = {}  # by task
        self._with_probes: dict[int, ProbedTask] = {}

    @property
    def spent_s(self) -> float:
        """Seconds since the repair began."""
        return time.monotonic() - self._started

    @property
    def left_s(self) -> float:
        """Seconds that are left; negative when the time is up."""
        return self.config.wall_s - self.spent_s

    @property
    def queries(self) -> int:
        """What the world was asked by walks, in all tasks."""
        return sum(place.walks.queries for place in self.places)

    def is_late(self) -> bool:
        """Whether the time is up."""
        return self.left_s < 0

    def has_spent(self, share: float) -> Callable[[], bool]:
        """Says whether, from now on, this share of the time that is left has passed."""
        least = self.left_s * (1 - share)
        return lambda: self.left_s < least

    def edit(self, problems: Sequence[Problem]) -> None:
        """Go on with other problems of the same tasks, such as with other parameters of a predicate."""
        self.model, self._shared = Model.of(*problems), None
        for place, own in zip(self.places, self.model.tasks, strict=True):
            before = place.maker
            place.maker = ExampleMaker(own, place.walks.operators, before.also)
            place.hard = place.maker.renumbered(before, place.hard)

    def repairs(self) -> Repairs:
        """The candidates for all that was seen by now; the same ones as long as nothing is added to that."""
        seen = [place.walks.seen() for place in self.places]
        size = tuple((len(own.parents), len(own.asked)) for own in seen)
        if self._shared is None or self._shared[0] != size:
            makers = [place.maker for place in self.places]
            examples = TrainingExamples.of_tasks(makers, seen, [place.hard for place in self.places])
            if examples.never_executed:
                examples = replace(examples, runs_all=self._runs_all)
            shared = self.repairs_of(self.model, examples)
            self._shared = size, Repairs(without_tests(shared.model, self.left_out), examples)
        return self._shared[1]

    @cached_property
    def _runs_all(self) -> bool:
        """Whether each action of the given model can run in some task; also where limits are met."""
        run = set[str]()
        for place, problem in zip(self.places, self.given.problems, strict=True):
            try:
                task = compile_task(problem, limits_in(place.world, self.config.limits))
            except GroundingExploded:
                return True
            run |= {parse_operator(operator)[0] for operator in task.operators}
        return run >= self.given.actions.keys()

    def repairs_of(self, model: Model, seen: TrainingExamples) -> Repairs:
        """The candidates of a model of the same tasks, without literals that inferred types rule out."""
        return Repairs(without_ill_typed(model, seen) if self.infers_types else model, seen)

    def leave_out(self, literals: frozenset[Test]) -> None:
        """Add none of these preconditions from now on; empty for all of them again."""
        self.left_out, self._shared = literals, None

    def brings_back(self) -> bool:
        """Have all preconditions again that were left out; False if there are none."""
        if not self.left_out:
            return False
        self.leave_out(frozenset())
        return True

    def stop_inferring_types(self) -> bool:
        """Bring back the literals that inferred types rule out; False if there are none."""
        less = self.infers_types and without_ill_typed(self.model, self.repairs().seen) is not self.model
        if less:
            self.infers_types, self._shared = False, None
        return less

    def explains(self, candidate: Candidate) -> bool:
        """Whether the candidate, as it is, explains all that was seen by now."""
        repairs = self.repairs()
        again = repairs.candidate(candidate.edits)
        same = not again.unexplained and again.rules == candidate.rules
        return same and not any(overlooked(repairs, again))

    def untyped(self) -> list[list[str]]:
        """See `ExampleMaker.untyped`; by task."""
        return [place.maker.untyped(place.walks.seen()) for place in self.places]

    def evidence(self) -> tuple[Evidence, ...]:
        """What was seen of the world in each task."""
        return tuple(place.walks.evidence() for place in self.places)

    def verdicts(self) -> dict[int, bool]:
        """What the world says of its goal, by node of the walks in all tasks."""
        roots = self.repairs().seen.walks.roots
        own = (place.goal.verdicts.items() for place in self.places)
        return {root + n: holds for root, found in zip(roots, own, strict=True) for n, holds in found}

    def walk_to(self, node: int) -> tuple[str, ...]:
        """The operators that lead to a node of the walks in all tasks."""
        walks = self.repairs().seen.walks
        task = int(walks.task[node])
        return self.places[task].goal.walk_to(node - walks.roots[task])

    def look(self) -> None:
        """Walk in the world alone. Raises BudgetExceeded, TimeUp."""
        for place in self.places:
            lengths = [self.config.t_max] * -(-self.config.walks // len(self.places))
            policy_walks(place.walks, make_policy("coverage")(place.walks), lengths, self._rng)

    def look_at(self, operator: str, task: int) -> None:
        """Have an operator among the examples, if it was too far from the world's own to be one."""
        place = self.places[task]
        known = place.maker.knowing(operator)
        if known is not place.maker:
            place.hard = known.renumbered(place.maker, place.hard)
            place.maker, self._shared = known, None

    def keep_hard(self, operators: Sequence[Mapping[str, Mask]]) -> bool:
        """Thin out no more examples of these operators, by task; False if none of them is new."""
        self._shared = None
        return any([place.keep_hard(own) for place, own in zip(self.places, operators, strict=True)])

    def check(self, candidate: Candidate) -> bool:
        """Walk in the next task's world and edited model side by side, by the next policy.

        False if that is too large. Raises BudgetExceeded, TimeUp.
        """
        task, turn = self.rounds % len(self.places), self.rounds // len(self.places)
        policy = self.config.policies[turn % len(self.config.policies)]
        self.rounds += 1
        place = self.places[task]
        try:
            model = self._compiled(candidate, task)
            hints = Hints(model=model)
            if policy == "mixed":
                hints = probing_hints(self._probed(candidate, task), model)
        except GroundingExploded:
            return False
        check = self.config.check
        check = replace(check, budget=max(1, min(check.budget, self.budget.left)))
        found = expose(place.walks, model, make_policy(policy, hints), self._rng, check)
        if found.direction is Direction.BACKWARD:
            self.look_at(found.walk[-1], task)
        return True

    def examined(self, candidate: Candidate) -> Examination:
        """What walks did not show of the edited model, after a look at it. Raises PlannerMissing."""
        config = self.config.examination
        assert config is not None, "the caller asks only where it is to be examined"
        found: list[Examination] = []
        for task, place in enumerate(self.places):
            own = replace(
                config,
                queries=config.queries // len(self.places),
                novelty=config.novelty // len(self.places),
                planner=self.config.planner,
                plans_s=min(config.plans_s / len(self.places), max(0.0, self.left_s / 2)),
                limits=limits_in(place.world, self.config.limits),
            )
            before = merged(found).passed if found else frozenset()
            problem, probed = edited_problem(self.model, candidate, task), None
            with suppress(GroundingExploded):
                probed = self._probed(candidate, task)
            found.append(examine(place.walks, problem, self._rng, own, before, probed))
            refused = found[-1].found
            if refused is not None and refused.direction is Direction.BACKWARD:
                self.look_at(refused.walk[-1], task)
        return merged(found)

    def _compiled(self, candidate: Candidate, task: int) -> Task:
        """One task of the edited model; made once. Raises GroundingExploded."""
        self._forget_others(candidate)
        if task not in self._models:
            self._models[task] = compile_task(*self._edited(candidate, task))
        return self._models[task]

    def _probed(self, candidate: Candidate, task: int) -> ProbedTask:
        """One task of the edited model, with its probes; made once. Raises GroundingExploded."""
        self._forget_others(candidate)
        if task not in self._with_probes:
            self._with_probes[task] = ProbedTask(*self._edited(candidate, task))
        return self._with_probes[task]

    def _edited(self, candidate: Candidate, task: int) -> tuple[Problem, Limits]:
        """One task of the edited model, and how large it may get."""
        limits = limits_in(self.places[task].world, self.config.limits)
        return edited_problem(self.model, candidate, task), limits

    def _forget_others(self, candidate: Candidate) -> None:
        """Keep nothing that was made of another model."""
        made_for = self.model, candidate.rules
        if self._compiled_for != made_for:
            self._compiled_for, self._models, self._with_probes = made_for, {}, {}

    def planned(self, candidate: Candidate, task: int) -> PlanResult:
        """The planner's answer for one task of the edited model, in the time that is left.

        Raises PlannerMissing.
        """
        return self.plans(edited_problem(self.model, candidate, task))

    def plans(self, problem: Problem, most_s: float = inf) -> PlanResult:
        """The planner's answer for a problem, in the time that is left. Raises PlannerMissing."""
        share = max(1.0, min(self.config.planner.wall_s, self.config.plan_s, self.left_s, most_s))
        return replace(self.config.planner, wall_s=share).plan(*planner_texts(problem))
