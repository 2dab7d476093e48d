"""More than one number: where world and model agree, action by action, and what would explain the rest.

Joint walks, uniform over what both sides run, visit joint states. In each, operators are compared: all that
the world runs, all that the model runs (or a sample, if they are too many to list), and negative probes,
operators drawn from the action interface at random, most of which must fail. Whether the goal holds is
compared in every visited state too.

World queries: one a visited state for its applicable operators and one for the goal. A negative probe is
looked up in the answer to the first.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from envs.pddl.interface import TransitionSystem, World
from envs.pddl.language.domain import Problem
from envs.pddl.language.operators import format_operator, parse_operator
from envs.pddl.simulation.lifted import LiftedTask, Schema, lift
from ew.counterexample.explanations import NOT_TOGETHER, Alike, Explanation, Together, Weighing
from ew.counterexample.retrial import Step, TriedOperators
from ew.lifted.sampled import GroundSystem, LiftedState, LiftedSystem
from ew.walks.adapter import transitions_of
from ew.walks.simulator_cost import simulated


@dataclass(frozen=True)
class AgreementConfig:
    """How much is looked at."""

    walks: int = 20
    t_max: int = 10
    probes: int = 2  #: negative probes an action and state
    draws: int = 50  #: operators drawn from a model that has too many to list


@dataclass(frozen=True)
class SchemaAgreement:
    """One action's operators over all visited states."""

    action: str
    both: int = 0  #: both sides run it
    only_world: int = 0
    only_model: int = 0
    probes: int = 0  #: negative probes: operators drawn at random that the model refuses
    probes_run: int = 0  #: those of them that the world runs

    @property
    def agreement(self) -> float | None:
        """Of the operators that some side runs, the share that both do; None if none was met."""
        met = self.both + self.only_world + self.only_model
        return self.both / met if met else None


@dataclass(frozen=True)
class GoalAgreement:
    """Whether the goal holds, over all visited states."""

    both: int = 0
    only_world: int = 0
    only_model: int = 0
    neither: int = 0


@dataclass(frozen=True)
class Agreement:
    """What joint walks saw."""

    schemas: tuple[SchemaAgreement, ...]  #: of every action of the model or the world, sorted by name
    goal: GoalAgreement
    explanations: tuple[Explanation, ...]  #: those that explain most first; equals in no order
    states: int  #: joint states visited, repeats included
    world_queries: int
    differences: int = 0  #: operators after walks that only one side runs, each once
    together: Together = NOT_TOGETHER  #: facts that explain all, where no single change does
    alike: tuple[Alike, ...] = ()  #: operators that the model's predicates cannot tell apart


def agreement(
    world: World,
    model: Problem,
    rng: np.random.Generator,
    config: AgreementConfig | None = None,
    led: Sequence[str] | None = None,
    asked: TransitionSystem | None = None,
) -> Agreement:
    """Compare `model` with `world` along joint walks, each with its own stream of `rng`.

    Where `led` is given, one more walk goes first: along these operators, which both sides must run.
    `asked` stands for the world's own transition system. May raise CannotWalk for models that are large, and
    StepsExceeded where that system is capped.
    """
    watch = _Watch(world, model, config or AgreementConfig(), asked or transitions_of(world))
    if led is not None:
        (first,) = rng.spawn(1)
        watch.walk(first, led)
    for own in rng.spawn(watch.config.walks):
        watch.walk(own)
    return watch.result()


class _Watch:
    """The two sides and what was counted so far."""

    def __init__(self, world: World, model: Problem, config: AgreementConfig, asked: TransitionSystem):
        self.config = config
        self._world = world
        self._real, self._simulator = GroundSystem(asked), simulated(asked)
        self._model = LiftedSystem(model)
        self._task: LiftedTask = lift(model)
        self._numbers = {name: i for i, name in enumerate(self._task.objects)}
        self._weighing = Weighing(self._task, model.domain)
        self._counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._goals: Counter[str] = Counter()
        self._states = 0

    def walk(self, rng: np.random.Generator, led: Sequence[str] | None = None) -> None:
        """One joint walk, to t_max or until no operator runs on both sides; or along `led` to its end."""
        here, there = self._real.initial(), self._model.initial()
        walk: list[str] = []
        for step in range(self.config.t_max if led is None else len(led) + 1):
            self._states += 1
            in_world = self._real.listed(here)
            self._compare_goal(walk, there)
            self._compare(in_world, there, self._steps(walk), rng)
            if led is None:
                both = [o for o in in_world if self._model.runs(there, o)]
            else:
                both = list(led[step : step + 1])
            if not both:
                return
            walk.append(both[min(int(rng.random() * len(both)), len(both) - 1)])
            here, there = self._real.successor(here, walk[-1]), self._model.successor(there, walk[-1])

    def result(self) -> Agreement:
        """Everything counted so far."""
        names = sorted({*self._counts, *(s.name for s in self._task.schemas)})
        return Agreement(
            schemas=tuple(SchemaAgreement(name, **self._counts[name]) for name in names),
            goal=GoalAgreement(**self._goals),
            explanations=self._weighing.explanations(),
            states=self._states,
            world_queries=self._real.asked + self._states,
            differences=self._weighing.differences,
            together=self._weighing.together(),
            alike=self._weighing.alike(),
        )

    def _compare_goal(self, walk: Sequence[str], there: LiftedState) -> None:
        if self._simulator is not None:
            self._simulator.count_walk(len(walk))
        held = self._world.verify(walk).goal_reached, self._model.goal_reached(there)
        kind = {(True, True): "both", (True, False): "only_world", (False, True): "only_model"}
        self._goals[kind.get(held, "neither")] += 1

    def _compare(
        self, in_world: Sequence[str], there: LiftedState, walk: Sequence[Step], rng: np.random.Generator
    ) -> None:
        real = dict.fromkeys(in_world)
        met = dict.fromkeys((*in_world, *self._of_model(there, rng)))
        for schema in self._task.schemas:
            probes = {o: None for o in self._probes(schema, rng) if not self._model.runs(there, o)}
            self._counts[schema.name]["probes"] += len(probes)
            self._counts[schema.name]["probes_run"] += sum(o in real for o in probes)
            own = [o for o in {**met, **probes} if parse_operator(o)[0] == schema.name]
            known = [o for o in own if self._known(o, schema)]
            if known:
                self._weigh(schema, known, real, there, walk)
        for operator in met:
            self._counts[parse_operator(operator)[0]][self._kind(operator, real, there)] += 1

    def _weigh(
        self,
        schema: Schema,
        operators: Sequence[str],
        real: dict[str, None],
        there: LiftedState,
        walk: Sequence[Step],
    ) -> None:
        arguments = [[self._numbers[a] for a in parse_operator(o)[1]] for o in operators]
        evidence = TriedOperators(
            schema,
            np.array(arguments, dtype=np.int64).reshape(len(operators), schema.arity),
            np.array([o in real for o in operators]),
            np.array([self._model.runs(there, o) for o in operators]),
        )
        self._weighing.add(evidence, there.relations, walk)

    def _kind(self, operator: str, real: dict[str, None], there: LiftedState) -> str:
        if operator not in real:
            return "only_model"
        return "both" if self._model.runs(there, operator) else "only_world"

    def _of_model(self, there: LiftedState, rng: np.random.Generator) -> tuple[str, ...]:
        """What the model runs, or distinct draws of it."""
        listed = self._model.listed(there)
        if listed is not None:
            return listed
        drawn = (self._model.draw(there, rng) for _ in range(self.config.draws))
        return tuple(dict.fromkeys(o for o in drawn if o is not None))

    def _probes(self, schema: Schema, rng: np.random.Generator) -> list[str]:
        """Well-typed operators of a schema, drawn uniformly."""
        members = schema.members[: schema.arity]
        if not all(members):
            return []
        picked = [
            [m[min(int(rng.random() * len(m)), len(m) - 1)] for m in members]
            for _ in range(self.config.probes)
        ]
        return [format_operator(schema.name, [self._task.objects[i] for i in row]) for row in picked]

    def _known(self, operator: str, schema: Schema) -> bool:
        words = parse_operator(operator)[1]
        return len(words) == schema.arity and all(w in self._numbers for w in words)

    def _steps(self, walk: Sequence[str]) -> list[Step]:
        parsed = (parse_operator(o) for o in walk)
        return [(name, tuple(self._numbers[w] for w in words)) for name, words in parsed]
