"""Traces of one's own: walks in a world that shows its states, with what it refuses beside.

The walks are random ones that go where less was done before (`ew.walks.policies`, coverage). In each state
that they pass, some operators that the world refuses are noted too: of each action near misses, which differ
in one argument from an operator that runs there, and as many others; these teach what is needed. All are
drawn from the generator that is handed over. World queries are counted by the walks and bounded by their
budget.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.operators.lifted import well_typed
from envs.pddl.interface import ShowsStates, World
from envs.pddl.language.domain import GroundAtom
from envs.pddl.language.operators import parse_operator
from envs.pddl.traces.trace import SeenState, Step, Trace, Traces, trace_of, vocabulary_of
from ew.walks.adapter import transitions_of
from ew.walks.budget import BudgetExceeded, QueryBudget, SimulatorCost
from ew.walks.policies import make_policy
from ew.walks.simulator_cost import cost_of
from ew.walks.walk_policy import policy_walks
from ew.walks.world_walks import Seen, WorldWalks


@dataclass(frozen=True)
class Exploration:
    """How much is tried."""

    walks: int = 40
    length: int = 20
    refusals: int = 6  #: refused operators noted in a state, of each action and kind
    queries: int = 4000  #: at most so many states are asked about
    observed: float = 1.0  #: how likely each atom of a state is seen, whether it holds or not
    max_world_steps: int | None = None  #: that a world's simulator may make for the walks; None is no cap


class Explored(NamedTuple):
    """The traces of walks, and what they took."""

    traces: Traces
    world_queries: int
    simulator: SimulatorCost | None = None  #: facts of states included; None where walks are batched


def explore(world: World, rng: np.random.Generator, settings: Exploration) -> Explored:
    """The traces of walks in one task, as one trace.

    Raises TypeError if the world does not show its states.
    """
    vocabulary = vocabulary_of(world)
    walks = WorldWalks(transitions_of(world), QueryBudget(settings.queries))
    policy = make_policy("coverage")(walks)
    with suppress(BudgetExceeded), walks.capped(settings.max_world_steps):  # what was seen is what there is
        policy_walks(walks, policy, [settings.length] * settings.walks, rng)
    trace = _trace(world, walks, rng, settings)
    return Explored(Traces(vocabulary, (trace,)), walks.queries, cost_of(walks))


def _trace(world: World, walks: WorldWalks, rng: np.random.Generator, settings: Exploration) -> Trace:
    seen = walks.seen()
    facts = list(_facts(world, seen, walks))
    if settings.observed < 1:
        # also atoms that never hold, which say much of rules
        atoms = sorted((name, *chosen) for name, chosen in well_typed(world.objects, vocabulary_of(world)))
        states = list(_in_part(facts, atoms, rng, settings.observed))
    else:
        states = [SeenState(state) for state in facts]
    steps = [
        Step(walks.operators[seen.operators[node]], True, int(seen.parents[node]), node)
        for node in range(1, len(seen.parents))
    ]
    refused = _Refusals(walks.operators, settings.refusals)
    for node, runs in zip(seen.asked.tolist(), seen.applicable, strict=True):
        steps += [Step(walks.operators[o], False, node) for o in refused.some(runs, rng)]
    return trace_of("walks", world.objects, states, steps)


def _facts(world: World, seen: Seen, tree: WorldWalks) -> Iterator[frozenset[GroundAtom]]:
    """The facts of each node of the walks' tree."""
    assert isinstance(world, ShowsStates), "its vocabulary was asked for"
    walks: list[tuple[str, ...]] = []
    for parent, operator in zip(seen.parents.tolist(), seen.operators.tolist(), strict=True):
        walks.append((*walks[parent], tree.operators[operator]) if parent >= 0 else ())
        tree.count_walk(len(walks[-1]))
        yield world.facts(walks[-1])


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
