"""A translated problem beside the ground truth, and why it can have no plan, for the person who reads a run.

It is *right* if both are the same as they are written, up to the names of objects: the published measure.
It is *correct* if both are the same planning problem, goals with all that they imply; that may be undecided.

A program may be consistent and its problem fit the domain, and yet no plan can exist: what the text leaves
unsaid and no rule derives is missing, say the levels of a shaker. Such a problem is looked through for
predicates that the goal or actions towards it need, of which no fact holds at first and which no action
brings about that could ever run; arguments and objects are not looked at, so this finds what is missing
altogether and no more.

Nothing of it is sent to a language model: neither the world nor its true domain is at fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from envs.pddl.equivalence.as_written import same_as_written
from envs.pddl.equivalence.compare import compare
from envs.pddl.equivalence.goals.derive import Means
from envs.pddl.equivalence.graphs.written import written_tree
from envs.pddl.language.domain import Domain, Problem
from envs.pddl.language.terms import Part, Tree, tree_of
from experiments.runs.records import Translated

#: Actions that are named beside a predicate.
_SHOWN = 3
#: Where the parts of a formula begin that count; None if no part of it does.
_CONDITIONS = {"and": 1, "exists": 2, "or": None, "not": None, "imply": None, "forall": None, "=": None}
_EFFECTS = {"and": 1, "forall": 2, "when": 2, "not": None, "increase": None}
_GOAL = "the goal"


@dataclass(frozen=True)
class _Step:
    """What one action surely needs, and what it may bring about: names of predicates."""

    needs: frozenset[str]
    adds: frozenset[str]


def judged(translated: Translated, problem: Problem, truth: Problem, invariants: str = "") -> Translated:
    """The translation whose problem was read as `problem`, with how it compares with the truth.

    `invariants` are the world's own. Raises LabellingFailed, BadRules.
    """
    written = same_as_written(problem, truth)
    if not isinstance(written.witness, str):
        kept = all(name == image for name, image in written.witness.items())
        verdict = written.verdict.value
        return replace(translated, equality=verdict, meaning=verdict, names_kept=kept)
    return replace(
        translated,
        equality=written.verdict.value,
        part=written.part.value if written.part else "",
        difference=written.witness,
        meaning=compare(problem, truth, means=Means(invariants=invariants)).verdict.value,
    )


def why_unsolvable(problem: Problem, *, by_program: bool = True) -> str:
    """What is known about why a problem, proved unsolvable, can have no plan, in words.

    `by_program` says that the problem was compiled from a program.
    """
    origin = "The program is consistent and its problem" if by_program else "The problem"
    verdict = f"{origin} fits the domain, but no plan can reach the goal."
    missing = missing_predicates(problem)
    if not missing:
        return (
            f"{verdict} As far as names of predicates show, every one that actions and goal need holds of "
            "something at first or can come about, so objects, single facts or the goal are wrong."
        )
    parts = (f"{name} (needed by {', '.join(users[:_SHOWN])})" for name, users in missing.items())
    return (
        f"{verdict} No fact of these predicates holds at first, and no action that can run brings one about: "
        f"{'; '.join(parts)}. Either the text states them and the translation lost them, or it leaves "
        "them to be inferred and no rule derives them."
    )


def missing_predicates(problem: Problem) -> Mapping[str, tuple[str, ...]]:
    """Each predicate that is needed and can never hold of anything, with what needs it, sorted by name.

    Those that are missing only since others are, are left out: some action adds them and does not need them.
    """
    steps, goal = _steps(problem.domain), frozenset(_needed(written_tree(problem)))
    there = {atom[0] for atom in problem.init}
    while more := {name for step in steps.values() if step.needs <= there for name in step.adds} - there:
        there |= more
    missing = _towards(goal, steps) - there
    first = {m for m in missing if all(m in step.needs for step in steps.values() if m in step.adds)}
    needing = [*((action, step.needs) for action, step in steps.items()), (_GOAL, goal)]
    return {
        name: tuple(user for user, needs in needing if name in needs) for name in sorted(first or missing)
    }


def _towards(goal: frozenset[str], steps: Mapping[str, _Step]) -> frozenset[str]:
    """The predicates that the goal needs, or an action that adds one of them."""
    found = goal
    while more := frozenset().union(*(step.needs for step in steps.values() if step.adds & found)) - found:
        found |= more
    return found


def _steps(domain: Domain) -> dict[str, _Step]:
    tree = tree_of(domain)
    return {
        action: _Step(
            frozenset(_needed(tree.part(action, Part.PRECONDITION))),
            frozenset(_added(tree.part(action, Part.EFFECT))),
        )
        for action in tree.actions
    }


def _needed(tree: Tree) -> Iterator[str]:
    """The predicates of which a condition surely needs a fact: not below `or`, `not`, `imply` or `forall`."""
    return _named(tree, _CONDITIONS)


def _added(tree: Tree) -> Iterator[str]:
    """The predicates that an effect may add a fact of."""
    return _named(tree, _EFFECTS)


def _named(tree: Tree, parts_from: Mapping[str, int | None]) -> Iterator[str]:
    """The predicates in those parts of a formula that `parts_from` leads to."""
    if isinstance(tree, str) or not tree:
        return
    name = str(tree[0])
    if name not in parts_from:
        yield name
    elif (start := parts_from[name]) is not None:
        for part in tree[start:]:
            yield from _named(part, parts_from)
