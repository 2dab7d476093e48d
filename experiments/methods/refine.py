"""The method `refine`: domain and problems are refined together, on tasks that are not counted.

Beyond Algorithm 1, each part with a switch of its own: the problem may be found at fault as well as the
domain (`corrects_problems`), also in later tasks, which are then tried again; a plan that fails is explained
step by step (`tells_plans`); before that, a model whose EW is 1 is looked at further (`looks_further`); a
domain has to work in several tasks (`feedback_tasks`); a disagreement is reported at its shortest and action
by action (`feedback`); what refuted one candidate is reported to all later ones and held against them
(`remembers`); and the best of all candidates is expanded next (`policy`). With `repairs`, the language model
is not asked before a repair has had its turn: where edits are found that make the model agree with the
environment, the model so edited is the only child; else what is not settled is reported. What one repair saw
of the environment is evidence for those after it, in every branch.

A task's first problem is what was read from its text. Where the model is solved with another one, with the
same domain, the environment bears out what was changed, and the text is doubted (`doubts_of_refined`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal

from agents.llm.interface import LanguageModel
from agents.proposal import Proposal
from agents.refine import Failing, Improver, Wanted
from agents.repair.proposals import MAX_EVIDENCE, note_of, proved_wrong, repaired_proposal, unsettled_in_words
from agents.repair.repaired import Repaired
from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.language.issues import PDDLError
from envs.pddl.simulation.lifted import lift
from ew.counterexample.causes import without_orders
from ew.counterexample.disagreement import Observation
from ew.counterexample.doubting import MAX_DOUBTS
from ew.counterexample.doubts import Doubt, fact_doubt, goal_doubt
from ew.counterexample.explanations import parts_of, render
from ew.score.config import EstimatorName
from ew.score.rating import Outcome
from ew.walks.budget import SimulatorCost
from experiments.evaluation.evaluate import CandidateEvaluation, TasksEvaluator
from experiments.methods.base import Kit
from experiments.methods.counted_tasks import CountedTasks, texts_refined_on
from experiments.methods.repair_step import BETWEEN, GivenProblem, Repairer, Shared, may_be_repaired, repaired
from experiments.methods.searching import Searched, Searcher, SearchingMethod, nothing_changed
from experiments.runs.records import Story
from experiments.runs.seeds import derived_seed
from experiments.runs.units import Unit
from experiments.spending import bounds
from experiments.spending.caps import Bound
from search.loop import SearchResult
from search.nodes import Expansion, Node
from search.policies import Algorithm1, Beam, BestFirst, Policy, Ranking, by_rating


@dataclass(frozen=True, kw_only=True)
class RefineMethod(SearchingMethod):
    """Refinement with all its parts; each can be switched off."""

    np: int = 2
    nd: int = 3
    policy: Literal["best-first", "beam", "algorithm1"] = "best-first"
    ranking: Ranking = by_rating  #: of the open list, which `algorithm1` has none of
    corrects_problems: bool = True
    tells_plans: bool = True
    looks_further: bool = True  #: before the plan is asked for
    remembers: bool = True
    feedback_tasks: int = 2
    attempts: int = 3  #: at each counted task, if problems are corrected and there is no budget
    estimator: EstimatorName = "survival"

    def candidates(self, unit: Unit) -> int:
        """As many expansions as a full tree has, each with all its children."""
        return unit.np * unit.nd * unit.turns

    def repair_queries(self, unit: Unit) -> int:
        """World queries of one repair, at most one an expansion."""
        return BETWEEN.queries if self.repairs else 0

    def bound(self, unit: Unit, longest: int) -> Bound:
        """All expansions in one long conversation, the dearest way; every attempt at every task."""
        deep = replace(unit, np=1, turns=unit.np * unit.turns)
        calls = bounds.problems_asked(unit, longest, from_draft=False)
        feedback = bounds.either_told(unit, longest) + (MAX_EVIDENCE if self.repairs else 0)
        calls += bounds.domains_asked(deep, longest, feedback)
        calls += bounds.translations_asked(deep, longest, self._attempts(unit))
        searching = self.candidates(unit) * bounds.candidate_queries(unit, further=self.looks_further)
        searching += unit.np * unit.turns * self.repair_queries(unit)
        solving = unit.tasks * self._attempts(unit) * bounds.task_queries(unit, explained=True)
        return calls + Bound(world_queries=searching + solving)

    def found(self, unit: Unit, kit: Kit, model: LanguageModel) -> Searched:
        """Search on the feedback tasks; counted tasks are solved with the best model found."""
        found = self._search(unit, kit, Improver(texts_refined_on(unit), model))
        doubts = doubts_of_refined(unit.refined_on, found.best, found.nodes)
        all_doubts = tuple(doubt for some in doubts.values() for doubt in some)
        attempts = self._attempts(unit)
        return Searched(
            found, CountedTasks(unit, kit, found.best, self.corrects_problems, attempts, doubts), all_doubts
        )

    def _search(self, unit: Unit, kit: Kit, improver: Improver) -> SearchResult:
        proposals = improver.roots(unit.np, derived_seed(unit.seed, "problems"))
        shared = Shared()

        def propose(wish: Expansion, known: tuple[Node, ...]) -> Iterable[Proposal]:
            failing = failing_of(unit, wish.parent, known if self.remembers else ())
            if nothing_changed(wish.parent, known):
                # whether the reply before the one that made the parent changed nothing either
                twice = any(n.id == wish.parent.parent and nothing_changed(n, known) for n in known)
                if failing.wanted is not Wanted.DOMAIN or twice or not self.corrects_problems:
                    return ()
                failing = replace(failing, wanted=Wanted.EITHER)  # another question, where one is left
            seen = observations_of(known) if self.remembers else ()
            found = self._repaired(unit, kit, wish.parent, shared, known)
            if found is not None and _settles(found, wish.parent.payload):
                numbers = _repairable(wish.parent.payload, _number(unit, wish.parent))
                child = repaired_proposal(wish.parent.payload, numbers, found)
                return (replace(child, observations=seen),)
            seed = derived_seed(unit.seed, "domains", wish.parent.id)
            told = _told_of(failing, found)
            children = improver.children(wish.parent.payload, told, wish.count, seed)
            free: tuple[int, SimulatorCost | None] = (0, None)
            # the first child bears what the repair cost
            costs = [(found.world_queries, found.simulator) if found else free, *[free] * len(children)]
            return (
                replace(child, observations=seen, queries=queries, simulator=simulator)
                for child, (queries, simulator) in zip(children, costs, strict=False)
            )

        evaluator = TasksEvaluator(
            unit.env,
            unit.refined_on,
            unit.seed,
            kit.judge,
            self.tells_plans,
            self.corrects_problems,
            self.looks_further,
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
        numbers = _repairable(proposal, _number(unit, parent))
        repairer = Repairer(unit.env, unit.seed, replace(BETWEEN, planner=kit.judge.planner))
        tasks = [unit.refined_on[number] for number in numbers]
        given = [
            GivenProblem(task, proposal.problems[number], shared.known(known, task))
            for task, number in zip(tasks, numbers, strict=True)
        ]
        found = repaired(repairer, kit.executor, proposal, given)
        shared.add(parent, tasks, found)
        return found

    def _policy(self, unit: Unit) -> Policy:
        """Every policy makes as many expansions at most, and as many at a time."""
        match self.policy:
            case "best-first":
                return BestFirst(unit.nd, unit.np * unit.turns, width=unit.np, ranking=self.ranking)
            case "beam":
                return Beam(unit.nd, unit.turns, width=unit.np, ranking=self.ranking)
            case "algorithm1":
                return Algorithm1(unit.nd, unit.turns)

    def _attempts(self, unit: Unit) -> int:
        """At each counted task: a failure is only heard where it may lead to another problem.

        With a budget of the search it is one, as for all others: more would be money beyond the budget.
        """
        free = unit.budget_tokens is None and unit.budget_queries is None
        return self.attempts if self.corrects_problems and free else 1


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
    own = observations_of(node for node in known if node.id in parent.line)
    elsewhere = observations_of(node for node in known if node.id not in parent.line)
    other = tuple(seen for seen in elsewhere if seen.task == evaluation.task and seen not in own)
    return Failing(evaluation.feedback, _number(unit, parent), evaluation.wanted, other)


def _number(unit: Unit, node: Node) -> int:
    """The index of the task that the node's failure was met in."""
    task = node.evaluation.task
    return [str(task) for task in unit.refined_on].index(task) if task else 0


def _repairable(proposal: Proposal, first: int) -> tuple[int, ...]:
    """The places of the problems that a repair takes its evidence from: all that the domain can say.

    That of the failure comes first.
    """
    domain, numbers = read_domain(proposal.domain), [first]
    for number, problem in enumerate(proposal.problems):
        with suppress(PDDLError):
            if number != first and read_problem(problem, domain):
                numbers.append(number)
    return tuple(numbers)


def _settles(found: Repaired, proposal: Proposal) -> bool:
    """Whether a repair made the model agree by edits; those that it left out have to fit it as they are."""
    fits = not found.structural or len(proposal.problems) == len(found.problems)
    return found.verdict.explains_walks and bool(found.edits or found.structural) and fits


def _told_of(failing: Failing, found: Repaired | None) -> Failing:
    """With what a repair that was tried could not settle."""
    if found is None:
        return failing
    kept = without_orders(failing.words, proved_wrong(found.evidence))
    words = f"{kept}\n\n{unsettled_in_words(note_of(found))}"
    return replace(failing, words=words)


_EVIDENCE = "so changed, the model agrees with the environment on all walks, and its plan works"


def doubts_of_refined(
    tasks: Sequence[int | str], best: Node | None, nodes: Sequence[Node]
) -> dict[int | str, tuple[Doubt, ...]]:
    """The doubts about each task's text whose problem was changed until the model was solved in it."""
    if best is None:
        return {}
    solved = best.evaluation.rating.tasks + (best.evaluation.rating.outcome is Outcome.SOLVED)
    found = {}
    for number, task in list(enumerate(tasks))[:solved]:
        first = next(_problems(number, best, nodes), None)
        doubts = _doubts(str(task), first, best.payload, number) if first is not None else ()
        if doubts:
            found[task] = doubts
    return found


def _problems(number: int, best: Node, nodes: Sequence[Node]) -> Iterator[str]:
    """The problems of a task on the way to the best node, the first one first."""
    line = sorted((n for n in (*nodes, best) if n.id in best.line or n.id == best.id), key=lambda n: n.depth)
    return (n.payload.problems[number] for n in line if number < len(n.payload.problems))


def _doubts(task: str, first: str, solution: Proposal, number: int) -> tuple[Doubt, ...]:
    """None if so much was changed that it says nothing of the text, as where predicates were renamed."""
    try:
        domain = read_domain(solution.domain)
        before, after = read_problem(first, domain), read_problem(solution.problems[number], domain)
    except PDDLError:
        return ()
    facts = [(f"({' '.join(atom)})", atom in before.init) for atom in sorted(before.init ^ after.init)]
    doubts = [fact_doubt(task, atom, said, _EVIDENCE) for atom, said in facts]
    goals = [goal for goal in _goals(before) if goal not in _goals(after)]
    doubts += [goal_doubt(task, goal, "the goal does not ask for it", _EVIDENCE) for goal in goals]
    return tuple(doubts) if len(doubts) <= MAX_DOUBTS else ()


def _goals(problem: Problem) -> tuple[str, ...]:
    lifted = lift(problem)
    return tuple(render(p, lifted.objects, ()) for p in parts_of(lifted.goal.precondition))
