"""Raising doubts about the text of a task: its facts from what explains differences, its goal from states.

See `ew.counterexample.doubts` for what a doubt says.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import replace

import numpy as np

from envs.pddl.interface import States, World
from envs.pddl.language.domain import Problem
from envs.pddl.language.operators import parse_operator
from envs.pddl.simulation.lifted import Condition, LiftedTask, lift, literals_of
from envs.pddl.simulation.simulator import Task
from ew.counterexample.causes import Causes
from ew.counterexample.disagreement import Direction, Disagreement
from ew.counterexample.doubts import Doubt, fact_doubt, goal_doubt
from ew.counterexample.explanations import FACTS, Change, parts_of, render
from ew.counterexample.retrial import Walked, touched
from ew.lifted.relations import Holds, TooManyAtoms, relations_of

#: World queries that looking for a state with the environment's goal may take.
MAX_GOAL_QUERIES = 300
#: Doubts about one text.
MAX_DOUBTS = 4


def fact_doubts(task: str, causes: Causes) -> tuple[Doubt, ...]:
    """Doubts about facts that explain differences and contradict nothing; the fewest that explain all.

    Without facts that explain all: those that explain most, if they are not more than `MAX_DOUBTS`.
    """
    counts = {(e.change, e.literal): (e.explains, e.contradicts) for e in causes.consistent}
    facts = causes.facts
    if not facts:
        found = [e for e in causes.consistent if e.change in FACTS]
        most = max((e.explains for e in found), default=0)
        facts = tuple((e.change, e.literal) for e in found if e.explains == most)
    if len(facts) > MAX_DOUBTS:
        return ()
    whole = f"; together they explain all {causes.differences}" if causes.together.facts else ""
    doubts = []
    for change, atom in facts:
        explains, contradicts = counts.get((change, atom), (0, 0))
        of = f"{explains} of {causes.differences} differences, contradicts {contradicts} agreements{whole}"
        said = change is not Change.ADD_FACT
        doubts.append(fact_doubt(task, atom, said, f"explains {of}", explains, contradicts))
    return tuple(doubts)


def goal_doubts(
    task: str, world: World, problem: Problem, model: Task, refuted: bool
) -> tuple[tuple[Doubt, ...], int]:
    """Doubts about the goal, and the world queries that they took; `model` is `problem`, compiled.

    States that model and world both reach are visited, nearest first, until the world's goal holds in one:
    what of the model's goal is false there, the environment does not ask for. If none is found, the whole
    goal is doubted if it is `refuted`: reached by a plan after which the world's goal does not hold.
    """
    lifted = lift(problem)
    parts = parts_of(lifted.goal.precondition)
    whole = render(lifted.goal.precondition, lifted.objects, ())
    tried = 0
    for walk, atoms in _reached(model):
        if tried == MAX_GOAL_QUERIES:
            break
        tried += 1
        verdict = world.verify(walk)
        if verdict.execution.refusal is None and verdict.goal_reached:
            wrong = [p for p in parts if not _held(p, lifted, atoms)]
            after = f"after {', '.join(walk)}" if walk else "at the start"
            if not wrong and not refuted:
                return (), tried
            if not wrong:
                more = f"its goal holds {after}, and did not at the end of the plan, where this holds too"
                return (goal_doubt(task, whole, "the goal asks for more", more),), tried
            false = f"its goal holds {after}, where this is false"
            texts = [render(p, lifted.objects, ()) for p in wrong]
            return tuple(goal_doubt(task, t, "the goal does not ask for it", false) for t in texts), tried
    if not refuted:
        return (), tried
    evidence = f"the goal of the environment held in none of the {tried} states that were tried"
    return (goal_doubt(task, whole, "the goal is another one", evidence),), tried


def _held(part: Condition, lifted: LiftedTask, atoms: Collection[tuple[str, ...]]) -> bool:
    """Whether a part of the goal holds in a state."""
    number = {name: i for i, name in enumerate(lifted.objects)}
    init: dict[str, list[tuple[int, ...]]] = {}
    for name, *arguments in atoms:
        init.setdefault(name, []).append(tuple(number[a] for a in arguments))
    state = relations_of(replace(lifted, init={name: tuple(rows) for name, rows in init.items()}))
    return bool(Holds(lifted.goal, state, len(lifted.objects)).rows(part, {}, 1)[0])


def _reached(model: Task) -> Iterator[tuple[tuple[str, ...], Collection[tuple[str, ...]]]]:
    """Walks of the model to distinct states with their atoms, shortest first."""
    start = model.initial(1)
    queue: deque[tuple[tuple[str, ...], States]] = deque([((), start)])
    seen = {start.tobytes()}
    while queue:
        walk, state = queue.popleft()
        yield walk, model.atoms_of(state[0])
        for operator in np.flatnonzero(model.applicable(state)[0]).tolist():
            after = model.successors(state, np.array([operator], dtype=np.int64))
            if after.tobytes() not in seen and len(seen) < 4 * MAX_GOAL_QUERIES:
                seen.add(after.tobytes())
                queue.append(((*walk, model.operators[operator]), after))


def may_be_initial(problem: Problem, found: Disagreement) -> bool:
    """Whether a fact of `problem` may be why the last operator of a disagreement is treated differently.

    True also for a model that is too wide to be looked into.
    """
    task = lift(problem)
    numbers = {name: i for i, name in enumerate(task.objects)}
    parsed = (parse_operator(operator) for operator in found.walk)
    walk = [(action, tuple(numbers[a] for a in names)) for action, names in parsed]
    *executed, (name, arguments) = walk
    schema = next(s for s in task.schemas if s.name == name)
    try:
        state = Walked(task).after(tuple(executed))
    except TooManyAtoms:
        return True
    if state is None:
        return False
    holds = Holds(schema, state, len(task.objects))
    columns = {v: np.array([a]) for v, a in enumerate(arguments)}
    refused = found.direction is Direction.FORWARD
    for literal in literals_of(schema.precondition):
        if not all(~t < schema.arity for t in literal.terms):
            continue
        atom = literal.predicate, tuple(t if t >= 0 else arguments[~t] for t in literal.terms)
        if not touched(task, atom, executed) and holds.rows(literal, columns, 1)[0] != refused:
            return True
    return any(v >= schema.arity for p in literals_of(schema.precondition) for v in (~t for t in p.terms))
