"""Mistakes in domains, problems, plans and answers, drawn at stated rates.

Every function takes a generator and gives back a new object. Mistakes in literals are those of
`envs.pddl.mutation.faults`: typed, so a domain with them reads without an error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from envs.pddl.language.terms import parsed, show, typed
from envs.pddl.language.vocabulary import show_typed
from envs.pddl.mutation.faults import BreakKind, LiteralFault, with_literals
from experiments.simulated.gold import GoldDomain, GoldTask
from experiments.simulated.rates import Rates
from experiments.simulated.sketch import Difference, Sketch, TaskSketch, predicate_of, sketch_of, substituted

T = TypeVar("T")
#: Stands for a type where a domain has no other one.
_NO_TYPE = "thing"
#: What may become wrong in an answer to a failure.
_HARMS = (BreakKind.REMOVED, BreakKind.ARGUMENTS, BreakKind.ADDED)


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


def misstepped(plan: Sequence[str], rates: Rates, rng: np.random.Generator) -> tuple[str, ...]:
    """The plan without some of its steps."""
    return tuple(step for step in plan if rng.random() >= rates.misstep)


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
