"""Learning operators and inferring goals.

Operators: 1,000 demonstrations of 30 steps in Mini-Minecraft, with arguments known and by name. The
demonstrations are random walks in the tasks that the packaged ones were planned for, so that they are as long
as wanted; the learners do not care whether a step is of use. Reading them from a file is timed, too.

Goals: parsing a long plan, extending one by three rounds, and ranking goals of either kind.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np

from agents.goals.extension import Bounds, extend
from agents.goals.parsing import ground_plan, parse
from agents.goals.ranking import infer
from agents.operators.learner import learn_operators
from agents.operators.symbolic import learn_symbolically
from envs.pddl.simulation.compile import compile_task
from envs.pddl.traces.files import load_traces, save_traces
from envs.pddl.traces.trace import SeenState, Step, Trace, Traces, trace_of
from ew.walks.walk import sample_walks
from experiments.bench import measure
from experiments.runs.seeds import stream
from experiments.studies.goals.study import GuessUnit
from experiments.studies.goals.tasks import GoalTask, kept, space_of
from experiments.studies.operators.demonstrations import demonstrated, minecraft

STEPS = 30
_TASKS = 50
_LIMIT_S = 60


def operators_figures(_settings: measure.BenchSettings, count: int = 1000) -> Iterator[measure.Figure]:
    """One line for each learner, one for reading, and the memory that all of it took."""
    traces = demonstrations_of_length(count, STEPS)
    what = f"{count:,} demonstrations of {STEPS} steps"
    with tempfile.TemporaryDirectory(prefix="groundwalk-bench-") as folder:
        path = Path(folder) / "traces.jsonl.gz"
        save_traces(path, traces)
        size = f"{path.stat().st_size / 1e6:.1f} MB"
        yield measure.at_most(f"read {what}", measure.seconds(lambda: load_traces(path)), _LIMIT_S, "s", size)
    learned, known = measure.timed(lambda: learn_operators(traces))
    beside = f"{len(learned)} operators"
    yield measure.at_most(f"learn from {what}, arguments known", known, _LIMIT_S, "s", beside)
    by_name = measure.seconds(lambda: learn_symbolically(traces))
    yield measure.at_most(f"learn from {what}, by name", by_name, _LIMIT_S, "s")
    yield from measure.peak_memory("peak memory, traces made included", 1024)


def demonstrations_of_length(count: int, steps: int) -> Traces:
    """Random walks of exactly so many steps in the first single-item tasks."""
    each = -(-count // _TASKS)
    walks = (trace for task in range(1, _TASKS + 1) for trace in _walks(task, each, steps))
    return Traces(minecraft().vocabulary, tuple(islice(walks, count)))


def _walks(number: int, count: int, steps: int) -> Iterator[Trace]:
    problem = demonstrated("single", number)
    task = compile_task(problem)
    walks = sample_walks(task, [steps] * count, stream(0, "bench operators", number))
    for row in range(count):
        state = task.initial(1)
        states, made = [SeenState(task.atoms_of(state))], []
        for place, operator in enumerate(walks.operators[row, : walks.lengths[row]]):
            state = task.successors(state, np.array([operator]))
            states.append(SeenState(task.atoms_of(state)))
            made.append(Step(task.operators[operator], True, place, place + 1))
        yield trace_of(f"{problem.name}-{row}", problem.objects, states, made)


_PLAN_STEPS, ROUNDS = 200, 3


def goals_figures(settings: measure.BenchSettings) -> Iterator[measure.Figure]:
    """One line for each; the targets are those of the project, without one for ranking."""
    task = max(kept().values(), key=lambda task: len(task.plan))
    observed = GuessUnit("ranking-true", task, 1, 0).observed
    long = replace(observed, plan=(task.plan * (_PLAN_STEPS // len(task.plan) + 1))[:_PLAN_STEPS])
    parsing = measure.median_seconds(lambda: long.graph, settings.repeats)
    yield measure.at_most(f"parse a plan of {_PLAN_STEPS} steps", 1e3 * parsing, 50, "ms")
    graph = parse(ground_plan(long.operators, long.plan))
    facts, bounds = long.reached, Bounds(ROUNDS)
    extending = measure.median_seconds(
        lambda: extend(graph, long.operators, long.objects, long.vocabulary, facts, bounds), settings.repeats
    )
    yield measure.at_most(f"extend it by {ROUNDS} rounds", 1e3 * extending, 1000, "ms")
    yield _ranking(kept()["four", 1, 0])
    yield _ranking(kept()["single", 1, 0])


def _ranking(task: GoalTask) -> measure.Figure:
    """Without a language model, from the true operators."""
    unit = GuessUnit("ranking-true", task, 1, 0)
    seen, space = unit.observed, space_of(task.kind)
    taken = measure.median_seconds(lambda: infer(seen, space, whole=unit.whole), 1)
    what = f"rank goals of a plan of {len(seen.plan)} steps, {'whole' if unit.whole else 'cut'}"
    return measure.Figure(what, measure.shown(1e3 * taken, "ms"), "", True)
