"""Traces of one's own: walks in a world that shows its states, with what it refuses beside.

The walks are random ones that go where less was done before (`ew.walks.policies`, coverage). In each state
that they pass, some operators that the world refuses are noted too: of each action near misses, which differ
in one argument from an operator that runs there, and as many others; these teach what is needed. Those teach
most that a model, learned by now, is wrong about (`Explorer.compare`). All are drawn from the generator that
is handed over. World queries are counted by the walks and bounded by their budget.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import cycle, islice
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.operators.lifted import well_typed
from envs.pddl.interface import ShowsStates, World
from envs.pddl.language.domain import GroundAtom, Problem
from envs.pddl.language.operators import parse_operator
from envs.pddl.simulation.probes import ProbedTask
from envs.pddl.traces.trace import SeenState, Step, Trace, Traces, trace_of, vocabulary_of
from ew.probes.examine import ExaminationConfig, examine
from ew.score.directed import RefusedWalk
from ew.walks.adapter import transitions_of
from ew.walks.budget import BudgetExceeded, QueryBudget, SimulatorCost, TimeUp, total_cost
from ew.walks.mixed import GivenWalks
from ew.walks.policies import make_policy
from ew.walks.simulator_cost import cost_of
from ew.walks.walk_policy import WalkPolicy, policy_walks
from ew.walks.world_walks import WorldWalks

#: Operators of each kind that are noted at a time.
_MOST_NOTED = 300
#: Of these, how many are drawn from, of one batch of states.
_MOST_LISTED = 100_000
#: States times operators of a model that are looked at together.
_MOST_CELLS = 20_000_000


@dataclass(frozen=True)
class Exploration:
    """How much is tried."""

    walks: int = 40
    length: int = 20
    refusals: int = 6  #: refused operators noted in a state, of each action and kind
    queries: int = 4000  #: at most so many states are asked about
    observed: float = 1.0  #: how likely each atom of a state is seen, whether it holds or not
    max_world_steps: int | None = None  #: that a world's simulator may make for the walks; None is no cap
    wall_s: float = inf  #: seconds from the making of an explorer, after which it walks no more


#: How far a learned model is probed; without the planner, whose time would be the machine's.
_PROBING = ExaminationConfig(queries=200, novelty=0, plans_s=0.0)


class Explored(NamedTuple):
    """The traces of walks, and what they took."""

    traces: Traces
    world_queries: int
    simulator: SimulatorCost | None = None  #: facts of states included; None where walks are batched


def explore(world: World, rng: np.random.Generator, settings: Exploration) -> Explored:
    """The traces of walks in one task, as one trace.

    Raises TypeError if the world does not show its states.
    """
    explorer = Explorer(world, rng, settings)
    explorer.wander(settings.walks)
    return explored([explorer])


class Explorer:
    """Walks in one task, and what they showed by now."""

    def __init__(self, world: World, rng: np.random.Generator, settings: Exploration):
        """Raises TypeError if the world does not show its states."""
        self.vocabulary = vocabulary_of(world)
        self.world, self.settings, self._rng = world, settings, rng
        self._budget = QueryBudget(settings.queries, time.monotonic() + settings.wall_s)
        self.walks = WorldWalks(transitions_of(world), self._budget)
        self.facts: list[frozenset[GroundAtom]] = []  #: of each node of the walks' tree
        self.refusals_searched = False  #: as `Traces.refusals_searched`; set by learning in turns
        self._ways: list[tuple[str, ...]] = []
        self._states: list[SeenState] = []
        self._coverage = make_policy("coverage")(self.walks)
        self._refusals = _Refusals(self.walks.operators, settings.refusals)
        self._noted: dict[int, set[str]] = {}  # operators by the node at which they are noted as steps

    @property
    def is_late(self) -> bool:
        """Whether its seconds are spent."""
        return time.monotonic() > self._budget.until

    def wander(self, walks: int) -> None:
        """Walk where less was done before. What the budget does not pay for is left out."""
        self._walk(self._coverage, [self.settings.length] * walks)

    def follow(self, plans: Sequence[Sequence[str]], onward: int = 0) -> None:
        """Walk each plan and so many steps onward. As `wander`; a step that is refused is replaced."""
        walks = [(*plan, *[""] * onward) for plan in plans]
        self._walk(GivenWalks(self.walks, walks), [max(map(len, walks), default=0)] * len(walks))

    def _walk(self, policy: WalkPolicy, lengths: Sequence[int]) -> None:
        steps = self.settings.max_world_steps
        left = None if steps is None else max(0, steps - self.walks.cost.steps)
        with suppress(BudgetExceeded, TimeUp), self.walks.capped(left):  # what was seen is what there is
            policy_walks(self.walks, policy, lengths, self._rng)
        self._look()

    def leading_to(self, actions: Collection[str], count: int) -> list[tuple[str, ...]]:
        """Walks that end with an operator of these actions, `count` of each that ran anywhere.

        The shortest to those that were not made come first, each from another state; then others, again and
        again.
        """
        seen, operators = self.walks.seen(), self.walks.operators
        parents = zip(seen.parents.tolist(), seen.operators.tolist(), strict=True)
        made = {(self.facts[node], operator) for node, operator in parents}
        keys = dict[tuple[frozenset[GroundAtom], int], tuple[str, ...]]()
        for row, operator in np.argwhere(seen.applicable & self._are_of(actions)).tolist():
            node = int(seen.asked[row])
            walk = (*self._ways[node], operators[operator])
            shortest = keys.setdefault((self.facts[node], operator), walk)
            if len(walk) < len(shortest):
                keys[self.facts[node], operator] = walk
        found: dict[str, list[tuple[str, ...]]] = {}
        for _, walk in sorted(keys.items(), key=lambda entry: (entry[0] in made, len(entry[1]), entry[1])):
            found.setdefault(parse_operator(walk[-1])[0], []).append(walk)
        return [walk for _, own in sorted(found.items()) for walk in islice(cycle(own), count)]

    def _are_of(self, actions: Collection[str]) -> NDArray[np.bool_]:
        """Which of the world's operators are of some actions; shape (operators,)."""
        return np.array([parse_operator(text)[0] in actions for text in self.walks.operators], dtype=np.bool_)

    def _look(self) -> None:
        """See the states that are new, and draw operators that they refuse."""
        assert isinstance(self.world, ShowsStates), "its vocabulary was asked for"
        seen, first = self.walks.seen(), len(self.facts)
        for parent, operator in zip(
            seen.parents[first:].tolist(), seen.operators[first:].tolist(), strict=True
        ):
            self._ways.append((*self._ways[parent], self.walks.operators[operator]) if parent >= 0 else ())
            self.walks.count_walk(len(self._ways[-1]))
            self.facts.append(self.world.facts(self._ways[-1]))
        if self.settings.observed < 1:
            # also atoms that never hold, which say much of rules
            named = well_typed(self.world.objects, self.vocabulary)
            atoms = sorted((name, *chosen) for name, chosen in named)
            self._states += _in_part(self.facts[first:], atoms, self._rng, self.settings.observed)
        else:
            self._states += map(SeenState, self.facts[first:])
        for node, runs in zip(seen.asked.tolist(), seen.applicable, strict=True):
            if node not in self._noted:
                refused = self._refusals.some(runs, self._rng)
                self._noted[node] = {self.walks.operators[o] for o in refused}

    def compare(self, model: ProbedTask, doubtful: Collection[str] = ()) -> int:
        """Note operators that a model lets run where the world does not, or the other way round.

        Operators that the world does not list count as refused. Of doubtful actions, what runs is noted, too,
        as a rule of two conditions needs many examples. Not all are noted at a time; how many there are that
        were not noted before. The states must be seen whole.
        """
        seen, operators = self.walks.seen(), self.walks.operators
        places, unlisted = model.aligned(operators), model.beside(operators)
        doubted = self._are_of(doubtful)
        wrong: list[NDArray[np.int64]] = []
        foreign: list[NDArray[np.int64]] = []
        runs: list[NDArray[np.int64]] = []
        height = max(1, _MOST_CELLS // max(1, model.operators, len(operators)))
        for first in range(0, len(seen.asked), height):
            applicable = seen.applicable[first : first + height]
            nodes = seen.asked[first : first + height].tolist()
            open_to = model.open_to(model.states_of(self.facts[node] for node in nodes))
            allowed = np.zeros_like(applicable)
            allowed[:, places >= 0] = open_to[:, places[places >= 0]]
            for found, table in (
                (wrong, allowed != applicable),
                (foreign, open_to[:, list(unlisted.values())]),
                (runs, allowed & applicable & doubted),
            ):
                entries = np.argwhere(table) + np.array([first, 0])
                drawn = len(entries) > _MOST_LISTED
                found.append(self._rng.choice(entries, _MOST_LISTED, replace=False) if drawn else entries)
        new = 0
        for found, names in ((wrong, operators), (foreign, list(unlisted)), (runs, operators)):
            entries = np.concatenate([np.zeros((0, 2), dtype=np.int64), *found])
            for row, operator in self._rng.permutation(entries)[:_MOST_NOTED].tolist():
                noted = self._noted[int(seen.asked[row])]
                new += names[operator] not in noted
                noted.add(names[operator])
        return new

    def probe(self, problem: Problem) -> RefusedWalk | None:
        """Walk to where each learned condition can be tested; the first disagreement with the model."""
        steps = self.settings.max_world_steps
        left = None if steps is None else max(0, steps - self.walks.cost.steps)
        with self.walks.capped(left):
            found = examine(self.walks, problem, self._rng, _PROBING).found
        self._look()
        return found

    @property
    def trace(self) -> Trace:
        """All that was seen; what is noted to run somewhere and was not made leads to an unknown state."""
        seen = self.walks.seen()
        operators, nodes = self.walks.operators, range(1, len(seen.parents))
        steps = [Step(operators[seen.operators[n]], True, int(seen.parents[n]), n) for n in nodes]
        made = {(step.before, step.operator) for step in steps}
        number = {text: o for o, text in enumerate(operators)}
        for node, runs in zip(seen.asked.tolist(), seen.applicable, strict=True):
            left = (text for text in sorted(self._noted[node]) if (node, text) not in made)
            steps += [Step(text, text in number and bool(runs[number[text]]), node) for text in left]
        return trace_of("walks", self.world.objects, self._states, steps)


def explored(explorers: Sequence[Explorer]) -> Explored:
    """What walks in some tasks of one domain showed and took."""
    traces = Traces(
        explorers[0].vocabulary,
        tuple(each.trace for each in explorers),
        refusals_searched=all(each.refusals_searched for each in explorers),
    )
    queries = sum(each.walks.queries for each in explorers)
    return Explored(traces, queries, total_cost(cost_of(each.walks) for each in explorers))


def _in_part(
    states: Sequence[frozenset[GroundAtom]],
    atoms: Sequence[GroundAtom],
    rng: np.random.Generator,
    share: float,
) -> Iterator[SeenState]:
    """The states with each atom seen with that probability, whether it holds or not."""
    for facts in states:
        seen = [atoms[i] for i in np.flatnonzero(rng.random(len(atoms)) < share).tolist()]
        true = facts.intersection(seen)
        yield SeenState(true, frozenset(seen) - true)


class _Refusals:
    """Draws operators that are refused in a state."""

    def __init__(self, operators: Sequence[str], count: int):
        self._count = count
        self._parsed = [parse_operator(text) for text in operators]
        self._index = {operator: number for number, operator in enumerate(self._parsed)}
        by_action: dict[str, list[int]] = {}
        for number, (name, _) in enumerate(self._parsed):
            by_action.setdefault(name, []).append(number)
        self._by_action = {name: np.array(own, dtype=np.int64) for name, own in sorted(by_action.items())}
        #: for each action and place, the objects that stand there in some operator
        self._fitting = {
            name: [sorted(set(column)) for column in zip(*(self._parsed[n][1] for n in own), strict=True)]
            for name, own in self._by_action.items()
        }

    def some(self, runs: NDArray[np.bool_], rng: np.random.Generator) -> list[int]:
        """Near misses and others, `count` of each for each action at most."""
        found: set[int] = set()
        for own in self._by_action.values():
            near = sorted(n for n in set(self._near(own[runs[own]].tolist())) if not runs[n])
            found.update(_drawn(near, self._count, rng), _drawn(own[~runs[own]], self._count, rng))
        return sorted(found)

    def _near(self, running: Sequence[int]) -> Iterator[int]:
        for number in running[:50]:
            name, arguments = self._parsed[number]
            for place, others in enumerate(self._fitting[name]):
                for other in others:
                    changed = (name, (*arguments[:place], other, *arguments[place + 1 :]))
                    if changed in self._index:
                        yield self._index[changed]


def _drawn(numbers: Sequence[int] | NDArray[np.int64], count: int, rng: np.random.Generator) -> list[int]:
    """At most `count` of them."""
    if len(numbers) <= count:
        return [int(n) for n in numbers]
    return [int(numbers[i]) for i in sorted(rng.choice(len(numbers), count, replace=False).tolist())]
