"""Instructions say all of their goal and no more, and their orders can be kept."""

from __future__ import annotations

import json
import re

import pytest
from wide import wide

from envs.instructions import FILE, Instruction, make_instruction
from envs.pddl.language.domain import Domain, read_domain, read_problem
from envs.pddl.planning.planner import Planner, planner_texts
from envs.pddl.planning.validate import validate_plan
from envs.reading import read_facts
from envs.registry import WORLDS_FOLDER
from envs.source import read_texts
from envs.tasks import Literal, problem_text

KNOWN = ("household", "logistics")


def literal_text(literal: Literal) -> str:
    holds, atom = literal
    return f"({' '.join(atom)})" if holds else f"(not ({' '.join(atom)}))"


@pytest.mark.parametrize("world", KNOWN)
def test_twenty_instructions_differ_and_five_of_them_name_an_order(world: str) -> None:
    made = [make_instruction(world, number) for number in range(1, 21)]
    assert len({i.task for i in made}) == len({i.text + i.start for i in made}) == 20
    assert [i.number for i in made if i.order] == [4, 8, 12, 16, 20]
    assert all(i.order == () or (len(set(i.order)) == 2 and set(i.order) <= set(i.goal)) for i in made)
    assert all(re.search(r"first|then|before|after", i.text, re.IGNORECASE) for i in made if i.order)


@pytest.mark.parametrize("world", [*KNOWN, "tyreworld", "urnsong"])
def test_an_instruction_names_what_its_goal_is_about_and_nothing_else(world: str) -> None:
    for number in range(1, 5):
        made = make_instruction(world, number)
        objects = read_facts(read_texts(world, made.task).problem, read_domain_of(world).vocabulary).objects
        named = {name for name in objects if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", made.text)}
        assert named == {argument for _, atom in made.goal for argument in atom[1:]}
        assert "goal" not in made.start.lower() and made.start.startswith("There ")


def test_the_order_is_that_in_which_things_first_became_true() -> None:
    a, b = ("package-at", "p1", "l1"), ("package-at", "p2", "l2")
    made = Instruction("logistics", 4, "g4", "", "", ((True, a), (True, b)), ((True, a), (True, b)))
    empty, only_a, only_b, both = (
        frozenset[tuple[str, ...]](),
        frozenset([a]),
        frozenset([b]),
        frozenset([a, b]),
    )
    assert made.kept_order([empty, only_a, both])
    assert not made.kept_order([empty, only_b, both])
    assert not made.kept_order([empty, both])
    assert not made.kept_order([empty])
    assert made.kept_order([empty, only_a, empty, both])


@pytest.mark.parametrize(
    ("world", "number"),
    wide(
        [(world, number) for world in KNOWN for number in (4, 8, 12, 16, 20)],
        ("logistics", 4),
    ),
)
def test_every_order_can_be_kept(world: str, number: int) -> None:
    made, domain = make_instruction(world, number), read_domain_of(world)
    facts = read_facts(read_texts(world, made.task).problem, domain.vocabulary)
    first = made.order[0]
    problem = problem_text("p", domain.vocabulary, facts)
    shut = f"(:goal (and {literal_text(first)} {literal_text((not made.order[1][0], made.order[1][1]))}))"
    staged = read_problem(problem[: problem.index("(:goal")] + shut + ")", domain)
    result = Planner().plan(*planner_texts(staged))
    assert result.plan is not None
    there = validate_plan(staged, result.plan).final_state
    after = type(facts)(facts.objects, tuple(sorted(there)), facts.goal)
    rest = Planner().plan(*planner_texts(read_problem(problem_text("p", domain.vocabulary, after), domain)))
    assert rest.plan is not None


def test_instructions_are_counted_from_one() -> None:
    with pytest.raises(ValueError, match="from 1"):
        make_instruction("logistics", 0)


def read_domain_of(world: str) -> Domain:
    return read_domain(read_texts(world, 1).domain)


@pytest.mark.parametrize("world", KNOWN)
def test_phrases_are_about_predicates_of_the_world_and_name_all_their_arguments(world: str) -> None:
    predicates = read_domain_of(world).vocabulary.predicates
    read = json.loads((WORLDS_FOLDER / world / FILE).read_text(encoding="utf-8"))
    assert set(read["any order"]) <= set(read["do"]) <= set(predicates)
    for part in ("do", "undo"):
        for name, phrases in read.get(part, {}).items():
            slots = {f"{{{place}}}" for place in range(len(predicates[name]))}
            assert phrases and all(set(re.findall(r"\{\d+\}", phrase)) == slots for phrase in phrases)
