"""Methods `chain`, `tree` and `tree-domprop`: Algorithm 1 on one task, then every task with the best model.

The search proposes problems and refines domains for task 1, or for a task that is not counted (see
`Unit.refined_on`); the best domain found serves all tasks, whose problems are translated one-shot from that.
Source: Mahdavi et al. 2024, Algorithm 1.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from agents.llm.interface import LanguageModel
from agents.proposal import Proposal
from agents.refine import Refiner
from agents.texts import WorldTexts
from envs.world import open_world
from ew.config import EstimatorName, FeedbackForm
from experiments.episode import Kit
from experiments.evaluate import Evaluator
from experiments.meter import Meter
from experiments.records import EpisodeRecord, TaskOutcome, TaskRecord
from experiments.searching import episode_record, search_episode, walkable
from experiments.solve import Attempt, ModelSolver
from experiments.streams import derived_seed
from experiments.tasks import Prepared, run_tasks
from experiments.units import Unit
from search.algorithm1 import Algorithm1
from search.loop import SearchResult
from search.nodes import Expansion, Node


@dataclass(frozen=True)
class RefinementMethod:
    """Algorithm 1 with `np` problem candidates and `nd` domain candidates a turn."""

    np: int
    nd: int
    proposes_domain: bool = False  #: whether a problem is written from a drafted domain (DomProp)
    branches: bool = True  #: whether --np and --nd change it
    estimator: EstimatorName = "paper"
    feedback: FeedbackForm = "paper"
    feedback_tasks: int = 1

    def candidates(self, unit: Unit) -> int:
        """A full tree: every branch uses every turn."""
        return unit.np * unit.nd * unit.turns

    def run(self, unit: Unit, kit: Kit) -> EpisodeRecord:
        """Search on task 1, then solve all tasks with the best model found."""
        started = time.monotonic()
        meter = Meter(kit.model)
        (task,) = unit.refined_on
        refiner = Refiner(WorldTexts.of(open_world(unit.env, task)), meter, self.proposes_domain)
        found = self._search(unit, kit, refiner)
        tasks = solve_tasks(unit, kit, refiner, found.best)
        wall_s = round(time.monotonic() - started, 3)
        return episode_record(unit, found, tasks, meter.spent, wall_s)

    def _search(self, unit: Unit, kit: Kit, refiner: Refiner) -> SearchResult:
        proposals = refiner.problems(unit.np, derived_seed(unit.seed, "problems"))

        def propose(wish: Expansion, known: tuple[Node, ...]) -> tuple[Proposal, ...]:
            seed = derived_seed(unit.seed, "domains", wish.parent.id)
            return refiner.domains(wish.parent.payload, wish.parent.evaluation.feedback, wish.count, seed)

        policy = Algorithm1(children=unit.nd, turns=unit.turns)
        evaluator = Evaluator(unit.env, unit.refined_on[0], unit.seed, kit.judge)
        return search_episode(unit, kit, policy, proposals, propose, evaluator)


def solve_tasks(unit: Unit, kit: Kit, refiner: Refiner, best: Node | None) -> tuple[TaskRecord, ...]:
    """Every task with the best node's domain; without a domain that can be walked, no task is translated."""

    def prepare(number: int, model: LanguageModel) -> Prepared:
        if best is None or not walkable(best):
            return Prepared(failed=Attempt(TaskOutcome.NO_DOMAIN))
        solution: Proposal = best.payload
        if number in unit.refined_on:
            return Prepared((solution.domain, solution.problem))
        asked = Refiner(refiner.texts, model, refiner.draft_domain_first)
        texts = WorldTexts.of(open_world(unit.env, number))
        reading = asked.translate(solution, texts, derived_seed(unit.seed, "task", number))
        if reading.problem is None:
            return Prepared(failed=Attempt(TaskOutcome.NO_PROBLEM, detail=reading.fault or ""))
        return Prepared((solution.domain, reading.problem))

    return run_tasks(unit, kit, prepare, ModelSolver(unit.env, unit.seed, kit.judge))
