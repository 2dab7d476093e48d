"""All worlds in one table: how large they are, how many choices a walk has, how long their plans are.

Everything is computed from the files when it is asked for, except the plan lengths, which Fast Downward found
once and `solved.json` records.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from envs.folder import stems
from envs.pddl.interface import TransitionSystem
from envs.pddl.language.issues import PDDLError
from envs.pddl.simulation.compile import compile_task
from envs.plugins import plugin_names
from envs.registry import SIMULATORS, WORLDS_FOLDER, worlds
from envs.shipping import RECORD, SHIPPED
from envs.source import WorldNotFound, read_texts
from envs.tasks import Pool
from envs.variants import SUFFIXES
from ew.walks.walk import sample_walks
from experiments.runs.seeds import stream

_WALKS, _STEPS = 50, 10
_SMALLEST, _LARGEST = 1, 10


@dataclass(frozen=True)
class List:
    """List the worlds: types, actions, operators, branching, plan lengths."""

    def run(self, console: Console) -> int:
        """Print the table; worlds whose files are not whole follow with what they lack. The exit code."""
        table = Table("world", box=SIMPLE)
        for column in ("types", "predicates", "actions", "operators", "branching", "plan lengths", "tasks"):
            table.add_column(column, justify="right")
        faults = []
        for world in sorted(worlds()):
            try:
                table.add_row(*overview(world).row())
            except (WorldNotFound, PDDLError) as error:
                faults.append(f"{world}: {error}")
        console.print(table, soft_wrap=False)
        for line in (*_legend(), *faults):
            console.print(line)
        return 1 if faults else 0


@dataclass(frozen=True)
class Overview:
    """One built-in world in figures."""

    name: str
    types: int
    predicates: int
    actions: int
    operators: tuple[int, int]  #: of the smallest and of the largest evaluation task
    branching: float  #: applicable operators on random walks in the smallest task, mean over states
    plans: tuple[int, int] | None  #: shortest and longest recorded plan of the evaluation tasks
    tasks: int  #: how many ship

    def row(self) -> tuple[str, ...]:
        """The figures as they are listed."""
        counts = map(str, (self.types, self.predicates, self.actions))
        operators = " – ".join(f"{count:,}" for count in self.operators)
        plans = " – ".join(map(str, self.plans)) if self.plans else "not recorded"
        return (self.name, *counts, operators, f"{self.branching:.1f}", plans, str(self.tasks))


def overview(world: str) -> Overview:
    """The figures of a built-in world. Raises WorldNotFound or PDDLError if its files are not whole."""
    smallest, largest = (read_texts(world, number).pddl.problem for number in (_SMALLEST, _LARGEST))
    first, last = compile_task(smallest), compile_task(largest)
    vocabulary = largest.domain.vocabulary
    types, predicates = len(vocabulary.types.parents), len(vocabulary.predicates)
    operators = (len(first.operators), len(last.operators))
    branching = mean_branching(first, stream(0, "branching", world))
    tasks = len(stems(WORLDS_FOLDER / world))
    actions = len(vocabulary.actions)
    return Overview(world, types, predicates, actions, operators, branching, plan_lengths(world), tasks)


def mean_branching(system: TransitionSystem, rng: np.random.Generator) -> float:
    """Applicable operators in a state, over the states of 50 random walks of up to 10 steps."""
    operators = sample_walks(system, [_STEPS] * _WALKS, rng).operators
    states, rows = system.initial(_WALKS), np.ones(_WALKS, dtype=np.bool_)
    counts = []
    for step in range(_STEPS):
        counts.append(system.applicable(states)[rows].sum(axis=1))
        rows = operators[:, step] >= 0
        states = system.successors(states, operators[:, step])
    return float(np.concatenate(counts).mean())


def plan_lengths(world: str) -> tuple[int, int] | None:
    """The shortest and the longest recorded plan of the evaluation tasks; None without a record."""
    path = WORLDS_FOLDER / world / RECORD
    if not path.is_file():
        return None
    record = json.loads(path.read_text(encoding="utf-8"))
    evaluation = [stem for stem, (pool, _) in SHIPPED.items() if pool is Pool.EVALUATION]
    lengths = [length for stem in evaluation if (length := record.get(stem, {}).get("length")) is not None]
    return (min(lengths), max(lengths)) if lengths else None


def _legend() -> list[str]:
    lines = [
        "operators: of p01 and of p10; branching: applicable operators on random walks in p01, on average; "
        "plan lengths: the shortest and the longest of p01 to p10; tasks: those that ship, any number "
        "more is made on demand as g1, g2, …",
        f"simulators (docs/simulators.md): {', '.join(SIMULATORS)}",
        f"variants of any world: {' '.join(f'NAME+{suffix}' for suffix in SUFFIXES)}",
    ]
    if plugin_names():
        lines.append(f"worlds of installed packages: {', '.join(plugin_names())}")
    return lines
