"""The walks' tree read node by node: by which operators each node was reached."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.repair.states import Forest


@dataclass(frozen=True)
class Step:
    """The last step to a node."""

    parent: int
    action: str
    arguments: tuple[int, ...]  #: object numbers


@dataclass(frozen=True, eq=False)
class Paths:
    """The steps to all nodes but the root, whose own is never made."""

    steps: tuple[Step, ...]
    depth: NDArray[np.int64]

    @classmethod
    def of(cls, walks: Forest) -> Paths:
        """The steps of these walks."""
        steps = [Step(-1, "", ())] * walks.nodes
        depth = np.zeros(walks.nodes, dtype=np.int64)
        for at, level in enumerate(walks.levels, 1):
            for group in level:
                depth[group.nodes] = at
                rows = zip(
                    group.nodes.tolist(), group.parents.tolist(), group.arguments.tolist(), strict=True
                )
                for node, parent, arguments in rows:
                    steps[node] = Step(parent, group.schema, tuple(arguments))
        return cls(tuple(steps), depth)

    def to(self, node: int) -> list[Step]:
        """The steps from the root to a node."""
        path: list[Step] = []
        while node:
            path.append(self.steps[node])
            node = self.steps[node].parent
        return path[::-1]
