"""The kinds of structural edits, and the best of what they propose: for walks, and for the goal.

Conditional effects that only the goal reads are shown by no walk, but by a plan that misses the goal. Each is
a guess, as those of `agents.repair.goals` are: it explains all walks and all verdicts on the goal. A plan is
made by the model with it, and tried in the world. If the goal holds there in the end it is taken; if not, the
verdict speaks against all guesses that would have had it so. Nothing is taken that the world has not
confirmed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from sys import maxsize

from agents.repair.candidate import Candidate
from agents.repair.goals import NO_PLAN, contradicted
from agents.repair.rules.conditional import conditional_effects, effects_on_goals
from agents.repair.rules.likeness import like_others
from agents.repair.rules.nested import nested_effects_on_goals, nested_literals
from agents.repair.rules.new_predicate import new_predicates
from agents.repair.rules.quantified import quantified_preconditions
from agents.repair.rules.together import conjuncts_and_literals
from agents.repair.rules.variants import (
    Proposer,
    Variant,
    changed_repairs,
    parameter_lists,
    superfluous_parameters,
)
from agents.repair.search import Repairs
from agents.repair.session import RepairSession


@dataclass(frozen=True, eq=False)
class JudgedVariant:
    """A variant, and the candidate with the variant's edits in its model."""

    variant: Variant
    candidate: Candidate

    @property
    def rank(self) -> tuple[bool, float, int]:
        """Lower is better: what explains everything comes first, then what costs less; see `rank_of`."""
        return rank_of(self.candidate, self.variant.size)


def _judged(repairs: Repairs, variant: Variant) -> JudgedVariant:
    """A variant of the model for what was seen."""
    return JudgedVariant(variant, changed_repairs(repairs, variant).candidate(variant.edits))


def rank_of(candidate: Candidate, size: int = 0) -> tuple[bool, float, int]:
    """Of a candidate in a model that has changed by so much; of equals, fewer initial atoms are better.

    Where all is explained, nothing is in doubt and edits alone count, as in both searches for literals.
    """
    cost = candidate.weighed_cost if candidate.unexplained else candidate.cost
    return candidate.unexplained > 0, size + cost, candidate.starts


def best_variant(
    repairs: Repairs,
    found: Candidate,
    stop: Callable[[], bool],
    most: float | None = None,
    program_s: float = inf,
    only: Sequence[Proposer] = (),
) -> JudgedVariant | None:
    """The best variant that is better than `found`, the first of equals; None if there is none.

    Variants are proposed for `found`, and for the model as it is. Kinds behind one that explains everything,
    and that are no cheaper, are not asked, nor costly ones behind a quick one that explains all of one action
    and spoils nothing. Where `found` explains everything itself, only quick ones are asked.
    With `most`, only those that explain everything for that cost at most are better than `found`; and, if it
    is infinite, those that explain all of one action and spoil nothing. `program_s` is the processor time of
    the program that chooses conjuncts, in seconds; `only` are the kinds to be asked, where these are not all.
    """
    limit = rank_of(found) if most is None else (False, most, maxsize)
    asks_all = found.unexplained > 0 if most is None else most >= _NEW_PREDICATE
    program = partial(conjuncts_and_literals, cpu_s=program_s)
    costly = (program, parameter_lists, new_predicates) if asks_all else (program,) if found.starts else ()
    bases = [found] if not found.edits else [found, repairs.candidate(frozenset())]
    better: list[JudgedVariant] = []
    for propose in only or (*QUICK, *costly):
        if stop():
            break
        own = bases[:1] if propose in (program, parameter_lists) else bases
        for variant in (v for base in own for v in propose(repairs, base, stop)):
            one = _judged(repairs, variant)
            if one.rank < limit or (most == inf and _settles_an_action(one.candidate, found)):
                better.append(one)
        explaining_all = [one.rank[1] for one in better if not one.candidate.unexplained]
        if explaining_all and min(explaining_all) <= _NEW_PREDICATE:
            break
        if propose is QUICK[-1] and any(_settles_an_action(one.candidate, found) for one in better):
            break
    return min(better, key=lambda one: one.rank, default=None)


def like_another(repairs: Repairs, found: Candidate, stop: Callable[[], bool]) -> JudgedVariant | None:
    """The best variant in which a new action has the rules of another one, if it is better than `found`."""
    variants = (_judged(repairs, variant) for variant in like_others(repairs, found, stop))
    best = min(variants, key=lambda one: one.rank, default=None)
    return best if best is not None and best.rank < rank_of(found) else None


def _settles_an_action(candidate: Candidate, before: Candidate) -> bool:
    """Whether all of an action is explained that was not before, and no action is explained worse."""
    left = {name: fitted.left for name, fitted in before.fits.items() if fitted.left}
    now = {name: fitted.left for name, fitted in candidate.fits.items() if fitted.left}
    return len(now) < len(left) and all(left.get(name, 0) >= wrong for name, wrong in now.items())


#: Models that a planner is asked about, for each plan that may be tried in the world.
_PLANLESS = 4
#: What a new predicate costs at the least: it is declared, set and needed.
_NEW_PREDICATE = 3
#: The kinds that are asked first, in this order.
QUICK: tuple[Proposer, ...] = (
    superfluous_parameters,
    nested_literals,
    quantified_preconditions,
    conditional_effects,
)


@dataclass(frozen=True)
class Structure:
    """The structural edits that were taken."""

    words: tuple[str, ...] = ()
    size: int = 0  #: how many edits they count as

    def and_with(self, variant: Variant) -> Structure:
        """These and one more."""
        return Structure((*self.words, *variant.words.splitlines()), self.size + variant.size)

    def fitted(self, words: tuple[str, ...]) -> Structure:
        """These and what the world asks for anyhow."""
        return Structure((*self.words, *words), self.size)


def rule_for_goal(session: RepairSession, best: Candidate, task: int) -> Variant | None:
    """The first guess that the world confirms in one task, from a candidate that explains all walks.

    None if there is none among so many plans as a goal is worth, or among some times as many models without a
    plan, which is soon known; or if a plan shows that the candidate is wrong about what runs. Raises
    BudgetExceeded, TimeUp, PlannerMissing.
    """
    place, trials = session.places[task], session.config.goal_trials
    asked = trials * _PLANLESS
    for variant, candidate in _guesses(session, best):
        if session.is_late() or not trials or not asked:
            return None
        result = session.planned(candidate, task, changed_repairs(session.repairs(), variant).model)
        asked, trials = asked - 1, trials - (result.outcome not in NO_PLAN)
        if result.plan is None:
            continue
        followed = place.goal.follow(result.plan)
        if followed.refused:
            session.look_at(followed.refused, task)
        if not session.explains(best):
            return None
        if not followed.refused and place.goal.ask(followed.node):
            return variant
    return None


def _guesses(session: RepairSession, best: Candidate) -> Iterator[tuple[Variant, Candidate]]:
    """The guesses that nothing speaks against when it is their turn, each once, with their candidates."""
    stop, tried = session.is_late, set[str]()
    for variant in nested_effects_on_goals(session.repairs(), best, stop):
        candidate = _unrefuted(session, best, variant)
        if candidate is not None:
            yield variant, candidate
    while True:  # what is proposed depends on verdicts, of which there may be more by each plan
        for variant in effects_on_goals(session.repairs(), best, stop, session.verdicts()):
            if variant.words not in tried:
                tried.add(variant.words)
                candidate = _unrefuted(session, best, variant)
                if candidate is not None:
                    yield variant, candidate
                    break
        else:
            return


def _unrefuted(session: RepairSession, best: Candidate, variant: Variant) -> Candidate | None:
    """The candidate of a variant; None if walks or verdicts speak against it."""
    changed = changed_repairs(session.repairs(), variant)
    candidate = changed.candidate(variant.edits)
    same = not candidate.unexplained and candidate.fits == best.fits
    wrong = not same or contradicted(changed.goal_held(variant.edits), session.verdicts())
    return None if wrong else candidate
