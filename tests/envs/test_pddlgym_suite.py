"""pddlgym's domains through our own kernel: which load, and why the others do not."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.issues import PDDLError
from envs.pddlgym_suite import domain_file, domains, files_for_testing, missing, problem_files
from envs.source import WorldNotFound
from envs.world import open_world

pytestmark = pytest.mark.skipif(missing() is not None, reason=str(missing()))


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


def test_problems_for_testing_follow_those_for_learning() -> None:
    first = len(problem_files("blocks")) + 1
    by_number, by_name = (open_world("pddlgym:blocks", task) for task in (first, "test-problem2"))
    assert by_number.objects == by_name.objects
    with pytest.raises(WorldNotFound):
        open_world("pddlgym:blocks", first + len(files_for_testing("blocks")))


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


#: The deterministic domains that do not load, each with the code of the first issue and its place.
NOT_LOADED = {
    "derivedblocks": ("unsupported_feature", "(:derived ...)"),
    "easygripper": ("syntax", "`-ball` lacks a blank"),  # pddlgym takes it for `- ball`, PDDL for a name
}
#: What marks the domains in which chance decides; no classical planner takes them.
PROBABILISTIC = re.compile(r"\(probabilistic\b|:probabilistic-effects")


def _probabilistic(name: str) -> bool:
    return PROBABILISTIC.search(domain_file(name).read_text(encoding="utf-8")) is not None


def test_the_domains_in_which_chance_decides_are_the_ones_that_say_so() -> None:
    assert [name for name in domains() if _probabilistic(name)] == [
        *("explodingblocks", "manyexplodingblockssmallpiles", "manytireworld", "navigation1", "navigation10"),
        *(f"navigation{number}" for number in range(2, 10)),
        *("river", "tireworld"),
    ]


@pytest.mark.parametrize("name", [name for name in domains() if not _probabilistic(name)])
def test_every_deterministic_domain_loads_with_its_problems_or_is_listed_with_the_feature_it_lacks(
    name: str,
) -> None:
    domain_text = domain_file(name).read_text(encoding="utf-8")
    if name in NOT_LOADED:
        with pytest.raises(PDDLError) as caught:
            read_domain(domain_text)
        code, words = NOT_LOADED[name]
        assert caught.value.issues[0].code == code and words in str(caught.value)
        return
    domain = read_domain(domain_text)
    files = problem_files(name)
    for path in {files[0], files[-1]}:
        assert read_problem(path.read_text(encoding="utf-8"), domain).init, path.name


@pytest.mark.parametrize("name", ["tsp", "sokoban", "searchandrescue_level7", "manymiconic", "slidetile"])
def test_a_loaded_domain_can_be_acted_in(name: str) -> None:
    world = open_world(f"pddlgym:{name}")
    operators = world.applicable()
    assert all(world.executable((operator,)).steps == 1 for operator in operators)
