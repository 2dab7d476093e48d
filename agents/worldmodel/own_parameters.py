"""Steps of a model whose parameters are its own, as operators of the environment.

An action of the model may have other parameters than the environment's action of its name: in another order,
under other names, or more of them. For each parameter of the environment's action the one of the model is
looked for that stands for it: the one with the same name and a fitting type; else, in their order, those of
the same type, if as many are left on both sides; else the only one left with a fitting type. Where there is
none, as for a parameter that the model does without, steps stay as they are, for the environment to refuse.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agents.worldmodel.model import WorldModel
from envs.pddl.interface import ActionSignature, Parameter
from envs.pddl.language.operators import format_operator, parse_operator
from envs.pddl.language.vocabulary import OBJECT, Types

#: By action: for each parameter of the environment's, the place of the model's that stands for it.
Places = Mapping[str, tuple[int, ...]]


def places_of(model: WorldModel, actions: Sequence[ActionSignature]) -> Places:
    """Which of the model's parameters stand for those of the environment's `actions`, where that is clear."""
    types = Types({name: parent or OBJECT for name, parent in model.brief.types.items()})
    own = {action.signature.name: action.signature for action in model.actions}
    found = {a.name: _matched(a.parameters, own[a.name].parameters, types) for a in actions if a.name in own}
    return {name: places for name, places in found.items() if places is not None}


def in_environment(plan: Sequence[str], places: Places) -> tuple[str, ...]:
    """The steps of a plan with the arguments that the environment's actions take.

    A step that is no operator's text stays as it is.
    """
    return tuple(_step(step, places) for step in plan)


def _step(step: str, places: Places) -> str:
    try:
        name, arguments = parse_operator(step)
    except ValueError:
        return step
    chosen = places.get(name)
    if chosen is None or any(place >= len(arguments) for place in chosen):
        return step
    return format_operator(name, [arguments[place] for place in chosen])


def _matched(wanted: Sequence[Parameter], own: Sequence[Parameter], types: Types) -> tuple[int, ...] | None:
    """The place in `own` for each of `wanted`; None if one is not found."""
    found: dict[int, int] = {}
    for place, parameter in enumerate(wanted):
        named = next((i for i, o in enumerate(own) if o.name.lower() == parameter.name.lower()), None)
        if named is not None and _fit(own[named], parameter, types):
            found[place] = named
    for kind in dict.fromkeys(parameter.type.lower() for parameter in wanted):
        open_, left = _left(wanted, found, kind), _free(own, found, kind)
        if len(open_) == len(left):
            found |= dict(zip(open_, left, strict=True))
    for place in (place for place in range(len(wanted)) if place not in found):
        fitting = [i for i in _free(own, found) if _fit(own[i], wanted[place], types)]
        if len(fitting) != 1:
            return None
        found[place] = fitting[0]
    return tuple(found[place] for place in range(len(wanted)))


def _left(wanted: Sequence[Parameter], found: Mapping[int, int], kind: str) -> list[int]:
    return [i for i, p in enumerate(wanted) if i not in found and p.type.lower() == kind]


def _free(own: Sequence[Parameter], found: Mapping[int, int], kind: str | None = None) -> list[int]:
    taken = set(found.values())
    return [i for i, p in enumerate(own) if i not in taken and kind in (None, p.type.lower())]


def _fit(one: Parameter, other: Parameter, types: Types) -> bool:
    """Whether an object may be of both types."""
    kinds = one.type.lower(), other.type.lower()
    return types.is_subtype(*kinds) or types.is_subtype(*reversed(kinds))
