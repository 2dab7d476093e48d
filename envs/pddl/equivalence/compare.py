"""Whether two problems of one domain are the same planning problem.

They are if a bijection of their objects maps the one's initial state onto the other's, and the goal states
that can be reached in the one onto those of the other. Objects are interchangeable within a type, constants
of the domain are themselves; the initial state holds static facts too. In placeholder mode the goal's
objects are placeholders: the completed goal may be mapped by another bijection than the initial state, one
that keeps types and what holds of an object alone and for good.

The answer is never a wrong yes or no. Problems that say the same are equivalent, whatever they say. Where
goals as written have no common bijection they are completed with all they imply if the domain has exact
rules (`specify`), else set apart or shown to be the same by invariants, states that were seen and a planner
(`decide`). Goals that no reachable state satisfies are the same: neither has a goal state. If all that does
not decide, the answer is `unsupported`; if the time is over, it is `timeout`.

Source: Zuo et al. 2024, definition 2 and algorithm 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from envs.pddl.equivalence.deadline import DEADLINE_S, Deadline, OutOfTime, Undecided
from envs.pddl.equivalence.decide import Decision, GoalSide
from envs.pddl.equivalence.goals.derive import MEANS, Means, specify, specify_by_rules
from envs.pddl.equivalence.goals.evidence import evidence
from envs.pddl.equivalence.goals.goal import CompletedGoal, Exactness, Goal, NotLiterals, read_goal
from envs.pddl.equivalence.graphs.canonical import bijection
from envs.pddl.equivalence.graphs.problem_graphs import Drawing, ProblemGraphs
from envs.pddl.equivalence.graphs.refinement import refined
from envs.pddl.equivalence.graphs.scenes import kinds_of
from envs.pddl.equivalence.graphs.symmetries import Symmetries, inverse
from envs.pddl.equivalence.graphs.written import written_tree
from envs.pddl.equivalence.partners import unequal_counts, without_partner
from envs.pddl.language.domain import read_problem
from envs.pddl.language.issues import PDDLError
from envs.pddl.language.structure import Domain, Problem
from envs.pddl.language.terms import same_rules

_SIDES = ("first", "second")


class Verdict(StrEnum):
    """What a comparison came to."""

    EQUIVALENT = "equivalent"
    DIFFERENT = "different"
    UNSUPPORTED = "unsupported"  #: it could not be decided; the witness says why
    TIMEOUT = "timeout"


class ProblemPart(StrEnum):
    """Where two problems differ, or could not be compared."""

    OBJECTS = "objects"
    INIT = "init"
    GOAL = "goal"


@dataclass(frozen=True)
class Comparison:
    """The answer. Plain data; survives pickling."""

    verdict: Verdict
    part: ProblemPart | None  #: None if the problems are equivalent, their domains differ, or time ran out
    #: the first problem's objects to the second's if equivalent; else, in words, what has no partner, or why
    #: it could not be decided
    witness: Mapping[str, str] | str
    #: in placeholder mode, if equivalent: the bijection that maps the goal
    goal_witness: Mapping[str, str] | None = None


def compare(
    one: Problem,
    other: Problem,
    *,
    placeholder: bool = False,
    deadline_s: float | None = DEADLINE_S,
    means: Means = MEANS,
) -> Comparison:
    """Compare two problems, which may each have read the domain anew.

    `deadline_s` limits the time for all of it, `means` what telling the goals apart may use. Problems that
    say the same are equivalent whatever they say. Raises BadRules for bad invariants among the means, and
    LabellingFailed and PlannerMissing if the machine fails.
    """
    return compared(
        one, other, deadline_s, lambda a, b, until: _Comparing(a, b, until, placeholder, means).found()
    )


def compared(
    one: Problem,
    other: Problem,
    deadline_s: float | None,
    how: Callable[[ProblemGraphs, ProblemGraphs, Deadline], Comparison],
) -> Comparison:
    """What `how` finds, unless domains or numbers of objects differ, or time runs out meanwhile."""
    if not same_domain(one, other):
        return Comparison(Verdict.UNSUPPORTED, None, "the two problems are of domains with different rules")
    uneven = unequal_counts(kinds_of(one), kinds_of(other))
    if uneven:
        return Comparison(Verdict.DIFFERENT, ProblemPart.OBJECTS, uneven)
    deadline = Deadline(deadline_s)
    try:
        return how(ProblemGraphs(one, deadline), ProblemGraphs(other, deadline), deadline)
    except OutOfTime as error:
        return Comparison(Verdict.TIMEOUT, None, str(error))


def same_domain(one: Problem, other: Problem) -> bool:
    """Whether both problems are of domains with the same declarations and rules."""
    here, there = one.domain, other.domain
    if here is there:
        return True
    declared = (here.types, here.constants) == (there.types, there.constants)
    return declared and same_rules(here, there)


@dataclass(frozen=True)
class _Comparing:
    """Two problems of one domain with as many objects of each kind."""

    one: ProblemGraphs
    other: ProblemGraphs
    deadline: Deadline
    placeholder: bool
    means: Means

    def found(self) -> Comparison:
        """The answer. Raises OutOfTime, and what `compare` does."""
        one, other = self.one.problem, self.other.problem
        if identical(one, other):
            return self._equivalent({name: name for name in one.objects})
        try:
            goals = read_goal(one), read_goal(other)
        except NotLiterals as error:
            return self._same_as_written() or different_init(self.one, self.other) or _undecided(str(error))
        settled = self._same_literals(goals) or different_init(self.one, self.other)
        if settled is not None:
            return settled
        sides = (one, goals[0]), (other, goals[1])
        if self.placeholder:
            return self._of_goals([specify(*side, self.means) for side in sides])
        ruled = [found for side in sides if (found := specify_by_rules(*side, self.means)) is not None]
        return self._of_goals(ruled) if len(ruled) == len(sides) else self._decided(goals)

    def _same_literals(self, goals: tuple[Goal, Goal]) -> Comparison | None:
        """Whether one bijection maps everything as it stands: then goals need not be completed."""
        if any(goal.impossible for goal in goals):
            return self._same_as_written()
        whole = self.one.whole(goals[0]).form, self.other.whole(goals[1]).form
        return self._equivalent(bijection(*whole)) if whole[0].digest == whole[1].digest else None

    def _same_as_written(self) -> Comparison | None:
        """The same of goals that have no literals, or none that can hold."""
        mapping = written_bijection(self.one, self.other)
        return None if mapping is None else self._equivalent(mapping)

    def _equivalent(self, mapping: Mapping[str, str]) -> Comparison:
        return Comparison(Verdict.EQUIVALENT, None, mapping, mapping if self.placeholder else None)

    def _decided(self, goals: tuple[Goal, Goal]) -> Comparison:
        """Whether the goals set apart problems that have the same initial state."""
        there = bijection(self.one.init.form, self.other.init.form)
        known = evidence(self.other.problem, self.means, self.deadline)
        sides = GoalSide(known, goals[0].renamed(there)), GoalSide(known, goals[1])
        graph = self.other.init.graph
        classes = dict(zip(graph.objects, refined(graph.colours, graph.edges).tolist(), strict=False))
        symmetries = Symmetries(self.other.problem.init, classes)
        try:
            found = Decision(sides, symmetries, inverse(there), self.deadline).made()
        except Undecided as error:
            self.deadline.left()
            return _undecided(str(error))
        if isinstance(found, str):
            return Comparison(Verdict.DIFFERENT, ProblemPart.GOAL, found)
        return self._equivalent({name: found[image] for name, image in there.items()})

    def _of_goals(self, completed: Sequence[CompletedGoal]) -> Comparison:
        """Compare what the goals imply, the initial states being the same."""
        if any(completion.exactness is Exactness.UNREACHABLE for completion in completed):
            return self._unreachable(completed)
        here, there = (
            side.apart(completion.goal) if self.placeholder else side.whole(completion.goal)
            for side, completion in zip((self.one, self.other), completed, strict=True)
        )
        inexact = [c.reason for c in completed if c.exactness is not Exactness.EXACT]
        # With one bijection, what both goals lack is the same; with two, it need not be.
        if here.form.digest == there.form.digest and not (self.placeholder and inexact):
            mapping = bijection(here.form, there.form)
            if not self.placeholder:
                return self._equivalent(mapping)
            init = bijection(self.one.init.form, self.other.init.form)
            return Comparison(Verdict.EQUIVALENT, None, init, mapping)
        if inexact:
            return _undecided(inexact[0])
        return different(ProblemPart.GOAL, here, there)

    def _unreachable(self, completed: Sequence[CompletedGoal]) -> Comparison:
        """If a goal cannot be reached: different if the other surely can, the same if neither can."""
        reasons = [
            f"the {side} problem's goal: {completion.reason}"
            for side, completion in zip(_SIDES, completed, strict=True)
            if completion.exactness is Exactness.UNREACHABLE
        ]
        if len(reasons) == len(completed):
            return self._equivalent(bijection(self.one.init.form, self.other.init.form))
        decided = any(completion.exactness is Exactness.EXACT for completion in completed)
        verdict = Verdict.DIFFERENT if decided else Verdict.UNSUPPORTED
        return Comparison(verdict, ProblemPart.GOAL, "; ".join(reasons))


def different_init(one: ProblemGraphs, other: ProblemGraphs) -> Comparison | None:
    """The answer if the initial states are not isomorphic."""
    same = one.init.form.digest == other.init.form.digest
    return None if same else different(ProblemPart.INIT, one.init, other.init)


def different(part: ProblemPart, one: Drawing, other: Drawing) -> Comparison:
    """The answer for drawings of a part that are not isomorphic."""
    words = without_partner(one.graph, other.graph, (one.said, other.said))
    return Comparison(Verdict.DIFFERENT, part, words)


def written_bijection(one: ProblemGraphs, other: ProblemGraphs) -> Mapping[str, str] | None:
    """The objects of the one problem mapped to those of the other if both are the same as written."""
    if one.written.form.digest != other.written.form.digest:
        return None
    mapping = bijection(one.written.form, other.written.form)
    return {name: image for name, image in mapping.items() if name in one.problem.objects}


def identical(one: Problem, other: Problem) -> bool:
    """Whether both say the same under the same names, the order in lists and in their goals aside."""
    if one is other:
        return True
    if dict(one.objects) != dict(other.objects) or one.init != other.init:
        return False
    return written_tree(one) == written_tree(other)


def _undecided(reason: str) -> Comparison:
    return Comparison(Verdict.UNSUPPORTED, ProblemPart.GOAL, reason)


class NoCanonicalForm(ValueError):
    """The goal's implications are not known exactly. Plain data; survives pickling."""


def canonical_digest(
    problem: Problem, placeholder: bool = False, deadline_s: float | None = DEADLINE_S
) -> str:
    """The digest of a problem's canonical form: 64 hexadecimal digits, equal iff two problems are equivalent.

    It makes collections of problems of one domain comparable without comparing pairs. It says nothing of the
    domain, and is only comparable with those made by the same version of igraph. Raises NoCanonicalForm,
    OutOfTime, and what `compare` raises.
    """
    try:
        completed = specify(problem, read_goal(problem))
    except NotLiterals as error:
        raise NoCanonicalForm(str(error)) from error
    if completed.exactness is not Exactness.EXACT:
        raise NoCanonicalForm(completed.reason)
    return ProblemGraphs(problem, Deadline(deadline_s)).digest(completed.goal, placeholder)


def compare_texts(one: str, other: str, domain: Domain, *, placeholder: bool = False) -> Comparison:
    """Compare two problems of a domain, given as PDDL; `unsupported`, with every issue, if one is unreadable.

    Raises what `compare` does.
    """
    problems: list[Problem] = []
    for name, text in (("first problem", one), ("second problem", other)):
        try:
            problems.append(read_problem(text, domain, name))
        except PDDLError as error:
            return Comparison(Verdict.UNSUPPORTED, None, str(error))
    return compare(*problems, placeholder=placeholder)
