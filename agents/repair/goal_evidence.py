"""What the world says about its goal after walks: evidence of what holds, where walks show what runs.

A verdict is the world's answer to whether its goal holds after one walk; it costs one query, however long the
walk. A walk that is made for the sake of a verdict is evidence as every other is: the world is asked what may
run at each of its steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from envs.pddl.interface import World
from ew.walks.world_walks import WorldWalks


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
            self.verdicts[node] = self._world.verify(self.walk_to(node)).goal_reached
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
        seen = self._walks.seen()
        walk: list[str] = []
        while node > 0:
            walk.append(self._walks.operators[int(seen.operators[node])])
            node = int(seen.parents[node])
        return tuple(reversed(walk))
