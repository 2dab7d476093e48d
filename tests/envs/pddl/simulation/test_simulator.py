"""A compiled task as a transition system: batches, packed states, and the words of its states."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from kernel_samples import SAMPLES, bundled, first_choices, problem_of, random_states, task_of

from envs.pddl.interface import TransitionSystem
from envs.pddl.simulation.compile import compile_task
from envs.pddl.simulation.simulator import Task

CASES = {**SAMPLES, **bundled(1)}


@pytest.fixture(params=list(CASES))
def task(request: pytest.FixtureRequest) -> Task:
    return task_of(*CASES[request.param])


def test_a_task_is_a_transition_system(task: Task) -> None:
    assert isinstance(task, TransitionSystem)


def test_the_initial_state_is_that_of_the_problem() -> None:
    for texts in CASES.values():
        problem = problem_of(*texts)
        task = compile_task(problem)
        assert task.atoms_of(task.initial(1)[0]) == problem.init


def test_a_batch_is_its_rows_one_by_one(task: Task) -> None:
    states = random_states(task, 37)
    chosen = first_choices(task, states)
    mask, after, goal = task.applicable(states), task.successors(states, chosen), task.goal_reached(states)
    assert mask.shape == (37, len(task.operators)) and mask.dtype == np.bool_
    assert after.shape == states.shape and goal.shape == (37,)
    for i in range(37):
        row = states[i : i + 1]
        assert (task.applicable(row)[0] == mask[i]).all()
        assert (task.successors(row, chosen[i : i + 1])[0] == after[i]).all()
        assert task.goal_reached(row)[0] == goal[i]


def test_batches_of_any_size(task: Task) -> None:
    for batch in (0, 1, 2, 7, 8, 9, 100):
        states = task.initial(batch)
        stay = np.full(batch, -1)
        assert task.applicable(states).shape == (batch, len(task.operators))
        assert task.goal_reached(states).shape == (batch,)
        assert (task.successors(states, stay) == states).all(), batch


def test_minus_one_leaves_a_row_as_it_is_beside_rows_that_move(task: Task) -> None:
    states = random_states(task, 20)
    chosen = first_choices(task, states)
    moved = task.successors(states, chosen)
    chosen[::2] = -1
    mixed = task.successors(states, chosen)
    assert (mixed[::2] == states[::2]).all() and (mixed[1::2] == moved[1::2]).all()


def test_states_are_not_changed_in_place(task: Task) -> None:
    states = random_states(task, 10)
    before = states.copy()
    task.successors(states, first_choices(task, states))
    task.applicable(states)
    task.goal_reached(states)
    assert (states == before).all()
    first = task.initial(2)
    first[:] = 0
    assert (task.initial(1)[0] == task.initial(2)[1]).all()


def test_rows_are_equal_iff_their_atoms_are(task: Task) -> None:
    states = random_states(task, 30)
    atoms = [task.atoms_of(row) for row in states]
    for i in range(30):
        for j in range(i):
            assert (states[i].tobytes() == states[j].tobytes()) == (atoms[i] == atoms[j])


def test_atoms_and_rows_convert_into_each_other(task: Task) -> None:
    for row in random_states(task, 30):
        assert (task.state_of(task.atoms_of(row)) == row).all()
        assert (task.state_of(task.atoms_of(row) - task.static) == row).all()


def test_an_atom_that_can_never_hold_is_refused_by_name(task: Task) -> None:
    with pytest.raises(ValueError, match=r"\(no-such a\)"):
        task.state_of([("no-such", "a")])


def test_a_task_survives_pickling(task: Task) -> None:
    copy = pickle.loads(pickle.dumps(task))  # noqa: S301
    states = random_states(task, 20)
    assert (copy.operators, copy.atoms, copy.static) == (task.operators, task.atoms, task.static)
    assert (copy.applicable(states) == task.applicable(states)).all()
    assert (random_states(copy, 20) == states).all()


def test_from_p_the_conditions_of_the_old_state_give_q() -> None:
    task = compile_task(problem_of(*SAMPLES["conditions read the old state"]))
    after = task.successors(task.initial(1), np.array([task.operator_index["(step)"]]))
    assert task.atoms_of(after[0]) == {("q",)}
    assert task.goal_reached(after)[0]


def test_an_atom_both_deleted_and_added_stays() -> None:
    task = compile_task(problem_of(*SAMPLES["an atom added and deleted stays"]))
    after = task.successors(task.initial(1), np.array([task.operator_index["(both b)"]]))
    assert task.atoms_of(after[0]) == {("p", "a"), ("p", "b")}


def test_a_move_to_where_it_already_is_keeps_it_there() -> None:
    task = compile_task(problem_of(*SAMPLES["an atom added and deleted stays"]))
    after = task.successors(task.initial(1), np.array([task.operator_index["(move a a)"]]))
    assert ("p", "a") in task.atoms_of(after[0])
