"""Two models of one task as a planning task of its own: its plans are walks that only one allows.

A search over pairs of states (`ew.counterexample.exposure.first_difference`) sees what is near the start. A
planner goes further: the task here runs every operator in both models at once and ends with one that only one
of them allows. Predicates that the two may come to disagree about are there twice, all others once. A plan is
a walk that both allow but for its last operator; if there is proved to be none, both allow the same walks.
Or it ends where only one of them has the goal (`goals_side_by_side`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.language.operators import format_operator, parse_operator
from envs.pddl.language.render import render_problem
from envs.pddl.language.terms import DomainTree, Part, Tree, conjunct_trees, parsed, show_sections, tree_of
from envs.pddl.language.vocabulary import show_declaration

#: What a name gets that stands beside another.
_OTHER = "--other"
_DIFFER = f"differ{_OTHER}"


@dataclass(frozen=True, eq=False)
class SideBySide:
    """The planning task of two models, made by `side_by_side`."""

    problem: Problem
    actions: Mapping[str, str]  #: those of the two models, by the names that they have in the problem

    def walk(self, plan: Collection[str]) -> tuple[str, ...]:
        """The operators of the two models that a plan runs; only one of the two allows the last."""
        steps = map(parse_operator, plan)
        return tuple(format_operator(self.actions[name], arguments) for name, arguments in steps)


def side_by_side(one: Problem, other: Problem) -> SideBySide:
    """The planning task of two problems that have their objects in common, and the actions' parameters.

    Predicates may differ too. Raises PDDLError where names of theirs are those that the other model's get,
    with `--other`.
    """
    return _joined(one, other, at_goal=False)


def goals_side_by_side(one: Problem, other: Problem) -> SideBySide:
    """The planning task of two such problems whose plans are walks that both allow, to a goal of one alone.

    Raises PDDLError as `side_by_side` does.
    """
    return _joined(one, other, at_goal=True)


def _joined(one: Problem, other: Problem, at_goal: bool) -> SideBySide:
    """The task whose plans end where the two differ in goals, or in what they allow."""
    trees = tree_of(one.domain), tree_of(other.domain)
    apart = _apart(*trees) | {atom[0] for atom in one.init ^ other.init}
    apart |= {p for p, own in other.domain.predicates.items() if one.domain.predicates.get(p) != own}
    while apart < (wider := apart | set(_read_by_conditions(trees, apart))):
        apart = wider
    declared = {**one.domain.predicates, **other.domain.predicates}
    more = [parsed(show_declaration(f"{p}{_OTHER}", declared[p])) for p in sorted(apart)]
    text, actions = _domain(*trees, apart, more, with_last=not at_goal)
    domain = read_domain(text)
    atoms = {*one.init, *((f"{p}{_OTHER}", *rest) for p, *rest in other.init if p in apart)}
    sections = parsed(render_problem(one))
    assert not isinstance(sections, str), "a rendered problem is one form"
    kept = [part for part in sections if part[0] not in (":init", ":goal", ":metric")]
    costs = [fact for part in sections if part[0] == ":init" for fact in part[1:] if fact[0] == "="]
    ours, theirs = _goal(one), _renamed(_goal(other), apart)
    differ = ("or", ("and", ours, ("not", theirs)), ("and", theirs, ("not", ours)))
    stated = (":init", *sorted(atoms), *costs), (":goal", differ if at_goal else (_DIFFER,))
    return SideBySide(read_problem(show_sections((*kept, *stated)), domain), actions)


def _goal(problem: Problem) -> Tree:
    return next(part[1] for part in parsed(render_problem(problem)) if part[0] == ":goal")


def _apart(one: DomainTree, other: DomainTree) -> set[str]:
    """The predicates that the effects of the two change differently."""
    effects = (
        (set(conjunct_trees(tree.part(action, Part.EFFECT))) for tree in (one, other))
        for action in one.actions
    )
    return {name for ours, theirs in effects for effect in ours ^ theirs for name in _predicates(effect)}


def _read_by_conditions(trees: Collection[DomainTree], apart: Collection[str]) -> Iterator[str]:
    """The predicates of conditional and quantified effects that name one of these."""
    for tree in trees:
        for action in tree.actions:
            for effect in conjunct_trees(tree.part(action, Part.EFFECT)):
                if effect[0] in ("when", "forall") and not set(_predicates(effect)).isdisjoint(apart):
                    yield from _predicates(effect)


def _predicates(tree: Tree) -> Iterator[str]:
    """The first words of all that stands in parentheses, but for variables and their types."""
    if isinstance(tree, str) or not tree:
        return
    head, *rest = tree
    if head in ("forall", "exists"):
        rest = rest[1:]
    elif head == "increase":
        return
    elif isinstance(head, str) and head not in ("and", "or", "not", "imply", "when", "="):
        yield head
        return
    for part in rest:
        yield from _predicates(part)


def _domain(
    one: DomainTree, other: DomainTree, apart: Collection[str], declared: Collection[Tree], with_last: bool
) -> tuple[str, dict[str, str]]:
    """The text of the domain, and its actions' names in the two models; `with_last`, also of last steps.

    `declared` are the other model's own predicates.
    """
    sections = [section for section in one.sections if section[0] != ":action"]
    more = (*declared, (_DIFFER,))
    forms = [(*section, *more) if section[0] == ":predicates" else section for section in sections]
    names: dict[str, str] = {}
    for section in one.sections:
        if section[0] == ":action":
            made = list(_actions(section, one, other, apart))[: None if with_last else 1]
            names |= {str(form[1]): str(section[1]) for form in made}
            forms += made
    return show_sections(forms), names


def _actions(section: Tree, one: DomainTree, other: DomainTree, apart: Collection[str]) -> Iterator[Tree]:
    """One action in both models at once, and in one alone, once for each conjunct that can forbid it."""
    name, parameters = str(section[1]), section[section.index(":parameters") + 1]

    def form(suffix: str, needed: Collection[Tree], does: Collection[Tree]) -> Tree:
        parts = (":parameters", parameters, ":precondition", ("and", *needed), ":effect", ("and", *does))
        return (":action", name + suffix, *parts)

    ours, theirs = (
        [
            {renamed(part): None for part in conjunct_trees(tree.part(name, kind))}
            for kind in (Part.PRECONDITION, Part.EFFECT)
        ]
        for tree, renamed in ((one, lambda part: part), (other, lambda part: _renamed(part, apart)))
    )
    yield form("", {**ours[0], **theirs[0]}, {**ours[1], **theirs[1]})
    number = 0
    for runs, forbids in ((ours[0], theirs[0]), (theirs[0], ours[0])):
        for conjunct in forbids:
            if conjunct not in runs:
                number += 1
                denied = conjunct[1] if conjunct[0] == "not" else ("not", conjunct)
                yield form(f"{_OTHER}-{number}", (*runs, denied), [(_DIFFER,)])


def _renamed(tree: Tree, apart: Collection[str]) -> Tree:
    """A condition or an effect about the other model's own predicates."""
    if isinstance(tree, str) or not tree or tree[0] == "increase":
        return tree
    head = f"{tree[0]}{_OTHER}" if isinstance(tree[0], str) and tree[0] in apart else _renamed(tree[0], apart)
    return (head, *(_renamed(part, apart) for part in tree[1:]))
