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

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from agents.llm.interface import Completion, LanguageModel, Message
from agents.proposal import Proposal
from agents.refine import Refiner, seeded
from agents.repair.proposals import repaired_proposal
from agents.sampling import SEVERAL_TEMPERATURE
from experiments.evaluation.evaluate import Evaluator
from experiments.methods.base import Kit
from experiments.methods.counted_tasks import CountedTasks, texts_refined_on
from experiments.methods.repair_step import ONCE, GivenProblem, Repairer, may_be_repaired, repaired
from experiments.methods.searching import Searched, Searcher, SearchingMethod, nothing_changed
from experiments.runs.seeds import derived_seed
from experiments.runs.units import Unit
from experiments.spending import bounds
from experiments.spending.caps import Bound
from search.loop import Propose, SearchResult
from search.nodes import Expansion, Node, Payload
from search.policies import Algorithm1, Policy, Samples, first_best


@dataclass(frozen=True, kw_only=True)
class RefinementMethod(SearchingMethod):
    """Algorithm 1 with `np` problem candidates and `nd` domain candidates a turn."""

    proposes_domain: bool = False  #: whether a problem is written from a drafted domain (DomProp)

    published_feedback: ClassVar[bool] = True

    def candidates(self, unit: Unit) -> int:
        """A full tree: every branch uses every turn."""
        return unit.np * (unit.nd * unit.turns + self.repairs)

    def repair_queries(self, unit: Unit) -> int:
        """World queries of one repair."""
        return ONCE.queries if self.repairs else 0

    def bound(self, unit: Unit, longest: int) -> Bound:
        """A full tree, then a translation and a score of every task."""
        calls = bounds.problems_asked(unit, longest, from_draft=self.proposes_domain)
        calls += bounds.domains_asked(unit, longest) + bounds.translations_asked(unit, longest)
        searching = self.candidates(unit) * bounds.candidate_queries(unit) + unit.np * self.repair_queries(
            unit
        )
        return calls + Bound(world_queries=searching + unit.tasks * bounds.task_queries(unit, explained=True))

    def found(self, unit: Unit, kit: Kit, model: LanguageModel) -> Searched:
        """Search on task 1; all tasks are solved with the best model found."""
        (texts,) = texts_refined_on(unit)
        found = self.search(unit, kit, Refiner(texts, model, self.proposes_domain, unit.seed_domain))
        return Searched(found, CountedTasks(unit, kit, found.best))

    def search(self, unit: Unit, kit: Kit, refiner: Refiner) -> SearchResult:
        """The search of an episode, within the unit's budgets."""
        searcher = Searcher(unit, kit)
        roots = searcher.roots(refiner.problems(unit.np, derived_seed(unit.seed, "problems")))
        propose = asking(unit, refiner)
        if self.repairs:
            propose = repairing(unit, kit, propose)
        return searcher.search(self.policy(unit), roots, propose, evaluator_of(unit, kit))

    def policy(self, unit: Unit) -> Policy:
        """Who decides what is asked for next."""
        return Algorithm1(children=unit.nd, turns=unit.turns + self.repairs)


def repairing(unit: Unit, kit: Kit, propose: Propose) -> Propose:
    """As `propose`, but for the turn after the last one: a model that can be walked in is repaired there."""
    (task,) = unit.refined_on
    repairer = Repairer(unit.env, unit.seed, replace(ONCE, planner=kit.judge.planner))

    def in_turn(wish: Expansion, known: tuple[Node, ...]) -> Iterable[Payload]:
        parent = wish.parent
        if parent.depth < unit.turns:
            return propose(wish, known)
        if not may_be_repaired(parent.evaluation):
            return ()
        given = GivenProblem(task, parent.payload.problems[0])
        found = repaired(repairer, kit.executor, parent.payload, [given])
        return (repaired_proposal(parent.payload, (0,), found),)

    return in_turn


def asking(unit: Unit, refiner: Refiner) -> Propose:
    """How a search asks `refiner` for domains."""

    def propose(wish: Expansion, known: tuple[Node, ...]) -> tuple[Proposal, ...]:
        if nothing_changed(wish.parent, known):
            return ()
        given: tuple[Proposal, ...] = ()
        if refiner.given_domain and wish.parent.payload.is_root and wish.first == 1:
            given = (seeded(wish.parent.payload, refiner.texts, refiner.given_domain),)
        if wish.count == len(given):
            return given
        again = () if wish.first == 1 else ("from", wish.first)
        seed = derived_seed(unit.seed, "domains", wish.parent.id, *again)
        asked, feedback = refiner if wish.first == 1 else warm(refiner), wish.parent.evaluation.feedback
        return (*given, *asked.domains(wish.parent.payload, feedback, wish.count - len(given), seed))

    return propose


def evaluator_of(unit: Unit, kit: Kit) -> Evaluator:
    """What judges the candidates of an episode."""
    return Evaluator(unit.env, unit.refined_on[0], unit.seed, kit.judge)


@dataclass(frozen=True, kw_only=True)
class SamplingMethod(RefinementMethod):
    """Independent domains for `np` problems: `turns` batches of `nd` each, no feedback."""

    def bound(self, unit: Unit, longest: int) -> Bound:
        """All batches at once: none hears of those before it."""
        return super().bound(replace(unit, nd=unit.nd * unit.turns, turns=1), longest)

    def policy(self, unit: Unit) -> Policy:
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

    At temperature 0 a restart would return the first answer once more.
    """
    return replace(refiner, model=_Warm(refiner.model))


@dataclass(frozen=True)
class _Warm:
    model: LanguageModel

    def sample(
        self, messages: Sequence[Message], k: int, temperature: float, seed: int
    ) -> tuple[Completion, ...]:
        return self.model.sample(messages, k, max(temperature, SEVERAL_TEMPERATURE), seed)
