"""pddlgym's domains through our own kernel, against its live environments."""

from __future__ import annotations

import subprocess
import sys
import warnings

import numpy as np
import pytest

from envs.pddl.operators import format_operator, parse_operator
from envs.pddlgym_suite import domains, problem_files
from envs.source import WorldNotFound
from envs.truth import truth_of
from envs.world import open_world


def test_pddlgym_ships_many_domains_and_they_are_listed_in_order() -> None:
    names = domains()
    assert len(names) > 60
    assert list(names) == sorted(names)
    assert {"blocks", "depot", "ferry", "hanoi"} <= set(names)


def test_problems_come_in_the_order_of_their_numbers() -> None:
    stems = [path.stem for path in problem_files("depot")]
    assert stems.index("pfile2") < stems.index("pfile10")


def test_a_domain_opens_by_number_or_by_file_name() -> None:
    by_number = open_world("pddlgym:blocks", problem=2)
    by_name = open_world("pddlgym:blocks", problem="problem3")
    assert by_number.objects == by_name.objects
    assert by_number.applicable() == by_name.applicable() != ()


def test_unknown_domains_and_problems_are_refused_with_the_nearest_names() -> None:
    with pytest.raises(WorldNotFound, match=r"did you mean .*blocks"):
        open_world("pddlgym:blokcs")
    with pytest.raises(WorldNotFound, match="problem 'number 99'"):
        open_world("pddlgym:blocks", problem=99)


def test_opening_a_domain_neither_imports_pddlgym_nor_the_old_gym() -> None:
    code = (
        "import sys; from envs.world import open_world; open_world('pddlgym:blocks').applicable(); "
        "sys.exit(bool({'pddlgym', 'gym'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("domain", ["depot", "gripper", "hanoi_operator_actions"])
def test_a_live_environment_agrees_about_applicable_operators_and_successors(domain: str) -> None:
    live = _live(domain)
    observation, _ = live.reset()
    world = open_world(f"pddlgym:{domain}", problem=1)
    truth = truth_of(world.key)
    state = truth.task.initial(1)
    rng = np.random.default_rng(7)
    for _ in range(25):
        literals = live.action_space.all_ground_literals(observation, valid_only=True)
        theirs = {_text(literal): literal for literal in literals}
        mask = truth.task.applicable(state)[0]
        ours = [truth.task.operators[i] for i in np.flatnonzero(mask)]
        # pddlgym leaves out operators that name an object twice, although the domain allows them.
        assert [text for text in ours if not _repeats(text)] == sorted(theirs)
        chosen = sorted(theirs)[int(rng.random() * len(theirs))]
        observation, *_ = live.step(theirs[chosen])
        index = truth.task.operator_index[chosen]
        state = truth.task.successors(state, np.array([index], dtype=np.int64))
        assert {_text(literal) for literal in observation.literals} == {
            format_operator(atom[0], atom[1:]) for atom in truth.task.atoms_of(state[0])
        }


def _live(domain: str):  # type: ignore[no-untyped-def]  # pddlgym has no types
    """pddlgym's own environment, without its wrappers, set to the first problem."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pddlgym = pytest.importorskip("pddlgym")
        live = pddlgym.make(f"PDDLEnv{domain.capitalize()}-v0").unwrapped
    stems = [problem.problem_fname.split("/")[-1] for problem in live.problems]
    live.fix_problem_index(stems.index(problem_files(domain)[0].name))
    return live


def _text(literal) -> str:  # type: ignore[no-untyped-def]
    return format_operator(literal.predicate.name, [variable.name for variable in literal.variables])


def _repeats(text: str) -> bool:
    _, arguments = parse_operator(text)
    return len(set(arguments)) < len(arguments)
