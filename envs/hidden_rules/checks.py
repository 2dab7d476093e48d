"""Whether a hidden rule matters, can be lived with, and cannot be said more simply.

- In each of the tasks the base domain's plan fails by the rule, and by the rule there is a plan.
- Every action that walks or plans execute without the rule is executed with it, in the tasks to be seen and
  in those not to be seen.
- A quantified precondition is no literal, a conditional effect no unconditional one: in some state that was
  walked to, each single literal that could stand in its place says something else, and so does the effect
  without its condition.
- A new predicate is needed: walks lead to one and the same state of the base world in which different
  operators may run.

What is needed shows itself in the first tasks that are tried, and in those to be seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from envs.folder import HIDDEN_SEEN
from envs.hidden_rules.draw import RuleDrawing
from envs.hidden_rules.rules import Addition, HiddenRule, RuleKind
from envs.pddl.language.domain import GroundAtom, Problem
from envs.pddl.language.operators import parse_operator
from envs.pddl.language.terms import Part, Tree, parsed, show
from envs.pddl.planning.planner import Planner, planner_texts
from envs.pddl.planning.validate import validate_plan
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.reference import ReferenceSimulator
from envs.pddl.simulation.simulator import PackedStates, Task

#: Tasks of a case, half of them to be seen.
TASKS = 2 * HIDDEN_SEEN
#: Tasks that are looked at before the planner is asked.
_LOOKS = 3
#: Of the tasks that are tried, so many may have no plan by the rule.
_UNSOLVED = 2
_PLANNER = Planner(wall_s=5.0)
_WALKS = 64
_STEPS = 24
#: States of each task that single literals are tried in.
_STATES = 12

_State = frozenset[GroundAtom]
#: An atom or an equality, and whether it is to hold.
_Literal = tuple[GroundAtom, bool]


class TaskLook:
    """What plans and walks show of one task, each found out when it is asked for."""

    def __init__(self, problem: Problem, seed: int):
        self.problem, self._seed = problem, seed

    @cached_property
    def plan(self) -> tuple[str, ...] | None:
        """The planner's plan; None if it finds none. Raises PlannerMissing."""
        return _PLANNER.plan(*planner_texts(self.problem)).plan

    @cached_property
    def task(self) -> Task:
        """The task that can be walked in."""
        return compile_task(self.problem)

    @property
    def reachable(self) -> frozenset[str]:
        """The names of the actions that deletes aside can be reached."""
        return frozenset(parse_operator(operator)[0] for operator in self.task.operators)

    @cached_property
    def executed(self) -> frozenset[str]:
        """The names of the actions that the walks and the plan execute."""
        planned = (parse_operator(step)[0] for step in self.plan or ())
        return self._walked[1].union(planned)

    @cached_property
    def states(self) -> dict[_State, bytes]:
        """Every state of the walks, in their order, and a key of what may run in it."""
        return self._walked[0]

    @cached_property
    def _walked(self) -> tuple[dict[_State, bytes], frozenset[str]]:
        task, rng = self.task, np.random.default_rng(self._seed)
        states, run = task.initial(_WALKS), set[int]()
        found: dict[bytes, tuple[PackedStates, bytes]] = {}
        for _ in range(_STEPS if task.operators else 0):
            masks = task.applicable(states)
            found |= {row.tobytes(): (row, mask.tobytes()) for row, mask in zip(states, masks, strict=True)}
            wanted = rng.random(_WALKS) * masks.sum(axis=1)
            chosen = np.where(
                masks.any(axis=1), np.argmax(masks.cumsum(axis=1) > wanted[:, None], axis=1), -1
            )
            run |= set(chosen[chosen >= 0].tolist())
            states = task.successors(states, chosen.astype(np.int64))
        names = frozenset(parse_operator(task.operators[i])[0] for i in run)
        return {task.atoms_of(row): mask for row, mask in found.values()}, names


def chosen_tasks(rule: HiddenRule, pool: Sequence[TaskLook]) -> tuple[int, ...]:
    """The places in a pool of the first TASKS tasks that a rule is good in; none if it fails a check.

    Every other one is to be seen; those come first. Raises PlannerMissing.
    """
    model = rule.model(pool[0].problem.domain)
    domain = rule.domain(model)
    if rule.own:
        pool = [TaskLook(rule.problem(base.problem, model), place) for place, base in enumerate(pool)]
    ruled = [TaskLook(rule.problem(given.problem, domain), place) for place, given in enumerate(pool)]
    failing = _failing(pool, ruled)
    first = [(pool[place], ruled[place]) for place in failing[:_LOOKS]]
    if len(failing) < TASKS or not _can_live(first) or not _is_needed(rule, first):
        return ()
    chosen = _solved(failing, ruled)
    if len(chosen) < TASKS:
        return ()
    halves = [[(pool[place], ruled[place]) for place in half] for half in (chosen[::2], chosen[1::2])]
    # needed in the tasks to be seen: of a rule that shows itself only in others nobody can know
    good = all(map(_lives, halves)) and _is_needed(rule, halves[0])
    return (*chosen[::2], *chosen[1::2]) if good else ()


def _solved(places: Sequence[int], ruled: Sequence[TaskLook]) -> list[int]:
    """The first TASKS places whose task has a plan; fewer if there are not so many, or too many without."""
    solved: list[int] = []
    for number, place in enumerate(places):
        if len(solved) < TASKS and number - len(solved) <= _UNSOLVED and ruled[place].plan is not None:
            solved.append(place)
    return solved


def _failing(pool: Sequence[TaskLook], ruled: Sequence[TaskLook]) -> list[int]:
    """The first places whose plan without the rule fails by it, as many as are of use."""
    failing: list[int] = []
    for place, (given, changed) in enumerate(zip(pool, ruled, strict=True)):
        too_few = place - len(failing) > len(pool) - TASKS
        if too_few or len(failing) == TASKS + _UNSOLVED:
            break
        if given.plan is not None and not validate_plan(changed.problem, given.plan).valid:
            failing.append(place)
    return failing


def _can_live(looks: Sequence[tuple[TaskLook, TaskLook]]) -> bool:
    """Whether actions that are executed without the rule may still be reachable with it."""
    return all(base.executed <= ruled.reachable for base, ruled in looks)


def _lives(looks: Sequence[tuple[TaskLook, TaskLook]]) -> bool:
    """Whether all actions that are executed without the rule are executed with it."""
    before, after = (
        frozenset().union(*(look.executed for look in side)) for side in zip(*looks, strict=True)
    )
    return before <= after


def _is_needed(rule: HiddenRule, looks: Sequence[tuple[TaskLook, TaskLook]]) -> bool:
    """Whether nothing simpler says the same; see the module."""
    if rule.kind is RuleKind.LITERAL:
        return True
    if rule.predicate is not None:
        return any(_has_memory(ruled, rule.predicate.name) for _, ruled in looks)
    (only,) = rule.additions
    if only.part is Part.EFFECT and _fires_always(only, looks):
        return False
    drawing = RuleDrawing(looks[0][0].problem.domain, np.random.default_rng(0))
    rivals = [(atom, sign) for atom in drawing.literals_for(only.action, only.part) for sign in (True, False)]
    for base, ruled in looks:
        rivals = _not_refuted(rivals, only, base.problem, ruled)
        if not rivals:
            return True
    return False


def _fires_always(only: Addition, looks: Sequence[tuple[TaskLook, TaskLook]]) -> bool:
    """Whether a conditional effect without its condition does the same in all states that are looked at."""
    always = HiddenRule(RuleKind.LITERAL, (replace(only, text=show(_unconditional(parsed(only.text)))),))
    for base, ruled in looks:
        stated = always.problem(base.problem, always.domain(base.problem.domain))
        one, other = ReferenceSimulator(ruled.problem), ReferenceSimulator(stated)
        for state, operator in _moments(only.action, base.problem, ruled):
            if one.successor(state, operator) != other.successor(state, operator):
                return False
    return True


def _unconditional(effect: Tree) -> Tree:
    """An effect without its `when`."""
    return effect[2] if effect[0] == "when" else (*effect[:2], _unconditional(effect[2]))


def _moments(action: str, base: Problem, ruled: TaskLook) -> Iterator[tuple[_State, str]]:
    """Some states of the walks by a rule, each with each operator of an action that runs without the rule."""
    before, states = ReferenceSimulator(base), list(ruled.states)
    for state in states[:: max(1, len(states) // _STATES)]:
        for operator in before.applicable(state):
            if parse_operator(operator)[0] == action:
                yield state, operator


def _not_refuted(rivals: list[_Literal], only: Addition, base: Problem, ruled: TaskLook) -> list[_Literal]:
    """Those literals that say the same as an addition in all states that are looked at."""
    before, after = ReferenceSimulator(base), ReferenceSimulator(ruled.problem)
    action = ruled.problem.domain.actions[only.action]
    for state, operator in _moments(only.action, base, ruled):
        binding = dict(zip((v.symbol for v in action.parameters), parse_operator(operator)[1], strict=True))
        ground = [(tuple(binding.get(word, word) for word in atom), sign) for atom, sign in rivals]
        if only.part is Part.PRECONDITION:
            allowed = after.holds(action.precondition, state, binding)
            agreed = [_holds(literal, state) == allowed for literal in ground]
        else:
            plain, came = before.successor(state, operator), after.successor(state, operator)
            agreed = [(plain | {atom} if sign else plain - {atom}) == came for atom, sign in ground]
        rivals = [rival for rival, same in zip(rivals, agreed, strict=True) if same]
    return rivals


def _holds(literal: _Literal, state: _State) -> bool:
    """Whether a ground literal, or an (in)equality, holds in a state."""
    atom, sign = literal
    return (atom[1] == atom[2] if atom[0] == "=" else atom in state) == sign


def _has_memory(ruled: TaskLook, predicate: str) -> bool:
    """Whether states that differ by a predicate alone let different operators run."""
    known: dict[_State, bytes] = {}
    for state, mask in ruled.states.items():
        shown = frozenset(atom for atom in state if atom[0] != predicate)
        if known.setdefault(shown, mask) != mask:
            return True
    return False
