"""Demonstrations in Mini-Minecraft: tasks with random goals, and Fast Downward's plans for them.

Two kinds of tasks, as published: random conjunctions of four subgoals, and single items. Which task a number
stands for follows from its kind alone; the plans are kept in `experiments/data/minecraft_plans.jsonl.gz`,
since planning takes longest, and are made again by

    python -m experiments.demonstrations --kind four --count 100 --out plans.jsonl.gz

A number whose task the planner did not solve in its time is kept without a plan, and is no demonstration.
Traces are made of a plan by running it in the world's rules; a step has whole states before and after, and
refused operators beside it if that is asked for. Source of the tasks: Siegel et al. 2024, section 6.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from envs.generators.minecraft import Size, generate
from envs.pddl.language import Domain, Problem, read_domain, read_problem
from envs.pddl.planner import Planner
from envs.pddl.planner_text import planner_texts
from envs.source import read_texts
from envs.tasks import problem_text
from experiments.streams import stream

Kind = Literal["four", "single"]
WORLD = "minecraft"
#: Greedy search by landmarks and the FF heuristic: tasks of four goals are far from their goals.
SEARCH = (
    "let(landmarks, landmark_sum(lm_factory=lm_reasonable_orders_hps(lm_rhw()), pref=false), "
    "let(h, ff(), lazy_greedy([h, landmarks], preferred=[h, landmarks])))"
)
_PLANS = "minecraft_plans.jsonl.gz"


@dataclass(frozen=True)
class Demonstration:
    """A task by kind and number, and the plan for it; None if the planner found none in its time."""

    kind: Kind
    number: int
    plan: tuple[str, ...] | None


def size_of(kind: Kind, number: int) -> Size:
    """How large a task is: maps and recipes go round; every tenth item takes the most steps that any does."""
    rows, columns = ((2, 2), (2, 3), (3, 3))[number % 3]
    if kind == "four":
        return Size(rows, columns, goals=4, steps=3 + number % 5, extras=2)
    return Size(rows, columns, goals=1, steps=1 + number % 9 if number % 10 else 12, extras=2)


def demonstrated(kind: Kind, number: int) -> Problem:
    """The task of that number, from 1."""
    domain = minecraft()
    facts = generate(stream(0, "demonstration", kind, number), size_of(kind, number))
    return read_problem(problem_text(f"{kind}-{number}", domain.vocabulary, facts), domain)


@cache
def minecraft() -> Domain:
    """The world's own rules."""
    return read_domain(read_texts(WORLD, 1).domain)


def demonstrate(kind: Kind, number: int, planner: Planner) -> Demonstration:
    """Plan for a task. Raises PlannerMissing."""
    texts = planner_texts(demonstrated(kind, number))
    return Demonstration(kind, number, replace(planner, search=SEARCH).plan(*texts).plan)
