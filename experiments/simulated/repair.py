"""What a simulated language model changes after a failure.

The reported fault is fixed with p, something else is harmed with q, a recommended change is made with r, each
drawn by itself. The reported fault is the first difference from the true model at the places that the failure
points to: the precondition of the action that is treated differently, the effects of the actions before it,
the latest first, its own effects, then the facts of the problem where the request lets them be changed. A
failure that names no place (no plan, say) points to the whole model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from envs.pddl.language.terms import Part
from ew.counterexample.explanations import FACTS, Change
from experiments.simulated.failures import Order, Report
from experiments.simulated.gold import GoldDomain, GoldTask
from experiments.simulated.mistakes import attempt, choose, harmed, misstated
from experiments.simulated.rates import Rates
from experiments.simulated.sketch import Difference, Rule, Scene, Sketch, differences, substituted

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
    scene: Scene | None

    def with_rule(self, action: str, rule: Rule) -> Revision:
        """The same with another rule of an action."""
        assert self.sketch is not None, "a rule is changed in a domain"
        rules = {**self.sketch.rules, action: rule}
        return replace(self, sketch=replace(self.sketch, rules=rules))


#: One way to fix a fault.
Fix = Callable[[Revision], Revision]


def revised(
    now: Revision, task: GoldTask, reports: Sequence[Report], rates: Rates, rng: np.random.Generator
) -> Revision | None:
    """What the last of `reports` makes of `now`; None if the last answer, which was not read, is repeated."""
    fixes, harms, follows = (rng.random() < rate for rate in (rates.fix, rates.harm, rates.follow))
    report = reports[-1]
    if report.unread and now.sketch is not None:
        if not fixes:
            return None
        if lost := _unwritten(now.sketch, task.domain):
            return _written(now, attempt(task.domain, rates, rng), lost)
        report = next((r for r in reversed(reports) if not r.unread), report)
    before = now
    if follows and (open_ones := [orders for orders in report.recommended if _may(now, orders)]):
        for change in choose(open_ones, rng):
            now = _followed(now, change)
    if fixes and (found := next(_faults(now, report, task, rates, rng), None)):
        now = found(now)
    return _harmed(now, before, task, rng) if harms else now


def _harmed(now: Revision, before: Revision, task: GoldTask, rng: np.random.Generator) -> Revision:
    """With something wrong that has nothing to do with what was changed already."""
    if now.sketch is None:
        assert now.scene is not None, "there is a domain or a problem"
        return replace(now, scene=misstated(now.scene, task, rng))
    assert before.sketch is not None, "what there was before is there"
    touched = [name for name, rule in now.sketch.rules.items() if before.sketch.rules.get(name) != rule]
    return replace(now, sketch=harmed(now.sketch, task.domain, touched, rng))


def _unwritten(sketch: Sketch, gold: GoldDomain) -> tuple[str, ...]:
    """The actions of which nothing is written."""
    return tuple(name for name in gold.sketch.rules if sketch.rules.get(name, Rule()) == Rule())


def _written(now: Revision, made: Sketch, actions: Sequence[str]) -> Revision:
    """With the predicates and these actions of an attempt."""
    assert now.sketch is not None, "actions are written in a domain"
    rules = {**now.sketch.rules, **{name: made.rules[name] for name in actions if name in made.rules}}
    return replace(now, sketch=Sketch({**now.sketch.predicates, **made.predicates}, rules))


def _faults(
    now: Revision, report: Report, task: GoldTask, rates: Rates, rng: np.random.Generator
) -> Iterator[Fix]:
    """Ways to fix the reported fault, the first suspect first."""
    gold = task.domain
    if now.sketch is not None:
        if idle := tuple(name for name in report.idle if name in gold.sketch.rules):
            yield lambda r: _written(r, attempt(gold, rates, rng), idle)
        if report.errors:
            yield from _declared(now.sketch, gold)
        places = [(name, part) for name, part in _places(report, gold) if name in now.sketch.rules]
        for name, part in places:
            wrong = differences(now.sketch.rules[name].of(part), gold.sketch.rules[name].of(part))
            if wrong:
                yield _rule_fix(name, part, choose(wrong, rng))
    if now.scene is not None:
        yield from _stated(now.scene, task.scene, rng)


def _places(report: Report, gold: GoldDomain) -> list[tuple[str, Part]]:
    """Where a failure points to; everywhere if it names no action."""
    if not report.places:
        return [(name, part) for name in gold.sketch.rules for part in Part]
    failing = [report.failing] if report.failing in gold.sketch.rules else []
    before = [name for name in dict.fromkeys(reversed(report.before)) if name in gold.sketch.rules]
    return [
        *((name, Part.PRECONDITION) for name in failing),
        *((name, Part.EFFECT) for name in before),
        *((name, Part.EFFECT) for name in failing),
    ]


def _rule_fix(action: str, part: Part, wrong: Difference) -> Fix:
    def fix(now: Revision) -> Revision:
        assert now.sketch is not None, "a rule is fixed in a domain"
        return now.with_rule(action, now.sketch.rules[action].changed(part, wrong))

    return fix


def _declared(sketch: Sketch, gold: GoldDomain) -> Iterator[Fix]:
    """The declarations that are not the true ones, all fixed together."""
    wrong = {n: d for n, d in gold.sketch.predicates.items() if sketch.predicates.get(n) != d}
    if wrong:
        yield lambda now: replace(now, sketch=replace(sketch, predicates={**sketch.predicates, **wrong}))


def _stated(scene: Scene, gold: Scene, rng: np.random.Generator) -> Iterator[Fix]:
    """One fact of the problem fixed, or its goal."""
    wrong = differences(scene.init, gold.init)
    if wrong:
        chosen = choose(wrong, rng)
        yield lambda now: replace(now, scene=replace(scene, init=substituted(scene.init, chosen)))
    elif scene.goal != gold.goal:
        yield lambda now: replace(now, scene=replace(scene, goal=gold.goal))


def _may(now: Revision, orders: Sequence[Order]) -> bool:
    """Whether all of these changes are of what may be changed."""
    return all(
        now.scene is not None if change in FACTS else now.sketch is not None and action in now.sketch.rules
        for change, action, _ in orders
    )


def _followed(now: Revision, order: Order) -> Revision:
    """With a recommended change."""
    change, action, literal = order
    difference = Difference(literal, "") if change in _DROPS else Difference("", literal)
    if change in FACTS:
        assert now.scene is not None, "a fact is changed in a problem"
        return replace(now, scene=replace(now.scene, init=substituted(now.scene.init, difference)))
    assert now.sketch is not None, "an action is changed in a domain"
    return now.with_rule(action, now.sketch.rules[action].changed(_PARTS[change], difference))
