"""Conditional effects that only the goal reads: no walk shows them, but a plan does that misses the goal.

Each is a guess, as those of `agents.repair.goals` are: it explains all walks and all verdicts on the goal. A
plan is made by the model with it, and tried in the world. If the goal holds there in the end it is taken; if
not, the verdict speaks against all guesses that would have had it so. Nothing is taken that the world has not
confirmed.
"""

from __future__ import annotations

from agents.repair.conditional import effects_on_goals
from agents.repair.goals import contradicted
from agents.repair.model import Candidate
from agents.repair.session import RepairSession
from agents.repair.variants import Variant, changed_repairs


def rule_for_goal(session: RepairSession, best: Candidate, task: int) -> Variant | None:
    """The first guess that the world confirms in one task, from a candidate that explains all walks.

    None if there is none among so many plans as a goal is worth, or if a plan shows that the candidate is
    wrong about what runs. Raises BudgetExceeded, TimeUp, PlannerMissing.
    """
    planless: set[str] = set()
    place = session.places[task]
    for _ in range(session.config.goal_trials):
        found = _guess(session, best, planless)
        if found is None or session.is_late():
            return None
        variant, candidate = found
        result = session.planned(candidate, task, changed_repairs(session.repairs(), variant).model)
        if result.plan is None:
            planless.add(variant.words)
            continue
        followed = place.goal.follow(result.plan)
        if followed.refused:
            session.look_at(followed.refused, task)
        if not session.explains(best):
            return None
        if not followed.refused and place.goal.ask(followed.node):
            return variant
    return None


def _guess(session: RepairSession, best: Candidate, planless: set[str]) -> tuple[Variant, Candidate] | None:
    """The cheapest guess that nothing speaks against, and its candidate."""
    repairs, verdicts = session.repairs(), session.verdicts()
    for variant in effects_on_goals(repairs, best, session.is_late, verdicts):
        if variant.words in planless:
            continue
        changed = changed_repairs(repairs, variant)
        candidate = changed.candidate(variant.edits)
        same = not candidate.unexplained and candidate.fits == best.fits
        if same and not contradicted(changed.goal_held(variant.edits), verdicts):
            return variant, candidate
        planless.add(variant.words)
    return None
