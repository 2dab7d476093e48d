"""A simulator that nobody wrote a model of: `python examples/simulator.py [--env toytext:Taxi] [--seed 0]`.

First a random agent acts in it with masks, as a learner of sb3-contrib would. Then a model is learned from
walks in one task; a planner plans in the model for tasks that were not walked in, and the simulator carries
the plans out, action by action.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import gymnasium
import numpy as np

import envs  # noqa: F401 (registers groundwalk/World-v0)
from agents.operators.exploration import Exploration, Explorer
from agents.operators.learner import Bias
from agents.operators.lifted import domain_of, shown_problem
from agents.operators.turns import learn_in_turns
from envs.pddl.planning.planner import Planner
from envs.world import open_world


def masked(name: str, problem: int | str = 1, steps: int = 200) -> gymnasium.Env:
    """An environment of indices, with masks, whose states are observed as facts."""
    return gymnasium.make(
        "groundwalk/World-v0",
        world=name,
        problem=problem,
        action_interface="discrete",
        observation="facts",
        max_episode_steps=steps,
    )


def act_at_random(env: gymnasium.Env, rng: np.random.Generator) -> tuple[int, float]:
    """Steps and reward of an episode that only takes what the masks allow."""
    env.reset()
    steps, total, ended = 0, 0.0, False
    while not ended:
        allowed = np.flatnonzero(env.get_wrapper_attr("action_masks")())
        _, reward, terminated, truncated, _ = env.step(allowed[int(rng.random() * len(allowed))])
        steps, total, ended = steps + 1, total + float(reward), terminated or truncated
    return steps, total


def planned(name: str, problem: int | str, domain: str, domain_name: str) -> tuple[int, float]:
    """Steps and reward of a plan of the model, carried out in the simulator; nothing without a plan."""
    plan = Planner().plan(domain, shown_problem(open_world(name, problem), domain_name)).plan or ()
    env, total = masked(name, problem), 0.0
    env.reset()
    for operator in plan:
        _, reward, *_ = env.step(env.get_wrapper_attr("operators").index(operator))
        total += float(reward)
    return len(plan), total


def main(arguments: Sequence[str] | None = None) -> list[float]:
    """Act at random, learn, plan and act; the rewards of the planned episodes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--env", default="toytext:Taxi")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    rng = np.random.default_rng(options.seed)
    print("at random: {} steps, reward {}".format(*act_at_random(masked(options.env), rng)))
    explorer = Explorer(open_world(options.env, 1), rng, Exploration(walks=20, length=20))
    domain = domain_of(explorer.vocabulary, learn_in_turns([explorer], Bias.LEAN))
    rewards = []
    for problem in (2, 3, "f01"):
        steps, reward = planned(options.env, problem, domain, explorer.vocabulary.name)
        print(f"planned in the model, task {problem}: {steps} steps, reward {reward}")
        rewards.append(reward)
    return rewards


if __name__ == "__main__":
    main()
