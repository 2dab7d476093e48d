"""Barman, childsnack, movie and blocksworld_ood: published files fit them, and their odd rules hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from envs import pddlgym_suite
from envs.generators.barman import Barman
from envs.generators.blocksworld import Blocksworld
from envs.generators.childsnack import Childsnack
from envs.generators.movie import Movie
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.simulator import Task
from envs.pddlgym_suite import missing
from envs.registry import WORLDS_FOLDER
from envs.tasks import TaskFacts

needs_pddlgym = pytest.mark.skipif(missing() is not None, reason=str(missing()))

_BARMAN = """
(define (problem prob) (:domain barman)
  (:objects shaker1 - shaker left right - hand shot1 shot2 - shot ingredient1 ingredient2 - ingredient
            cocktail1 - cocktail dispenser1 dispenser2 - dispenser l0 l1 l2 - level)
  (:init (= (total-cost) 0) (ontable shaker1) (ontable shot1) (ontable shot2)
         (dispenses dispenser1 ingredient1) (dispenses dispenser2 ingredient2)
         (clean shaker1) (clean shot1) (clean shot2) (empty shaker1) (empty shot1) (empty shot2)
         (handempty left) (handempty right) (shaker-empty-level shaker1 l0) (shaker-level shaker1 l0)
         (next l0 l1) (next l1 l2) (cocktail-part1 cocktail1 ingredient1)
         (cocktail-part2 cocktail1 ingredient2))
  (:goal (and (contains shot1 cocktail1)))
  (:metric minimize (total-cost)))
"""
_SHAKEN = (
    "(grasp left shot2)",
    "(fill-shot shot2 ingredient1 left right dispenser1)",
    "(pour-shot-to-clean-shaker shot2 ingredient1 shaker1 left l0 l1)",
    "(clean-shot shot2 ingredient1 left right)",
    "(fill-shot shot2 ingredient2 left right dispenser2)",
    "(pour-shot-to-used-shaker shot2 ingredient2 shaker1 left l1 l2)",
    "(leave left shot2)",
    "(grasp left shaker1)",
    "(shake cocktail1 ingredient1 ingredient2 shaker1 left right)",
    "(pour-shaker-to-shot cocktail1 shot1 left shaker1 l2 l1)",
)
_CHILDSNACK = """
(define (problem prob-snack) (:domain child-snack)
  (:objects child1 - child bread1 - bread-portion content1 - content-portion tray1 - tray
            table1 table2 table3 - place sandw1 sandw2 - sandwich)
  (:init (at tray1 kitchen) (at_kitchen_bread bread1) (at_kitchen_content content1) (no_gluten_bread bread1)
         (no_gluten_content content1) (allergic_gluten child1) (waiting child1 table2)
         (notexist sandw1) (notexist sandw2))
  (:goal (and (served child1))))
"""
_BLOCKS = """
(define (problem two) (:domain blocks-turning)
  (:objects a b c)
  (:init (handempty) (ontable b) (on a b) (clear a) (ontable c) (clear c) (upright a) (upright b))
  (:goal (and (on a c) (upright c))))
"""


def _task(world: str, problem: str) -> Task:
    domain = (WORLDS_FOLDER / world / "domain.pddl").read_text(encoding="utf-8")
    return compile_task(read_problem(problem, read_domain(domain)))


def _run(task: Task, walk: Sequence[str]) -> tuple[int, bool]:
    """How many operators of `walk` run one after the other, and whether the goal holds then."""
    states = task.initial(1)
    steps = 0
    for operator in walk:
        index = task.operator_index.get(operator)
        if index is None or not task.applicable(states)[0, index]:
            break
        states = task.successors(states, np.array([index]))
        steps += 1
    return steps, bool(task.goal_reached(states)[0])


def test_a_published_barman_file_loads_with_its_costs_and_its_plan_works() -> None:
    assert _run(_task("barman", _BARMAN), _SHAKEN) == (len(_SHAKEN), True)


def test_a_glass_with_a_cocktail_can_be_emptied_and_never_cleaned() -> None:
    poured = (*_SHAKEN, "(leave left shaker1)", "(grasp left shot1)", "(empty-shot left shot1 cocktail1)")
    task = _task("barman", _BARMAN)
    assert _run(task, poured)[0] == len(poured)
    for beverage in ("cocktail1", "ingredient1", "ingredient2"):
        assert _run(task, (*poured, f"(clean-shot shot1 {beverage} left right)"))[0] == len(poured)


def test_a_shaker_that_waits_to_be_shaken_cannot_be_emptied() -> None:
    unshaken = _SHAKEN[:8]
    task = _task("barman", _BARMAN)
    assert _run(task, unshaken)[0] == len(unshaken)
    assert _run(task, (*unshaken, "(empty-shaker left shaker1 cocktail1 l2 l0)"))[0] == len(unshaken)
    shaken = (*unshaken, _SHAKEN[8], "(empty-shaker left shaker1 cocktail1 l2 l0)")
    assert _run(task, shaken)[0] == len(shaken)


def test_gluten_free_portions_make_a_sandwich_for_an_allergic_child_only_if_it_is_made_so() -> None:
    task = _task("childsnack", _CHILDSNACK)
    carried = ("(put_on_tray sandw2 tray1)", "(move_tray tray1 kitchen table2)")
    served = "(serve_sandwich_no_gluten sandw2 child1 tray1 table2)"
    careful = ("(make_sandwich_no_gluten sandw2 bread1 content1)", *carried, served)
    assert _run(task, careful) == (4, True)
    careless = ("(make_sandwich sandw2 bread1 content1)", *carried, served)
    assert _run(task, careless) == (3, False)


@needs_pddlgym
@pytest.mark.parametrize("number", [0, -1])
def test_published_movie_files_behave_here_as_in_the_published_domain(number: int) -> None:
    theirs = pddlgym_suite.domain_file("movie").read_text(encoding="utf-8")
    problem = pddlgym_suite.problem_files("movie")[number].read_text(encoding="utf-8")
    ours, reference = _task("movie", problem), compile_task(read_problem(problem, read_domain(theirs)))
    assert (ours.operators, ours.atoms) == (reference.operators, reference.atoms)
    states, rng = ours.initial(1), np.random.default_rng(3)
    for _ in range(40):
        mask = ours.applicable(states)[0]
        assert (mask == reference.applicable(states)[0]).all()
        chosen = np.flatnonzero(mask)[[int(rng.random() * mask.sum())]]
        expected = reference.successors(states, chosen)
        states = ours.successors(states, chosen)
        assert (states == expected).all()


def test_a_block_taken_off_another_has_to_be_set_upright_before_it_is_stacked() -> None:
    task = _task("blocksworld_ood", _BLOCKS)
    assert _run(task, ("(unstack a b)", "(stack a b)"))[0] == 1
    assert _run(task, ("(unstack a b)", "(set-upright a)", "(set-upright a)"))[0] == 2
    assert _run(task, ("(unstack a b)", "(set-upright a)", "(stack a b)"))[0] == 3


def test_nothing_is_stacked_on_a_block_that_is_not_upright() -> None:
    task = _task("blocksworld_ood", _BLOCKS)
    assert _run(task, ("(unstack a b)", "(set-upright a)", "(stack a c)"))[0] == 2
    turned = ("(pick-up c)", "(set-upright c)", "(put-down c)")
    assert _run(task, (*turned, "(unstack a b)", "(set-upright a)", "(stack a c)")) == (6, True)


def _of(facts: TaskFacts, predicate: str) -> list[tuple[str, ...]]:
    return [atom[1:] for atom in facts.init if atom[0] == predicate]


def _pairs(facts: TaskFacts, predicate: str) -> dict[str, str]:
    return {first: second for first, second in _of(facts, predicate)}


@pytest.mark.parametrize("seed", range(10))
def test_every_cocktail_has_two_ingredients_with_dispensers_and_is_served_once(seed: int) -> None:
    size = Barman.sizes()[seed]
    facts = size.generate(np.random.default_rng(seed))
    firsts, seconds = _pairs(facts, "cocktail-part1"), _pairs(facts, "cocktail-part2")
    cocktails = sorted(name for name, kind in facts.objects.items() if kind == "cocktail")
    assert sorted(firsts) == sorted(seconds) == cocktails
    assert all(firsts[cocktail] != seconds[cocktail] for cocktail in cocktails)
    given = {ingredient for _, ingredient in _of(facts, "dispenses")}
    assert {*firsts.values(), *seconds.values()} <= given
    assert sorted(atom[2] for _, atom in facts.goal if atom[2] in firsts) == cocktails
    assert len({atom[1] for _, atom in facts.goal}) == len(facts.goal), "a glass is asked for once"
    assert len(_of(facts, "used")) == len(_of(facts, "contains")) == size.poured


@pytest.mark.parametrize("seed", range(10))
def test_there_is_bread_and_content_without_gluten_for_every_allergic_child(seed: int) -> None:
    size = Childsnack.sizes()[seed]
    facts = size.generate(np.random.default_rng(seed))
    counts = {
        name: len(_of(facts, name)) for name in ("no_gluten_bread", "no_gluten_content", "allergic_gluten")
    }
    assert set(counts.values()) == {size.allergic}
    children = {name for name, kind in facts.objects.items() if kind == "child"}
    allergic, others = _of(facts, "allergic_gluten"), _of(facts, "not_allergic_gluten")
    assert {name for (name,) in (*allergic, *others)} == children and len(allergic) + len(others) == len(
        children
    )
    assert len(_of(facts, "notexist")) == size.children + size.spare


@pytest.mark.parametrize("seed", range(10))
def test_there_is_a_snack_of_each_kind_and_the_counter_stood_somewhere(seed: int) -> None:
    size = Movie.sizes()[seed]
    facts = size.generate(np.random.default_rng(seed))
    kinds = ("chips", "dip", "pop", "cheese", "crackers")
    assert all(_of(facts, kind) for kind in kinds)
    assert sum(len(_of(facts, kind)) for kind in kinds) == size.snacks
    assert len(_of(facts, "counter-at-two-hours") + _of(facts, "counter-at-other-than-two-hours")) == 1
    assert len(facts.goal) == size.wanted + 2


@pytest.mark.parametrize(
    "make",
    [
        lambda: Barman(cocktails=0),
        lambda: Barman(cocktails=3, shots=2),
        lambda: Barman(ingredients=1),
        lambda: Barman(shots=2, poured=3),
        lambda: Childsnack(children=0),
        lambda: Childsnack(children=2, allergic=3),
        lambda: Childsnack(spare=-1),
        lambda: Movie(snacks=4),
        lambda: Movie(wanted=6),
        lambda: Blocksworld(blocks=1),
    ],
)
def test_sizes_of_which_there_is_no_task_are_refused(make: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"\(.*\): "):
        make()
