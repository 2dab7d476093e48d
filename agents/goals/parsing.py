"""Precondition parsing: which step of a plan was there for which other one.

A plan is a list of ground steps, each with what it needs and what it changes. An effect of one step that a
later one needs is a link between them, labelled with the literal; of several steps with the same effect, the
nearest before counts. So steps and links are an acyclic graph that explains the plan. Two readings of it:

  hanging steps         no later step needs anything of theirs, as published: done for their own sake, if the
                        plan was seen whole, or for steps that are still to come
  unsupported effects   single effects, of any step, that no later step needs and none undoes. A step may give
                        something that is wanted and something else that a later step needs, such as an item
                        that is put down to free a hand: it does not hang, and yet one of its effects is
                        unsupported

Nothing is executed: needs and effects are what the operators say. A step of an action that the operators do
not know changes nothing as far as is known, and is taken to need all that the plan has made of its arguments.
Source: Siegel et al. 2024, section 5.1 and Algorithm 1; unsupported effects are ours.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from agents.operators.lifted import EQUAL, NamedLiteral, Operator
from envs.pddl.language.domain import GroundAtom
from envs.pddl.language.operators import parse_operator


@dataclass(frozen=True)
class GroundStep:
    """One step of a plan. Its literals are ground; a negative effect is a deleted atom."""

    operator: str  #: canonical text
    needs: tuple[NamedLiteral, ...] = ()
    effects: tuple[NamedLiteral, ...] = ()
    known: bool = True  #: whether the operators say anything about its action


@dataclass(frozen=True, order=True)
class Link:
    """The step `giver` makes `literal` so, and the step `taker` needs that; steps count from 0."""

    taker: int
    giver: int
    literal: NamedLiteral


@dataclass(frozen=True)
class CausalGraph:
    """A plan's steps and all links between them, by taker."""

    steps: tuple[GroundStep, ...]
    links: tuple[Link, ...]

    @property
    def hanging(self) -> tuple[int, ...]:
        """The steps that give nothing to a later one, in order."""
        givers = {link.giver for link in self.links}
        return tuple(i for i in range(len(self.steps)) if i not in givers)

    @property
    def unsupported_effects(self) -> tuple[tuple[int, NamedLiteral], ...]:
        """Every effect that is never needed and never undone, with its step; in order."""
        taken = {(link.giver, link.literal) for link in self.links}
        last = self.last_givers
        return tuple(
            (i, effect)
            for i, step in enumerate(self.steps)
            for effect in step.effects
            if last.get(effect) == i and (i, effect) not in taken
        )

    @property
    def last_givers(self) -> dict[NamedLiteral, int]:
        """What stands at the end because of the plan, and the last step that made it so."""
        last: dict[NamedLiteral, int] = {}
        for i, step in enumerate(self.steps):
            for effect in step.effects:
                last.pop(effect.negated, None)
                last[effect] = i
        return last

    @property
    def ancestors(self) -> tuple[frozenset[int], ...]:
        """For each step, itself and all steps that it rests on, by any number of links."""
        found: list[frozenset[int]] = []
        givers: dict[int, list[int]] = {}
        for link in self.links:
            givers.setdefault(link.taker, []).append(link.giver)
        for i in range(len(self.steps)):
            found.append(frozenset({i}).union(*(found[g] for g in givers.get(i, ()))))
        return tuple(found)


def parse(steps: Sequence[GroundStep], constants: Collection[str] = ()) -> CausalGraph:
    """The graph of a plan. Equalities and what a state gives from the start need no giver.

    `constants` are names that no step needs as an argument to have to do with.
    """
    last: dict[NamedLiteral, int] = {}
    links: list[Link] = []
    for i, step in enumerate(steps):
        needs = step.needs if step.known else _about(step, last, constants)
        links += [Link(i, last[need], need) for need in needs if need in last]
        last.update(dict.fromkeys(step.effects, i))
    return CausalGraph(tuple(steps), tuple(sorted(links)))


def _about(
    step: GroundStep, literals: Iterable[NamedLiteral], constants: Collection[str]
) -> list[NamedLiteral]:
    """The literals about nothing but the step's arguments and constants."""
    arguments = parse_operator(step.operator)[1]
    return [
        literal
        for literal in literals
        if literal.positive
        and any(term in arguments for term in literal.terms)
        and all(term in arguments or term in constants for term in literal.terms)
    ]


def ground_plan(operators: Iterable[Operator], plan: Iterable[str]) -> tuple[GroundStep, ...]:
    """The steps of a plan of operator texts, by what `operators` say of their actions.

    Raises ValueError for a text that is no operator.
    """
    by_name = {operator.name: operator for operator in operators if operator.takes_arguments}
    return tuple(_ground(by_name, text) for text in plan)


def after(steps: Iterable[GroundStep], facts: Iterable[GroundAtom]) -> frozenset[GroundAtom]:
    """What holds after the steps, whether or not they could run."""
    state = set(facts)
    for step in steps:
        state.difference_update(atom_of(e) for e in step.effects if not e.positive)
        state.update(atom_of(e) for e in step.effects if e.positive)
    return frozenset(state)


def atom_of(literal: NamedLiteral) -> GroundAtom:
    """The atom of a ground literal, its sign aside."""
    return (literal.predicate, *literal.terms)


def _ground(by_name: Mapping[str, Operator], text: str) -> GroundStep:
    name, arguments = parse_operator(text)
    operator = by_name.get(name)
    if operator is None or len(operator.parameters) != len(arguments):
        return GroundStep(text, known=False)
    binding = operator.bound(arguments)
    needs = dict.fromkeys(p.renamed(binding) for p in operator.preconditions if p.predicate != EQUAL)
    effects = dict.fromkeys(e.renamed(binding) for e in operator.effects)
    # what is both deleted and added stays true
    lasting = (e for e in effects if e.positive or e.negated not in effects)
    return GroundStep(text, tuple(sorted(needs)), tuple(sorted(lasting)))
