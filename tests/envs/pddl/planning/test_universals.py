"""Universal conditions that are written out for a planner leave the task what it is."""

from __future__ import annotations

import re

import numpy as np
import pytest
from kernel_samples import SAMPLES, bundled, domain, problem, problem_of, random_states

from envs.pddl.planning.planner import Planner, planner_texts
from envs.pddl.planning.universals import written_out
from envs.pddl.planning.validate import validate_plan
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.simulator import PackedStates

SLIDING = """(:types tile field) (:predicates (at ?t - tile ?f - field) (near ?f ?g - field))
(:action slide :parameters (?t - tile ?f ?g - field)
 :precondition (and (near ?f ?g) (at ?t ?f) (not (exists (?x - tile) (at ?x ?g))))
 :effect (and (at ?t ?g) (not (at ?t ?f))))"""


def sliding(width: int) -> str:
    """Tiles in turn, the last two changed places of three, on a square of fields."""
    count = width * width
    order = [*range(1, count - 4), count - 3, count - 2, count - 4, count - 1]
    names = " ".join(f"t{n}" for n in range(1, count)), " ".join(f"f{n}" for n in range(1, count + 1))
    near = [
        f"(near f{a} f{b})"
        for a in range(1, count + 1)
        for b in range(1, count + 1)
        if abs(a - b) == width or (abs(a - b) == 1 and (min(a, b) % width))
    ]
    begun = [f"(at t{tile} f{place})" for place, tile in enumerate(order, 1)]
    wanted = [f"(at t{n} f{n})" for n in range(1, count)]
    return problem(
        f"{names[0]} - tile {names[1]} - field", " ".join(near + begun), f"(and {' '.join(wanted)})"
    )


#: Domains with universal conditions, each with a problem.
OWN = {
    "a sliding puzzle": (domain(SLIDING), sliding(3)),
    "an atom that one effect deletes and another may add": (
        domain("""(:predicates (p ?x ?y) (q ?x))
(:action go :parameters (?x ?y ?z) :precondition (forall (?u) (not (p ?u ?z)))
 :effect (and (p ?x ?y) (p ?y ?x) (not (p ?z ?y)) (not (p ?x ?z)) (not (p ?x ?y)) (q ?z)))
(:action undo :parameters (?x ?y) :precondition (forall (?u ?v) (q ?u)) :effect (not (p ?x ?y)))"""),
        problem("a b c", "(p a b) (q a)", "(q b)"),
    ),
    "constants, and a name that is taken": (
        domain("""(:types t s) (:constants k - t) (:predicates (p ?x - t) (p--denied ?x - t) (q ?y - s))
(:action go :parameters (?x - t) :precondition (and (not (p ?x)) (forall (?u - s) (not (q ?u))))
 :effect (and (p ?x) (not (p k)) (p--denied ?x)))
(:action clear :parameters (?x - t ?y - s) :precondition (not (exists (?u - t) (not (p--denied ?u))))
 :effect (and (not (p--denied k)) (not (q ?y))))
(:action dirty :parameters (?x - t ?y - s) :effect (and (q ?y) (not (p ?x))))
(:action none :parameters () :precondition (forall (?u - t) (not (p ?u))) :effect (and (p k)))"""),
        problem("a b - t c d - s", "(p a)", "(p b)"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", OWN)
def test_operators_and_successors_are_the_same(name: str) -> None:
    task = problem_of(*OWN[name])
    again = written_out(task)
    assert again is not task
    ours, theirs = compile_task(task), compile_task(again)
    assert ours.operators == theirs.operators
    added = again.domain.predicates.keys() - task.domain.predicates.keys()
    new = {name: re.sub(r"--denied\d*$", "", name) for name in added}
    denying = {atom for atom in {*theirs.atoms, *theirs.static} if atom[0] in new}
    assert denying

    def twin(state: PackedStates) -> set[tuple[str, ...]]:
        atoms = ours.atoms_of(state)
        return {*atoms, *(atom for atom in denying if (new[atom[0]], *atom[1:]) not in atoms)}

    states = random_states(ours, 200)
    twins = np.stack([theirs.state_of(twin(state) - ours.static) for state in states])
    mask = ours.applicable(states)
    assert (mask == theirs.applicable(twins)).all() and mask.any()
    for operator in range(len(ours.operators)):
        chosen = np.full(len(states), operator)
        pairs = zip(ours.successors(states, chosen), theirs.successors(twins, chosen), strict=True)
        assert all(twin(a) == theirs.atoms_of(b) for a, b in pairs)


def test_a_plan_is_found_and_works_in_the_task_as_it_was() -> None:
    task = problem_of(domain(SLIDING), sliding(4))
    result = Planner(wall_s=240).plan(*planner_texts(task))
    assert result.plan is not None and validate_plan(task, result.plan).valid


PLAIN = {
    name: texts
    for name, texts in {**SAMPLES, **bundled(1)}.items()
    if "forall" not in texts[0] and "exists" not in texts[0]
}


@pytest.mark.parametrize("name", PLAIN)
def test_a_task_without_such_conditions_stays_as_it_is(name: str) -> None:
    task = problem_of(*PLAIN[name])
    assert written_out(task) is task
