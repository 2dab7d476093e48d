"""The searches of an episode, with a memory: what is known is not evaluated again, what is new is kept.

Every method that makes a model searches through here, so that nodes and episodes are recorded alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

from agents.mending import told
from agents.proposal import Proposal
from ew.score.rating import Outcome, Rating
from ew.score.shown import shown
from experiments.evaluation.evaluate import CandidateEvaluation, evaluate_root
from experiments.methods.base import Kit
from experiments.runs.records import EpisodeRecord, NodeRecord, Repair, Spent, TaskRecord
from experiments.runs.units import Unit
from experiments.spending.search_budget import Purse
from search.executors import Executor
from search.loop import Evaluate, Propose, SearchResult, run_search
from search.nodes import Node
from search.policies import Policy
from search.relay import mapped

T = TypeVar("T")


class Searcher:
    """The searches of one episode: they share its budgets, and what the ledger knows is not done again."""

    def __init__(self, unit: Unit, kit: Kit):
        self._unit, self._kit = unit, kit
        self._watcher = _Watcher(unit, kit)
        self._executor = _Remembering(kit.executor, _known(unit, kit))
        self.purse = Purse(unit)

    def roots(self, proposals: Sequence[Proposal], first: int = 1) -> tuple[Node, ...]:
        """Roots `first`, `first + 1`, …, written down."""
        made = [Node(str(i), None, p, evaluate_root(p)) for i, p in enumerate(proposals, start=first)]
        for root in made:
            self._watcher(root)
        return tuple(made)

    def search(
        self, policy: Policy[Any], roots: Sequence[Node], propose: Propose, evaluate: Evaluate
    ) -> SearchResult:
        """What `policy` finds from `roots` within what is left of the budgets."""
        held = self.purse.hold(policy)
        return run_search(
            held,
            roots,
            propose,
            evaluate,
            self._executor,
            observe=self._watcher,
            stall_s=self._kit.stall_s,
            name=self._unit.name,
        )


@dataclass
class _Watcher:
    """Writes nodes down as they are evaluated and tells the user."""

    unit: Unit
    kit: Kit
    best: Rating | None = field(default=None)
    scores: dict[str, float | None] = field(default_factory=dict)  #: EW by id

    def __call__(self, node: Node) -> None:
        rating: Rating = node.evaluation.rating
        self.scores[node.id] = node.evaluation.score.ew
        if self.best is None or self.best < rating:
            self.best = rating
        record = _node_record(self.unit, node)
        if not self.kit.ledger.add_node(record):
            return
        if node.parent is not None:
            self.kit.progress.node(record, _in_words(self.best), self.scores.get(node.parent))
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
            found: Future[Any] = self._executor.submit(fn, *args)
            added: Callable[[Any], Any] = partial(_with_its_making, args[0])
            return mapped(found, added) if args[0].queries else found
        future: Future[T] = Future()
        future.set_result(known)
        return future

    def check(self) -> None:
        """The executor behind was checked before the episode."""

    def close(self) -> None:
        """The executor behind belongs to somebody else."""


def _known(unit: Unit, kit: Kit) -> dict[str, CandidateEvaluation]:
    return {n.key: CandidateEvaluation.of_record(n) for n in kit.ledger.nodes(unit.key)}


def _with_its_making(proposal: Proposal, evaluation: CandidateEvaluation) -> CandidateEvaluation:
    """With the queries that were asked to make the proposal, and the edits of the repair that made it."""
    queries = evaluation.score.world_queries + proposal.queries
    words = [told(proposal.mended)] if proposal.mended else []
    return replace(
        evaluation,
        score=replace(evaluation.score, world_queries=queries),
        feedback="\n\n".join([*words, evaluation.feedback]),
    )


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
        reply=proposal.read_from[-1].content if proposal.read_from else None,
        wall_s=evaluation.wall_s,
        spent=Spent(
            0 if proposal.mended else 1, proposal.usage.prompt_tokens, proposal.usage.completion_tokens
        ),
        asked=proposal.asked,
        task=evaluation.task,
        story=evaluation.story,
        tasks_solved=evaluation.rating.tasks,
        wanted=evaluation.wanted.value,
        doubts=evaluation.doubts,
        repair=_repair(proposal),
    )


def _repair(proposal: Proposal) -> Repair | None:
    made = proposal.mended
    if made is None:
        return None
    return Repair(made.agrees, made.edits, proposal.queries, made.ledger, made.left_out)


def walkable(node: Node) -> bool:
    """Whether the node's model could be compiled, so that tasks may be tried with its domain."""
    rating: Rating = node.evaluation.rating
    return rating.tasks > 0 or rating.outcome >= Outcome.NO_INITIAL_ACTION


def nothing_changed(node: Node, known: Sequence[Node]) -> bool:
    """Whether the reply that made a node left all as it was in its parent, its failure included.

    To ask for its children would be to ask its parent's question again.
    """
    parent = next((n for n in known if n.id == node.parent), None)
    if parent is None or node.payload.is_root or parent.payload.is_root:
        return False
    before, after = parent.payload, node.payload
    if after.mended or parent.evaluation.feedback != node.evaluation.feedback:
        return False
    return _asked_about(before) == _asked_about(after)


def _asked_about(proposal: Proposal) -> tuple[object, ...]:
    """What a question about a proposal holds, beside its failure."""
    return proposal.draft, proposal.problems, proposal.fault, proposal.unapplied


def domain_stands(node: Node) -> bool:
    """Whether the node's domain solved a feedback task: its plan worked there, and EW was 1."""
    rating: Rating = node.evaluation.rating
    return rating.tasks > 0 or rating.outcome is Outcome.SOLVED


def episode_record(
    unit: Unit, found: SearchResult, tasks: tuple[TaskRecord, ...], searching: Spent, wall_s: float
) -> EpisodeRecord:
    """The end mark of an episode; `searching` is what the search cost, each task knows its own."""
    best = found.best
    rating = None if best is None else best.evaluation.rating
    evaluated = {n.payload.key: n.evaluation.score.world_queries for n in found.nodes}  # equal ones once
    queries = [*evaluated.values(), *(t.score.world_queries for t in tasks)]
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
    done = f"{rating.tasks} solved, then " if rating.tasks else ""
    return done + (name if rating.ew is None else f"{name} EW {shown(rating.ew, 3)}")
