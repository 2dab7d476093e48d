"""What a simulated language model knows: the true domains and problems of a run's tasks, found by texts.

A request names no environment; it shows a description, the interface and the text of a task, and these find
the task among those that the run is about.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from threading import Lock

from agents.texts import WorldTexts
from envs.pddl.language.domain import Domain, Problem, read_domain, read_problem
from envs.pddl.language.render import render_domain, render_formula, render_problem
from envs.pddl.language.terms import Part
from envs.pddl.mutation.faults import BreakKind, LiteralFault, single_faults
from envs.pddl.planning.planner import Planner
from envs.source import has_files, read_texts
from envs.world import open_world
from experiments.config import ConfigError
from experiments.simulated.sketch import Sketch, TaskSketch, sketch_of

#: Requests come in threads; one plan at a time is made for all of them, and none is made twice.
_PLANNING = Lock()
#: A literal's place: action, half and path.
Place = tuple[str, Part, tuple[int, ...]]


class UnknownTask(LookupError):
    """A request about no task of the run; one line."""


class NoGoldPlan(RuntimeError):
    """The planner found no plan for a true task within its limits: no mistake of the stand-in; one line."""


class GoldDomain:
    """A true domain, and what can be got wrong in it. Immutable."""

    def __init__(self, domain: Domain):
        self.domain = domain
        self.sketch: Sketch = sketch_of(render_domain(domain))

    @cached_property
    def faults(self) -> Mapping[BreakKind, list[LiteralFault]]:
        """Every fault of one literal, by kind."""
        return single_faults(self.domain)

    @cached_property
    def swaps(self) -> Mapping[Place, tuple[LiteralFault, ...]]:
        """By the literal's place, its arguments swapped or one of them replaced, in every way that fits."""
        found: dict[Place, tuple[LiteralFault, ...]] = {}
        for fault in self.faults[BreakKind.ARGUMENTS]:
            found[fault.place] = (*found.get(fault.place, ()), fault)
        return found


class GoldTask:
    """A true problem with the texts that it is asked about by. Immutable."""

    def __init__(self, env: str, task: int | str, domain: GoldDomain, problem: Problem):
        self.env, self.task, self.domain, self.problem = env, task, domain, problem
        self.texts = WorldTexts.of(open_world(env, task))

    @cached_property
    def shown(self) -> Mapping[str, str]:
        """What requests about this task show, by the placeholders of their prompts."""
        texts = self.texts
        return {
            "description": texts.description.strip(),
            "domain_template": texts.domain_template.strip(),
            "task": texts.task.strip(),
            "problem_template": texts.problem_template.strip(),
            "actions": "\n".join(map(str, texts.actions)),
            "objects": "\n".join(f"{name} - {kind}" for name, kind in texts.objects.items()),
        }

    @cached_property
    def scene(self) -> TaskSketch:
        """The true facts, sorted, and the goal."""
        init = tuple(f"({' '.join(fact)})" for fact in sorted(self.problem.init))
        return TaskSketch(init, render_formula(self.problem.goal))

    def plan(self, planner: Planner) -> tuple[str, ...]:
        """A plan of `planner` for it. Raises NoGoldPlan and PlannerMissing."""
        with _PLANNING:
            return _plan(planner, render_domain(self.domain.domain), render_problem(self.problem))


@dataclass(frozen=True)
class Gold:
    """The tasks of a run."""

    tasks: tuple[GoldTask, ...]

    @classmethod
    def of(cls, tasks: Iterable[tuple[str, int | str]]) -> Gold:
        """The gold of these tasks, each an environment and what names its task there.

        Raises ConfigError for an environment that is not PDDL, or that texts cannot tell from another.
        """
        domains: dict[str, GoldDomain] = {}
        found = []
        for env, task in tasks:
            if not has_files(env):
                raise ConfigError(
                    f"a simulated language model has to know the rules of {env!r}, which is not PDDL"
                )
            read = read_texts(env, task)
            if read.domain not in domains:
                domains[read.domain] = GoldDomain(read_domain(read.domain))
            domain = domains[read.domain]
            found.append(GoldTask(env, task, domain, read_problem(read.problem, domain.domain)))
        gold = cls(tuple(found))
        gold._refuse_lookalikes()
        return gold

    def find(self, shown: Mapping[str, str]) -> GoldTask:
        """The first task that a request is about which shows these texts. Raises UnknownTask."""
        for task in self.tasks:
            own = task.shown
            if all(own[name] == text.strip() for name, text in shown.items() if name in own):
                return task
        asked = shown.get("task") or shown.get("description") or ""
        raise UnknownTask(f"the request is about no task of this run: {asked.strip()[:80]!r}")

    def _refuse_lookalikes(self) -> None:
        """Raises ConfigError if requests about two different domains would be the same."""
        seen: dict[tuple[str, str], GoldTask] = {}
        for task in self.tasks:
            key = (task.shown["description"], task.shown["domain_template"])
            other = seen.setdefault(key, task)
            if other.domain.sketch != task.domain.sketch:
                raise ConfigError(
                    f"{other.env} and {task.env} have the same texts and different rules, so a simulated "
                    "language model cannot tell them apart; make two runs"
                )


@lru_cache(maxsize=256)
def _plan(planner: Planner, domain: str, problem: str) -> tuple[str, ...]:
    found = planner.plan(domain, problem)
    if found.plan is None:
        raise NoGoldPlan(
            f"the planner found no plan for the true task ({found.outcome.value}) in {planner.wall_s:g} s "
            f"and {planner.memory_mb} MB; give a larger --planner-wall-s or --planner-memory-mb, or leave "
            "the task out"
        )
    return found.plan
