"""Runs the tree searches of an episode with memoised evaluations, and records each node.

Every method that makes a model is a `SearchingMethod`, so that nodes and episodes are recorded alike.

`SearchBudget` is what a search may still spend: the budgets of a unit, shared by all searches of its episode.
A reply costs its tokens, prompt and answer, whatever it brought; evaluating a candidate costs the questions
that the world was asked. Equal candidates are evaluated once, so only the first of them costs questions.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import partial
from operator import attrgetter
from typing import Any, TypeVar

from agents.llm.interface import LanguageModel, Usage, most_prompt_tokens, most_tokens
from agents.proposal import Proposal
from agents.repair.proposals import edits_in_words
from ew.counterexample.doubts import Doubt
from ew.score.rating import Rating
from ew.score.shown import shown
from ew.walks.budget import total_cost
from experiments.config import SIZE_FLAGS, SizeFlag, shared
from experiments.driver.engine import ExecutorInUse
from experiments.driver.tasks import episode_without_model
from experiments.evaluation.evaluate import CandidateEvaluation, evaluate_root
from experiments.methods.base import Kit, Method
from experiments.methods.counted_tasks import CountedTasks
from experiments.runs.details import Detail, Repair
from experiments.runs.records import EpisodeRecord, NodeRecord, Score, Spent
from experiments.runs.units import Unit
from experiments.spending.capped import Meter
from search.executors import Executor, mapped
from search.loop import Evaluate, Propose, SearchResult, run_search
from search.nodes import Node
from search.policies import Budgeted, Policy

T = TypeVar("T")


class Searcher:
    """Runs the searches of one episode, which share its budgets, with memoised evaluations."""

    def __init__(self, unit: Unit, kit: Kit):
        self._unit, self._kit = unit, kit
        self._watcher = _Watcher(unit, kit)
        known = {node.key: CandidateEvaluation.of_record(node) for node in kit.ledger.nodes(unit.key)}
        self._executor = _Remembering(kit.executor, known)
        self.purse = SearchBudget(unit)

    def roots(self, proposals: Sequence[Proposal], first: int = 1) -> tuple[Node, ...]:
        """Roots `first`, `first + 1`, …, written down."""
        made = [Node(str(i), None, p, evaluate_root(p)) for i, p in enumerate(proposals, start=first)]
        for root in made:
            self._watcher(root)
        return tuple(made)

    def search(
        self, policy: Policy, roots: Sequence[Node], propose: Propose, evaluate: Evaluate
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


@dataclass(frozen=True)
class Searched:
    """What a search found for an episode's tasks."""

    search: SearchResult
    tasks: CountedTasks
    doubts: tuple[Doubt, ...] = ()  #: about the texts of the tasks that were refined on


@dataclass(frozen=True, kw_only=True)
class SearchingMethod(Method):
    """A method that searches for a model on the feedback tasks and solves the counted tasks with the best."""

    takes: frozenset[SizeFlag] = frozenset(SIZE_FLAGS)
    repairs: bool = False  #: whether candidates are repaired without the language model too

    @abstractmethod
    def found(self, unit: Unit, kit: Kit, model: LanguageModel) -> Searched:
        """Search, and say how tasks are solved with what was found; `model` counts what it is asked."""

    def run(self, unit: Unit, kit: Kit) -> EpisodeRecord:
        """Search, then solve all tasks with the best model found."""
        started, meter = time.monotonic(), Meter(kit.model)
        found = self.found(unit, kit, meter)
        tasks = found.tasks.solved()
        record = episode_without_model(unit, tasks, started)
        # equal candidates were evaluated once
        evaluated = {n.payload.key: n.evaluation.score for n in found.search.nodes}
        scores: list[Score] = [*evaluated.values(), *(t.score for t in tasks)]
        best = found.search.best
        record = replace(
            record,
            makes_model=True,
            candidates=len(found.search.nodes),
            spent=record.spent + meter.spent,
            world_queries=sum(score.world_queries for score in scores),
            simulator=total_cost(score.simulator for score in scores),
            doubts=found.doubts,
        )
        if best is None:
            return record
        rating: Rating = best.evaluation.rating
        model = {"problem": best.payload.problem, "domain": best.payload.domain}
        return replace(
            record,
            best=best.id,
            outcome=rating.outcome.name,
            ew=rating.ew,
            not_exercised=best.evaluation.score.not_exercised,
            **model,
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
            fault = (node.payload.fault or "").partition("\n")[0]
            self.kit.progress.say(f"problem {record.id} cannot be used: {fault}")


class _Remembering(ExecutorInUse):
    """Answers for payloads whose evaluation is known, and hands the others on."""

    def __init__(self, executor: Executor, known: Mapping[str, CandidateEvaluation]):
        super().__init__(executor)
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


def _with_its_making(proposal: Proposal, evaluation: CandidateEvaluation) -> CandidateEvaluation:
    """With the queries that were asked to make the proposal, and the edits of the repair that made it."""
    score = evaluation.score.with_cost(proposal.queries, proposal.simulator)
    words = [edits_in_words(proposal.mended)] if proposal.mended else []
    feedback = "\n\n".join([*words, evaluation.feedback])
    return replace(evaluation, score=score, feedback=feedback)


def _node_record(unit: Unit, node: Node) -> NodeRecord:
    evaluation: CandidateEvaluation = node.evaluation
    proposal: Proposal = node.payload
    made, usage = proposal.mended, proposal.usage
    details: tuple[Detail, ...] = ()
    if made is not None:
        took = proposal.queries, made.ledger, made.left_out, proposal.simulator
        details = (Repair(made.agrees, made.edits, *took),)
    own = {
        "unit": unit.key,
        "id": node.id,
        "outcome": evaluation.rating.outcome.name,
        "domain": None if node.parent is None else proposal.domain,
        "reply": proposal.read_from[-1].content if proposal.read_from else None,
        "spent": Spent(0 if made else 1, usage.prompt_tokens, usage.completion_tokens),
        "tasks_solved": evaluation.rating.tasks,
        "wanted": evaluation.wanted.value,
        "details": details,
    }
    return NodeRecord(**{**shared(proposal, NodeRecord), **shared(evaluation, NodeRecord), **own})


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
    asked_about = attrgetter("draft", "problems", "fault", "unapplied")  # beside the failure
    return bool(asked_about(before) == asked_about(after))


def _in_words(rating: Rating) -> str:
    name = rating.outcome.name.lower()
    done = f"{rating.tasks} solved, then " if rating.tasks else ""
    return done + (name if rating.ew is None else f"{name} EW {shown(rating.ew, 3)}")


class SearchBudget:
    """The budgets of one episode. Used by one thread, one search after another."""

    def __init__(self, unit: Unit):
        replies, questions = _Tally(_tokens), _Tally(_questions())
        budgets = ((unit.budget_tokens, replies), (unit.budget_queries, questions))
        self._budgets = [(limit, tally) for limit, tally in budgets if limit is not None]

    @property
    def empty(self) -> bool:
        """Whether a budget is used up."""
        return any(tally.spent >= limit for limit, tally in self._budgets)

    def hold(self, policy: Policy) -> Policy:
        """`policy` within what is left; itself if there is no budget."""
        for limit, tally in self._budgets:
            policy = Budgeted(policy, limit - tally.spent, tally)
        return policy


@dataclass
class _Tally:
    """Prices nodes, each once, and adds up."""

    price: Callable[[Node], int]
    spent: int = 0

    def __call__(self, node: Node) -> int:
        cost = self.price(node)
        self.spent += cost
        return cost


def _tokens(node: Node) -> int:
    """Of the replies that the node was read from; of a server that counts none, our estimate of the last."""
    proposal: Proposal = node.payload
    usage = proposal.usage
    if usage == Usage() and proposal.read_from:
        *prompt, reply = proposal.read_from
        usage = Usage(most_prompt_tokens(prompt), most_tokens(reply.content))
    return usage.prompt_tokens + usage.completion_tokens


def _questions() -> Callable[[Node], int]:
    """World queries of nodes; an evaluation that was made already costs nothing."""
    seen: set[str] = set()

    def price(node: Node) -> int:
        evaluation: CandidateEvaluation = node.evaluation
        queries = 0 if node.payload.key in seen else evaluation.score.world_queries
        seen.add(node.payload.key)
        return queries

    return price
