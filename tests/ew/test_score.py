"""The laws of the EW score, and the estimator against exact values."""

import numpy as np
import pytest
from exact import direction, score
from graph_worlds import GraphSystem, GraphWorld
from graphs import MODEL, PERMISSIVE, WORLD, any_graph, started
from hypothesis import given
from hypothesis import strategies as st

from ew.score.directed import Direction
from ew.score.score import EWConfig, EWScore, EWVerdict, ew_score, harmonic_mean
from ew.walks.world_system import WorldSystem
from ew.walks.world_walks import WorldWalks


def scored(world, model, seed=0, **config) -> EWScore:
    rng = np.random.default_rng(seed)
    return ew_score(GraphSystem(world), GraphSystem(model), rng, EWConfig(**config))


@given(started, st.integers(0, 99))
def test_identical_systems_score_one(graph, seed):
    found = scored(graph, graph, seed)
    assert (found.forward, found.backward, found.score) == (1.0, 1.0, 1.0)


@given(any_graph, any_graph, st.integers(0, 99))
def test_everything_stays_in_bounds(world, model, seed):
    found = scored(world, model, seed)
    if found.verdict is EWVerdict.SCORED:
        assert 0 <= found.score <= max(found.forward, found.backward) <= 1
        assert min(found.forward, found.backward) <= found.score or found.score == 0
        assert 0 < found.stderr < 0.5
    else:
        assert (found.forward, found.backward, found.score, found.stderr) == (None,) * 4


class SwappedStreams:
    """Spawns the streams of a generator in reverse order."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def spawn(self, count):
        return self.rng.spawn(count)[::-1]


@given(started, started, st.integers(0, 99))
def test_swapping_the_sides_swaps_the_directions(a, b, seed):
    there = scored(a, b, seed)
    back = ew_score(GraphSystem(b), GraphSystem(a), SwappedStreams(seed))
    assert (there.forward, there.backward) == (back.backward, back.forward)
    assert there.score == back.score
    assert there.stderr == pytest.approx(back.stderr)


def test_a_model_that_permits_everything_gains_nothing():
    found = scored(WORLD, PERMISSIVE)
    assert found.forward == 1.0
    assert found.backward < 0.2
    assert found.score < 0.35


def test_the_estimate_is_within_its_error_of_the_exact_value():
    found = scored(WORLD, MODEL, seed=3, walks=20_000, t_max=6)
    assert found.forward == pytest.approx(direction(WORLD, MODEL, 6), abs=0.02)
    assert found.backward == pytest.approx(direction(MODEL, WORLD, 6), abs=0.02)
    assert found.score == pytest.approx(score(WORLD, MODEL, 6), abs=4 * found.stderr)


@pytest.mark.parametrize(
    "model", [MODEL, *(pytest.param(m, marks=pytest.mark.slow) for m in (PERMISSIVE, WORLD))]
)
def test_two_standard_errors_cover_the_exact_value(model):
    exact = score(WORLD, model, 6)
    found = [scored(WORLD, model, seed, walks=60, t_max=6) for seed in range(300)]
    covered = np.mean([abs(f.score - exact) <= 2 * f.stderr for f in found])
    assert covered >= 0.92


def test_the_standard_error_is_about_the_spread_of_the_scores():
    found = [scored(WORLD, MODEL, seed, walks=200, t_max=5) for seed in range(300)]
    spread = np.std([f.score for f in found])
    assert 0.8 <= np.mean([f.stderr for f in found]) / spread <= 1.6


def test_no_certainty_is_claimed_from_few_walks():
    few, many = scored(WORLD, WORLD), scored(WORLD, WORLD, walks=10_000)
    assert 0.01 < few.stderr < 0.05
    assert many.stderr < few.stderr / 5


def test_every_model_meets_the_same_walks_of_the_world():
    class Recorder(GraphSystem):
        """Permits all that it is asked, and remembers it."""

        def __init__(self):
            super().__init__(PERMISSIVE)
            self.seen = []

        def successors(self, states, operators):
            self.seen.append(operators.tolist())
            return super().successors(states, operators)

    first, second = Recorder(), Recorder()
    ew_score(GraphSystem(WORLD), first, np.random.default_rng(5))
    ew_score(GraphSystem(WORLD), second, np.random.default_rng(5))
    assert first.seen == second.seen
    assert scored(WORLD, MODEL, 5) == scored(WORLD, MODEL, 5) != scored(WORLD, MODEL, 6)


def test_a_model_without_an_initial_action_has_no_score():
    assert scored(WORLD, {}) == EWScore(EWVerdict.NO_INITIAL_ACTION, world_queries=1)


def test_a_world_without_an_initial_action_blames_the_task():
    assert scored({}, WORLD).verdict is EWVerdict.WORLD_STUCK
    assert scored({}, {}).verdict is EWVerdict.WORLD_STUCK


class Counting(GraphWorld):
    """Counts how often it is asked for what is applicable."""

    asked = 0

    def applicable(self, walk=()):
        self.asked += 1
        return super().applicable(walk)


@given(any_graph, any_graph, st.integers(0, 20))
def test_world_queries_are_what_the_world_was_asked(world, model, seed):
    def asked(wrapped):
        real = Counting(world)
        found = ew_score(
            wrapped(WorldSystem(real)), GraphSystem(model), np.random.default_rng(seed), EWConfig(8, 4)
        )
        return found.world_queries, real.asked

    queries, counted = asked(WorldWalks)
    assert queries == counted
    most, counted = asked(lambda system: system)  # remembers what it asked; operators it lacks are refused
    assert most >= counted == queries


def test_walks_are_spread_evenly_over_directions_and_lengths():
    assert np.bincount(EWConfig().by.lengths(100, 10, Direction.FORWARD)).tolist() == [0, *[5] * 10]
    assert [len(EWConfig().by.lengths(21, 10, direction)) for direction in Direction] == [11, 10]


@pytest.mark.parametrize("fields", [{"walks": 19}, {"t_max": 0}, {"longest": 9}, {"walks": 0}])
def test_settings_without_a_walk_for_every_length_are_refused(fields):
    with pytest.raises(ValueError, match=r"walks=.*t_max"):
        EWConfig(**fields)


@pytest.mark.parametrize("walks", [5, 7, 10, 50])
def test_the_harmonic_mean_lies_between_the_shares_even_after_rounding(walks):
    shares = [k / walks for k in range(walks + 1)]
    for a in shares:
        assert harmonic_mean(a, a) == a
        for b in shares[1:]:
            assert harmonic_mean(a, b) == harmonic_mean(b, a)
            assert a == 0 or min(a, b) <= harmonic_mean(a, b) <= max(a, b)
