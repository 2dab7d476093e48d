"""What was once seen in the world is known for good: observations, and models that contradict them.

An observation is a walk that the world executes and one operator after it that the world executes or refuses.
Whether a model agrees with it can be found out without asking the world again, so a claim that was refuted
for one candidate is refuted for all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from envs.pddl.interface import TransitionSystem, World
from ew.counterexample.disagreement import Direction, Disagreement, state_before
from ew.walks.walk import run_walks, walk_of


@dataclass(frozen=True, order=True)
class Observation:
    """What the world did. Operators are texts; the order among observations is shorter walks first."""

    task: str  #: the task whose initial state the walk starts from
    length: int  #: of `walk`
    walk: tuple[str, ...]  #: the world executes it from the initial state
    operator: str
    executed: bool  #: whether the world executes `operator` after it

    @classmethod
    def of(cls, task: str, walk: Sequence[str], operator: str, executed: bool) -> Observation:
        """The observation of `operator` after `walk`."""
        return cls(task, len(walk), tuple(walk), operator, executed)

    def __str__(self) -> str:
        """One sentence."""
        when = f"After {', '.join(self.walk)}" if self.walk else "At the start"
        return f"{when}, the environment {'executes' if self.executed else 'refuses'} {self.operator}."


def contradiction(world: World, model: TransitionSystem, seen: Observation) -> Disagreement | None:
    """How `model` contradicts what was seen, or None; costs no world query, as the walk is known to run."""
    walk = (*seen.walk, seen.operator)
    ran = int(run_walks(model, walk_of(model, walk))[0])
    if ran < len(seen.walk) or (ran == len(seen.walk) and seen.executed):
        direction, shown = Direction.FORWARD, walk[: ran + 1]
    elif ran == len(walk) and not seen.executed:
        direction, shown = Direction.BACKWARD, walk
    else:
        return None
    return Disagreement(direction, shown, state_before(world, shown))


def first_contradiction(
    world: World, model: TransitionSystem, seen: Iterable[Observation]
) -> Disagreement | None:
    """How `model` contradicts the first observation, in their order, that it does contradict."""
    found = (contradiction(world, model, observation) for observation in sorted(seen))
    return next((disagreement for disagreement in found if disagreement is not None), None)
