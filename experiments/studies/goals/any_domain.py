"""Goal recognition tasks in any world of PDDL: candidate goals, a plan, and what is seen of it.

The candidates of a task have the form of the world's own goal: atoms of the same predicates and types, at
most as many. Each is drawn from one state that random walks pass, begun in states on a plan for the world's
own goal, so that it can be reached. No atom of a candidate holds at first, and all candidates are as large,
so that none is part of another. One of them is the agent's, and Fast Downward plans for it. A draw without
a plan of some length in the planner's time is passed over.

Of a plan, a share of the steps is seen, in order and with gaps: what is seen at 30 % is seen at 50 % too.
Noise puts operators that the agent did not execute between them.

Source of the form: Ramirez and Geffner 2010, section 6; Pereira, Oren and Meneguzzi 2020, section 6.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agents.goals.candidates import Candidate, GroundLiteral
from envs.pddl.language.domain import GroundAtom, Problem, read_domain, read_problem, with_goal
from envs.pddl.language.formulas import conjuncts
from envs.pddl.language.render import render_formula
from envs.pddl.planning.planner import Planner, planner_texts
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.simulator import PackedStates, Task
from envs.pddlgym_suite import problem_files
from envs.registry import WORLDS
from envs.source import read_texts
from envs.tasks import shuffled
from experiments.runs.seeds import stream

#: Steps that a plan must have for something to be seen at 10 %, and hidden at 70 %.
SHORTEST = 4
#: Generated tasks grow; the first ones have too few states for several candidates.
_TOO_SMALL = 3
#: Walks, and their steps.
_WALKS, _STEPS = 100, 40
#: States that candidates of one size are drawn from.
_LOOKS = 600


@dataclass(frozen=True)
class RecognitionTask:
    """A task, its candidates and the agent's plan. The observer sees `observations` of it."""

    env: str
    number: int  #: from 1
    seed: int
    domain: str  #: PDDL
    problem: str
    goals: tuple[str, ...]  #: a candidate each, as `read_candidates` reads it
    wanted: int  #: the place of the agent's
    plan: tuple[str, ...]

    def seen(self, share: float, noise: float, operators: Sequence[str]) -> tuple[str, ...]:
        """The observations: a share of the plan, and for each of them so many of the `operators` beside."""
        rng = stream(self.seed, "recognition-seen", self.env, self.number)
        order = shuffled(rng, range(len(self.plan)))
        count = max(1, math.floor(share * len(self.plan) + 0.5))
        steps = [self.plan[i] for i in sorted(order[:count])]
        if noise:
            for _ in range(max(1, math.floor(noise * count + 0.5))):
                steps.insert(int(rng.integers(len(steps) + 1)), operators[int(rng.integers(len(operators)))])
        return tuple(steps)


def recognition_task(
    env: str, number: int, seed: int, goals: int, planner: Planner
) -> RecognitionTask | None:
    """A task of a world; None if no draw of candidates is found, or no plan. Raises WorldNotFound."""
    texts = read_texts(env, opened(env, number))
    problem = read_problem(texts.problem, read_domain(texts.domain))
    rng = stream(seed, "recognition", env, number)
    task = compile_task(problem)
    candidates = _candidates(problem, task, goals, planner, rng)
    for wanted in shuffled(rng, range(len(candidates))):
        goal = f"(and {candidates[wanted]})"
        plan = planner.plan(*planner_texts(with_goal(problem, goal))).plan
        if plan is not None and len(plan) >= SHORTEST:
            listed = tuple(map(str, candidates))
            return RecognitionTask(env, number, seed, texts.domain, texts.problem, listed, wanted, plan)
    return None


def opened(env: str, number: int) -> int | str:
    """What opens the world's task of a number: built-in ones are generated, pddlgym's files taken in turn."""
    if env in WORLDS:
        return f"g{number + _TOO_SMALL}"
    prefix, _, name = env.partition(":")
    return (number - 1) % len(problem_files(name)) + 1 if prefix == "pddlgym" else number


def taught_by(env: str) -> tuple[int | str, ...]:
    """The tasks that a domain is learned from; in built-in worlds, the study has others."""
    if env in WORLDS:
        return "f01", "f02"
    prefix, _, name = env.partition(":")
    return (1, len(problem_files(name))) if prefix == "pddlgym" else (1,)


def _candidates(
    problem: Problem, task: Task, count: int, planner: Planner, rng: np.random.Generator
) -> list[Candidate]:
    """So many candidates, all as large, and as large as can be; none if that many are not found."""
    form = _form(problem)
    states = _passed(task, _starts(problem, task, planner), rng)
    for size in range(len(form), 0, -1):
        found: dict[frozenset[GroundAtom], None] = {}
        for row in rng.integers(len(states), size=_LOOKS).tolist():
            goal = _drawn(task.atoms_of(states[row]) - problem.init, form, problem, rng)
            if len(goal) >= size:
                found[frozenset(goal[:size])] = None
        if len(found) >= count:
            return [Candidate(tuple(map(GroundLiteral, sorted(goal)))) for goal in list(found)[:count]]
    return []


def _form(problem: Problem) -> list[tuple[str, ...]]:
    """The predicate and the types of each atom of the world's own goal."""
    atoms = [render_formula(part).strip("()").split() for part in conjuncts(problem.goal)]
    return [
        (name, *(problem.objects[a] for a in arguments))
        for name, *arguments in atoms
        if name in problem.domain.predicates and all(a in problem.objects for a in arguments)
    ]


def _drawn(
    facts: frozenset[GroundAtom], form: Sequence[tuple[str, ...]], problem: Problem, rng: np.random.Generator
) -> list[GroundAtom]:
    """Atoms that hold together, as many of that form as there are, in random order."""
    left = shuffled(rng, sorted(facts))
    goal: list[GroundAtom] = []
    for kind in form:
        fit = (a for a in left if (a[0], *(problem.objects[o] for o in a[1:])) == kind)
        if (atom := next(fit, None)) is not None:
            goal.append(atom)
            left.remove(atom)
    return shuffled(rng, goal)


def _starts(problem: Problem, task: Task, planner: Planner) -> PackedStates:
    """The states that a plan for the world's own goal passes, the initial one first."""
    states = [task.initial(1)]
    for step in planner.plan(*planner_texts(problem)).plan or ():
        states.append(task.successors(states[-1], np.array([task.operator_index[step]])))
    return np.concatenate(states)


def _passed(task: Task, starts: PackedStates, rng: np.random.Generator) -> PackedStates:
    """The states that random walks pass."""
    states = starts[rng.integers(len(starts), size=_WALKS)]
    passed = [states]
    for _ in range(_STEPS):
        runs = task.applicable(states)
        draws = rng.random(runs.shape) * runs
        states = task.successors(states, np.where(runs.any(axis=1), draws.argmax(axis=1), -1))
        passed.append(states)
    return np.concatenate(passed)
