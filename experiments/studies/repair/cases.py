"""Models to repair and what became of them: a user's own, or worlds' rules with faults; EW, tasks solved.

A model is repaired in its own words, so it has to name what the world names: the same actions with as many
parameters, and all of the world's objects.

Only studies and demonstrations read a world's rules. A `Case` holds them if they were broken; the repair is
handed the broken problem and the world alone. The tasks that a repaired domain is tried on are stated by the
same source as the broken problem was, in the words that the repaired domain has: the true problem, with the
same faults of those predicates that are still wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal

import numpy as np

from agents.repair.rules.new_predicate import carried_over
from agents.repair.rules.variants import with_parameter_taken
from envs.pddl.interface import World
from envs.pddl.language.domain import Domain, Problem, read_domain, read_problem
from envs.pddl.language.issues import PDDLError
from envs.pddl.language.render import render_problem
from envs.pddl.language.terms import same_rules
from envs.pddl.mutation.faults import BreakKind, Broken, break_domain
from envs.pddl.planning.planner import Planner, PlanOutcome, planner_texts
from envs.pddl.simulation.simulator import Task
from envs.source import read_texts
from envs.world import open_world
from ew.score.config import EWConfig
from ew.score.score import ew_score
from ew.walks.adapter import transitions_of
from experiments.config import ConfigError
from experiments.evaluation.judge import planned_by
from experiments.runs.records import world_label
from experiments.runs.seeds import stream
from experiments.studies.repair.tasks import goal_predicates, true_problem

#: The values of `BreakKind`, as words of the command line.
Kind = Literal[
    "removed", "added", "arguments", "parameter", "mixed", "nested", "action", "predicate", "type"
]  # fmt: skip


class PlanFate(StrEnum):
    """What becomes of a model's plan."""

    WORKS = "works"  #: the goal is reached in the world
    FAILS = "fails"  #: a step is refused, or the goal is not reached
    UNREACHABLE = "unreachable"  #: there is none: the goal cannot be reached in the model
    NOT_FOUND = "not_found"  #: none was found within the planner's limits
    UNREADABLE = "unreadable"  #: the task cannot be stated in the model's words


@dataclass(frozen=True, eq=False)
class Case:
    """A model to be repaired in a world: a user's own, or the world's rules with faults."""

    env: str
    number: int | str  #: the first task
    given: Problem  #: what the repair gets there
    original: Problem  #: of that task by the world's own rules; of a user's model, the same as `given`
    broken: Broken = field(default_factory=lambda: Broken("", ()))
    others: Mapping[int | str, Problem] = field(default_factory=dict)  #: of a user's model, in further tasks

    @property
    def is_broken(self) -> bool:
        """Whether it is the world's own rules, with faults."""
        return self.original is not self.given

    @cached_property
    def world(self) -> World:
        """The world, set to the task."""
        return open_world(self.env, self.number)

    def task_text(self, number: int | str, repaired: Domain, structural: Sequence[str] = ()) -> str:
        """The problem of a task of a broken world in the words of the repaired domain.

        With the atoms that `structural` edits bring (`Repaired.structural`), and without the parameters that
        they take. Raises WorldNotFound if there is no such task.
        """
        original = true_problem(self.env, number)
        for words in structural:
            original = with_parameter_taken(words, original, repaired)
        text = self.broken.problem(original, repaired)
        problem = stated(text, repaired, structural)
        return text if problem is None else render_problem(problem)

    def given_in(self, number: int | str) -> Problem:
        """What a repair gets of a task. Raises WorldNotFound."""
        if number == self.number:
            return self.given
        if number in self.others:
            return self.others[number]
        return self.given_of(true_problem(self.env, number))

    def given_of(self, problem: Problem) -> Problem:
        """What a repair gets of a problem of the world's own rules."""
        return read_problem(self.broken.problem(problem), self.given.domain)

    def is_original(self, domain: Domain, problem: Problem) -> bool:
        """Whether a domain and a problem of it are those without the faults, their order aside."""
        return same_rules(self.original.domain, domain) and self.original.init == problem.init


def read_given(env: str, tasks: Sequence[int | str], domain: Path, problems: Sequence[Path]) -> Case:
    """The model of a domain and a problem for each task; at least one.

    Raises ConfigError if they cannot be read or do not fit the world.
    """
    read: list[Problem] = []
    try:
        rules = read_domain(_read(domain, env), str(domain))
        for task, path in zip(tasks, problems, strict=True):
            read.append(read_problem(_read(path, env), rules, str(path)))
            missing = unnamed(open_world(env, task), read[-1])
            if missing:
                raise ConfigError(f"{domain} and {path} do not fit {env}, task {task}: {'; '.join(missing)}")
    except PDDLError as error:
        raise ConfigError(error.brief()) from error
    others = dict(zip(tasks[1:], read[1:], strict=True))
    return Case(env, tasks[0], read[0], read[0], others=others)


def unnamed(world: World, problem: Problem) -> list[str]:
    """What a model does not name of the world's; empty if it can be repaired there.

    Actions that it lacks, and parameters, are no reason: repair fits them to the world's signatures.
    """
    objects = [name for name in world.objects if name not in problem.objects]
    return [f"it lacks the objects {' '.join(objects)}"] if objects else []


def _read(path: Path, env: str) -> str:
    """The text of a file, looked for here and then in the world's folder."""
    found = next((p for p in (path, Path(env) / path) if p.is_file()), None)
    if found is None:
        raise ConfigError(f"there is no file {path}, neither here nor in {env}")
    try:
        return found.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{found} is not UTF-8: {error}") from error


def break_world(env: str, number: int | str, kind: BreakKind, count: int, seed: int) -> Case:
    """The case of a seed; with `count` 0 nothing is broken. The faults are the same in every task.

    For a world in a folder they are drawn by the folder's own name, so that they are the same anywhere.
    Raises WorldNotFound; ValueError if the world's domain cannot be broken in this way.
    """
    original = true_problem(env, number)
    if count:
        rng = stream(seed, "break", world_label(env), 1, kind, count)
        kept = goal_predicates(env) if kind is BreakKind.PREDICATE else ()
        broken = break_domain(original.domain, kind, count, rng, kept)
    else:
        broken = Broken(read_texts(env, number).domain, ())
    given = read_problem(broken.problem(original), read_domain(broken.domain))
    return Case(env, number, given, original, broken)


def stated(text: str, domain: Domain, structural: Sequence[str]) -> Problem | None:
    """A problem that repair has not seen, with the atoms that structural edits bring.

    None if it cannot be said in the repaired domain.
    """
    try:
        problem = read_problem(text, domain)
    except PDDLError:
        return None
    for words in structural:
        problem = carried_over(words, problem)
    return problem


def fresh_ew(world: World, model: Task | None, walks: int, rng: np.random.Generator) -> float | None:
    """The EW score of a model by so many joint walks; None without a model or an operator to begin with."""
    if model is None:
        return None
    return ew_score(transitions_of(world), model, rng, fresh_walks(walks)).score


def fresh_walks(walks: int) -> EWConfig:
    """How models are judged before and after a repair."""
    return EWConfig(walks=walks, estimator="survival")


def plan_fate(env: str, number: int | str, domain: Domain, problem: str, planner: Planner) -> PlanFate:
    """What becomes of the plan that the planner finds in the model. Raises MachineFault."""
    try:
        read = read_problem(problem, domain)
    except PDDLError:
        return PlanFate.UNREADABLE
    result = planned_by(planner, *planner_texts(read))
    if result.plan is not None:
        works = open_world(env, number).verify(result.plan).valid
        return PlanFate.WORKS if works else PlanFate.FAILS
    proved = result.outcome is PlanOutcome.UNSOLVABLE_PROVED
    return PlanFate.UNREACHABLE if proved else PlanFate.NOT_FOUND


@lru_cache(maxsize=256)
def true_fate(env: str, number: int | str, planner: Planner) -> PlanFate:
    """What becomes of the planner's plan by the world's own rules. Raises MachineFault."""
    problem = true_problem(env, number)
    return plan_fate(env, number, problem.domain, render_problem(problem), planner)


def make_folder(wished: Path) -> Path:
    """A new folder, or an empty one. Raises ConfigError if it holds something or cannot be made."""
    try:
        if wished.exists() and (not wished.is_dir() or any(wished.iterdir())):
            raise ConfigError(f"{wished} is there already and nothing is overwritten; name another --out")
        wished.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"nothing can be written to {wished}: {error.strerror}") from error
    return wished


def new_folder(wished: Path | None, default: str) -> Path:
    """The wished folder, as `make_folder` makes it, or `runs/DEFAULT`, numbered if need be.

    Raises ConfigError as `make_folder`; OSError if there is no place for the other.
    """
    if wished is not None:
        return make_folder(wished)
    folder, number = Path("runs") / default, 1
    while True:
        try:
            folder.mkdir(parents=True)
            return folder
        except FileExistsError:
            number += 1
            folder = Path("runs") / f"{default}.{number}"
