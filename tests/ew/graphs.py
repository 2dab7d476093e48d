"""Small graphs for the tests of walks: as hypothesis strategies and as named pairs of world and model."""

from hypothesis import strategies as st

LABELS = ("(a)", "(b)", "(c)", "(d)")
any_graph = st.dictionaries(
    st.integers(0, 4), st.dictionaries(st.sampled_from(LABELS), st.integers(0, 4), max_size=4), max_size=5
)
#: Graphs with an edge at the start.
started = st.builds(
    lambda graph, first: {**graph, 0: first},
    any_graph,
    st.dictionaries(st.sampled_from(LABELS), st.integers(0, 4), min_size=1, max_size=4),
)

WORLD = {0: {"(a)": 1, "(b)": 0}, 1: {"(c)": 0, "(b)": 2}, 2: {"(a)": 1, "(d)": 2}}
MODEL = {0: {"(a)": 1, "(b)": 0}, 1: {"(c)": 0, "(b)": 2, "(d)": 1}, 2: {"(a)": 1}}
PERMISSIVE = {0: {label: 0 for label in LABELS}}
#: Places 2 and 3 are dead ends.
DEAD_ENDS = {0: {"(a)": 1, "(b)": 2}, 1: {"(a)": 0, "(d)": 3}}
#: Goes on where DEAD_ENDS stops, and stops where it goes on.
GOES_ON = {0: {"(a)": 1, "(b)": 2}, 1: {"(a)": 0}, 2: {"(c)": 2}}
#: One first operator in ten leads to where both sides agree for good, the others to where they hardly do.
_TEN = [f"(o{i})" for i in range(10)]
_RARE_WORLD = {
    0: {o: 1 if o == _TEN[0] else 2 for o in _TEN},
    1: dict.fromkeys(_TEN, 1),
    2: dict.fromkeys(_TEN, 2),
}
_RARE_MODEL = {**_RARE_WORLD, 2: {_TEN[0]: 2}}
PAIRS = {
    "two mistakes": (WORLD, MODEL),
    "permissive": (WORLD, PERMISSIVE),
    "the world dies": (DEAD_ENDS, GOES_ON),
    "the model dies": (GOES_ON, DEAD_ENDS),
    "nothing shared later": (DEAD_ENDS, WORLD),
    "a rare walk decides": (_RARE_WORLD, _RARE_MODEL),
}
