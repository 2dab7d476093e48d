"""Answers in the form that is asked for: PDDL, calls of the edit functions, or a plan.

The first answer of a conversation is an attempt from nothing (`mistakes.attempt`); what follows starts from
the domain or problem that the request shows, and `repair` says what is changed in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from envs.pddl.language.extract import extract_pddl
from envs.pddl.language.issues import PDDLError
from envs.pddl.language.vocabulary import show_typed
from envs.pddl.planning.planner import Planner
from experiments.simulated.failures import read_report
from experiments.simulated.gold import Gold, GoldTask
from experiments.simulated.mistakes import attempt, garbled, misstated, misstepped
from experiments.simulated.rates import Rates
from experiments.simulated.reading import Ask, Request
from experiments.simulated.repair import Revision, revised
from experiments.simulated.sketch import Rule, Scene, Sketch, calls, scene_of, sketch_of


@dataclass(frozen=True)
class Answerer:
    """Answers what was read. Stateless."""

    gold: Gold
    rates: Rates
    planner: Planner

    def answer(self, request: Request, rng: np.random.Generator) -> str:
        """The text of an answer, before it is cut off. Raises UnknownTask."""
        task = self.gold.find({**request.first, **request.shown})
        again = rng.random() < self.rates.repeat
        if again and request.answers:
            return request.last_answer
        if request.ask is Ask.PLAN:
            return self._plan(task, rng)
        garble = rng.random() < self.rates.garble
        text = self._pddl(request, task, rng)
        return garbled(text, rng) if garble and text != request.last_answer else text

    def _pddl(self, request: Request, task: GoldTask, rng: np.random.Generator) -> str:
        match request.ask:
            case Ask.PROPOSAL:
                return _pddl(_domain(task, attempt(task.domain, self.rates, rng)))
            case Ask.DOMAIN:
                return _python(attempt(task.domain, self.rates, rng))
            case Ask.FEEDBACK | Ask.EITHER:
                return self._edits(request, task, rng)
            case Ask.MEND_PROBLEM | Ask.MEND_TRANSLATION:
                return self._problem_again(request, task, rng)
        return _pddl(self._problem(task, self._scene(task, rng), request))

    def _scene(self, task: GoldTask, rng: np.random.Generator) -> Scene:
        """The task's problem as it is written from nothing."""
        wrong = rng.random() < self.rates.misstate
        return misstated(task.scene, task, rng) if wrong else task.scene

    def _edits(self, request: Request, task: GoldTask, rng: np.random.Generator) -> str:
        """Edits after a failure, with the problem where that is asked for and changes."""
        current = sketch_of(request.shown["domain"])
        scene = scene_of(request.shown["problem"]) if request.ask is Ask.EITHER else None
        reports = [read_report(failure) for failure in request.failures]
        found = revised(Revision(current, scene), task, reports, self.rates, rng)
        if found is None or found.sketch is None:
            return request.last_answer
        text = _python(_news(current, found.sketch, reports[-1].failing))
        if scene is None or found.scene is None or found.scene == scene:
            return text
        return f"{text}\n\n{_pddl(self._problem(task, found.scene, request))}"

    def _problem_again(self, request: Request, task: GoldTask, rng: np.random.Generator) -> str:
        """The problem after a failure, from the last answer; a new attempt if that cannot be read."""
        before = extract_pddl(request.last_answer).problem
        try:
            scene = None if before is None else scene_of(before)
        except PDDLError:
            scene = None
        fresh, reports = self._scene(task, rng), [read_report(failure) for failure in request.failures]
        if scene is None:
            fixed = rng.random() < self.rates.fix
            return _pddl(self._problem(task, fresh, request)) if fixed else request.last_answer
        found = revised(Revision(None, scene), task, reports, self.rates, rng)
        assert found is not None and found.scene is not None, "a problem that was read is written again"
        return _pddl(self._problem(task, found.scene, request))

    def _plan(self, task: GoldTask, rng: np.random.Generator) -> str:
        steps = "\n".join(misstepped(task.plan(self.planner), self.rates, rng))
        return f"```\n{steps}\n```"

    def _problem(self, task: GoldTask, scene: Scene, request: Request) -> str:
        """A problem as PDDL; a translation has the costs of the true one too."""
        full = request.ask in (Ask.TRANSLATION, Ask.MEND_TRANSLATION, Ask.ZERO_SHOT)
        return _problem(task, scene, full)


def _news(current: Sketch, revision: Sketch, reported: str) -> Sketch:
    """What an answer writes: all that changed, or the reported action as it is if nothing did."""
    rules = {name: rule for name, rule in revision.rules.items() if current.rules.get(name, Rule()) != rule}
    predicates = {n: d for n, d in revision.predicates.items() if current.predicates.get(n) != d}
    if not rules and not predicates:
        name = reported if reported in current.rules else next(iter(current.rules))
        rules = {name: current.rules[name]}
    return Sketch(predicates, rules)


def _python(sketch: Sketch) -> str:
    return f"```python\n{calls(sketch.predicates.values(), sketch.rules)}\n```"


def _pddl(text: str) -> str:
    return f"```pddl\n{text.strip()}\n```"


def _domain(task: GoldTask, sketch: Sketch) -> str:
    """A domain as PDDL, with the interface of the true one."""
    domain, texts = task.domain.domain, task.texts
    actions = [
        f"  (:action {a.name}\n    :parameters ({show_typed((p.name, p.type) for p in a.parameters)})\n"
        f"    :precondition {_and(rule.precondition)}\n    :effect {_and(rule.effect)})"
        for a in texts.actions
        if (rule := sketch.rules.get(a.name)) is not None
    ]
    types = show_typed((kind, above or "object") for kind, above in domain.types.items())
    sections = [
        f"(define (domain {texts.domain_name})",
        *([f"  (:types {types})"] if types else []),
        *([f"  (:constants {show_typed(domain.constants.items())})"] if domain.constants else []),
        f"  (:predicates {' '.join(sketch.predicates.values())})",
        *actions,
    ]
    return "\n".join(sections) + ")"


def _problem(task: GoldTask, scene: Scene, full: bool) -> str:
    """A problem as PDDL, with the objects of the true one, and its costs if it is to be `full`."""
    problem, constants = task.problem, task.problem.domain.constants
    own = [(name, kind) for name, kind in problem.objects.items() if name not in constants]
    name = problem.domain.name if full else task.texts.domain_name
    costs = (
        [f"(= ({' '.join(term)}) {value:g})" for term, value in sorted(problem.costs.items())] if full else []
    )
    sections = [
        f"(define (problem {task.texts.problem_name})",
        f"  (:domain {name})",
        f"  (:objects {show_typed(own)})",
        "  (:init" + "".join(f"\n    {fact}" for fact in (*scene.init, *costs)) + ")",
        f"  (:goal {scene.goal})",
        *(["  (:metric minimize (total-cost))"] if full and problem.minimizes_cost else []),
    ]
    return "\n".join(sections) + ")"


def _and(conjuncts: Iterable[str]) -> str:
    return f"(and {' '.join(conjuncts)})"
