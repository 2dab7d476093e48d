"""Examining a model that agrees with its world as far as random walks go: what did they not show?

First, what the world was asked by now is held against the model: every state's list, where the world lists
what is applicable. Then the ways to probes that were not shown there are walked in the world
(`ew.probes.ways`), those to actions that the world has not executed first; the planner looks for those that
the searches did not meet. What the world refuses on a way,
or treats otherwise than the model at its end, is a disagreement. Last, the world is walked alone, preferring
what is new, as long as there are actions that it has not executed: that the model cannot reach one proves
nothing.

An action is exercised if the world has executed it. A model agrees if nothing disagrees, every action is
exercised and no probe was left out; else it agrees as far as seen. A probe that the model's own states cannot
show is none.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from envs.pddl.language.domain import Problem
from envs.pddl.language.operators import parse_operator
from envs.pddl.planning.planner import Planner, PlanOutcome, planner_texts
from envs.pddl.simulation.grounding import GroundingExploded, Limits
from envs.pddl.simulation.probes import RUNS, Probe, ProbedTask, probes_of, to_be_shown
from envs.pddl.simulation.simulator import PackedStates
from ew.probes.ways import Reached, Way
from ew.score.directed import Direction, RefusedWalk
from ew.walks.budget import BudgetExceeded, TimeUp
from ew.walks.policies import make_policy
from ew.walks.walk import NONE, sample_walks
from ew.walks.walk_policy import policy_walks
from ew.walks.world_walks import Seen, WorldWalks, single_rows

#: Walks of one batch of a look at what is new, and their steps.
_NEW_WALKS, _NEW_STEPS = 10, 25


@dataclass(frozen=True)
class ExaminationConfig:
    """How far is looked."""

    queries: int = 500  #: of the world, for ways to probes
    novelty: int = 500  #: of the world, for walks that look for what is new
    planner: Planner = field(default_factory=Planner)
    plan_s: float = 2.0  #: of the planner, for one way
    plans_s: float = 60.0  #: of the planner in all; 0: it is not asked
    limits: Limits | None = None  #: of compiling the model; None: as if it were the world itself
    stops: bool = True  #: whether the first disagreement ends it

    @property
    def most(self) -> int:
        """Queries of the world in all."""
        return self.queries + self.novelty


@dataclass(frozen=True)
class Examination:
    """What was found and what was not seen."""

    found: RefusedWalk | None  #: the first disagreement
    not_exercised: tuple[str, ...]  #: actions of the model that the world has not executed; sorted
    passed: frozenset[Probe]  #: probes that were shown, here or before
    left_out: tuple[Probe, ...]  #: neither shown nor known to be impossible; in their order
    world_queries: int

    @property
    def shown(self) -> int:
        """How many probes that are owed were shown, and passed."""
        return sum(probe.is_owed for probe in self.passed)

    @property
    def agrees(self) -> bool:
        """Whether nothing speaks against the model and nothing was left out."""
        return self.found is None and not self.not_exercised and not self.left_out

    @property
    def unseen(self) -> str:
        """What was not seen, in one sentence; empty if there is nothing."""
        parts = [f"not exercised: {', '.join(self.not_exercised)}"] if self.not_exercised else []
        # the conjuncts of an action that was not exercised say nothing more
        left = [str(p) for p in self.left_out if not p.runs and p.action not in self.not_exercised]
        parts += [f"not probed: {'; '.join(left)}"] if left else []
        return "; ".join(parts)


def merged(found: Sequence[Examination]) -> Examination:
    """What was seen of one model's rules in several tasks, at least one: what one shows, others need not."""
    passed = frozenset[Probe]().union(*(one.passed for one in found))
    missing = set.intersection(*(set(one.not_exercised) for one in found))
    left = {probe for one in found for probe in one.left_out} - passed
    return Examination(
        next((one.found for one in found if one.found is not None), None),
        tuple(sorted(missing)),
        passed,
        tuple(sorted(left)),
        sum(one.world_queries for one in found),
    )


def examine(
    walks: WorldWalks,
    problem: Problem,
    rng: np.random.Generator,
    config: ExaminationConfig | None = None,
    passed: frozenset[Probe] = frozenset(),
    task: ProbedTask | None = None,
) -> Examination:
    """Look for what speaks against a model of the world that `walks` are in; asks only what is not known.

    What was `passed` in other tasks of the same domain is not shown again. `task` is the problem with its
    probes, where it was made before.
    A budget of `walks` that is spent ends it, and is no error. Deterministic for a generator, but for limits
    of time of the planner.
    """
    config, before = config or ExaminationConfig(), walks.queries
    try:
        task = task or ProbedTask(problem, config.limits)
    except GroundingExploded:
        missing = sorted(problem.domain.actions.keys() - executed(walks))
        return Examination(None, tuple(missing), passed, probes_of(problem), 0)
    look = _Look(walks, task)
    look.passed |= passed
    with suppress(BudgetExceeded, TimeUp):
        _look(look, problem, rng, config)
    left = look.wanted_owed()
    return Examination(
        look.found,
        tuple(sorted(task.schemas - executed(walks))),
        frozenset(look.passed),
        tuple(probe for probe in task.probes if probe in left),
        walks.queries - before,
    )


def _look(look: _Look, problem: Problem, rng: np.random.Generator, config: ExaminationConfig) -> None:
    """All of it, until it may stop. Raises BudgetExceeded, TimeUp."""
    look.compare_seen()
    if look.found and config.stops:
        return
    allowed = look.walks.queries + config.queries
    reached = Reached(look.task)
    look.impossible |= look.task.impossible
    if reached.is_whole:
        look.impossible |= look.task.sought - reached.shown
    reached.seek([*sorted(look.unexercised()), *sorted(look.wanted_owed())])
    for stage in (look.unexercised, look.wanted_owed, look.wanted):
        for way in reached.ways(stage()):
            look.walk(way, allowed)
            if look.found and config.stops:
                return
    look.compare_seen()
    until = time.monotonic() + config.plans_s
    for probe in sorted(look.wanted() - reached.shown):
        if probe.is_owed and time.monotonic() < until and probe not in look.passed:
            look.plan(problem, probe, replace(config.planner, wall_s=config.plan_s), allowed)
        if look.found and config.stops:
            return
    allowed = look.walks.queries + config.novelty
    while look.task.schemas - executed(look.walks) and look.walks.queries < allowed:
        before = look.walks.queries
        look.look_around(rng)
        look.compare_seen()
        if look.walks.queries == before or (look.found and config.stops):
            return


def executed(walks: WorldWalks) -> frozenset[str]:
    """The actions that the world has executed."""
    taken = np.unique(walks.seen().operators[1:]).tolist()
    return frozenset(parse_operator(walks.operators[o])[0] for o in taken)


class _Look:
    """A model and its world side by side, and what was shown of the model by now."""

    def __init__(self, walks: WorldWalks, task: ProbedTask):
        self.walks, self.task = walks, task
        self.passed: set[Probe] = set()
        self.impossible: set[Probe] = set()
        self.found: RefusedWalk | None = None
        self._index = {text: i for i, text in enumerate(walks.operators)}
        self._in_model = task.aligned(walks.operators)
        self._states: dict[int, PackedStates] = {0: task.initial()}  # by node of the walks
        self._followed = 0
        self._compared: set[int] = set()
        self._coverage = make_policy("coverage")(walks)

    def wanted(self) -> set[Probe]:
        """What is still to be shown."""
        return set(self.task.probes) - self.passed - self.impossible

    def wanted_owed(self) -> set[Probe]:
        """What is still to be shown and is owed."""
        return {probe for probe in self.wanted() if probe.is_owed}

    def unexercised(self) -> set[Probe]:
        """The probes of actions that the world has not executed."""
        done = executed(self.walks)
        return {probe for probe in self.wanted_owed() if probe.runs and probe.action not in done}

    def compare_seen(self) -> None:
        """Hold what the world listed since the last time against the model, the shortest walks first."""
        seen = self.walks.seen()
        self._follow(seen)
        fresh = [n for n in seen.asked.tolist() if n in self._states and n not in self._compared]
        if not fresh:
            return
        self._compared.update(fresh)
        places = np.searchsorted(seen.asked, fresh)
        states = np.concatenate([self._states[n] for n in fresh])
        open_to = self.task.open_to(states)
        shown = np.flatnonzero(self.task.hits(states, open_to).any(axis=0)).tolist()
        # an action that is listed has not been executed: what it does is seen afterwards
        self.passed.update(p for p in map(self.task.probes.__getitem__, shown) if p.conjunct != RUNS)
        known = self._in_model != NONE
        allowed = np.zeros((len(fresh), len(known)), dtype=np.bool_)
        allowed[:, known] = open_to[:, self._in_model[known]]
        strange = open_to & self.task.unknown_to(self._index)
        differs = (seen.applicable[places] != allowed).any(axis=1) | strange.any(axis=1)
        if self.found is not None or not differs.any():
            return
        row = min(np.flatnonzero(differs).tolist(), key=lambda row: len(seen.walk_to(fresh[row])))
        walk = tuple(self.walks.operators[o] for o in seen.walk_to(fresh[row]))
        in_world, in_model = seen.applicable[places[row]], allowed[row]
        for operator in np.flatnonzero(in_world & ~in_model)[:1].tolist():
            self._differs(Direction.FORWARD, (*walk, self.walks.operators[operator]))
        for operator in np.flatnonzero(in_model & ~in_world)[:1].tolist():
            self._differs(Direction.BACKWARD, (*walk, self.walks.operators[operator]))
        for operator in np.flatnonzero(strange[row])[:1].tolist():
            self._differs(Direction.BACKWARD, (*walk, self.task.text(operator)))

    def _follow(self, seen: Seen) -> None:
        """The model's states at the nodes that were added since, as far as it runs what led there."""
        pending = list(range(max(self._followed, 1), len(seen.parents)))
        self._followed = len(seen.parents)
        while pending:
            later = set(pending)
            ready = [n for n in pending if int(seen.parents[n]) in self._states]
            pending = [n for n in pending if int(seen.parents[n]) in later]
            if not ready:
                return
            before = np.concatenate([self._states[int(seen.parents[n])] for n in ready])
            operators = self._in_model[seen.operators[ready]]
            runs = operators != NONE
            runs &= self.task.open_to(before)[np.arange(len(ready)), operators]
            after = self.task.successors(before[runs], operators[runs])
            self._states.update(zip(np.array(ready)[runs].tolist(), single_rows(after), strict=True))

    def walk(self, way: Way, allowed: int) -> None:
        """Walk a way and try what is to be shown at its end, unless that may take more queries in all."""
        most = len(way.walk) + 2 * len(way.shows)
        if self.walks.queries + most > allowed:
            return
        node = np.array([0])
        for step, operator in enumerate(way.walk, start=1):
            if not self._runs(node, operator):
                return self._differs(Direction.BACKWARD, way.walk[:step])
            node = self.walks.successors(node, np.array([self._index[operator]]))
        for probe, operator in way.shows:
            runs = self._runs(node, operator)
            if runs != probe.runs:
                direction = Direction.FORWARD if runs else Direction.BACKWARD
                self._differs(direction, (*way.walk, operator))
                continue
            self.passed.add(probe)
            if runs:
                after = self.walks.successors(node, np.array([self._index[operator]]))
                if self.walks.lists:  # what may run then shows what it did
                    self.walks.applicable(after)
        return None

    def plan(self, problem: Problem, probe: Probe, planner: Planner, allowed: int) -> None:
        """Have the planner look for a way to one probe, and walk it."""
        result = planner.plan(*planner_texts(to_be_shown(problem, probe)))
        if result.outcome is PlanOutcome.UNSOLVABLE_PROVED:
            self.impossible.add(probe)
        if result.plan is not None:
            self.walk(Way(result.plan, self.task.shows(self.task.after(result.plan), self.wanted())), allowed)

    def look_around(self, rng: np.random.Generator) -> None:
        """Walk in the world alone, preferring what is new where it lists what is applicable."""
        lengths = [_NEW_STEPS] * _NEW_WALKS
        if self.walks.lists:
            policy_walks(self.walks, self._coverage, lengths, rng)
        else:
            sample_walks(self.walks, lengths, rng)

    def _runs(self, node: NDArray[np.int64], operator: str) -> bool:
        number = self._index.get(operator)
        return number is not None and bool(self.walks.executes(node, np.array([number]))[0])

    def _differs(self, direction: Direction, walk: Sequence[str]) -> None:
        if self.found is None:
            self.found = RefusedWalk(direction, tuple(walk))
