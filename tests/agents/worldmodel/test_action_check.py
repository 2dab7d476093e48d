"""Faults of replies: every class is told apart, and what has none is a domain that reads."""

from __future__ import annotations

import pytest
from true_answers import answer, brief_of, modelled, true_domain

from agents.llm.interface import Completion, Finish
from agents.llm.scripted import ScriptedModel
from agents.worldmodel.check import STRIPS_ONLY, ReplyFaultKind, judge
from agents.worldmodel.construct import DialogueEnding, Settings, converse
from agents.worldmodel.model import ActionBrief, Brief, PredicateNote, WorldModel
from agents.worldmodel.requests import action_request
from envs.pddl.diagnosis.diagnose import diagnose
from envs.pddl.interface import ActionSignature, Parameter
from envs.registry import worlds

TYPES = {"vessel": None, "cup": "vessel", "pump": None}
KNOWN = (
    PredicateNote("in", "(in ?x - cup ?y - vessel)", "true if the cup ?x is in the vessel ?y"),
    PredicateNote("clean", "(clean ?x - cup)", "true if the cup ?x is clean"),
)
ACTIONS = (ActionBrief("wash", "It washes a cup."), ActionBrief("fill", "It fills."))
BRIEF = Brief("kitchen", "Cups.", TYPES, ACTIONS)
MODEL = WorldModel(BRIEF, KNOWN)


def reply(
    parameters="1. ?c - cup: the cup", precondition="(not (clean ?c))", effect="(clean ?c)", new="none"
):
    return (
        f"### Parameters\n{parameters}\n### Precondition\n```pddl\n{precondition}\n```\n"
        f"### Effect\n```pddl\n{effect}\n```\n### New predicates\n{new}"
    )


FAULTY = {
    "a number": (reply(precondition="(> (level ?c) 3)"), ReplyFaultKind.KEYWORD),
    "a later extension": (reply(precondition="(sometime (clean ?c))"), ReplyFaultKind.KEYWORD),
    "a numeric effect": (reply(effect="(and (clean ?c) (decrease (level) 1))"), ReplyFaultKind.KEYWORD),
    "a predicate named like a type": (
        reply(effect="(and (clean ?c) (not (pump ?c)))", new="1. (pump ?x - cup): true if it is one"),
        ReplyFaultKind.NAMED_LIKE_TYPE,
    ),
    "an existing predicate listed as new": (
        reply(new="1. (clean ?x - cup): true if ?x is clean"),
        ReplyFaultKind.PREDICATE_EXISTS,
    ),
    "an existing predicate redefined": (
        reply(new="1. (clean ?x - cup ?y - vessel): true if so"),
        ReplyFaultKind.PREDICATE_EXISTS,
    ),
    "a new predicate twice": (
        reply(new="1. (hot ?x): true if so\n2. (hot ?x): true if so"),
        ReplyFaultKind.PREDICATE_EXISTS,
    ),
    "an unknown type of a parameter": (
        reply(parameters="1. ?c - mug: the cup", precondition="()", effect="(shut ?c)", new="(shut ?x): so"),
        ReplyFaultKind.UNKNOWN_TYPE,
    ),
    "an unknown type of a predicate": (
        reply(new="1. (hot ?x - stove): true if hot"),
        ReplyFaultKind.UNKNOWN_TYPE,
    ),
    "an argument of another type": (
        reply(parameters="?c - cup: c\n?p - pump: p", effect="(in ?c ?p)"),
        ReplyFaultKind.ARGUMENT,
    ),
    "an argument too few": (reply(effect="(in ?c)"), ReplyFaultKind.ARGUMENT),
    "a predicate that is not declared": (reply(precondition="(dirty ?c)"), ReplyFaultKind.UNDECLARED),
    "an object": (reply(effect="(in ?c sink)"), ReplyFaultKind.UNDECLARED),
    "a variable that is not bound": (reply(effect="(in ?c ?v)"), ReplyFaultKind.SCOPE),
    "no effect": (reply(effect="()"), ReplyFaultKind.NO_EFFECT),
    "when in a precondition": (reply(precondition="(when (clean ?c) (clean ?c))"), ReplyFaultKind.SYNTAX),
    "a parameter twice": (reply(parameters="1. ?c - cup: a\n2. ?c - cup: b"), ReplyFaultKind.SYNTAX),
    "an open parenthesis": (reply(effect="(clean ?c"), ReplyFaultKind.SECTION),
    "no sections": ("The cup is clean.", ReplyFaultKind.SECTION),
    "another action": (f"### Action: washh\n{reply()}", ReplyFaultKind.INTERFACE),
}


@pytest.mark.parametrize("fault", FAULTY)
def test_each_fault_has_its_class_and_changes_nothing(fault: str) -> None:
    text, kind = FAULTY[fault]
    judged = judge(text, MODEL, "wash")
    assert {found.kind for found in judged.faults} == {kind}, judged.faults
    assert all(found.words for found in judged.faults)
    assert judged.model == MODEL


@pytest.mark.parametrize(
    "good",
    [
        reply(),
        reply(precondition="()"),
        reply(precondition="(or (clean ?c) (forall (?v - vessel) (not (in ?c ?v))))"),
        reply(effect="(forall (?d - cup) (when (in ?d ?c) (clean ?d)))"),
        reply(
            parameters="1. ?c - (either cup pump)",
            precondition="()",
            effect="(hot ?c)",
            new="1. (hot ?x): true if hot",
        ),
    ],
)
def test_a_good_answer_has_no_fault_and_makes_a_domain_that_reads(good: str) -> None:
    judged = judge(good, MODEL, "wash")
    assert judged.faults == ()
    assert diagnose(judged.model.text()).valid


def test_faults_say_what_to_do() -> None:
    exists = judge(FAULTY["an existing predicate redefined"][0], MODEL, "wash").faults[0].words
    assert "(clean ?x - cup): true if the cup ?x is clean" in exists and "another name" in exists
    unknown = judge(FAULTY["an unknown type of a parameter"][0], MODEL, "wash").faults[0].words
    assert "type mug is not declared" in unknown and "types cannot be added" in unknown
    named = judge(FAULTY["another action"][0], MODEL, "wash").faults[0].words
    assert "did you mean wash?" in named


BEYOND_STRIPS = {
    "a disjunction": {"precondition": "(or (clean ?c) (not (clean ?c)))"},
    "a disjunction within": {"precondition": "(and (clean ?c) (not (or (clean ?c) (clean ?c))))"},
    "an implication": {"precondition": "(imply (clean ?c) (clean ?c))"},
    "a negated conjunction": {"precondition": "(not (and (clean ?c) (in ?c ?c)))"},
    "a quantified condition": {"precondition": "(forall (?x - cup) (clean ?x))"},
    "an existential condition": {"precondition": "(exists (?x - cup) (in ?c ?x))"},
    "a conditional effect": {"effect": "(and (clean ?c) (when (clean ?c) (in ?c ?c)))"},
    "a quantified effect": {"effect": "(forall (?x - cup) (clean ?x))"},
}


@pytest.mark.parametrize("beyond", BEYOND_STRIPS.values(), ids=BEYOND_STRIPS)
def test_what_is_not_strips_is_a_fault_only_where_strips_is_asked_for(beyond: dict[str, str]) -> None:
    assert judge(reply(**beyond), MODEL, "wash").faults == ()
    strict = judge(reply(**beyond), MODEL, "wash", STRIPS_ONLY)
    assert {fault.kind for fault in strict.faults} == {ReplyFaultKind.KEYWORD} and strict.model == MODEL
    assert all("fix: say the same with predicates" in fault.words for fault in strict.faults)


@pytest.mark.parametrize("world", ["logistics", "tyreworld", "blocksworld_ood"])
def test_strips_passes_where_strips_is_asked_for(world: str) -> None:
    domain = true_domain(world)
    assert judge(reply(), MODEL, "wash", STRIPS_ONLY).faults == ()
    for action in domain.actions:
        assert not judge(answer(domain, action, ()), WorldModel(brief_of(world)), action, STRIPS_ONLY).faults


def test_given_parameters_are_kept_and_may_be_left_out() -> None:
    brief = brief_of("logistics")
    domain, model = true_domain("logistics"), WorldModel(brief)
    said = answer(domain, "load-truck", ())
    without = said.replace(said[said.index("### Parameters") : said.index("### Precondition")], "")
    assert judge(said, model, "load-truck").faults == judge(without, model, "load-truck").faults == ()
    swapped = said.replace("1. ?p - package", "1. ?t - truck").replace("2. ?t - truck", "2. ?p - package")
    (fault,) = judge(swapped, model, "load-truck").faults
    assert fault.kind is ReplyFaultKind.INTERFACE and "?p - package, ?t - truck, ?l - location" in fault.words


def test_names_and_types_count_in_any_case_and_unions_in_any_order() -> None:
    given = ActionSignature("Wash", (Parameter("?C", "(either cup pump)"),))
    brief = Brief("kitchen", "", TYPES, (ActionBrief("Wash", "It washes.", given),))
    said = reply("1. ?c - (either Pump cup): what is washed", "()", "(hot ?c)", "1. (hot ?x): true if hot")
    judged = judge(f"### Action: wash\n{said}", WorldModel(brief), "Wash")
    assert judged.faults == () and judged.model.unwritten == () and diagnose(judged.model.text()).valid


@pytest.mark.parametrize("world", ["household", "urnsong", "childsnack"])
def test_what_passes_action_by_action_is_without_error_as_a_whole(world: str) -> None:
    domain, model = true_domain(world), WorldModel(brief_of(world))
    for action in domain.actions:
        judged = judge(answer(domain, action, [n.name for n in model.predicates]), model, action)
        assert not judged.faults and not diagnose(judged.model.text()).errors
        model = judged.model
    assert model.pruned().draft.actions == modelled(domain, model.brief).draft.actions


def talk(*replies, **settings):
    llm = ScriptedModel([*replies])
    asked = action_request(BRIEF, BRIEF.actions[0], MODEL, ())
    return llm, converse(llm, asked, "wash", MODEL, Settings(**settings), 0)


def test_a_fault_is_sent_back_and_a_better_answer_ends_the_dialogue() -> None:
    bad, kind = FAULTY["a variable that is not bound"]
    llm, ended = talk(bad, reply())
    assert ended.ending is DialogueEnding.CLEAN and ended.faults == () and llm.requests == 2
    assert ended.counts == {kind: 1} and ended.model.unwritten == ("fill",)
    assert ended.messages[-2].content.startswith(
        "Your answer cannot be used yet:\n\n1. variable out of scope:"
    )
    assert [m.role for m in ended.messages] == ["system", "user", "assistant", "user", "assistant"]


def test_a_dialogue_without_progress_ends_with_its_best_state_and_says_why() -> None:
    worse = reply(effect="(and (in ?c ?v) (in ?c ?w))")
    other = reply(effect="(in ?c ?z)")
    bad = FAULTY["a variable that is not bound"][0]
    _, ended = talk(worse, bad, worse.replace("?w", "?u"), other, patience=2, turns=9)
    assert (
        ended.ending is DialogueEnding.NO_FEWER_FAULTS
        and len(ended.faults) == 1
        and "?v" in ended.faults[0].words
    )
    _, ended = talk(bad, bad, turns=9)
    assert ended.ending is DialogueEnding.REPEATED and len(ended.messages) == 5
    _, ended = talk(bad, turns=0)
    assert ended.ending is DialogueEnding.TURNS_SPENT and ended.model == MODEL


def test_what_was_right_in_the_best_reply_is_kept() -> None:
    mixed = f"### Action: fill\n{reply()}\n### Action: wash\n{reply(effect='(in ?c)')}"
    _, ended = talk(mixed, turns=0)
    assert ended.model.unwritten == ("wash",) and len(ended.faults) == 1


def test_no_answer_is_a_fault_of_its_own() -> None:
    cut = Completion("### Par", finish=Finish.LENGTH)
    _, ended = talk(cut, reply())
    assert ended.counts == {ReplyFaultKind.UNANSWERED: 1} and ended.ending is DialogueEnding.CLEAN


def test_every_world_has_types_that_a_brief_accepts() -> None:
    assert all(brief_of(name).is_fixed for name in worlds())
