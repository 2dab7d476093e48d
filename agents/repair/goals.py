"""The goal as evidence: a model that agrees with all walks is asked for a way to the goal, and tries it.

Walks show what can be executed, never what holds; what only the goal reads, they cannot see. The world says
whether its goal holds after a walk. So once walks and model agree, a plan is made in the model and tried in
the world. If the goal holds there in the end, it is settled. If not, or if the model has no plan, models that
differ in effects on what the goal reads are tried in the same way (`GoalGuesses`), and the first
whose plan the world confirms is taken. Nothing is taken that the world has not confirmed; a world whose goal
never holds leaves the model as it is.

A walk that was made already can refute a model, by one query: the goal holds after it in the model alone. It
never confirms one: on a random walk much has happened, and a plan has what the model needs and nothing else.

A plan that works confirms its guess, and often others. So a confirmed guess has to stand against those that
cost no more: where a walk leads to the goal in one of two alone, the world decides (`rivals.ask_between`).

That a model has no plan speaks against it only if the task can be solved at all. This is taken for granted:
tasks of worlds can be. What a limit cuts short speaks against nothing.

A guess is a model that may be right about the goal: it explains all walks and all verdicts on the goal, and
leaves no part of the goal out of reach (`agents.repair.goal_reach`). Guesses are found from a model that
explains the walks, by effects that walks have no say in:

- a part of the goal is out of reach: some action is lacking an effect of the kind that the goal asks for;
- the goal holds in the model after a walk and not in the world: some action on the walk has such an effect
  too much, or is lacking one that undoes it; the other way round if it holds in the world alone;
- no plan was found though no part is out of reach: either may be the cause.

Preconditions are fitted anew for each guess, so one that takes back an edit of an effect may come with the
edit of a precondition that explains the walks as well. The fewest edits come first; of equal ones the
likeliest: by name (`serve` makes `served`) or by another action that does so (`likely_effects`), by plain
arguments, and of actions that were seen to run.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from itertools import count
from typing import Self

import numpy as np

from agents.repair.candidate import Candidate, Edit, EffectEdit, effects_of
from agents.repair.goal_reach import GoalReach
from agents.repair.model import Editable, Model, opposite, pairs
from agents.repair.overlooked import overlooked
from agents.repair.rivals import MOST_RIVALS, ask_between
from agents.repair.search import Repairs
from agents.repair.session import RepairSession
from agents.repair.text import edited_problem
from envs.pddl.planning.planner import PlanOutcome
from envs.pddl.simulation.lifted import Literal
from ew.walks.budget import BudgetExceeded, TimeUp

#: Edits by which a guess may differ from the model it starts from.
MOST_EDITS = 6
#: Letters that two words have to begin with alike.
_STEM = 4


@dataclass(frozen=True, eq=False)
class GoalVerdicts:
    """What the world says of its goal after some walks, beside a model's states on these walks alone.

    They are few, and a model's states on all walks cost most of the time that a guess takes.
    """

    of: Mapping[int, bool]  #: by node of all walks
    repairs: Repairs
    numbers: Mapping[int, int]  #: of the nodes in `repairs`

    @classmethod
    def beside(cls, repairs: Repairs, verdicts: Mapping[int, bool]) -> Self:
        """The verdicts, for the candidates of a model."""
        seen, numbers = repairs.seen.towards(verdicts)
        return cls(verdicts, Repairs(repairs.model, seen), numbers)

    def against(self, edits: frozenset[Edit]) -> list[int]:
        """The nodes where the world says otherwise than the model with these edits."""
        held = self.repairs.goal_held(edits)
        return [node for node, verdict in self.of.items() if held[self.numbers[node]] != verdict]

    def can_depend_on(self, actions: Collection[str], edits: frozenset[Edit]) -> bool:
        """Whether some of these ran on the way to each node that speaks against the model with the edits."""
        path = self.repairs.seen.walks.path
        ways = (path(self.numbers[node]) for node in self.against(edits))
        return all(any(step.action in actions for step in way) for way in ways)


class GoalGuesses:
    """The guesses from one model, for what is known by now.

    `verdicts` are those of the world on its goal, by node of the walks; `planless` the `Candidate.rules` of
    models in which no plan was found.
    """

    def __init__(
        self,
        repairs: Repairs,
        reach: GoalReach,
        verdicts: Mapping[int, bool],
        planless: Collection[object],
    ):
        self._model, self._repairs, self._reach = repairs.model, repairs, reach
        self._verdicts, self._planless = GoalVerdicts.beside(repairs, verdicts), planless
        self._walks = repairs.seen.walks
        self._ran = {step.action for step in self._walks.steps}
        self._wanted = self._model.wanted
        read = {predicate for predicate, _ in self._wanted}
        #: by the effects of the candidate that is begun with
        self._likely: Collection[tuple[str, Literal]] = ()
        self._literals = {
            name: [literal for literal in _literals(action) if literal.predicate in read]
            for name, action in self._model.actions.items()
        }

    def first(
        self, start: Candidate, most: int, stop: Callable[[], bool], kept: Collection[Edit] = ()
    ) -> Candidate | None:
        """The first guess among the `most` sets of edits that are looked at, or None; all have those `kept`.

        Preconditions are fitted only where the goal alone speaks for a set: until then, it is expected to
        cost one more for each edit, and one more for each predicate that the goal still lacks.
        """
        order, seen = count(), {start.edits}
        self._likely = likely_effects(self._model, start.edits, {predicate for predicate, _ in self._wanted})
        open_ = [(start.weighed_cost + self._reach.distance(start.edits), 0.0, next(order), start.edits)]
        while open_ and most and not stop():
            expected, doubt, _, edits = heapq.heappop(open_)
            most -= 1
            if self._agrees(edits):
                found = self._repairs.candidate(edits)
                if found.unexplained or any(overlooked(self._repairs, found)):
                    continue
                if found.weighed_cost > expected:  # its preconditions have to be edited as well
                    heapq.heappush(open_, (found.weighed_cost, doubt, next(order), edits))
                    continue
                if found.rules not in self._planless:
                    return found
            for edit in self._fixing(edits):
                after = edits ^ {edit}
                if edit not in kept and after not in seen and len(after ^ start.edits) <= MOST_EDITS:
                    seen.add(after)
                    nearer = self._reach.distance(edits) - self._reach.distance(after)
                    cost = expected + len(after) - len(edits) - nearer
                    heapq.heappush(open_, (cost, doubt + self._doubt(edit), next(order), after))
        return None

    def _agrees(self, edits: frozenset[Edit]) -> bool:
        """Whether neither a verdict nor a part out of reach speaks against a model."""
        return not self._verdicts.against(edits) and not self._reach.missing(edits)

    def _fixing(self, edits: frozenset[Edit]) -> Iterator[EffectEdit]:
        """Edits that may fix what keeps a model from being a guess."""
        wrong = self._verdicts.against(edits)
        missing = self._reach.missing(edits)
        if wrong:
            yield from self._correcting(wrong[0], edits)
        elif missing:
            for edit in self._edits(sorted(self._model.actions), edits, True):
                if len(self._reach.missing(edits ^ {edit})) < len(missing):
                    yield edit
        else:
            for towards in (True, False):
                yield from self._edits(sorted(self._model.actions), edits, towards)

    def _correcting(self, node: int, edits: frozenset[Edit]) -> Iterator[EffectEdit]:
        """Edits of what ran on the way to a node; where the world has no goal, one alone must do."""
        holds = self._verdicts.of[node]
        on_walk = sorted({step.action for step in self._walks.path(node)})
        for edit in self._edits(on_walk, edits, holds):
            if holds or node not in self._verdicts.against(edits ^ {edit}):
                yield edit

    def _edits(self, actions: Collection[str], edits: frozenset[Edit], towards: bool) -> Iterator[EffectEdit]:
        """Edits of some actions that help the goal to hold, or keep it from holding."""
        for name in actions:
            action = self._model.actions[name]
            now = frozenset(effects_of(action, edits))
            for effect in self._literals[name]:
                helps = (effect.predicate, effect.positive) in self._wanted
                harms = (effect.predicate, not effect.positive) in self._wanted
                gone, come = (harms, helps) if towards else (helps, harms)
                if gone if effect in now else come and opposite(effect) not in now:
                    yield EffectEdit(name, effect, effect not in action.effects)

    def _doubt(self, edit: EffectEdit) -> float:
        """How unlikely an edit is, beside others; the lower, the likelier."""
        terms, adding = edit.effect.terms, edit.present
        plain = len(set(terms)) == len(terms) and all(t < 0 for t in terms)
        akin = _akin(edit.action, edit.effect.predicate)
        alone = adding and not akin and (edit.action, edit.effect) not in self._likely
        return (not plain) + alone + (edit.action not in self._ran)


def likely_effects(
    model: Model, edits: frozenset[Edit], predicates: Collection[str]
) -> list[tuple[str, Literal]]:
    """The effects on some predicates that actions lack and that another action speaks for; by action.

    `ride` makes `(at ?to)` and `(visited ?to)` true, and `walk` makes `(at ?to)` true: so it may make
    `(visited ?to)` true as well.
    """
    effects = {name: effects_of(action, edits) for name, action in sorted(model.actions.items())}
    makers = [own for own in effects.values() if any(effect.predicate in predicates for effect in own)]
    return [
        (name, literal)
        for name, own in effects.items()
        for literal in model.actions[name].candidates
        if literal.predicate in predicates and literal not in own and opposite(literal) not in own
        if any(_speak_for(others, literal, own) for others in makers)
    ]


def _speak_for(others: Collection[Literal], literal: Literal, own: Collection[Literal]) -> bool:
    """Whether another action's effects are such a one and, of the same arguments, one of an action's own."""
    return any(
        set(zip(literal.terms, one.terms, strict=True)) <= set(zip(mine.terms, theirs.terms, strict=True))
        for one in others
        if pairs([one], [literal])
        for theirs in others
        for mine in own
        if theirs != one and pairs([theirs], [mine])
    )


def _literals(action: Editable) -> list[Literal]:
    """What may be an effect of an action, and its own effects that could not be added."""
    return [*action.candidates, *sorted(action.effects - set(action.candidates), key=repr)]


def _akin(one: str, other: str) -> bool:
    """Whether two names have a word in common, or two that begin alike."""
    stems = ({word[:_STEM] for word in name.replace("_", "-").split("-")} for name in (one, other))
    return bool(set.intersection(*stems))


#: The planner has looked everywhere.
NO_PLAN = (PlanOutcome.UNSOLVABLE_PROVED, PlanOutcome.UNSOLVABLE_INCOMPLETE)


class GoalStanding(StrEnum):
    """What became of the goal of the problem that was repaired."""

    REACHED = "reached"  #: after a walk, it holds in the world and in the model
    NOT_REACHED = "not_reached"  #: no model that was tried leads to it, so nothing was edited for its sake
    UNKNOWN = "unknown"  #: a limit was met first, or the planner failed
    NOT_ASKED = "not_asked"  #: walks and model do not agree, or goals were not to be asked for


@dataclass(frozen=True, eq=False)
class GoalFound:
    """What asking for the goal came to."""

    standing: GoalStanding
    candidate: Candidate
    confirmed: frozenset[Edit] = frozenset()  #: edits of actions in a plan that worked
    has_no_plan: bool = False  #: whether it is proved that there is none by the model it began with
    news: bool = False  #: whether what was seen on the way speaks against the model it began with
    cut_short: bool = False  #: whether a limit met its own plan, which speaks against nothing


def settle_goal(
    session: RepairSession, best: Candidate, task: int = 0, confirmed: frozenset[Edit] = frozenset()
) -> GoalFound:
    """The standing of one task's goal, and the candidate that is confirmed, from one that explains all seen.

    Edits that other tasks have `confirmed` are taken back only if no guess has them. Raises BudgetExceeded,
    TimeUp, PlannerMissing.
    """
    planless: list[object] = []
    doubtful = proved = False
    place, trials = session.places[task], session.config.goal_trials
    evidence = place.goal
    while trials:
        repairs = session.repairs()
        reach = GoalReach(repairs, place.maker.own(), task)
        proved |= bool(reach.missing(best.edits))
        guesses = GoalGuesses(repairs, reach, session.verdicts(), planless)
        most, kept = session.config.goal_guesses, confirmed & best.edits
        guess = guesses.first(best, most, session.is_late, kept)
        if guess is None and kept:
            guess = guesses.first(best, most, session.is_late)
        if session.is_late():
            break
        if guess is None:
            standing = GoalStanding.UNKNOWN if doubtful else GoalStanding.NOT_REACHED
            return GoalFound(standing, best, has_no_plan=proved)
        walks, root = repairs.seen.walks, repairs.seen.walks.roots[task]
        held = np.flatnonzero(repairs.goal_held(guess.edits) & (walks.task == task))
        if len(held) and not evidence.ask(int(held[walks.depth[held].argmin()]) - root):
            continue  # the walk to the nearest node where it holds in the model alone refutes the guess
        result, trials = session.planned(guess, task), trials - 1
        if result.plan is None:
            doubtful = doubtful or result.outcome not in NO_PLAN
            if doubtful and guess.rules == best.rules:
                return GoalFound(GoalStanding.UNKNOWN, best, cut_short=True)
            proved |= result.outcome is PlanOutcome.UNSOLVABLE_PROVED and guess.rules == best.rules
            planless.append(guess.rules)
            continue
        followed = evidence.follow(result.plan)
        if followed.refused:
            session.look_at(followed.refused, task)
        if not session.explains(best):
            return GoalFound(GoalStanding.UNKNOWN, best, news=True)
        reached = not followed.refused and evidence.ask(followed.node)
        if reached and (guess.rules == best.rules or _stands(session, best, task, guess, planless)):
            ran = {operator[1:-1].split()[0] for operator in result.plan}
            used = (edit for edit in guess.edits if isinstance(edit, EffectEdit) and edit.action in ran)
            return GoalFound(GoalStanding.REACHED, guess, frozenset(used))
    return GoalFound(GoalStanding.UNKNOWN, best, has_no_plan=proved)


def is_out_of_reach(session: RepairSession, candidate: Candidate, task: int) -> bool:
    """Whether a part of one task's goal is out of reach in a candidate's model; see the module."""
    reach = GoalReach(session.repairs(), session.places[task].maker.own(), task)
    return bool(reach.missing(candidate.edits))


def _stands(
    session: RepairSession, best: Candidate, task: int, confirmed: Candidate, planless: Collection[object]
) -> bool:
    """Whether the world speaks against no confirmed guess for the sake of others that cost no more."""
    looked_at, least = [*planless, confirmed.rules], session.left_s / 2
    reach = GoalReach(session.repairs(), session.places[task].maker.own(), task)
    for _ in range(MOST_RIVALS):
        guesses = GoalGuesses(session.repairs(), reach, session.verdicts(), looked_at)
        rival = guesses.first(best, session.config.goal_guesses, session.is_late)
        if rival is None or rival.weighed_cost > confirmed.weighed_cost or session.left_s < least:
            break
        looked_at.append(rival.rules)
        both = (edited_problem(session.model, each, task) for each in (confirmed, rival))
        with suppress(BudgetExceeded, TimeUp):
            ask_between(session, task, *both)
        if GoalVerdicts.beside(session.repairs(), session.verdicts()).against(confirmed.edits):
            return False
    return True
