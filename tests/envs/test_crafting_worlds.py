"""What is special about minecraft, household and urnsong; the laws of all worlds are tested elsewhere."""

from __future__ import annotations

from collections import Counter
from math import prod

import numpy as np
import pytest

from envs.generators.minecraft import ITEMS, Minecraft
from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.reference import ReferenceSimulator
from envs.registry import WORLDS_FOLDER
from envs.tasks import Pool, TaskFacts, make_facts, problem_text

#: In the form of the published tasks: objects of no type of their own, and nothing said to be fixed.
PUBLISHED = """
(define (problem two-tiles)
  (:domain crafting-world-v20230106)
  (:objects t1 t2 - tile i1 i2 - inventory o1 o2 o3 - object)
  (:init (object-of-type o1 Tree) (object-of-type o2 Axe) (object-of-type o3 Hypothetical)
    (inventory-holding i1 o2) (inventory-empty i2) (object-at o1 t2) (agent-at t1)
    (tile-right t1 t2) (tile-left t2 t1))
  (:goal (and (inventory-holding i2 o3) (object-of-type o3 Wood))))
"""
CROWDED = Minecraft(5, 5, slots=5, goals=2, steps=4, extras=17, objects=24)


def problem_of(world: str, facts: TaskFacts) -> Problem:
    """The problem of those facts, as read from its text."""
    domain = read_domain((WORLDS_FOLDER / world / "domain.pddl").read_text(encoding="utf-8"))
    return read_problem(problem_text("task", domain.vocabulary, facts), domain)


def test_a_published_crafting_task_is_read_and_played() -> None:
    domain = read_domain((WORLDS_FOLDER / "minecraft" / "domain.pddl").read_text(encoding="utf-8"))
    simulator = ReferenceSimulator(read_problem(PUBLISHED, domain))
    state = simulator.successor(simulator.initial(), "(move-right t1 t2)")
    assert "(pick-up i2 o1 t2)" in simulator.applicable(
        state
    )  # where nothing is fixed, a tree can be carried
    assert simulator.holds_goal(simulator.successor(state, "(mine-wood i1 i2 o1 o2 o3 t2)"))


def test_a_crowded_map_has_few_of_its_millions_of_typed_operators() -> None:
    task = make_facts("minecraft", Pool.ON_DEMAND, 1, CROWDED)
    kinds = Counter(task.objects.values())
    assert (kinds["tile"], kinds["object"], kinds["inventory"]) == (25, 24, 5)
    assert prod((kinds["inventory"] ** 2, kinds["object"] ** 3, kinds["tile"])) == 8_640_000
    compiled = compile_task(problem_of("minecraft", task))
    assert 1_000 < len(compiled.operators) < 100_000
    assert compiled.applicable(compiled.initial(1)).any()


def test_there_are_25_things_to_make_and_any_of_them_can_be_asked_for() -> None:
    assert len(ITEMS) == 25
    size = Minecraft(goals=25, steps=99)
    task = size.generate(np.random.default_rng(0))
    assert {atom[2] for _, atom in task.goal if atom[0] == "object-of-type"} == set(ITEMS)


def test_food_on_a_hot_plate_is_heated_only_behind_a_closed_door_and_is_then_stuck() -> None:
    facts = TaskFacts(
        {"oven": "furnitureappliance", "plate": "smallreceptacle", "pizza": "householdobject"},
        (
            *(("microwave", "oven"), ("openable", "oven"), ("opened", "oven"), ("flat-surface", "oven")),
            *(("robot-at", "oven"), ("robot-hand-empty",), ("object-on", "plate", "oven")),
            *(("object-in", "pizza", "plate"), ("pickupable", "pizza")),
        ),
        ((True, ("food-heated", "pizza")),),
    )
    simulator = ReferenceSimulator(problem_of("household", facts))
    heat = "(heat-food-with-a-microwave pizza oven plate)"
    take = "(pick-up-an-object-on-or-in-a-small-receptacle pizza oven plate)"
    open_oven = simulator.applicable(simulator.initial())
    assert heat not in open_oven and take in open_oven
    closed = simulator.successor(simulator.initial(), "(close-a-furniture-piece-or-an-appliance oven)")
    heated = simulator.successor(closed, heat)
    assert simulator.holds_goal(heated)
    assert take not in simulator.applicable(heated)


@pytest.mark.parametrize("urns", [2, 3])
def test_a_drone_sharpens_every_urn_of_its_vault_by_exactly_one_step(urns: int) -> None:
    names = [f"urn{i}" for i in range(urns)]
    pitches = ["dun", "rel", "mir"]
    facts = TaskFacts(
        {"c": "chanter", "v": "vault", **dict.fromkeys(names, "urn"), **dict.fromkeys(pitches, "pitch")},
        (
            *(("sharpens", "dun", "rel"), ("sharpens", "rel", "mir"), ("sharpens", "mir", "dun")),
            *(("among", "c", "v"), ("arms-free", "c"), ("strewn", "v")),
            *(("stands-in", name, "v") for name in names),
            *(("sings", name, pitches[i]) for i, name in enumerate(names)),
        ),
        tuple((True, ("sings", name, pitches[(i + 1) % 3])) for i, name in enumerate(names)),
    )
    simulator = ReferenceSimulator(problem_of("urnsong", facts))
    state = simulator.successor(simulator.initial(), "(drone c v)")
    assert simulator.holds_goal(state)
    assert sum(atom[0] == "sings" for atom in state) == urns


def test_an_object_that_is_fixed_cannot_be_picked_up() -> None:
    facts = make_facts("minecraft", Pool.ON_DEMAND, 1)
    fixed = {atom[1] for atom in facts.init if atom[0] == "object-fixed"}
    lifted = [text for text in compile_task(problem_of("minecraft", facts)).operators if "(pick-up" in text]
    assert fixed and lifted
    assert not any(text.split()[2] in fixed for text in lifted)
