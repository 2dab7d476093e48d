"""What is wrong with a translation, sorted into kinds.

Objects are counted by kind: type, and what holds of one alone and for good. Initial state and goal are held
against the truth's apart from each other, the goals with all that they imply: in the truth's initial state,
if the objects have the same names, so that a mistake there is none of the goal. Where the text names the
objects of a side, atoms are missing or extra under their names; where it does not, or other names are used,
there are fewer or more of a predicate. As many of each, but not the same up to names, is another arrangement.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from enum import StrEnum

from envs.pddl.equivalence.deadline import Deadline
from envs.pddl.equivalence.goals.derive import specify
from envs.pddl.equivalence.goals.goal import Exactness, Goal, fluents_of, read_goal
from envs.pddl.equivalence.graphs.problem_graphs import ProblemGraphs
from envs.pddl.equivalence.graphs.scenes import kinds_of, with_static_marks
from envs.pddl.language.domain import GroundAtom, Problem


class Mistake(StrEnum):
    """One way in which a translation differs from the truth."""

    OBJECTS_MISSING = "objects_missing"
    OBJECTS_EXTRA = "objects_extra"
    INIT_MISSING = "init_missing"
    INIT_EXTRA = "init_extra"
    INIT_ARRANGED = "init_arranged"  #: as many atoms of each kind, about other objects
    GOAL_MISSING = "goal_missing"
    GOAL_EXTRA = "goal_extra"
    GOAL_ARRANGED = "goal_arranged"
    GOAL_IMPOSSIBLE = "goal_impossible"  #: no reachable state satisfies it


_INIT = (Mistake.INIT_MISSING, Mistake.INIT_EXTRA, Mistake.INIT_ARRANGED)
_GOAL = (Mistake.GOAL_MISSING, Mistake.GOAL_EXTRA, Mistake.GOAL_ARRANGED)
_ARRANGED = (Mistake.INIT_ARRANGED, Mistake.GOAL_ARRANGED)
_DEADLINE_S = 10.0


def mistakes_of(truth: Problem, found: Problem, named: tuple[bool, bool]) -> tuple[Mistake, ...]:
    """The kinds of mistakes of a problem that is different from the truth.

    `named` says whether the text names the objects of the initial state, and of the goal. Raises OutOfTime,
    and NotLiterals if one of the goals is no conjunction of literals.
    """
    deadline = Deadline(_DEADLINE_S)
    graphs = ProblemGraphs(truth, deadline), ProblemGraphs(found, deadline)
    same_init = graphs[0].init.form.digest == graphs[1].init.form.digest
    objects, names = list(_objects(truth, found)), truth.objects.keys() == found.objects.keys()
    init = [] if same_init else _differences(truth.init, found.init, names and named[0], _INIT)
    context = graphs[0] if names and not same_init else graphs[1]
    goal = _goals(graphs[0], context, read_goal(found), named=names and named[1])
    # Over other objects nothing is arranged alike.
    of_atoms = [kind for kind in (*init, *goal) if not (objects and kind in _ARRANGED)]
    return (*objects, *of_atoms)


def _objects(truth: Problem, found: Problem) -> Iterator[Mistake]:
    here, there = _kinds(truth), _kinds(found)
    if here - there:
        yield Mistake.OBJECTS_MISSING
    if there - here:
        yield Mistake.OBJECTS_EXTRA


def _kinds(problem: Problem) -> Counter[str]:
    fluents = fluents_of(problem.domain)
    statics = sorted(atom for atom in problem.init if atom[0] not in fluents)
    return Counter(with_static_marks(kinds_of(problem), statics).values())


def _goals(truth: ProblemGraphs, context: ProblemGraphs, goal: Goal, named: bool) -> list[Mistake]:
    """The mistakes of a goal, taken in the initial state of `context`."""
    completed = specify(context.problem, goal)
    if completed.exactness is Exactness.UNREACHABLE:
        return [Mistake.GOAL_IMPOSSIBLE]
    wanted, found = specify(truth.problem, read_goal(truth.problem)).goal, completed.goal
    apart = truth.apart(wanted).form.digest == context.apart(found).form.digest
    tied = truth.init.form.digest == context.init.form.digest
    if apart and not (tied and truth.whole(wanted).form.digest != context.whole(found).form.digest):
        return []
    return _differences(_signed(wanted), _signed(found), named, _GOAL)


def _signed(goal: Goal) -> frozenset[GroundAtom]:
    """The literals of a goal, negated ones under another name."""
    return goal.positive | {(f"not {atom[0]}", *atom[1:]) for atom in goal.negative}


def _differences(
    truth: Iterable[GroundAtom], found: Iterable[GroundAtom], named: bool, kinds: tuple[Mistake, ...]
) -> list[Mistake]:
    missing, extra, arranged = kinds
    here = Counter(truth) if named else Counter(atom[:1] for atom in truth)
    there = Counter(found) if named else Counter(atom[:1] for atom in found)
    mistakes = [*([missing] if here - there else []), *([extra] if there - here else [])]
    return mistakes or [arranged]
