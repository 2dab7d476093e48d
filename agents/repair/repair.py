"""Repair: the fewest edits that make a model agree with its world, found by walking and searching in turn.

Each round looks for the fewest edits that explain all that was seen so far, then walks in the world and in
the model so edited, side by side and by several policies. What the walks add is evidence for the next round.
It ends when an edited model explains its own walks too, or when its budget is spent: then the best model so
far is returned with what still speaks against it. A model that explains all walks is then asked for a way to
the goal, and the world whether it holds there (`agents.repair.goals`).

Where literals alone explain too little, a rule that they cannot say may change the model first
(`agents.repair.kinds`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from agents.repair.constraints import fewest_edits
from agents.repair.goals import GoalStanding, contradicted, settle_goal
from agents.repair.kinds import best_variant
from agents.repair.ledger import Entry, ledger
from agents.repair.model import Candidate, Model
from agents.repair.search import Repairs, best_first
from agents.repair.session import RepairConfig, RepairSession
from agents.repair.signatures import Fitted, fitted_to, widened
from agents.repair.text import DescribedEdit, changed_domain, changed_problem, changes
from envs.pddl.interface import World
from envs.pddl.language.domain import Problem
from ew.probes.examine import Examination
from ew.walks.budget import BudgetExceeded, SimulatorCost, TimeUp
from ew.walks.simulator_cost import cost_of
from ew.walks.world_walks import Evidence

_UNEDITED = Candidate(frozenset(), {})


class RepairVerdict(StrEnum):
    """How a repair ended."""

    AGREES = "agrees"  #: nothing speaks against the model, and all of it was looked at
    #: nothing that was seen speaks against the model, but it was not all looked at, see `Repaired.unseen`
    AGREES_AS_SEEN = "agrees_as_far_as_seen"
    OUT_OF_QUERIES = "out_of_queries"
    OUT_OF_TIME = "out_of_time"
    UNEXPLAINED = "unexplained"  #: no edits that may be made explain all that was seen
    TOO_LARGE = "too_large"  #: what explains all that was seen is too large to be walked in, so unconfirmed

    @property
    def agrees(self) -> bool:
        """Whether nothing that was seen speaks against the model."""
        return self in (RepairVerdict.AGREES, RepairVerdict.AGREES_AS_SEEN)


@dataclass(frozen=True)
class Repaired:
    """What a repair came to."""

    verdict: RepairVerdict
    domain: str
    problem: str
    edits: tuple[DescribedEdit, ...]
    unexplained: int  #: operators seen that speak against the model
    world_queries: int
    rounds: int
    wall_s: float
    structural: tuple[str, ...] = ()  #: rules that were changed first, in words; see `agents.repair.variants`
    goal: GoalStanding = GoalStanding.NOT_ASKED
    goal_walk: tuple[str, ...] = ()  #: after which it holds in the world and in the model, if it is reached
    evidence: tuple[Entry, ...] = ()  #: the ledger, if it was asked for
    walked: Evidence | None = None  #: what was seen of the world, if it was asked for
    simulator: SimulatorCost | None = None  #: what the world's simulator did; None where walks are batched
    not_exercised: tuple[str, ...] = ()  #: actions that the world has not executed; sorted
    unseen: str = ""  #: what was not looked at, in words

    @property
    def described(self) -> tuple[str, ...]:
        """All edits in words, the structural ones first."""
        return (*self.structural, *map(str, self.edits))


def repair(
    world: World,
    problem: Problem,
    rng: np.random.Generator,
    config: RepairConfig | None = None,
    known: Evidence | None = None,
) -> Repaired:
    """Repair a problem and its domain in `world`. Deterministic for a generator, but for the time limits.

    What is `known` of the world, in the same task, is evidence from the start and costs no query.
    Raises PlannerMissing, unless goals are not to be asked for (`RepairConfig.goal_trials`).
    """
    config = config or RepairConfig()
    fitted = fitted_to([world], [problem])
    session = RepairSession(world, fitted.problems[0], rng, config, known)
    # the first look is left out where others have looked already
    looks = 2 * (0 if known is None else len(known.states)) < config.walks * config.t_max
    return _Repair(session, fitted).run(looks)


class _Repair:
    """The rounds of one repair."""

    def __init__(self, session: RepairSession, given: Fitted):
        self._session, self._config, self._given = session, session.config, given
        self._best = _UNEDITED
        self._expansions = session.config.expansions
        self._structural = given.words
        self._goal = GoalStanding.NOT_ASKED
        self._examined: Examination | None = None

    def run(self, looks: bool) -> Repaired:
        """A first look, if the repair `looks`; round after round; and then the goal."""
        try:
            if looks:
                self._session.look()
            self._best = self._search(self._best)
            verdict = self._agreed(self._config.agreeing)
            while verdict.agrees and (self._disagrees_further() or self._changed_by_goal()):
                verdict = self._agreed(1)
        except BudgetExceeded:
            verdict = RepairVerdict.OUT_OF_QUERIES
        except TimeUp:
            verdict = RepairVerdict.OUT_OF_TIME
        return self._result(verdict)

    def _agreed(self, checks: int) -> RepairVerdict:
        """Edit the model until so many checks in a row show nothing. Raises BudgetExceeded, TimeUp."""
        agreeing, session = 0, self._session
        while agreeing < checks:
            if session.is_late():
                return RepairVerdict.OUT_OF_TIME
            before = session.walks.queries
            walked = session.check(self._best)
            if not session.untyped() and session.explains(self._best):
                if not walked:
                    return RepairVerdict.TOO_LARGE
                agreeing += 1
                continue
            agreeing = 0
            if not self._improved(before):
                return RepairVerdict.UNEXPLAINED
        return RepairVerdict.AGREES

    def _improved(self, before: int) -> bool:
        """Search for what explains all that was seen; False if there was nothing more to be tried.

        Where nothing new was found, the next search goes further; and if no query was made since `before`,
        there is something new to be seen by then.
        """
        found = self._search(self._best)
        if found.unexplained and found.edits == self._best.edits:
            if self._expansions > self._config.most_expansions:
                return False
            self._expansions *= 2
            if self._session.walks.queries == before:
                self._session.look()
        self._best = found
        return True

    def _disagrees_further(self) -> bool:
        """Look at what walks did not show; True if that speaks against the model."""
        if self._config.examination is None:
            return False
        self._examined = self._session.examined(self._best)
        return not self._session.explains(self._best)

    def _changed_by_goal(self) -> bool:
        """Ask for a way to the goal; True if there is a model, or something seen, to be walked again."""
        if not self._config.goal_trials:
            return False
        try:
            found = settle_goal(self._session, self._best)
        except (BudgetExceeded, TimeUp):
            self._goal = GoalStanding.UNKNOWN
            if self._session.explains(self._best):
                return False
            raise
        self._goal = found.standing
        changed = found.candidate.rules != self._best.rules
        self._best = found.candidate
        return changed or found.news

    def _changes_structure(self, found: Candidate) -> bool:
        """Take the best structural edit, if it costs less than the edits of `found`."""
        best = best_variant(self._session.repairs(), found, self._session.is_late)
        if best is None:
            return False
        self._session.edit(best.variant.problems[0])
        self._structural = (*self._structural, best.variant.words)
        self._best = self._session.repairs().candidate(best.variant.edits)
        return True

    def _search(self, before: Candidate) -> Candidate:
        """The fewest edits for all that was seen; what was thinned out is brought back if need be.

        Another rule changes the model first, where there is a better one.
        """
        while True:
            before = self._typed(before)
            repairs = self._session.repairs()
            found, finished = self._chosen(repairs, before)
            if self._is_doubtful(repairs, found) and self._changes_structure(found):
                before = self._best
                continue
            if not finished:
                found = best_first(repairs, found.edits, self._expansions, self._session.is_late)
            if self._session.is_late() or found.unexplained:
                return found
            if not self._session.keep_hard(repairs.overlooked(found)):
                return found

    def _typed(self, before: Candidate) -> Candidate:
        """The same candidate, in a model whose types allow all that the world was seen to execute."""
        strange = self._session.untyped()
        if strange:
            fitted = widened([self._session.model.problem], [strange])
            self._session.edit(fitted.problems[0])
            self._structural = (*self._structural, *fitted.words)
            return self._session.repairs().candidate(before.edits)
        return before

    def _is_doubtful(self, repairs: Repairs, found: Candidate) -> bool:
        """Whether another rule may explain more, or the same at less cost.

        Literals that explain one or two actions, at some cost, may stand for a rule that they cannot say.
        """
        if found.unexplained:
            return True
        given = repairs.candidate(frozenset())
        wrong = [fitted for fitted in given.fits.values() if fitted.left or fitted.dropped]
        return given.unexplained > 0 and found.cost > 1 and len(wrong) <= 2

    def _chosen(self, repairs: Repairs, before: Candidate) -> tuple[Candidate, bool]:
        """The edits that the constraints choose, and whether no others can explain more."""
        if self._config.search != "constraints":
            return before, False
        chosen = fewest_edits(repairs, self._config.constraints_s, self._session.is_late)
        if chosen.finished:
            return chosen.candidate, True
        return min(chosen.candidate, repairs.candidate(before.edits), key=lambda c: c.rank), False

    def _result(self, verdict: RepairVerdict) -> Repaired:
        """The best candidate, or the model as it was given if that gets less wrong of what was seen."""
        session, best, structural = self._session, self._best, self._structural
        examined = self._examined
        if verdict is RepairVerdict.AGREES and examined is not None and not examined.agrees:
            verdict = RepairVerdict.AGREES_AS_SEEN
        seen = session.repairs().seen
        repairs = Repairs(session.model, seen)
        errors, wrong = self._errors(repairs, best)
        if not verdict.agrees:
            given = Repairs(Model.of(*self._given.problems), seen)
            before = self._errors(given, _UNEDITED)
            if before <= (errors, wrong):
                repairs, best, structural = given, _UNEDITED, self._given.words
                errors, wrong = before
        edits = changes(repairs.model, best)
        held, verdicts = repairs.goal_held(best.edits), session.goal.verdicts
        reached = [] if wrong else [node for node, holds in verdicts.items() if holds and held[node]]
        return Repaired(
            verdict,
            changed_domain(repairs.model.problem, edits),
            changed_problem(repairs.model.problem, edits),
            edits,
            errors,
            world_queries=session.walks.queries + session.goal.queries,
            rounds=session.rounds,
            wall_s=session.spent_s,
            structural=structural,
            goal=self._standing(reached),
            goal_walk=session.goal.walk_to(reached[0]) if reached else (),
            evidence=ledger(repairs, best, reached) if self._config.keeps_ledger else (),
            walked=session.walks.evidence() if self._config.keeps_walked else None,
            simulator=cost_of(session.walks),
            not_exercised=examined.not_exercised if examined is not None else (),
            unseen=examined.unseen if examined is not None else "",
        )

    def _errors(self, repairs: Repairs, candidate: Candidate) -> tuple[int, int]:
        """Operators that speak against a candidate, and verdicts on the goal."""
        wrong = contradicted(repairs.goal_held(candidate.edits), self._session.goal.verdicts)
        return repairs.errors(candidate) + len(self._session.untyped()), len(wrong)

    def _standing(self, reached: Sequence[int]) -> GoalStanding:
        """What can be said of the goal in the end; `reached` are nodes where world and model have it."""
        if reached:
            return GoalStanding.REACHED
        return GoalStanding.UNKNOWN if self._goal is GoalStanding.REACHED else self._goal
