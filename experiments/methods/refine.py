"""The method `refine`: domain and problems are refined together, on tasks that are not counted.

Beyond Algorithm 1, each part with a switch of its own: the problem may be found at fault as well as the
domain (`mends_problems`), also in later tasks, which are then tried again; a plan that fails is told step by
step (`tells_plans`); a domain has to work in several tasks (`feedback_tasks`); a disagreement is told at its
shortest and action by action (`feedback`); what refuted one candidate is told to all later ones and held
against them (`remembers`); and the best of all candidates is expanded next (`policy`). With `repairs`, the
language model is not asked before a repair has had its turn: where edits are found that make the model agree
with the environment, the model so edited is the only child; else what is not settled is told. What one
repair saw of the environment is evidence for those after it, in every branch.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from agents.improve import Failing, Improver, Translation, Wanted
from agents.llm.interface import LanguageModel
from agents.mending import MAX_EVIDENCE, mended, proved_wrong, unsettled, words_of
from agents.problems import ProblemReading
from agents.proposal import Proposal
from agents.repair.repair import Repaired, Verdict
from agents.requests import DomainStanding
from agents.texts import WorldTexts
from envs.world import open_world
from ew.counterexample.causes import without_orders
from ew.counterexample.doubts import Doubt
from ew.counterexample.observations import Observation
from ew.score.config import EstimatorName
from experiments.config import SIZE_FLAGS, SizeFlag
from experiments.driver.tasks import Prepared, run_tasks
from experiments.evaluation.evaluate import CandidateEvaluation
from experiments.evaluation.evaluate_tasks import TasksEvaluator
from experiments.evaluation.solve import Attempt, ModelSolver, unread
from experiments.evaluation.text_doubts import doubts_of_refined
from experiments.evaluation.translators import translated_by_tic
from experiments.methods.base import Kit, Method
from experiments.methods.repair_step import BETWEEN, Mender, Shared, may_be_repaired, repaired
from experiments.methods.searching import Searcher, domain_stands, episode_record, nothing_changed, walkable
from experiments.runs.records import EpisodeRecord, Story, TaskOutcome, TaskRecord
from experiments.runs.seeds import derived_seed
from experiments.runs.units import EvaluationTask, Unit
from experiments.spending.bounds import (
    candidate_queries,
    domains_asked,
    either_told,
    problems_asked,
    task_queries,
    translations_asked,
)
from experiments.spending.capped import Meter
from experiments.spending.caps import Bound
from search.algorithm1 import Algorithm1
from search.loop import SearchResult
from search.nodes import Expansion, Node
from search.open_list import Beam, BestFirst
from search.policies import Policy


@dataclass(frozen=True, kw_only=True)
class RefineMethod(Method):
    """Refinement with all its parts; each can be switched off."""

    np: int = 2
    nd: int = 3
    policy: Literal["best-first", "beam", "algorithm1"] = "best-first"
    mends_problems: bool = True
    tells_plans: bool = True
    remembers: bool = True
    feedback_tasks: int = 2
    attempts: int = 3  #: at each counted task, if problems are mended and there is no budget
    estimator: EstimatorName = "survival"
    takes: frozenset[SizeFlag] = frozenset(SIZE_FLAGS)
    repairs: bool = False

    def candidates(self, unit: Unit) -> int:
        """As many expansions as a full tree has, each with all its children."""
        return unit.np * unit.nd * unit.turns

    def repair_queries(self, unit: Unit) -> int:
        """World queries of one repair, at most one an expansion."""
        return BETWEEN.queries if self.repairs else 0

    def bound(self, unit: Unit, longest: int) -> Bound:
        """All expansions in one long conversation, the dearest way; every attempt at every task."""
        deep = replace(unit, np=1, turns=unit.np * unit.turns)
        calls = problems_asked(unit, longest, from_draft=False)
        told = either_told(unit, longest) + (MAX_EVIDENCE if self.repairs else 0)
        calls += domains_asked(deep, longest, told)
        calls += translations_asked(deep, longest, self._attempts(unit))
        searching = self.candidates(unit) * candidate_queries(unit)
        searching += unit.np * unit.turns * self.repair_queries(unit)
        solving = unit.tasks * self._attempts(unit) * task_queries(unit, explained=True)
        return calls + Bound(world_queries=searching + solving)

    def run(self, unit: Unit, kit: Kit) -> EpisodeRecord:
        """Search on the feedback tasks, then solve the counted tasks with the best model found."""
        started = time.monotonic()
        meter = Meter(kit.model)
        texts = tuple(WorldTexts.of(open_world(unit.env, task)) for task in unit.refined_on)
        found = self._search(unit, kit, Improver(texts, meter))
        doubts = doubts_of_refined(unit.refined_on, found.best, found.nodes)
        tasks = self._solve(unit, kit, texts, found.best, doubts)
        wall_s = round(time.monotonic() - started, 3)
        record = episode_record(unit, found, tasks, meter.spent, wall_s)
        return replace(record, doubts=tuple(doubt for some in doubts.values() for doubt in some))

    def _search(self, unit: Unit, kit: Kit, improver: Improver) -> SearchResult:
        proposals = improver.roots(unit.np, derived_seed(unit.seed, "problems"))
        shared = Shared()

        def propose(wish: Expansion, known: tuple[Node, ...]) -> Iterable[Proposal]:
            failing = failing_of(unit, wish.parent, known if self.remembers else ())
            if nothing_changed(wish.parent, known):
                asked = failing.wanted is not Wanted.DOMAIN or _left_as_it_was(wish.parent, known)
                if asked or not self.mends_problems:
                    return ()
                failing = replace(failing, wanted=Wanted.EITHER)  # another question, where one is left
            seen = observations_of(known) if self.remembers else ()
            found = self._repaired(unit, kit, wish.parent, shared, known)
            if found is not None and _settles(found, wish.parent.payload):
                child = mended(wish.parent.payload, _number(unit, wish.parent), found)
                return (replace(child, observations=seen),)
            seed = derived_seed(unit.seed, "domains", wish.parent.id)
            failing, queries = _told_of(failing, found)
            children = improver.children(wish.parent.payload, failing, wish.count, seed)
            costs = [queries, *[0] * len(children)]  # the first child bears what the repair cost
            pairs = zip(children, costs, strict=False)
            return (replace(child, observations=seen, queries=spent) for child, spent in pairs)

        evaluator = TasksEvaluator(
            unit.env, unit.refined_on, unit.seed, kit.judge, self.tells_plans, self.mends_problems
        )
        searcher = Searcher(unit, kit)
        return searcher.search(self._policy(unit), searcher.roots(proposals), propose, evaluator)

    def _repaired(
        self, unit: Unit, kit: Kit, parent: Node, shared: Shared, known: Sequence[Node]
    ) -> Repaired | None:
        """The repair of a model that walks or its plan speak against, unless a repair has made it already."""
        evaluation: CandidateEvaluation = parent.evaluation
        proposal: Proposal = parent.payload
        if not self.repairs or proposal.mended or not may_be_repaired(evaluation):
            return None
        number = _number(unit, parent)
        mender = Mender(unit.env, unit.seed, replace(BETWEEN, planner=kit.judge.planner))
        task = unit.refined_on[number]
        seen = shared.known(known, task)
        found = repaired(mender, kit.executor, proposal, task, number, seen)
        shared.add(parent, task, found)
        return found

    def _policy(self, unit: Unit) -> Policy[Any]:
        """Every policy makes as many expansions at most, and as many at a time."""
        match self.policy:
            case "best-first":
                return BestFirst(unit.nd, unit.np * unit.turns, width=unit.np)
            case "beam":
                return Beam(unit.nd, unit.turns, width=unit.np)
            case "algorithm1":
                return Algorithm1(unit.nd, unit.turns)

    def _solve(
        self,
        unit: Unit,
        kit: Kit,
        texts: tuple[WorldTexts, ...],
        best: Node | None,
        doubts: Mapping[int | str, tuple[Doubt, ...]],
    ) -> tuple[TaskRecord, ...]:
        """Every task with the best node's domain; a failure is told, and the problem asked for again."""
        solution: Proposal | None = best.payload if best is not None and walkable(best) else None
        stands = best is not None and domain_stands(best)

        def prepare(task: EvaluationTask, model: LanguageModel) -> Prepared:
            if solution is None:
                return Prepared(failed=Attempt(TaskOutcome.NO_DOMAIN))
            if task.name in unit.refined_on:
                number = unit.refined_on.index(task.name)
                known = Improver(texts, model).settled(solution, number)
                prepared = replace(_prepared(known, solution, None), doubts=doubts.get(task.name, ()))
                return prepared if unit.translator == "llm" else replace(prepared, origin=None)
            doubting = str(task.name) if stands else None
            seed, words = derived_seed(unit.seed, "task", task.number), _texts(unit, task)
            if unit.translator == "llm":
                return _prepared(Improver(texts, model).translate(solution, words, seed), solution, doubting)
            reading = translated_by_tic(model, kit.executor, texts[0], solution, words, seed)
            # nothing to go on from: a further answer would hear a conversation about PDDL
            return replace(_prepared(reading, solution, doubting), origin=None)

        def again(task: EvaluationTask, failed: Prepared, attempt: Attempt, model: LanguageModel) -> Prepared:
            if solution is None:
                raise ValueError("no task is tried again without a domain")
            words = attempt.feedback or attempt.detail
            seed, told = derived_seed(unit.seed, "task", task.number), _texts(unit, task)
            standing = DomainStanding.KEPT if failed.failed else DomainStanding.UNPROVED
            standing = DomainStanding.SOLVED if stands else standing
            mended = Improver(texts, model).mend(failed.origin, words, solution, told, seed, standing)
            again = _prepared(mended, solution, str(task.name) if stands else None)
            if again.arguments and again.arguments == failed.arguments:  # asking once more would be the same
                return replace(again, failed=_unchanged(attempt), origin=None)
            return again

        solver = ModelSolver(unit.env, unit.seed, kit.judge, self.mends_problems, stands)
        return run_tasks(unit, kit, prepare, solver, again, self._attempts(unit))

    def _attempts(self, unit: Unit) -> int:
        """At each counted task: a failure is only heard where it may lead to another problem.

        With a budget of the search it is one, as for all others: more would be money beyond the budget.
        """
        free = unit.budget_tokens is None and unit.budget_queries is None
        return self.attempts if self.mends_problems and free else 1


def observations_of(nodes: Iterable[Node]) -> tuple[Observation, ...]:
    """What the nodes were refuted by, without repetition, shortest walks first."""
    evaluations = (node.evaluation for node in nodes)
    found = (observation_of(e.task, e.story) for e in evaluations if e.story is not None)
    return tuple(sorted({observation for observation in found if observation is not None}))


def observation_of(task: str, story: Story) -> Observation | None:
    """What a story shows of the world; None of a plan that ran to its end."""
    operators = tuple(step.operator for step in story.steps)
    for number, step in enumerate(story.steps):
        if step.world != step.model:
            return Observation.of(task, operators[:number], step.operator, step.world)
    return None


def failing_of(unit: Unit, parent: Node, known: Sequence[Node]) -> Failing:
    """What the parent's children are told: its failure, and what nodes of other lines were refuted by."""
    evaluation: CandidateEvaluation = parent.evaluation
    told = observations_of(node for node in known if node.id in parent.line)
    elsewhere = observations_of(node for node in known if node.id not in parent.line)
    other = tuple(seen for seen in elsewhere if seen.task == evaluation.task and seen not in told)
    return Failing(evaluation.feedback, _number(unit, parent), evaluation.wanted, other)


def _left_as_it_was(node: Node, known: Sequence[Node]) -> bool:
    """Whether the reply before the one that made a node changed nothing either."""
    return any(n.id == node.parent and nothing_changed(n, known) for n in known)


def _number(unit: Unit, node: Node) -> int:
    """The index of the task that the node's failure was met in."""
    task = node.evaluation.task
    return [str(task) for task in unit.refined_on].index(task) if task else 0


def _settles(found: Repaired, proposal: Proposal) -> bool:
    """Whether a repair made the model agree by edits; other tasks' problems have to fit it as they are."""
    fits = not found.parameters or len(proposal.problems) == 1
    return found.verdict is Verdict.AGREES and bool(found.edits or found.parameters) and fits


def _told_of(failing: Failing, found: Repaired | None) -> tuple[Failing, int]:
    """With what a repair that was tried could not settle; and what it cost."""
    if found is None:
        return failing, 0
    kept = without_orders(failing.words, proved_wrong(found.evidence))
    words = f"{kept}\n\n{unsettled(words_of(found))}"
    return replace(failing, words=words), found.world_queries


def _prepared(found: Translation | ProblemReading, solution: Proposal, doubting: str | None) -> Prepared:
    """What is tried, or why nothing is; `doubting` is the task whose text may be doubted, if it may be."""
    if found.problem is None:
        return Prepared(failed=unread(found, doubting), origin=found)
    return Prepared((solution.domain, found.problem), origin=found)


def _unchanged(attempt: Attempt) -> Attempt:
    """An attempt that need not be made again, as nothing was changed; its queries are counted by now."""
    return replace(attempt, score=replace(attempt.score, world_queries=0))


def _texts(unit: Unit, task: EvaluationTask) -> WorldTexts:
    return WorldTexts.of(open_world(unit.env, task.name))
