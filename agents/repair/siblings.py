"""Effects that an action lacks beside its siblings, the most similar actions of its domain.

Many actions come in families: a lift goes up and down, a card is moved north and south. Where an effect may
have been lost in one action or in another, it is likelier in the one whose siblings have such an effect. The
similarity of two actions is the share of their parameters' types, preconditions and effects that they have in
common, by predicate and sign.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from envs.pddl.simulation.lifted import Literal, Schema, conjuncts

#: How alike an action and a sibling are at the least.
LEAST_LIKENESS = 0.6
#: A predicate, and whether an effect makes it true.
Kind = tuple[str, bool]


def lacking_effects(schemas: Sequence[Schema]) -> dict[str, frozenset[Kind]]:
    """By action, the kinds of effects that one of the actions most like it has more of."""
    parts = {schema.name: (_parts(schema), _effects(schema)) for schema in schemas}
    found: dict[str, frozenset[Kind]] = {}
    for name, (own, effects) in parts.items():
        likeness = {other: _likeness(own, its) for other, (its, _) in parts.items() if other != name}
        most = max((LEAST_LIKENESS, *likeness.values()))
        siblings = [parts[other][1] for other, like in likeness.items() if like >= most]
        found[name] = frozenset(kind for its in siblings for kind in its - effects)
    return found


def _effects(schema: Schema) -> Counter[Kind]:
    return Counter((effect.predicate, effect.adds) for effect in schema.effects)


def _parts(schema: Schema) -> Counter[object]:
    """An action's parts by kind: what it ranges over, its conjuncts that are literals, and its effects."""
    literals = (part for part in conjuncts(schema.precondition) if isinstance(part, Literal))
    return Counter[object](
        (
            *schema.members[: schema.arity],
            *(("precondition", part.predicate, part.positive) for part in literals),
            *(("effect", *kind) for kind in _effects(schema).elements()),
        )
    )


def _likeness(one: Counter[object], other: Counter[object]) -> float:
    return (one & other).total() / max(1, (one | other).total())
