"""Repair: the fewest edits that make a model agree with its world, found by walking and searching in turn.

Each round looks for the fewest edits that explain all that was seen so far, then walks in the world and in
the model so edited, side by side and by several policies. What the walks add is evidence for the next round.
It ends when an edited model explains its own walks too, or when its budget is spent: then the best model so
far is returned with what still speaks against it. A model that explains all walks is then asked for a way to
the goal, and the world whether it holds there (`agents.repair.goals`).

Where literals alone explain too little, a rule that they cannot say may change the model first
(`agents.repair.rules.kinds`).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from contextlib import suppress
from dataclasses import replace
from math import inf

import numpy as np

from agents.repair.candidate import UNEDITED, Candidate, Edit
from agents.repair.constraints import (
    AT_FIRST,
    MANY,
    are_many,
    chosen,
    explaining_most,
    fewest_edits,
    fills_new_actions,
    searched,
)
from agents.repair.disabling import disabled_actions, disabling_literals
from agents.repair.goal_effects import refuted_by_goals
from agents.repair.goals import GoalFound, GoalStanding, GoalVerdicts, is_out_of_reach, settle_goal
from agents.repair.ledger import ledger
from agents.repair.overlooked import overlooked
from agents.repair.repaired import Repaired, RepairVerdict
from agents.repair.rivals import RivalEdits, settle_rivals
from agents.repair.rules.changing import ChangingModel
from agents.repair.rules.kinds import COSTLY, QUICK, stand_ins
from agents.repair.rules.variants import hold_for_tasks_seen
from agents.repair.search import Repairs
from agents.repair.session import RepairConfig, RepairSession, RepairTask
from agents.repair.signatures import fitted_to
from agents.repair.text import DescribedEdit, changed_domain, changed_problem, changes
from ew.probes.examine import Examination
from ew.walks.budget import BudgetExceeded, TimeUp, total_cost
from ew.walks.simulator_cost import cost_of


def repair(
    tasks: Sequence[RepairTask], rng: np.random.Generator, config: RepairConfig | None = None
) -> Repaired:
    """Repair a domain, and the problems of some tasks, at least one, in the world of these tasks.

    Edits of initial atoms belong to a task, those of the domain to all. Deterministic for a generator, but
    for the time limits. Raises PlannerMissing, unless goals are not to be asked for
    (`RepairConfig.goal_trials`).
    """
    config = config or RepairConfig()
    fitted = fitted_to([task.world for task in tasks], [task.problem for task in tasks])
    given = [replace(task, problem=own) for task, own in zip(tasks, fitted.problems, strict=True)]
    session = RepairSession(given, rng, config)
    # the first look is left out where others have looked already
    known = sum(len(task.known.states) for task in tasks if task.known is not None)
    return _Repair(session, fitted.words).run(looks=2 * known < config.walks * config.t_max)


#: Edits that may stand in for a rule from which on any rule is likelier.
MANY_STAND_INS = 2


class _Repair(ChangingModel):
    """The rounds of one repair."""

    def __init__(self, session: RepairSession, fitted: tuple[str, ...]):
        super().__init__(session, fitted)
        self._config = session.config
        self._fitted = fitted  #: what was done to the model to be given, in words
        self._expansions = session.config.expansions
        #: many literals of which it was asked whether they stand for another rule
        self._doubted: frozenset[DescribedEdit] = frozenset()
        self._asked_for: set[str] = set()  #: actions that another rule was looked for, as they are disabled
        self._goal = GoalStanding.NOT_ASKED
        self._asked_literals = False  #: whether literals alone were tried for the sake of the goal
        self._has_no_plan = False  #: proved of the model in some task
        self._confirmed: frozenset[Edit] = frozenset()  #: of effects that a plan which worked has used
        self._asked_changes = set[Hashable]()  #: changes that goals alone would show
        self._examined: Examination | None = None
        self._rivals: tuple[RivalEdits, ...] = ()

    def run(self, looks: bool) -> Repaired:
        """A first look, if the repair `looks`; round after round; and then the goal."""
        try:
            if looks:
                self._session.look()
            self._best = self._search(self._best)
            checks = max(self._config.agreeing, len(self._session.places))
            verdict = self._agreed(checks)
            while verdict.agrees:
                if self._disagrees_further():
                    verdict = self._agreed(1)
                elif self._has_a_shorter_rule():
                    verdict = self._agreed(checks)
                elif self._changed_by_goal():
                    verdict = self._agreed(1)
                else:
                    break
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
            before = session.queries
            walked = session.check(self._best)
            if not any(session.untyped()) and session.explains(self._best):
                if not walked:
                    if self._has_a_shorter_rule():  # the model may be small enough by then
                        continue
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
                return self._session.stop_inferring_types()
            self._expansions *= 2
            if self._session.queries == before:
                self._session.look()
        self._best = found
        return True

    def _disagrees_further(self) -> bool:
        """Look at what walks did not show; True if that speaks against the model."""
        if self._config.examination is None:
            return False
        self._examined = self._session.examined(self._best)
        if self._session.explains(self._best):
            words = self._structure.words
            self._rivals = settle_rivals(self._session, self._best, words, self._other_rules)
        return not self._session.explains(self._best)

    def _changed_by_goal(self) -> bool:
        """Ask for a way to the goal; True if there is a model, or something seen, to be walked again."""
        if not self._config.goal_trials:
            return False
        standings, self._has_no_plan = list[GoalStanding](), False
        missed = list[int]()
        for task in range(len(self._session.places)):
            try:
                found = settle_goal(self._session, self._best, task, self._confirmed)
            except (BudgetExceeded, TimeUp):
                self._goal, left = GoalStanding.UNKNOWN, range(task, len(self._session.places))
                self._has_no_plan |= any(is_out_of_reach(self._session, self._best, own) for own in left)
                if self._session.explains(self._best):
                    return False
                raise
            standings.append(found.standing)
            self._goal = _together(standings)
            self._confirmed |= found.confirmed
            self._has_no_plan |= found.has_no_plan
            changed = found.candidate.rules != self._best.rules
            self._best = found.candidate
            if changed or found.news:
                return True
            if found.standing is not GoalStanding.REACHED and not found.cut_short:
                missed.append(task)
        for number, task in enumerate(missed):
            if self._session.is_late():
                break
            # a goal may be out of reach in the world, so rules for each have a share of the time
            stop = self._session.has_spent(1 / (len(missed) - number + 1))
            if self._rules_for_goal(task, stop) or self._literals_for_goal(task):
                return True
            if not self._session.explains(self._best):  # a plan has shown something else
                return True
            if self._session.stop_inferring_types():  # an effect that was left out may be read
                return True
        reached = [task for task, one in enumerate(standings) if one is GoalStanding.REACHED]
        return refuted_by_goals(self._session, self._best, reached, self._asked_changes)

    def _literals_for_goal(self, task: int) -> bool:
        """Go on with literals alone, once, if they do and the world confirms their way to the goal.

        Also True if what was seen by that speaks against the rules that were taken.
        """
        if self._asked_literals or not self._structure.size:
            return False
        self._asked_literals, session, now = True, self._session, self._taken
        plain = session.repairs_of(self._plain, session.repairs().seen)
        fewest = fewest_edits(plain, self._config.program_s, session.is_late).candidate
        if not fewest.unexplained:
            session.edit(self._plain.problems)
            found = GoalFound(GoalStanding.UNKNOWN, fewest)
            with suppress(BudgetExceeded, TimeUp):
                found = settle_goal(session, fewest, task)
            if found.standing is GoalStanding.REACHED:
                self._taken = self._plain.problems, self._plain_structure, found.candidate, []
                self._confirmed |= found.confirmed
                self._without_rule = None
                return True
            self._taken = now
        return not session.explains(self._best)

    def _search(self, before: Candidate) -> Candidate:
        """The fewest edits for all that was seen; what was thinned out is brought back if need be.

        Another rule changes the model first, where there is a better one.
        """
        while True:
            before = self._typed(before)
            while self._writes_like_another(before.edits):
                before = self._best
            found = self._explaining(before)
            if found is None:
                before = self._best
            elif found.unexplained or self._session.is_late() or not self._brings_back(found):
                return found

    def _brings_back(self, found: Candidate) -> bool:
        """Bring back examples that were thinned out and speak against a candidate; False without any."""
        return self._session.keep_hard(overlooked(self._session.repairs(), found))

    def _explaining(self, before: Candidate) -> Candidate | None:
        """The fewest edits, given some that were good before; None where a rule has changed the model."""
        repairs = self._session.repairs()
        found, most = chosen(self._session, repairs, before)
        fills, settled, proved = fills_new_actions(repairs, found), most is None, most == inf
        if self._writes_like_another(found.edits) or (proved and self._session.stop_inferring_types()):
            return None
        if found.unexplained and self._session.brings_back():
            return None
        if proved:  # quick kinds first, and again beside the edits that explain most
            if self._changes_structure(found, most, QUICK):
                return None
            found, settled = explaining_most(self._session, repairs, found)
            if not settled:  # rules are no use beside literals that are as wrong as before
                found = searched(self._session, repairs, found, self._expansions, AT_FIRST)
            if self._changes_structure(found, most, QUICK) or self._changes_structure(found, most, COSTLY):
                return None
        else:
            if most and not fills and self._changes_structure(found, self._limit(found, most)):
                return None
            # before a long search in a model that may have too many atoms for the constraints; initial atoms
            # may stand in for a parameter too many, and for a wrong condition of an effect or literal below a
            # quantifier as well, and with effects on what never changes for any rule; if such a rule is
            # better, the other quick kinds may have one that is better still
            likely = QUICK[:3] if found.starts else QUICK[:1]
            first = likely if stand_ins(repairs, found) < MANY_STAND_INS else QUICK
            if self._changes_structure(found, None, QUICK, first=first) or self._changes_parameters(found):
                return None
        if not settled and (found.unexplained or not fills):
            found = searched(self._session, repairs, found, self._expansions)
        if self._session.is_late():
            return found
        disabled = self._disabled(repairs, found)
        other = self._without_disabling(repairs, found, disabled) if disabled else None
        if other is not None:
            repairs, found, disabled = self._session.repairs(), other, set()
        doubtful = bool(disabled) or found.unexplained
        # a rule that costs much more is no likelier than that the world never runs the action in these tasks
        most = found.cost + MANY if disabled and not found.unexplained else None
        return None if doubtful and self._changes_structure(found, most, spared=disabled) else found

    def _limit(self, found: Candidate, bound: float) -> float:
        """What another rule that explains all may cost, where edits cost at least `bound` and time ran out.

        Anything, where no edits were found that explain all; else no more than halfway to those that were.
        """
        return inf if found.unexplained else max(bound, (bound + found.cost) / 2)

    def _has_a_shorter_rule(self) -> bool:
        """Whether another rule takes the place of many literals that nothing speaks against.

        They may stand for a rule that literals cannot say. That is not asked again for the same literals, nor
        for a few more.
        """
        session, best, before = self._session, self._best, self._doubted
        now = frozenset(changes(session.model, best))
        if not are_many(session.repairs(), best) or (before <= now and len(now - before) < MANY):
            return False
        self._doubted = now
        return self._changes_structure(best, None)

    def _disabled(self, repairs: Repairs, found: Candidate) -> set[str]:
        """Actions that can never run in any task, for the sake of what they were refused alone.

        That is asked once for an action: if no other rule explains as much without that, it stays as it is.
        """
        added = {name for name, own in found.fits.items() if own.added}
        never = (added & repairs.seen.missed) - self._asked_for
        disabled = never & set(disabled_actions(self._session, found) if never else ())
        self._asked_for |= disabled
        return disabled

    def _without_disabling(self, repairs: Repairs, found: Candidate, disabled: set[str]) -> Candidate | None:
        """Edits that explain as much for not much more and disable nothing, if others than those do.

        What would disable these actions is left out from then on, as long as all is explained without it.
        """
        session, before = self._session, self._session.left_out
        literals = (
            frozenset() if found.unexplained else disabling_literals(session, repairs.model, found, disabled)
        )
        if not literals:
            return None
        session.leave_out(before | literals)
        other = chosen(session, session.repairs(), found)[0]
        explains = not other.unexplained and other.cost <= found.cost + MANY
        if explains and not disabled_actions(session, other):
            return other
        session.leave_out(before)
        return None

    def _result(self, verdict: RepairVerdict) -> Repaired:
        """The best candidate, or the model as it was given if that gets less wrong of what was seen."""
        session, best, structural = self._session, self._best, self._structure.words
        examined = self._examined
        if verdict is RepairVerdict.AGREES and examined is not None and not examined.agrees:
            verdict = RepairVerdict.AGREES_AS_SEEN
        seen = session.repairs().seen
        repairs = Repairs(session.model, seen)
        errors, wrong = self._errors(repairs, best)
        if not verdict.agrees:
            given = Repairs(session.given, seen)
            before = self._errors(given, UNEDITED)
            if before <= (errors, wrong):
                repairs, best, structural = given, UNEDITED, self._fitted
                errors, wrong = before
        if verdict.agrees and (hold_for_tasks_seen(structural) or best.reads_doubts):
            verdict = RepairVerdict.HOLDS_FOR_SEEN
        if verdict.agrees and (wrong or self._has_no_plan):
            verdict = RepairVerdict.MISSES_GOAL
        edits = changes(repairs.model, best)
        disabled = disabled_actions(session, best) if verdict.explains_walks else ()
        if disabled:
            verdict = RepairVerdict.DISABLES
        held, verdicts = repairs.goal_held(best.edits), session.verdicts()
        reached = [] if wrong else [node for node, holds in verdicts.items() if holds and held[node]]
        return Repaired(
            verdict,
            changed_domain(repairs.model.domain, edits),
            tuple(changed_problem(p, edits, task) for task, p in enumerate(repairs.model.problems)),
            edits,
            errors,
            world_queries=session.queries + sum(place.goal.queries for place in session.places),
            rounds=session.rounds,
            wall_s=session.spent_s,
            structural=structural,
            goal=self._standing(reached),
            goal_walk=session.walk_to(reached[0]) if reached else (),
            evidence=ledger(repairs, best, reached) if self._config.keeps_ledger else (),
            walked=session.evidence() if self._config.keeps_walked else (),
            simulator=total_cost([cost_of(place.walks) for place in session.places]),
            not_exercised=examined.not_exercised if examined is not None else (),
            unseen=examined.unseen if examined is not None else "",
            rivals=self._rivals if verdict.agrees else (),
            disabled=disabled,
        )

    def _errors(self, repairs: Repairs, candidate: Candidate) -> tuple[int, int]:
        """Operators that speak against a candidate, and verdicts on the goal."""
        wrong = GoalVerdicts.beside(repairs, self._session.verdicts()).against(candidate.edits)
        return repairs.errors(candidate) + sum(map(len, self._session.untyped())), len(wrong)

    def _standing(self, reached: Sequence[int]) -> GoalStanding:
        """What can be said of the goals in the end; `reached` are nodes where world and model have them."""
        tasks = {int(self._session.repairs().seen.walks.task[node]) for node in reached}
        if len(tasks) == len(self._session.places):
            return GoalStanding.REACHED
        return GoalStanding.UNKNOWN if self._goal is GoalStanding.REACHED else self._goal


def _together(standings: Sequence[GoalStanding]) -> GoalStanding:
    """What became of several tasks' goals: the worst of them."""
    worst = (GoalStanding.NOT_REACHED, GoalStanding.UNKNOWN)
    return next((one for one in worst if one in standings), GoalStanding.REACHED)
