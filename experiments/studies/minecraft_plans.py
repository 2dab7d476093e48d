"""`python -m experiments.run minecraft-plans`: Fast Downward's plans for the studies in Mini-Minecraft.

Writes the demonstrations of `operators`, or the tasks of `goals`, as they come with the project. No language
model is asked. What is planned is written as it comes, so the same command again does what is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import tyro

from envs.pddl.planning.planner import Planner
from experiments.config import parse_job
from experiments.studies.goals.tasks import KINDS, WALL_S, GoalTask, plan_task
from experiments.studies.operators.demonstrations import Demonstration, demonstrate, read_plans, save_plans


@dataclass(frozen=True)
class MinecraftPlansConfig:
    """Plan for the tasks of a study and write the plans."""

    what: tyro.conf.Positional[Literal["demonstrations", "goals"]]
    """The study's demonstrations to learn from, or its goals to be recognised."""
    out: Path
    """The file to write, .jsonl.gz. Tasks that are there already are kept."""
    four: int = 10
    """Tasks of four subgoals."""
    single: int = 10
    """Tasks of one item."""
    seed: int = 0
    """Goals: everything random follows from it. Demonstrations follow from their numbers alone."""
    planner: str | None = None
    """Your own build of Fast Downward."""
    planner_wall_s: float = WALL_S
    """Seconds that one call of the planner may take."""


def main(arguments: Sequence[str]) -> int:
    """Plan for the tasks of a command line; returns the exit code. Raises PlannerMissing."""
    config = parse_job(MinecraftPlansConfig, "minecraft-plans", arguments)
    planner = Planner(config.planner, wall_s=config.planner_wall_s)
    shown = config.what == "demonstrations"
    there: list[Demonstration] | list[GoalTask]
    there = read_plans(config.out, Demonstration) if shown else read_plans(config.out, GoalTask)
    made: dict[object, Demonstration | GoalTask] = {plan.order: plan for plan in there}
    for kind, count in zip(KINDS, (config.four, config.single), strict=True):
        for number in range(1, count + 1):
            if ((number, kind) if shown else (kind, config.seed, number)) in made:
                continue
            plan = (
                demonstrate(kind, number, planner) if shown else plan_task(kind, number, config.seed, planner)
            )
            if plan is not None:
                made[plan.order] = plan
                save_plans(config.out, made.values())
                print(f"{kind} {number}: {len(plan.plan or ())} steps")
    return 0
