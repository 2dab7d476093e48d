"""What walks cost simulators, by what their Worlds can do: steps of the simulator for each step of a walk.

Small deterministic simulators, a ring and two of Gymnasium's toy texts, each as a World with fewer and fewer
optional parts. The model is the simulator's own rules, so no walk ends early and no disagreement is found,
which is the dearest case.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

import numpy as np
from gymnasium.envs.toy_text.frozen_lake import FrozenLakeEnv
from gymnasium.envs.toy_text.taxi import TaxiEnv
from numpy.typing import NDArray

from agents.operators.exploration import Exploration, explore
from agents.operators.learner import learn_operators
from agents.operators.lifted import domain_of, shown_problem
from envs.pddl.interface import (
    ActionSignature,
    CountsSteps,
    Execution,
    OperatorIndices,
    PlanVerdict,
    Refusal,
    States,
    TransitionSystem,
    World,
)
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.simulation.compile import compile_task
from envs.plugins import is_plugin
from envs.world import open_world
from ew.counterexample.disagreement import MOST_STEPS, search_disagreement
from ew.counterexample.explained import explained
from ew.counterexample.feedback import render_failure
from ew.score.directed import Direction
from ew.score.score import EWConfig, ew_score
from ew.walks.adapter import transitions_of
from ew.walks.simulator_cost import cost_of
from ew.walks.walk import sample_walks
from experiments.bench.measure import BenchSettings, Figure, at_most

#: State to operator to the state after it; what is not there is refused.
Rules = Mapping[int, Mapping[str, int]]
#: Gymnasium's: state to action to (probability, state after it, reward, end of the episode), one of each.
Table = Mapping[int, Mapping[int, Sequence[tuple[float, int, float, bool]]]]


class Bare:
    """Says how far a walk runs, and nothing else."""

    description, task = "A small simulator.", "Act in it."
    types: Mapping[str, str | None] = MappingProxyType({})
    objects: Mapping[str, str] = MappingProxyType({})

    def __init__(self, name: str, rules: Rules, start: int):
        self.name, self._rules, self._start, self._now = name, rules, start, start
        names = sorted({text[1:-1] for edges in rules.values() for text in edges})
        self.actions = tuple(ActionSignature(each, ()) for each in names)

    def executable(self, walk: Sequence[str]) -> Execution:
        """How far it runs."""
        state = self._start
        for steps, text in enumerate(walk):
            if text not in self._rules[state]:
                return Execution(steps, Refusal.NOT_EXECUTABLE)
            state = self._rules[state][text]
        return Execution(len(walk))

    def verify(self, plan: Sequence[str]) -> PlanVerdict:
        """There is no goal."""
        return PlanVerdict(self.executable(plan), goal_reached=False)

    def describe(self, walk: Sequence[str] = ()) -> str:
        """The state's number."""
        return f"state {self._after(walk)}"

    def _after(self, walk: Sequence[str]) -> int:
        state = self._start
        for text in walk:
            state = self._rules[state][text]
        return state


class Listing(Bare):
    """Lists what may run after a walk."""

    def applicable(self, walk: Sequence[str] = ()) -> tuple[str, ...]:
        """Sorted."""
        return tuple(sorted(self._rules[self._after(walk)]))


class Stepping(Bare):
    """Goes on from where it is."""

    def reset(self) -> None:
        """To the start."""
        self._now = self._start

    def step(self, operator: str) -> bool:
        """Whether it was executed."""
        runs = operator in self._rules[self._now]
        self._now = self._rules[self._now].get(operator, self._now)
        return runs


class SteppingListing(Stepping):
    """Goes on, and lists what may run where it is."""

    def applicable_here(self) -> tuple[str, ...]:
        """Sorted."""
        return tuple(sorted(self._rules[self._now]))


class Keeping(SteppingListing):
    """Lists, and keeps states."""

    def snapshot(self) -> int:
        """The state."""
        return self._now

    def restore(self, snapshot: int) -> None:
        """To a state that was kept."""
        self._now = snapshot


class Knowing(Keeping):
    """Tells states apart, too."""

    def fingerprint(self) -> int:
        """The state."""
        return self._now


class KnowingSilent(Stepping):
    """Goes on and tells states apart, and lists nothing."""

    def fingerprint(self) -> int:
        """The state."""
        return self._now


class Model:
    """The rules as a batched transition system."""

    def __init__(self, rules: Rules, start: int):
        self.operators = tuple(sorted({text for edges in rules.values() for text in edges}))
        self._start = start
        self._next = np.full((1 + max(rules), len(self.operators)), -1, dtype=np.int64)
        for state, edges in rules.items():
            for text, to in edges.items():
                self._next[state, self.operators.index(text)] = to

    def initial(self, batch: int) -> States:
        """The start."""
        return np.full(batch, self._start, dtype=np.int64)

    def applicable(self, states: States) -> NDArray[np.bool_]:
        """What the rules have."""
        mask: NDArray[np.bool_] = self._next[states] >= 0
        return mask

    def successors(self, states: States, operators: OperatorIndices) -> States:
        """By the rules; -1 stays."""
        return np.where(operators < 0, states, self._next[states, operators])


#: Shipped simulators, with what they can do themselves.
ADAPTED = ("toytext:FrozenLake", "toytext:Taxi", "minigrid:DoorKey-5x5")
#: What a World can do, and the most simulator steps a walk's step may take; None where that is not bounded.
FORMS: Mapping[str, tuple[Callable[[str, Rules, int], World], float | None]] = MappingProxyType(
    {
        "snapshots, keys, lists": (Knowing, 1.5),
        "snapshots, lists": (Keeping, 1.5),
        "step, lists": (SteppingListing, 1.5),
        "step, keys, yes/no": (KnowingSilent, 1.5),
        "step, yes/no": (Stepping, 1.5),
        "replay, lists": (Listing, 6.0),
        "replay, yes/no": (Bare, None),
    }
)


def simulator_figures(_settings: BenchSettings) -> Iterator[Figure]:
    """For each simulator and form: the cost of an EW score, and of a search that finds nothing."""
    simulators: Mapping[str, tuple[Rules, int]] = {
        "ring": ({i: {"(left)": (i - 1) % 20, "(right)": (i + 1) % 20} for i in range(20)}, 0),
        "FrozenLake": (_rules(FrozenLakeEnv(is_slippery=False).P, ("left", "down", "right", "up")), 0),
        "Taxi": (_rules(TaxiEnv().P, ("south", "north", "east", "west", "pick-up", "drop-off")), 314),
    }
    for name, (rules, start) in simulators.items():
        for form, (made, limit) in FORMS.items():
            yield from _costs(f"{name}, {form}", made(name, rules, start), Model(rules, start), limit)
    for name in filter(is_plugin, ADAPTED):
        yield _walked(name)
        yield _searched(open_world(name, 1), transitions_of(open_world(name, 1)))
    if is_plugin(ADAPTED[-1]):
        yield _whole(ADAPTED[-1])


def _walked(name: str) -> Figure:
    """Random walks, of the score's lengths, in a shipped simulator, by its own count of steps."""
    config = EWConfig()
    system = transitions_of(open_world(name, 1))
    made = sample_walks(system, config.by.lengths(config.walks, config.t_max, Direction.FORWARD) * 2, _rng())
    steps, cost = int(made.lengths.sum()), cost_of(system)
    if cost is None:
        raise RuntimeError(f"{name} is walked in batches")
    return at_most(name, cost.steps / steps, 1.5, "steps a walk step", f"of {steps} walk steps; {cost}")


def _rng() -> np.random.Generator:
    return np.random.default_rng(0)


def _costs(what: str, world: World, model: Model, limit: float | None) -> Iterator[Figure]:
    score = ew_score(transitions_of(world), model, _rng(), EWConfig())
    if score.simulator is None or score.score != 1.0:
        raise RuntimeError(f"{what}: its own rules have a score of {score.score}")
    ratio = score.simulator.steps / (score.world_queries - 1)
    beside = f"of {score.world_queries - 1} walk steps; {score.simulator}"
    unit = "steps a walk step"
    if limit is None:
        yield Figure(what, f"{ratio:.2f} {unit}", "none", met=True, beside=beside)
    else:
        yield at_most(what, ratio, limit, unit, beside)
    yield _searched(world, model)


def _searched(world: World, model: TransitionSystem) -> Figure:
    """The search for a disagreement with a model that agrees."""
    search = search_disagreement(world, model, _rng())
    steps = 0 if search.simulator is None else search.simulator.steps
    beside = f"walks of up to {search.longest} steps; {search.simulator}"
    what = "  search that finds nothing"
    return at_most(what, steps, MOST_STEPS, "steps", beside, only_if=search.found is None)


def _whole(name: str) -> Figure:
    """Seconds of CPU for all that feedback on a wrong model takes: score, disagreement, causes, words.

    The model is one that few walks taught, as no rules come with a simulator.
    """
    world = open_world(name, 1)
    seen = explore(open_world(name, 1), _rng(), Exploration(walks=5, length=15)).traces
    domain = read_domain(domain_of(seen.vocabulary, learn_operators(seen), "learned"))
    problem = read_problem(shown_problem(world, "learned"), domain)
    started, before = time.process_time(), world.simulator_steps if isinstance(world, CountsSteps) else 0
    system, model, config = transitions_of(world), compile_task(problem), EWConfig(walks=100)
    score = ew_score(system, model, _rng(), config)
    found = search_disagreement(world, model, _rng(), config, system).found
    if score.score is None or found is None:
        raise RuntimeError(f"{name}: a model that few walks taught has nothing wrong with it")
    words = render_failure(explained(world, problem, model, found, _rng(), asked=system).failure)
    seconds = time.process_time() - started
    steps = world.simulator_steps - before if isinstance(world, CountsSteps) else 0
    beside = f"EW {score.score:.2f}, {steps:,} simulator steps, {len(words.splitlines())} lines of feedback"
    return at_most("DoorKey whole", seconds, 20.0, "s of CPU", beside)


def _rules(table: Table, names: Sequence[str]) -> Rules:
    """Of an environment's table: what changes the state is executed, and nothing after an episode's end."""
    ends = {to for moves in table.values() for ((_, to, _, ended),) in moves.values() if ended}
    return {
        state: {
            f"({names[action]})": to
            for action, ((_, to, _, _),) in moves.items()
            if to != state and state not in ends
        }
        for state, moves in table.items()
    }
