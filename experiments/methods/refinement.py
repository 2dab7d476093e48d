"""Methods `chain`, `tree`, `tree-domprop`, `llm-once+repair`: Algorithm 1 on one task, then all tasks.

The search proposes problems and refines domains for task 1, or for a task that is not counted (see
`Unit.refined_on`); the best domain found serves all tasks, whose problems are translated one-shot from that.
With a budget, the best is what was found within it. With a repair, each branch ends with one more turn, in
which its current model is repaired on the same task and no language model is asked
(`experiments.methods.repair_step`).
Source: Mahdavi et al. 2024, Algorithm 1.

Below them is what a tree of refinements has to beat with the same money: methods `best-of-n` and `restarts`.
Both differ from `chain` and `tree` in the search alone, and ask the same requests where they do the same: the
problems and the first batch of `best-of-n` are those of a tree of its size, the first line of `restarts` is
the chain. The third baseline, `repair`, is a chain with more turns.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from agents.llm.interface import Completion, LanguageModel, Message
from agents.mending import mended
from agents.proposal import Proposal
from agents.refine import Refiner, seeded
from agents.sampling import SEVERAL_TEMPERATURE
from agents.texts import WorldTexts
from envs.world import open_world
from experiments.config import SIZE_FLAGS, SizeFlag
from experiments.driver.tasks import Prepared, run_tasks
from experiments.evaluation.evaluate import Evaluator
from experiments.evaluation.solve import Attempt, ModelSolver, unread
from experiments.evaluation.translators import translated_by_tic
from experiments.methods.base import Kit, Method
from experiments.methods.repair_step import ONCE, Mender, may_be_repaired, repaired
from experiments.methods.searching import Searcher, domain_stands, episode_record, nothing_changed, walkable
from experiments.runs.records import EpisodeRecord, TaskOutcome, TaskRecord
from experiments.runs.seeds import derived_seed
from experiments.runs.units import EvaluationTask, Unit
from experiments.spending.bounds import (
    candidate_queries,
    domains_asked,
    problems_asked,
    task_queries,
    translations_asked,
)
from experiments.spending.capped import Meter
from experiments.spending.caps import Bound
from search.algorithm1 import Algorithm1
from search.loop import Propose, SearchResult
from search.nodes import Expansion, Node, Payload
from search.policies import Policy, first_best
from search.samples import Samples


@dataclass(frozen=True, kw_only=True)
class RefinementMethod(Method):
    """Algorithm 1 with `np` problem candidates and `nd` domain candidates a turn."""

    proposes_domain: bool = False  #: whether a problem is written from a drafted domain (DomProp)
    takes: frozenset[SizeFlag] = frozenset(SIZE_FLAGS)
    repairs: bool = False  #: whether a branch ends with a repair

    published_feedback: ClassVar[bool] = True

    def candidates(self, unit: Unit) -> int:
        """A full tree: every branch uses every turn."""
        return unit.np * (unit.nd * unit.turns + self.repairs)

    def repair_queries(self, unit: Unit) -> int:
        """World queries of one repair."""
        return ONCE.queries if self.repairs else 0

    def bound(self, unit: Unit, longest: int) -> Bound:
        """A full tree, then a translation and a score of every task."""
        calls = problems_asked(unit, longest, from_draft=self.proposes_domain)
        calls += domains_asked(unit, longest) + translations_asked(unit, longest)
        searching = self.candidates(unit) * candidate_queries(unit) + unit.np * self.repair_queries(unit)
        return calls + Bound(world_queries=searching + unit.tasks * task_queries(unit, explained=True))

    def run(self, unit: Unit, kit: Kit) -> EpisodeRecord:
        """Search on task 1, then solve all tasks with the best model found."""
        started = time.monotonic()
        meter = Meter(kit.model)
        (task,) = unit.refined_on
        texts = WorldTexts.of(open_world(unit.env, task))
        refiner = Refiner(texts, meter, self.proposes_domain, unit.seed_domain)
        found = self.search(unit, kit, refiner)
        tasks = solve_tasks(unit, kit, refiner, found.best)
        wall_s = round(time.monotonic() - started, 3)
        return episode_record(unit, found, tasks, meter.spent, wall_s)

    def search(self, unit: Unit, kit: Kit, refiner: Refiner) -> SearchResult:
        """The search of an episode, within the unit's budgets."""
        searcher = Searcher(unit, kit)
        roots = searcher.roots(refiner.problems(unit.np, derived_seed(unit.seed, "problems")))
        propose = asking(unit, refiner)
        if self.repairs:
            propose = repairing(unit, kit, propose)
        return searcher.search(self.policy(unit), roots, propose, evaluator_of(unit, kit))

    def policy(self, unit: Unit) -> Policy[Any]:
        """Who decides what is asked for next."""
        return Algorithm1(children=unit.nd, turns=unit.turns + self.repairs)


def repairing(unit: Unit, kit: Kit, propose: Propose) -> Propose:
    """As `propose`, but for the turn after the last one: a model that can be walked in is repaired there."""
    (task,) = unit.refined_on
    mender = Mender(unit.env, unit.seed, replace(ONCE, planner=kit.judge.planner))

    def in_turn(wish: Expansion, known: tuple[Node, ...]) -> Iterable[Payload]:
        parent = wish.parent
        if parent.depth < unit.turns:
            return propose(wish, known)
        if not may_be_repaired(parent.evaluation):
            return ()
        return (mended(parent.payload, 0, repaired(mender, kit.executor, parent.payload, task)),)

    return in_turn


def asking(unit: Unit, refiner: Refiner) -> Propose:
    """How a search asks `refiner` for domains."""

    def propose(wish: Expansion, known: tuple[Node, ...]) -> tuple[Proposal, ...]:
        if nothing_changed(wish.parent, known):
            return ()
        if refiner.given_domain and wish.parent.payload.is_root:
            first = seeded(wish.parent.payload, refiner.texts, refiner.given_domain)
            return (first, *others(wish, wish.count - 1)) if wish.first == 1 else others(wish, wish.count)
        return others(wish, wish.count)

    def others(wish: Expansion, count: int) -> tuple[Proposal, ...]:
        if not count:
            return ()
        again = () if wish.first == 1 else ("from", wish.first)
        seed = derived_seed(unit.seed, "domains", wish.parent.id, *again)
        asked = refiner if wish.first == 1 else warm(refiner)
        return asked.domains(wish.parent.payload, wish.parent.evaluation.feedback, count, seed)

    return propose


def evaluator_of(unit: Unit, kit: Kit) -> Evaluator:
    """What judges the candidates of an episode."""
    return Evaluator(unit.env, unit.refined_on[0], unit.seed, kit.judge)


def solve_tasks(unit: Unit, kit: Kit, refiner: Refiner, best: Node | None) -> tuple[TaskRecord, ...]:
    """Every task with the best node's domain; without a domain that can be walked, no task is translated."""

    stands = best is not None and domain_stands(best)

    def prepare(task: EvaluationTask, model: LanguageModel) -> Prepared:
        if best is None or not walkable(best):
            return Prepared(failed=Attempt(TaskOutcome.NO_DOMAIN))
        solution: Proposal = best.payload
        if task.name in unit.refined_on:
            return Prepared((solution.domain, solution.problem))
        texts = WorldTexts.of(open_world(unit.env, task.name))
        seed = derived_seed(unit.seed, "task", task.number)
        if unit.translator == "llm":
            asked = Refiner(refiner.texts, model, refiner.draft_domain_first)
            reading = asked.translate(solution, texts, seed)
        else:
            reading = translated_by_tic(model, kit.executor, refiner.texts, solution, texts, seed)
        if reading.problem is None:
            return Prepared(failed=unread(reading, str(task.name) if stands else None))
        return Prepared((solution.domain, reading.problem))

    solver = ModelSolver(unit.env, unit.seed, kit.judge, domain_stands=stands)
    return run_tasks(unit, kit, prepare, solver)


@dataclass(frozen=True, kw_only=True)
class SamplingMethod(RefinementMethod):
    """Independent domains for `np` problems: `turns` batches of `nd` each, no feedback."""

    def bound(self, unit: Unit, longest: int) -> Bound:
        """All batches at once: none hears of those before it."""
        return super().bound(replace(unit, nd=unit.nd * unit.turns, turns=1), longest)

    def policy(self, unit: Unit) -> Policy[Any]:
        """Batch after batch, until one holds a solved domain."""
        return Samples(children=unit.nd, batches=unit.turns)


@dataclass(frozen=True, kw_only=True)
class RestartingMethod(RefinementMethod):
    """Up to `np` lines of `turns` turns, one after the other, until one ends solved.

    Each has a problem of its own, which is asked for when the line begins. The first is as greedy as a chain,
    the others are warm.
    """

    def search(self, unit: Unit, kit: Kit, refiner: Refiner) -> SearchResult:
        """Line after line, within the unit's budgets."""
        searcher = Searcher(unit, kit)
        best: Node | None = None
        nodes: list[Node] = []
        for number in range(1, unit.np + 1):
            asked = refiner if number == 1 else warm(refiner)
            seed = derived_seed(unit.seed, "problems", *(() if number == 1 else (number,)))
            root = searcher.roots(asked.problems(1, seed), number)
            found = searcher.search(self.policy(unit), root, asking(unit, asked), evaluator_of(unit, kit))
            nodes += found.nodes
            best = first_best((best, found.best))
            if searcher.purse.empty or (best is not None and best.evaluation.solved):
                break
        return SearchResult(best, tuple(nodes))


def warm(refiner: Refiner) -> Refiner:
    """`refiner` at the temperature of several samples, even where it asks for one.

    At temperature 0 what is begun again would be the first answer once more.
    """
    return replace(refiner, model=_Warm(refiner.model))


@dataclass(frozen=True)
class _Warm:
    model: LanguageModel

    def sample(
        self, messages: Sequence[Message], k: int, temperature: float, seed: int
    ) -> tuple[Completion, ...]:
        return self.model.sample(messages, k, max(temperature, SEVERAL_TEMPERATURE), seed)
