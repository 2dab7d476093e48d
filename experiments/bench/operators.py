"""Learning operators: 1,000 demonstrations of 30 steps in Mini-Minecraft, with arguments known and by name.

The demonstrations are random walks in the tasks that the packaged ones were planned for, so that they are as
long as wanted; the learners do not care whether a step is of use. Reading them from a file is timed, too.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import numpy as np

from agents.operators.learner import learn_operators
from agents.operators.symbolic import learn_symbolically
from envs.pddl.simulation.compile import compile_task
from envs.pddl.traces.files import load_traces, save_traces
from envs.pddl.traces.trace import SeenState, Step, Trace, Traces, trace_of
from ew.walks.walk import sample_walks
from experiments.bench.measure import Figure, peak_megabytes
from experiments.runs.seeds import stream
from experiments.studies.operators.demonstrations import demonstrated, minecraft

COUNT, STEPS = 1000, 30
_TASKS = 50
TARGET_S = 60.0


def bench_operators(count: int = COUNT) -> Iterator[Figure]:
    """One line for each learner, one for reading, and the memory that all of it took."""
    traces = demonstrations_of_length(count, STEPS)
    what = f"{count:,} demonstrations of {STEPS} steps"
    with tempfile.TemporaryDirectory(prefix="groundwalk-bench-") as folder:
        path = Path(folder) / "traces.jsonl.gz"
        save_traces(path, traces)
        started = perf_counter()
        load_traces(path)
        yield _seconds(f"read {what}", perf_counter() - started, f"{path.stat().st_size / 1e6:.1f} MB")
    for name, learn in (("arguments known", learn_operators), ("by name", learn_symbolically)):
        started = perf_counter()
        learned = learn(traces)
        yield _seconds(f"learn from {what}, {name}", perf_counter() - started, f"{len(learned)} operators")
    memory = peak_megabytes()
    if memory is not None:
        yield Figure("peak memory, traces made included", f"{memory:.0f} MB", "1024 MB", memory <= 1024)


def demonstrations_of_length(count: int, steps: int) -> Traces:
    """Random walks of exactly so many steps in the first single-item tasks."""
    each = -(-count // _TASKS)
    walks = (trace for task in range(1, _TASKS + 1) for trace in _walks(task, each, steps))
    return Traces(minecraft().vocabulary, tuple(trace for _, trace in zip(range(count), walks, strict=False)))


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


def _seconds(what: str, seconds: float, beside: str) -> Figure:
    return Figure(what, f"{seconds:.1f} s", f"< {TARGET_S:.0f} s", seconds < TARGET_S, beside)
