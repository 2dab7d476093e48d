"""The worlds: single steps against pddlgym, many states at once, a large map, and generated tasks."""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from envs.environment import WorldEnv
from envs.generators.minecraft import Size, generate
from envs.pddl.language.domain import read_domain
from envs.pddl.process import run_child
from envs.pddlgym_live import live_environment
from envs.registry import WORLDS, WORLDS_FOLDER
from envs.tasks import Pool, make_facts, problem_text
from envs.world import open_world
from ew.walks.adapter import transitions_of
from ew.walks.walk import sample_walks
from experiments.bench.measure import Figure, median_seconds

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
_LARGE = Size(5, 5, slots=5, goals=3, steps=6, extras=4, objects=24)
_CHILD_LIMIT_S, _CHILD_MEMORY_MB = 120.0, 4000


def bench_worlds(repeats: int) -> Iterator[Figure]:
    """All figures about worlds."""
    yield from against_pddlgym()
    yield batched(repeats)
    yield large_map()
    yield generation()


def against_pddlgym(domains: tuple[str, ...] = SHARED) -> Iterator[Figure]:
    """Steps a second with the mask of one environment, as ratios to pddlgym's: the median and the worst."""
    ratios: dict[str, float] = {}
    for domain in domains:
        theirs = their_rate(domain)
        ratios[domain] = our_rate(domain) / theirs
    median, worst = statistics.median(ratios.values()), min(ratios, key=lambda name: ratios[name])
    best = max(ratios, key=lambda name: ratios[name])
    yield Figure(
        f"steps with mask against pddlgym, median of {len(ratios)} domains",
        f"{median:.1f}x",
        "10x",
        median >= 10,
        f"most: {ratios[best]:,.0f}x in {best}",
    )
    behind = sorted((name for name in ratios if ratios[name] < 2), key=lambda name: ratios[name])
    yield Figure(
        "steps with mask against pddlgym, the worst domain",
        f"{ratios[worst]:.1f}x",
        "1x",
        ratios[worst] >= 1,
        f"below 2x: {', '.join(f'{n} {ratios[n]:.1f}' for n in behind) or 'none'}; the worst is {worst}",
    )


def our_rate(domain: str) -> float:
    """Random steps a second in our environment of a pddlgym domain, the mask included."""
    env = WorldEnv(f"pddlgym:{domain}", 1, action_interface="discrete", observation="facts")
    rng = np.random.default_rng(0)
    _, info = env.reset()
    steps, started = 0, time.perf_counter()
    while steps < _MOST_STEPS and time.perf_counter() - started < _SPAN_S:
        choices = np.flatnonzero(info["action_mask"])
        _, _, ended, _, info = env.step(choices[int(rng.random() * len(choices))])
        steps += 1
        if ended or steps % _EPISODE == 0:
            _, info = env.reset()
    return steps / (time.perf_counter() - started)


def their_rate(domain: str) -> float:
    """The same in pddlgym's own environment, whose first grounding is not counted."""
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
    return Figure(
        f"batched steps, grippers, {states:,} states",
        f"{rate:,.0f} /s",
        "200,000 /s",
        rate >= 200_000,
        f"{rate / single:.0f}x one state at a time",
    )


def large_map() -> Figure:
    """Opening, reset and first applicable operators of a large minecraft task, in a process of its own."""
    facts = generate(np.random.default_rng(0), _LARGE)
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
        command = [sys.executable, "-m", "experiments.bench.first_reset", name]
        child = run_child(command, cwd=Path.cwd(), wall_s=_CHILD_LIMIT_S, memory_mb=_CHILD_MEMORY_MB)
    if not child.succeeded:
        return Figure(what, str(child.status), "1 s, 500 MB", False, child.stderr[-200:].strip())
    seconds, megabytes, operators = child.stdout.split()
    met = float(seconds) <= 1 and float(megabytes) <= 500
    value = f"{float(seconds):.2f} s, {float(megabytes):.0f} MB"
    return Figure(f"first operators of {what}", value, "1 s, 500 MB", met, f"{int(operators):,} operators")


def generation() -> Figure:
    """Generated tasks a second, all ten sizes in turn, in the slowest world."""
    rates = {world: tasks_a_second(world) for world in WORLDS}
    slowest = min(rates, key=lambda world: rates[world])
    return Figure(
        f"generated tasks, the slowest of {len(rates)} worlds",
        f"{rates[slowest]:,.0f} /s",
        "100 /s",
        rates[slowest] >= 100,
        f"{slowest}; median {statistics.median(rates.values()):,.0f} /s",
    )


def tasks_a_second(world: str, rounds: int = 3) -> float:
    """Tasks on demand a second."""
    make_facts(world, Pool.ON_DEMAND, 1)  # imports the generator
    started = time.perf_counter()
    for index in range(1, 10 * rounds + 1):
        make_facts(world, Pool.ON_DEMAND, index)
    return 10 * rounds / (time.perf_counter() - started)
