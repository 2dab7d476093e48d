"""Operators from demonstrations in which an action is known by its name alone, as published.

What a step changed are the effects; the objects of its effects become variables of the objects' own types,
the constants stay. Steps of one name with the same lifted effects make one operator, whose preconditions are
the atoms over these variables that held before each of them. So what an action needs of any other object is
not found: in Mini-Minecraft, where one stands and which tool one holds.

Effects are the same if a renaming makes them equal. Where several renamings do, as for two slots that are
emptied alike, the one is taken that makes the state look most like the smallest of all states (in the order
of their text), so that the result depends on no order. Steps that change nothing, or that are not seen whole,
are passed over. Source: Siegel et al. 2024, section 4.1, after Silver et al. 2022.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from math import factorial, prod

from agents.operators.examples import consistent, whole_steps
from agents.operators.lifted import NamedLiteral, Operator
from envs.pddl.language.domain import GroundAtom
from envs.pddl.language.vocabulary import Parameters
from envs.pddl.traces.trace import Step, Trace, Traces

#: Renamings of one step's effects that are tried; steps with more are passed over.
MAX_RENAMINGS = 5040
#: A lifted state: sorted positive literals.
_State = tuple[NamedLiteral, ...]


@dataclass(frozen=True)
class Shape:
    """What the steps of one operator have in common."""

    parameters: Parameters
    effects: tuple[NamedLiteral, ...]


def learn_symbolically(traces: Traces, *, lenient: bool = False) -> tuple[Operator, ...]:
    """The operators, sorted by name. An action with several has `NAME`, `NAME--2`, …, most examples first.

    Raises TraceError if an operator has two outcomes in one state; `lenient` leaves such steps out.
    """
    traces = consistent(traces, lenient=lenient)
    found: dict[str, dict[Shape, list[tuple[_State, ...]]]] = {}
    for action, shape, states in _lifted_steps(traces):
        found.setdefault(action, {}).setdefault(shape, []).append(states)
    return tuple(
        operator for action, shapes in sorted(found.items()) for operator in _operators(action, shapes)
    )


def _operators(action: str, shapes: Mapping[Shape, Sequence[tuple[_State, ...]]]) -> Iterator[Operator]:
    ranked = sorted(shapes.items(), key=lambda item: (-len(item[1]), repr(item[0])))
    for number, (shape, examples) in enumerate(ranked, start=1):
        name = action if number == 1 else f"{action}--{number}"
        kept = _intersection(examples)
        yield Operator(
            name, shape.parameters, kept, shape.effects, takes_arguments=False, executed=len(examples)
        )


def _intersection(examples: Sequence[tuple[_State, ...]]) -> _State:
    """What all examples have, each under the renaming that makes it most like the smallest state."""
    like = frozenset(min(min(states) for states in examples))
    kept = frozenset(like)
    for states in examples:
        kept &= frozenset(max(states, key=lambda state: (len(like.intersection(state)), state)))
    return tuple(sorted(kept))


def _lifted_steps(traces: Traces) -> Iterator[tuple[str, Shape, tuple[_State, ...]]]:
    """Each step's action, its lifted effects, and its state under every renaming that gives these."""
    constants = traces.vocabulary.constants
    for _, trace, step in whole_steps(traces):
        lifted = _lifted(trace, step, constants)
        if lifted is not None:
            yield step.action, *lifted


def _lifted(
    trace: Trace, step: Step, constants: Mapping[str, str]
) -> tuple[Shape, tuple[_State, ...]] | None:
    effects = _effects(trace, step)
    objects = sorted({name for _, atom in effects for name in atom[1:]} - constants.keys())
    renamings = _renamings(objects, effects, trace.objects)
    if not effects or renamings is None:
        return None
    shapes = [_shape(names, effects, trace.objects) for names in renamings]
    least = min(shapes, key=lambda shape: (shape.parameters, shape.effects))
    near = _atoms_among(trace, step.before, {*objects, *constants})
    states = {_renamed(near, n) for n, s in zip(renamings, shapes, strict=True) if s == least}
    return least, tuple(sorted(states))


def _effects(trace: Trace, step: Step) -> list[tuple[bool, GroundAtom]]:
    """What the step made true (True) and false."""
    before, after = trace.holds[step.before], trace.holds[step.after]
    return [(bool(after[i]), trace.atoms[i]) for i in (before != after).nonzero()[0].tolist()]


def _renamings(
    objects: Sequence[str], effects: Sequence[tuple[bool, GroundAtom]], kinds: Mapping[str, str]
) -> list[dict[str, str]] | None:
    """All namings of the objects as ?x1, ?x2, … that respect what tells them apart; None if too many.

    Objects are told apart by their types and by how they stand in the effects, as far as that goes.
    """
    colours = {name: repr(kinds[name]) for name in objects}
    for _ in objects:
        finer = {name: _colour(name, effects, colours) for name in objects}
        if len(set(finer.values())) == len(set(colours.values())):
            break
        order = {colour: f"{i:04}" for i, colour in enumerate(sorted(set(finer.values())))}
        colours = {name: order[finer[name]] for name in objects}
    groups: dict[str, list[str]] = {}
    for name in objects:
        groups.setdefault(colours[name], []).append(name)
    alike = [groups[colour] for colour in sorted(groups)]
    if prod(factorial(len(group)) for group in alike) > MAX_RENAMINGS:
        return None
    orders = product(*(permutations(group) for group in alike))
    return [
        {name: f"?x{i}" for i, name in enumerate((n for group in order for n in group), start=1)}
        for order in orders
    ]


def _colour(name: str, effects: Sequence[tuple[bool, GroundAtom]], colours: Mapping[str, str]) -> str:
    """An object's colour with how it stands among the colours of others."""
    around = sorted(
        repr((adds, atom[0], [("self" if n == name else colours.get(n, n)) for n in atom[1:]]))
        for adds, atom in effects
        if name in atom[1:]
    )
    return repr((colours[name], around))


def _shape(
    names: Mapping[str, str], effects: Sequence[tuple[bool, GroundAtom]], kinds: Mapping[str, str]
) -> Shape:
    """The lifted effects under one naming."""
    lifted = (NamedLiteral(a[0], tuple(names.get(n, n) for n in a[1:]), adds) for adds, a in effects)
    numbered = sorted(names.items(), key=lambda item: int(item[1].removeprefix("?x")))
    return Shape(tuple((variable, kinds[name]) for name, variable in numbered), tuple(sorted(lifted)))


def _atoms_among(trace: Trace, state: int, names: set[str]) -> list[GroundAtom]:
    """The atoms that hold in a state and name nothing but `names`."""
    held = (trace.atoms[i] for i in trace.holds[state].nonzero()[0].tolist())
    return [atom for atom in held if names.issuperset(atom[1:])]


def _renamed(atoms: Sequence[GroundAtom], names: Mapping[str, str]) -> _State:
    return tuple(sorted(NamedLiteral(a[0], tuple(names.get(n, n) for n in a[1:])) for a in atoms))
