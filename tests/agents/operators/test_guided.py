"""Language-guided completion: proposals keep what was learned, and demonstrations refute wrong ones."""

import re
from dataclasses import replace

import pytest

from agents.llm.scripted import ScriptedModel
from agents.operators import matching
from agents.operators.examples import whole_steps
from agents.operators.guided import (
    NoOperator,
    Shot,
    action_text,
    complete,
    completed_from,
    guided_request,
    read_operator,
    refutation,
)
from agents.operators.lifted import NamedLiteral
from agents.operators.matching import TooLoose, bindings, by_predicate, explains
from agents.operators.reading import operators_of
from agents.operators.symbolic import learn_symbolically
from envs.pddl.language.issues import PDDLError
from experiments.studies.operators.demonstrations import drawn, minecraft, traces_of

WORDS = minecraft().vocabulary
TRACES = traces_of(drawn(0, 0)[:15])
TRUE = {o.name: o for o in operators_of(minecraft())}
LEARNED = {o.name: o for o in learn_symbolically(TRACES)}
#: Actions whose true operator says all that was learned, so that it is a completion of that.
ALL_SAID = sorted(n for n in LEARNED if n.startswith(("mine", "craft")))


def fenced(operator):
    return f"What it needs.\n```pddl\n{action_text(operator, WORDS)}\n```"


def renamed(operator, prefix):
    names = {v: f"?{prefix}{i}" for i, (v, _) in enumerate(operator.parameters)}
    return replace(
        operator,
        parameters=tuple((names[v], kind) for v, kind in reversed(operator.parameters)),
        preconditions=tuple(p.renamed(names) for p in operator.preconditions),
        effects=tuple(e.renamed(names) for e in operator.effects),
    )


@pytest.mark.parametrize("name", sorted(TRUE))
def test_operators_survive_being_written_and_read(name):
    assert read_operator(action_text(TRUE[name], WORDS), WORDS) == TRUE[name]


@pytest.mark.parametrize("name", ALL_SAID)
def test_the_true_operator_completes_what_was_learned_and_nothing_refutes_it(name):
    """Whatever it calls its variables."""
    for proposal in (TRUE[name], renamed(TRUE[name], "v")):
        taken = completed_from(proposal, LEARNED[name])
        assert set(taken.preconditions) == set(proposal.preconditions)
        assert refutation(taken, LEARNED[name], TRACES) is None


def test_learned_operators_explain_the_steps_that_they_were_learned_from():
    for trace in TRACES.traces[:5]:
        for step in trace.steps:
            own = [o for o in LEARNED.values() if o.action == step.action]
            assert sum(explains(o, trace, step, WORDS.types) for o in own) >= 1
            assert explains(TRUE[step.action], trace, step, WORDS.types)


def test_what_a_demonstration_refutes_is_told_with_its_step():
    name = next(n for n in ("mine-beetroot", "mine-potato") if n in LEARNED)
    tool = (("?toolinv", "inventory"), ("?tool", "object"))
    wrong = replace(
        TRUE[name],
        parameters=(*TRUE[name].parameters, *tool),
        preconditions=tuple(
            sorted([*TRUE[name].preconditions, NamedLiteral("inventory-holding", ("?toolinv", "?tool"))])
        ),
    )
    why = refutation(completed_from(wrong, LEARNED[name]), LEARNED[name], TRACES)
    assert why is not None and f"{name} was executed" in why and "(inventory-holding ?toolinv ?tool)" in why
    again = ScriptedModel([fenced(wrong), "I do not know.", fenced(TRUE[name])])
    done = complete(again, LEARNED[name], [], TRACES, tries=2, seed=0)
    assert done.taken and done.asked == 3 and done.refusals[0] == why
    assert set(done.operator.preconditions) == set(TRUE[name].preconditions)


def test_proposals_that_are_refuted_to_the_end_leave_the_learned_operator():
    name = ALL_SAID[0]
    never = replace(
        TRUE[name], preconditions=(*TRUE[name].preconditions, NamedLiteral("tile-up", ("?t", "?t")))
    )
    stubborn = ScriptedModel(lambda messages, sample, seed: fenced(never))
    done = complete(stubborn, LEARNED[name], [], TRACES, tries=2, seed=0)
    assert not done.taken and done.asked == 3 and done.operator == LEARNED[name]
    blind = complete(stubborn, LEARNED[name], [], TRACES, tries=0, seed=0)
    assert (
        blind.taken
        and blind.asked == 1
        and NamedLiteral("tile-up", ("?t", "?t")) in blind.operator.preconditions
    )


def test_plain_resampling_asks_the_same_again_and_gives_no_reason():
    name = ALL_SAID[0]
    never = replace(
        TRUE[name], preconditions=(*TRUE[name].preconditions, NamedLiteral("tile-up", ("?t", "?t")))
    )
    asked = []

    def answer(messages, sample, seed):
        asked.append((tuple(messages), seed))
        return fenced(never if len(asked) < 3 else TRUE[name])

    done = complete(ScriptedModel(answer), LEARNED[name], [], TRACES, tries=5, seed=0, plain=True)
    assert done.taken and done.asked == 3 and len(done.refusals) == 2
    assert len({messages for messages, _ in asked}) == 1 and len({seed for _, seed in asked}) == 3


def test_effects_may_not_change_and_learned_conditions_may_not_go():
    name = "craft-stick" if "craft-stick" in LEARNED else ALL_SAID[0]
    learned, true = LEARNED[name], TRUE[name]
    for wrong, why in (
        (replace(true, effects=true.effects[1:]), "effects"),
        (replace(true, name="other"), "keep its name"),
        (replace(true, preconditions=()), "conditions that were learned are gone"),
    ):
        with pytest.raises(NoOperator, match=why):
            completed_from(wrong, learned)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("nothing", NoOperator),
        ("(:action a :parameters () :precondition (or (agent-at ?t)) :effect ())", PDDLError),
        ("(:action a :parameters (?t - tile) :precondition (or (agent-at ?t) (agent-at ?t)) :effect ())",
         NoOperator),
        ("(:action a :parameters (?t - tile) :precondition (lit ?t) :effect ())", PDDLError),
        ("(:action a :parameters (?t - tile) :effect (and (= ?t ?t)))", (PDDLError, NoOperator)),
        ("(:action a :parameters () :effect ()) (:action b :parameters () :effect ())", NoOperator),
        ("(:action a :parameters (", PDDLError),
    ],
)  # fmt: skip
def test_texts_that_are_no_operator_are_refused(text, error):
    with pytest.raises(error):
        read_operator(text, WORDS)


def test_conditions_that_are_too_loose_are_refused_and_do_not_hang(monkeypatch):
    monkeypatch.setattr(matching, "MAX_BINDINGS", 5000)
    name = ALL_SAID[0]
    pairs = [(f"?a{i}", f"?b{i}") for i in range(8)]
    own = completed_from(TRUE[name], LEARNED[name])
    loose = replace(
        own,
        parameters=(
            *own.parameters,
            *((v, kind) for a, b in pairs for v, kind in ((a, "object"), (b, "tile"))),
        ),
        preconditions=(*own.preconditions, *(NamedLiteral("object-at", pair) for pair in pairs)),
    )
    assert refutation(loose, LEARNED[name], TRACES) is None
    never = replace(loose, preconditions=(*loose.preconditions, NamedLiteral("=", ("?a0", "?b0"))))
    assert "loosely" in (refutation(never, LEARNED[name], TRACES) or "")


def test_the_request_shows_examples_beside_what_was_learned_of_them():
    shot = Shot(LEARNED["mine-wood"], TRUE["mine-wood"])
    text = guided_request(LEARNED[ALL_SAID[0]], [shot], WORDS)[1].content
    assert action_text(TRUE["mine-wood"], WORDS).strip() in text
    assert action_text(LEARNED[ALL_SAID[0]], WORDS).strip() in text
    assert action_text(TRUE[ALL_SAID[0]], WORDS).strip() not in text


def test_bindings_are_those_of_a_plain_join():
    facts = [("p", "a", "b"), ("p", "b", "c"), ("q", "b"), ("q", "c")]
    literals = [NamedLiteral("p", ("?x", "?y")), NamedLiteral("q", ("?y",)), NamedLiteral("q", ("?x",))]
    found = [dict(b) for b in bindings(literals, by_predicate(facts))]
    assert found == [{"?x": "b", "?y": "c"}]
    assert list(bindings([], {}, {"?x": "a"})) == [{"?x": "a"}]
    assert not list(bindings([NamedLiteral("p", ("?x",))], by_predicate(facts)))


@pytest.mark.parametrize(
    ("name", "kind"), [("mine-wood", "axe"), ("mine-coal", "pickaxe"), ("mine-wood", "tree")]
)
def test_the_told_condition_is_the_first_with_which_no_objects_fit(name, kind, monkeypatch):
    """What is mined is to be a tool as well, or the tool to be what is mined; each by itself is there."""
    monkeypatch.setattr(matching, "MAX_BINDINGS", 2000)
    true, what = TRUE[name], "?tool" if kind == "tree" else "?x"
    added = NamedLiteral("object-of-type", (what, kind))
    wrong = replace(true, preconditions=tuple(sorted([*true.preconditions, added])))
    why = refutation(completed_from(wrong, LEARNED[name]), LEARNED[name], TRACES) or ""
    number, where = re.match(r"In step (\d+) of demonstration (\S+),", why).groups()
    (found,) = (
        place[1:] for place in whole_steps(TRACES) if (place[0], place[1].name) == (int(number), where)
    )

    def fits(conditions):
        try:
            return explains(replace(wrong, preconditions=tuple(conditions)), *found, WORDS.types)
        except TooLoose:
            return True  # it cannot be told

    asked = wrong.preconditions
    first = next(i for i in range(len(asked)) if not fits(asked[: i + 1]))
    before = " ".join(map(str, asked[:first]))
    assert f"no objects for which {asked[first]} held together with {before} before it." in why
    assert fits([asked[first]]), "so it was refuted by those before it"
