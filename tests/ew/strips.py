"""Small systems with memory, and a long walk in each to where its world and model differ.

In a graph drawn at random a walk has few operators that can be left out. Here each operator makes one fact
true and may need earlier ones: a walk holds operators that matter to nothing, to each other, and to its end.
"""

from dataclasses import dataclass, field

from hypothesis import strategies as st

FACTS = 7
DOOR = "(door)"
_some_facts = st.integers(0, 2**FACTS - 1)


@dataclass(frozen=True)
class Planted:
    """A world in which `DOOR` opens once some facts hold, a model without it, a walk that ends with it."""

    world: dict[int, dict[str, int]] = field(repr=False)
    model: dict[int, dict[str, int]] = field(repr=False)
    walk: tuple[str, ...]


def _planted(needs, walk, door):
    names = [f"(make-{i})" for i in range(FACTS)]
    model = {
        state: {
            name: state | 1 << i for i, name in enumerate(names) if needs[i] & ((1 << i) - 1) & ~state == 0
        }
        for state in range(2**FACTS)
    }
    state, made = 0, []
    for i in walk:
        if names[i] in model[state]:
            made.append(names[i])
            state = model[state][names[i]]
    wanted = door & state
    world = {at: edges | ({DOOR: at} if wanted & ~at == 0 else {}) for at, edges in model.items()}
    return Planted(world, model, (*made, DOOR))


_needs = st.tuples(*[st.tuples(_some_facts, _some_facts).map(lambda p: p[0] & p[1])] * FACTS)
planted = st.builds(
    _planted,
    _needs,
    st.lists(st.integers(0, FACTS - 1), min_size=5, max_size=12).map(sorted),
    st.integers(1, 2**FACTS - 1),
)
