"""The tasks that ship with a built-in world: which there are, making them, and that each can be solved.

`example`, `p01` to `p10` for evaluation and `f01` to `f05` for feedback lie beside the domain, drawn once
from the streams of their pools; a task with a text beside it was written by hand and is left alone.
`solved.json` holds, for each, that Fast Downward solved it, the length of its plan, and a digest of what it
solved, so that a record cannot outlive its task.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from envs.pddl.language import read_vocabulary
from envs.pddl.planner import Planner
from envs.registry import WORLDS_FOLDER
from envs.tasks import Pool, make_facts, problem_text

RECORD = "solved.json"
#: A shipped task's stem to the pool and number that it is drawn from.
SHIPPED: Mapping[str, tuple[Pool, int]] = MappingProxyType(
    {
        "example": (Pool.EXAMPLE, 1),
        **{f"p{number:02}": (Pool.EVALUATION, number) for number in range(1, 11)},
        **{f"f{number:02}": (Pool.FEEDBACK, number) for number in range(1, 6)},
    }
)


def make_task(world: str, stem: str, size: Any = None) -> str:
    """The PDDL of a task that ships with a world, made anew. Raises KeyError for any other stem."""
    pool, index = SHIPPED[stem]
    domain = read_vocabulary((WORLDS_FOLDER / world / "domain.pddl").read_text(encoding="utf-8"))
    return problem_text(f"{world.replace('_', '-')}-{stem}", domain, make_facts(world, pool, index, size))


def is_made(world: str, stem: str) -> bool:
    """Whether a shipped task comes from the world's generator: it has no text of its own beside it."""
    return not (WORLDS_FOLDER / world / f"{stem}.nl").is_file()


def write_tasks(world: str, folder: Path | None = None) -> tuple[str, ...]:
    """Make the tasks of a world anew, but those written by hand, and write their files. Which it made.

    They go to `folder`, by default the world's own.
    """
    stems = tuple(stem for stem in SHIPPED if is_made(world, stem))
    for stem in stems:
        target = (folder or WORLDS_FOLDER / world) / f"{stem}.pddl"
        target.write_text(make_task(world, stem), encoding="utf-8")
    return stems


def record_solutions(
    world: str, planner: Planner | None = None, folder: Path | None = None
) -> Mapping[str, Mapping[str, Any]]:
    """Solve every shipped task of a world and write the record; also returned, by stem.

    The tasks are those in `folder`, by default the world's own, and the record goes there. A task's entry has
    the planner's `outcome`, the plan's `length` (None without a plan) and the `digest`.
    Raises PlannerMissing.
    """
    solver = planner or Planner()
    folder = folder or WORLDS_FOLDER / world
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
