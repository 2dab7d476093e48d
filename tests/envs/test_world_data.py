"""Names of published domains, and the task texts that were written by hand: they say what the PDDL says."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

from envs.pddl.language import Domain, Problem, read_domain, read_problem
from envs.registry import WORLDS_FOLDER
from envs.world import open_world

WRITTEN_BY_HAND = ("grippers", "grippers_ood", "termes", "floortile")
EVERY_TASK = [(world, f"p{number:02}") for world in WRITTEN_BY_HAND for number in range(1, 11)]

#: What the published domains call their actions and predicates, parameters in their order.
PUBLISHED = {
    "blocksworld": "(pick-up x) (put-down x) (stack x y) (unstack x y) | clear handempty holding on ontable",
    "grippers": "(move r from to) (pick r obj room g) (drop r obj room g) | at at-robby carry free",
    "termes": "(move from to h) (move-up from hfrom to hto) (move-down from hfrom to hto)"
    " (place-block rpos bpos hbefore hafter) (remove-block rpos bpos hbefore hafter)"
    " (create-block p) (destroy-block p) | at has-block height is-depot neighbor succ",
    "floortile": "(change-color r c c2) (paint-up r y x c) (paint-down r y x c)"
    " (up r x y) (down r x y) (right r x y) (left r x y)"
    " | available-color clear down free-color left painted right robot-at robot-has up",
}


def _domain(world: str) -> Domain:
    return read_domain((WORLDS_FOLDER / world / "domain.pddl").read_text(encoding="utf-8"))


def _problem(world: str, stem: str) -> Problem:
    text = (WORLDS_FOLDER / world / f"{stem}.pddl").read_text(encoding="utf-8")
    return read_problem(text, _domain(world))


@pytest.mark.parametrize("world", PUBLISHED)
def test_names_and_parameter_orders_are_those_of_the_published_domains(world: str) -> None:
    domain = _domain(world)
    actions = [
        f"({action.name} {' '.join(p.symbol.removeprefix('?') for p in action.parameters)})"
        for action in domain.actions.values()
    ]
    assert f"{' '.join(actions)} | {' '.join(sorted(domain.predicates))}" == PUBLISHED[world]


@pytest.mark.parametrize(("world", "stem"), EVERY_TASK)
def test_a_tasks_text_names_exactly_the_objects_of_its_pddl(world: str, stem: str) -> None:
    opened = open_world(world, stem)
    head = opened.task.split("\n\n")[0]
    named = set(re.findall(r"[\w-]+", opened.task))
    assert set(opened.objects) <= named
    numbered = re.findall(r"\b(?:[a-z]+\d+|pos-\d-\d|tile_\d-\d)\b", head + opened.task)
    assert set(numbered) <= set(opened.objects)


@pytest.mark.parametrize(("world", "stem"), EVERY_TASK)
def test_a_tasks_text_read_back_gives_the_initial_facts_and_the_goal(world: str, stem: str) -> None:
    problem = _problem(world, stem)
    text = (WORLDS_FOLDER / world / f"{stem}.nl").read_text(encoding="utf-8")
    start, goal = text.split("Your goal is to reach a state in which all of this holds:")
    assert READERS[world](start) == set(problem.init)
    goals = READERS[world](goal, goal=True)
    source = (WORLDS_FOLDER / world / f"{stem}.pddl").read_text(encoding="utf-8").split(":goal")[1]
    source = source.split(":metric")[0]
    written = {tuple(atom.split()) for atom in re.findall(r"\(([a-z][^()]*?)\)", source)}
    assert goals == written - {("and",), ("not",)}


def _read_grippers(text: str, goal: bool = False) -> set[tuple[str, ...]]:
    facts: set[tuple[str, ...]] = set()
    for robot, room, left, right in re.findall(
        r"(robot\d+) is in (room\d+)\. It has the grippers (\w+) and (\w+), and both are free\.", text
    ):
        facts |= {("at-robby", robot, room), ("free", robot, left), ("free", robot, right)}
    for balls, room in re.findall(r"- (ball.*) lies? in (room\d+)\.", text):
        facts |= {("at", ball, room) for ball in re.findall(r"ball\d+", balls)}
    for rooms in re.findall(r"- (room.*) (?:is|are) prepared;", text):
        facts |= {("prepared", room) for room in re.findall(r"room\d+", rooms)}
    return facts


def _read_termes(text: str, goal: bool = False) -> set[tuple[str, ...]]:
    facts = {("has-block",)} if goal and "The robot carries no block." in text else set()
    facts |= {("at", place) for place in re.findall(r"The robot is at (pos-\d-\d)", text)}
    facts |= {("is-depot", place) for place in re.findall(r"The depot is (pos-\d-\d);", text)}
    facts |= {("succ", *pair) for pair in re.findall(r"(n\d) is one more than (n\d)", text)}
    for places, height in re.findall(r"- (pos.*) ha(?:s|ve) height (n\d)\.", text):
        facts |= {("height", place, height) for place in re.findall(r"pos-\d-\d", places)}
    for place, others in re.findall(r"- (pos-\d-\d) has the neighbours? (.*)\.", text):
        facts |= {("neighbor", place, other) for other in re.findall(r"pos-\d-\d", others)}
    return facts


def _read_floortile(text: str, goal: bool = False) -> set[tuple[str, ...]]:
    facts = {("painted", *pair) for pair in re.findall(r"(tile_\d-\d) is painted (\w+)\.", text)}
    for robot, tile, color in re.findall(r"(robot\d+) stands on (tile_\d-\d) and holds (\w+) paint", text):
        facts |= {("robot-at", robot, tile), ("robot-has", robot, color)}
    for colors in re.findall(r"- (.*) paint are available", text):
        facts |= {("available-color", color) for color in colors.replace(" and ", ", ").split(", ")}
    rows = [line.split(": ")[1].split(", ") for line in re.findall(r"- (row .*)", text)]
    for row in rows:
        for left, right in itertools.pairwise(row):
            facts |= {("left", left, right), ("right", right, left)}
    for above, below in itertools.pairwise(rows):
        for upper, lower in zip(above, below, strict=True):
            facts |= {("up", upper, lower), ("down", lower, upper)}
    for exceptions in re.findall(r"Every tile is clear except (.*)\.", text):
        facts |= {("clear", tile) for row in rows for tile in row if tile not in exceptions}
    return facts


READERS = {
    "grippers": _read_grippers,
    "grippers_ood": _read_grippers,
    "termes": _read_termes,
    "floortile": _read_floortile,
}


def test_a_published_problem_file_loads_in_a_built_in_world(tmp_path: Path) -> None:
    published = """(define (problem prob)
      (:domain termes)
      (:objects n0 - numb n1 - numb pos-0-0 - position pos-0-1 - position)
      (:init (height pos-0-0 n0) (height pos-0-1 n0) (at pos-0-1) (SUCC n1 n0)
             (NEIGHBOR pos-0-0 pos-0-1) (NEIGHBOR pos-0-1 pos-0-0) (IS-DEPOT pos-0-1))
      (:goal (and (height pos-0-0 n1) (not (has-block)))))"""
    for name in ("domain.pddl", "domain.nl", "words.json"):
        (tmp_path / name).write_bytes((WORLDS_FOLDER / "termes" / name).read_bytes())
    (tmp_path / "p01.pddl").write_text(published, encoding="utf-8")
    (tmp_path / "p01.nl").write_text("Build a tower of one block next to the depot.", encoding="utf-8")
    plan = ("(create-block pos-0-1)", "(place-block pos-0-1 pos-0-0 n0 n1)")
    assert open_world(str(tmp_path)).verify(plan).valid
