"""Dimhollow, gripper, hiking, storage and tyreworld: published files fit them, and their odd rules hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from envs import pddlgym_suite
from envs.generators.dimhollow import Burrow, Dimhollow
from envs.generators.gripper import Gripper
from envs.generators.hiking import Hiking
from envs.generators.storage import Storage
from envs.generators.tyreworld import Tyreworld
from envs.pddl.language.domain import GroundAtom, Problem, read_domain, read_problem
from envs.pddl.planning.validate import validate_plan
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.simulator import Task
from envs.pddlgym_suite import missing
from envs.registry import WORLDS_FOLDER
from envs.tasks import problem_text

needs_pddlgym = pytest.mark.skipif(missing() is not None, reason=str(missing()))

_HIKING = """
(define (problem Hiking-1-2-2) (:domain hiking)
  (:objects car0 car1 - car tent0 - tent couple0 - couple place0 place1 - place guy0 girl0 - person)
  (:init (partners couple0 guy0 girl0) (at_person guy0 place0) (at_person girl0 place0)
         (walked couple0 place0)
         (at_tent tent0 place0) (up tent0) (at_car car0 place0) (at_car car1 place0) (next place0 place1))
  (:goal (and (walked couple0 place1))))
"""
_STORAGE = """
(define (problem storage-1) (:domain Storage-Propositional)
  (:objects depot0-1-1 container-0-0 - storearea hoist0 - hoist crate0 - crate container0 - container
            depot0 - depot loadarea - transitarea)
  (:init (in depot0-1-1 depot0) (on crate0 container-0-0) (in crate0 container0) (in container-0-0 container0)
         (connected loadarea container-0-0) (connected container-0-0 loadarea) (connected depot0-1-1 loadarea)
         (connected loadarea depot0-1-1) (at hoist0 depot0-1-1) (available hoist0))
  (:goal (and (in crate0 depot0))))
"""
_TYREWORLD = """
(define (problem tyreworld-1) (:domain tyreworld)
  (:objects wrench jack pump - tool the-hub1 - hub nuts1 - nut boot - container r1 w1 - wheel)
  (:init (in jack boot) (in pump boot) (in wrench boot) (unlocked boot) (closed boot) (intact r1) (in r1 boot)
         (not-inflated r1) (on w1 the-hub1) (on-ground the-hub1) (tight nuts1 the-hub1) (fastened the-hub1))
  (:goal (and (on r1 the-hub1) (inflated r1) (tight nuts1 the-hub1) (in w1 boot) (in wrench boot)
              (in jack boot) (in pump boot) (closed boot))))
"""
_PLANS: dict[str, tuple[str, tuple[str, ...]]] = {
    "hiking": (
        _HIKING,
        (
            "(put_down guy0 place0 tent0)",
            "(drive_tent_passenger guy0 place0 place1 car0 tent0 girl0)",
            "(put_up girl0 place1 tent0)",
            "(drive_passenger girl0 place1 place0 car0 guy0)",
            "(walk_together tent0 place1 guy0 place0 girl0 couple0)",
        ),
    ),
    "storage": (
        _STORAGE,
        (
            "(go-out hoist0 depot0-1-1 loadarea)",
            "(lift hoist0 crate0 container-0-0 loadarea container0)",
            "(drop hoist0 crate0 depot0-1-1 loadarea depot0)",
        ),
    ),
    "tyreworld": (
        _TYREWORLD,
        (
            "(open boot)",
            "(fetch r1 boot)",
            "(inflate r1)",
            "(loosen nuts1 the-hub1)",
            "(jack-up the-hub1)",
            "(undo nuts1 the-hub1)",
            "(remove-wheel w1 the-hub1)",
            "(put-on-wheel r1 the-hub1)",
            "(do-up nuts1 the-hub1)",
            "(jack-down the-hub1)",
            "(tighten nuts1 the-hub1)",
            "(put-away w1 boot)",
            "(close boot)",
        ),
    ),
}
_BURROW = """
(define (problem burrow) (:domain dimhollow)
  (:objects t1 t2 - tender a b c - hollow m n - mote)
  (:init (seam a b) (seam b a) (seam b c) (seam c b) {facts})
  (:goal (stands t1 c)))
"""


def _problem(world: str, text: str) -> Problem:
    return read_problem(
        text, read_domain((WORLDS_FOLDER / world / "domain.pddl").read_text(encoding="utf-8"))
    )


def _after(walk: Sequence[str], facts: str) -> frozenset[GroundAtom]:
    """What holds in a burrow of three hollows in a row after a walk, which must be executable."""
    task = compile_task(_problem("dimhollow", _BURROW.format(facts=facts)))
    states = task.initial(1)
    for operator in walk:
        index = task.operator_index[operator]
        assert task.applicable(states)[0, index], operator
        states = task.successors(states, np.array([index]))
    return task.atoms_of(states[0])


def _can(operator: str, facts: str) -> bool:
    task = compile_task(_problem("dimhollow", _BURROW.format(facts=facts)))
    index = task.operator_index.get(operator)
    return index is not None and bool(task.applicable(task.initial(1))[0, index])


@pytest.mark.parametrize("world", sorted(_PLANS))
def test_a_published_file_loads_and_its_plan_works(world: str) -> None:
    text, plan = _PLANS[world]
    problem = _problem(world, text)
    assert validate_plan(problem, plan).valid
    assert not any(validate_plan(problem, plan[:i] + plan[i + 1 :]).valid for i in range(len(plan)))


@needs_pddlgym
def test_gripper_behaves_as_the_published_untyped_domain() -> None:
    theirs = pddlgym_suite.domain_file("gripper").read_text(encoding="utf-8")
    text = pddlgym_suite.problem_files("gripper")[0].read_text(encoding="utf-8")
    ours: Task = compile_task(_problem("gripper", text.replace("gripper-strips", "gripper")))
    reference = compile_task(read_problem(text, read_domain(theirs)))
    assert ours.operators == reference.operators
    states, others, rng = ours.initial(1), reference.initial(1), np.random.default_rng(7)
    for _ in range(40):
        mask = ours.applicable(states)[0]
        assert (mask == reference.applicable(others)[0]).all()
        chosen = np.flatnonzero(mask)[[int(rng.random() * mask.sum())]]
        states, others = ours.successors(states, chosen), reference.successors(others, chosen)
        assert ours.atoms_of(states[0]) == reference.atoms_of(others[0])


@pytest.mark.parametrize("size", Dimhollow.sizes(), ids=str)
def test_what_the_generator_of_dimhollow_rehearsed_is_a_plan_in_the_world(size: Dimhollow) -> None:
    domain = read_domain((WORLDS_FOLDER / "dimhollow" / "domain.pddl").read_text(encoding="utf-8"))
    for seed in range(5):
        facts, walk = size.rehearse(np.random.default_rng(seed))
        problem = read_problem(problem_text("task", domain.vocabulary, facts), domain)
        assert not facts.solved
        assert validate_plan(problem, [f"({' '.join(operator)})" for operator in walk]).valid


@pytest.mark.parametrize("seed", range(3))
def test_the_generator_of_dimhollow_offers_exactly_what_the_world_allows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    domain = read_domain((WORLDS_FOLDER / "dimhollow" / "domain.pddl").read_text(encoding="utf-8"))
    facts, _ = Dimhollow.sizes()[4].rehearse(rng)
    task = compile_task(read_problem(problem_text("task", domain.vocabulary, facts), domain))
    near = {
        h: [a[2] for a in facts.init if a[:2] == ("seam", h)]
        for h, t in facts.objects.items()
        if t == "hollow"
    }
    stands, rests = ({a[1]: a[2] for a in facts.init if a[0] == name} for name in ("stands", "rests"))
    aglow, ripe = ({a[1] for a in facts.init if a[0] == name} for name in ("aglow", "ripe"))
    burrow = Burrow(near, stands, rests, aglow=aglow, ripe=ripe)
    states = task.initial(1)
    for _ in range(40):
        offered = [f"({' '.join(o)})" for options in burrow.operators().values() for o in options]
        allowed = [task.operators[i] for i in np.flatnonzero(task.applicable(states)[0])]
        assert sorted(offered) == sorted(allowed)
        if not offered:
            break
        chosen = offered[int(rng.random() * len(offered))]
        burrow.apply(tuple(chosen[1:-1].split()))
        states = task.successors(states, np.array([task.operator_index[chosen]]))
        assert frozenset(burrow.atoms()) == task.atoms_of(states[0])


def test_a_hollow_that_nothing_keeps_goes_dark_behind_a_tender() -> None:
    lit = "(aglow a) (aglow b) (stands t1 a)"
    slip = ["(slip t1 a b)"]
    assert ("aglow", "a") not in _after(slip, f"{lit} (stands t2 b)")
    assert ("aglow", "a") in _after(slip, f"{lit} (stands t2 a)"), "another tender keeps it"
    assert ("aglow", "a") in _after(slip, f"{lit} (rests m a)"), "a resting mote keeps it, ripe or not"
    assert ("aglow", "a") not in _after(slip, f"{lit} (bears t1 m) (ripe m)"), "a mote that leaves does not"
    assert ("aglow", "b") in _after(slip, lit)


def test_kindling_spends_a_ripe_mote_and_unripens_those_in_the_new_glow() -> None:
    facts = "(stands t1 a) (bears t1 m) (ripe m) (rests n b) (ripe n)"
    after = _after(["(kindle t1 m a b)"], facts)
    assert ("aglow", "b") in after and ("bears", "t1", "m") in after
    assert not {("ripe", "m"), ("ripe", "n")} & after
    assert not _can("(kindle t1 m a b)", facts.replace("(ripe m)", "")), "an unripe mote kindles nothing"
    assert not _can("(kindle t1 m a b)", f"{facts} (aglow b)"), "what is aglow cannot be kindled"


def test_a_mote_mellows_only_with_no_glow_next_to_it() -> None:
    assert _can("(mellow m a)", "(rests m a) (aglow a) (aglow c)")
    assert not _can("(mellow m a)", "(rests m a) (aglow b)")
    assert not _can("(mellow m a)", "(rests m a) (ripe m)")


def test_a_tender_bears_one_mote_at_most_and_hushes_no_hollow_with_a_tender() -> None:
    assert _can("(gather t1 m a)", "(stands t1 a) (rests m a) (bears t2 n)")
    assert not _can("(gather t1 m a)", "(stands t1 a) (rests m a) (bears t1 n)")
    assert _can("(hush t1 a b)", "(stands t1 a) (aglow b) (rests m b) (ripe m)")
    assert not _can("(hush t1 a b)", "(stands t1 a) (aglow b) (stands t2 b)")


@pytest.mark.parametrize(
    "size",
    [
        lambda: Dimhollow(tenders=0),
        lambda: Gripper(rooms=1),
        lambda: Hiking(tents=1, cars=1, places=3),
        lambda: Storage(crates=4, depots=1, areas=4),
        lambda: Tyreworld(hubs=2, flats=3),
        lambda: Tyreworld(containers=3),
    ],
)
def test_a_size_that_might_not_be_solvable_is_refused(size: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"\(.*\): "):
        size()


def test_every_store_area_of_a_generated_task_holds_one_crate_or_one_hoist_or_is_clear() -> None:
    for seed in range(40):
        facts = Storage.sizes()[seed % len(Storage.sizes())].generate(np.random.default_rng(seed))
        areas = [name for name, kind in facts.objects.items() if kind == "storearea"]
        held = [a[2] for a in facts.init if a[0] in ("at", "on")] + [
            a[1] for a in facts.init if a[0] == "clear"
        ]
        assert sorted(area for area in held if area != "loadarea") == sorted(areas)
