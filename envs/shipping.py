"""The tasks that ship with a built-in world: which there are, making them, and that each can be solved.

`example`, `p01` to `p10` for evaluation and `f01` to `f05` for feedback lie beside the domain, drawn once
from the streams of their pools; beside `rules.lp` lies the example's IR as well. `solved.json` holds, for
each task, that Fast Downward solved it, the length of its plan, and a digest of what it solved, so that a
record cannot outlive its task.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from envs.intermediate.gold_ir import gold_ir
from envs.intermediate.knowledge import EXAMPLE, EXAMPLE_IR, RULES
from envs.pddl.language.domain import read_vocabulary
from envs.pddl.language.vocabulary import Vocabulary
from envs.pddl.planning.planner import Planner
from envs.reading import read_facts
from envs.registry import WORLDS_FOLDER
from envs.tasks import Pool, make_facts, problem_text

RECORD = "solved.json"
#: A shipped task's stem to the pool and number that it is drawn from.
SHIPPED: Mapping[str, tuple[Pool, int]] = MappingProxyType(
    {"example": (Pool.EXAMPLE, 1)}
    | {f"p{number:02}": (Pool.EVALUATION, number) for number in range(1, 11)}
    | {f"f{number:02}": (Pool.FEEDBACK, number) for number in range(1, 6)}
)


def make_task(world: str, stem: str, size: Any = None) -> str:
    """The PDDL of a task that ships with a world, made anew. Raises KeyError for any other stem."""
    facts = make_facts(world, *SHIPPED[stem], size)
    return problem_text(f"{world.replace('_', '-')}-{stem}", _vocabulary(world), facts)


def write_tasks(world: str, folder: Path | None = None) -> None:
    """Make the tasks of a world anew and write their files to `folder`, by default the world's own.

    If rules lie there, the example is also stated as a gold IR (`envs.intermediate`).
    """
    folder = folder or WORLDS_FOLDER / world
    for stem in SHIPPED:
        (folder / f"{stem}.pddl").write_text(make_task(world, stem), encoding="utf-8")
    if (folder / RULES).is_file():
        (folder / EXAMPLE_IR).write_text(make_example_ir(world), encoding="utf-8")


def make_example_ir(world: str) -> str:
    """The example of a world as a gold IR, made anew."""
    return gold_ir(world, read_facts(make_task(world, EXAMPLE), _vocabulary(world)))


def _vocabulary(world: str) -> Vocabulary:
    return read_vocabulary((WORLDS_FOLDER / world / "domain.pddl").read_text(encoding="utf-8"))


def record_solutions(
    world: str, planner: Planner | None = None, folder: Path | None = None
) -> Mapping[str, Mapping[str, Any]]:
    """Solve every shipped task of a world and write the record; also returned, by stem.

    The tasks are those in `folder`, by default the world's own, and the record goes there. A task's entry has
    the planner's `outcome`, the plan's `length` (None without a plan) and the `digest`.
    Raises PlannerMissing.
    """
    solver, folder = planner or Planner(), folder or WORLDS_FOLDER / world
    domain = (folder / "domain.pddl").read_text(encoding="utf-8")
    record = {}
    for stem in SHIPPED:
        problem = (folder / f"{stem}.pddl").read_text(encoding="utf-8")
        result = solver.plan(domain, problem)
        length = None if result.plan is None else len(result.plan)
        record[stem] = {"outcome": str(result.outcome), "length": length, "digest": digest(domain, problem)}
    lines = ",\n".join(f"  {json.dumps(stem)}: {json.dumps(entry)}" for stem, entry in record.items())
    (folder / RECORD).write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    return record


def digest(domain: str, problem: str) -> str:
    """A key of the PDDL of a task."""
    return hashlib.sha256(f"{domain}\0{problem}".encode()).hexdigest()[:16]
