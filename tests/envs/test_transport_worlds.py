"""Depot, driverlog, logistics and miconic: published files fit them, and their generators keep their word."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from envs import pddlgym_suite
from envs.generators.depot import Depot
from envs.generators.driverlog import Driverlog
from envs.generators.logistics import Logistics
from envs.generators.miconic import Miconic
from envs.pddl.language.domain import GroundAtom, read_domain, read_problem
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.simulator import Task
from envs.pddlgym_suite import missing
from envs.registry import WORLDS_FOLDER
from envs.tasks import Pool, TaskFacts, make_facts, problem_text

needs_pddlgym = pytest.mark.skipif(missing() is not None, reason=str(missing()))

_PUBLISHED_DRIVERLOG = """
(define (problem DLOG-1-1-1) (:domain driverlog)
  (:objects driver1 - driver truck1 - truck package1 - obj s0 s1 p0-1 - location)
  (:init (at driver1 s0) (at truck1 s1) (empty truck1) (at package1 s1)
         (path s0 p0-1) (path p0-1 s0) (path s1 p0-1) (path p0-1 s1) (link s0 s1) (link s1 s0))
  (:goal (and (at driver1 s1) (at package1 s0))))
"""


def _domain(world: str) -> str:
    return (WORLDS_FOLDER / world / "domain.pddl").read_text(encoding="utf-8")


def _task(domain: str, problem: str) -> Task:
    return compile_task(read_problem(problem, read_domain(domain)))


def _generated(world: str, index: int = 1) -> Task:
    facts = make_facts(world, Pool.ON_DEMAND, index)
    return _task(_domain(world), problem_text("task", read_domain(_domain(world)).vocabulary, facts))


def _runs(task: Task, walk: Sequence[str]) -> int:
    """How many operators of `walk` are applicable one after the other."""
    states = task.initial(1)
    for steps, operator in enumerate(walk):
        index = task.operator_index.get(operator)
        if index is None or not task.applicable(states)[0, index]:
            return steps
        states = task.successors(states, np.array([index]))
    return len(walk)


def _walk(task: Task, length: int, rng: np.random.Generator) -> list[str]:
    walk: list[str] = []
    states = task.initial(1)
    for _ in range(length):
        options = np.flatnonzero(task.applicable(states)[0])
        chosen = int(options[int(rng.random() * len(options))])
        walk.append(task.operators[chosen])
        states = task.successors(states, np.array([chosen]))
    return walk


@needs_pddlgym
@pytest.mark.parametrize(("world", "published"), [("depot", "depot"), ("miconic", "manymiconic")])
def test_published_files_behave_here_as_in_the_published_domain(world: str, published: str) -> None:
    theirs = pddlgym_suite.domain_file(published).read_text(encoding="utf-8")
    problem = pddlgym_suite.problem_files(published)[0].read_text(encoding="utf-8")
    ours, reference = _task(_domain(world), problem), _task(theirs, problem)
    assert ours.operators == reference.operators
    states, others = ours.initial(1), reference.initial(1)
    rng = np.random.default_rng(7)
    for _ in range(40):
        mask = ours.applicable(states)[0]
        assert (mask == reference.applicable(others)[0]).all()
        chosen = np.flatnonzero(mask)[[int(rng.random() * mask.sum())]]
        states, others = ours.successors(states, chosen), reference.successors(others, chosen)
        assert ours.atoms_of(states[0]) == reference.atoms_of(others[0])


def test_a_published_driverlog_file_loads_and_its_plan_works() -> None:
    task = _task(_domain("driverlog"), _PUBLISHED_DRIVERLOG)
    plan = [
        "(load-truck package1 truck1 s1)",
        "(walk driver1 s0 p0-1)",
        "(walk driver1 p0-1 s1)",
        "(board-truck driver1 truck1 s1)",
        "(drive-truck truck1 s1 s0 driver1)",
        "(unload-truck package1 truck1 s0)",
        "(drive-truck truck1 s0 s1 driver1)",
        "(disembark-truck driver1 truck1 s1)",
    ]
    assert _runs(task, plan) == len(plan)


def test_trucks_stay_in_their_city_and_planes_at_airports() -> None:
    task = _generated("logistics", 4)
    at_first = task.atoms_of(task.initial(1)[0])
    city = {atom[1]: atom[2] for atom in at_first if atom[0] == "location-in-city"}
    airports = {atom[1] for atom in at_first if atom[0] == "location-is-airport"}
    home = {atom[1]: city[atom[2]] for atom in at_first if atom[0] == "truck-at"}
    for name, *arguments in (operator[1:-1].split() for operator in task.operators):
        if name == "drive-truck":
            assert city[arguments[2]] == home[arguments[0]]
        if name == "fly-airplane":
            assert set(arguments[1:3]) <= airports and arguments[3] != arguments[4]


def test_what_the_lift_with_the_hot_motor_can_do_the_other_one_can_too() -> None:
    hot = _generated("miconic_ood")
    problem = problem_text(
        "task", read_domain(_domain("miconic")).vocabulary, make_facts("miconic_ood", Pool.ON_DEMAND, 1)
    )
    plain = _task(_domain("miconic"), problem)
    assert plain.operators == hot.operators, "the changed rule does not show in the interface"
    walk = _walk(hot, 60, np.random.default_rng(2))
    assert _runs(plain, walk) == len(walk)


def test_a_hot_motor_refuses_a_second_trip_up_until_a_trip_down() -> None:
    task = _generated("miconic_ood")
    (start,) = (atom[1] for atom in task.atoms_of(task.initial(1)[0]) if atom[0] == "lift-at")
    to_the_bottom = [f"(down {start} floor1)"] if start != "floor1" else []
    walk = [*to_the_bottom, "(up floor1 floor2)"]
    assert _runs(task, walk) == len(walk)
    assert _runs(task, [*walk, "(up floor2 floor3)"]) == len(walk)
    cooled = [*walk, "(down floor2 floor1)", "(up floor1 floor3)"]
    assert _runs(task, cooled) == len(cooled)


def _reached(start: str, pairs: set[tuple[str, str]]) -> set[str]:
    """Everything that can be got to from `start`."""
    reached, new = set[str](), {start}
    while new:
        reached |= new
        new = {end for begin, end in pairs if begin in new} - reached
    return reached


def _pairs(facts: TaskFacts, predicate: str) -> set[tuple[str, str]]:
    return {(atom[1], atom[2]) for atom in facts.init if atom[0] == predicate}


@pytest.mark.parametrize("seed", range(10))
def test_roads_and_footpaths_each_connect_all_junctions(seed: int) -> None:
    facts = Driverlog.sizes()[seed].generate(np.random.default_rng(seed))
    junctions = {name for name in facts.objects if name.startswith("s")}
    assert _reached("s1", _pairs(facts, "link")) == junctions
    assert _reached("s1", _pairs(facts, "path")) >= junctions
    for predicate in ("link", "path"):
        assert all((b, a) in _pairs(facts, predicate) for a, b in _pairs(facts, predicate))


@pytest.mark.parametrize("seed", range(10))
def test_every_place_has_a_hoist_and_every_crate_stands_where_its_stack_is(seed: int) -> None:
    facts = Depot.sizes()[seed].generate(np.random.default_rng(seed))
    at, on = dict(_pairs(facts, "at")), dict(_pairs(facts, "on"))
    places = {name for name, kind in facts.objects.items() if kind in ("depot", "distributor")}
    for kind in ("hoist", "pallet"):
        assert {at[name] for name, its in facts.objects.items() if its == kind} == places
    crates = [name for name, kind in facts.objects.items() if kind == "crate"]
    assert all(at[crate] == at[on[crate]] for crate in crates)
    surfaces = {name for name, kind in facts.objects.items() if kind in ("pallet", "crate")}
    assert {atom[1] for atom in facts.init if atom[0] == "clear"} == surfaces - set(on.values())
    assert len(set(on.values())) == len(crates), "no two crates stand on the same surface"
    wanted = {atom for _, atom in facts.goal}
    assert len(wanted) == Depot.sizes()[seed].goals and not wanted & set(facts.init)


@pytest.mark.parametrize(
    ("world", "moved"), [(Logistics, "package-at"), (Driverlog, "at")], ids=["logistics", "driverlog"]
)
def test_no_package_starts_where_it_is_to_go(world: Any, moved: str) -> None:
    for seed, size in enumerate(world.sizes()):
        facts = size.generate(np.random.default_rng(seed))
        wanted: set[GroundAtom] = {
            atom for _, atom in facts.goal if atom[0] == moved and "package" in atom[1]
        }
        assert len(wanted) == size.packages
        assert not wanted & set(facts.init)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Miconic(floors=1),
        lambda: Miconic(passengers=0),
        lambda: Logistics(cities=1, locations=1),
        lambda: Logistics(planes=0),
        lambda: Driverlog(junctions=1),
        lambda: Driverlog(drivers=0),
        lambda: Depot(hoists=2),
        lambda: Depot(goals=3),
        lambda: Depot(depots=1, distributors=0),
    ],
)
def test_sizes_that_nothing_could_be_done_in_are_refused(make: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"\(.*\): "):
        make()
