"""The walks of a repair as trees, one for each task: node by node, and level by level.

The nodes of one task come after those of the tasks before it, and parents before their children.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ew.walks.world_walks import Seen

#: Sets of actions whose steps a forest keeps.
MOST_KEPT = 50


@dataclass(frozen=True)
class LastStep:
    """The last step to a node."""

    parent: int  #: -1 for a root
    action: str
    arguments: tuple[int, ...]  #: object numbers


@dataclass(frozen=True, eq=False)
class NodeGroup:
    """The nodes of one task at one depth, or behind as many steps of some actions, that one action led to."""

    task: int
    schema: str
    parents: NDArray[np.int64]
    nodes: NDArray[np.int64]
    arguments: NDArray[np.int64]  #: shape (nodes, arity)


@dataclass(frozen=True, eq=False)
class StepsOf:
    """The nodes that some actions led to, the roots with them, and how to compute along these alone."""

    nodes: NDArray[np.int64]  #: ascending
    last: NDArray[np.int64]  #: of each node of the forest, the place of the last of these on the way to it
    levels: tuple[tuple[NodeGroup, ...], ...]  #: by how many such steps lead to a node


@dataclass(frozen=True, eq=False)
class Forest:
    """The trees of the walks: the step to each node, and levels in the order of depth to compute along."""

    steps: tuple[LastStep, ...]  #: those of roots are never made
    roots: tuple[int, ...]  #: of each task, its first node
    task: NDArray[np.int64]  #: of each node
    depth: NDArray[np.int64]
    levels: tuple[tuple[NodeGroup, ...], ...]
    _of_some: dict[frozenset[str], StepsOf] = field(default_factory=dict, repr=False)

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return len(self.steps)

    def steps_of(self, actions: frozenset[str]) -> StepsOf:
        """The steps of some actions; kept for a few sets of them."""
        if actions not in self._of_some:
            if len(self._of_some) >= MOST_KEPT:
                self._of_some.clear()
            self._of_some[actions] = self._steps_of(actions)
        return self._of_some[actions]

    def _steps_of(self, actions: frozenset[str]) -> StepsOf:
        last, number = np.arange(self.nodes), np.zeros(self.nodes, dtype=np.int64)
        parts: dict[tuple[int, str, int], list[NodeGroup]] = {}
        for group in (group for level in self.levels for group in level):
            number[group.nodes] = number[group.parents]
            if group.schema not in actions:
                last[group.nodes] = last[group.parents]
                continue
            number[group.nodes] += 1
            for at, part in _split(group, number[group.nodes]):
                parts.setdefault((at, group.schema, group.task), []).append(part)
        levels: list[list[NodeGroup]] = [[] for _ in range(int(number.max(initial=0)))]
        for (at, _, _), alike in sorted(parts.items()):
            levels[at - 1].append(_joined(alike))
        nodes = np.unique(last)
        return StepsOf(nodes, np.searchsorted(nodes, last), tuple(map(tuple, levels)))

    def path(self, node: int) -> list[LastStep]:
        """The steps from the root to a node."""
        path: list[LastStep] = []
        while self.steps[node].parent >= 0:
            path.append(self.steps[node])
            node = self.steps[node].parent
        return path[::-1]

    def towards(self, nodes: Iterable[int]) -> tuple[Forest, dict[int, int]]:
        """The roots and the ways to some nodes alone; and by node of these its number there."""
        kept = set(self.roots)
        for node in nodes:
            while node not in kept:
                kept.add(node)
                node = self.steps[node].parent
        old = sorted(kept)
        new = {node: number for number, node in enumerate(old)} | {-1: -1}
        steps = [replace(self.steps[node], parent=new[self.steps[node].parent]) for node in old]
        return _grown(steps, [new[root] for root in self.roots], self.task[old]), new


def _split(group: NodeGroup, numbers: NDArray[np.int64]) -> Iterator[tuple[int, NodeGroup]]:
    """The nodes of a group by number."""
    for number in np.unique(numbers):
        own = numbers == number
        yield (
            int(number),
            replace(
                group, parents=group.parents[own], nodes=group.nodes[own], arguments=group.arguments[own]
            ),
        )


def _joined(groups: Sequence[NodeGroup]) -> NodeGroup:
    """Groups of one action in one task as one."""
    if len(groups) == 1:
        return groups[0]
    return replace(
        groups[0],
        parents=np.concatenate([one.parents for one in groups]),
        nodes=np.concatenate([one.nodes for one in groups]),
        arguments=np.concatenate([one.arguments for one in groups]),
    )


#: Operators in parts, by number: the action and its arguments.
Parsed = Sequence[tuple[str, tuple[int, ...]]]


def forest(trees: Sequence[tuple[Seen, Parsed]]) -> Forest:
    """The forest of a tree for each task, in which parents come before their children."""
    steps: list[LastStep] = []
    roots: list[int] = []
    for seen, parsed in trees:
        roots.append(len(steps))
        taken = zip(seen.parents[1:].tolist(), seen.operators[1:].tolist(), strict=True)
        steps.append(LastStep(-1, "", ()))
        steps += (LastStep(roots[-1] + parent, *parsed[operator]) for parent, operator in taken)
    return _grown(steps, roots, np.repeat(np.arange(len(trees)), [len(seen.parents) for seen, _ in trees]))


def _grown(steps: Sequence[LastStep], roots: Sequence[int], task: NDArray[np.int64]) -> Forest:
    """The forest of the steps to all nodes, whose tasks are `task`."""
    depth = np.zeros(len(steps), dtype=np.int64)
    groups: dict[tuple[int, str, int], list[int]] = {}
    for node, step in enumerate(steps):
        if step.parent >= 0:
            depth[node] = depth[step.parent] + 1
            groups.setdefault((int(depth[node]), step.action, int(task[node])), []).append(node)
    levels: list[list[NodeGroup]] = [[] for _ in range(int(depth.max(initial=0)))]
    for (at, schema, of), nodes in sorted(groups.items()):
        rows = np.array([steps[n].arguments for n in nodes], dtype=np.int64).reshape(len(nodes), -1)
        parents = np.array([steps[n].parent for n in nodes])
        levels[at - 1].append(NodeGroup(of, schema, parents, np.array(nodes), rows))
    return Forest(tuple(steps), tuple(roots), task, depth, tuple(map(tuple, levels)))
