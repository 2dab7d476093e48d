"""Texts to start from: a domain without conditions, a problem without facts.

They are made from what may be known of a world, its action interface and its objects, and read without
errors. Source of the idea: Mahdavi et al. 2024, section 4 and Appendix A.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from envs.pddl.interface import HasSignatures
from envs.pddl.language.vocabulary import (
    OBJECT,
    TOTAL_COST,
    Parameters,
    Types,
    Vocabulary,
    show_declaration,
    show_typed,
)


def interface_vocabulary(name: str, world: HasSignatures, constants: Mapping[str, str]) -> Vocabulary:
    """What a world's action interface declares: types, actions, and which objects are constants."""
    types = Types({kind: above or OBJECT for kind, above in world.types.items()})
    actions = {a.name: tuple((p.name, p.type) for p in a.parameters) for a in world.actions}
    return Vocabulary(name, types=types, constants=dict(constants), actions=actions)


def domain_template(words: Vocabulary) -> str:
    """A domain with all that `words` declare, and with empty conditions and effects; costs are kept."""
    return domain_text(
        words.name,
        f":strips :typing{' :action-costs' if words.functions else ''}",
        by_type(words.types.parents),
        by_type(words.constants),
        declarations(words.predicates),
        (
            action_text(name, kinds, "()", increase(words.costs[name]) if name in words.costs else "()")
            for name, kinds in words.actions.items()
        ),
        words.functions,
    )


def domain_text(
    name: str,
    requirements: str,
    types: str,
    constants: str,
    predicates: str,
    actions: Iterable[str],
    functions: Mapping[str, Parameters] = MappingProxyType({}),
) -> str:
    """A domain of these sections, each of which is what stands in it; empty ones are left out."""
    sections = [
        f"(define (domain {name})",
        f"  (:requirements {requirements})",
        *([f"  (:types {types})"] if types else []),
        *([f"  (:constants {constants})"] if constants else []),
        f"  (:predicates{predicates})",
        *([f"  (:functions{declarations(functions, ' - number')})"] if functions else []),
        *actions,
    ]
    return "\n".join(sections) + ")\n"


def action_text(name: str, parameters: Iterable[tuple[str, str]], precondition: str, effect: str) -> str:
    """An action as `domain_text` takes it."""
    return (
        f"\n  (:action {name}\n    :parameters ({show_typed(parameters)})\n"
        f"    :precondition {precondition}\n    :effect {effect})"
    )


def conjunction(parts: Iterable[object]) -> str:
    """One part a line inside `(and ...)`."""
    return "(and" + "".join(f"\n      {part}" for part in parts) + ")"


def problem_template(name: str, domain_name: str, objects: Mapping[str, str]) -> str:
    """A problem with `objects` (object to type), no facts and a goal that always holds."""
    return (
        f"(define (problem {name})\n"
        f"  (:domain {domain_name})\n"
        f"  (:objects {by_type(objects)})\n"
        "  (:init)\n"
        "  (:goal (and)))\n"
    )


def declarations(declared: Mapping[str, Parameters], suffix: str = "") -> str:
    """What stands in a section of predicates or functions, a declaration a line."""
    return "".join(f"\n    {show_declaration(name, kinds)}{suffix}" for name, kinds in declared.items())


def increase(cost: str) -> str:
    """The effect of an action that costs something."""
    return f"(increase ({TOTAL_COST}) {cost})"


def by_type(names: Mapping[str, str]) -> str:
    """A typed list with the names of each type together, types in the order of their first name."""
    places = {kind: place for place, kind in enumerate(dict.fromkeys(names.values()))}
    return show_typed(sorted(names.items(), key=lambda entry: places[entry[1]]))
