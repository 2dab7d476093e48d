"""What a repair came to: its verdict, the repaired model, and what was seen on the way."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from agents.repair.goals import GoalStanding
from agents.repair.ledger import Entry
from agents.repair.rivals import RivalEdits
from agents.repair.text import DescribedEdit
from ew.walks.budget import SimulatorCost
from ew.walks.world_walks import Evidence


class RepairVerdict(StrEnum):
    """How a repair ended."""

    AGREES = "agrees"  #: nothing speaks against the model, and all of it was looked at
    #: nothing that was seen speaks against the model, but it was not all looked at, see `Repaired.unseen`
    AGREES_AS_SEEN = "agrees_as_far_as_seen"
    #: nothing speaks against the model, but what an added condition reads is known of the tasks seen alone
    HOLDS_FOR_SEEN = "holds_for_the_tasks_seen"
    #: nothing that was seen speaks against it, but it can never run an action, see `Repaired.disabled`
    DISABLES = "disables"
    #: nothing that runs speaks against the model, but in some task it does not lead to the goal: a plan
    #: by it failed there, or there is proved to be none
    MISSES_GOAL = "misses_the_goal"
    OUT_OF_QUERIES = "out_of_queries"
    OUT_OF_TIME = "out_of_time"
    UNEXPLAINED = "unexplained"  #: no edits that may be made explain all that was seen
    TOO_LARGE = "too_large"  #: what explains all that was seen is too large to be walked in, so unconfirmed

    @property
    def agrees(self) -> bool:
        """Whether nothing that was seen speaks against the model."""
        return self in (RepairVerdict.AGREES, RepairVerdict.AGREES_AS_SEEN, RepairVerdict.HOLDS_FOR_SEEN)

    @property
    def explains_walks(self) -> bool:
        """Whether nothing that was seen to run, or to be refused, speaks against the model."""
        return self.agrees or self is RepairVerdict.MISSES_GOAL


@dataclass(frozen=True)
class Repaired:
    """What a repair came to."""

    verdict: RepairVerdict
    domain: str
    problems: tuple[str, ...]  #: of the tasks, in their order
    edits: tuple[DescribedEdit, ...]
    unexplained: int  #: operators seen that speak against the model
    world_queries: int
    rounds: int
    wall_s: float
    #: rules that were changed first, in words; see `agents.repair.rules.variants`
    structural: tuple[str, ...] = ()
    goal: GoalStanding = GoalStanding.NOT_ASKED
    #: of the first task where it is reached: after which it holds in the world and in the model
    goal_walk: tuple[str, ...] = ()
    evidence: tuple[Entry, ...] = ()  #: the ledger, if it was asked for
    walked: tuple[Evidence, ...] = ()  #: what was seen of the world in each task, if it was asked for
    simulator: SimulatorCost | None = None  #: what the world's simulator did; None where walks are batched
    not_exercised: tuple[str, ...] = ()  #: actions that the world has not executed; sorted
    unseen: str = ""  #: what was not looked at, in words
    rivals: tuple[RivalEdits, ...] = ()  #: edits that others could stand for, if no walk separates the two
    disabled: tuple[str, ...] = ()  #: actions that the repair made impossible in all tasks; sorted

    @property
    def described(self) -> tuple[str, ...]:
        """All edits in words, the structural ones first."""
        return (*self.structural, *map(str, self.edits))
