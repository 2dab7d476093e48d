"""Repair between the turns of the language model: the part that runs in a worker, and what it may spend.

The environment is reopened by its name, and the generator follows from the run's seed and from what is
repaired, so a repair does not depend on where, when or how often it is made. Therefore the limits that bind
are those of world queries and expansions; the clock is there for a search that got lost.

What a repair saw of the environment is true for every candidate, so later repairs of the same episode and
task begin with it (`Shared`). Later is what is asked for when the earlier one's children are known: a repair
never hears of one that is under way at the same time, whichever ends first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from agents.proposal import Proposal
from agents.repair.repair import repair
from agents.repair.repaired import Repaired
from agents.repair.session import RepairConfig, RepairTask
from envs.pddl.language.domain import read_domain, read_problem
from envs.world import open_world
from ew.score.rating import Outcome
from ew.walks.world_walks import Evidence
from experiments.evaluation.evaluate import CandidateEvaluation
from experiments.runs.records import world_label
from experiments.runs.seeds import stream
from search.executors import Executor
from search.nodes import Node

#: After one proposal of the language model; its walks are those of the recorded runs.
ONCE = RepairConfig(
    queries=5000, wall_s=600, constraints_s=600, plan_s=600, most_expansions=640, keeps_ledger=True,
    policies=("coverage", "uniform", "schema_first"), examination=None,
)  # fmt: skip
#: Between the turns of the language model.
BETWEEN = RepairConfig(
    queries=2000, wall_s=600, constraints_s=600, plan_s=600, most_expansions=160, keeps_ledger=True,
    keeps_walked=True,
)  # fmt: skip


@dataclass(frozen=True)
class GivenProblem:
    """A problem of a proposal, the environment's task of it, and what is known of that task."""

    task: int | str
    problem: str
    known: Evidence | None = None


@dataclass(frozen=True)
class Repairer:
    """Repairs the texts of a model of an environment. Picklable and cheap to send."""

    env: str
    seed: int
    config: RepairConfig

    def __call__(self, domain: str, given: Sequence[GivenProblem]) -> Repaired:
        """The repair of a domain and its problems, beginning with what is known of their tasks."""
        rules = read_domain(domain)
        tasks = [
            RepairTask(open_world(self.env, own.task), read_problem(own.problem, rules), own.known)
            for own in given
        ]
        texts = (text for own in given for text in (own.task, domain, own.problem))
        return repair(tasks, stream(self.seed, "repair", world_label(self.env), *texts), self.config)


class Shared:
    """What the repairs of one episode saw, by expansion and task. Threads may add and ask at a time."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, int | str], Evidence] = {}

    def add(self, parent: Node, tasks: Sequence[int | str], found: Repaired) -> None:
        """Keep what the repair of a node saw in its tasks."""
        self._seen.update({(parent.id, task): seen for task, seen in zip(tasks, found.walked, strict=True)})

    def known(self, nodes: Sequence[Node], task: int | str) -> Evidence | None:
        """What was seen in a task by repairs of those nodes that have children among `nodes`."""
        parents = sorted({node.parent for node in nodes if node.parent is not None})
        seen = [self._seen[key] for key in ((parent, task) for parent in parents) if key in self._seen]
        return reduce(Evidence.merged, seen) if seen else None


def repaired(
    repairer: Repairer,
    executor: Executor,
    proposal: Proposal,
    given: Sequence[GivenProblem],
) -> Repaired:
    """The repair of a proposal on some of its problems, waited for. Raises WorkerError."""
    return executor.submit(repairer, proposal.domain, tuple(given)).result()


def may_be_repaired(evaluation: CandidateEvaluation) -> bool:
    """Whether a model is there that walks can be compared with, and not all is well with it."""
    return evaluation.rating.outcome in (Outcome.NO_INITIAL_ACTION, Outcome.WALKED)
