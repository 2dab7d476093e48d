"""The rules of worlds: a task follows from its gold IR, and nothing false follows from what is true."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import asdict, replace
from functools import cache

import numpy as np
import pytest
from wide import wide

from agents.tic.allow import read_ir
from agents.tic.compile import compile_problem
from agents.tic.infer import materialise
from agents.tic.inference_child import Reply, answer
from agents.tic.knowledge import Knowledge
from agents.tic.program import program_of
from envs.intermediate.gold_ir import gold_ir
from envs.intermediate.knowledge import read_knowledge, worlds_with_rules
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.simulation.reference import ReferenceSimulator
from envs.reading import read_facts
from envs.source import read_texts
from envs.tasks import Pool, TaskFacts, make_facts, pick, problem_text

#: Worlds of which a task says outright all that is true of it.
SAID_OUTRIGHT = ("grippers", "logistics")
TASKS = (*(f"p{n:02}" for n in range(1, 11)), *(f"g{n}" for n in range(1, 11)))
every_world = pytest.mark.parametrize("world", worlds_with_rules())


@cache
def _knowledge(world: str) -> Knowledge:
    return Knowledge(**asdict(read_knowledge(world)))


def _of_task(world: str, facts: TaskFacts) -> Knowledge:
    """The knowledge about a world and the names of a task."""
    return replace(_knowledge(world), objects=tuple(facts.objects))


@cache
def _task(world: str, stem: str) -> TaskFacts:
    return read_facts(read_texts(world, stem).problem, _knowledge(world).vocabulary)


def _reply(program: str, knowledge: Knowledge) -> Reply:
    return answer(program_of(read_ir(program, knowledge), knowledge).text)


def _inferred(program: str, knowledge: Knowledge) -> TaskFacts:
    """The task that follows from an IR, in this process."""
    reply = _reply(program, knowledge)
    assert len(reply.models) == 1 and not reply.wrong
    compiled = compile_problem(reply.models[0], knowledge)
    assert compiled.problem is not None, compiled.faults
    return read_facts(compiled.problem, knowledge.vocabulary)


def _content(facts: TaskFacts) -> tuple[object, ...]:
    return dict(facts.objects), frozenset(facts.init), frozenset(facts.goal)


def _everything(facts: TaskFacts, knowledge: Knowledge) -> str:
    """All facts of a task, one by one."""
    asp = knowledge.names.asp

    def said(predicate: str, *arguments: str) -> str:
        return f"{asp(predicate)}({','.join(map(asp, arguments))})" if arguments else asp(predicate)

    lines = [
        *(f"object({asp(name)}, {asp(kind)})." for name, kind in facts.objects.items()),
        *(f"init({said(*atom)})." for atom in facts.init),
        *(f"goal({'' if holds else '-'}{said(*atom)})." for holds, atom in facts.goal),
    ]
    return "\n".join(lines)


def _renamed(facts: TaskFacts, kept: Iterable[str]) -> TaskFacts:
    """The task with names that mean nothing, in another order."""
    names = {name: f"thing-{len(facts.objects) - n}" for n, name in enumerate(facts.objects)}
    names |= {name: name for name in kept}
    return TaskFacts(
        {names[name]: kind for name, kind in facts.objects.items()},
        tuple((p, *(names[x] for x in rest)) for p, *rest in facts.init),
        tuple((holds, (p, *(names[x] for x in rest))) for holds, (p, *rest) in facts.goal),
    )


@pytest.mark.parametrize("every", wide([4, 1], 4))
@every_world
def test_every_task_follows_from_its_gold_ir(world: str, every: int) -> None:
    for stem in TASKS[::every]:
        facts = _task(world, stem)
        knowledge = _of_task(world, facts)
        found = _inferred(gold_ir(world, facts, knowledge.names.asp), knowledge)
        assert _content(found) == _content(facts), stem


@every_world
def test_an_example_follows_from_its_file_by_way_of_a_child(world: str) -> None:
    facts = _task(world, "example")
    knowledge = _of_task(world, facts)
    found = materialise(knowledge.example_ir, knowledge)
    assert found.problem is not None, found.fault
    assert _content(read_facts(found.problem, knowledge.vocabulary)) == _content(facts)
    assert found.mistakes == (), "nothing in it has to be sent back"


@every_world
@pytest.mark.parametrize("stem", ["p01", "p05", "g4"])
def test_what_rules_derive_is_not_stated(world: str, stem: str) -> None:
    facts = _task(world, stem)
    knowledge = replace(_of_task(world, facts), rules="")
    found = _inferred(gold_ir(world, facts, knowledge.names.asp), knowledge)
    assert frozenset(found.init) <= frozenset(facts.init)
    assert (_content(found) == _content(facts)) == (world in SAID_OUTRIGHT)


@every_world
@pytest.mark.parametrize("index", [1, 7, 10])
def test_rules_add_nothing_where_everything_is_stated(world: str, index: int) -> None:
    facts = make_facts(world, Pool.FEEDBACK, index + 20)
    knowledge = _of_task(world, facts)
    assert _content(_inferred(_everything(facts, knowledge), knowledge)) == _content(facts)


@every_world
def test_rules_add_nothing_false_wherever_a_walk_comes_to(world: str) -> None:
    facts = _task(world, "p02")
    knowledge = _of_task(world, facts)
    domain = read_domain(knowledge.domain)
    simulator = ReferenceSimulator(read_problem(problem_text("p", domain.vocabulary, facts), domain))
    rng, state = np.random.default_rng(3), simulator.initial()
    for step in range(30):
        state = simulator.successor(state, pick(rng, simulator.applicable(state)))
        if step % 6 == 5:
            there = replace(facts, init=tuple(sorted(state)))
            assert frozenset(_inferred(_everything(there, knowledge), knowledge).init) == state


@every_world
def test_rules_do_not_depend_on_names(world: str) -> None:
    facts = _renamed(_task(world, "p03"), _knowledge(world).vocabulary.constants)
    knowledge = _of_task(world, facts)
    found = _inferred(gold_ir(world, facts, knowledge.names.asp), knowledge)
    assert _content(found) == _content(facts)


@pytest.mark.parametrize(
    ("world", "more", "told"),
    [
        ("blocksworld", "init(on(b1, b3)).", "init(on(B,X))"),
        ("floortile", "init(tile_grid(0, 1, tile_2_1)).", "tile_grid(R,C,X)"),
        ("grippers", "init(at_robby(robot1, room3)).", "init(at_robby(R,X))"),
        ("logistics", "init(truck_at(truck1, location1)).", "init(truck_at(T,X))"),
        ("miconic", "init(above(floor7, floor1)).", "init(above(F,F))"),
        ("storage", "init(in(crate1, depot1)).", "init(in(A,X))"),
        ("termes", "init(at(pos_0_0)).", "init(at(X))"),
    ],
)
def test_what_cannot_be_true_at_once_is_told(world: str, more: str, told: str) -> None:
    found = materialise(f"{_knowledge(world).example_ir}{more}", _knowledge(world))
    assert found.problem is None
    assert "of the rules" in found.fault and told in found.fault


def test_another_statement_takes_the_place_of_a_default() -> None:
    knowledge = _knowledge("termes")
    raised = "init(height(pos_0_0, n1)). init(height(X, n0)) :- object(X, position), X != pos_0_0."
    init = _inferred(f"{knowledge.example_ir}{raised}", knowledge).init
    assert ("height", "pos_0_0", "n1") in init and ("height", "pos_0_0", "n0") not in init
    knowledge = _knowledge("barman")
    init = _inferred(f"{knowledge.example_ir}init(shaker_empty_level(shaker1, l1)).", knowledge).init
    assert ("shaker-level", "shaker1", "l1") in init and ("shaker-level", "shaker1", "l0") not in init


@pytest.mark.parametrize(
    ("world", "program", "denied"),
    [
        ("floortile", "object(robot1, robot). object(white, color).", "robot_has(robot1, white)"),
        ("barman", "cardinality(level, 2).", "next(l0, l1)"),
        ("barman", "cardinality(level, 2). object(s, shaker).", "shaker_empty_level(s, l0)"),
        ("miconic", "cardinality(floor, 2).", "above(floor1, floor2)"),
        ("storage", "object(a, depot_storearea). object(d, depot).", "in(a, d)"),
        ("termes", "init(max_height(1)).", "succ(n1, n0)"),
        ("termes", "init(max_height(1)). object(p, position).", "height(p, n0)"),
    ],
)
def test_a_default_gives_way_to_a_denial(world: str, program: str, denied: str) -> None:
    for stated in (program, f"{program} init(-{denied})."):
        reply = _reply(stated, _knowledge(world))
        assert len(reply.models) == 1 and not reply.wrong
        fact = re.findall(r"\w+", denied)
        assert (fact in [list(found) for found in reply.models[0].init]) is (stated == program)


def test_a_height_that_the_goal_denies_is_not_wanted() -> None:
    program = """
        init(max_height(2)). init(position_grid(0, 0, a)). init(position_grid(0, 1, b)). init(at(a)).
        goal(height(b, n2)). goal(-height(a, n0)).
    """
    goal = set(_inferred(program, _knowledge("termes")).goal)
    assert goal == {(True, ("height", "b", "n2")), (False, ("height", "a", "n0"))}


def test_a_cocktail_may_be_wanted_in_a_counted_shaker() -> None:
    program = """
        cardinality(shaker, 1). cardinality(level, 3). object(shot1, shot). object(cocktail1, cocktail).
        goal(contains(shaker1, cocktail1)).
    """
    objects = _inferred(program, _knowledge("barman")).objects
    assert [name for name, kind in objects.items() if kind == "shaker"] == ["shaker1"]
    assert [name for name, kind in objects.items() if kind == "shot"] == ["shot1"]


@pytest.mark.parametrize(
    ("world", "kind", "program"),
    [
        (
            "tyreworld",
            "wheel",
            """cardinality(wheel, 4). cardinality(flat_tyre, 2). cardinality(intact_tyre, 2).
            cardinality(hub, 2). goal(tight(n1, hub1)).""",
        ),
        (
            "tyreworld",
            "wheel",
            """cardinality(wheel, 4). cardinality(flat_tyre, 2). cardinality(intact_tyre, 2).
            init(on(w1, hub1)). init(on(w2, hub2)). goal(tight(n1, hub1)).""",
        ),
        (
            "storage",
            "storearea",
            """cardinality(storearea, 4). cardinality(container_storearea, 2). cardinality(depot, 1).
            init(area_grid(1, 1, a)). init(area_grid(1, 2, b)). object(crate1, crate).
            goal(in(crate1, depot1)).""",
        ),
    ],
)
def test_a_type_may_be_counted_beside_its_kinds(world: str, kind: str, program: str) -> None:
    assert list(_inferred(program, _knowledge(world)).objects.values()).count(kind) == 4


def test_grippers_may_be_told_of_by_side() -> None:
    program = """
        cardinality(robot, 2). cardinality(left_gripper, 2). cardinality(right_gripper, 2).
        init(map(robot, has_gripper, left_gripper)). init(map(robot, has_gripper, right_gripper)).
        init(at_robby(X, room1)) :- object(X, robot). init(at(ball1, room1)). goal(at(ball1, room2)).
    """
    found = _inferred(program, _knowledge("grippers"))
    assert sorted(found.objects.values()) == ["gripper"] * 4 + ["obj"] + ["robot"] * 2 + ["room"] * 2
    free = [atom for atom in found.init if atom[0] == "free"]
    assert {robot for _, robot, _ in free} == {"robot1", "robot2"} and len({g for *_, g in free}) == 4
