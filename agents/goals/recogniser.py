"""Goal recognition in any compiled task without a planner, by relaxed plans and landmarks.

The observations may have gaps and noise. What speaks against a candidate (its doubt) is the weighted sum of

- the joint excess: the steps of a relaxed plan that makes all observations and the candidate, less those of
  one for the candidate alone. Observed operators are next to free in it, so others are taken only where
  these do not help;
- the steps of a relaxed plan for the candidate from the state that the observations lead to. Gaps are filled
  (below);
- the share of the candidate's literals that do not hold in that state;
- the share of the candidate's landmarks that no observation achieves, where a landmark weighs less the more
  candidates have it.

Probabilities are exp(-doubt), normalised. The weights have the greatest likelihood in 318 observations of
tasks in other worlds than those of the study (docs/goals.md), so there is no temperature beside them. A
candidate that cannot be reached even in the relaxed task has the probability 0. One relaxed sweep from the
start finds plans for all candidates, one more with the observed operators free, one from the state reached,
and one all landmarks of all.

Where an observed operator cannot run, the steps of a relaxed plan for what it needs are executed as far as
they can, and again from there: so gaps are filled. An observation that stays out of reach is taken for
noise and passed over.

Sources: cost differences are Ramirez and Geffner 2010; relaxed plans for them, E-Martin, R-Moreno and Smith
2015; the uniqueness of landmarks, Pereira, Oren and Meneguzzi 2020, section 4.2. The sum is ours.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from agents.goals.candidates import Candidate, Ranking, ranking
from agents.goals.landmarks import Landmarks, completion, landmarks
from envs.pddl.simulation.relaxed_costs import CostTable, Relaxation
from envs.pddl.simulation.simulator import PackedStates, Task

#: Weights of the joint excess and of the steps onward, and of the shares of literals and of landmarks.
JOINT, ONWARD, LITERALS, LANDMARKS = 1.0, 0.34, 3.1, 3.2
#: An excess of more steps, or without end, counts as much; twice as many steps onward do.
_MOST = 50
#: Relaxed plans that are executed to fill one gap.
_ROUNDS = 6


class Recogniser:
    """A task and its candidates. Rankings do not depend on the order of the candidates."""

    def __init__(self, task: Task, candidates: Sequence[Candidate]):
        self._task, self._candidates = task, tuple(candidates)
        self._relaxation = Relaxation(task)
        self._goals = [
            [self._relaxation.code(literal.atom, literal.positive) for literal in candidate.literals]
            for candidate in candidates
        ]
        self._start = task.initial(1)
        self._table = self._relaxation.costs(self._start)
        self._landmarks = landmarks(self._relaxation, self._start, self._table, self._goals)

    def rank(self, observed: Sequence[str]) -> Ranking:
        """The candidates by relaxed plans and landmarks. Observations that name no operator are left out."""
        operators, unused = self._known(observed)
        doubts = self._doubts(operators)
        least = min(filter(math.isfinite, doubts), default=0.0)
        likely = [0.0 if math.isinf(doubt) else math.exp(least - doubt) for doubt in doubts]
        return ranking(likely, unused)

    def rank_by_landmarks(self, observed: Sequence[str]) -> Ranking:
        """The candidates by the share of their landmarks that the observations achieve."""
        operators, unused = self._known(observed)
        achieved = self._achieved(operators)
        return ranking([completion(self._landmarks, goal, achieved) for goal in self._goals], unused)

    def _known(self, observed: Sequence[str]) -> tuple[list[int], tuple[str, ...]]:
        """The operators observed, and what names none."""
        index = self._task.operator_index
        return [index[step] for step in observed if step in index], tuple(
            step for step in observed if step not in index
        )

    def _doubts(self, operators: Sequence[int]) -> list[float]:
        relaxation = self._relaxation
        onward_table = relaxation.costs(self._followed(operators))
        joint_table = relaxation.costs(self._start, operators)
        needed = [code for operator in operators for code in relaxation.needs[:, operator].tolist()]
        alone = relaxation.plans(self._table[:, 0], self._goals)
        onward = relaxation.plans(onward_table[:, 0], self._goals)
        joint = relaxation.plans(joint_table[:, 0], [goal + needed for goal in self._goals], operators)
        shares = _unique_shares(self._landmarks, self._goals, self._achieved(operators))
        doubts = []
        for place, goal in enumerate(self._goals):
            plan, rest, both = alone[place], onward[place], joint[place]
            if plan is None:
                doubts.append(math.inf)
                continue
            held = sum(onward_table[code, 0] == 0 for code in goal) / len(goal)
            doubts.append(
                JOINT * (_MOST if both is None else min(_MOST, len(both.union(operators)) - len(plan)))
                + ONWARD * (2 * _MOST if rest is None else min(2 * _MOST, len(rest)))
                - LITERALS * held
                - LANDMARKS * shares[place]
            )
        return doubts

    def _achieved(self, operators: Sequence[int]) -> frozenset[int]:
        """The landmarks that operators achieve."""
        relaxation = self._relaxation
        passed = {
            code for o in operators for code in (*relaxation.needs[:, o].tolist(), *relaxation.makes(o))
        }
        return self._landmarks.achieved(passed)

    def _followed(self, operators: Sequence[int]) -> PackedStates:
        """The state that the observations lead to."""
        state = self._start
        for operator in operators:
            ready = self._filled(state, operator)
            if ready is not None:
                state = self._task.successors(ready, np.array([operator]))
        return state

    def _filled(self, state: PackedStates, operator: int) -> PackedStates | None:
        """A state onward in which an operator can run; None if none was found."""
        for _ in range(_ROUNDS):
            runs = self._task.applicable(state)[0]
            if runs[operator]:
                return state
            before = state
            for helper in self._helpers(self._relaxation.costs(state), operator):
                if not runs[operator] and runs[helper]:
                    state = self._task.successors(state, np.array([helper]))
                    runs = self._task.applicable(state)[0]
            if np.array_equal(state, before):
                return None
        return state if self._task.applicable(state)[0, operator] else None

    def _helpers(self, table: CostTable, operator: int) -> list[int]:
        """The steps of a relaxed plan for what an operator needs, what can run first at the front."""
        needs = self._relaxation.needs
        plan = self._relaxation.plans(table[:, 0], [needs[:, operator].tolist()])[0] or ()
        return sorted(plan, key=lambda helper: (float(table[needs[:, helper], 0].sum()), helper))


def _unique_shares(found: Landmarks, goals: Sequence[Sequence[int]], achieved: frozenset[int]) -> list[float]:
    """The share of each goal's landmarks that is achieved; each weighs 1 / (how many goals have it)."""
    own = [frozenset[int]().union(*(found.of(code) for code in goal)) for goal in goals]
    counts = Counter(mark for marks in own for mark in marks)
    weights = [math.fsum(1 / counts[mark] for mark in marks) for marks in own]
    return [
        math.fsum(1 / counts[mark] for mark in marks & achieved) / (weight or 1.0)
        for marks, weight in zip(own, weights, strict=True)
    ]
