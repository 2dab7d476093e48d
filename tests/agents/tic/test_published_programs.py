"""Programs in the style of the published ones: what the published rules infer, the worlds' rules infer.

Each program states what a text of the published kind says: numbers of objects, rows and columns, what is true
of all. What it leaves out follows, so the task that is compiled is the gold one and has a plan.
"""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest

from agents.tic.allow import read_ir
from agents.tic.compile import compile_problem
from agents.tic.infer import with_names_of
from agents.tic.inference_child import answer
from agents.tic.knowledge import Knowledge
from agents.tic.program import program_of
from envs.intermediate.knowledge import read_knowledge
from envs.pddl.equivalence.as_written import same_as_written
from envs.pddl.equivalence.compare import Verdict
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.planning.planner import Planner
from envs.reading import read_facts
from envs.source import read_texts

#: Agarwal and Sreepathy 2024, figures 2 and 4: five glasses, four of them mentioned; no word of the levels.
FIGURE = """
    cardinality(shaker, 1). cardinality(level, 3). cardinality(shot, 5). cardinality(dispenser, 3).
    cardinality(ingredient, 3).
    init(clean(X)) :- object(X, shaker). init(clean(X)) :- object(X, shot).
    init(empty(X)) :- object(X, shaker). init(empty(X)) :- object(X, shot).
    init(ontable(X)) :- object(X, shaker). init(ontable(X)) :- object(X, shot).
    init(handempty(left)). init(handempty(right)).
    init(map(dispenser, dispenses, ingredient)).
    init(cocktail_part1(cocktail1, ingredient2)). init(cocktail_part2(cocktail1, ingredient1)).
    init(cocktail_part1(cocktail2, ingredient1)). init(cocktail_part2(cocktail2, ingredient2)).
    init(cocktail_part1(cocktail3, ingredient1)). init(cocktail_part2(cocktail3, ingredient3)).
    init(cocktail_part1(cocktail4, ingredient3)). init(cocktail_part2(cocktail4, ingredient2)).
    goal(contains(shot1, cocktail1)). goal(contains(shot2, cocktail4)).
    goal(contains(shot3, cocktail3)). goal(contains(shot4, cocktail2)).
"""
#: Of task 2 of each world.
PROGRAMS = {
    "barman": """
        cardinality(shaker, 1). cardinality(level, 3). cardinality(dispenser, 3). cardinality(ingredient, 3).
        init(clean(X)) :- object(X, shaker). init(clean(shot1)).
        init(contains(shot2, ingredient2)). init(used(shot2, ingredient2)).
        init(handempty(left)). init(handempty(right)). init(map(dispenser, dispenses, ingredient)).
        init(cocktail_part1(cocktail1, ingredient3)). init(cocktail_part2(cocktail1, ingredient1)).
        goal(contains(shot1, cocktail1)). goal(contains(shot2, ingredient2)).
    """,
    "blocksworld": """
        cardinality(block, 4).
        init(on(b3, b2)). init(on(b1, b4)). init(handempty).
        goal(on(b2, b1)). goal(on(b3, b4)).
    """,
    "floortile": """
        cardinality(robot, 1).
        init(tile_grid(0, 1, tile_0_1)). init(tile_grid(0, 2, tile_0_2)). init(tile_grid(0, 3, tile_0_3)).
        init(tile_grid(1, 1, tile_1_1)). init(tile_grid(1, 2, tile_1_2)). init(tile_grid(1, 3, tile_1_3)).
        init(tile_grid(2, 1, tile_2_1)). init(tile_grid(2, 2, tile_2_2)). init(tile_grid(2, 3, tile_2_3)).
        init(robot_at(robot1, tile_2_2)). init(available_color(white)). init(available_color(black)).
        goal(painted(tile_2_1, black)). goal(painted(tile_2_2, white)). goal(painted(tile_2_3, black)).
    """,
    "grippers": """
        cardinality(robot, 2). cardinality(left_gripper, 2). cardinality(right_gripper, 2).
        cardinality(room, 3). cardinality(ball, 4).
        init(map(robot, has_gripper, left_gripper)). init(map(robot, has_gripper, right_gripper)).
        init(at_robby(X, room2)) :- object(X, robot).
        init(at(ball1, room2)). init(at(ball2, room2)). init(at(ball3, room1)). init(at(ball4, room2)).
        goal(at(ball1, room3)). goal(at(ball2, room1)). goal(at(ball3, room3)). goal(at(ball4, room1)).
    """,
    "storage": """
        cardinality(hoist, 2). cardinality(crate, 2). cardinality(depot, 1). cardinality(container, 1).
        cardinality(container_storearea, 2). object(loadarea, transitarea).
        init(area_grid(1, 1, depot1_1_1)). init(area_grid(1, 2, depot1_1_2)).
        init(area_grid(2, 1, depot1_2_1)). init(area_grid(2, 2, depot1_2_2)).
        init(on(crate1, container1_2)). init(on(crate2, container1_1)).
        init(connected(X, loadarea)) :- object(X, container_storearea).
        init(connected(depot1_2_2, loadarea)). init(at(hoist1, depot1_1_2)). init(at(hoist2, loadarea)).
        init(available(X)) :- object(X, hoist).
        goal(in(X, depot1)) :- object(X, crate).
    """,
    "termes": """
        init(max_height(2)).
        init(position_grid(0, 0, pos_0_0)). init(position_grid(0, 1, pos_0_1)).
        init(position_grid(0, 2, pos_0_2)). init(position_grid(1, 0, pos_1_0)).
        init(position_grid(1, 1, pos_1_1)). init(position_grid(1, 2, pos_1_2)).
        init(position_grid(2, 0, pos_2_0)). init(position_grid(2, 1, pos_2_1)).
        init(position_grid(2, 2, pos_2_2)).
        init(is_depot(pos_1_0)). init(at(pos_0_0)).
        goal(height(pos_2_1, n1)). goal(height(pos_2_2, n1)). goal(-has_block).
    """,
    "tyreworld": """
        cardinality(jack, 1). cardinality(pump, 1). cardinality(wrench, 1).
        object(jack, jack). object(pump, pump). object(wrench, wrench).
        cardinality(hub, 2). cardinality(nuts, 2). object(nuts1, nuts). object(nuts2, nuts).
        object(X, nut) :- object(X, nuts).
        object(w1, flat_tyre). object(w2, flat_tyre). cardinality(flat_tyre, 2).
        object(r1, intact_tyre). object(r2, intact_tyre). cardinality(intact_tyre, 2).
        init(in(X, boot)) :- object(X, tool). init(in(X, boot)) :- object(X, intact_tyre).
        init(open(boot)). init(unlocked(boot)). init(inflated(r2)).
        init(map(nuts, tight, hub)). init(map(flat_tyre, on, hub)).
        goal(closed(boot)). goal(in(X, boot)) :- object(X, tool). goal(in(X, boot)) :- object(X, flat_tyre).
        goal(map(nuts, tight, hub)). goal(on_ground(X)) :- object(X, hub).
        goal(inflated(X)) :- object(X, intact_tyre). goal(on(r2, hub1)). goal(on(r1, hub2)).
    """,
}


def _knowledge(world: str) -> Knowledge:
    known = Knowledge(**asdict(read_knowledge(world)))
    facts = read_facts(read_texts(world, 2).problem, known.vocabulary)
    return with_names_of(known, " ".join(facts.objects))


def _problem(program: str, knowledge: Knowledge) -> str:
    """The task that a program comes to, in this process."""
    reply = answer(program_of(read_ir(program, knowledge), knowledge).text)
    assert len(reply.models) == 1 and not reply.wrong, reply.wrong
    compiled = compile_problem(reply.models[0], knowledge)
    assert compiled.problem is not None, compiled.faults
    return compiled.problem


def test_the_program_of_the_published_figure_gives_the_order_of_levels_and_what_is_clean() -> None:
    knowledge = _knowledge("barman")
    problem = _problem(FIGURE, knowledge)
    init = set(read_facts(problem, knowledge.vocabulary).init)
    order = {("next", "l0", "l1"), ("next", "l1", "l2")}
    assert order == {atom for atom in init if atom[0] == "next"}
    assert {("shaker-level", "shaker1", "l0"), ("shaker-empty-level", "shaker1", "l0")} <= init
    assert {atom for atom in init if atom[0] == "clean"} == {
        *(("clean", f"shot{number}") for number in range(1, 6)),
        ("clean", "shaker1"),
    }


@pytest.mark.slow
def test_the_program_of_the_published_figure_gives_a_task_that_has_a_plan() -> None:
    knowledge = _knowledge("barman")
    problem = _problem(FIGURE, knowledge)
    assert Planner(wall_s=120).plan(knowledge.domain, problem).plan is not None


@pytest.mark.parametrize("world", PROGRAMS)
def test_a_program_in_the_published_style_gives_the_gold_task(world: str) -> None:
    knowledge = _knowledge(world)
    domain = read_domain(knowledge.domain)
    problem = _problem(PROGRAMS[world], knowledge)
    gold = read_texts(world, 2).problem
    same = same_as_written(read_problem(problem, domain), read_problem(gold, domain))
    assert same.verdict is Verdict.EQUIVALENT, same.witness
    assert Planner(wall_s=60).plan(knowledge.domain, problem).plan is not None


@pytest.mark.parametrize("world", PROGRAMS)
def test_without_the_rules_such_a_program_says_too_little(world: str) -> None:
    """What makes the test above one of the rules."""
    knowledge = replace(_knowledge(world), rules="")
    domain = read_domain(knowledge.domain)
    reply = answer(program_of(read_ir(PROGRAMS[world], knowledge), knowledge).text)
    compiled = compile_problem(reply.models[0], knowledge) if not reply.wrong else None
    if compiled is None or compiled.problem is None:
        return
    gold = read_problem(read_texts(world, 2).problem, domain)
    assert same_as_written(read_problem(compiled.problem, domain), gold).verdict is not Verdict.EQUIVALENT


def _init(world: str, program: str) -> set[tuple[str, ...]]:
    knowledge = _knowledge(world)
    return set(read_facts(_problem(program, knowledge), knowledge.vocabulary).init)


def _pairs(world: str, predicate: str, program: str) -> set[tuple[str, ...]]:
    return {atom[1:] for atom in _init(world, program) if atom[0] == predicate}


SHAKER = "object(shaker1, shaker). init(clean(shaker1)). goal(shaked(shaker1))."


@pytest.mark.parametrize(
    ("levels", "order"),
    [
        ("cardinality(level, 3).", {("l0", "l1"), ("l1", "l2")}),
        ("init(next(l0, l1)). cardinality(level, 3).", {("l0", "l1"), ("l1", "l2")}),
        ("init(next(l1, l0)). init(next(l0, l2)). cardinality(level, 3).", {("l1", "l0"), ("l0", "l2")}),
        ("init(next(low, high)). cardinality(level, 2).", {("low", "high")}),
        ("object(level10, level). object(level9, level).", {("level9", "level10")}),
        ("object(level1, level). cardinality(level, 3).", {("level1", "level2"), ("level2", "level3")}),
        ("object(low, level). object(high, level).", set()),
    ],
)
def test_levels_are_in_the_order_of_their_numbers_unless_another_is_stated(
    levels: str, order: set[tuple[str, str]]
) -> None:
    assert _pairs("barman", "next", f"{SHAKER} {levels}") == order


def test_a_container_of_the_goal_is_a_shot_glass_unless_it_is_a_shaker() -> None:
    program = f"{SHAKER} cardinality(level, 2). goal(contains(shaker1, gin)). goal(contains(cup, gin))."
    knowledge = _knowledge("barman")
    facts = read_facts(_problem(f"{program} object(gin, ingredient).", knowledge), knowledge.vocabulary)
    assert (facts.objects["shaker1"], facts.objects["cup"]) == ("shaker", "shot")


def test_what_robots_hold_and_colors_that_are_out_can_be_stated() -> None:
    tiles = "init(tile_grid(0, 1, a)). init(tile_grid(1, 1, b)). init(robot_at(robot1, a))."
    asked = f"{tiles} goal(painted(b, black))."
    black = f"{asked} init(robot_has(robot1, black))."
    assert _pairs("floortile", "robot-has", black) == {("robot1", "black")}
    assert _pairs("floortile", "available-color", black) == {("black",)}
    denied = f"{black} init(-available_color(black))."
    assert _pairs("floortile", "available-color", denied) == set()
    bare = f"{asked} init(free_color(robot1)). object(white, color)."
    assert _pairs("floortile", "robot-has", bare) == set()


def test_floors_are_in_the_order_of_their_numbers_unless_another_is_stated() -> None:
    program = "cardinality(floor, 3). init(lift_at(floor1)). goal(served(anna))."
    assert _pairs("miconic", "above", program) == {
        *(("floor1", "floor2"), ("floor1", "floor3"), ("floor2", "floor3")),
    }
    down = f"{program} init(above(floor3, floor2)). init(above(floor2, floor1))."
    assert _pairs("miconic", "above", down) == {
        *(("floor3", "floor2"), ("floor3", "floor1"), ("floor2", "floor1")),
    }


def test_an_area_belongs_to_the_only_depot_unless_another_place_is_stated() -> None:
    program = """init(area_grid(1, 1, a)). init(area_grid(1, 2, b)). cardinality(depot, 1).
        cardinality(container, 1). object(c, crate). init(on(c, b)). goal(in(c, depot1))."""
    assert _pairs("storage", "in", program) == {("a", "depot1"), ("b", "depot1"), ("c", "depot1")}
    assert ("b", "container1") in _pairs("storage", "in", f"{program} init(in(b, container1)).")
    assert ("b", "depot1") not in _pairs("storage", "in", f"{program} init(in(b, container1)).")


def test_a_goal_of_heights_is_one_for_all_positions_and_one_without_stays_as_it_is() -> None:
    program = """init(max_height(2)). init(position_grid(0, 0, a)). init(position_grid(0, 1, b)).
        init(is_depot(a)). init(at(a))."""
    knowledge = _knowledge("termes")
    wanted = _problem(f"{program} goal(height(b, n2)).", knowledge)
    assert set(read_facts(wanted, knowledge.vocabulary).goal) == {
        *((True, ("height", "a", "n0")), (True, ("height", "b", "n2"))),
    }
    other = _problem(f"{program} goal(at(b)).", knowledge)
    assert read_facts(other, knowledge.vocabulary).goal == ((True, ("at", "b")),)


def test_heights_that_are_counted_twice_have_to_agree() -> None:
    knowledge = _knowledge("termes")
    program = "init(max_height(2)). cardinality(numb, 2). init(position_grid(0, 0, a)). goal(at(a))."
    reply = answer(program_of(read_ir(program, knowledge), knowledge).text)
    assert reply.wrong == [("numbers", "numb", "2", "3")]
