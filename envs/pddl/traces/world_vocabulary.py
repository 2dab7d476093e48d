"""The words of a world that shows its states, as a domain would declare them."""

from __future__ import annotations

from dataclasses import replace

from envs.pddl.interface import NamesConstants, NamesDomain, ShowsStates, World
from envs.pddl.language.vocabulary import OBJECT, Types, Vocabulary

#: The domain of a world that does not name one.
UNNAMED = "learned"


def vocabulary_of(world: World) -> Vocabulary:
    """What may be named in a world that shows its states. Raises TypeError if it does not."""
    if not isinstance(world, ShowsStates):
        raise TypeError(f"world {world.name!r} does not show its states: give it facts, predicates and goal")
    parents = {kind: above or OBJECT for kind, above in world.types.items()}
    constants = dict(world.constants) if isinstance(world, NamesConstants) else {}
    actions = {a.name: tuple((p.name, p.type) for p in a.parameters) for a in world.actions}
    words = Vocabulary(UNNAMED, (), Types(parents), constants, dict(world.predicates), {}, actions)
    if isinstance(world, NamesDomain):
        functions, costs = dict(world.functions), dict(world.costs)
        return replace(words, name=world.domain_name, functions=functions, costs=costs)
    return words
