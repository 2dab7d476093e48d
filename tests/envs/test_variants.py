"""Suffixes behind a world's name, neutral names, tasks on demand, and folders with some texts missing."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from wide import wide

from envs.anonymous import anonymise
from envs.pddl.diagnosis.diagnose import diagnose
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.simulation.compile import compile_task
from envs.pddlgym_suite import missing
from envs.registry import WORLDS, WORLDS_FOLDER
from envs.source import WorldNotFound, can_be_terse, canonical_name, read_texts, text_level
from envs.tasks import Pool, make_facts
from envs.variants import SUFFIXES, WRITTEN, Level, Variant, split_variant
from envs.verbalisation.paragraphs import OUTLINE, read_paragraphs
from envs.world import open_world

needs_pddlgym = pytest.mark.skipif(missing() is not None, reason=str(missing()))

DOMAIN = """(define (domain secret) (:requirements :adl :action-costs) (:types train bus - vehicle town)
    (:constants home - town) (:functions (total-cost) (far ?t - town ?u - town))
    (:predicates (train ?v - vehicle) (in ?v - vehicle ?t - town) (quiet))
    (:action train :parameters (?v - (either train bus) ?t - town)
      :precondition (and (in ?v ?t) (forall (?v - bus) (or (in ?v home) (exists (?w - bus) (not (= ?w ?v))))))
      :effect (and (not (in ?v ?t)) (in ?v home) (when (quiet) (train ?v))
        (increase (total-cost) (far ?t home))))
    (:action rest :parameters () :precondition (not (quiet)) :effect (quiet)))"""
PROBLEM = """(define (problem hush) (:domain secret) (:objects a b - bus c - train york - town)
    (:init (in a york) (in c york) (= (total-cost) 0) (= (far york home) 3) (= (far home home) 0))
    (:goal (and (in c home) (quiet) (not (in a york)))) (:metric minimize (total-cost)))"""


@pytest.mark.parametrize(
    ("name", "base", "variant"),
    [
        ("grippers", "grippers", Variant()),
        ("grippers+compact", "grippers", Variant(Level.COMPACT)),
        ("a+anonymised+narrative", "a", Variant(Level.NARRATIVE, anonymised=True)),
        ("a+undocumented+anonymised+undocumented", "a", Variant(undocumented=True, anonymised=True)),
        ("a+anonymised+outlined", "a", Variant(outlined=True, anonymised=True)),
        ("odd+name", "odd+name", Variant()),
        ("+compact", "", Variant(Level.COMPACT)),
    ],
)
def test_suffixes_are_read_in_any_order(name: str, base: str, variant: Variant) -> None:
    assert split_variant(name) == (base, variant)
    assert split_variant(f"{base}{variant}") == (base, variant)


def test_two_levels_are_refused() -> None:
    with pytest.raises(WorldNotFound, match="not both compact and narrative"):
        open_world("grippers+narrative+compact")


def test_an_outline_and_no_description_at_once_are_refused() -> None:
    with pytest.raises(WorldNotFound, match="either outlined or left out"):
        open_world("grippers+outlined+undocumented")


@pytest.mark.parametrize(
    ("world", "hidden"),
    wide(
        [(world, hidden) for world in WORLDS for hidden in ("", "+anonymised")],
        *((world, "") for world in WORLDS),
        *(("barman", "+anonymised"), ("household", "+anonymised")),
    ),
)
def test_an_outline_has_a_sentence_for_every_action_and_no_more(world: str, hidden: str) -> None:
    whole = read_paragraphs(open_world(f"{world}{hidden}").description)
    outlined = open_world(f"{world}+outlined{hidden}")
    told = read_paragraphs(outlined.description, [action.name for action in outlined.actions])
    assert told.general == OUTLINE and list(told.actions) == list(whole.actions)
    for name, text in told.actions.items():
        assert whole.actions[name].startswith(text) and text.endswith(".") and ". " not in text


def test_a_description_without_paragraphs_on_actions_cannot_be_outlined(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    shutil.copytree(WORLDS_FOLDER / "movie", folder)
    (folder / "domain.nl").write_text("Rewind the tape and get snacks.", encoding="utf-8")
    with pytest.raises(WorldNotFound, match=r"cannot be outlined: .* its name and a colon"):
        open_world(f"{folder}+outlined")


def test_equal_variants_have_one_name() -> None:
    assert canonical_name("termes+anonymised+compact") == canonical_name("termes+compact+anonymised")


@pytest.mark.parametrize("level", WRITTEN)
def test_a_level_changes_the_tasks_text_and_nothing_else(level: Level) -> None:
    plain, world = open_world("termes"), open_world(f"termes+{level}")
    assert (world.task == plain.task) == (level is Level.EXPLICIT), "the explicit level is the default"
    assert (world.description, world.objects, world.applicable()) == (
        plain.description,
        plain.objects,
        plain.applicable(),
    )


def test_a_terse_text_leaves_out_what_follows_and_nothing_else_changes() -> None:
    plain, world = open_world("floortile", 2), open_world("floortile+terse", 2)
    assert "directly above" in plain.task and "directly above" not in world.task
    assert "3 rows and 3 columns of tiles" in world.task
    assert (world.description, world.objects, world.applicable()) == (
        plain.description,
        plain.objects,
        plain.applicable(),
    )


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("movie+terse", r"no implied\.json, which says what a terse text may leave out"),
        ("floortile+terse+anonymised", r"in its own names; leave out \+terse or \+anonymised"),
        ("floortile+terse+compact", "not both compact and terse"),
    ],
)
def test_a_terse_text_needs_to_know_what_follows(name: str, message: str) -> None:
    assert not can_be_terse("movie") and can_be_terse("floortile")
    assert not can_be_terse("floortile+anonymised")
    with pytest.raises(WorldNotFound, match=message):
        open_world(name)


def test_a_folder_with_declarations_of_its_own_has_terse_texts(tmp_path: Path) -> None:
    folder = tmp_path / "floor"
    shutil.copytree(WORLDS_FOLDER / "floortile", folder)
    assert open_world(f"{folder}+terse", 2).task == open_world("floortile+terse", 2).task
    (folder / "implied.json").write_text('{"facts": 3}', encoding="utf-8")
    with pytest.raises(ValueError, match=r"implied\.json: Expected `array`, got `int` - at `\$\.facts`"):
        open_world(f"{folder}+terse", 2)
    assert open_world(f"{folder}+compact", 2).task == open_world("floortile+compact", 2).task


def test_variants_combine() -> None:
    texts = read_texts("blocksworld+narrative+undocumented+anonymised", 2)
    assert "Nobody has described" in texts.description
    assert re.search(r"\bo\d\b", texts.task) and "block" not in texts.task
    assert texts.task != read_texts("blocksworld+anonymised", 2).task
    assert texts.name == "world" and "block" not in texts.domain + texts.problem


def test_an_anonymised_description_says_every_rule_in_neutral_words() -> None:
    world = open_world("grippers+anonymised")
    text = world.description
    for action in world.actions:
        assert f". {action.name}: Its parameters are" in text
    assert "in room" not in world.describe()


def test_neutral_names_are_valid_pddl_of_the_same_task() -> None:
    hidden = anonymise(DOMAIN, PROBLEM)
    assert not diagnose(hidden.domain, hidden.problem).errors
    open_, other = (
        compile_task(read_problem(problem, read_domain(domain)))
        for domain, problem in ((DOMAIN, PROBLEM), (hidden.domain, hidden.problem))
    )
    names = {**hidden.names["objects"], **hidden.names["actions"]}
    operators = {re.sub(r"[\w-]+", lambda word: names[word[0]], text) for text in open_.operators}
    assert operators == set(other.operators)
    assert len(open_.atoms) == len(other.atoms)
    assert "minimize (total-cost)" in hidden.problem and "3)" in hidden.problem
    for name in ("secret", "york", "vehicle", "bus", "quiet", "far", "home", "rest"):
        assert not re.search(rf"\b{name}\b", hidden.domain + hidden.problem)


def test_the_domains_neutral_names_are_the_same_in_every_task() -> None:
    texts = [read_texts("floortile+anonymised", problem) for problem in (1, 7)]
    assert texts[0].domain == texts[1].domain
    assert texts[0].problem != texts[1].problem


def test_neutral_numbers_do_not_follow_the_alphabet() -> None:
    names = anonymise(DOMAIN, PROBLEM.replace("a b - bus", "a b d e f g h i j k - bus")).names["objects"]
    order = sorted(names.keys() - {"home"}, key=lambda name: int(names[name][1:]))
    assert order != sorted(order)


def test_tasks_on_demand_are_made_when_asked_for_and_stay_the_same() -> None:
    world, again = open_world("grippers", "g17"), open_world("grippers", "g17")
    assert world.task == again.task != open_world("grippers", "g18").task
    assert world.applicable()
    with pytest.raises(WorldNotFound, match="task 'g0'"):
        open_world("grippers", "g0")


def test_tasks_for_feedback_go_on_where_the_files_end() -> None:
    made = frozenset(read_texts("grippers", "f06").pddl.facts.init)
    assert made == frozenset(make_facts("grippers", Pool.FEEDBACK, 6).init)
    assert made != frozenset(make_facts("grippers", Pool.ON_DEMAND, 6).init)
    assert open_world("grippers", "f12").applicable()
    for strange in ("f00", "f6", "f006"):
        with pytest.raises(WorldNotFound, match=f"task '{strange}'"):
            open_world("grippers", strange)


def test_a_folder_has_no_tasks_on_demand(folder: Path) -> None:
    with pytest.raises(WorldNotFound, match="task 'g1'"):
        open_world(str(folder), "g1")


@pytest.mark.parametrize("suffix", [".md", ".txt"])
def test_texts_may_be_markdown_or_plain(folder: Path, suffix: str) -> None:
    for stem in ("domain", "p01"):
        (folder / f"{stem}.nl").rename(folder / f"{stem}{suffix}")
    (folder / "notes.doc").write_text("ignored", encoding="utf-8")
    assert open_world(str(folder)).task == open_world("grippers").task


def test_a_missing_text_is_only_written_when_asked_for(folder: Path) -> None:
    (folder / "p01.nl").unlink()
    (folder / "domain.nl").unlink()
    assert (open_world(str(folder)).description, open_world(str(folder)).task) == ("", "")
    assert open_world(f"{folder}+undocumented").task == ""  # the author described p02 and not p01
    with pytest.raises(WorldNotFound, match="no description; leave out \\+outlined"):
        open_world(f"{folder}+outlined")
    (folder / "p02.nl").unlink()
    assert open_world(f"{folder}+undocumented").task == open_world("grippers+explicit").task
    assert open_world(f"{folder}+undocumented+explicit").task == open_world("grippers+explicit").task
    assert open_world(f"{folder}+anonymised").description == open_world("grippers+anonymised").description


def test_a_text_beside_its_task_is_taken_unless_a_level_is_asked_for(folder: Path) -> None:
    (folder / "p01.nl").write_text("Tidy up.", encoding="utf-8")
    assert open_world(str(folder)).task == "Tidy up."
    assert text_level(str(folder), 1) is text_level(f"{folder}+given", 1) is Level.GIVEN
    assert open_world(f"{folder}+given").task == "Tidy up."
    for level in WRITTEN:
        assert open_world(f"{folder}+{level}").task == open_world(f"grippers+{level}").task
        assert text_level(f"{folder}+{level}", 1) is level


def test_a_given_text_is_never_replaced_by_one_that_is_written() -> None:
    assert text_level("grippers", 1) is text_level("grippers+anonymised", "g3") is Level.EXPLICIT
    with pytest.raises(WorldNotFound, match=r"no p01\.nl: write that file; \+explicit, .* write a text from"):
        open_world("grippers+given")
    with pytest.raises(WorldNotFound, match="leave out"):
        open_world("grippers+given+anonymised")


def test_an_unknown_suffix_is_met_with_the_known_ones() -> None:
    with pytest.raises(WorldNotFound, match=re.escape(", ".join(f"+{suffix}" for suffix in SUFFIXES))):
        open_world("grippers+compcat")


@needs_pddlgym
def test_a_pddlgym_domain_has_variants_too() -> None:
    assert open_world("pddlgym:hanoi").task == ""
    assert "Initially:" in open_world("pddlgym:hanoi+compact").task
    assert "hanoi" not in open_world("pddlgym:hanoi+anonymised").description
