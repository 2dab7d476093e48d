"""The simulated language model: a `DescribedModel` that needs no server, no key and no recording.

`simulated_model` makes that of a run: what it has to know, and which methods it can answer. It keeps nothing
between requests. An answer depends on the messages, the temperature, the seed, the sample's index and the
rates alone, so it is the same in any order, in any process, and when a run is resumed.

Answers have the form that is asked for: PDDL, calls of the edit functions, or a plan.

The first answer of a conversation is an attempt from nothing (`gold.attempt`); what follows starts from
the domain or problem that the request shows, and `revised` says what is changed in it.

After a failure the reported fault is fixed with p, something else is harmed with q, a recommended change is
made with r, each drawn by itself. The reported fault is the first difference from the true model at the
places that the failure points to: the precondition of the action that is treated differently, the effects of
the actions before it, the latest first, its own effects, then the facts of the problem where the request lets
them be changed. A failure that names no place (no plan, say) points to the whole model.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from agents.llm.errors import ErrorKind, failed
from agents.llm.interface import Completion, DescribedModel, Finish, Message, Usage
from agents.llm.keys import Profile, canonical
from envs.pddl.language.extract import extract_pddl
from envs.pddl.language.issues import PDDLError
from envs.pddl.language.terms import Part
from envs.pddl.language.vocabulary import show_typed
from envs.pddl.planning.planner import Planner
from ew.counterexample.explanations import FACTS, Change
from experiments.config import ConfigError
from experiments.driver.preflight import tasks_of
from experiments.driver.run_plan import RunPlan
from experiments.methods.registry import method_named
from experiments.simulated.gold import (
    Gold,
    GoldTask,
    NoGoldPlan,
    UnknownTask,
    attempt,
    choose,
    cut_off,
    garbled,
    harmed,
    misstated,
)
from experiments.simulated.rates import Named, Rates, named
from experiments.simulated.reading import Ask, Order, Report, Request, Unreadable, read_request
from experiments.simulated.sketch import (
    Conjuncts,
    Difference,
    Sketch,
    TaskSketch,
    calls,
    differences,
    scene_of,
    sketch_of,
    substituted,
)

#: What the stand-in may take for the plan of a true task, at least, in seconds: what it knows does not depend
#: on how long the planner of a run may search.
PLANNING_S = 600.0
#: Characters of a token. An answer holds no reasoning, so it takes fewer tokens than a language model's.
_CHARACTERS = 4
#: Stands for the server in requests.
ENDPOINT = "simulated"


def simulated_model(plan: RunPlan, longest: int) -> SimulatedModel:
    """The simulated model that a plan names, with the truth about its tasks and `longest` tokens an answer.

    Raises ConfigError if its rates cannot be read, a method asks what it cannot answer, or see `Gold.of`.
    """
    config = plan.config
    refused = sorted({unit.method for unit in plan.units if not method_named(unit.method).can_be_simulated()})
    if refused:
        raise ConfigError(
            f"a simulated language model writes PDDL, edits and plans, and {', '.join(refused)} asks for "
            "something else (a program, or a model in words); leave it out"
        )
    if any(unit.translator != "llm" for unit in plan.units):
        raise ConfigError("a simulated language model writes no answer set programs; leave out --translator")
    name = named(config.model or "")
    wall_s = max(config.planner_wall_s, PLANNING_S)
    planner = Planner(config.planner, wall_s=wall_s, memory_mb=config.planner_memory_mb)
    return SimulatedModel(name, Gold.of(tasks_of(plan)), planner, longest)


@dataclass(frozen=True)
class SimulatedModel(DescribedModel):
    """A stand-in for a language model. Thread-safe."""

    name: Named
    gold: Gold
    planner: Planner
    max_tokens: int  #: of one answer; what is longer is cut off

    def request(self, messages: Sequence[Message], temperature: float, seed: int) -> Mapping[str, Any]:
        """The canonical request; its parameters are the rates."""
        profile = Profile(ENDPOINT, self.name.label, asdict(self.name.rates))
        return profile.request(messages, temperature, seed)

    def arrivals(
        self, messages: Sequence[Message], samples: Sequence[int], temperature: float, seed: int
    ) -> Iterator[Mapping[int, Completion]]:
        """The answers with these indices, one at a time. Raises LLMError(config) for what it cannot read."""
        decisive = Profile(ENDPOINT, ENDPOINT, asdict(self.name.rates)).request(messages, temperature, seed)
        request = canonical(decisive)  # without the label: the rates decide, whatever their file is called
        try:
            read = read_request(messages)
        except Unreadable as error:
            raise failed(ErrorKind.CONFIG, f"{self.name.label}: {error}") from error
        for index in samples:
            digest = hashlib.sha256(f"{request}/{index}".encode()).digest()
            made = self._completion(messages, read, np.random.default_rng(list(digest)))
            # A server reads the prompt once for all samples of a request.
            yield {index: made if index == 0 else replace(made, usage=replace(made.usage, prompt_tokens=0))}

    def _completion(
        self, messages: Sequence[Message], request: Request, rng: np.random.Generator
    ) -> Completion:
        truncated = rng.random() < self.name.rates.truncate
        try:
            text = self.answer(request, rng)
        except (UnknownTask, NoGoldPlan) as error:
            raise failed(ErrorKind.CONFIG, f"{self.name.label}: {error}") from error
        if truncated or tokens(text) > self.max_tokens:
            text = cut_off(text[: self.max_tokens * _CHARACTERS], rng)
            truncated = True
        usage = Usage(sum(tokens(m.content) for m in messages), tokens(text))
        finish = Finish.LENGTH if truncated else Finish.STOP
        return Completion(text, finish, usage, self.name.label)

    def answer(self, request: Request, rng: np.random.Generator) -> str:
        """The text of an answer, before it is cut off. Raises UnknownTask."""
        task = self.gold.find({**request.first, **request.shown})
        again = rng.random() < self.name.rates.repeat
        if again and request.answers:
            return request.last_answer
        if request.ask is Ask.PLAN:
            plan = task.plan(self.planner)
            steps = "\n".join(step for step in plan if rng.random() >= self.name.rates.misstep)
            return f"```\n{steps}\n```"
        garble = rng.random() < self.name.rates.garble
        text = self._pddl(request, task, rng)
        return garbled(text, rng) if garble and text != request.last_answer else text

    def _pddl(self, request: Request, task: GoldTask, rng: np.random.Generator) -> str:
        match request.ask:
            case Ask.PROPOSAL:
                return _pddl(_domain(task, attempt(task.domain, self.name.rates, rng)))
            case Ask.DOMAIN:
                return _python(attempt(task.domain, self.name.rates, rng))
            case Ask.FEEDBACK | Ask.EITHER:
                return self._edits(request, task, rng)
            case Ask.MEND_PROBLEM | Ask.MEND_TRANSLATION:
                return self._problem_again(request, task, rng)
        return _pddl(_problem(task, self._scene(task, rng), request.ask))

    def _scene(self, task: GoldTask, rng: np.random.Generator) -> TaskSketch:
        """The task's problem as it is written from nothing."""
        wrong = rng.random() < self.name.rates.misstate
        return misstated(task.scene, task, rng) if wrong else task.scene

    def _edits(self, request: Request, task: GoldTask, rng: np.random.Generator) -> str:
        """Edits after a failure, with the problem where that is asked for and changes."""
        current = sketch_of(request.shown["domain"])
        scene = scene_of(request.shown["problem"]) if request.ask is Ask.EITHER else None
        found = revised(Revision(current, scene), task, request.reports, self.name.rates, rng)
        if found is None or found.sketch is None:
            return request.last_answer
        text = _python(_news(current, found.sketch, request.reports[-1].failing))
        if found.scene is None or found.scene == scene:
            return text
        return f"{text}\n\n{_pddl(_problem(task, found.scene, request.ask))}"

    def _problem_again(self, request: Request, task: GoldTask, rng: np.random.Generator) -> str:
        """The problem after a failure, from the last answer; a new attempt if that cannot be read."""
        before = extract_pddl(request.last_answer).problem
        try:
            scene = None if before is None else scene_of(before)
        except PDDLError:
            scene = None
        fresh = self._scene(task, rng)
        if scene is None:
            fixed = rng.random() < self.name.rates.fix
            return _pddl(_problem(task, fresh, request.ask)) if fixed else request.last_answer
        found = revised(Revision(None, scene), task, request.reports, self.name.rates, rng)
        assert found is not None and found.scene is not None, "a problem that was read is written again"
        return _pddl(_problem(task, found.scene, request.ask))


def _news(current: Sketch, revision: Sketch, reported: str) -> Sketch:
    """What an answer writes: all that changed, or the reported action as it is if nothing did."""
    rules = {
        name: rule for name, rule in revision.rules.items() if current.rules.get(name, Conjuncts()) != rule
    }
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


def _problem(task: GoldTask, scene: TaskSketch, ask: Ask) -> str:
    """A problem as PDDL, with the objects of the true one; a translation has its costs too."""
    problem, constants = task.problem, task.problem.domain.constants
    full = ask in (Ask.TRANSLATION, Ask.MEND_TRANSLATION, Ask.ZERO_SHOT)
    own = [(name, kind) for name, kind in problem.objects.items() if name not in constants]
    costs = sorted(problem.costs.items()) if full else []
    facts = (*scene.init, *(f"(= ({' '.join(term)}) {value:g})" for term, value in costs))
    sections = [
        f"(define (problem {task.texts.problem_name})",
        f"  (:domain {problem.domain.name if full else task.texts.domain_name})",
        f"  (:objects {show_typed(own)})",
        "  (:init" + "".join(f"\n    {fact}" for fact in facts) + ")",
        f"  (:goal {scene.goal})",
        *(["  (:metric minimize (total-cost))"] if full and problem.minimizes_cost else []),
    ]
    return "\n".join(sections) + ")"


def _and(conjuncts: Iterable[str]) -> str:
    return f"(and {' '.join(conjuncts)})"


_PARTS = {
    Change.ADD_PRECONDITION: Part.PRECONDITION,
    Change.DROP_PRECONDITION: Part.PRECONDITION,
    Change.ADD_EFFECT: Part.EFFECT,
}
_DROPS = (Change.DROP_PRECONDITION, Change.DROP_FACT)


@dataclass(frozen=True)
class Revision:
    """What may be changed, as it stands: a domain, the facts of a problem, or both."""

    sketch: Sketch | None
    scene: TaskSketch | None

    def with_parts(
        self, rules: Mapping[str, Conjuncts], predicates: Mapping[str, str] | None = None
    ) -> Revision:
        """The same with other rules and predicates in the domain."""
        assert self.sketch is not None, "rules and predicates are changed in a domain"
        declared = {**self.sketch.predicates, **(predicates or {})}
        return replace(self, sketch=Sketch(declared, {**self.sketch.rules, **rules}))

    def changed(self, action: str, part: Part | None, difference: Difference) -> Revision:
        """The same with one conjunct of an action changed, or one initial fact where no part is named."""
        if part is None:
            assert self.scene is not None, "a fact is changed in a problem"
            return replace(self, scene=replace(self.scene, init=substituted(self.scene.init, difference)))
        assert self.sketch is not None, "a rule is changed in a domain"
        return self.with_parts({action: self.sketch.rules[action].changed(part, difference)})


def revised(
    now: Revision, task: GoldTask, reports: Sequence[Report], rates: Rates, rng: np.random.Generator
) -> Revision | None:
    """What the last of `reports` makes of `now`; None if the last answer, which was not read, is repeated."""
    fixes, harms, follows = (rng.random() < rate for rate in (rates.fix, rates.harm, rates.follow))
    report = reports[-1]
    if report.unread and now.sketch is not None:
        if not fixes:
            return None
        written = {name for name, rule in now.sketch.rules.items() if rule != Conjuncts()}
        lost = [name for name in task.domain.sketch.rules if name not in written]
        if lost:
            return _written(now, attempt(task.domain, rates, rng), lost)
        report = next((r for r in reversed(reports) if not r.unread), report)
    before = now
    if follows and (open_ones := [orders for orders in report.recommended if _may(now, orders)]):
        for change, action, literal in choose(open_ones, rng):
            difference = Difference(literal, "") if change in _DROPS else Difference("", literal)
            now = now.changed(action, _PARTS.get(change), difference)
    if fixes:
        now = next(_fixed(now, report, task, rates, rng), now)
    return _harmed(now, before, task, rng) if harms else now


def _harmed(now: Revision, before: Revision, task: GoldTask, rng: np.random.Generator) -> Revision:
    """With something wrong that has nothing to do with what was changed already."""
    if now.sketch is None or before.sketch is None:
        assert now.scene is not None, "there is a domain or a problem"
        return replace(now, scene=misstated(now.scene, task, rng))
    touched = [name for name, rule in now.sketch.rules.items() if before.sketch.rules.get(name) != rule]
    return replace(now, sketch=harmed(now.sketch, task.domain, touched, rng))


def _written(now: Revision, made: Sketch, actions: Iterable[str]) -> Revision:
    """With the predicates and these actions of an attempt."""
    return now.with_parts({name: made.rules[name] for name in actions if name in made.rules}, made.predicates)


def _fixed(
    now: Revision, report: Report, task: GoldTask, rates: Rates, rng: np.random.Generator
) -> Iterator[Revision]:
    """With the reported fault fixed, in each way that there is, the first suspect first."""
    gold = task.domain.sketch
    if now.sketch is not None:
        if idle := [name for name in report.idle if name in gold.rules]:
            yield _written(now, attempt(task.domain, rates, rng), idle)
        declared = now.sketch.predicates
        wrongly = {n: d for n, d in gold.predicates.items() if declared.get(n) != d} if report.errors else {}
        if wrongly:
            yield now.with_parts({}, wrongly)
        for name, part in _places(report, gold):
            there = now.sketch.rules.get(name)
            if there and (wrong := differences(there.of(part), gold.rules[name].of(part))):
                yield now.changed(name, part, choose(wrong, rng))
    if now.scene is not None:
        if wrong := differences(now.scene.init, task.scene.init):
            yield now.changed("", None, choose(wrong, rng))
        elif now.scene.goal != task.scene.goal:
            yield replace(now, scene=replace(now.scene, goal=task.scene.goal))


def _places(report: Report, gold: Sketch) -> list[tuple[str, Part]]:
    """Where a failure points to; everywhere if it names no action."""
    if not report.places:
        return [(name, part) for name in gold.rules for part in Part]
    before = [(name, Part.EFFECT) for name in dict.fromkeys(reversed(report.before))]
    places = [(report.failing, Part.PRECONDITION), *before, (report.failing, Part.EFFECT)]
    return [(name, part) for name, part in places if name in gold.rules]


def _may(now: Revision, orders: Iterable[Order]) -> bool:
    """Whether all of these changes are of what may be changed."""
    return all(
        now.scene is not None if change in FACTS else now.sketch is not None and action in now.sketch.rules
        for change, action, _ in orders
    )


def tokens(text: str) -> int:
    """About as many tokens as a tokenizer makes of a text."""
    return -(-len(text) // _CHARACTERS)
