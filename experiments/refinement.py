"""Methods `chain`, `tree` and `tree-domprop`: Algorithm 1 on one task, then every task with the best model.

The search proposes problems and refines domains for task 1, or for a task that is not counted (see
`Unit.refined_on`); the best domain found serves all tasks, whose problems are translated one-shot from that.
Source: Mahdavi et al. 2024, Algorithm 1.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, TypeVar

from agents.llm.interface import LanguageModel
from agents.proposal import Proposal
from agents.refine import Refiner
from agents.texts import WorldTexts
from envs.world import open_world
from ew.config import EstimatorName, FeedbackForm
from ew.rating import Outcome, Rating
from experiments.bounds import (
    Bound,
    candidate_queries,
    domains_asked,
    problems_asked,
    task_queries,
    translations_asked,
)
from experiments.episode import Kit
from experiments.evaluate import CandidateEvaluation, Evaluator, evaluate_root
from experiments.meter import Meter
from experiments.records import EpisodeRecord, NodeRecord, Spent, TaskOutcome, TaskRecord
from experiments.solve import Attempt, ModelSolver
from experiments.streams import derived_seed
from experiments.tasks import Prepared, run_tasks
from experiments.units import Unit
from search.algorithm1 import Algorithm1
from search.executors import Executor
from search.loop import SearchResult, run_search
from search.nodes import Expansion, Node

T = TypeVar("T")


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

    def bound(self, unit: Unit, longest: int) -> Bound:
        """A full tree, then a translation and a score of every task."""
        calls = problems_asked(unit, longest, from_draft=self.proposes_domain)
        calls += domains_asked(unit, longest) + translations_asked(unit, longest)
        searching = self.candidates(unit) * candidate_queries(unit)
        return calls + Bound(world_queries=searching + unit.tasks * task_queries(unit))

    def run(self, unit: Unit, kit: Kit) -> EpisodeRecord:
        """Search on task 1, then solve all tasks with the best model found."""
        started = time.monotonic()
        meter = Meter(kit.model)
        (task,) = unit.refined_on
        refiner = Refiner(WorldTexts.of(open_world(unit.env, task)), meter, self.proposes_domain)
        found = self._search(unit, kit, refiner)
        tasks = solve_tasks(unit, kit, refiner, found.best)
        wall_s = round(time.monotonic() - started, 3)
        return _episode(unit, found, tasks, meter.spent, wall_s)

    def _search(self, unit: Unit, kit: Kit, refiner: Refiner) -> SearchResult:
        watcher = _Watcher(unit, kit)
        proposals = refiner.problems(unit.np, derived_seed(unit.seed, "problems"))
        roots = [Node(str(i), None, p, evaluate_root(p)) for i, p in enumerate(proposals, start=1)]
        for root in roots:
            watcher(root)

        def propose(wish: Expansion, known: tuple[Node, ...]) -> tuple[Proposal, ...]:
            seed = derived_seed(unit.seed, "domains", wish.parent.id)
            return refiner.domains(wish.parent.payload, wish.parent.evaluation.feedback, wish.count, seed)

        return run_search(
            Algorithm1(children=unit.nd, turns=unit.turns),
            roots,
            propose,
            Evaluator(unit.env, unit.refined_on[0], unit.seed, kit.judge),
            _Remembering(kit.executor, _known(unit, kit)),
            observe=watcher,
        )


def solve_tasks(unit: Unit, kit: Kit, refiner: Refiner, best: Node | None) -> tuple[TaskRecord, ...]:
    """Every task with the best node's domain; without a domain that can be walked, no task is translated."""

    def prepare(number: int, model: LanguageModel) -> Prepared:
        if best is None or best.evaluation.rating < Rating(Outcome.NO_INITIAL_ACTION):
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


@dataclass
class _Watcher:
    """Writes nodes down as they are evaluated and tells the user."""

    unit: Unit
    kit: Kit
    best: Rating | None = field(default=None)

    def __call__(self, node: Node) -> None:
        rating: Rating = node.evaluation.rating
        if self.best is None or self.best < rating:
            self.best = rating
        record = _node_record(self.unit, node)
        if not self.kit.ledger.add_node(record):
            return
        if node.parent is not None:
            self.kit.progress.node(record, _in_words(self.best))
        elif not node.evaluation.expandable:
            self.kit.progress.say(f"problem {record.id} cannot be used: {_first_line(node.payload.fault)}")


class _Remembering(Executor):
    """Answers for payloads whose evaluation is known, and hands the others on."""

    def __init__(self, executor: Executor, known: Mapping[str, CandidateEvaluation]):
        self._executor = executor
        self._known = known

    def submit(self, fn: Callable[..., T], /, *args: Any) -> Future[T]:
        """A future that is done if the evaluation of the payload is known."""
        known: Any = self._known.get(args[0].key)
        if known is None:
            return self._executor.submit(fn, *args)
        future: Future[T] = Future()
        future.set_result(known)
        return future

    def check(self) -> None:
        """The executor behind was checked before the episode."""

    def close(self) -> None:
        """The executor behind belongs to somebody else."""


def _known(unit: Unit, kit: Kit) -> dict[str, CandidateEvaluation]:
    return {n.key: CandidateEvaluation.of_record(n) for n in kit.ledger.nodes(unit.key)}


def _node_record(unit: Unit, node: Node) -> NodeRecord:
    evaluation: CandidateEvaluation = node.evaluation
    proposal: Proposal = node.payload
    return NodeRecord(
        unit=unit.key,
        id=node.id,
        key=proposal.key,
        outcome=evaluation.rating.outcome.name,
        score=evaluation.score,
        plan=evaluation.plan,
        failure=evaluation.failure,
        feedback=evaluation.feedback,
        problem=proposal.problem,
        domain=None if node.parent is None else proposal.domain,
        reply=proposal.messages[-1].content if proposal.messages else None,
        wall_s=evaluation.wall_s,
        spent=Spent(1, proposal.usage.prompt_tokens, proposal.usage.completion_tokens),
        asked=proposal.asked,
        task=evaluation.task,
        story=evaluation.story,
    )


def _episode(
    unit: Unit, found: SearchResult, tasks: tuple[TaskRecord, ...], searching: Spent, wall_s: float
) -> EpisodeRecord:
    best = found.best
    rating = None if best is None else best.evaluation.rating
    queries = [n.evaluation.score.world_queries for n in found.nodes] + [t.score.world_queries for t in tasks]
    return EpisodeRecord(
        unit=unit.key,
        env=unit.env,
        method=unit.method,
        seed=unit.seed,
        best=None if best is None else best.id,
        outcome=None if rating is None else rating.outcome.name,
        ew=None if rating is None else rating.ew,
        makes_model=True,
        candidates=len(found.nodes),
        solved=sum(t.solved for t in tasks),
        tasks=len(tasks),
        spent=sum((t.spent for t in tasks), searching),
        world_queries=sum(queries),
        wall_s=wall_s,
        problem=None if best is None else best.payload.problem,
        domain=None if best is None else best.payload.domain,
    )


def _first_line(fault: str | None) -> str:
    return (fault or "").partition("\n")[0]


def _in_words(rating: Rating) -> str:
    name = rating.outcome.name.lower()
    return name if rating.ew is None else f"{name} EW {rating.ew:.3f}"
