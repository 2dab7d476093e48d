"""What a simulated language model knows, the true domains and problems of a run's tasks, and its mistakes.

A request names no environment; it shows a description, the interface and the text of a task, and these find
the task among those that the run is about.

Mistakes in domains, problems, plans and answers are drawn at stated rates. Every function for that takes a
generator and gives back a new object. Mistakes in literals are those of `envs.pddl.mutation.faults`: typed,
so a domain with them reads without an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from threading import Lock
from typing import TypeVar

import numpy as np

from agents.texts import WorldTexts
from envs.pddl.language.domain import Domain, Problem, read_domain, read_problem
from envs.pddl.language.render import render_domain, render_formula, render_problem
from envs.pddl.language.terms import Part, parsed, show, typed
from envs.pddl.language.vocabulary import show_typed
from envs.pddl.mutation.faults import BreakKind, single_faults
from envs.pddl.mutation.literals import LiteralFault, with_literals
from envs.pddl.planning.planner import Planner
from envs.source import has_files, read_texts
from envs.world import open_world
from experiments.config import ConfigError
from experiments.simulated.rates import Rates
from experiments.simulated.sketch import Difference, Sketch, TaskSketch, predicate_of, sketch_of, substituted

T = TypeVar("T")
#: Stands for a type where a domain has no other one.
_NO_TYPE = "thing"
#: What may become wrong in an answer to a failure.
_HARMS = (BreakKind.REMOVED, BreakKind.ARGUMENTS, BreakKind.ADDED)
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
            **texts.stripped("description", "domain_template", "task", "problem_template"),
            "actions": "\n".join(map(str, texts.actions)),
            "objects": texts.listed_objects,
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


def attempt(gold: GoldDomain, rates: Rates, rng: np.random.Generator) -> Sketch:
    """The true domain written from nothing: literals forgotten or swapped, actions missed, a wrong type."""
    faults: list[LiteralFault] = []
    for removal in gold.faults[BreakKind.REMOVED]:
        forgotten, swapped = rng.random() < rates.forget, rng.random() < rates.swap
        ways = gold.swaps.get((removal.action, removal.part, removal.path), ())
        if forgotten:
            faults.append(removal)
        elif swapped and ways:
            faults.append(choose(ways, rng))
    sketch = sketch_of(with_literals(gold.domain, faults)) if faults else gold.sketch
    rules = {name: rule for name, rule in sketch.rules.items() if rng.random() >= rates.miss}
    predicates = dict(sketch.predicates)
    if rng.random() < rates.mistype:
        predicates = mistyped(predicates, gold, rng)
    return Sketch(predicates, rules)


def mistyped(predicates: Mapping[str, str], gold: GoldDomain, rng: np.random.Generator) -> dict[str, str]:
    """The declarations with one parameter of another type; as they are if no predicate has one."""
    places = [(name, number) for name in predicates for number in range(len(_parameters(predicates[name])))]
    if not places:
        return dict(predicates)
    name, place = choose(places, rng)
    parameters = list(_parameters(predicates[name]))
    variable, kind = parameters[place]
    types = gold.domain.vocabulary.types
    others = [t for t in gold.domain.types if not types.is_subtype(kind, t)]
    parameters[place] = (variable, choose(others, rng) if others else _NO_TYPE)
    return {**predicates, name: f"({name} {show_typed(parameters)})"}


def misstated(scene: TaskSketch, task: GoldTask, rng: np.random.Generator) -> TaskSketch:
    """The scene with one initial fact left out, or about another object of the same type, as often."""
    if not scene.init:
        return scene
    fact, elsewhere = choose(scene.init, rng), rng.random() < 0.5
    wrong = _about_others(fact, scene, task) if elsewhere else ()
    return replace(scene, init=substituted(scene.init, Difference(fact, choose(wrong, rng) if wrong else "")))


def harmed(sketch: Sketch, gold: GoldDomain, but: Sequence[str], rng: np.random.Generator) -> Sketch:
    """The sketch with one literal of an action left out, changed or added; not in the actions `but`.

    Conjuncts alone are changed. As it is if there is nothing that could become wrong.
    """
    kinds = [[m for m in gold.faults[kind] if _is_open(m, sketch, but)] for kind in _HARMS]
    possible = [found for found in kinds if found]
    if not possible:
        return sketch
    chosen = choose(choose(possible, rng), rng)
    rule = sketch.rules[chosen.action].changed(chosen.part, Difference(chosen.before, chosen.after))
    return replace(sketch, rules={**sketch.rules, chosen.action: rule})


def garbled(text: str, rng: np.random.Generator) -> str:
    """The text without one of its closing parentheses, inside its first block of code: it does not parse."""
    start = text.find("```") + 1
    place = choose([i for i, c in enumerate(text) if c == ")" and i > start] or [len(text)], rng)
    return text[:place] + text[place + 1 :]


def cut_off(text: str, rng: np.random.Generator) -> str:
    """The text up to an opening parenthesis, so that what is left does not parse; empty if it has none."""
    places = [i + 1 for i, c in enumerate(text) if c == "("]
    return text[: choose(places, rng)] if places else ""


def choose(options: Sequence[T], rng: np.random.Generator) -> T:
    """One of the options, each as likely. Raises IndexError if there is none."""
    return options[int(rng.random() * len(options))]


def _parameters(declaration: str) -> tuple[tuple[str, str], ...]:
    tree = parsed(declaration)
    assert not isinstance(tree, str), "a declaration is in parentheses"
    return typed(tree[1:])


def _about_others(fact: str, scene: TaskSketch, task: GoldTask) -> list[str]:
    """The fact with one object replaced by another of its type, as far as it is not stated already."""
    head, *arguments = fact.strip("()").split()
    kinds = task.problem.objects
    changed = [
        show((head, *arguments[:place], other, *arguments[place + 1 :]))
        for place, name in enumerate(arguments)
        for other in kinds
        if other != name and kinds[other] == kinds[name]
    ]
    return [text for text in changed if text not in scene.init]


def _is_open(fault: LiteralFault, sketch: Sketch, but: Sequence[str]) -> bool:
    """Whether a fault concerns a conjunct that the sketch has, or brings one that it has not."""
    rule = sketch.rules.get(fault.action)
    if rule is None or fault.action in but or predicate_of(fault.before or fault.after) == "=":
        return False
    conjuncts = rule.of(fault.part)
    return fault.before in conjuncts if fault.before else fault.after not in conjuncts
