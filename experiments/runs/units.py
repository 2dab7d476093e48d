"""An episode: one environment, method and seed, with everything its results depend on."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from envs.registry import WORLDS
from envs.variants import split_variant
from ew.score.config import EstimatorName, FeedbackForm
from experiments.config import ProtocolName, TranslatorName
from experiments.runs.records import EpisodeRecord, arm_of, content_key, name_of

#: Counted tasks that a bundled world has in files; what goes beyond them is generated on demand.
BUNDLED_TASKS = 10


def counted_task(env: str, number: int) -> int | str:
    """The name of counted task `number` (from 1) in an environment: in a bundled world, `g1` is the 11th."""
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
    """What a person says of a model that is written action by action.

    It holds the texts of a person's files, so that another text is another run, wherever the files are."""

    remarks: str = ""  #: as `agents.worldmodel.remarks.read_remarks` reads it; empty for none
    plan: str = ""  #: as `agents.worldmodel.plan_source.read_plan` reads it; empty for none
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


@dataclass(frozen=True)
class Unit:
    """One episode: everything its results depend on, and nothing else."""

    env: str
    method: str
    seed: int
    np: int
    nd: int
    turns: int
    tasks: int
    walks: int
    t_max: int
    planner_wall_s: float
    planner_memory_mb: int
    answers: str  #: the recording's name and content, or the model and its server
    estimator: EstimatorName = "paper"
    feedback: FeedbackForm = "paper"
    protocol: ProtocolName = "paper"
    feedback_tasks: int = 1  #: how many tasks a model is refined on
    budget_tokens: int | None = None  #: of the search; None for no limit
    budget_queries: int | None = None
    translator: TranslatorName = "llm"  #: who writes the problems of counted tasks
    seed_domain: str = ""  #: PDDL that the search begins with; empty for none
    person: Person | None = (
        None  #: who has a say in the correction of a model that is written action by action
    )

    modelling: Modelling | None = None  #: how such a model is written; None for the usual way

    def plain(self) -> dict[str, Any]:
        """Its fields as plain data; what is not given is left out, as before it could be."""
        data = asdict(self)
        for name in ("seed_domain", "person", "modelling"):
            if not data[name]:
                del data[name]
        return data

    @property
    def key(self) -> str:
        """Content hash (hexadecimal SHA-256)."""
        return content_key(self.plain())

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

    def counted(self, number: int) -> int | str:
        """The name of counted task `number`, from 1 to `tasks`."""
        return counted_task(self.env, number)

    @property
    def evaluation_tasks(self) -> tuple[EvaluationTask, ...]:
        """The tasks 1 … `tasks`, in order."""
        return tuple(EvaluationTask(n, self.counted(n)) for n in range(1, self.tasks + 1))

    @property
    def arm(self) -> str:
        """What is compared with others: the method, with its budgets if it has any."""
        return arm_of(self.method, self.budget_tokens, self.budget_queries)

    @property
    def name(self) -> str:
        """For people and file names: `grippers-tree-0`."""
        return name_of(self.env, self.arm, self.seed)

    def signed(self, record: EpisodeRecord) -> EpisodeRecord:
        """The end mark of this unit's episode with the settings that tables tell apart."""
        return replace(
            record,
            np=self.np,
            nd=self.nd,
            turns=self.turns,
            protocol=self.protocol,
            budget_tokens=self.budget_tokens,
            budget_queries=self.budget_queries,
        )
