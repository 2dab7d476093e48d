"""Conjuncts of preconditions that are no literals: which may be given up, and which may be taken.

Here a conjunct is a disjunction or a quantified condition. A model's own ones may be given up; others may be
taken, in the place of an own one or beside all. A `ConjunctChoice` says which, and is made by the same
constraint program as edits of literals are (`agents.repair.constraints`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from agents.repair.candidate import Edit
from agents.repair.model import Model
from agents.repair.rules.variants import Variant
from envs.pddl.language.terms import Part, Tree, conjunct_trees, show, tree_of, with_part_of
from envs.pddl.simulation.lifted import Equality, Literal, Schema, conjuncts, lift


@dataclass(frozen=True)
class OwnConjunct:
    """A conjunct that a precondition has."""

    action: str
    tree: Tree
    place: int  #: among the conjuncts of the precondition
    fixed: range  #: places of what it comes to in `Editable.fixed`

    def __str__(self) -> str:
        return f"remove {show(self.tree)} from the {Part.PRECONDITION} of {self.action}"


@dataclass(frozen=True, eq=False)
class OtherConjunct:
    """A conjunct that a precondition might have."""

    action: str
    tree: Tree
    schemas: tuple[Schema, ...]  #: of each task, those of the action with this precondition alone
    size: int  #: how many edits it counts as, besides one for the conjunct that it takes the place of
    words: str  #: the edit, for people
    instead: int | None = None  #: number of the own conjunct that it takes the place of


@dataclass(frozen=True)
class ConjunctChoice:
    """Own conjuncts that are given up, and others that are taken, by number."""

    given_up: frozenset[int] = frozenset()
    taken: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.given_up or self.taken)


@dataclass(frozen=True, eq=False)
class OfferedConjuncts:
    """What may be given up and taken in one model."""

    own: tuple[OwnConjunct, ...] = ()
    others: tuple[OtherConjunct, ...] = ()
    #: predicates whose atoms are taken to stay as they are at the start, while conjuncts are chosen
    unchanged: frozenset[str] = frozenset()

    def owners(self, action: str, fixed: int) -> list[int | None]:
        """For each fixed condition of an action, the number of the own conjunct it comes from, if any."""
        found: list[int | None] = [None] * fixed
        for number, own in enumerate(self.own):
            if own.action == action:
                for place in own.fixed:
                    found[place] = number
        return found

    def size(self, choice: ConjunctChoice) -> int:
        """How many edits a choice counts as."""
        return len(choice.given_up) + sum(self.others[number].size for number in choice.taken)

    def words(self, choice: ConjunctChoice) -> str:
        """A choice for people, a line an edit."""
        taken = [self.others[number] for number in sorted(choice.taken)]
        replaced = {other.instead for other in taken}
        gone = [str(self.own[number]) for number in sorted(choice.given_up - replaced)]
        return "\n".join([*gone, *(other.words for other in taken)])

    def variant(self, model: Model, choice: ConjunctChoice, edits: frozenset[Edit] = frozenset()) -> Variant:
        """The model with a choice made."""
        domain, tree = model.domain, tree_of(model.domain)
        gone = {(self.own[n].action, self.own[n].place) for n in choice.given_up}
        taken = [self.others[n] for n in sorted(choice.taken)]
        actions = tuple(sorted({name for name, _ in gone} | {other.action for other in taken}))
        for action in actions:
            had = conjunct_trees(tree.part(action, Part.PRECONDITION))
            kept = [conjunct for place, conjunct in enumerate(had) if (action, place) not in gone]
            new = ("and", *kept, *(other.tree for other in taken if other.action == action))
            domain = with_part_of(domain, action, Part.PRECONDITION, new)
        problems = tuple(replace(problem, domain=domain) for problem in model.problems)
        return Variant(self.words(choice), problems, self.size(choice), edits, actions)


NO_CONJUNCTS, NO_CHOICE = OfferedConjuncts(), ConjunctChoice()


def lifted(model: Model, action: str, tree: Tree) -> tuple[Schema, ...]:
    """One action of a model with another precondition and no effect; of each task."""
    own = with_part_of(model.domain, action, Part.PRECONDITION, tree).actions[action]
    domain = replace(model.domain, actions={action: replace(own, effects=())})
    return tuple(
        lift(replace(problem, domain=domain, init=frozenset()), model.objects).schemas[0]
        for problem in model.problems
    )


def own_conjuncts(model: Model, action: str) -> Iterator[OwnConjunct]:
    """The conjuncts of an action's precondition that are no literals; none if these cannot be identified."""
    trees = conjunct_trees(tree_of(model.domain).part(action, Part.PRECONDITION))
    found, at = [], 0
    for place, tree in enumerate(trees):
        meant = conjuncts(lifted(model, action, tree)[0].precondition)
        fixed = [one for one in meant if not isinstance(one, Literal | Equality)]
        if fixed and len(fixed) == len(meant):
            found.append(OwnConjunct(action, tree, place, range(at, at + len(fixed))))
        at += len(fixed)
    if at == len(model.actions[action].fixed):  # else one that is always false stands for all
        yield from found
