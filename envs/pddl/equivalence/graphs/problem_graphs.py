"""One problem as graphs with canonical forms: drawn when they are asked for, and once."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

from envs.pddl.equivalence.deadline import Deadline
from envs.pddl.equivalence.goals.goal import Goal, fluents_of
from envs.pddl.equivalence.graphs import scenes
from envs.pddl.equivalence.graphs.canonical import Canonical, canonical_form
from envs.pddl.equivalence.graphs.written import marked, written_goal
from envs.pddl.language.structure import Problem


@dataclass(frozen=True)
class Drawing:
    """A graph, what was drawn into it, and its canonical form."""

    graph: scenes.Graph
    said: tuple[scenes.Marked, ...]
    form: Canonical


class ProblemGraphs:
    """The graphs of one problem. What draws raises OutOfTime at the deadline."""

    def __init__(self, problem: Problem, deadline: Deadline):
        self.problem = problem
        self._deadline = deadline
        self._kinds = scenes.kinds_of(problem)

    @cached_property
    def init(self) -> Drawing:
        """The initial state."""
        return self._draw(self._kinds, (scenes.INIT, self.problem.init))

    def whole(self, goal: Goal) -> Drawing:
        """The initial state and a goal over the same objects."""
        return self._draw(self._kinds, (scenes.INIT, self.problem.init), *marked(goal))

    @cached_property
    def written(self) -> Drawing:
        """The initial state and the goal as it is written."""
        goal = written_goal(self.problem)
        return self._draw({**self._kinds, **goal.pieces}, (scenes.INIT, self.problem.init), *goal.scenes)

    def apart(self, goal: Goal) -> Drawing:
        """A goal alone, over objects of which only types and what holds for good are known."""
        fluents = fluents_of(self.problem.domain)
        kinds = scenes.with_static_marks(self._kinds, (a for a in self.problem.init if a[0] not in fluents))
        return self._draw(kinds, *marked(goal))

    def digest(self, goal: Goal, placeholder: bool) -> str:
        """A text that two problems share iff they are isomorphic with these goals."""
        if not placeholder:
            return self.whole(goal).form.digest
        both = f"{self.init.form.digest} {self.apart(goal).form.digest}"
        return hashlib.sha256(both.encode("utf-8")).hexdigest()

    def _draw(self, kinds: dict[str, str], *said: scenes.Marked) -> Drawing:
        graph = scenes.draw(kinds, said)
        return Drawing(graph, said, canonical_form(graph, self._deadline))
