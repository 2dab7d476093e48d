"""Why a translated problem can have no plan, for the person who reads a run.

A program may be consistent and its problem fit the domain, and yet no plan can exist: what the text leaves
unsaid and no rule derives is missing, say the levels of a shaker. Such a problem is looked through for
predicates that the goal or actions towards it need, of which no fact holds at first and which no action
brings about that could ever run; arguments and objects are not looked at, so this finds what is missing
altogether and no more.

Nothing of it is sent to a language model: neither the world nor its true domain is at fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from envs.pddl.equivalence.graphs.written import written_tree
from envs.pddl.language.domain import Problem
from envs.pddl.language.terms import Part, Tree, tree_of

#: Actions that are named beside a predicate.
_SHOWN = 3
#: Where the parts of a formula begin that count; None if no part of it does.
_CONDITIONS = {"and": 1, "exists": 2, "or": None, "not": None, "imply": None, "forall": None, "=": None}
_EFFECTS = {"and": 1, "forall": 2, "when": 2, "not": None, "increase": None}
_GOAL = "the goal"


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
    tree, goal = tree_of(problem.domain), frozenset(_named(written_tree(problem), _CONDITIONS))
    needs = {a: frozenset(_named(tree.part(a, Part.PRECONDITION), _CONDITIONS)) for a in tree.actions}
    adds = {a: frozenset(_named(tree.part(a, Part.EFFECT), _EFFECTS)) for a in tree.actions}
    there = {atom[0] for atom in problem.init}
    while more := {name for a in needs if needs[a] <= there for name in adds[a]} - there:
        there |= more
    wanted = goal  # by the goal, or by an action that adds what is wanted
    while wider := frozenset().union(*(needs[a] for a in needs if adds[a] & wanted)) - wanted:
        wanted |= wider
    missing = wanted - there
    first = {m for m in missing if all(m in needs[a] for a in needs if m in adds[a])}
    needing = [*needs.items(), (_GOAL, goal)]
    return {name: tuple(user for user, some in needing if name in some) for name in sorted(first or missing)}


def _named(tree: Tree, parts_from: Mapping[str, int | None]) -> Iterator[str]:
    """The predicates in those parts of a formula that `parts_from` leads to.

    By `_CONDITIONS`, those of which a condition surely needs a fact; by `_EFFECTS`, those of which an effect
    may add one.
    """
    if isinstance(tree, str) or not tree:
        return
    name = str(tree[0])
    if name not in parts_from:
        yield name
    elif (start := parts_from[name]) is not None:
        for part in tree[start:]:
            yield from _named(part, parts_from)
