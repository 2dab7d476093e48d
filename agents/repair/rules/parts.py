"""Parts of preconditions that are no literals: those that may be given up, and those that may be taken.

A part is one conjunct of a precondition: a disjunction or a quantified condition. A model's own parts may
be given up; others may be taken, in the place of an own part or beside all. A `PartChoice` says which, and
is made by the same constraint program as edits of literals are (`agents.repair.constraints`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from agents.repair.candidate import Edit
from agents.repair.model import Model
from agents.repair.rules.variants import Variant
from envs.pddl.language.terms import Part, Tree, show, tree_of, with_part_of
from envs.pddl.simulation.lifted import Equality, Literal, Schema, conjuncts, lift


@dataclass(frozen=True)
class OwnPart:
    """A part that a precondition has."""

    action: str
    tree: Tree
    place: int  #: among the conjuncts of the precondition
    fixed: range  #: places of what it comes to in `Editable.fixed`

    def __str__(self) -> str:
        return f"remove {show(self.tree)} from the {Part.PRECONDITION} of {self.action}"


@dataclass(frozen=True, eq=False)
class OtherPart:
    """A part that a precondition might have."""

    action: str
    tree: Tree
    schemas: tuple[Schema, ...]  #: of each task, those of the action with this precondition alone
    size: int  #: how many edits it counts as, besides one for the part that it takes the place of
    words: str  #: the edit, for people
    instead: int | None = None  #: number of the own part that it takes the place of


@dataclass(frozen=True)
class PartChoice:
    """Own parts that are given up, and other parts that are taken, by number."""

    given_up: frozenset[int] = frozenset()
    taken: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.given_up or self.taken)


@dataclass(frozen=True, eq=False)
class Parts:
    """What may be given up and taken in one model."""

    own: tuple[OwnPart, ...] = ()
    others: tuple[OtherPart, ...] = ()

    def owners(self, action: str, fixed: int) -> list[int | None]:
        """The number of the own part that each of an action's fixed conditions comes from, if one does."""
        found: list[int | None] = [None] * fixed
        for number, part in enumerate(self.own):
            if part.action == action:
                for place in part.fixed:
                    found[place] = number
        return found

    def size(self, choice: PartChoice) -> int:
        """How many edits a choice counts as."""
        return len(choice.given_up) + sum(self.others[number].size for number in choice.taken)

    def words(self, choice: PartChoice) -> str:
        """A choice for people, a line an edit."""
        taken = [self.others[number] for number in sorted(choice.taken)]
        replaced = {other.instead for other in taken}
        gone = [str(self.own[number]) for number in sorted(choice.given_up - replaced)]
        return "\n".join([*gone, *(other.words for other in taken)])

    def variant(self, model: Model, choice: PartChoice, edits: frozenset[Edit] = frozenset()) -> Variant:
        """The model with a choice made."""
        domain, tree = model.domain, tree_of(model.domain)
        gone = {(self.own[n].action, self.own[n].place) for n in choice.given_up}
        taken = [self.others[n] for n in sorted(choice.taken)]
        actions = tuple(sorted({name for name, _ in gone} | {other.action for other in taken}))
        for action in actions:
            parts = conjuncts_in(tree.part(action, Part.PRECONDITION))
            kept = [part for place, part in enumerate(parts) if (action, place) not in gone]
            new = ("and", *kept, *(other.tree for other in taken if other.action == action))
            domain = with_part_of(domain, action, Part.PRECONDITION, new)
        problems = tuple(replace(problem, domain=domain) for problem in model.problems)
        return Variant(self.words(choice), problems, self.size(choice), edits, actions)


NO_PARTS, NO_CHOICE = Parts(), PartChoice()


def conjuncts_in(whole: Tree) -> tuple[Tree, ...]:
    """The parts of a precondition, as PDDL."""
    return tuple(whole[1:]) if whole[0] == "and" else (whole,)


def lifted(model: Model, action: str, tree: Tree) -> tuple[Schema, ...]:
    """One action of a model with another precondition and no effect; of each task."""
    own = with_part_of(model.domain, action, Part.PRECONDITION, tree).actions[action]
    domain = replace(model.domain, actions={action: replace(own, effects=())})
    return tuple(
        lift(replace(problem, domain=domain, init=frozenset()), model.objects).schemas[0]
        for problem in model.problems
    )


def own_parts(model: Model, action: str) -> Iterator[OwnPart]:
    """The parts of an action's precondition that are no literals; none if they are not to be told apart."""
    trees = conjuncts_in(tree_of(model.domain).part(action, Part.PRECONDITION))
    found, at = [], 0
    for place, tree in enumerate(trees):
        meant = conjuncts(lifted(model, action, tree)[0].precondition)
        fixed = [one for one in meant if not isinstance(one, Literal | Equality)]
        if fixed and len(fixed) == len(meant):
            found.append(OwnPart(action, tree, place, range(at, at + len(fixed))))
        at += len(fixed)
    if at == len(model.actions[action].fixed):  # else a part that is always false stands for all
        yield from found
