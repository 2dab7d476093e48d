"""Drafts: text in, domain PDDL out, whatever the edits were."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.draft import DomainDraft
from agents.edits import ModifyAction, SetPredicates, read_edits
from agents.replies import call_blocks
from agents.requests import example_answer
from envs.pddl.diagnosis.diagnose import diagnose
from envs.pddl.interface import ActionSignature, Parameter

MOVE = ActionSignature("move", (Parameter("?r", "robot"), Parameter("?a", "room"), Parameter("?b", "room")))
WAIT = ActionSignature("wait", ())
EMPTY = DomainDraft.empty("rooms", {"robot": None, "room": "place", "place": "object"}, [MOVE, WAIT])
DECLARED = SetPredicates((("at", "(at ?r - robot ?p - place)"), ("tired", "(tired)")))
MOVED = ModifyAction("move", ("(at ?r ?a)",), ("(at ?r ?b)", "(not (at ?r ?a))"))
WAITED = ModifyAction("wait", (), ("(not (tired))",))


def test_edits_make_a_domain_that_reads_without_errors() -> None:
    draft, refusals = EMPTY.apply([DECLARED, MOVED, WAITED])
    assert refusals == ()
    assert diagnose(draft.text()).errors == ()
    assert draft.text() == (
        "(define (domain rooms)\n"
        "  (:requirements :strips :typing)\n"
        "  (:types robot place - object room - place)\n"
        "  (:predicates\n"
        "    (at ?r - robot ?p - place)\n"
        "    (tired))\n"
        "\n"
        "  (:action move\n"
        "    :parameters (?r - robot ?a ?b - room)\n"
        "    :precondition (and\n"
        "      (at ?r ?a))\n"
        "    :effect (and\n"
        "      (at ?r ?b)\n"
        "      (not (at ?r ?a))))\n"
        "\n"
        "  (:action wait\n"
        "    :parameters ()\n"
        "    :precondition ()\n"
        "    :effect (and\n"
        "      (not (tired)))))\n"
    )


def test_applying_edits_leaves_the_old_draft_as_it_was() -> None:
    before = pickle.dumps(EMPTY)
    EMPTY.apply([DECLARED, MOVED])
    assert pickle.dumps(EMPTY) == before


def test_edits_in_one_go_equal_edits_one_by_one() -> None:
    edits = [DECLARED, MOVED, WAITED, SetPredicates((("at", "(at ?r - robot)"),))]
    draft = EMPTY
    for edit in edits:
        draft, _ = draft.apply([edit])
    assert draft == EMPTY.apply(edits)[0]


def test_the_same_edit_twice_changes_nothing_more() -> None:
    once, _ = EMPTY.apply([DECLARED, MOVED])
    assert once.apply([DECLARED, MOVED])[0] == once


def test_a_predicate_of_the_same_name_is_replaced_in_its_place() -> None:
    draft, _ = EMPTY.apply([DECLARED, SetPredicates((("at", "(at ?r - robot)"), ("new", "(new)")))])
    assert draft.predicates == (("at", "(at ?r - robot)"), ("tired", "(tired)"), ("new", "(new)"))


def test_an_unknown_action_is_refused_with_the_nearest_name_and_the_rest_is_applied() -> None:
    draft, refusals = EMPTY.apply([ModifyAction("moves", (), ("(x)",)), WAITED])
    assert draft == EMPTY.apply([WAITED])[0]
    assert len(refusals) == 1
    assert "no action `moves`" in refusals[0]
    assert "did you mean `move`?" in refusals[0]
    assert "the actions are move, wait" in EMPTY.apply([ModifyAction("zzz", (), ())])[1][0]


def test_actions_that_change_nothing_are_named() -> None:
    assert EMPTY.without_effects() == ("move", "wait")
    assert EMPTY.apply([MOVED])[0].without_effects() == ("wait",)


@pytest.mark.parametrize(
    ("preconditions", "effects", "requirements"),
    [
        (("(not (tired))",), ("(tired)",), ":negative-preconditions"),
        (("(or (tired) (at ?r ?a))",), ("(tired)",), ":disjunctive-preconditions"),
        (("(not (= ?a ?b))",), ("(tired)",), ":negative-preconditions :equality"),
        (("(exists (?x - room) (at ?r ?x))",), ("(tired)",), ":existential-preconditions"),
        (("(forall (?x - room) (at ?r ?x))",), ("(tired)",), ":universal-preconditions"),
        ((), ("(when (not (tired)) (tired))",), ":negative-preconditions :conditional-effects"),
        ((), ("(not (tired))",), ""),
    ],
)
def test_requirements_follow_from_what_is_used(
    preconditions: tuple[str, ...], effects: tuple[str, ...], requirements: str
) -> None:
    draft, _ = EMPTY.apply([DECLARED, WAITED, ModifyAction("move", preconditions, effects)])
    line = f"(:requirements {' '.join([':strips :typing', *requirements.split()])})"
    assert line in draft.text()
    assert diagnose(draft.text()).issues == ()


def test_the_example_answer_builds_a_faultless_domain() -> None:
    block = (Parameter("?x", "block"),)
    pair = (*block, Parameter("?y", "block"))
    signatures = [
        ActionSignature("pick-up", block),
        ActionSignature("stack", pair),
    ]
    reading = read_edits(call_blocks(example_answer("domain")))
    draft, refusals = DomainDraft.empty("blocksworld", {"block": None}, signatures).apply(reading.edits)
    assert reading.refusals + refusals + draft.without_effects() == ()
    assert diagnose(draft.text()).issues == ()


@given(st.lists(st.text(max_size=30), max_size=4), st.lists(st.text(max_size=30), max_size=4))
def test_whatever_the_strings_are_the_text_is_diagnosed_and_keeps_its_interface(
    declarations: list[str], conditions: list[str]
) -> None:
    code = [f"add_or_update_predicates([{text!r}])" for text in declarations]
    code += [f"modify_action('move', [{text!r}], [{text!r}])" for text in conditions]
    draft, _ = EMPTY.apply(read_edits(code).edits)
    diagnose(draft.text())
    assert draft.text().count("(:action") == 2
    assert [action.signature for action in draft.actions] == [MOVE, WAIT]
