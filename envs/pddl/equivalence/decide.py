"""Whether two goals of one problem are the same up to a mapping of the objects that keeps the initial state.

The question is put as a search with counterexamples. What each goal implies is known from below and from
above (`evidence`). A mapping (`symmetries`) is looked for that takes what the one goal surely implies to what
holds in all goal states of the other that were seen, and conversely. If there is none the goals are
different. If the goals imply each other under the mapping that was found they are equivalent. Else the
planner is asked for a state that satisfies the one goal and not the other: a plan rules this mapping out, a
proof that there is none adds to what is surely implied. So no more is asked of the planner than sets the two
goals apart.
"""

from __future__ import annotations

from collections.abc import Iterable

from envs.pddl.equivalence.deadline import Deadline, Undecided
from envs.pddl.equivalence.goals.evidence import GoalKnowledge, GoalStates, Reachability
from envs.pddl.equivalence.goals.goal import Goal, Signed, show_signed
from envs.pddl.equivalence.graphs.symmetries import Demand, Mapped, Signature, Symmetries, inverse, mapped

#: Mappings that are passed over where the planner finds no answer; another one may make the goals the same.
MAX_OPEN = 20
_NAMED = 3  #: literals that are named
_SIDES = ("first", "second")
_NO_ANSWER = "neither invariants nor the planner could show whether the goals imply each other"
_NO_MAPPING = (
    "the goals differ: no mapping of the objects that keeps the initial state takes what the one goal "
    "implies to what holds in all goal states of the other"
)


class GoalSide:
    """One of the two goals, and what is known of it."""

    def __init__(self, evidence: GoalKnowledge, goal: Goal):
        self._evidence = evidence
        settled = evidence.settled(goal)
        #: the goal's literals, and the part of it that no reachable state satisfies, if that is known
        self.goal: frozenset[Signed] = frozenset() if isinstance(settled, str) else settled
        self.unreachable = settled if isinstance(settled, str) else ""
        self.surely = self.goal  #: literals that hold in all reachable goal states
        self.seen: GoalStates | None = None
        self._inferred = bool(self.unreachable)
        self.look()

    def look(self) -> None:
        """Take note of the states seen meanwhile."""
        if not self.unreachable:
            self.seen = self._evidence.seen(self.goal)

    def infer(self) -> bool:
        """Add what invariants imply; False if that has been done. Raises OutOfTime and BadRules."""
        if self._inferred:
            return False
        self._inferred = True
        implied = self._evidence.implied(self.goal)
        self.unreachable = "the goal" if implied is None else ""
        self.surely |= implied or frozenset()
        return True

    def ask(self, lacking: frozenset[Signed] = frozenset()) -> bool:
        """Ask for a goal state that lacks something, or for any; whether that brought an answer.

        Raises OutOfTime, BadRules and PlannerMissing.
        """
        reply = self._evidence.reach(self.goal, lacking)
        if reply is Reachability.NONE and not lacking:
            self.unreachable = "the goal"
        elif reply is Reachability.NONE:
            self.surely |= lacking
            if self.seen is None:
                self.ask()
        return reply is not Reachability.UNKNOWN

    def ask_for_all(self, lacking: frozenset[Signed]) -> bool:
        """Ask for a goal state that lacks several literals at once; whether there is one. Raises as `ask`."""
        wanted = self.goal.union((atom, not sign) for atom, sign in lacking)
        return self._evidence.reach(wanted, frozenset(), brief=True) is Reachability.SEEN

    def open(self, literals: Iterable[Signed]) -> frozenset[Signed]:
        """Those that are not known to follow from the goal."""
        return frozenset(literals) - self.surely

    def demands(self, seen: GoalStates | None, *, backward: bool) -> list[Demand]:
        """What the goal surely implies has to hold in the other goal's states, if any were seen."""
        if seen is None:
            return []
        atoms = frozenset(atom for atom, sign in self.surely if sign)
        denied = frozenset(atom for atom, sign in self.goal if not sign)
        return [
            Demand(atoms, seen.always, backward=backward),
            Demand(denied, seen.sometimes, backward=backward, forbidden=True),
        ]


class Decision:
    """The search. `names` are the objects' names in the first problem, for words."""

    def __init__(
        self, sides: tuple[GoalSide, GoalSide], symmetries: Symmetries, names: Mapped, deadline: Deadline
    ):
        self._sides = sides
        self._symmetries = symmetries
        self._names = names
        self._deadline = deadline
        self._passed: list[dict[str, str]] = []  # parts of mappings for which there was no answer
        self._asked_alike: set[tuple[GoalSide, Signature]] = set()

    def made(self) -> Mapped | str:
        """The mapping under which the goals are equivalent, or, in words, why there is none.

        Raises Undecided, OutOfTime, BadRules and PlannerMissing.
        """
        self._infer()
        while not any(side.unreachable for side in self._sides):
            self._deadline.left()
            if len(self._passed) > MAX_OPEN:
                raise Undecided(_NO_ANSWER)
            one, other = self._sides
            demands = one.demands(other.seen, backward=False) + other.demands(one.seen, backward=True)
            mapping = self._symmetries.find(demands, self._passed, self._deadline)
            if mapping is None and self._passed:
                raise Undecided(_NO_ANSWER)
            if mapping is None:
                return self._lonely()
            lacking = self._open(mapping)
            if not any(lacking):
                return mapping
            if not self._closer(lacking):
                self._passed.append({o: mapping[o] for atom, _ in one.goal for o in atom[1:]})
        return self._unreachable()

    def _open(self, mapping: Mapped) -> tuple[frozenset[Signed], frozenset[Signed]]:
        """What each goal is not known to imply of the other under a mapping."""
        back = inverse(mapping)
        one, other = self._sides
        return (
            one.open((mapped(atom, back), sign) for atom, sign in other.goal),
            other.open((mapped(atom, mapping), sign) for atom, sign in one.goal),
        )

    def _closer(self, lacking: tuple[frozenset[Signed], frozenset[Signed]]) -> bool:
        """Learn more of one of the goals; whether that was possible."""
        for side, some in zip(self._sides, lacking, strict=True):
            if some and (self._alike_gone(side, some) or side.ask(some)):
                self._look()
                return True
        return self._infer()

    def _alike_gone(self, side: GoalSide, lacking: frozenset[Signed]) -> bool:
        """Whether a goal state was found without any atom like the one lacking: that rules many mappings out.

        Each kind of atom is asked for once, where there is more than one of it.
        """
        (atom, sign), *more = lacking
        kind = (side, self._symmetries.signature(atom))
        if more or not sign or side.seen is None or kind in self._asked_alike:
            return False
        self._asked_alike.add(kind)
        like = {(a, True) for a in side.seen.always if self._symmetries.signature(a) == kind[1]}
        alike = side.open(like)
        return len(alike) > 1 and side.ask_for_all(alike)

    def _look(self) -> None:
        for side in self._sides:
            side.look()

    def _infer(self) -> bool:
        return any([side.infer() for side in self._sides])

    def _unreachable(self) -> Mapped | str:
        """The answer if one goal cannot be reached: the same as the other one if that cannot either."""
        self._infer()
        for side in self._sides:
            if not side.unreachable and side.seen is None:
                side.ask()
        self._look()
        if all(side.unreachable for side in self._sides):
            return {name: name for name in self._names}
        reason = "; ".join(
            f"the {which} problem's goal: no reachable state satisfies {side.unreachable}"
            for which, side in zip(_SIDES, self._sides, strict=True)
            if side.unreachable
        )
        if all(side.seen is None for side in self._sides):
            raise Undecided(reason)
        return reason

    def _lonely(self) -> str:
        """What of one goal has no partner in the other, in words."""
        unmatched = []
        for number, which in enumerate(_SIDES):
            side, seen = self._sides[number], self._sides[1 - number].seen
            alone = [literal for literal in sorted(side.surely) if seen and self._alone(literal, seen)]
            if alone:
                named = [literal for literal in alone if literal in side.goal] or alone
                back = {} if number else self._names
                atoms = (((a[0], *(back.get(o, o) for o in a[1:])), sign) for a, sign in named[:_NAMED])
                unmatched.append(f"in the {which} problem goal: {' '.join(show_signed(*a) for a in atoms)}")
        return f"without a partner: {'; '.join(unmatched)}" if unmatched else _NO_MAPPING

    def _alone(self, literal: Signed, seen: GoalStates) -> bool:
        """Whether no atom that holds in all the other goal's states is like this one."""
        atom, sign = literal
        signature = self._symmetries.signature(atom)
        return sign and not any(
            a[0] == atom[0] and self._symmetries.signature(a) == signature for a in seen.always
        )
