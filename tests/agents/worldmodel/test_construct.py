"""Construction: a list of predicates that grows, two passes, and models that say what was answered."""

from __future__ import annotations

import pickle

import pytest
from true_answers import Knowing, brief_of, true_domain
from wide import wide

from agents.llm.scripted import ScriptedModel
from agents.prompts import load
from agents.worldmodel.check import ReplyFaultKind, judge
from agents.worldmodel.construct import Constructor, DialogueEnding, Settings
from agents.worldmodel.model import ActionBrief, Brief, UnusableBrief, WorldModel
from envs.pddl.alignment.errors_of import align
from envs.pddl.diagnosis.diagnose import diagnose
from envs.pddl.language.domain import read_domain
from envs.registry import worlds


@pytest.mark.parametrize(
    ("world", "fixed"),
    wide(
        [
            *((world, True) for world in worlds()),
            *((world, False) for world in ("grippers", "logistics", "household", "dimhollow", "miconic_ood")),
        ],
        *((world, True) for world in worlds() if world not in ("household", "minecraft")),
        ("grippers", False),
        ("logistics", False),
    ),
)
def test_right_answers_make_the_true_domain_of_every_world(world: str, fixed: bool) -> None:
    true, brief = true_domain(world), brief_of(world, fixed=fixed)
    knowing = Knowing(true)
    made = Constructor(knowing.model).construct(brief, seed=0)
    assert made.counts == {} and made.model.unwritten == ()
    assert len(knowing.asked) == 2 * len(brief.actions)
    assert align(true, read_domain(made.model.text()), in_order=fixed).errors == ()
    assert not diagnose(made.model.text()).errors
    if fixed:
        assert [a.signature for a in made.model.actions] == [a.signature for a in brief.actions]


def test_later_actions_see_the_predicates_of_earlier_ones_and_the_second_pass_sees_all() -> None:
    knowing = Knowing(true_domain("logistics"))
    Constructor(knowing.model).construct(brief_of("logistics"), seed=0)
    first, second = knowing.asked[0], knowing.asked[1]
    assert "There are none yet." in first and "(package-at ?p - package ?l - location)" not in first
    assert "(package-at ?p - package ?l - location): true if" in second
    assert "(location-is-airport ?l - location)" in knowing.asked[6]  # the first action again
    assert "?p - package" in first and "are given and stay as they are" in first


def test_the_same_answers_make_the_same_model() -> None:
    made = [
        Constructor(Knowing(true_domain("tyreworld")).model).construct(brief_of("tyreworld"), seed=4)
        for _ in range(2)
    ]
    assert made[0].model == made[1].model and made[0].dialogues == made[1].dialogues
    assert pickle.loads(pickle.dumps(made[0])) == made[0]  # noqa: S301 (our own bytes)


def test_predicates_that_no_action_uses_are_left_out() -> None:
    true = true_domain("gripper")
    knowing = Knowing(true)

    def wasteful(messages, sample, seed):
        said = knowing.reply(messages, sample, seed)
        name = f"idle-{len(knowing.asked)}"
        return said.removesuffix("none") + f"\n9. ({name} ?x): true if nobody asks"

    made = Constructor(ScriptedModel(wasteful)).construct(brief_of("gripper"), seed=0)
    assert made.counts == {} and all("idle" not in note.name for note in made.model.predicates)


def test_an_action_that_is_never_answered_well_is_named_and_the_rest_goes_on() -> None:
    true = true_domain("logistics")
    knowing = Knowing(true)

    def stubborn(messages, sample, seed):
        said = knowing.reply(messages, sample, seed)
        return (
            said.replace("(truck-at ?t ?l)", "(parked ?t ?l)")
            if "`unload-truck`" in messages[1].content
            else said
        )

    made = Constructor(ScriptedModel(stubborn)).construct(brief_of("logistics"), seed=0)
    assert made.model.unwritten == ("unload-truck",)
    assert made.dialogues["unload-truck"].ending is DialogueEnding.REPEATED
    assert made.counts == {ReplyFaultKind.UNDECLARED: 4}
    assert len(align(true, read_domain(made.model.text())).errors) == 4  # its two conditions and two effects


def test_a_later_pass_that_fails_keeps_the_earlier_version() -> None:
    true, told = true_domain("gripper"), []

    def tiring(messages, sample, seed):
        told.append(messages)
        return knowing.reply(messages, sample, seed) if len(told) <= 3 else "I do not know."

    knowing = Knowing(true)
    made = Constructor(ScriptedModel(tiring)).construct(brief_of("gripper"), seed=0)
    assert made.model.unwritten == () and align(true, read_domain(made.model.text())).errors == ()
    assert made.counts == {ReplyFaultKind.SECTION: 2 * 2 * 3}


def test_words_that_a_setting_forbids_are_refused_and_not_offered() -> None:
    knowing = Knowing(true_domain("dimhollow"))
    settings = Settings(turns=0, forbidden=("forall", "when"))
    made = Constructor(knowing.model, settings=settings).construct(brief_of("dimhollow"), seed=0)
    assert set(made.counts) == {ReplyFaultKind.KEYWORD} and made.model.unwritten
    assert "effects may use and, not." in knowing.asked[0]


def test_fewer_than_two_passes_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 2 are needed"):
        Constructor(ScriptedModel(["x"]), passes=1)


def test_a_missing_text_a_cycle_and_an_unknown_parent_are_named() -> None:
    go, stay = ActionBrief("go", "It goes."), ActionBrief("stay", " ")
    with pytest.raises(UnusableBrief, match="no text says what these actions do: stay; write one") as caught:
        Brief("d", "", {}, (go, stay))
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)  # noqa: S301 (our own bytes)
    with pytest.raises(UnusableBrief, match="a, b are their own ancestors"):
        Brief("d", "", {"a": "b", "b": "a", "c": None}, (go,))
    with pytest.raises(UnusableBrief, match=r"c \(below d\)"):
        Brief("d", "", {"c": "d"}, (go,))


def test_the_example_of_the_request_is_itself_a_good_answer() -> None:
    example = load("worldmodel/example.md")
    first, second = example.split("`leave`:")
    actions = tuple(ActionBrief(name, "It does.") for name in ("switch-off", "leave"))
    types = {"hall": None, "door": None, "lamp": None, "chandelier": "lamp"}
    one = judge(first, WorldModel(Brief("museum", "", types, actions)), "switch-off")
    two = judge(second, one.model, "leave")
    assert one.faults == two.faults == () and len(two.model.predicates) == 5
    assert not diagnose(two.model.text()).errors
