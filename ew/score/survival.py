"""Joint walks: one walk inside both systems that measures both directions of the EW score, without dice.

A joint walk stands in a world state and a model state at once. Let A be the operators applicable in the
world's, B those in the model's. At each step the forward weight is multiplied by |A ∩ B| / |A|, the backward
weight by |A ∩ B| / |B|, and the walk continues by an operator chosen uniformly from A ∩ B.

Why the forward weight after T steps, w_T, is an unbiased estimate of F_T, the probability that a random walk
of the world of length T runs in the model (the backward case is the same with the sides swapped):

1. By importance sampling. F_T is the sum, over all sequences q of T operators that run on both sides, of
   the world's probability Π 1/|A_t|. A joint walk is q with probability Π 1/|A_t ∩ B_t|, positive for every
   such q. So F_T = Σ_q P_joint(q) Π |A_t ∩ B_t| / |A_t| = E[w_T].
2. By conditional expectation, which also says why the variance is lower. Let the walk of the world first
   throw a coin that says with probability |A ∩ B| / |A| whether the model accepts the step, and then choose
   uniformly among the accepted (or the refused) operators: that is a uniform choice from A. Throw the coins
   of all steps along the joint walk, going on whatever they say; the first T coins are all heads exactly as
   often as a walk of the world runs. Given the joint walk the coins are independent with these
   probabilities, so w_T = E[all heads | joint walk]: the estimate of `prefix` with its coins averaged out.
   By the law of total variance no estimate from one walk gets worse by that. This holds for the mean over
   the lengths too, as the coins of one joint walk make the whole row of yes and no that `prefix` sees.
   (`prefix` in turn is no worse a walk than `paper`: the variance of a mean of t_max yes-or-no values is at
   most the mean of their variances, whatever their correlation, and that mean is the variance of `paper`.)

Dead ends. A walk that finds no applicable operator on the side it is sampled on ends there and is judged on
the steps it made. So where A is empty the forward weight stays as it is for all greater lengths (an empty A
refuses nothing); where A is not empty but A ∩ B is, it is 0 from here on. The backward weight goes by B in
the same way. The joint walk ends where A ∩ B is empty.

World queries: one a step, the world asked for A.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from envs.pddl.interface import OperatorIndices, TransitionSystem
from ew.score.directed import DirectedWalks, Direction, RefusedWalk, walk_across
from ew.score.estimators import JointValues
from ew.score.exercised import ActionCount, Became, Tally, action_counts, tally
from ew.walks.simulator_cost import simulated
from ew.walks.walk import NONE, align, choose

_Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class JointWalks:
    """The weights of a batch of joint walks."""

    forward: NDArray[np.float64]  #: shape (batch, t_max): column T - 1 is the weight after T steps
    backward: NDArray[np.float64]  #: likewise
    asked: int  #: states in which the world was asked for its applicable operators
    difference: RefusedWalk | None  #: the first that was met, on the lowest row of its step
    actions: tuple[ActionCount, ...]  #: by name, those that some walk met


def joint_walks(
    world: TransitionSystem, model: TransitionSystem, walks: int, t_max: int, rng: np.random.Generator
) -> JointWalks:
    """`walks` joint walks from the initial states. Draws `rng.random((walks, t_max))` and nothing else."""
    uniforms = rng.random((walks, t_max))
    shared = _Shared(world, model)
    forward, backward = np.ones((walks, t_max)), np.ones((walks, t_max))
    rows, here, there = np.arange(walks), world.initial(walks), model.initial(walks)
    taken = np.full((walks, t_max), NONE, dtype=np.int64)
    asked, difference = 0, None
    refused: list[Tally] = []
    for step in range(t_max):
        asked += len(rows)
        in_world, in_model = world.applicable(here), model.applicable(there)
        both = shared.both(in_world, in_model)
        common = np.count_nonzero(both, axis=1)
        forward[rows, step:] *= _accepted(common, in_world)[:, None]
        backward[rows, step:] *= _accepted(common, in_model)[:, None]
        refused += shared.refused(in_world, in_model, common)
        if difference is None:
            difference = shared.difference(in_world, in_model, common, taken[rows, :step])
        alive = common > 0
        chosen = choose(both, uniforms[rows, step])[alive]
        rows, here, there = rows[alive], here[alive], there[alive]
        if not len(rows) or step == t_max - 1:
            break
        taken[rows, step] = shared.world_operators[chosen]
        here = world.successors(here, taken[rows, step])
        there = model.successors(there, shared.model_operators[chosen])
    actions = action_counts([tally(world.operators, taken, "world_executed", "model_executed"), *refused])
    return JointWalks(forward, backward, asked, difference, actions)


class CannotList(ValueError):
    """Joint walks in a world that does not list what is applicable. Plain data; survives pickling."""

    def __str__(self) -> str:
        return (
            "the world does not list what is applicable, which `survival` needs: use `prefix` or `paper`, "
            "or give the world `applicable(walk)`"
        )


class GroundPair:
    """A world and a model whose operators are listed: the `WalkPair` of two transition systems."""

    def __init__(self, world: TransitionSystem, model: TransitionSystem):
        self._sides = (world, model)

    def across(self, direction: Direction, lengths: Sequence[int], rng: np.random.Generator) -> DirectedWalks:
        """Walks of all lengths at once, a batch a step."""
        source, target = self._sides if direction is Direction.FORWARD else self._sides[::-1]
        return walk_across(source, target, lengths, rng)

    def joint(self, walks: int, t_max: int, rng: np.random.Generator) -> JointValues:
        """Joint walks by one spawned stream of `rng`. Raises CannotList."""
        if any(side is not None and not side.lists for side in map(simulated, self._sides)):
            raise CannotList()
        joint = joint_walks(*self._sides, walks, t_max, rng.spawn(1)[0])
        means = joint.forward.mean(axis=1), joint.backward.mean(axis=1)
        return JointValues(*means, joint.asked, joint.difference, joint.actions)


class _Shared:
    """The operators that both systems have, in the world's order."""

    def __init__(self, world: TransitionSystem, model: TransitionSystem):
        self._texts = world.operators, model.operators
        to_model = align(world, model)[:-1]
        self.world_operators = np.flatnonzero(to_model != NONE)
        self.model_operators = to_model[self.world_operators]
        self._identical = len(self.world_operators) == len(world.operators) == len(model.operators)

    def both(self, in_world: _Mask, in_model: _Mask) -> _Mask:
        """Which shared operators are applicable on both sides; shape (batch, shared operators)."""
        if self._identical:
            return in_world & in_model
        both: _Mask = in_world[:, self.world_operators] & in_model[:, self.model_operators]
        return both

    def refused(self, in_world: _Mask, in_model: _Mask, common: NDArray[np.int64]) -> Iterator[Tally]:
        """The operators that one side runs and the other does not, for each side that has any."""
        masks = (in_world, self.world_operators), (in_model, self.model_operators)
        became: tuple[tuple[Became, Became], ...] = (
            ("world_executed", "model_refused"),
            ("model_executed", "world_refused"),
        )
        for side, (mask, own) in enumerate(masks):
            rows = np.flatnonzero(np.count_nonzero(mask, axis=1) > common)
            if len(rows):
                alone = mask[rows].copy()
                other, others = masks[1 - side]
                alone[:, own] &= ~other[rows][:, others]
                yield tally(self._texts[side], np.nonzero(alone)[1], *became[side])

    def difference(
        self, in_world: _Mask, in_model: _Mask, common: NDArray[np.int64], taken: OperatorIndices
    ) -> RefusedWalk | None:
        """The first row on which one side runs more than both do, and the first operator of that kind.

        `taken` are the rows' operators so far, in the world's numbering.
        """
        sides = ((in_world, self.world_operators), (in_model, self.model_operators))
        more = [np.flatnonzero(np.count_nonzero(mask, axis=1) > common) for mask, _ in sides]
        found = [(int(rows[0]), side) for side, rows in enumerate(more) if len(rows)]
        if not found:
            return None
        row, side = min(found)
        both = np.zeros(len(self._texts[side]), dtype=np.bool_)
        both[sides[side][1]] = in_world[row, self.world_operators] & in_model[row, self.model_operators]
        refused = int(np.argmax(sides[side][0][row] & ~both))
        walk = tuple(self._texts[0][int(o)] for o in taken[row])
        return RefusedWalk(tuple(Direction)[side], (*walk, self._texts[side][refused]))


def _accepted(common: NDArray[np.int64], applicable: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The share of one side's applicable operators that the other accepts; 1 where there are none."""
    own = np.count_nonzero(applicable, axis=1)
    return np.where(own > 0, common / np.maximum(own, 1), 1.0)
