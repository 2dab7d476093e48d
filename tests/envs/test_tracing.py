"""The wrapper that keeps traces: of any interface, of other environments, and changing nothing."""

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Discrete

import envs  # noqa: F401 (registers the worlds)
from envs.environment import SurfaceEnv
from envs.pddl.interface import ShowsStates
from envs.pddl.language.domain import read_vocabulary
from envs.pddl.traces.files import load_traces, save_traces
from envs.pddl.traces.trace import SeenState
from envs.tracing import TraceRecorder
from envs.world import open_world

PLAN = ("(move robot1 room2 room1)", "(pick robot1 ball1 room1 lgripper1)", "(fly robot1)", "(move robot1)")


def walked(env):
    """Two episodes: a plan, and then a refused operator at once."""
    recorder = TraceRecorder(env)
    recorder.reset(seed=0)
    infos = [recorder.step(operator)[4] for operator in PLAN]
    recorder.reset(seed=0)
    recorder.step(PLAN[1])
    return recorder, infos


def test_a_trace_holds_the_facts_before_and_after_and_what_was_refused(tmp_path):
    recorder, infos = walked(gymnasium.make("groundwalk/Grippers-v0", problem=1))
    world = open_world("grippers", 1)
    first, second = recorder.traces().traces
    assert [s.executable for s in first.steps] == [True, True] and [i["executable"] for i in infos[:2]]
    for number in range(3):
        assert first.state(number) == SeenState(world.facts(PLAN[:number]))
    assert [(s.operator, s.executable, s.after) for s in second.steps] == [(PLAN[1], False, None)]
    assert first.objects == dict(world.objects)
    save_traces(tmp_path / "t.jsonl", recorder.traces())
    assert [t.same for t in load_traces(tmp_path / "t.jsonl").traces] == [first.same, second.same]


def test_the_interface_of_actions_makes_no_difference():
    text = walked(gymnasium.make("groundwalk/Grippers-v0", problem=1))[0].traces()
    env = TraceRecorder(gymnasium.make("groundwalk/Grippers-v0", problem=1, action_interface="discrete"))
    operators = env.get_wrapper_attr("operators")
    env.reset(seed=0)
    for operator in PLAN[:2]:
        env.step(operators.index(operator))
    assert env.traces().traces[0].same == text.traces[0].same


def test_any_world_that_shows_its_states_is_traced_through_its_surface():
    env = SurfaceEnv(open_world("grippers", 1))
    with pytest.raises(ResetNeeded):
        _ = env.facts
    assert [t.same for t in walked(env)[0].traces().traces] == [
        t.same for t in walked(gymnasium.make("groundwalk/Grippers-v0", problem=1))[0].traces().traces
    ]


def test_a_world_shows_facts_and_goal_and_refuses_walks_that_do_not_run():
    world = open_world("grippers", 1)
    assert isinstance(world, ShowsStates)
    assert all(len(fact) == 1 + len(world.predicates[fact[0]]) for fact in world.facts())
    assert world.goal.startswith("(") and "at" in world.goal
    with pytest.raises(ValueError, match="refused"):
        world.facts(["(move robot1 room3 room3)"])


class Counter(gymnasium.Env):
    """An environment of another kind: a number that can be raised to two."""

    action_space, observation_space = Discrete(2), Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.number = 0
        return 0, {}

    def step(self, action):
        self.number = min(2, self.number + int(action))
        return self.number, 0.0, False, False, {}


def test_other_environments_say_how_they_are_read():
    words = read_vocabulary(
        "(define (domain c) (:predicates (is ?n)) (:action up :parameters ()) (:action stay :parameters ()))"
    )
    env = TraceRecorder(
        Counter(),
        words=words,
        see=lambda env: frozenset({("is", f"n{env.unwrapped.number}")}),
        say=lambda env, action: ("(stay)", "(up)")[int(action)],
        objects=lambda env: {f"n{i}": "object" for i in range(3)},
    )
    env.reset()
    for action in (1, 0, np.int64(1), 1):
        env.step(action)
    (trace,) = env.traces().traces
    assert [(s.operator, s.executable) for s in trace.steps] == [
        ("(up)", True), ("(stay)", False), ("(up)", True), ("(up)", False),
    ]  # fmt: skip
