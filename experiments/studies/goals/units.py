"""The units of the goals study: make a task, and guess what the agent of a task is after.

A method is how guesses are made and which operators they rest on. Learned operators are those that the
learner with known arguments finds in demonstrations of other tasks. Guesses of methods that ask a language
model are made in `experiments.studies.goals.study`; all others here, in a worker.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Literal, get_args

from agents.goals.asking import GUESSES, OURS, Presentation, View
from agents.goals.inference import infer
from agents.goals.space import Goal
from agents.goals.task import Observed
from agents.operators.learner import learn_operators
from agents.operators.lifted import Operator
from envs.pddl.planning.planner import Planner
from envs.pddl.simulation.grounding import GroundingExploded
from envs.tasks import sample
from experiments.runs.seeds import stream
from experiments.studies.goals.tasks import GoalTask, Kind, goal_task, size_of, space_of
from experiments.studies.operators.accuracy import true_operators
from experiments.studies.operators.demonstrations import drawn, minecraft, traces_of
from experiments.studies.study import Record, unit_key

Method = Literal[
    "llm-actions", "llm-operators", "parsing-learned", "parsing-true", "ranking-learned", "ranking-true"
]
METHODS: tuple[Method, ...] = get_args(Method)
#: What a language model is told, by method; the others ask none.
VIEWS: Mapping[str, View] = MappingProxyType(
    {
        "llm-actions": View.ACTIONS,
        "llm-operators": View.OPERATORS,
        "parsing-learned": View.PARSED,
        "parsing-true": View.PARSED,
    }
)
#: Goals of others that a language model is shown.
_EXAMPLES = 3


@dataclass(frozen=True)
class TaskUnit:
    """One task to be planned for."""

    kind: Kind
    number: int
    seed: int
    planner: str | None
    planner_wall_s: float
    together: bool = False  #: whether its subgoals are planned for at once

    @property
    def key(self) -> str:
        """Content hash; where the planner lies does not count."""
        return unit_key(replace(self, planner=None))


@dataclass(frozen=True)
class GuessUnit:
    """One method and task."""

    method: Method
    task: GoalTask
    learned_from: int  #: demonstrations
    seed: int
    presentation: Presentation = OURS

    @property
    def key(self) -> str:
        """Content hash."""
        return unit_key(self)

    @property
    def whole(self) -> bool:
        """Whether the plan is seen to its end."""
        return self.task.kind == "four"

    @property
    def operators(self) -> tuple[Operator, ...]:
        """The operators that the method rests on."""
        if self.method.endswith("true"):
            return tuple(true_operators(minecraft()))
        return learned(self.learned_from, self.seed)

    @property
    def observed(self) -> Observed:
        """What the observer knows."""
        facts, domain = self.task.facts, minecraft()
        objects = {**domain.constants, **facts.objects}
        return Observed(domain.vocabulary, self.operators, objects, frozenset(facts.init), self.task.seen)

    @property
    def examples(self) -> tuple[Goal, ...]:
        """Goals of others, drawn from the same space."""
        rng = stream(self.seed, "goal-examples", self.task.kind)
        items = space_of(self.task.kind).candidates
        return tuple(frozenset(sample(rng, items, size_of(self.task.kind))) for _ in range(_EXAMPLES))


def make(unit: TaskUnit) -> Record:
    """The record of a task; runs in a worker. Raises PlannerMissing."""
    planner = Planner(unit.planner, wall_s=unit.planner_wall_s)
    task = goal_task(unit.kind, unit.number, unit.seed, planner, unit.together)
    return {"task": None if task is None else asdict(task)}


def guess(unit: GuessUnit) -> Record:
    """The record of a guess without a language model; runs in a worker."""
    space = space_of(unit.task.kind)
    try:
        goals = infer(unit.observed, space, whole=unit.whole)[:GUESSES]
    except GroundingExploded as error:
        return judged(unit, (), str(error))
    return judged(unit, goals)


def judged(unit: GuessUnit, goals: Sequence[Goal], fault: str | None = None, tokens: int = 0) -> Record:
    """The record of some guesses, best first."""
    wanted = frozenset(unit.task.wanted)
    return {
        "method": unit.method,
        "kind": unit.task.kind,
        "number": unit.task.number,
        "steps": len(unit.task.seen),
        "wanted": sorted(wanted),
        "guesses": [sorted(goal) for goal in goals],
        "rank": goals.index(wanted) + 1 if wanted in goals else None,
        "fault": fault,
        "tokens": tokens,
    }


@lru_cache(maxsize=2)
def learned(count: int, seed: int) -> tuple[Operator, ...]:
    """What so many demonstrations of other tasks teach."""
    return learn_operators(traces_of(drawn(seed, 0)[:count]))


def units_of(
    methods: Iterable[Method],
    tasks: Iterable[GoalTask],
    learned_from: int,
    seed: int,
    presentation: Presentation = OURS,
) -> list[GuessUnit]:
    """A unit for each method and task, method by method."""
    given = list(tasks)
    return [GuessUnit(method, task, learned_from, seed, presentation) for method in methods for task in given]
