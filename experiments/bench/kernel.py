"""The kernel, the EW score and environments of small worlds, against slower ways of doing the same.

And what an EW score of a given precision costs, estimator by estimator. Each scores the same wrong candidates
again and again with different seeds. The spread of its scores
gives its variance at equal walks; as the variance of a mean falls with the number of walks, variance times
world queries is the variance at equal queries, and divided by a wished standard error squared it is what that
precision costs, down to the price of the fewest walks. The standard errors that the scores state themselves
are given too: they are cautious, the more so the fewer the walks. Queries are counted twice: as the walks ask
them, and as they reach a world that remembers its answers (`WorldWalks`), where the walks of one score share
their beginnings.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from math import inf
from pathlib import Path
from typing import NamedTuple

import numpy as np

from envs.environment import WorldEnv
from envs.generators.grippers import Grippers
from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.grounding import Limits
from envs.pddl.simulation.reference import ReferenceSimulator
from envs.pddl.simulation.simulator import Task
from envs.source import read_texts
from envs.tasks import problem_text
from ew.score.config import EWConfig
from ew.score.exact import TooManyStates, exact_ew
from ew.score.registry import ESTIMATORS, PUBLISHED
from ew.score.score import EWScore, ew_score
from ew.score.shown import shown
from ew.walks.walk import sample_walks
from ew.walks.world_walks import WorldWalks
from experiments.bench.measure import BenchSettings, Figure, at_least, at_most, median_seconds

#: Milliseconds that a score may take at so many operators: from texts to the score, and of compiled tasks.
_LIMITS_MS = ((100, 20, 5), (1000, 60, 30), (3000, 250, 30))
_T_MAX = 10
_SCORE = EWConfig(walks=100, t_max=_T_MAX)
#: Standard errors of which the cost is given.
PRECISIONS = (0.05, 0.02, 0.01)


class BenchTask(NamedTuple):
    """A task as text."""

    name: str
    domain: str
    problem: str

    def read(self) -> Problem:
        """The task as a problem, read anew."""
        return read_problem(self.problem, read_domain(self.domain))


def task_texts() -> Iterator[BenchTask]:
    """Five tasks from 40 to about 3,000 operators, the smallest first."""
    for world, number in (("blocksworld", 1), ("grippers", 1), ("termes", 9), ("logistics", 10)):
        texts = read_texts(world, number)
        yield BenchTask(f"{world} p{number:02}", texts.domain, texts.problem)
    domain = read_texts("grippers", 1).domain
    yield BenchTask("grippers, 10 rooms, 34 balls", domain, grippers_problem(2, 10, 34))


def grippers_problem(robots: int, rooms: int, balls: int) -> str:
    """A grippers task of any size, drawn from a fixed seed."""
    size = Grippers(robots, rooms, balls)
    vocabulary = read_domain(read_texts("grippers", 1).domain).vocabulary
    return problem_text("large", vocabulary, size.generate(np.random.default_rng(0)))


def ew_figures(settings: BenchSettings) -> Iterator[Figure]:
    """Scores of each task against itself, how their cost grows, and steps against pymimir's."""
    texts = tuple(task_texts())
    tasks = [compile_task(text.read()) for text in texts]
    seconds = [median_seconds(partial(_score, task, task), max(settings.repeats, 5)) for task in tasks]
    for text, task, spent in zip(texts, tasks, seconds, strict=True):
        yield from _score_figures(text, task, spent, settings.repeats)
    sizes = [len(task.operators) for task in tasks]
    slope = float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
    yield at_most("cost against operators", slope, 1, "log-log slope")
    if find_spec("pymimir") is None:
        yield Figure("walks against pymimir", "not measured", "10x", False, "install pymimir to compare")
        return
    for text, task in zip(texts, tasks, strict=True):
        ours = _steps_a_second(partial(_batch, task), settings.repeats)
        theirs = _steps_a_second(_pymimir_loop(text), min(settings.repeats, 3))
        beside = f"{ours:,.0f} steps/s"
        yield at_least(f"walks in a batch of 100, {text.name}", ours / theirs, 10, "x pymimir", beside)


def _score_figures(text: BenchTask, world: Task, compiled: float, repeats: int) -> Iterator[Figure]:
    """From a candidate's text to its score, and the score alone; the world is compiled before."""
    operators = len(world.operators)
    whole_ms, compiled_ms = next(limits for most, *limits in _LIMITS_MS if operators <= most)
    whole = median_seconds(lambda: _score(world, compile_task(text.read(), Limits())), repeats)
    compiling = median_seconds(lambda: compile_task(text.read(), Limits()), repeats)
    slow = _reference_walk(text.read()) / _task_walk(world)
    what = f"{text.name} ({operators:,} operators)"
    beside = f"{compiling / whole:.0%} of it compiling; a step: {slow:,.0f}x the reference"
    yield at_most(f"EW score, {what}", 1e3 * whole, whole_ms, "ms", beside)
    beside = f"{_SCORE.walks / compiled:,.0f} walks/s, one core"
    yield at_most(f"EW of a compiled candidate, {what}", 1e3 * compiled, compiled_ms, "ms", beside)


def _score(world: Task, model: Task) -> None:
    found = ew_score(world, model, np.random.default_rng(0), _SCORE)
    if found.score != 1.0:
        raise RuntimeError(f"a task differs from itself: EW {found.score}")


def _task_walk(task: Task) -> float:
    """Seconds a step of a walk in a batch of 50."""

    def walk() -> None:
        states = task.initial(50)
        for _ in range(10):
            chosen = task.applicable(states).argmax(axis=1).astype(np.int64)
            states = task.successors(states, chosen)

    return median_seconds(walk, 3) / 500


def _reference_walk(problem: Problem) -> float:
    """Seconds a step of the same walk in the reference simulator."""
    simulator = ReferenceSimulator(problem)
    state = simulator.initial()
    started = time.perf_counter()
    for _ in range(3):
        state = simulator.successor(state, simulator.applicable(state)[0])
    return (time.perf_counter() - started) / 3


def _steps_a_second(walk: Callable[[np.random.Generator], int], repeats: int) -> float:
    """Steps of one call, which must not differ between calls of one seed, by its median time."""
    steps = walk(np.random.default_rng(0))
    return steps / median_seconds(lambda: walk(np.random.default_rng(0)), repeats)


def _batch(task: Task, rng: np.random.Generator) -> int:
    return int(sample_walks(task, [_SCORE.t_max] * _SCORE.walks, rng).lengths.sum())


def _pymimir_loop(text: BenchTask) -> Callable[[np.random.Generator], int]:
    """The same walks, uniform over the applicable operators, one at a time."""
    import pymimir  # an oracle of the tests, not a dependency

    with tempfile.TemporaryDirectory(prefix="groundwalk-bench-") as folder:
        domain, task = Path(folder) / "domain.pddl", Path(folder) / "problem.pddl"
        domain.write_text(text.domain, encoding="utf-8")
        task.write_text(text.problem, encoding="utf-8")
        problem = pymimir.Problem(pymimir.Domain(domain), task)

    def loop(rng: np.random.Generator) -> int:
        draws, steps = rng.random((_SCORE.walks, _SCORE.t_max)).tolist(), 0
        for walk in draws:
            state = problem.get_initial_state()
            for draw in walk:
                actions = state.generate_applicable_actions()
                if not actions:
                    break
                state = actions[int(draw * len(actions))].apply(state)
                steps += 1
        return steps

    return loop


def step_figures(settings: BenchSettings) -> Iterator[Figure]:
    """Random steps in one grippers environment, the action mask included."""
    grippers = partial(WorldEnv, "grippers", 1, action_interface="discrete")
    facts = grippers(observation="facts")
    rate = statistics.median(env_steps_a_second(facts, 2000) for _ in range(settings.repeats))
    words = env_steps_a_second(grippers(observation="text"), 2000)
    beside = f"{rate / words:.1f}x the steps with states in words"
    yield at_least("environment steps, grippers, with mask", rate, 15_000, "/s", beside)


def env_steps_a_second(env: WorldEnv, most: int, *, span_s: float = inf, episode: int | None = None) -> float:
    """Random steps a second with the mask, of at most so many in `span_s`; begun anew after an episode."""
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=0)
    steps, started = 0, time.perf_counter()
    while steps < most and time.perf_counter() - started < span_s:
        choices = np.flatnonzero(info["action_mask"])
        _, _, ended, _, info = env.step(choices[int(rng.random() * len(choices))])
        steps += 1
        if ended or (episode is not None and steps % episode == 0):
            _, info = env.reset()
    return steps / (time.perf_counter() - started)


@dataclass(frozen=True)
class WrongModel:
    """A shipped task and one mistake in its domain."""

    name: str
    world: Task
    model: Task

    def exact(self) -> float | None:
        """The exact score, where it can be computed."""
        try:
            return exact_ew(self.world, self.model, _T_MAX, max_states=3000).score
        except TooManyStates:
            return None

    def scores(self, config: EWConfig, repeats: int, *, remembering: bool = False) -> list[EWScore]:
        """A score for each seed; `remembering`: by a world that answers no query twice within one."""
        scores = []
        for seed in range(repeats):
            world = WorldWalks(self.world) if remembering else self.world
            scores.append(ew_score(world, self.model, np.random.default_rng(seed), config))
        return scores


@dataclass(frozen=True)
class EstimatorCost:
    """How one estimator did on one candidate."""

    config: EWConfig
    mean: float  #: of the scores
    deviation: float  #: of one score
    stated: float  #: mean of the standard errors that the scores stated
    queries: float  #: mean world queries of a score
    reaching: float  #: mean queries that reach a world that remembers its answers

    @classmethod
    def of(cls, wrong: WrongModel, config: EWConfig, repeats: int) -> EstimatorCost:
        """Measured with so many scores."""
        found = wrong.scores(config, repeats)
        remembered = wrong.scores(config, min(repeats, 5), remembering=True)
        scores = np.array([f.score for f in found], dtype=np.float64)
        stated = [f.stderr for f in found if f.stderr is not None]
        queries, reaching = ([f.world_queries for f in some] for some in (found, remembered))
        means = (float(np.mean(some)) for some in (stated, queries, reaching))
        return cls(config, float(scores.mean()), float(scores.std(ddof=1)), *means)

    def queries_for(self, precision: float) -> float:
        """World queries of a score that spreads no more than that, by no fewer walks than a score takes."""
        fewest = self.config.least_walks / self.config.walks
        return self.queries * max((self.deviation / precision) ** 2, fewest)

    @property
    def variance_at_equal(self) -> float:
        """Variance times queries: to be compared with that of other estimators."""
        return self.deviation**2 * self.queries


def wrong_models() -> tuple[WrongModel, ...]:
    """Candidates that permit too much, too little, and both."""
    return (
        _wrong("grippers", "pick needs no free gripper", " (free ?r ?g))\n    :effect", ")\n    :effect"),
        _wrong("grippers", "drop frees no gripper", "(free ?r ?g) (not (carry", "(not (carry"),
        _wrong("termes", "move leaves no place", "(and (not (at ?from)) (at ?to))", "(at ?to)"),
    )


def estimator_costs(wrong: WrongModel, repeats: int, walks: int = 100) -> list[EstimatorCost]:
    """Every estimator on a candidate, `repeats` scores each; the published one first."""
    configs = (EWConfig(walks, _T_MAX, estimator=name) for name in ESTIMATORS)
    return [EstimatorCost.of(wrong, config, repeats) for config in configs]


def estimator_figures(settings: BenchSettings) -> Iterator[Figure]:
    """One line an estimator and candidate; the target is the published estimator at equal walks."""
    for wrong in wrong_models():
        exact = wrong.exact()
        costs = estimator_costs(wrong, 20 * settings.repeats)
        (paper,) = (cost for cost in costs if cost.config.estimator == PUBLISHED)
        for cost in costs:
            prices = ", ".join(f"±{p}: {cost.queries_for(p):,.0f}" for p in PRECISIONS)
            yield Figure(
                f"{cost.config.estimator}, {wrong.name}: EW {shown(cost.mean, 3)}",
                f"SE {cost.deviation:.4f} (stated {cost.stated:.4f})",
                "<= paper",
                cost.deviation <= 1.1 * paper.deviation,  # the spread of so few scores is itself not sure
                f"{cost.config.walks} walks, {cost.queries:,.0f} queries ({cost.reaching:,.0f} if "
                f"remembered); {paper.variance_at_equal / cost.variance_at_equal:.1f}x less variance than "
                f"paper at equal queries; queries for SE {prices}"
                + (f"; exact {shown(exact, 3)}" if exact is not None else ""),
            )


def _wrong(world: str, mistake: str, right: str, wrong: str) -> WrongModel:
    texts = read_texts(world, 1)
    if right not in texts.domain:
        raise RuntimeError(f"the domain of {world} has changed: {right!r} is not in it")
    domains = (texts.domain, texts.domain.replace(right, wrong))
    tasks = (compile_task(read_problem(texts.problem, read_domain(domain))) for domain in domains)
    return WrongModel(f"{world}, {mistake}", *tasks)
