"""Units of work: an episode (environment, method, seed), or a piece of a study, with all it depends on."""

from __future__ import annotations

from dataclasses import MISSING, asdict, dataclass, field, fields, replace
from typing import Any

from envs.folder import HIDDEN_PREFIX, HIDDEN_SEEN
from envs.registry import WORLDS
from envs.variants import split_variant
from ew.score.config import EstimatorName, FeedbackForm
from experiments.config import (
    BudgetFlags,
    PlannerFlags,
    ProtocolName,
    RefinementFlags,
    SearchFlags,
    TranslatorName,
    WalkFlags,
)
from experiments.runs.records import Compared, EpisodeRecord, content_key, name_of

#: Counted tasks that a bundled world has in files; what goes beyond them is generated on demand.
BUNDLED_TASKS = 10
#: The settings that every unit is written with. A later one is written only where it is not at its default,
#: so that what was done before it was there is found by the same key.
_ALWAYS_WRITTEN = frozenset(
    {
        "env", "method", "seed", "np", "nd", "turns", "tasks", "walks", "t_max", "planner_wall_s",
        "planner_memory_mb", "answers", "estimator", "feedback", "protocol", "feedback_tasks",
        "budget_tokens", "budget_queries", "translator",
    }
)  # fmt: skip


@dataclass(frozen=True)
class WorkUnit:
    """A piece of a run: plain data that its results depend on. It is done once, and found by its key."""

    def as_data(self) -> dict[str, Any]:
        """Its kind and its fields as plain data."""
        return {"kind": type(self).__name__, **asdict(self)}

    @property
    def key(self) -> str:
        """Content hash (hexadecimal SHA-256)."""
        return content_key(self.as_data())


def counted_task(env: str, number: int) -> int | str:
    """The name of counted task `number` (from 1) in an environment: in a bundled world, `g1` is the 11th.

    Where a rule is hidden, the tasks to be seen come first, and are not counted.
    """
    if env.startswith(HIDDEN_PREFIX):
        return number + HIDDEN_SEEN
    beyond = number - BUNDLED_TASKS
    return f"g{beyond}" if beyond > 0 and split_variant(env)[0] in WORLDS else number


def feedback_task(number: int) -> str:
    """The stem of a task of an environment's feedback pool, 1-based: `f01`, `f02`, …"""
    return f"f{number:02}"


@dataclass(frozen=True)
class EvaluationTask:
    """An evaluation task of an episode: its place in tables, and what its environment knows it by."""

    number: int  #: from 1; what is random in the task follows from it
    name: int | str  #: what opens it, see `counted_task`


@dataclass(frozen=True)
class Person:
    """Human feedback on a model that is written action by action.

    It holds the texts of a person's files, so that another text is another run, wherever the files are."""

    remarks: str = ""  #: as `agents.worldmodel.remarks.read_remarks` reads it; empty for none
    plan: str = ""  #: as `agents.worldmodel.sources.read_plan` reads it; empty for none
    plan_task: int | str = ""  #: the task that the plan is for; empty without a plan
    alone: bool = False  #: whether the environment's walks send no remarks


@dataclass(frozen=True)
class Modelling:
    """How a model is written action by action: whose the parameters are, what conditions and effects use."""

    free_parameters: bool = False  #: the language model chooses each action's parameters
    strips_only: bool = False  #: no disjunctions, quantifiers and conditional effects

    def __str__(self) -> str:
        flags = {"--free-parameters": self.free_parameters, "--strips-only": self.strips_only}
        return " ".join(flag for flag, given in flags.items() if given)


@dataclass(frozen=True, kw_only=True)
class EpisodeSettings(Compared, RefinementFlags, BudgetFlags, SearchFlags, WalkFlags):
    """What is the same in the episodes of one environment and method: the flags, with what they left open."""

    env: str
    method: str
    np: int = field()  # needed, unlike the flags
    nd: int = field()
    turns: int = field()
    tasks: int
    estimator: EstimatorName = "paper"
    feedback: FeedbackForm = "paper"
    protocol: ProtocolName = "paper"
    feedback_tasks: int = 1  #: how many tasks a model is refined on
    translator: TranslatorName = "llm"  #: who writes the problems of counted tasks
    person: Person | None = None  #: who corrects a model that is written action by action
    modelling: Modelling | None = None  #: how such a model is written; None for the usual way


@dataclass(frozen=True, kw_only=True)
class Unit(EpisodeSettings, PlannerFlags, WorkUnit):
    """One episode: everything its results depend on, and nothing else."""

    seed: int
    answers: str  #: the recording's name and content, or the model and its server
    seed_domain: str = ""  #: PDDL that the search begins with; empty for none

    def as_data(self) -> dict[str, Any]:
        """Its fields as plain data, without later settings that are at their defaults."""
        data = asdict(self)
        return {
            f.name: data[f.name]
            for f in fields(self)
            if f.name in _ALWAYS_WRITTEN or f.default is MISSING or data[f.name] != f.default
        }

    @property
    def refined_on(self) -> tuple[int | str, ...]:
        """The tasks whose feedback the search hears: task 1 itself, or a pool that is never counted."""
        if self.protocol == "paper":
            return (1,)
        return tuple(map(feedback_task, range(1, self.feedback_tasks + 1)))

    @property
    def tasks_heard(self) -> tuple[int | str, ...]:
        """The tasks that a model is corrected or measured on: `refined_on`, and that of a person's plan."""
        plan = (self.person.plan_task,) if self.person is not None and self.person.plan else ()
        return tuple(dict.fromkeys((*self.refined_on, *plan)))

    @property
    def evaluation_tasks(self) -> tuple[EvaluationTask, ...]:
        """The tasks 1 … `tasks`, in order."""
        return tuple(EvaluationTask(n, counted_task(self.env, n)) for n in range(1, self.tasks + 1))

    @property
    def name(self) -> str:
        """For people and file names: `grippers-tree-0`."""
        return name_of(self.env, self.condition, self.seed)

    def signed(self, record: EpisodeRecord) -> EpisodeRecord:
        """The end mark of this unit's episode with the settings that tables tell apart."""
        names = ("np", "nd", "turns", "protocol", "budget_tokens", "budget_queries")
        return replace(record, **{name: getattr(self, name) for name in names})
