"""Words and writers: faults are named, texts say what is so, and the readers refuse what is unclear."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from compact_reader import CompactReader
from hypothesis import given
from hypothesis import strategies as st

from envs.pddl.language.domain import read_domain
from envs.tasks import TaskFacts, shuffled
from envs.verbalisation.check import check_words, complaints
from envs.verbalisation.compact import compact, cover, open_slots
from envs.verbalisation.description import StateWriter, verbalise_domain
from envs.verbalisation.reader import ExplicitReader, UnreadableText
from envs.verbalisation.text import explicit, narrative
from envs.verbalisation.words import Words, fill, listed, phrase, read_words, sentence

DOMAIN = """(define (domain bar) (:requirements :adl) (:types glass jug - vessel drink)
    (:predicates (clean ?v - vessel) (empty ?v - vessel) (holds ?v - vessel ?d - drink) (open))
    (:action pour :parameters (?a - jug ?b - vessel ?d - drink)
      :precondition (and (open) (holds ?a ?d) (not (= ?a ?b)) (or (empty ?b) (not (clean ?b)))
        (forall (?x - glass) (imply (holds ?x ?d) (clean ?x))) (exists (?y - drink) (not (holds ?b ?y))))
      :effect (and (holds ?b ?d) (not (empty ?b)) (when (clean ?a) (not (clean ?b)))
        (forall (?z - glass) (when (empty ?z) (clean ?z)))))
    (:action shut :parameters () :precondition (and) :effect (not (open))))"""
WORDS = """{"about": "vessels and what is in them",
  "types": {"glass": {"one": "glass", "many": "glasses", "about": "a vessel to drink from"},
            "jug": {"one": "jug", "many": "jugs", "about": "a vessel to pour from"},
            "vessel": {"one": "vessel", "many": "vessels", "about": "a thing that holds a drink"},
            "drink": {"one": "drink", "many": "drinks", "about": "something to drink"}},
  "predicates": {
    "clean": {"positive": "{0} is clean", "negative": "{0} is not clean", "many": "{0} are clean",
              "none": "no vessel is clean", "narrative": ["{0} shines"]},
    "empty": {"positive": "{0} is empty", "negative": "{0} is not empty", "many": "{0} are empty"},
    "holds": {"positive": "{0} holds {1}", "negative": "{0} does not hold {1}",
              "narrative": ["there is {1} in {0}"]},
    "open": {"positive": "the bar is open", "negative": "the bar is closed"}},
  "actions": {"pour": "somebody pours a drink from a jug", "shut": "the bar closes"}}"""
BAR = read_domain(DOMAIN)
SAID = read_words(WORDS)
OBJECTS = {"g1": "glass", "g2": "glass", "g3": "glass", "j1": "jug", "rum": "drink", "gin": "drink"}
VESSELS, DRINKS = ("g1", "g2", "g3", "j1"), ("rum", "gin")
ATOMS = (
    *((name, vessel) for name in ("clean", "empty") for vessel in VESSELS),
    *(("holds", *pair) for pair in itertools.product(VESSELS, DRINKS)),
    ("open",),
)

facts = st.builds(
    lambda init, goal: TaskFacts(OBJECTS, tuple(a for a in ATOMS if a in init), tuple(goal.items())),
    st.sets(st.sampled_from(ATOMS)),
    st.dictionaries(st.sampled_from(ATOMS), st.booleans()).map(
        lambda d: {(v, k): None for k, v in d.items()}
    ),
).map(lambda f: TaskFacts(f.objects, f.init, tuple(literal for literal, _ in f.goal)))


@given(facts)
def test_any_task_is_read_back_from_its_explicit_text(task: TaskFacts) -> None:
    read = ExplicitReader(BAR.vocabulary, SAID).read(explicit(task, BAR.vocabulary, SAID).text)
    assert dict(read.objects) == dict(task.objects)
    assert (sorted(read.init), read.goal) == (sorted(task.init), task.goal)


@given(facts)
def test_any_compact_text_means_the_facts_and_nothing_else(task: TaskFacts) -> None:
    text = compact(task, BAR.vocabulary, SAID)
    init, goal = CompactReader(BAR.vocabulary, SAID, OBJECTS).read(text.text)
    assert (init, goal) == ({(True, atom) for atom in task.init}, set(task.goal))
    assert sorted(text.stated_init) == sorted((True, atom) for atom in task.init)


@given(facts, st.randoms(use_true_random=False))
def test_a_narrative_depends_on_the_task_alone_and_tells_all_of_it(task: TaskFacts, _: object) -> None:
    text = narrative(task, BAR.vocabulary, SAID)
    assert text == narrative(task, BAR.vocabulary, SAID)
    assert sorted(text.stated_init) == sorted((True, atom) for atom in task.init)
    assert sorted(text.stated_goal) == sorted(task.goal)


def test_the_compact_level_counts_quantifies_and_joins() -> None:
    init = (
        *(("clean", v) for v in VESSELS),
        *(("empty", v) for v in VESSELS),
        *(("holds", v, "rum") for v in VESSELS[:2]),
    )
    goal = ((True, ("holds", "j1", "rum")), (True, ("holds", "j1", "gin")), (False, ("clean", "g1")))
    text = compact(TaskFacts(OBJECTS, init, goal), BAR.vocabulary, SAID).text
    assert "There are 3 glasses: g1, g2 and g3." in text
    assert "- Every vessel is clean and empty." in text
    assert "- Each of g1 and g2 holds rum." in text
    assert "- The bar is closed." in text
    assert "- j1 holds every drink." in text
    assert "- g1 is not clean." in text


def test_the_explicit_level_groups_by_predicate_and_says_what_is_wholly_false() -> None:
    task = TaskFacts(OBJECTS, (("holds", "g1", "rum"), ("empty", "g2"), ("empty", "g3")), ())
    assert explicit(task, BAR.vocabulary, SAID).text.split("Initially:\n")[1] == (
        "- g2 is empty.\n- g3 is empty.\n\n- g1 holds rum.\n- No vessel is clean.\n- The bar is closed.\n\n"
        "Nothing else holds initially.\n\nYour goal asks for nothing."
    ).replace("rum.\n- No", "rum.\n\n- No")


TEXT = explicit(
    TaskFacts(OBJECTS, (("clean", "g1"), ("open",)), ((True, ("empty", "g1")),)), BAR.vocabulary, SAID
)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("g1 is clean", "g9 is clean", "0 ways"),
        ("g1 is clean", "rum is clean", "0 ways"),
        ("g1 is clean", "g1 is not clean", "both"),
        ("- The bar is open.", "- The bar is open.\n- No vessel is clean.", "both"),
        ("- The bar is open.", "The bar is open.", "neither a sentence"),
        ("There are 3 glasses", "There are 4 glasses", "no list of objects"),
        ("There are 3 glasses", "There are 3 cups", "no list of objects"),
        ("Nothing else holds initially.", "", "must have the lines"),
        ("Your goal is", "Your aim is", "must have the line"),
    ],
)
def test_a_text_that_is_not_explicit_is_refused(old: str, new: str, fault: str) -> None:
    assert old in TEXT.text
    with pytest.raises(UnreadableText, match=fault):
        ExplicitReader(BAR.vocabulary, SAID).read(TEXT.text.replace(old, new))


def test_two_readings_of_a_line_are_a_fault_and_no_guess() -> None:
    words = read_words("""{"predicates": {"holds": {"positive": "{0} is {1}", "negative": "{0} is not {1}"},
        "clean": {"positive": "{0} is clean", "negative": "{0} is not clean"}}}""")
    task = TaskFacts({"g1": "glass", "clean": "drink"}, (("clean", "g1"),), ())
    with pytest.raises(UnreadableText, match="2 ways"):
        ExplicitReader(BAR.vocabulary, words).read(explicit(task, BAR.vocabulary, words).text)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('"{0} holds {1}"', '"{0} holds"', "must hold"),
        ('"{0} holds {1}"', '"{0} holds {1} {1}"', "neighbouring slots"),
        ('"{0} holds {1}"', '"{0} {1}"', "neighbouring slots"),
        ('"{0} holds {1}"', '"x{0} holds {1}"', "glues"),
        ('"{0} holds {1}"', '"{0} holds {1}."', "end with a stop"),
        ('"the bar is open"', '"The bar is open"', "lower case"),
        ('"the bar is open"', '"the bar  is open"', "blank"),
        ('"{0} is empty"', '"{0} is clean"', "reads like predicate 'clean', positive"),
        ('"{0} is not empty"', '"{0} is clean"', "reads like"),
        ('"no vessel is clean"', '"no {0} is clean"', "no slot"),
        ('"pour": ', '"pore": ', "no such action"),
        ('"many": "jugs"', '"many": "glasses"', "same noun"),
        ('"many": "jugs"', '"many": "jug"', "two different nouns"),
        ('"about": "vessels and what is in them",', "", '"about" is missing'),
    ],
)
def test_words_that_are_incomplete_or_unclear_are_complained_of(
    tmp_path: Path, old: str, new: str, fault: str
) -> None:
    assert old in WORDS and complaints(SAID, BAR.vocabulary) == []
    (tmp_path / "domain.pddl").write_text(DOMAIN, encoding="utf-8")
    (tmp_path / "words.json").write_text(WORDS.replace(old, new, 1), encoding="utf-8")
    assert any(fault in complaint for complaint in check_words(tmp_path))


def test_words_that_cannot_be_read_are_one_complaint(tmp_path: Path) -> None:
    (tmp_path / "domain.pddl").write_text(DOMAIN, encoding="utf-8")
    (tmp_path / "words.json").write_text("{", encoding="utf-8")
    assert "not JSON" in check_words(tmp_path)[0]


def test_facts_without_words_are_pddl_at_every_level_and_read_back() -> None:
    task = TaskFacts(OBJECTS, (("holds", "g1", "rum"), ("open",)), ((False, ("clean", "g1")),))
    text = explicit(task, BAR.vocabulary, Words())
    lines = ["- (holds g1 rum)", "- (open)", "- (not (clean g1))"]
    for said in (text, compact(task, BAR.vocabulary, Words())):
        assert [line for line in said.text.splitlines() if "(" in line] == lines
    told = narrative(task, BAR.vocabulary, Words()).text
    assert all(
        line.removeprefix("- ") in told and f"{line.removeprefix('- ')}." not in told for line in lines
    )
    states = StateWriter(Words(), [("holds", "g1", "rum"), ("clean", "g1"), ("open",)])
    assert states.write([1, 0, 0]).splitlines() == ["(holds g1 rum)", "(not (open))"]
    read = ExplicitReader(BAR.vocabulary, Words()).read(text.text)
    assert (read.init, read.goal) == (task.init, task.goal)


def test_sentences_keep_the_spelling_of_names() -> None:
    assert sentence("{0} is clean", ["g1"]) == "g1 is clean."
    assert sentence("the bar is open") == "The bar is open."
    assert phrase(SAID, ("holds", "g1", "rum"), holds=False) == "g1 does not hold rum"
    assert [listed(list("abc"[:n])) for n in range(4)] == ["", "a", "a and b", "a, b and c"]
    with pytest.raises(ValueError, match="slot too many"):
        fill("{0} and {1}", ["a"])


@given(st.integers(0, 2**32))
def test_blocks_cover_each_atom_once(seed: int) -> None:
    rng = np.random.default_rng(seed)
    every = [("p", a, b, c) for a, b, c in itertools.product("abc", "xy", "uvw")]
    atoms = shuffled(rng, every)[: int(rng.random() * len(every)) + 1]
    order = {name: i for i, name in enumerate("abcxyuvw")}
    blocks = cover(atoms, (0, 1, 2), order)
    assert sorted(atom for block in blocks for atom in block.atoms) == sorted(atoms)
    assert len(blocks) <= len(cover(atoms, (0,), order)) <= len(atoms)


@pytest.mark.parametrize(
    ("template", "slots"),
    [
        ("{0} is clean", [0]),
        ("{0} holds {1}", [0, 1]),
        ("glass {0} is clean", []),
        ("{0} water is fresh", []),
        ("the drink of {0} is {1}", [1]),
        ("{0} and {1} differ", []),
        ("somebody puts {1} into {0}", [1, 0]),
    ],
)
def test_several_objects_are_only_said_where_a_noun_phrase_can_stand(template: str, slots: list[int]) -> None:
    assert open_slots(template, ["glass", "drink"], BAR.vocabulary, SAID) == slots


def test_a_domain_is_said_with_every_kind_of_condition_and_effect() -> None:
    text = verbalise_domain(BAR, SAID)
    for part in (
        "This is about vessels and what is in them.",
        "Every glass is a vessel.",
        "- A holds B, where A is a vessel and B is a drink.",
        "1. pour: Somebody pours a drink from a jug.",
        "Its parameters are, in this order, A (a jug), B (a vessel) and C (a drink).",
        "the bar is open; and A holds C; and A and B are different",
        "at least one of this holds (B is empty; or B is not clean)",
        "for every glass X (at least one of this holds (X does not hold C; or X is clean))",
        "there is a drink X such that (B does not hold X)",
        "Afterwards B holds C; ",
        "for every glass X (if before it X is empty, then X is clean)",
        "B is not empty; if before it A is clean, then B is not clean.",
        "2. shut: The bar closes. It has no parameters. It can always be done. Afterwards the bar is closed.",
    ):
        assert part in text
