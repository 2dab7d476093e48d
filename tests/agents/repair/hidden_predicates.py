"""Worlds with a rule that needs a predicate which no model names, drawn by seed, for the tests of repair."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from walked_worlds import Walked, with_domain

from agents.repair.model import Model
from agents.repair.search import Repairs
from envs.pddl.language.domain import Domain, Problem, read_domain
from envs.pddl.language.terms import Part, parsed, show, tree_of
from envs.pddl.language.vocabulary import show_declaration
from envs.pddl.simulation.compile import compile_task
from envs.source import read_texts
from ew.walks.policies import make_policy
from ew.walks.walk_policy import policy_walks
from ew.walks.world_walks import WorldWalks

SECRET = "secret"


@dataclass(frozen=True)
class Hidden:
    """An action needs an atom, or its absence; another sets it, and perhaps a third clears it."""

    words: str
    domain: str


def hidden(domain: Domain, seed: int) -> Hidden:
    """A rule over none, one or two of an action's parameters."""
    rng = np.random.default_rng(seed)
    while True:
        target = domain.actions[str(rng.choice(sorted(domain.actions)))]
        places = sorted(rng.permutation(len(target.parameters))[: rng.integers(3)].tolist())
        kinds = [str(target.parameters[place].sort.name) for place in places]
        writers = [atom for name in sorted(domain.actions) if (atom := _atom(domain, name, kinds, rng))]
        setter, *others = (writers[i] for i in rng.permutation(len(writers)))
        positive = bool(rng.integers(2))
        if setter[0] != target.name:
            break
    tree = tree_of(domain)
    declared = parsed(show_declaration(SECRET, [(f"?x{i}", kind) for i, kind in enumerate(kinds)]))
    tree = replace(
        tree, sections=tuple((*s, declared) if s[0] == ":predicates" else s for s in tree.sections)
    )
    need = (SECRET, *(str(target.parameters[place].symbol) for place in places))
    tree = tree.with_literal(target.name, Part.PRECONDITION, need if positive else ("not", need))
    tree = tree.with_literal(setter[0], Part.EFFECT, setter[1])
    words = f"{target.name} needs {positive} {show(need)}, {setter[0]} sets {show(setter[1])}"
    if others and rng.integers(2):
        tree = tree.with_literal(others[0][0], Part.EFFECT, ("not", others[0][1]))
        words += f", {others[0][0]} clears {show(others[0][1])}"
    return Hidden(words, tree.render())


def _atom(domain: Domain, action: str, kinds: list[str], rng: np.random.Generator):
    """The action and an atom over its parameters, different ones; None if they do not fit."""
    arguments: list[str] = []
    for kind in kinds:
        own = [(str(p.symbol), str(p.sort.name)) for p in domain.actions[action].parameters]
        fitting = [name for name, of in own if domain.is_subtype(of, kind) and name not in arguments]
        if not fitting:
            return None
        arguments.append(str(rng.choice(fitting)))
    return action, (SECRET, *arguments)


def walked_with(rule: Hidden, problem: Problem, walks: int = 20, length: int = 10) -> Walked:
    """So many walks in the world with the rule."""
    task = compile_task(with_domain(problem, rule.domain))
    tree = WorldWalks(task)
    policy_walks(tree, make_policy("coverage")(tree), [length] * walks, np.random.default_rng(5))
    return Walked(problem, task, tree.seen())


def repairs_of(world: str, seed: int) -> tuple[Hidden, Repairs]:
    """A rule, and the candidates of the model without it for walks in the world with it."""
    texts = read_texts(world, 1)
    domain = read_domain(texts.domain)
    rule = hidden(domain, seed)
    problem = texts.pddl.problem
    walked = walked_with(rule, problem)
    return rule, Repairs(Model.of(problem), walked.examples(problem))
