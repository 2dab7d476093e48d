"""The environment itself as a source of remarks: no person is needed.

The model is walked beside the world, in one task after another. Where they disagree, the shortest
disagreement is told in the words that every method gets (`ew.feedback`), with the actions that differ and
their likely causes. The dialogue that goes on is that of the likeliest action; if it was told the same
before, of the next: other likely ones, the operator's own, those of the walk from the last to the first. A
model is worth the mean of its EW scores; one that cannot be walked is worth less than any that can. Where
telling it twice has not helped, the fault may be the problem's: another one is asked for, and kept if better.
A task that cannot be written down with the model's predicates is a remark like any other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from agents.problems import ProblemReading
from agents.worldmodel.model import WorldModel
from agents.worldmodel.problems import Problems
from agents.worldmodel.remarks import Opinion, Remark, Review, Worth
from agents.worldmodel.requests import untranslatable
from envs.pddl.compile import compile_task
from envs.pddl.grounding import GroundingExploded, Limits
from envs.pddl.interface import World
from envs.pddl.language import Problem, read_domain, read_problem
from envs.pddl.operators import parse_operator
from envs.pddl.simulator import Task
from ew.adapter import transitions_of
from ew.agreement import AgreementConfig, agreement
from ew.budget import BudgetExceeded, QueryBudget
from ew.config import EWConfig
from ew.disagreement import first_disagreement
from ew.feedback import Explained, Exploded, Failure, InsaneDomain, NoInitialAction, render_failure
from ew.joins import JoinTooLarge
from ew.relations import TooManyAtoms
from ew.sampled import SamplingGaveUp
from ew.score import EWVerdict, ew_score
from ew.shrink import Shrunk, shrink
from ew.world_walks import WorldWalks

#: World queries that a look at longer walks may take, where all walks of the score agree.
MAX_FURTHER = 3000
#: World queries that shortening a disagreement may take.
MAX_SHRINKING = 2000
#: Joint walks that actions are compared on, beside the disagreement's own.
_COMPARED = AgreementConfig(walks=5)

#: So often the model is told the same before the problem is asked for again, which may be wrong instead.
_TOLD_BEFORE_PROBLEM = 2
#: The beginnings of words, so that `washed` is found in `washes`.
_WORD = re.compile(r"\b[a-z]{4}")
#: What a model is worth that cannot be walked, and one that cannot be judged.
_UNUSABLE, _UNKNOWN = (0.0, 0.0), (-1.0, 0.0)


@dataclass(frozen=True)
class WorldTask:
    """One task of the world, and its problem over a model's predicates."""

    world: World
    problems: Problems


@dataclass(frozen=True)
class _Found:
    """What one task showed."""

    score: float | None = None  #: the EW score; None if none could be taken
    words: str = ""  #: what is wrong; empty if nothing is
    suspects: tuple[str, ...] = ()  #: actions that this may be due to, the likeliest first
    queries: int = 0
    note: str = ""  #: why nothing can be said

    @property
    def worth(self) -> Worth:
        """For the order among problems of one task."""
        return (-1.0,) if self.score is None else (self.score, float(not self.words))


@dataclass(frozen=True)
class Walks:
    """Walks in the tasks of one world. The model's actions must have the world's own parameters."""

    tasks: tuple[WorldTask, ...]
    seed: int
    config: EWConfig = field(default_factory=EWConfig)
    limits: Limits = field(default_factory=Limits)

    def review(self, model: WorldModel, made: Sequence[Remark]) -> Review:
        """Content if no walk of any task shows a difference. The same walks are taken for every model.

        Raises ValueError if the model's action interface is not the given one.
        """
        if not model.brief.is_fixed:
            raise ValueError("a model whose parameters are its own cannot be walked beside the world")
        if model.unwritten:
            words = render_failure(InsaneDomain(model.unwritten))
            return Review(Opinion.OBJECTS, _UNUSABLE, Remark(model.unwritten[0], words))
        scores: list[float] = []
        remark, queries = None, 0
        for number, task in enumerate(self.tasks):
            found = self._walked(model, task, number, made)
            queries += found.queries
            if found.note:
                return Review(Opinion.CANNOT_JUDGE, _UNKNOWN, note=found.note, world_queries=queries)
            if found.words and remark is None:
                remark = _remark(found, model, made)
            if found.score is None:
                return Review(Opinion.OBJECTS, _UNUSABLE, remark, world_queries=queries)
            scores.append(found.score)
        worth = (1.0, sum(scores) / len(scores))
        opinion = Opinion.OBJECTS if remark else Opinion.CONTENT
        return Review(opinion, worth, remark, world_queries=queries)

    def _walked(self, model: WorldModel, task: WorldTask, number: int, made: Sequence[Remark]) -> _Found:
        reading = task.problems.problem(model)
        if not reading.answered:
            return _Found(note=f"task {number + 1} was not translated for this model: {reading.fault}")
        found = self._read(model, task.world, reading, number)
        if not found.words or len(_told(found, made)) < _TOLD_BEFORE_PROBLEM:
            return found
        mended = task.problems.mended(model, found.words)
        if mended.problem is None:
            return found
        other = self._tried(model, task.world, mended.problem, number)
        queries = found.queries + other.queries
        if other.worth > found.worth:
            task.problems.keep(model, mended)
            return replace(other, queries=queries)
        return replace(found, queries=queries)

    def _read(self, model: WorldModel, world: World, reading: ProblemReading, number: int) -> _Found:
        """What a translated task shows."""
        if reading.problem is not None:
            return self._tried(model, world, reading.problem, number)
        words = untranslatable(world.task, reading.fault or "")
        return _Found(words=words, suspects=_mentioning(reading.fault or "", model))

    def _tried(self, model: WorldModel, world: World, pddl: str, number: int) -> _Found:
        """What walks show with this problem."""
        problem = read_problem(pddl, read_domain(model.text()))
        try:
            compiled = compile_task(problem, self.limits)
        except GroundingExploded as explosion:
            return _failed(Exploded(str(explosion)), (explosion.action,))
        return self._compared(world, problem, compiled, number)

    def _compared(self, world: World, problem: Problem, compiled: Task, number: int) -> _Found:
        """What walks in the world and in a model that is ground show."""
        asked = WorldWalks(transitions_of(world))
        score = ew_score(asked, compiled, self._rng(number), self.config)
        if score.verdict is EWVerdict.WORLD_STUCK:
            return _Found(note=f"no action is executable at the start of task {number + 1}")
        if score.score is None:
            stuck = NoInitialAction.seen_in(world)
            first = _actions((stuck.executable,) if stuck.executable else ())
            return _failed(stuck, first, queries=asked.queries + 1)
        asked.budget = QueryBudget(MAX_FURTHER)  # the score's own walks are known by now
        try:
            found = first_disagreement(world, compiled, self._rng(number), self.config, asked)
        except BudgetExceeded:
            found = None
        if found is None:
            return _Found(score.score, queries=asked.queries)
        short = shrink(world, compiled, found, MAX_SHRINKING)
        told, queries = self._explained(world, problem, short, number)
        likely = tuple(e.action for e in told.explanations) if isinstance(told, Explained) else ()
        walk = short.disagreement.walk
        return _failed(told, (*likely, *_actions(walk[::-1])), score.score, asked.queries + queries)

    def _explained(
        self, world: World, problem: Problem, short: Shrunk, number: int
    ) -> tuple[Shrunk | Explained, int]:
        """With the actions that differ and likely causes, unless the model is too large; and the queries."""
        led = short.disagreement.executed
        try:
            compared = agreement(world, problem, self._rng(number), _COMPARED, led=led)
        except (JoinTooLarge, SamplingGaveUp, TooManyAtoms):
            return short, short.world_queries
        return Explained.by(short, compared), short.world_queries + compared.world_queries

    def _rng(self, number: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, number])


def _failed(
    failure: Failure, suspects: tuple[str, ...], score: float | None = None, queries: int = 0
) -> _Found:
    return _Found(score, render_failure(failure), suspects, queries)


def _remark(found: _Found, model: WorldModel, made: Sequence[Remark]) -> Remark:
    """What is wrong, in the dialogue of the first suspect that was not told just that before."""
    known = [name for name in dict.fromkeys(found.suspects) if model.brief.action(name)]
    known = known or [action.name for action in model.brief.actions]
    told = _told(found, made)
    return Remark(next((name for name in known if name not in told), known[0]), found.words)


def _told(found: _Found, made: Sequence[Remark]) -> list[str]:
    """The actions that were told just that, once for each time."""
    return [remark.action for remark in made if remark.words == found.words]


def _mentioning(fault: str, model: WorldModel) -> tuple[str, ...]:
    """The actions by how many of the words of `fault`, without its advice, their names and texts have."""
    told = "\n".join(line for line in fault.splitlines() if not line.lstrip().startswith("fix:"))
    words = frozenset(_WORD.findall(told.lower()))
    names = {a.name: frozenset(_WORD.findall(f"{a.name} {a.text}".lower())) for a in model.brief.actions}
    return tuple(sorted(names, key=lambda name: -len(words & names[name])))


def _actions(operators: Sequence[str]) -> tuple[str, ...]:
    return tuple(parse_operator(operator)[0] for operator in operators)
