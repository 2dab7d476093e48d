"""Tasks of the goals study in Mini-Minecraft, and Fast Downward's plans for them.

Two kinds, as published: random conjunctions of four items to be made, whose plans are seen whole, and single
items, whose plans are seen but for the last three steps. Every map has all sites, all stations and both first
tools, so that what there is tells nothing about what is wanted: all 25 items can be made in every task.

The subgoals of four are planned for one after the other, in random order; none is given up again (or, as
published, all at once: `goals --together`, which solves far fewer draws in the same time). A call of
the planner names only the places that some recipe for the item takes, and as many things that may come into
being: all others make far more operators than they are worth. A draw that the planner does not solve in its
time is passed over, as is one whose plan is too short to leave a step when three are cut off; so a task is
the first of its draws that is solved. Plans of seed 0 are kept in `experiments/data/goal_plans.jsonl.gz`, and
are made again by

    python -m experiments.run minecraft-plans goals --four 92 --single 97 --out goal_plans.jsonl.gz

which does the same for the demonstrations of `operators`. What is planned is written as it comes, so the same
command again does what is missing. No language model is asked.

Nothing is learned from these tasks. Source: Siegel et al. 2024, section 6.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import tyro

from agents.goals.task import GoalSpace
from agents.operators.lifted import NamedLiteral
from envs.generators.minecraft import HYPOTHETICAL, ITEMS, Minecraft
from envs.pddl.language.domain import GroundAtom, Problem, read_problem
from envs.pddl.language.operators import format_operator, parse_operator
from envs.pddl.planning.planner import Planner, planner_texts
from envs.tasks import TaskFacts, pick, problem_text, sample, shuffled
from experiments.config import parse_job
from experiments.runs.seeds import stream
from experiments.studies.operators.demonstrations import (
    SEARCH,
    Demonstration,
    Kind,
    demonstrate,
    minecraft,
    packaged,
    read_plans,
    rules,
    save_plans,
)

KINDS: tuple[Kind, ...] = get_args(Kind)
#: How many of each kind the paper has.
PUBLISHED: dict[Kind, int] = {"four": 92, "single": 97}
#: Steps of a single item's plan that are not seen.
CUT = 3
#: Seconds that one call of the planner may take when plans are made.
WALL_S = 20.0
_PLANS = "goal_plans.jsonl.gz"
#: Things that may come into being beside the one that is wanted, in one call of the planner.
_SPARE = 3
#: Draws for one task; so many are never needed unless the planner cannot be used at all.
_DRAWS = 60
#: Tools that are made on the way stay what they are: sword, shears.
_MADE_TOOLS = 2
_PLACES = 17
_TOOLS = ("axe", "pickaxe")


@dataclass(frozen=True)
class GoalTask:
    """One task and its plan. What an observer sees of it is `seen`."""

    kind: Kind
    number: int  #: from 1
    seed: int
    draw: int  #: the number of the draw that was solved, from 0
    plan: tuple[str, ...]
    together: bool = False  #: whether the subgoals were planned for at once

    @property
    def order(self) -> tuple[str, int, int]:
        """What tasks are sorted by: kind, seed and number."""
        return self.kind, self.seed, self.number

    @property
    def wanted(self) -> tuple[str, ...]:
        """The items, in the order in which they were planned for."""
        return drawn(self.kind, self.number, self.seed, self.draw)[1]

    @property
    def facts(self) -> TaskFacts:
        """Objects and what holds at first; the goal is that of the agent."""
        return drawn(self.kind, self.number, self.seed, self.draw)[0]

    @property
    def seen(self) -> tuple[str, ...]:
        """The steps that an observer sees; what comes into being has other names, as those tell the goal."""
        blanks = _blanks(self.facts.init)
        others = shuffled(stream(self.seed, "goal-names", self.kind, self.number), blanks)
        names = dict(zip(blanks, others, strict=True))
        steps = map(parse_operator, self.plan if self.kind == "four" else self.plan[:-CUT])
        return tuple(format_operator(name, [names.get(a, a) for a in own]) for name, own in steps)


def space_of(kind: Kind) -> GoalSpace:
    """What may be wanted: that there is something of an item's type."""
    pattern = (NamedLiteral("object-of-type", ("?x", "?item")),)
    return GoalSpace(pattern, "?item", tuple(sorted(ITEMS)), size_of(kind))


def size_of(kind: Kind) -> int:
    """How many items are wanted."""
    return 4 if kind == "four" else 1


@cache
def drawn(kind: Kind, number: int, seed: int, draw: int) -> tuple[TaskFacts, tuple[str, ...]]:
    """One draw of a task: its facts, and the items that are wanted."""
    rng = stream(seed, "goal-task", kind, number, draw)
    rows, columns = ((2, 2), (2, 3), (3, 3))[number % 3]
    things = _PLACES + len(_TOOLS) + size_of(kind) + _SPARE + _MADE_TOOLS
    size = Minecraft(rows, columns, steps=1, extras=_PLACES, objects=things)
    bare = _with_tools(rng, size.generate(rng))
    wanted = tuple(sample(rng, ITEMS, size_of(kind)))
    blanks = _blanks(bare.init)
    goal = tuple((True, ("object-of-type", blank, item)) for blank, item in zip(blanks, wanted, strict=False))
    return replace(bare, goal=goal), wanted


def _with_tools(rng: np.random.Generator, facts: TaskFacts) -> TaskFacts:
    """The task with both first tools; those that it lacks lie somewhere."""
    tiles = [name for name, kind in facts.objects.items() if kind == "tile"]
    objects, init = dict(facts.objects), list(facts.init)
    for tool in _TOOLS:
        if f"{tool}1" not in objects:
            objects[f"{tool}1"] = "object"
            init += [("object-at", f"{tool}1", pick(rng, tiles)), ("object-of-type", f"{tool}1", tool)]
    return TaskFacts(objects, tuple(init), facts.goal)


def _blanks(facts: Iterable[GroundAtom]) -> list[str]:
    """What may come into being, by number."""
    names = [fact[1] for fact in facts if fact[0] == "object-of-type" and fact[2] == HYPOTHETICAL]
    return sorted(names, key=lambda name: (len(name), name))


def goal_task(
    kind: Kind, number: int, seed: int, planner: Planner, together: bool = False
) -> GoalTask | None:
    """The task of that number, as it is kept or planned for now; None if no draw was solved.

    With `together` all subgoals are planned for at once, as published. Raises PlannerMissing.
    """
    several = together and size_of(kind) > 1
    known = None if several else kept().get((kind, number, seed))
    return known or plan_task(kind, number, seed, planner, several)


def plan_task(
    kind: Kind, number: int, seed: int, planner: Planner, together: bool = False
) -> GoalTask | None:
    """Plan for the draws of a task until one is solved. Raises PlannerMissing."""
    for draw in range(_DRAWS):
        plan = _plan(*drawn(kind, number, seed, draw), planner, together)
        if plan is not None and (kind == "four" or len(plan) > CUT):
            return GoalTask(kind, number, seed, draw, plan, together)
    return None


def _plan(
    facts: TaskFacts, wanted: Sequence[str], planner: Planner, together: bool
) -> tuple[str, ...] | None:
    """Steps that make one item after the other, or all at once; None if the planner gives up."""
    state, plan = frozenset(facts.init), list[str]()
    legs = [range(len(wanted))] if together else [range(i, i + 1) for i in range(len(wanted))]
    for leg in legs:
        texts = planner_texts(_leg(facts, state, leg))
        steps = replace(planner, search=SEARCH).plan(*texts).plan
        if steps is None:
            return None
        for text in steps:
            name, arguments = parse_operator(text)
            operator = rules()[name]
            state = operator.applied(operator.bound(arguments), state)
        plan += steps
    return tuple(plan)


def _leg(facts: TaskFacts, state: frozenset[GroundAtom], leg: range) -> Problem:
    """The problem of making the items of a leg from a state in which those before it are there."""
    count = leg.stop
    needed = [_useful(facts.goal[place][1][2]) for place in leg]
    useful = frozenset[str]().union(*needed)
    kinds = {fact[1]: fact[2] for fact in state if fact[0] == "object-of-type"}
    spare = sum(min(_SPARE, len(types.intersection(ITEMS))) for types in needed)
    aims = [atom[1] for _, atom in facts.goal]
    blanks = [name for name in _blanks(state) if name not in aims]
    fixed = (fact[1] for fact in state if fact[0] == "object-fixed")
    idle = {*blanks[spare:], *aims[count:], *(name for name in fixed if kinds[name] not in useful)}
    objects = {name: kind for name, kind in facts.objects.items() if name not in idle}
    init = tuple(sorted(fact for fact in state if idle.isdisjoint(fact)))
    text = problem_text("leg", minecraft().vocabulary, TaskFacts(objects, init, facts.goal[:count]))
    return read_problem(text, minecraft())


def _useful(item: str) -> frozenset[str]:
    """The types that making an item may take, by any recipe; the first tools need not be made."""
    found: set[str] = set()
    waiting = [item]
    while waiting:
        makes = NamedLiteral("object-of-type", ("?target", waiting.pop()))
        for operator in rules().values():
            if makes in operator.effects:
                needed = {p.terms[1] for p in operator.preconditions if p.predicate == "object-of-type"}
                waiting += sorted(needed - found - {HYPOTHETICAL, *_TOOLS})
                found |= needed - {HYPOTHETICAL}
    return frozenset(found)


@cache
def kept() -> dict[tuple[Kind, int, int], GoalTask]:
    """The tasks whose plans come with the project, by kind, number and seed."""
    return {(t.kind, t.number, t.seed): t for t in read_plans(packaged(_PLANS), GoalTask)}


def task_of(entry: Mapping[str, Any]) -> GoalTask:
    """A task from its plain data. Raises TypeError, KeyError."""
    return GoalTask(**{**entry, "plan": tuple(entry["plan"])})


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
    record: Callable[..., Demonstration | GoalTask] = Demonstration if shown else GoalTask
    made: dict[object, Demonstration | GoalTask] = {p.order: p for p in read_plans(config.out, record)}
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
