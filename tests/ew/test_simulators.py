"""Any World is walked alike, whichever parts it has; what its simulator does is counted, and capped."""

import pickle
from collections import Counter

import numpy as np
import pytest
from graph_worlds import BatchedGraphWorld, GraphSystem
from graphs import DEAD_ENDS, LABELS, MODEL, PAIRS, WORLD, any_graph, started
from hypothesis import given, settings
from hypothesis import strategies as st
from parted_worlds import LISTING, SILENT, Steps, parted
from wide import wide

from ew.counterexample.disagreement import (
    MOST_STEPS,
    first_disagreement,
    search_disagreement,
    step_budget,
)
from ew.counterexample.feedback import NoInitialAction
from ew.counterexample.shrink import shrink
from ew.score.config import EWConfig
from ew.score.exact import exact_ew
from ew.score.forecast import score_steps, walk_notes
from ew.score.score import EWVerdict, ew_score
from ew.score.survival import CannotList
from ew.walks import world_system
from ew.walks.adapter import applicable_in, transitions_of
from ew.walks.budget import NO_COST, BudgetExceeded, QueryBudget, SimulatorCost, StepsExceeded
from ew.walks.policies import make_policy
from ew.walks.simulator_cost import simulated, watched
from ew.walks.walk import run_walks, sample_walks
from ew.walks.walk_policy import policy_walks
from ew.walks.world_walks import WorldWalks

RING = {i: {"(left)": (i - 1) % 20, "(right)": (i + 1) % 20} for i in range(20)}
PARTS = {
    **{f"lists: {name}": parts for name, parts in LISTING.items()},
    **{f"silent: {name}": parts for name, parts in SILENT.items()},
}
#: Some with each part, of worlds that list and of others.
FEW_PARTS = (
    *("lists: replay", "lists: steps", "lists: snapshots and keys"),
    *("silent: replay", "silent: keys", "silent: forks"),
)
STEPPING = [name for name, parts in PARTS.items() if Steps in parts]
NO_WALK = np.full((1, 1), -1)
CONFIG = EWConfig(walks=12, t_max=4, longest=16)


def rng(seed=0):
    return np.random.default_rng(seed)


def walks_of(system, seed=0, lengths=(1, 2, 3, 4, 5, 6)):
    return sample_walks(system, list(lengths), rng(seed)).operators.tolist()


def score_of(world, model, seed=0, config=CONFIG, wrapped=lambda system: system):
    found = ew_score(wrapped(transitions_of(world)), model, rng(seed), config)
    return found.verdict, found.forward, found.backward, found.world_queries


@settings(max_examples=30)
@given(any_graph, st.integers(0, 9))
def test_worlds_that_list_are_walked_as_in_batches(graph, seed):
    walks = walks_of(GraphSystem(graph), seed)
    for parts in LISTING.values():
        system = transitions_of(parted(parts, graph))
        assert walks_of(system, seed) == walks
        assert walks_of(system, seed) == walks, "what is remembered changes nothing"


@settings(max_examples=30)
@given(any_graph, st.integers(0, 9))
def test_worlds_that_do_not_list_are_walked_alike(graph, seed):
    first, *others = (transitions_of(parted(parts, graph)) for parts in SILENT.values())
    walks = walks_of(first, seed)
    assert all(walks_of(system, seed) == walks == walks_of(WorldWalks(system), seed) for system in others)


@settings(max_examples=12)
@given(started, started, st.integers(0, 9))
def test_scores_and_counterexamples_do_not_depend_on_the_parts(graph, model, seed):
    for kind in (LISTING, SILENT):
        worlds = [parted(parts, graph, LABELS) for parts in kind.values()]
        assert len({score_of(world, GraphSystem(model), seed) for world in worlds}) == 1
        assert len({score_of(world, GraphSystem(model), seed, wrapped=WorldWalks) for world in worlds}) == 1
        stepping = [world for world in worlds if hasattr(world, "step")]
        found = {first_disagreement(world, GraphSystem(model), rng(seed), CONFIG) for world in stepping}
        assert len(found) == 1


@settings(max_examples=12)
@given(any_graph, st.integers(0, 5))
def test_what_runs_and_how_far_walks_run_is_known_from_trying(graph, seed):
    batched = GraphSystem(graph)
    walks = sample_walks(GraphSystem({**MODEL, **graph}), [4] * 6, rng(seed))
    for parts in PARTS.values():
        system = transitions_of(parted(parts, graph))
        assert exact_ew(system, batched, 3).score == pytest.approx(1.0)
        if system.operators == GraphSystem({**MODEL, **graph}).operators:
            assert (run_walks(system, walks.operators) == run_walks(batched, walks.operators)).all()


@pytest.mark.parametrize("name", wide(PARTS, *FEW_PARTS))
@settings(max_examples=30)
@given(graph=any_graph, seed=st.integers(0, 9))
def test_what_is_counted_is_what_the_world_did(name, graph, seed):
    world = parted(PARTS[name], graph)
    system = transitions_of(world)
    sample_walks(system, [3, 5, 2], rng(seed))
    policy_walks(system, make_policy("coverage")(system), [4, 4], rng(seed))
    run_walks(system, rng(seed).integers(-1, len(system.operators), (4, 4)) if system.operators else NO_WALK)
    assert system.cost == world.counted


@pytest.mark.parametrize("name", STEPPING)
def test_a_walk_that_goes_on_is_never_run_again(name):
    world = parted(PARTS[name], RING)
    system = transitions_of(world)
    made = sample_walks(system, [30] * 20, rng())
    if "walks" not in name:  # such a world is asked about walks from the start
        assert system.cost.steps <= made.lengths.sum()
    assert system.cost.resets <= len(made.lengths) + (system.cost.steps if "walks" in name else 0)
    if "keys" in name:
        assert system.cost.steps < 200, "each of the 20 places is left by each of two operators once or twice"


def test_equal_states_are_asked_once_and_silent_dead_ends_are_remembered():
    world = parted(SILENT["keys"], DEAD_ENDS)
    system = transitions_of(world)
    walks_of(system, lengths=[6] * 30)
    before = system.cost
    assert before.refused <= 4 * len(system.operators)
    walks_of(system, seed=5, lengths=[6] * 30)
    assert (system.cost - before).refused <= 4 * len(system.operators) - before.refused


@pytest.mark.parametrize("name", SILENT)
def test_the_first_that_executes_is_uniform_and_the_order_of_listing_has_no_part(name):
    graph = {0: dict.fromkeys(("(a)", "(c)", "(f)"), 0), 1: dict.fromkeys(("(b)", "(d)", "(e)", "(g)"), 0)}
    draws = rng(1).random(3000)
    counts = []
    for edges in (graph, {place: dict(reversed(edges.items())) for place, edges in graph.items()}):
        system = transitions_of(parted(SILENT[name], edges))
        counts.append(Counter(system.drawn(system.initial(len(draws)), draws).tolist()))
    assert counts[0] == counts[1]
    assert set(counts[0]) == {system.operators.index(text) for text in graph[0]}
    statistic = sum((n - 1000) ** 2 / 1000 for n in counts[0].values())
    assert statistic < 9.21, "the 99 % point of chi-square with two degrees of freedom"


@pytest.mark.parametrize(
    "pair", wide(["two mistakes", "the world dies", "the model dies"], "two mistakes", "the model dies")
)
def test_the_score_of_a_silent_world_is_that_of_one_that_lists(pair):
    graph, model = PAIRS[pair]
    exact = exact_ew(GraphSystem(graph), GraphSystem(model), 4)
    config = EWConfig(4000, 4, estimator="prefix")
    world = transitions_of(parted(SILENT["keys"], graph, LABELS))
    found = ew_score(world, GraphSystem(model), rng(3), config)
    assert found.score == pytest.approx(exact.score, abs=4 * found.stderr)


def test_kept_states_are_few_and_later_steps_do_not_change_them(monkeypatch):
    unlimited = transitions_of(parted(LISTING["snapshots"], RING))
    walks = walks_of(unlimited, lengths=[12] * 20)
    monkeypatch.setattr(world_system, "KEPT", 3)
    for name in ("snapshots", "snapshots and keys", "forks"):
        system = transitions_of(parted(LISTING[name], RING))
        assert walks_of(system, lengths=[12] * 20) == walks
        assert len(system._kept) <= 3


def test_two_systems_of_one_world_do_not_mislead_each_other():
    world = parted(SILENT["steps"], WORLD)
    first, second = transitions_of(world), transitions_of(world)
    alone = transitions_of(parted(SILENT["steps"], WORLD))
    for seed in range(20):
        assert walks_of(first, seed, [5]) == walks_of(alone, seed, [5]) == walks_of(second, seed, [5])


def test_what_a_score_cost_stands_in_it_and_batched_worlds_have_none():
    world = parted(LISTING["steps"], RING)
    found = ew_score(transitions_of(world), GraphSystem(RING), rng())
    assert found.simulator == world.counted
    assert 0 < found.simulator.steps <= 550
    assert ew_score(GraphSystem(RING), GraphSystem(RING), rng()).simulator is None


def test_a_cap_of_steps_ends_a_score_before_it_is_passed():
    for parts in PARTS.values():
        world = parted(parts, RING)
        found = ew_score(transitions_of(world), GraphSystem(RING), rng(), EWConfig(max_world_steps=10))
        assert (found.verdict, found.score) == (EWVerdict.OUT_OF_STEPS, None)
        assert world.steps <= 10
        assert found.simulator == world.counted


def test_a_spent_cap_is_a_spent_budget():
    system = transitions_of(parted(LISTING["steps"], RING))
    words = "1 simulator steps are wanted, 0 are left"
    with pytest.raises(BudgetExceeded, match=words) as raised, system.capped(3):
        walks_of(system, lengths=[5])
    assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)  # noqa: S301 (our own bytes)
    assert isinstance(raised.value, StepsExceeded)
    assert walks_of(system, lengths=[5]) == walks_of(GraphSystem(RING), lengths=[5]), "it can be used on"


def test_queries_of_a_silent_world_are_states_and_operators_and_keep_their_budget():
    world = WorldWalks(transitions_of(parted(SILENT["snapshots"], RING)), QueryBudget(1))
    assert run_walks(world, np.array([[0]])).tolist() == [1]
    assert run_walks(world, np.array([[0]])).tolist() == [1]
    assert world.queries == 1
    with pytest.raises(BudgetExceeded):
        run_walks(world, np.array([[1]]))


def test_survival_refuses_a_world_that_does_not_list():
    config = EWConfig(estimator="survival")
    with pytest.raises(CannotList, match="does not list what is applicable"):
        ew_score(transitions_of(parted(SILENT["keys"], RING)), GraphSystem(RING), rng(), config)


@pytest.mark.parametrize(
    "name",
    wide(PARTS, *FEW_PARTS),
)
def test_looking_for_a_disagreement_in_a_model_that_agrees_ends_soon(name):
    world = parted(PARTS[name], RING)
    found = search_disagreement(world, GraphSystem(RING), rng())
    assert found.found is None
    assert found.simulator.steps <= step_budget(transitions_of(world), EWConfig()) <= MOST_STEPS
    assert "within the budget" in str(found)


def test_a_world_without_a_list_works_wherever_one_was_asked_for():
    world = parted(SILENT["replay"], WORLD)
    assert applicable_in(world) == ("(a)", "(b)")
    assert applicable_in(world, ("(a)",)) == ("(b)", "(c)")
    with pytest.raises(ValueError, match="step 1 of the walk is refused"):
        applicable_in(world, ("(d)",))
    assert NoInitialAction.seen_in(world).executable == "(a)"


def test_shrinking_in_a_system_finds_what_shrinking_in_the_world_does():
    world = parted(LISTING["snapshots"], WORLD)
    model = GraphSystem(MODEL)
    for seed in range(5):
        found = first_disagreement(world, model, rng(seed))
        slow, fast = shrink(world, model, found), shrink(world, model, found, asked=transitions_of(world))
        assert fast == slow


def test_a_world_that_is_not_deterministic_is_named():
    class Moody(type(parted(LISTING["replay"], {}))):
        def executable(self, walk):
            return super().executable(walk[:1])

    world = parted(SILENT["keys"], RING)
    system = transitions_of(world)
    walks_of(system, lengths=[6])
    world._graph = {}
    with pytest.raises(ValueError, match="must be deterministic"):
        walks_of(system, seed=9, lengths=[6] * 9)


def test_batched_systems_are_not_simulators():
    assert simulated(GraphSystem(RING)) is None
    assert simulated(WorldWalks(GraphSystem(RING))) is None
    assert simulated(WorldWalks(transitions_of(parted((), RING)))) is not None
    assert SimulatorCost(3, 2, 1) - SimulatorCost(1, 1, 1) == SimulatorCost(2, 1, 0)


def test_the_counts_of_a_world_that_counts_itself_are_taken():
    class Costly(type(parted(LISTING["snapshots"], RING))):
        """It tries both operators in a state before it lists them."""

        opened = 7
        simulator_steps = property(lambda self: self.opened + self.steps)
        simulator_resets = property(lambda self: self.resets)

        def applicable_here(self):
            self.steps += 2
            return super().applicable_here()

    world = Costly(RING)
    system = transitions_of(world)
    assert walks_of(system) == walks_of(GraphSystem(RING))
    assert system.cost == world.counted and system.cost.steps > 7
    with pytest.raises(StepsExceeded), system.capped(2):
        walks_of(system, seed=1, lengths=[9])


def test_what_a_world_cannot_do_is_said_before_it_is_walked():
    def said(parts, **config):
        world = parted(parts, RING)
        notes = list(walk_notes(world, EWConfig(**config)))
        assert world.counted == SimulatorCost()
        return notes

    assert said(SILENT["snapshots"]) == said(LISTING["steps"], estimator="survival") == []
    (replayed,) = said(LISTING["replay"])
    assert replayed.endswith("an EW score of 100 walks takes up to 2,200 simulator steps")
    (replayed,) = said(SILENT["replay"])
    assert "and as much again for each operator that is tried and refused" in replayed
    (instead,) = said(SILENT["keys"], estimator="survival")
    assert "EW is estimated by prefix, not survival" in instead
    assert list(walk_notes(BatchedGraphWorld(RING), EWConfig())) == []


@pytest.mark.parametrize("name", ["lists: replay", "lists: steps", "silent: steps"])
def test_what_is_forecast_is_never_exceeded(name):
    system = transitions_of(parted(PARTS[name], RING))
    found = ew_score(system, GraphSystem(RING), rng())
    assert found.simulator.steps <= score_steps(system, EWConfig())


@pytest.mark.parametrize("parts", PARTS.values(), ids=PARTS)
def test_a_watcher_is_told_of_all_that_is_counted_and_of_nothing_afterwards(parts):
    world, told = parted(parts, RING), [NO_COST]
    system = transitions_of(world)
    with watched(told.append):
        walks_of(system)
    seen = sum(told, NO_COST)
    assert seen == system.cost != NO_COST
    walks_of(system, seed=1)
    assert sum(told, NO_COST) == seen != system.cost


def steps_to_right(system, count):
    """The place after so many steps, which the simulator has not gone to, and the operator that was made."""
    state, right = system.initial(1), np.array([system.operators.index("(right)")])
    for _ in range(count):
        state = system.successors(state, right)
    return state, right


@pytest.mark.parametrize("length", range(4))
def test_a_cap_lets_through_what_it_pays_for_and_no_step_more(length):
    def cost(parts, cap):
        world = parted(parts, RING)
        system = transitions_of(world)
        try:
            with system.capped(cap):
                assert system.executes(*steps_to_right(system, length)).all()
            return world.steps
        finally:
            assert cap is None or world.steps <= cap

    for parts in PARTS.values():
        whole = cost(parts, None)
        assert cost(parts, whole) == whole == length + (parts in SILENT.values())
        if whole:
            with pytest.raises(StepsExceeded):
                cost(parts, whole - 1)


@settings(max_examples=30)
@given(graph=started, seed=st.integers(0, 9))
def test_where_states_have_keys_what_was_refused_once_is_not_tried_again(graph, seed):
    """By whatever walk the state is reached, though nobody has been there by that walk."""
    for parts in (SILENT["keys"], SILENT["snapshots and keys"]):
        world, tried = parted(parts, graph, LABELS), Counter()
        system, follow = transitions_of(world), world._follow

        def counted(place, text, tried=tried, follow=follow):
            tried[place, text] += text not in graph.get(place, {})
            return follow(place, text)

        world._follow = counted
        listed = GraphSystem({**graph, 9: dict.fromkeys(LABELS, 9)})
        for walk in sample_walks(listed, [1, 2, 3] * 3, rng(seed)).operators:
            state = system.initial(1)
            for operator in walk:
                state = system.successors(state, np.array([operator]))
            system.executes(state.repeat(len(LABELS)), np.arange(len(LABELS)))
        walks_of(system, seed)
        assert max(tried.values()) <= 1


@pytest.mark.parametrize("left", [0, 2, 5])
def test_a_world_that_is_asked_about_walks_and_refuses_one_it_ran_names_the_shortest(left):
    world = parted(SILENT["replay"], RING)
    system = transitions_of(world)
    state, right = steps_to_right(system, 5)
    assert system.executes(state, right).all()
    world._graph = {place: edges if place < left else {} for place, edges in RING.items()}
    with pytest.raises(ValueError, match="deterministic: " + " ".join([r"\(right\)"] * (left + 1)) + "$"):
        system.executes(system.successors(state, right), right)


@given(graph=any_graph, number=st.floats(0, 1, exclude_max=True))
def test_an_operator_is_drawn_where_any_runs_and_minus_one_elsewhere(graph, number):
    for parts in PARTS.values():
        system = transitions_of(parted(parts, graph, LABELS))
        (drawn,) = system.drawn(system.initial(1), np.array([number]))
        runs = graph.get(0, {})
        assert system.operators[drawn] in runs if runs else drawn == -1
