"""What was seen of a world survives being passed on, in any order, to anybody, and is never asked again."""

import pickle

import numpy as np
import pytest
from graph_worlds import GraphSystem
from graphs import MODEL, PERMISSIVE, WORLD, any_graph
from hypothesis import given
from hypothesis import strategies as st

from envs.world import open_world
from ew.score.score import EWConfig, ew_score
from ew.walks import world_walks
from ew.walks.adapter import transitions_of
from ew.walks.policies import make_policy
from ew.walks.walk_policy import policy_walks
from ew.walks.world_walks import Evidence, WorldWalks

OPERATORS = ("(a)", "(b)", "(c)")
walks = st.lists(st.integers(0, 2), max_size=4).map(tuple)


@st.composite
def any_evidence(draw):
    """As a deterministic world gives it: equal walks have equal rows."""
    return Evidence.of(OPERATORS, {walk: bytes([sum(walk) % 7]) for walk in draw(st.sets(walks))})


@given(any_evidence(), any_evidence(), any_evidence(), st.integers(1, 6))
def test_merging_knows_no_order_even_where_it_is_bounded(one, other, third, kept):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(world_walks, "MAX_BYTES", kept * 201)
        one, other, third = (Evidence.of(OPERATORS, dict(e.states)) for e in (one, other, third))
        assert one.merged(other) == other.merged(one)
        assert one.merged(other).merged(third) == one.merged(other.merged(third))
        assert one.merged(one) == one
        both = one.merged(other)
        assert len(both.states) == min(kept, len({*one.states, *other.states}))
        left_out = {*one.states, *other.states} - set(both.states)
        assert all(len(walk) >= len(both.states[-1][0]) for walk, _ in left_out)


def test_evidence_of_other_worlds_is_refused():
    known = Evidence.of(("(x)",), {(): b"\x80"})
    with pytest.raises(ValueError, match="different operators"):
        known.merged(Evidence.of(OPERATORS, {}))
    with pytest.raises(ValueError, match="other operators"):
        WorldWalks(GraphSystem(WORLD), known=known)


@given(any_graph, any_graph, st.integers(0, 30))
def test_who_is_given_evidence_finds_the_same_and_asks_only_what_is_new(world, model, seed):
    config = EWConfig(12, 3, estimator="survival")
    first = WorldWalks(GraphSystem(world))
    found = ew_score(first, GraphSystem(model), np.random.default_rng(seed), config)
    known = pickle.loads(pickle.dumps(first.evidence()))  # noqa: S301
    assert known == first.evidence() and len(known.states) == first.queries
    other = WorldWalks(GraphSystem(world), known=known)
    again = ew_score(other, GraphSystem(model), np.random.default_rng(seed), config)
    assert other.queries == 0 and (again.score, again.stderr) == (found.score, found.stderr)
    assert other.evidence() == known


def test_evidence_of_two_who_walked_apart_saves_a_third_the_questions_of_both():
    seen = []
    for model in (MODEL, PERMISSIVE):
        tree = WorldWalks(GraphSystem(WORLD))
        ew_score(tree, GraphSystem(model), np.random.default_rng(3), EWConfig(40, 5, estimator="prefix"))
        seen.append(tree.evidence())
    third = WorldWalks(GraphSystem(WORLD), known=seen[0].merged(seen[1]))
    for model in (PERMISSIVE, MODEL):
        ew_score(third, GraphSystem(model), np.random.default_rng(3), EWConfig(40, 5, estimator="prefix"))
    assert third.queries == 0


def test_a_real_world_s_evidence_tells_what_the_world_does():
    world = transitions_of(open_world("grippers", 1))
    tree = WorldWalks(world)
    policy_walks(tree, make_policy("coverage")(tree), [10] * 20, np.random.default_rng(0))
    known = WorldWalks(world, known=tree.evidence())
    for walk, row in tree.evidence().states:
        state, node = world.initial(1), known.initial(1)
        for operator in walk:
            state = world.successors(state, np.array([operator]))
            node = known.successors(node, np.array([operator]))
        there = world.applicable(state)
        assert np.packbits(there[0]).tobytes() == row and (known.applicable(node) == there).all()
    assert known.queries == 0
