"""New predicates: when facts were last written, which explain refusals, and the edit in words and text."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hidden_predicates import repairs_of
from walked_worlds import walked, with_domain
from wide import wide

from agents.repair.model import Model
from agents.repair.rules.latent import Refusals, Writer, last_written, latents_of
from agents.repair.rules.new_predicate import NewPredicate, carried_over, new_predicates
from agents.repair.rules.variants import SEEN, changed_repairs
from agents.repair.search import Repairs
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.terms import terms
from envs.pddl.mutation.omissions import MissingPredicate, without_predicate
from envs.source import read_texts

WORLDS = ["grippers", "blocksworld", "miconic", "driverlog", "hiking"]


@pytest.mark.parametrize("world", WORLDS)
def test_times_are_those_of_the_last_writing_step_on_the_path(world: str) -> None:
    seen = walked(world)
    repairs = seen.repairs(seen.problem)
    walks, base, rng = repairs.seen.walks, repairs.model.base, np.random.default_rng(0)
    for name, action in repairs.model.actions.items():
        for arity in range(min(2, action.schemas[0].arity) + 1):
            places = tuple(rng.permutation(action.schemas[0].arity)[:arity].tolist())
            asked = np.unique(rng.integers(0, base**arity, 20))
            found = last_written(walks, Writer(name, places), asked, base)
            for node in rng.integers(0, walks.nodes, 30).tolist():
                times = dict.fromkeys(asked.tolist(), -1)
                for depth, step in enumerate(walks.path(node), 1):
                    key = 0
                    for place in places:
                        key = key * base + (step.arguments[place] if step.action == name else 0)
                    if step.action == name and key in times:
                        times[key] = depth
                assert found[node].tolist() == [times[key] for key in asked.tolist()]


@pytest.mark.parametrize(
    ("world", "seed"),
    wide(
        list(product(WORLDS, range(4))),
        *(case for case in product(WORLDS, range(4)) if case != ("hiking", 1)),
    ),
)
def test_a_hidden_rule_is_among_what_is_proposed_and_explains_all(world: str, seed: int) -> None:
    rule, repairs = repairs_of(world, seed)
    given = repairs.candidate(frozenset())
    if not given.unexplained:
        return  # these walks do not show it, or literals say it as well
    variants = list(new_predicates(repairs, given, lambda: False))
    judged = [Repairs(Model.of(v.problems[0]), repairs.seen).candidate(v.edits) for v in variants]
    assert any(found.unexplained == 0 and found.cost <= 5 for found in judged), rule.words


@pytest.mark.parametrize(
    ("world", "name"),
    [("blocksworld", "holding"), ("depot", "lifting"), ("storage", "lifting"), ("childsnack", "ontray")],
)
def test_a_predicate_that_several_actions_read_and_write_is_proposed_with_all_of_these(
    world: str, name: str
) -> None:
    """It is false of all at the start; who reads and writes it in the truth explains everything."""
    seen = walked(world, walks=20, length=12)
    lost = without_predicate(seen.problem.domain, MissingPredicate(name))
    repairs = seen.repairs(with_domain(seen.problem, lost))
    given = repairs.candidate(frozenset())
    assert given.unexplained
    variant = next(new_predicates(repairs, given, lambda: False))
    found = changed_repairs(repairs, variant).candidate(variant.edits)
    of_truth = [term for term in terms(seen.problem.domain) if term.atom[0] == name]
    assert not found.unexplained and found.edits_about(repairs.model.actions)["hidden-1"]
    assert found.cost <= len(of_truth) + 2  # a fact of fewer arguments may do as well


@pytest.mark.parametrize("world", WORLDS)
def test_nothing_is_proposed_where_nothing_is_unexplained(world: str) -> None:
    seen = walked(world)
    repairs = seen.repairs(seen.problem)
    assert not list(new_predicates(repairs, repairs.candidate(frozenset()), lambda: False))


def test_what_is_refused_and_executed_after_the_same_writing_proposes_nothing() -> None:
    seen = walked("grippers")
    repairs = seen.repairs(seen.problem)
    nodes = np.zeros(2, dtype=np.int64)
    arguments = np.repeat(repairs.seen.of["move"].arguments[:1], 2, axis=0)
    alike = Refusals("move", nodes, arguments, np.array([True, False]))
    kinds = {name: ["object"] * a.schemas[0].arity for name, a in repairs.model.actions.items()}
    found = latents_of(
        repairs.seen.walks, alike, kinds, lambda *_: True, (), repairs.model.base, lambda: False
    )
    assert not list(found)


@pytest.mark.parametrize(
    "edit",
    [
        NewPredicate("hidden-1", ()),
        NewPredicate("hidden-1", (("?x", "room"),)),
        NewPredicate("hidden-2", (("?x1", "robot"), ("?x2", "(either obj room)")), "carry"),
        NewPredicate("hidden-3", (("?x", "object"),), "at"),
        NewPredicate("hidden-3", (("?x", "object"),), SEEN),
    ],
)
def test_words_are_read_as_the_edit_that_they_are_of(edit: NewPredicate) -> None:
    assert NewPredicate.read(edit.words) == edit


def test_an_edit_brings_its_initial_atoms_to_another_task_and_others_bring_none() -> None:
    texts = read_texts("grippers", 2)
    problem = read_problem(texts.problem, read_domain(texts.domain))
    edit = NewPredicate("hidden-1", (("?x1", "robot"), ("?x2", "room")), "at-robby")
    after = with_domain(problem, edit.declared_in(problem.domain))
    begun = carried_over(edit.words, after)
    assert begun.init - after.init == {("hidden-1", *a[1:]) for a in after.init if a[0] == "at-robby"}
    assert carried_over(replace(edit, start="").words, after).init == after.init
    assert carried_over("take parameter 1 (robot) from predicate free", after) is after


def test_a_domain_without_predicates_gets_its_first_one() -> None:
    domain = read_domain("(define (domain d) (:action a :parameters () :effect (and)))")
    assert "hidden-1" in read_domain(NewPredicate("hidden-1", ()).declared_in(domain)).predicates
