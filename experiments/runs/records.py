"""What a run writes down: one plain record per finished node, task and episode.

An *episode* is one (environment, method, seed); its *unit key* is the hash of everything its results
depend on, so a record belongs to its episode wherever and whenever it was computed. A *node* is one
evaluated candidate of the episode's search, a *task* one evaluation problem of the environment. Records
are what tables are made of: numbers are values or None, and kinds of failure are names, never numbers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

import msgspec

from ew.counterexample.doubts import Doubt
from ew.score.exercised import ActionCount, Tally, action_counts, tally_of
from ew.walks.budget import SimulatorCost, total_cost
from experiments.runs.details import D, Detail, read_details


class Event(StrEnum):
    """The kinds of lines in `events.jsonl`."""

    STARTED = "started"  #: an episode began; without an end mark it is run again
    NODE = "node"
    TASK = "task"
    EPISODE = "episode"  #: an episode's end mark
    FAULT = "fault"  #: an episode was given up: the machine failed, or our program did
    CANCELLED = "cancelled"  #: the user stopped the run
    UNIT = "unit"  #: a finished unit of a study


class TaskOutcome(StrEnum):
    """What became of one evaluation task, the best first. Closed: anything else is a fault, never a score."""

    SOLVED = "solved"
    UNANSWERED = "unanswered"  #: of tables: nothing in the task's whole episode was answered
    OUT_OF_ORDER = "out_of_order"  #: the goal was reached, but things asked for in an order in another one
    TIMEOUT = "timeout"  #: the planner ran out of time
    MEMOUT = "memout"  #: the planner ran out of memory
    EXHAUSTED = "exhausted"  #: the planner's incomplete search ended without a plan
    GOAL_NOT_REACHED = "goal_not_reached"  #: every step ran, the goal does not hold
    STEP_REJECTED = "step_rejected"  #: the environment refused a step of the plan
    UNSOLVABLE = "unsolvable"  #: the model's task was proved unsolvable
    UNSUPPORTED = "unsupported"  #: the planner does not support the model's PDDL
    INVALID_INPUT = "invalid_input"  #: the planner refused PDDL that we accept
    INVALID_DOMAIN = "invalid_domain"
    INVALID_PROBLEM = "invalid_problem"
    EXPLODED = "exploded"  #: the model's task is too large to ground
    NO_ANSWER = "no_answer"  #: the reply was cut off, refused, withheld or empty: not scored as PDDL
    NO_PROBLEM = "no_problem"  #: the reply held no problem
    NO_DOMAIN = "no_domain"  #: the search ended without a usable domain
    NO_PLAN = "no_plan"  #: the whole reply of an intrinsic planner held no plan

    @property
    def undecided(self) -> bool:
        """Whether the planner ended within its limits without a verdict: neither solved nor wrong."""
        return self in (TaskOutcome.TIMEOUT, TaskOutcome.MEMOUT, TaskOutcome.EXHAUSTED)


class FaultKind(StrEnum):
    """Who is to blame when an episode is given up."""

    MACHINE = "machine"  #: planner missing or killed, worker lost, endpoint dead
    WORLD = "world"  #: the environment itself cannot be walked
    PROGRAM = "program"  #: an error of ours; listed as an internal error
    BUDGET = "budget"  #: no one: a cap of the run was reached


@dataclass(frozen=True)
class Summed:
    """A dataclass whose values are added field by field."""

    def __add__(self, other: Self) -> Self:
        values = {f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)}
        return replace(self, **values)


@dataclass(frozen=True)
class Spent(Summed):
    """What the language model was asked for; counted alike whether an answer was new or from the journal."""

    completions: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens together."""
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True, slots=True)
class Score:
    """An EW score as a record; `ew` is None if no score could be taken, and `verdict` says why."""

    ew: float | None = None
    forward: float | None = None
    backward: float | None = None
    stderr: float | None = None
    world_queries: int = 0
    verdict: str = "none"
    low: float | None = None  #: 95 % interval of `ew`
    high: float | None = None
    #: what the world's simulator did for `world_queries`; None, and not written, where walks are batched
    simulator: SimulatorCost | None = None
    #: how often each action of the world was executed and refused in the walks, on either side; None, and not
    #: written, where that is not known, as in older records
    actions: tuple[ActionCount, ...] | None = None

    @property
    def not_exercised(self) -> tuple[str, ...] | None:
        """Actions that no walk executed in the world, sorted; None if that is not known."""
        if self.actions is None:
            return None
        return tuple(count.action for count in self.actions if not count.world_executed)

    def with_cost(self, queries: int, simulator: SimulatorCost | None = None) -> Score:
        """With what was asked of the world beside it."""
        found = total_cost((self.simulator, simulator))
        return replace(self, world_queries=self.world_queries + queries, simulator=found)

    def with_actions(self, actions: Iterable[str]) -> Score:
        """With the actions that no walk met, given all of the world's."""
        return replace(self, actions=action_counts([tally_of(self.actions or ())], actions))

    def with_tally(self, more: Tally) -> Score:
        """With what became of operators in walks beside those of the score."""
        return replace(self, actions=action_counts([tally_of(self.actions or ()), more]))

    def after(self, before: Score) -> Score:
        """With what was asked in another task before it, and which actions were exercised there."""
        found = self.with_cost(before.world_queries, before.simulator)
        known = [tally_of(score.actions) for score in (before, self) if score.actions is not None]
        names = [count.action for score in (before, self) for count in score.actions or ()]
        return replace(found, actions=action_counts(known, names) if known else None)


@dataclass(frozen=True, slots=True)
class StoryStep:
    """One step of a walk on both sides. World lines are sentences of its state, model lines are atoms."""

    operator: str
    world: bool  #: whether the world executed it
    model: bool
    world_gains: tuple[str, ...] = ()
    world_loses: tuple[str, ...] = ()
    model_gains: tuple[str, ...] = ()
    model_loses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Story:
    """A walk on which world and model part, or a plan that the world did not take as the model does."""

    direction: str  #: `forward`, `backward` (see `ew.counterexample.disagreement`) or `plan`
    start: tuple[str, ...]  #: the world's initial state in sentences
    steps: tuple[StoryStep, ...]


#: How the names of worlds with a hidden rule begin; that of `envs.folder`, which loads what reads PDDL.
_HIDDEN = "hidden:"
#: Fields that are not written where they are None.
_LEFT_OUT = ("simulator", "actions", "not_exercised")


def plain_data(record: Any) -> dict[str, Any]:
    """A dataclass as plain data, at any depth without what is not known or does not apply (`_LEFT_OUT`)."""
    return asdict(record, dict_factory=lambda d: {k: v for k, v in d if k not in _LEFT_OUT or v is not None})


@dataclass(frozen=True, slots=True)
class _Record:
    """Written as JSON and read back: `from_json(to_json())` gives an equal record."""

    details: tuple[Detail, ...] = field(default=(), kw_only=True)  #: what single capabilities add, by kind

    def added(self, kind: type[D]) -> D | None:
        """The detail of that kind, if there is one."""
        return next((found for found in self.details if isinstance(found, kind)), None)

    def to_json(self) -> dict[str, Any]:
        """Plain data, fields in the order of declaration, then each detail under its name."""
        data = plain_data(self)
        del data["details"]
        return data | {found.name: plain_data(found) for found in self.details}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The record of `data`, checked against the types of its fields, at every depth.

        Keys that are no field are left out, and fields with a default may be missing, so that many records of
        other versions can be read. Raises msgspec.ValidationError, which names the field.
        """
        record = msgspec.convert(data, cls)
        found = read_details(data)
        return replace(record, details=found) if found else record


class Compared:
    """What is compared with others: a method, with the budgets of its search if it has any."""

    method: str
    budget_tokens: int | None
    budget_queries: int | None

    @property
    def condition(self) -> str:
        """See `condition_of`."""
        return condition_of(self.method, self.budget_tokens, self.budget_queries)


@dataclass(frozen=True, slots=True)
class NodeRecord(_Record):
    """One evaluated candidate of an episode's search."""

    unit: str
    id: str  #: path in the tree, e.g. `2.1.3`
    key: str  #: content hash of the proposal
    outcome: str  #: name of an `ew.score.rating.Outcome`
    score: Score
    plan: str | None  #: the planner's outcome if it was asked
    failure: str | None  #: kind of failure that the feedback is about
    feedback: str
    problem: str | None
    domain: str | None
    reply: str | None  #: what the language model said, as it stands in the conversation; None if not kept
    wall_s: float
    spent: Spent = Spent()  #: what its reply cost
    asked: str | None = None  #: `conversation_key` of what the reply answers, whatever the temperature
    task: str = ""  #: the task that the failure was met in
    story: Story | None = None  #: the disagreement that the feedback is about, step by step
    tasks_solved: int = 0  #: feedback tasks that were solved before that one
    wanted: str = "domain"  #: what a child was asked for, an `agents.refine.Wanted`
    doubts: tuple[Doubt, ...] = ()  #: about the text of `task`


@dataclass(frozen=True)
class TaskRecord(Compared, _Record):
    """One evaluation task of an episode."""

    unit: str
    env: str
    method: str
    seed: int
    task: int  #: number of the problem, 1-based
    outcome: TaskOutcome
    score: Score
    plan_length: int | None
    failed_step: int | None  #: 1-based number of the step that the environment refused
    detail: str
    spent: Spent
    wall_s: float
    attempts: int = 1  #: plans tried in the environment, or given up before; only `refine` tries again
    budget_tokens: int | None = None  #: of the search, see `Unit`
    budget_queries: int | None = None
    told: Mapping[str, int] = field(default_factory=dict)  #: faults of plans that were sent back, by kind
    meaning: str = ""  #: verdict of the comparison of a model's problem with the true one; empty: none
    difference: str = ""  #: of the two, in words; or why that is not known
    doubts: tuple[Doubt, ...] = ()  #: about the task's text

    @property
    def solved(self) -> bool:
        """Whether the plan ran in the environment and reached the goal."""
        return self.outcome is TaskOutcome.SOLVED

    @property
    def undecided(self) -> bool:
        """Whether the planner gave no verdict on it."""
        return isinstance(self.outcome, TaskOutcome) and self.outcome.undecided


@dataclass(frozen=True)
class EpisodeRecord(Compared, _Record):
    """The end mark of an episode: its best candidate and what the whole of it cost."""

    unit: str
    env: str
    method: str
    seed: int
    best: str | None  #: id of the best node; None for intrinsic planning
    outcome: str | None  #: name of the best node's outcome
    ew: float | None  #: of the best node on task 1
    makes_model: bool  #: whether the method makes a model, so that EW means something
    candidates: int
    solved: int
    tasks: int
    spent: Spent  #: search and tasks together
    world_queries: int
    wall_s: float
    problem: str | None = None
    domain: str | None = None
    np: int = 0  #: settings of the unit, 0 or empty where an old run did not write them down
    nd: int = 0
    turns: int = 0
    protocol: str = ""
    budget_tokens: int | None = None
    budget_queries: int | None = None
    unanswered: bool = False  #: whether no answer of the language model came of anything in it: no score
    doubts: tuple[Doubt, ...] = ()  #: about the texts of the tasks that the model was refined on
    simulator: SimulatorCost | None = None  #: what simulators did for `world_queries`; None, and not written,
    #: where walks are batched
    #: `Score.not_exercised` of the best node; None, and not written, where it is not known
    not_exercised: tuple[str, ...] | None = None

    @property
    def limits_of_agreement(self) -> str:
        """What a model with EW 1 was not seen to agree in, in words; empty for any other."""
        if self.ew != 1 or not self.not_exercised:
            return ""
        actions = ", ".join(self.not_exercised)
        return f"the model agrees as far as seen; no walk executed in the environment: {actions}"

    @property
    def name(self) -> str:
        """For people and file names: `grippers-tree-0`."""
        return name_of(self.env, self.condition, self.seed)


def condition_of(method: str, tokens: int | None, queries: int | None) -> str:
    """`tree`, or with a budget of its search `tree@30000-tokens`, `tree@5000-queries`."""
    budgets = [f"@{n}-{what}" for n, what in ((tokens, "tokens"), (queries, "queries")) if n is not None]
    return method + "".join(budgets)


def method_of(condition: str) -> str:
    """The method of a condition."""
    return condition.partition("@")[0]


def budget_of(condition: str) -> str:
    """The budgets of a condition, as `condition_of` writes them; empty if there is none."""
    return condition.partition("@")[2]


def world_label(world: str) -> str:
    """A world's name in tables, file names and seeds; of one in a folder, the folder's."""
    return world.replace("/", "-") if world.startswith(_HIDDEN) else Path(world).name


def name_of(env: str, condition: str, seed: int) -> str:
    """An episode's name; of a world in a folder, the folder's."""
    return f"{world_label(env)}-{condition}-{seed}"


def content_key(data: Mapping[str, Any]) -> str:
    """SHA-256 (hexadecimal) of `data` as canonical JSON."""
    text = json.dumps(data, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
