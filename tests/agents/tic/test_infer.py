"""What follows from an IR: one model, none or several, and the limits of finding out."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator

import clingo
import numpy as np
import pytest

from agents.tic import infer as infer_module
from agents.tic.allow import read_ir
from agents.tic.infer import (
    Ending,
    InferenceFailed,
    InferenceLimits,
    Materialised,
    RulesFailed,
    infer,
    materialise,
)
from agents.tic.inference_child import Facts, answer
from agents.tic.knowledge import Knowledge
from agents.tic.program import program_of
from envs.pddl.process import ChildResult, ChildStatus

DOMAIN = """(define (domain d)
  (:types cup shot shaker - container hand container - object)
  (:constants left right - hand)
  (:predicates (on ?a ?b - container) (in-hand ?c - container ?h - hand) (full)
               (near ?x - (either cup hand) ?y - shaker)))"""
KNOWLEDGE = Knowledge(DOMAIN)


def inferred(text: str, knowledge: Knowledge = KNOWLEDGE, wall_s: float = 20.0) -> Materialised:
    return infer(read_ir(text, knowledge), knowledge, InferenceLimits(wall_s=wall_s))


def facts_of(text: str, knowledge: Knowledge = KNOWLEDGE) -> Facts:
    """The facts of the one model, inferred in this process: the text has to be harmless."""
    reply = answer(program_of(read_ir(text, knowledge), knowledge).text)
    assert not reply.wrong and not reply.refused and len(reply.models) == 1, reply
    (model,) = reply.models
    return model


def members(facts: Facts, kind: str) -> list[str]:
    return [thing for thing, of in facts.objects if of == kind]


def stated(facts: Facts, predicate: str) -> list[tuple[str, ...]]:
    return [fact[1:] for fact in facts.init if fact[0] == predicate]


def test_a_childs_model_is_the_one_of_this_process_and_pickles() -> None:
    text = "cardinality(shot, 3). init(on(a, b)). init(full) :- object(X, shot). goal(-on(b, a))."
    found = inferred(text)
    assert found.ending is Ending.TRANSLATED and found.facts == facts_of(text) and found.fault == ""
    assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301 (our own bytes)
    assert found.facts.goal == ((False, ("on", "b", "a")),)


def test_the_domain_says_what_is_of_which_type() -> None:
    facts = facts_of("init(in_hand(a, b)). goal(-near(c, d)). object(e, shot).")
    assert members(facts, "container") == ["a", "d", "e"] and members(facts, "hand") == ["b", "left", "right"]
    assert members(facts, "either_cup_hand") == ["b", "c", "left", "right"]  # hands are of the union
    assert members(facts, "shaker") == ["d"] and members(facts, "object") == [*"abcde", "left", "right"]


@pytest.mark.parametrize(
    ("text", "kind", "names"),
    [
        ("cardinality(shot, 3).", "shot", ["shot1", "shot2", "shot3"]),
        ("cardinality(shot, 3). object(shot2, shot).", "shot", ["shot1", "shot2", "shot3"]),
        ("cardinality(shot, 3). object(shot9, shot).", "shot", ["shot1", "shot2", "shot9"]),
        ("cardinality(shot, 2). object(shot1, hand).", "shot", ["shot2", "shot3"]),
        ("cardinality(shot, 2). init(on(shot5, x)).", "shot", ["shot1", "shot5"]),
        ("cardinality(shot, 0).", "shot", []),
        ("cardinality(hand, 2).", "hand", ["left", "right"]),
        ("cardinality(hand, 3).", "hand", ["hand1", "left", "right"]),
        ("cardinality(container, 3). cardinality(shot, 2).", "container", ["container1", "shot1", "shot2"]),
        ("cardinality(lid, 1; shot, 2). object(X, shot) :- object(X, lid).", "shot", ["lid1", "shot1"]),
        ("cardinality(a, 11). cardinality(a1, 1).", "a1", ["a12"]),
    ],
)
def test_objects_are_made_up_to_the_number_that_is_stated(text: str, kind: str, names: list[str]) -> None:
    assert members(facts_of(text), kind) == names


def test_rules_hold_for_objects_that_were_made() -> None:
    facts = facts_of("cardinality(shot, 3). init(on(X, table)) :- object(X, shot), not init(in_hand(X, _)).")
    assert stated(facts, "on") == [("shot1", "table"), ("shot2", "table"), ("shot3", "table")]


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("", [("shot1", "cup1"), ("shot2", "cup2"), ("shot3", "cup3")]),
        ("init(on(shot1, cup3)).", [("shot1", "cup3"), ("shot2", "cup1"), ("shot3", "cup2")]),
        ("init(on(x, y)).", [("shot1", "cup1"), ("shot2", "cup2"), ("shot3", "cup3"), ("x", "y")]),
    ],
)
def test_a_map_pairs_in_the_order_of_numbers_and_keeps_stated_pairs(
    text: str, pairs: list[tuple[str, str]]
) -> None:
    base = "cardinality(shot, 3). cardinality(cup, 3). init(map(shot, on, cup)). "
    assert stated(facts_of(base + text), "on") == pairs


def test_a_map_of_ten_and_more_pairs_by_number_and_not_by_letters() -> None:
    facts = facts_of("cardinality(shot, 11). cardinality(cup, 11). goal(map(shot, on, cup)).")
    found = {fact[1:] for _, fact in facts.goal if fact[0] == "on"}
    assert found == {(f"shot{n}", f"cup{n}") for n in range(1, 12)} and not stated(facts, "on")


def test_rules_may_call_what_the_schema_offers() -> None:
    rules = """init(@make_seq(N - 1, level, next, 0)) :- cardinality(step, N).
               object(@make_id(lid, N), lid) :- N = 1..2. init(@make_fact(on, X, X)) :- object(X, lid)."""
    facts = facts_of("cardinality(step, 3). object(step1, step).", Knowledge(DOMAIN, rules))
    assert stated(facts, "next") == [("level0", "level1"), ("level1", "level2")]
    assert stated(facts, "on") == [("lid1", "lid1"), ("lid2", "lid2")]


BARMAN = """
cardinality(shaker, 1). cardinality(shot, 4). cardinality(cup, 4). object(shot3, shot). object(a, cup).
init(on(X, table)) :- object(X, shaker). init(near(X, shaker1)) :- object(X, cup).
init(map(shot, on, cup)). goal(map(cup, above, shot)). init(on(shot2, cup1)). init(in_hand(a, left)).
init(free(H)) :- object(H, hand), not held(H). held(H) :- init(in_hand(_, H)). goal(-full).
"""


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_the_statements_changes_nothing(seed: int) -> None:
    statements = BARMAN.replace(". ", ".\n").split("\n")
    shuffled = np.random.default_rng(seed).permutation(statements)
    assert facts_of("\n".join(shuffled)) == facts_of(BARMAN)


def test_scripts_stay_off_even_where_nothing_refuses_them_first() -> None:
    reply = answer("#script (python)\nprint('no')\n#end.")
    assert reply.refused and not reply.models


#: The published rules: any object may be made, any pair chosen, if the numbers come out right.
CHOICES = """
{ object(@make_id(X, T), T) } :- cardinality(T, N), X = 1..N.
:- #count { X : object(X, T) } = M, cardinality(T, N), M != N.
1 { init(@make_fact(X, P, Y)) : object(X, T1) } 1 :- init(map(T1, P, T2)), object(Y, T2).
1 { init(@make_fact(X, P, Y)) : object(Y, T2) } 1 :- init(map(T1, P, T2)), object(X, T1).
"""


class Chooser:
    def make_id(self, number: clingo.Symbol, kind: clingo.Symbol) -> clingo.Symbol:
        return clingo.Function(f"{kind}{number}")

    def make_fact(self, x: clingo.Symbol, predicate: clingo.Symbol, y: clingo.Symbol) -> clingo.Symbol:
        return clingo.Function(predicate.name, [x, y])


def chosen(text: str) -> Iterator[set[str]]:
    control = clingo.Control(["0", "--warn=none"])
    control.add("base", [], CHOICES + text)
    control.ground([("base", [])], context=Chooser())
    with control.solve(yield_=True) as handle:
        yield from ({str(s) for s in m.symbols(atoms=True) if s.name in ("object", "init")} for m in handle)


@pytest.mark.parametrize("pair", [False, True])
@pytest.mark.parametrize("named", ["", "shot2", "x"])
@pytest.mark.parametrize("shots", [2, 3])
def test_the_one_model_is_one_of_those_that_the_published_rules_choose_from(
    shots: int, named: str, pair: bool
) -> None:
    text = f"cardinality(shot, {shots}). cardinality(cup, {shots}). init(map(shot, holds, cup))."
    text += f" object({named}, shot)." if named else ""
    text += f" init(holds({named}, cup2))." if named and pair else ""
    facts = facts_of(text)
    ours = {f"object({thing},{kind})" for thing, kind in facts.objects if kind in ("shot", "cup")}
    ours |= {f"init({fact[0]}({','.join(fact[1:])}))" for fact in facts.init}
    models = list(chosen(text))
    assert ours in models and (len(models) > 1 or shots == 2)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("cardinality(shot, 1). object(a, shot). object(b, shot).", ["(shot, 1)", "2 objects", "a, b"]),
        ("cardinality(shot, 1). cardinality(shot, 2).", ["one number for each type"]),
        ("cardinality(5, shot).", ["cardinality(5, shot) gives no number"]),
        ("cardinality(shot, -1).", ["gives no number"]),
        ("cardinality(shot, 100000000).", ["is too large: at most 100,000 objects"]),
        ("cardinality(shot, 2; cup, 1). init(map(shot, on, cup)).", ["2 of type shot", "1 of type cup"]),
        (
            "cardinality(shot, 2; cup, 2). init(map(shot, on, cup)). init(on(shot1, cup1; shot1, cup2)).",
            ["shot1 is in two pairs"],
        ),
        ("init(map(shot, on, 3)).", ["takes the names of"]),
        ("init(full). init(-full).", ["init(full) and init(-full) contradict"]),
        ("goal(full). goal(-full).", ["goal(full) and goal(-full) contradict"]),
        (
            "goal(full).\n:- goal(full), not init(full).\n:- init(full).",
            ["line 2", "goal(full); not init"],
        ),
        ("p :- not p.", ["denies its own condition"]),
        ("2 { init(full) } 2.", ["within its bounds"]),
    ],
)
def test_a_contradiction_is_told_in_words(text: str, words: list[str]) -> None:
    found = inferred(text)
    assert found.ending is Ending.CONTRADICTION and found.facts is None
    assert all(word in found.fault for word in words), found.fault


def test_a_broken_rule_of_the_world_is_told_as_the_worlds() -> None:
    found = inferred("goal(full).", Knowledge(DOMAIN, "\n:- goal(full)."))
    assert found.ending is Ending.CONTRADICTION and "line 2 of the rules" in found.fault


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1 { init(on(a, b)); init(on(b, a)) } 1.", ["init(on(a, b))", "init(on(b, a))"]),
        ("p :- not q. q :- not p. goal(full) :- p. goal(-full) :- q.", ["goal(full)", "goal(-full)"]),
        ("{ object(a, shot) }.", ["object(a, shot)", "none of this"]),
        ("{ cardinality(shot, 1) }.", ["cardinality(shot) depends on a choice"]),
        ("{ init(map(shot, on, cup)) }. object(a, shot). object(b, cup).", ["map(shot,on,cup) depends"]),
    ],
)
def test_two_readings_are_told_by_what_differs(text: str, words: list[str]) -> None:
    found = inferred(text)
    assert found.ending is Ending.AMBIGUOUS and found.facts is None
    assert all(word in found.fault for word in words), found.fault


@pytest.mark.parametrize(
    "text",
    [
        "p :- not q. q :- not p. goal(full).",  # helpers differ, the task does not
        "{ object(a, shot) }. cardinality(shot, 1). goal(full).",  # the number settles the choice
        "1 { init(full); init(on(a, b)) } 1. :- init(full). goal(full).",
    ],
)
def test_a_choice_that_changes_no_fact_leaves_one_model(text: str) -> None:
    assert inferred(text).ending is Ending.TRANSLATED


def test_what_clingo_does_not_take_is_refused_with_its_place() -> None:
    found = inferred("init(full).\ninit(on(X, Table)) :- object(X, shot).")
    assert found.ending is Ending.REFUSED
    assert "line 2 of the program" in found.fault and "what Table stands for" in found.fault
    found = inferred("goal(full). init(on(a, _)).")
    assert found.ending is Ending.REFUSED and "line 1 of the program" in found.fault
    assert "`_` in a head stands for nothing" in found.fault


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("init(full) :- glass(X).", "glass(X)"),
        ("dry(a). dry(b).", "line 1 of the program: no rule reads dry"),
    ],
)
def test_what_looks_wrong_is_noted(text: str, note: str) -> None:
    found = inferred(text)
    assert found.ending is Ending.TRANSLATED and found.mistakes == ()
    assert any(note in words for words in found.notes), found.notes


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("init(ful).", "no predicate ful, and no rule reads it (did you mean full?)"),
        ("goal(-unplugged(a)).", "no predicate unplugged"),
        ("init(init(full)).", "no predicate init"),
        ("goal(map(shot, on)).", "no predicate map"),
        (
            "init(in_hand(shot1..shot3, left)).",
            "line 1 of the program: `init(in_hand((shot1..shot3),left)).`",
        ),
        ("object(a, shakr).", "no type shakr, and no rule reads it (did you mean shaker?)"),
    ],
)
def test_what_has_no_meaning_is_told(text: str, note: str) -> None:
    found = inferred(text)
    assert found.ending is Ending.TRANSLATED and found.notes == ()
    assert any(note in words for words in found.mistakes), found.mistakes


def test_in_a_domain_without_types_every_type_is_known() -> None:
    untyped = Knowledge("(define (domain d) (:predicates (clear ?b)))")
    assert inferred("cardinality(block, 2). goal(clear(block1)).", untyped).mistakes == ()


def test_a_helper_of_the_world_may_stand_by_itself() -> None:
    rules = "init(on(X, Y)) :- init(grid(1, X)), init(grid(2, Y))."
    knowledge = Knowledge(DOMAIN, rules, helpers={"grid(N, X)": "X is number N", "flat": "all is"})
    text = "grid(1, a). init(grid(2, b)). flat. goal(full)."
    assert stated(facts_of(text, knowledge), "on") == [("a", "b")]
    found = inferred(text, knowledge)
    assert (found.notes, found.mistakes) == ((), ())


def test_helpers_that_are_read_are_not_noted() -> None:
    text = "object(a, lid). init(wet(a)). init(on(X, X)) :- object(X, lid), init(wet(X))."
    found = inferred(text)
    assert (found.notes, found.mistakes) == ((), ())


@pytest.mark.parametrize(
    "text",
    [
        "b(1..400,1..400,1..400).",
        "p(0). p(X+1) :- p(X).",
        "object(f(X), shot) :- object(X, shot). object(a, shot).",
        "{ q(1..12, 1..11) }. :- q(X, Y), q(X, Z), Y < Z. :- q(X, Y), q(Z, Y), X < Z. :- not q(1..12, _).",
    ],
)
def test_a_bomb_reaches_a_limit_and_nothing_is_left_of_it(text: str) -> None:
    found = infer(read_ir(text, KNOWLEDGE), KNOWLEDGE, InferenceLimits(wall_s=0.5, memory_mb=300))
    assert found.ending in (Ending.TIMEOUT, Ending.MEMOUT) and found.fault


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is watched where /proc tells it")
def test_memory_is_a_limit_of_its_own() -> None:
    ir = read_ir("b(1..400,1..400,1..400).", KNOWLEDGE)
    found = infer(ir, KNOWLEDGE, InferenceLimits(wall_s=240.0, memory_mb=100))
    assert found.ending is Ending.MEMOUT and "100 MiB" in found.fault


@pytest.mark.parametrize("status", [ChildStatus.KILLED, ChildStatus.MISSING, ChildStatus.EXITED])
def test_a_machine_that_fails_says_nothing_about_the_ir(
    status: ChildStatus, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = ChildResult(status, 1, "", "no such thing", 0.1)
    monkeypatch.setattr(infer_module, "run_child", lambda *_args, **_options: broken)
    with pytest.raises(InferenceFailed, match="no such thing"):
        inferred("goal(full).")


def test_a_fault_of_the_worlds_rules_is_neither_the_irs_nor_the_machines() -> None:
    broken = Knowledge(DOMAIN, "init(on(X, Y)).")
    with pytest.raises(RulesFailed, match="line 1 of the rules"):
        inferred("goal(full).", broken)
    with pytest.raises(RulesFailed, match="line 1 of the rules"):
        materialise("goal(full).", broken)


@pytest.mark.parametrize("number", ["many", "-1", "100000000", "f(3)"])
def test_what_is_no_number_makes_nothing(number: str) -> None:
    rules = "init(@make_seq(N, l, next, 0); @make_id(l, N)) :- steps(N). init(@make_fact(3))."
    assert facts_of(f"steps({number}).", Knowledge(DOMAIN, rules)).init == ()
