"""A goal as it is written, in a form that can be drawn: nothing is folded away, nothing is completed.

Of the goal's conjunction the literals are atoms. What else there is (`or`, quantifiers) is cut into *pieces*,
which are drawn as if they were objects: a connective, an atom within one, a variable. A piece is tied to its
parts, an atom to what stands at each of its places. So two goals are drawn alike iff they are the same under
some names of their objects and variables, order and repetition in conjunctions and disjunctions aside.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from envs.pddl.equivalence.goals.goal import Goal, Signed
from envs.pddl.equivalence.graphs.scenes import GOAL, GOAL_NEGATED, Marked
from envs.pddl.language.render import render_formula
from envs.pddl.language.structure import GroundAtom, Problem
from envs.pddl.language.terms import Tree, canonical, conjunct_trees, parsed, show, typed

_TIE = "t"  #: the mark of ties
_QUANTIFIERS = ("forall", "exists")
_CONNECTIVES = ("and", "or", "not", *_QUANTIFIERS)


@dataclass(frozen=True)
class WrittenGoal:
    """The parts of a goal's conjunction."""

    pieces: Mapping[str, str]  #: of all parts that are no literals: name → what it is
    scenes: tuple[Marked, ...]  #: the literals, and what holds pieces together, over pieces and objects


def marked(goal: Goal) -> tuple[Marked, ...]:
    """The literals of a goal under their marks."""
    return (GOAL, goal.positive), (GOAL_NEGATED, goal.negative)


def written_tree(problem: Problem) -> Tree:
    """The goal as a tree of words, with the parts of conjunctions and disjunctions sorted, each once."""
    return canonical(parsed(render_formula(problem.goal)))


def written_goal(problem: Problem) -> WrittenGoal:
    """The goal of a problem."""
    tree = written_tree(problem)
    cutter = _Cutter()
    for part in conjunct_trees(tree):
        cutter.add(part)
    return WrittenGoal(cutter.pieces, (*marked(Goal.of(cutter.literals)), (_TIE, frozenset(cutter.ties))))


class _Cutter:
    """Takes a conjunction apart."""

    def __init__(self) -> None:
        self.literals: list[Signed] = []
        self.pieces: dict[str, str] = {}
        self.ties: list[GroundAtom] = []

    def add(self, part: Tree) -> None:
        """A part of the goal's conjunction."""
        negated = part[0] == "not"
        atom = part[1] if negated else part
        if atom[0] in _CONNECTIVES:
            self._cut(part, {})
        else:
            self.literals.append((tuple(map(show, atom)), not negated))

    def _cut(self, tree: Tree, bound: Mapping[str, str]) -> str:
        """The name of the piece that a formula becomes; `bound` are the pieces of the variables in reach."""
        assert not isinstance(tree, str), "a formula is in parentheses"
        head, *rest = tree
        piece = self._new(f":{show(head)}")
        if head in _QUANTIFIERS:
            listed, *rest = rest
            own = {variable: self._new(f"?{kind}") for variable, kind in typed(listed)}
            self.ties += [("binds", piece, variable) for variable in own.values()]
            bound = {**bound, **own}
        if head in _CONNECTIVES:
            self.ties += [("part", piece, self._cut(part, bound)) for part in rest]
        else:
            names = [bound.get(show(word), show(word)) for word in rest]
            self.ties += [(f"{place}", piece, name) for place, name in enumerate(names, 1)]
        return piece

    def _new(self, what: str) -> str:
        """A piece; no object is called like it."""
        name = f":{len(self.pieces)}"
        self.pieces[name] = what
        return name
