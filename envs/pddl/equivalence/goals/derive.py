"""Goals completed with all they imply in the states that can be reached.

Where the domain is Blocksworld or Gripper, under whatever names, and the initial state is as their rules
assume, the rules give the exact answer (`specify`). Elsewhere, and for goals with negations, it is derived
from both sides. From below: invariants of the problem (`invariants`), and what follows from them and the goal
(`consequences`). All of it holds in every reachable goal state. From above: reachable goal states that were
seen (`explore`); what is false in one of them is not implied. Where both sides meet, or every state was
seen, the completed goal is exact. A planner closes the gap if one is given: it is asked for a goal state
in which something holds not that is still open. A plan settles some of it, a proof that there is no plan
all of it. Else the completed goal is sound.

A completed goal holds the atoms that are true in all reachable goal states, and those of the goal's
negations, and negations implied by it, that these atoms do not imply. So it is the same for all goals with
the same reachable goal states, however they are written. Static atoms are left out, as the initial state
says them.

Source: fullySpecify of Zuo et al. 2024, section 4.1 and appendix C.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import monotonic

from envs.pddl.equivalence.goals.consequences import BadRules, Consequences, SolvingTooLong
from envs.pddl.equivalence.goals.explore import Explorer
from envs.pddl.equivalence.goals.goal import (
    CompletedGoal,
    Exactness,
    Goal,
    Signed,
    show_signed,
    unreachable,
)
from envs.pddl.equivalence.invariants.invariants import derive_invariants
from envs.pddl.equivalence.invariants.transitions import Literals, TooLarge, transitions
from envs.pddl.equivalence.known_domains.patterns import Impossible
from envs.pddl.equivalence.known_domains.recognised import recognise
from envs.pddl.language.domain import with_goal
from envs.pddl.language.structure import Problem
from envs.pddl.language.terms import show
from envs.pddl.planning.planner import Planner, PlanOutcome, planner_texts

#: A search without heuristics, which takes no state for a dead end.
EXHAUSTIVE = "lazy_greedy([goalcount()])"


def aiming_at(problem: Problem, wanted: Iterable[Signed], lacking: Iterable[Signed]) -> Problem:
    """The problem of reaching a state with all of `wanted` and, if there are any, not all of `lacking`."""
    choice = " ".join(show_signed(atom, not sign) for atom, sign in sorted(lacking))
    parts = [show_signed(*literal) for literal in sorted(wanted)] + ([f"(or {choice})"] if choice else [])
    return with_goal(problem, f"(and {' '.join(parts)})")


#: Goals here are many small demands at once: landmarks lead where `ff` alone is lost.
_SEARCH = (
    "let(h, ff(), let(l, landmark_sum(lm_factory=lm_reasonable_orders_hps(lm_rhw()), pref=true), "
    "lazy_greedy([h, l], preferred=[h, l])))"
)


@dataclass(frozen=True)
class Means:
    """What completing a goal may use."""

    by_rules: bool = True  #: the exact rules of the domains that have some
    invariants: str = ""  #: the world's own, as text; see `invariants`
    #: asked where the rest does not decide; None: no planner is asked
    planner: Planner | None = field(default_factory=lambda: Planner(search=_SEARCH))
    max_states: int = 5_000  #: states that are seen from one start, about
    wall_s: float = 10.0  #: for one goal, roughly


def derive(problem: Problem, goal: Goal, means: Means) -> CompletedGoal:
    """Complete the goal of a trusted problem. Raises BadRules, and PlannerMissing."""
    try:
        return Derivation(problem, means).complete(goal)
    except (TooLarge, SolvingTooLong) as error:
        return CompletedGoal(goal, Exactness.SOUND, str(error))


@dataclass(frozen=True)
class ImpliedBounds:
    """The literals that a goal surely implies, and those that it may imply; None: no goal state was seen."""

    surely: Literals
    maybe: Literals | None

    def open(self, atoms_only: bool) -> Literals:
        """What may be implied and is not surely so; nothing if no goal state was seen."""
        maybe = self.maybe or frozenset()
        return frozenset(literal for literal in maybe - self.surely if not (atoms_only and literal & 1))

    def settled(self, atoms_only: bool) -> bool:
        """Whether both sides meet."""
        return self.maybe is not None and not self.open(atoms_only)


class Derivation:
    """Completes goals of one problem."""

    def __init__(self, problem: Problem, means: Means):
        self._problem = problem
        self._means = means
        self._task = transitions(problem)

    @cached_property
    def _consequences(self) -> Consequences:
        return Consequences(self._problem, derive_invariants(self._task, self._means.invariants))

    @cached_property
    def _explorer(self) -> Explorer:
        return Explorer(self._problem, self._task, self._means.max_states)

    def implied(self, goal: Goal) -> Goal | None:
        """What holds in all states that satisfy the invariants and the goal; None if there is none.

        Of negations, all that are implied. Raises TooLarge, SolvingTooLong and BadRules.
        """
        literals = self._literals(goal)
        found = self._consequences.of(literals, self._means.wall_s) if literals is not None else None
        return None if found is None else Goal.of(self._task.named(found))

    def refute(self, goal: Goal) -> None:
        """Raise BadRules if the world's invariants are broken at first, or by goal states that are seen.

        Raises TooLarge and SolvingTooLong too.
        """
        literals = self._literals(goal)
        if literals is not None:
            surely = self._consequences.of(literals, self._means.wall_s)
            self._refuse_refuted(surely, self._explorer.common(literals))

    def complete(self, goal: Goal) -> CompletedGoal:
        """Complete one goal. Raises TooLarge, SolvingTooLong, BadRules and PlannerMissing."""
        literals = self._literals(goal)
        if literals is None:
            never = min(atom for atom in goal.positive if atom not in self._task.number)
            return unreachable(goal, show(never))
        until = monotonic() + self._means.wall_s
        bounds = self._bounds(literals, not goal.negative, until)
        if bounds is None:
            return unreachable(goal, "the goal")
        atoms = _of_sign(bounds.surely, 0)
        if not goal.negative:
            return self._completion(atoms, frozenset(), bounds.settled(atoms_only=True))
        implied = self._bounds(atoms, False, until)
        if implied is None:  # what the goal implies cannot be reached, so the goal cannot
            return unreachable(goal, "the goal")
        most = _of_sign(bounds.maybe or frozenset(), 1) - implied.surely
        least = _of_sign(bounds.surely, 1) - (implied.maybe or frozenset(self._task.literals()))
        exact = bounds.settled(atoms_only=True) and most == least
        return self._completion(atoms, _of_sign(bounds.surely, 1) - implied.surely, exact)

    def _completion(self, atoms: Literals, negations: Literals, exact: bool) -> CompletedGoal:
        goal = Goal.of(self._task.named(atoms | negations))
        if exact:
            return CompletedGoal(goal, Exactness.EXACT)
        return CompletedGoal(goal, Exactness.SOUND, "more may follow from the goal than could be shown")

    def _bounds(self, goal: Literals, atoms_only: bool, until: float) -> ImpliedBounds | None:
        """Both sides for a goal; None if it cannot be reached. Negations may stay open if `atoms_only`."""
        seen = self._explorer.common(goal)
        if self._explorer.complete:
            return None if seen is None else ImpliedBounds(seen, seen)
        surely = self._consequences.of(goal, max(0.0, until - monotonic()))
        self._refuse_refuted(surely, seen)
        if surely is None:
            return None
        bounds = ImpliedBounds(surely, seen)
        while not bounds.settled(atoms_only) and monotonic() < until:
            closer = self._asked(goal, bounds, atoms_only, until)
            if closer is None or closer == bounds:
                return closer
            bounds = closer
        return bounds

    def _refuse_refuted(self, surely: Literals | None, seen: Literals | None) -> None:
        """Raise BadRules if goal states were seen that the invariants exclude, or in which others hold."""
        if seen is not None and (surely is None or not surely <= seen):
            raise BadRules("the world's invariants exclude states that can be reached")

    def _asked(
        self, goal: Literals, bounds: ImpliedBounds, atoms_only: bool, until: float
    ) -> ImpliedBounds | None:
        """The bounds after asking the planner for a goal state with less in it; the same if it finds none."""
        if self._means.planner is None:
            return bounds
        planner, open_yet = self._means.planner, bounds.open(atoms_only)
        task = self._task
        texts = planner_texts(aiming_at(self._problem, task.named(goal), task.named(open_yet)))
        for search in (planner.search, EXHAUSTIVE):
            wall_s = min(planner.wall_s, max(0.0, until - monotonic()))
            result = replace(planner, search=search, wall_s=wall_s).plan(*texts)
            if result.outcome is not PlanOutcome.UNSOLVABLE_INCOMPLETE:
                break  # else heuristics took states for dead ends
        if result.plan is not None:
            self._explorer.follow(result.plan)
            seen = self._explorer.common(goal)
            self._refuse_refuted(bounds.surely, seen)
            return replace(bounds, maybe=seen)
        if result.outcome is PlanOutcome.UNSOLVABLE_PROVED:
            return None if bounds.maybe is None else replace(bounds, surely=bounds.surely | open_yet)
        return bounds

    def _literals(self, goal: Goal) -> Literals | None:
        """The goal's literals; None if one of its atoms never holds."""
        return self._task.numbered(goal.signed) if goal.positive <= self._task.number.keys() else None


def _of_sign(literals: Literals, sign: int) -> Literals:
    """The literals of atoms (0) or of negations (1)."""
    return frozenset(literal for literal in literals if literal & 1 == sign)


MEANS = Means()


def specify(problem: Problem, goal: Goal, means: Means = MEANS) -> CompletedGoal:
    """Complete the goal of a problem, which `read_goal` has read. Raises what `derive` does."""
    return specify_by_rules(problem, goal, means) or derive(problem, goal, means)


def specify_by_rules(problem: Problem, goal: Goal, means: Means = MEANS) -> CompletedGoal | None:
    """Complete a goal that is impossible as it stands, or by the exact rules of its domain.

    None if there are no such rules, they do not apply, or the means are without them.
    """
    if goal.impossible:
        return unreachable(goal, goal.impossible)
    known = recognise(problem, goal) if means.by_rules else None
    if known is None:
        return None
    try:
        atoms = known.cast.back(known.oracle.implied(known.wanted, known.members))
    except Impossible as error:
        return unreachable(goal, str(error))
    return CompletedGoal(Goal(atoms), Exactness.EXACT)
