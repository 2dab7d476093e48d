"""The worlds: single steps against pddlgym, many states at once, a large map, and generated tasks."""

from __future__ import annotations

import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from envs.environment import WorldEnv
from envs.generators.minecraft import Minecraft
from envs.pddl.language.domain import read_domain
from envs.pddlgym_live import live_environment
from envs.registry import WORLDS, WORLDS_FOLDER
from envs.tasks import Pool, make_facts, problem_text
from envs.world import open_world
from ew.walks.adapter import transitions_of
from ew.walks.walk import sample_walks
from experiments.bench.kernel import env_steps_a_second
from experiments.bench.measure import BenchSettings, Figure, at_least, at_most, in_child, median_seconds

#: The domains that pddlgym can walk in without a Prolog. Left out are those in which it takes minutes for the
#: first step (footwear, manygrid), and those in which nothing can be done.
SHARED = (
    *("baking", "blocks", "blocks_medium", "blocks_operator_actions", "conditionalblocks"),
    *("conditionalferry", "depot", "dynamic_action_space_same_obj", "easyblocks", "easynewspapers"),
    *("elevator", "ferry", "generated_blocks", "glibblocks", "glibrearrangement", "gripper", "hanoi"),
    *("hanoi_operator_actions", "lifelong_blocks6", "lifelong_tiny_gripper", "manyblocksnopiles"),
    *("manyblockssmallpiles", "manyferry", "manygripper", "manylogistics", "manymiconic", "maze"),
    *("meetpass", "minecraft", "movie", "newspapers", "onearmedgripper", "rearrangement"),
    *("searchandrescue_level1", "slidetile", "tinyonearmedgripper", "travel", "visit_all"),
)
#: The walk is taken back to the start after so many steps, on both sides.
_EPISODE = 25
#: How many seconds each side is stepped for in one domain, and at most how many steps.
_SPAN_S, _MOST_STEPS = 0.3, 2000
#: 8.6 million operators of one mining action by their types alone.
_LARGE = Minecraft(5, 5, slots=5, goals=3, steps=6, extras=4, objects=24)


def world_figures(settings: BenchSettings) -> Iterator[Figure]:
    """All figures about worlds."""
    yield from against_pddlgym()
    yield batched(settings.repeats)
    yield from large_map()
    yield generation()


def against_pddlgym(domains: tuple[str, ...] = SHARED) -> Iterator[Figure]:
    """Steps a second with the mask of one environment, as ratios to pddlgym's: the median and the worst."""
    ratios: dict[str, float] = {}
    for domain in domains:
        theirs = their_rate(domain)
        env = WorldEnv(f"pddlgym:{domain}", 1, action_interface="discrete", observation="facts")
        ours = env_steps_a_second(env, _MOST_STEPS, span_s=_SPAN_S, episode=_EPISODE)
        ratios[domain] = ours / theirs
    worst, *_, best = sorted(ratios, key=ratios.__getitem__)
    what, median = "steps with mask against pddlgym", statistics.median(ratios.values())
    beside = f"most: {ratios[best]:,.0f}x in {best}"
    yield at_least(f"{what}, median of {len(ratios)} domains", median, 10, "x", beside)
    behind = (f"{n} {ratios[n]:.1f}" for n in sorted(ratios, key=ratios.__getitem__) if ratios[n] < 2)
    beside = f"below 2x: {', '.join(behind) or 'none'}; the worst is {worst}"
    yield at_least(f"{what}, the worst domain", ratios[worst], 1, "x", beside)


def their_rate(domain: str) -> float:
    """Random steps a second in pddlgym's own environment, whose first grounding is not counted."""
    env = live_environment(domain)
    rng = np.random.default_rng(0)
    start, _ = env.reset()
    state, possible = start, list(env.action_space.all_ground_literals(start, valid_only=True))
    steps, started = 0, time.perf_counter()
    while steps < _MOST_STEPS and time.perf_counter() - started < _SPAN_S:
        state, _, ended, _, _ = env.step(possible[int(rng.random() * len(possible))])
        possible = list(env.action_space.all_ground_literals(state, valid_only=True))
        steps += 1
        if ended or not possible or steps % _EPISODE == 0:
            env.set_state(start)  # cheaper than its reset, which we pay on our side
            possible = list(env.action_space.all_ground_literals(start, valid_only=True))
    return steps / (time.perf_counter() - started)


def batched(repeats: int, states: int = 1000, steps: int = 20) -> Figure:
    """Random walks of many states at once: applicable operators, a choice, and the successors."""
    system = transitions_of(open_world("grippers", 1))

    def walk(rows: int) -> None:
        sample_walks(system, [steps] * rows, np.random.default_rng(0))

    rate = states * steps / median_seconds(lambda: walk(states), repeats)
    single = steps / median_seconds(lambda: walk(1), repeats)
    beside = f"{rate / single:.0f}x one state at a time"
    return at_least(f"batched steps, grippers, {states:,} states", rate, 200_000, "/s", beside)


def large_map() -> Iterator[Figure]:
    """Opening, reset and first applicable operators of a large minecraft task, in a process of its own."""
    facts = _LARGE.generate(np.random.default_rng(0))
    source = WORLDS_FOLDER / "minecraft"
    domain = read_domain((source / "domain.pddl").read_text(encoding="utf-8"))
    what = f"minecraft, {_LARGE.rows * _LARGE.columns} tiles, {_LARGE.objects} objects, {_LARGE.slots} slots"
    with tempfile.TemporaryDirectory(prefix="groundwalk-bench-") as name:
        folder = Path(name)
        for file in ("domain.pddl", "domain.nl", "words.json"):
            shutil.copy(source / file, folder)
        text = problem_text("large", domain.vocabulary, facts)
        (folder / "p01.pddl").write_text(text, encoding="utf-8")
        (folder / "p01.nl").write_text("Make things.", encoding="utf-8")
        found = in_child("first-reset", name)
    yield at_most(f"first operators of {what}", found.seconds, 1, "s", f"{found.count:,} operators")
    yield at_most("  memory", found.megabytes, 500, "MB")


def generation() -> Figure:
    """Generated tasks a second, all ten sizes in turn, in the slowest world."""
    rates = {world: tasks_a_second(world) for world in WORLDS}
    slowest = min(rates, key=rates.__getitem__)
    beside = f"{slowest}; median {statistics.median(rates.values()):,.0f} /s"
    return at_least(f"generated tasks, the slowest of {len(rates)} worlds", rates[slowest], 100, "/s", beside)


def tasks_a_second(world: str, rounds: int = 3) -> float:
    """Tasks on demand a second."""
    make_facts(world, Pool.ON_DEMAND, 1)  # imports the generator
    started = time.perf_counter()
    for index in range(1, 10 * rounds + 1):
        make_facts(world, Pool.ON_DEMAND, index)
    return 10 * rounds / (time.perf_counter() - started)
