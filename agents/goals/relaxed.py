"""How far goals are from a state, by plans that never lose anything (the FF heuristic).

Steps only add here: what they delete is ignored. Each atom has the cost of its cheapest way from the state
(costs of what a step needs are summed), and a goal's relaxed plan has each step once that these ways take. So
one pass from a state gives the distance of every goal, without search; distances are neither upper nor lower
bounds of true plans. Steps that need an absent atom are taken to have it so.
Source: Hoffmann and Nebel 2001, with the additive best supporters of Keyder and Geffner 2008.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from agents.goals.task import GoalSpace
from agents.operators.lifted import EQUAL, Literal, Operator
from envs.pddl.language.domain import GroundAtom
from envs.pddl.language.operators import parse_operator


@dataclass(frozen=True)
class Way:
    """A relaxed plan, as far as it matters."""

    length: int  #: steps, 0 if the goal is there already
    uses: frozenset[GroundAtom]  #: facts that it begins with


class RelaxedSteps:
    """The steps that may be taken in a task, indexed by what they need."""

    def __init__(self, operators: Iterable[Operator], steps: Iterable[str]):
        """`steps` are operator texts; what they need and add is what `operators` say."""
        by_name = {operator.name: operator for operator in operators}
        self._needs: list[tuple[GroundAtom, ...]] = []
        self._adds: list[tuple[GroundAtom, ...]] = []
        for text in steps:
            name, arguments = parse_operator(text)
            operator = by_name[name]
            binding = operator.bound(arguments)
            self._needs.append(_atoms(operator.preconditions, binding))
            self._adds.append(_atoms(operator.effects, binding))
        self._takers: dict[GroundAtom, list[int]] = {}
        for number, needs in enumerate(self._needs):
            for atom in needs:
                self._takers.setdefault(atom, []).append(number)

    def ways(
        self, facts: Iterable[GroundAtom], space: GoalSpace, old: frozenset[GroundAtom]
    ) -> dict[str, Way]:
        """The shortest relaxed plan for each candidate that can be reached.

        What `old` facts fulfil by themselves does not count: nobody needs a plan for it.
        """
        givers = self._givers(facts)
        found = {
            wanted: [
                self._way(atoms, givers)
                for atoms in space.instances(wanted, givers)
                if not old.issuperset(atoms)
            ]
            for wanted in space.candidates
        }
        return {wanted: min(ways, key=_shorter) for wanted, ways in found.items() if ways}

    def _givers(self, facts: Iterable[GroundAtom]) -> dict[GroundAtom, int]:
        """Every atom that can be reached, and the first of the cheapest steps that add it; -1 for facts."""
        missing = [len(needs) for needs in self._needs]
        costs = [1] * len(self._needs)
        best: dict[GroundAtom, tuple[int, int]] = dict.fromkeys(sorted(facts), (0, -1))
        waiting = [(0, -1, atom) for atom in best]
        self._offer((i for i, count in enumerate(missing) if not count), costs, best, waiting)
        heapq.heapify(waiting)
        while waiting:
            cost, giver, atom = heapq.heappop(waiting)
            if best[atom] != (cost, giver):
                continue
            ready = []
            for taker in self._takers.get(atom, ()):
                missing[taker] -= 1
                costs[taker] += cost
                if not missing[taker]:
                    ready.append(taker)
            self._offer(ready, costs, best, waiting)
        return {atom: giver for atom, (_, giver) in best.items()}

    def _offer(
        self,
        ready: Iterable[int],
        costs: Sequence[int],
        best: dict[GroundAtom, tuple[int, int]],
        waiting: list[tuple[int, int, GroundAtom]],
    ) -> None:
        """Note what steps that may run now add, where that is cheaper than what is known."""
        for step in ready:
            for atom in self._adds[step]:
                if atom not in best or (costs[step], step) < best[atom]:
                    best[atom] = costs[step], step
                    heapq.heappush(waiting, (costs[step], step, atom))

    def _way(self, atoms: Iterable[GroundAtom], givers: Mapping[GroundAtom, int]) -> Way:
        """The steps on the ways to the atoms, and the facts where these begin."""
        steps: set[int] = set()
        begins: set[GroundAtom] = set()
        waiting = list(atoms)
        while waiting:
            atom = waiting.pop()
            giver = givers[atom]
            if giver < 0:
                begins.add(atom)
            elif giver not in steps:
                steps.add(giver)
                waiting.extend(self._needs[giver])
        return Way(len(steps), frozenset(begins))


def _shorter(way: Way) -> tuple[int, list[GroundAtom]]:
    return way.length, sorted(way.uses)


def _atoms(literals: Iterable[Literal], binding: Mapping[str, str]) -> tuple[GroundAtom, ...]:
    """The positive ones, ground, each once."""
    wanted = (literal for literal in literals if literal.positive and literal.predicate != EQUAL)
    return tuple(dict.fromkeys(literal.ground(binding) for literal in wanted))
