"""A world's task as a problem of a learned domain: what holds at first, and the goal as it is shown."""

from __future__ import annotations

from envs.pddl.interface import NamesConstants, ShowsStates, World


def shown_problem(world: World, domain_name: str) -> str:
    """The PDDL of the task that `world` is set to. Raises TypeError if it does not show its states."""
    if not isinstance(world, ShowsStates):
        raise TypeError(f"world {world.name!r} does not show its states: give it facts, predicates and goal")
    constants = world.constants if isinstance(world, NamesConstants) else {}
    objects = "".join(
        f"\n    {name} - {kind}" for name, kind in world.objects.items() if name not in constants
    )
    facts = "".join(f"\n    ({' '.join(fact)})" for fact in sorted(world.facts()))
    return (
        f"(define (problem shown)\n  (:domain {domain_name})\n  (:objects{objects})\n"
        f"  (:init{facts})\n  (:goal {world.goal}))\n"
    )
