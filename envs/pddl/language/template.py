"""Texts to start from: a domain without conditions, a problem without facts.

They are made from what may be known of a world, its action interface and its objects, and read without
errors. Source of the idea: Mahdavi et al. 2024, section 4 and Appendix A.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from envs.pddl.interface import ActionSignature
from envs.pddl.language.vocabulary import OBJECT, TOTAL_COST, Parameters, show_typed


def domain_template(
    name: str,
    types: Mapping[str, str | None],
    actions: Sequence[ActionSignature],
    constants: Mapping[str, str] | None = None,
    predicates: Mapping[str, Parameters] | None = None,
    functions: Mapping[str, Parameters] | None = None,
    costs: Mapping[str, str] | None = None,
) -> str:
    """A domain with `types` (type to parent, None for the root) and empty conditions and effects.

    `constants` (object to type) are the objects that every task has and that conditions may name;
    `predicates` and `functions` are what is declared, nothing if that is None; `costs` are the amounts that
    actions add to the total cost.
    """
    declared = "".join(
        f"\n    ({f'{head} {show_typed(parameters)}'.strip()})"
        for head, parameters in (predicates or {}).items()
    )
    listed = _by_type({kind: above or OBJECT for kind, above in types.items()})
    sections = [
        f"(define (domain {name})",
        f"  (:requirements :strips :typing{' :action-costs' if functions else ''})",
        *([f"  (:types {listed})"] if listed else []),
        *([f"  (:constants {_by_type(constants)})"] if constants else []),
        f"  (:predicates{declared})",
        *functions_section(functions or {}),
        *(_action_template(action, (costs or {}).get(action.name)) for action in actions),
    ]
    return "\n".join(sections) + ")\n"


def problem_template(name: str, domain_name: str, objects: Mapping[str, str]) -> str:
    """A problem with `objects` (object to type), no facts and a goal that always holds."""
    return (
        f"(define (problem {name})\n"
        f"  (:domain {domain_name})\n"
        f"  (:objects {_by_type(objects)})\n"
        "  (:init)\n"
        "  (:goal (and)))\n"
    )


def functions_section(functions: Mapping[str, Parameters]) -> list[str]:
    """The declaration of functions, if there are any."""
    heads = (f"({f'{head} {show_typed(kinds)}'.strip()})" for head, kinds in functions.items())
    declared = "".join(f"\n    {head} - number" for head in heads)
    return [f"  (:functions{declared})"] if functions else []


def increase(cost: str) -> str:
    """The effect of an action that costs something."""
    return f"(increase ({TOTAL_COST}) {cost})"


def _action_template(action: ActionSignature, cost: str | None) -> str:
    parameters = show_typed((p.name, p.type) for p in action.parameters)
    return (
        f"\n  (:action {action.name}\n    :parameters ({parameters})\n    :precondition ()\n"
        f"    :effect {increase(cost) if cost else '()'})"
    )


def _by_type(names: Mapping[str, str]) -> str:
    """A typed list with the names of each type together, types in the order of their first name."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for name, kind in names.items():
        groups.setdefault(kind, []).append((name, kind))
    return show_typed(chain.from_iterable(groups.values()))
