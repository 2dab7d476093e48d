"""Worlds in answer set programming: what is known of a world, and how little of a task has to be stated."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from envs.intermediate.gold_ir import constant, gold_ir, stated
from envs.intermediate.knowledge import EXAMPLE_IR, RULES, helpers_of, read_knowledge, worlds_with_rules
from envs.pddl.language.domain import read_vocabulary
from envs.pddl.language.vocabulary import Vocabulary
from envs.registry import WORLDS_FOLDER
from envs.shipping import make_example_ir
from envs.source import WorldNotFound, read_texts
from envs.tasks import Pool, TaskFacts, make_facts, shuffled

WORLDS = (
    *("barman", "blocksworld", "childsnack", "floortile", "grippers"),
    *("logistics", "miconic", "storage", "termes", "tyreworld"),
)
every_world = pytest.mark.parametrize("world", WORLDS)


@cache
def _domain(world: str) -> Vocabulary:
    return read_vocabulary((WORLDS_FOLDER / world / "domain.pddl").read_text(encoding="utf-8"))


def _task(world: str, index: int = 1) -> TaskFacts:
    return make_facts(world, Pool.EVALUATION, index)


def _renamed(facts: TaskFacts, names: dict[str, str]) -> TaskFacts:
    return TaskFacts(
        {names[name]: kind for name, kind in facts.objects.items()},
        tuple((p, *(names[x] for x in rest)) for p, *rest in facts.init),
        tuple((holds, (p, *(names[x] for x in rest))) for holds, (p, *rest) in facts.goal),
    )


def test_these_worlds_have_rules() -> None:
    assert worlds_with_rules() == WORLDS


@every_world
def test_an_example_states_its_task_as_the_generator_would(world: str) -> None:
    file = WORLDS_FOLDER / world / EXAMPLE_IR
    assert file.read_text(encoding="utf-8") == make_example_ir(world)


@every_world
def test_everything_in_a_domain_is_explained(world: str) -> None:
    known = read_knowledge(world)
    domain = _domain(world)
    assert list(known.predicates) == list(domain.predicates)
    assert list(known.types) == (list(domain.types.parents) or ["object"])
    for name, parameters in domain.predicates.items():
        for variable, _ in parameters:
            assert re.search(rf"\b{variable[1:]}\b", known.predicates[name])


@every_world
def test_every_helper_that_a_task_is_stated_with_is_explained(world: str) -> None:
    explained = {form.split("(")[0] for form in read_knowledge(world).helpers}
    declared = {"map", *map(constant, _domain(world).predicates)}
    for index in range(1, 11):
        used = set(re.findall(r"^(?:init|goal)\(-?(\w+)", gold_ir(world, _task(world, index)), re.MULTILINE))
        assert used <= declared | explained


def test_the_text_of_an_example_is_as_natural_as_asked_for() -> None:
    texts = [read_knowledge(f"termes+{level}").example_task for level in ("explicit", "compact", "narrative")]
    assert len(set(texts)) == 3
    assert texts[1] == read_texts("termes+compact", "example").task


def test_a_folder_of_ones_own_is_read_like_a_built_in_world(tmp_path: Path) -> None:
    for name in ("domain.pddl", "domain.nl", "words.json", "example.pddl", RULES, EXAMPLE_IR):
        text = (WORLDS_FOLDER / "termes" / name).read_text(encoding="utf-8")
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "example.nl").write_text("Nine positions lie in a square.", encoding="utf-8")
    known = read_knowledge(str(tmp_path))
    assert known.example_task == "Nine positions lie in a square."
    assert known.rules == read_knowledge("termes").rules
    assert known.helpers == read_knowledge("termes+terse").helpers
    assert read_knowledge(f"{tmp_path}+compact").helpers == read_knowledge("termes").helpers


def test_a_world_without_rules_says_so() -> None:
    with pytest.raises(WorldNotFound, match=RULES):
        read_knowledge("movie")
    with pytest.raises(WorldNotFound):
        read_knowledge("nowhere")


def test_a_helper_may_be_explained_in_several_lines() -> None:
    rules = [
        "% no helper(X): this",
        "%% on_map(R, X): X lies",
        "%% in row R",
        "p :- q. %% neither(X): so",
        "%% b(X): c",
    ]
    wanted = {"on_map(R, X)": "X lies in row R", "b(X)": "c"}
    assert helpers_of("\n".join(rules)) == wanted
    assert helpers_of("\n".join(rules).replace("%% ", "%%")) == wanted


@every_world
def test_the_order_of_facts_does_not_change_what_is_stated(world: str) -> None:
    facts = _task(world, 4)
    rng = np.random.default_rng(5)
    mixed = TaskFacts(facts.objects, tuple(shuffled(rng, facts.init)), tuple(shuffled(rng, facts.goal)))
    assert sorted(gold_ir(world, mixed).splitlines()) == sorted(gold_ir(world, facts).splitlines())


@every_world
@pytest.mark.parametrize("index", [1, 5, 10])
def test_much_less_is_stated_than_is_true(world: str, index: int) -> None:
    facts = _task(world, index)
    outline = stated(facts, _domain(world), world)
    assert set(outline.init) <= set(facts.init)
    if world not in ("grippers", "logistics"):
        assert len(outline.init) + len(outline.cells) < len(facts.init)


@pytest.mark.parametrize("world", ["floortile", "storage", "termes"])
def test_a_grid_is_stated_only_if_the_names_tell_the_truth(world: str) -> None:
    facts = _task(world, 4)
    silent = _renamed(facts, {name: f"thing{n}" for n, name in enumerate(facts.objects)})
    assert stated(facts, _domain(world), world).cells and not stated(silent, _domain(world), world).cells
    placed = [cell.name for cell in stated(facts, _domain(world), world).cells]
    turned = dict(zip(placed, [*placed[1:], placed[0]], strict=True))
    lying = _renamed(facts, {name: turned.get(name, name) for name in facts.objects})
    assert not stated(lying, _domain(world), world).cells
    grid = {"floortile": "up", "storage": "connected", "termes": "neighbor"}[world]
    assert any(atom[0] == grid for atom in stated(lying, _domain(world), world).init)


def test_what_is_true_of_all_is_a_rule_and_what_pairs_types_off_is_a_map() -> None:
    program = gold_ir("barman", _task("barman", 4)).splitlines()
    assert "init(clean(X)) :- object(X, container), X != shot3." in program
    program = gold_ir("tyreworld", _task("tyreworld", 1)).splitlines()
    assert "init(map(nut, tight, hub))." in program
    program = gold_ir("termes", _task("termes", 1)).splitlines()
    assert "goal(-has_block)." in program


def test_names_that_the_type_does_not_make_are_stated() -> None:
    facts = _task("childsnack", 1)
    program = gold_ir("childsnack", facts)
    for name, kind in facts.objects.items():
        if kind == "bread-portion":
            assert f"object({name}, bread_portion)." in program
    assert "cardinality(child, 3)." in program and "object(child1, child)" not in program


def test_constants_are_those_that_the_reader_wants() -> None:
    facts = _task("floortile", 1)
    quoted = gold_ir("floortile", facts, lambda name: f'"{name}"')
    assert '"tile_0-1"' in quoted and "tile_0_1" not in quoted


def test_the_documented_rules_are_those_of_the_world() -> None:
    page = (Path(__file__).parents[2] / "docs" / "tic_rules.md").read_text(encoding="utf-8")
    quoted = page.split("```")[1].strip("\n").splitlines()
    rules = (WORLDS_FOLDER / "termes" / RULES).read_text(encoding="utf-8").splitlines()
    start = rules.index(quoted[0])
    assert rules[start : start + len(quoted)] == quoted
    for world in WORLDS:
        tasks = [_task(world, n) for n in range(1, 11)]
        tasks += [make_facts(world, Pool.ON_DEMAND, n) for n in range(1, 11)]
        true = sum(len(facts.objects) + len(facts.init) + len(facts.goal) for facts in tasks)
        statements = sum(gold_ir(world, facts).count(".") for facts in tasks)
        assert f"| {world} | {true / 20:.0f} | {statements / 20:.0f} |" in page
