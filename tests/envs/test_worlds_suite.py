"""Every built-in world, on arrival: its files, its words, its generator, and that its texts are true."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import numpy as np
import pytest
from compact_reader import CompactReader
from wide import wide

from envs.anonymous import anonymise
from envs.instructions import FILE as INSTRUCTIONS
from envs.intermediate.implied import IMPLIED
from envs.intermediate.knowledge import EXAMPLE_IR, RULES
from envs.pddl.diagnosis.diagnose import diagnose
from envs.pddl.language.domain import Domain, read_domain
from envs.pddl.planning.planner import Planner, PlanOutcome
from envs.reading import read_facts
from envs.registry import WORLDS, WORLDS_FOLDER, worlds
from envs.shipping import RECORD, SHIPPED, digest, make_task
from envs.source import read_texts
from envs.tasks import Pool, TaskFacts, generator_of, make_facts, problem_text
from envs.verbalisation.check import check_words
from envs.verbalisation.compact import compact
from envs.verbalisation.reader import ExplicitReader
from envs.verbalisation.text import explicit, narrative
from envs.verbalisation.words import Words, read_words
from envs.world import open_world

every_world = pytest.mark.parametrize("world", WORLDS)
#: How many of the tasks that a world generates are looked at.
SOME = "example p01 p06 f03"
#: Which of the shipped tasks are looked at.
some_shipped = pytest.mark.parametrize("stems", wide([SOME, " ".join(SHIPPED)], SOME))
some_generated = pytest.mark.parametrize("generated", wide([4, 60], 4))


def _file(world: str, name: str) -> str:
    return (WORLDS_FOLDER / world / name).read_text(encoding="utf-8")


@cache
def _domain(world: str) -> Domain:
    return read_domain(_file(world, "domain.pddl"))


@cache
def _words(world: str) -> Words:
    return read_words(_file(world, "words.json"))


@cache
def _shipped_task(world: str, stem: str) -> TaskFacts:
    return read_facts(_file(world, f"{stem}.pddl"), _domain(world).vocabulary)


@cache
def _task(world: str, index: int) -> TaskFacts:
    return make_facts(world, Pool.ON_DEMAND, index)


def _generated(world: str, count: int) -> list[TaskFacts]:
    return [_task(world, index) for index in range(1, count + 1)]


def _looked_at(world: str, generated: int) -> list[TaskFacts]:
    """So many generated tasks, and shipped ones: if they are few, a few."""
    stems = SOME.split() if generated < len(SHIPPED) else SHIPPED
    return [*(_shipped_task(world, stem) for stem in stems), *_generated(world, generated)]


def _content(facts: TaskFacts) -> tuple[Any, ...]:
    return dict(facts.objects), sorted(facts.init), sorted(facts.goal)


def _stated(facts: TaskFacts) -> tuple[Any, ...]:
    return sorted((True, atom) for atom in facts.init), sorted(facts.goal)


def test_the_registry_lists_exactly_the_folders() -> None:
    folders = {path.name for path in WORLDS_FOLDER.iterdir() if path.is_dir()}
    assert set(worlds()) == folders


@every_world
def test_a_folder_holds_what_a_world_needs(world: str) -> None:
    files = {path.name for path in (WORLDS_FOLDER / world).iterdir()}
    programs = {RULES, EXAMPLE_IR, IMPLIED} if RULES in files else set()
    needed = {"domain.pddl", "domain.nl", "words.json", RECORD, *(f"{s}.pddl" for s in SHIPPED)}
    assert files - {INSTRUCTIONS} == needed | programs


@some_shipped
@every_world
def test_all_pddl_is_valid_without_a_warning(world: str, stems: str) -> None:
    for stem in stems.split():
        assert diagnose(_file(world, "domain.pddl"), _file(world, f"{stem}.pddl")).issues == ()


@every_world
def test_the_words_are_complete_and_can_be_read_back(world: str) -> None:
    assert check_words(WORLDS_FOLDER / world) == []


@some_generated
@every_world
def test_a_predicate_that_changes_and_can_be_wholly_false_has_a_sentence_for_that(
    world: str, generated: int
) -> None:
    vocabulary, words = _domain(world).vocabulary, _words(world)
    after = _file(world, "domain.pddl").lower().split(":effect")[1:]
    effects = [text.split("(:action")[0] for text in after]
    changing = {n for n in vocabulary.predicates if any(re.search(rf"\({n}[\s)]", e) for e in effects)}
    for facts in _looked_at(world, generated):
        silent = changing - {atom[0] for atom in facts.init}
        assert not [n for n in silent if words.none(n, len(vocabulary.predicates[n])) is None]


@every_world
def test_a_description_names_every_action_and_gives_no_pddl_away(world: str) -> None:
    description = _file(world, "domain.nl")
    entries = re.findall(r"^(\d+)\. ([\w-]+): ", description, flags=re.MULTILINE)
    assert [int(number) for number, _ in entries] == list(range(1, len(entries) + 1))
    assert sorted(name for _, name in entries) == sorted(_domain(world).actions)
    assert "?" not in description and "(not (" not in description
    hyphenated = [name for name in _domain(world).predicates if "-" in name or "_" in name]
    actions = " ".join(_domain(world).actions)
    assert not [name for name in hyphenated if name in description.lower() and name not in actions]


@some_generated
@every_world
def test_the_explicit_text_read_back_gives_the_task(world: str, generated: int) -> None:
    vocabulary, words = _domain(world).vocabulary, _words(world)
    reader = ExplicitReader(vocabulary, words)
    for facts in _looked_at(world, generated):
        text = explicit(facts, vocabulary, words)
        assert _content(reader.read(text.text)) == _content(facts)
        assert (sorted(text.stated_init), sorted(text.stated_goal)) == _stated(facts)


@some_generated
@every_world
def test_the_compact_text_says_the_facts_and_no_others(world: str, generated: int) -> None:
    vocabulary, words = _domain(world).vocabulary, _words(world)
    for place, facts in enumerate(_looked_at(world, generated)):
        text = compact(facts, vocabulary, words)
        assert (sorted(text.stated_init), sorted(text.stated_goal)) == _stated(facts)
        if place % 8 == 1:
            init, goal = CompactReader(vocabulary, words, dict(facts.objects)).read(text.text)
            assert (sorted(init), sorted(goal)) == _stated(facts)


@every_world
def test_the_narrative_text_tells_every_fact_once_and_always_alike(world: str) -> None:
    vocabulary, words = _domain(world).vocabulary, _words(world)
    for facts in _looked_at(world, 4):
        told = narrative(facts, vocabulary, words)
        assert (sorted(told.stated_init), sorted(told.stated_goal)) == _stated(facts)
        assert told.text == narrative(facts, vocabulary, words).text
        for sentence in (*told.init, *told.goal):
            assert sentence.text in told.text
            assert all(name in sentence.text for _, atom in sentence.literals for name in atom[1:])


@every_world
def test_tasks_are_drawn_alike_from_a_seed_and_differ_between_pools(world: str) -> None:
    drawn = {(pool, i): make_facts(world, pool, i) for pool in Pool for i in (1, 2)}
    assert all(_content(make_facts(world, *key)) == _content(facts) for key, facts in drawn.items())
    evaluation = [_content(make_facts(world, Pool.EVALUATION, i)) for i in range(1, 11)]
    assert not [i for i in range(1, 11) if _content(make_facts(world, Pool.FEEDBACK, i)) in evaluation]
    size = generator_of(world).sizes()[-1]
    large = [_content(make_facts(world, pool, 1, size)) for pool in Pool]
    assert all(a != b for i, a in enumerate(large) for b in large[:i])


@every_world
def test_generated_tasks_are_well_typed_unsolved_and_read_back_from_their_pddl(world: str) -> None:
    vocabulary = _domain(world).vocabulary
    for facts in _generated(world, 8):
        assert not facts.solved
        assert len(set(facts.init)) == len(facts.init)
        again = read_facts(problem_text("task", vocabulary, facts), vocabulary)
        expected = {**vocabulary.constants, **facts.objects}
        assert _content(again) == _content(TaskFacts(expected, facts.init, facts.goal))


@every_world
def test_sizes_grow(world: str) -> None:
    sizes = generator_of(world).sizes()
    objects = [len(make_facts(world, Pool.EVALUATION, i).objects) for i in range(1, 11)]
    assert len(sizes) == 10 and objects[-1] > objects[0]


@some_shipped
@every_world
def test_every_shipped_task_is_the_generators_and_recorded_as_solved(world: str, stems: str) -> None:
    record = json.loads(_file(world, RECORD))
    assert set(record) == set(SHIPPED)
    for stem, entry in record.items():
        problem = _file(world, f"{stem}.pddl")
        assert entry["digest"] == digest(_file(world, "domain.pddl"), problem)
        assert entry["outcome"] == PlanOutcome.SOLVED and entry["length"] > 0
        assert stem not in stems.split() or problem == make_task(world, stem)


@pytest.mark.parametrize("world", wide(WORLDS, "gripper", "movie"))
def test_the_planner_solves_the_first_task_and_the_world_accepts_the_plan(world: str) -> None:
    result = Planner(wall_s=240).plan(_file(world, "domain.pddl"), _file(world, "p01.pddl"))
    assert result.outcome == PlanOutcome.SOLVED and result.plan is not None
    assert open_world(world).verify(result.plan).valid


@pytest.mark.parametrize("world", wide(WORLDS, *(name for name in WORLDS if name != "minecraft")))
def test_an_anonymised_world_is_the_same_world_and_keeps_no_name(world: str) -> None:
    texts = read_texts(world, 1)
    names = anonymise(texts.domain, texts.problem).names
    open_, hidden = open_world(world), open_world(f"{world}+anonymised")
    rng = np.random.default_rng(0)
    walk: list[str] = []
    renamed: list[str] = []
    for _ in range(5):
        applicable = open_.applicable(walk)
        assert sorted(_renamed(operator, names) for operator in applicable) == sorted(
            hidden.applicable(renamed)
        )
        if not applicable:
            break
        walk.append(applicable[int(rng.random() * len(applicable))])
        renamed.append(_renamed(walk[-1], names))
    kept = {old for kind in names.values() for old in kind if re.search(r"[-_\d]", old)}
    said = set(re.findall(r"[\w-]+", f"{hidden.description} {hidden.task} {hidden.describe()}".lower()))
    new = {name for kind in names.values() for name in kind.values()}
    assert not (kept - new) & said


@every_world
def test_the_text_of_an_anonymised_task_reads_back_too(world: str) -> None:
    texts = read_texts(f"{world}+anonymised", 1)
    vocabulary = read_domain(texts.domain).vocabulary
    facts = read_facts(texts.problem, vocabulary)
    assert _content(ExplicitReader(vocabulary, texts.words).read(texts.task)) == _content(facts)


def _renamed(operator: str, names: Any) -> str:
    action, *arguments = operator.strip("()").split()
    return f"({' '.join([names['actions'][action], *(names['objects'][a] for a in arguments)])})"
