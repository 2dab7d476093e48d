"""What a language model writes is read as the small language it may use, or refused where it leaves it."""

from __future__ import annotations

import pickle
from pathlib import Path

import clingo
import pytest

from agents.tic.allow import MAX_CHARACTERS, MAX_ISSUES, IRError, read_ir, read_rules
from agents.tic.knowledge import Knowledge
from envs.pddl.language.issues import Code

KNOWLEDGE = Knowledge(
    "(define (domain d) (:types shot hand) (:predicates (in-hand ?s - shot ?h - hand) (full)))",
    objects=("cup-1",),
)

#: Each text does, or hides, something that no IR may do; with the place where it is refused.
ATTACKS = {
    "script": ("#script (python)\nimport os\n#end.", 1, 1),
    "script in lua": ("init(full).\n  #script (lua) os.exit() #end.", 2, 3),
    "mixed case": ("#Script (Python) pass #end.", 1, 1),
    "line continuation": ("#\nscript (python) pass #end.", 1, 1),
    "broken word": ("#scr\\\nipt (python) pass #end.", 1, 1),
    "include": ('init(full). #include "/etc/passwd".', 1, 13),
    "include of a part": ("#include <incmode>.", 1, 1),
    "include behind a block comment": ('%* harmless *% #include "secret.lp".', 1, 16),
    "include behind a comment sign in a name": ('init(in_hand("a % b", c)). #include "x".', 1, 28),
    "include in a nested comment": ('%* one %* two *% #include "x". *%', 1, 18),
    "call": ("init(@getattr(full)).", 1, 6),
    "call in a body": ("init(full) :- X = @ system(1).", 1, 19),
    "call of one of ours": ("object(@make_id(shot, 1), shot).", 1, 8),
    "external": ("#external init(full).", 1, 1),
    "other program": ("init(full). #program check(k).", 1, 13),
    "constant": ("#const shot = 100000000.", 1, 1),
    "theory": ("#theory t { }.", 1, 1),
    "theory atom": ("init(full). &sum { x } <= 1.", 1, 13),
    "show": ("#show.", 1, 1),
    "defined": ("#defined p/1.", 1, 1),
    "optimisation": ("#minimize { 1 : init(full) }.", 1, 1),
    "weak constraint": (":~ init(full). [1@2]", 1, 1),
    "edge": ("#edge (a, b).", 1, 1),
    "heuristic": ("#heuristic init(full). [1, true]", 1, 1),
    "project": ("#project init/1.", 1, 1),
    "the schema's own": ("tic_wrong(nothing).", 1, 1),
    "the schema's switch": (":- not tic_strict.", 1, 8),
    "disjunction": ("init(full) | goal(full).", 1, 1),
    "aggregate that derives": ("#sum { 1 : init(full) } = 1.", 1, 1),
    "negative head": ("-init(full).", 1, 1),
    "denied head": ("not init(full) :- goal(full).", 1, 1),
    "end of the text": ("init(full).\x00 #script", 1, 12),
    "other letters": ("init(full). \uff03include <incmode>.", 1, 13),
    "unclosed comment": ("init(full). %* goal(full).", 1, 13),
    "string over two lines": ('init(in_hand("a\n", b)).', 1, 14),
    "escape in a string": ('init(in_hand("a\\"b", c)).', 1, 14),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_is_refused_in_its_place_before_there_is_a_control(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clingo, "Control", None)
    text, line, column = ATTACKS[name]
    with pytest.raises(IRError) as refused:
        read_ir(text, KNOWLEDGE)
    first = refused.value.issues[0]
    assert (first.line, first.column) == (line, column), str(refused.value)
    assert first.message and first.fix


def test_an_included_file_is_never_opened(tmp_path: Path) -> None:
    secret = tmp_path / "secret.lp"
    secret.write_text("init(full). goal(full", encoding="utf-8")  # reading it would say so
    with pytest.raises(IRError) as refused:
        read_ir(f'#include "{secret}".', KNOWLEDGE)
    assert [issue.code for issue in refused.value.issues] == [Code.UNSUPPORTED_FEATURE]


LARGE = {
    "long": "init(full). " * (MAX_CHARACTERS // 12 + 1),
    "ten megabytes": "(" * 10_000_000,
    "deep": "init(" * 10_000,
    "deep in brackets": "{(" * 400_000,
    "long sum": "init(full) :- X = 1" + "+1" * 300_000 + ".",
    "many signs": "init(full) :- X = " + "- " * 300_000 + "1.",
    "many denials": "init(full) :- " + "not " * 200_000 + "goal(full).",
    "large number": f"cardinality(shot, {'9' * 100_000}).",
    "number of a name": f"object(shot{'9' * 5_000}, shot).",
    "long name": f"init(in_hand({'a' * 900_000}, b)).",
    "long variable": f"init(full) :- {'X' * 5_000} = 1.",
    "long quoted name": f'init(in_hand("cup-{"9" * 5_000}", b)).',
    "many issues": "$" * 500_000,
    "unclosed comments": "%*\n" * 300_000,
}


@pytest.mark.parametrize("name", LARGE)
def test_a_text_that_is_too_large_is_refused_and_told_in_few_words(name: str) -> None:
    with pytest.raises(IRError) as refused:
        read_ir(LARGE[name], KNOWLEDGE)
    assert len(refused.value.issues) <= MAX_ISSUES
    assert len(str(refused.value)) < 20_000


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("in_hand(a, b).", Code.UNSUPPORTED_FEATURE, "predicate of the domain"),
        ("shot(a).", Code.UNSUPPORTED_FEATURE, "is a type"),
        ("init(full, empty).", Code.ARITY, "init takes 1 argument, but 2"),
        ("object(a).", Code.ARITY, "object takes 2 arguments, but 1"),
        ("1 { init(full); cardinality(shot) } 1.", Code.ARITY, "cardinality takes 2"),
        ("init(full)\ninit(full).", Code.SYNTAX, "unexpected"),
        ("init(full).\ngoal(full", Code.SYNTAX, "unexpected"),
        ("goal(full)", Code.SYNTAX, "unexpected"),
        ("init(in_hand(cup-1, [left])).", Code.SYNTAX, "`[` cannot stand"),
        ('init(in_hand("", left)).', Code.SYNTAX, "names nothing"),
        ("Here is the program: init(full).", Code.SYNTAX, "unexpected"),
    ],
)
def test_a_mistake_is_told(text: str, code: Code, message: str) -> None:
    with pytest.raises(IRError) as refused:
        read_ir(text, KNOWLEDGE)
    assert refused.value.issues[0].code is code and message in str(refused.value)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (":~ init(full). [1@2]", [1]),
        (":~ init(full). [1@2, a]\n:~ goal(full).\ninit(full).\n:~ not init(full). [-1]", [1, 2, 4]),
        (":~ init(full). [1@2", [1]),
    ],
)
def test_a_weak_constraint_is_one_mistake_with_its_weight(text: str, lines: list[int]) -> None:
    with pytest.raises(IRError) as refused:
        read_ir(text, KNOWLEDGE)
    assert [issue.line for issue in refused.value.issues] == lines
    for issue in refused.value.issues:
        assert "weak constraint" in issue.message and ":- " in issue.fix and "lower-case" not in issue.fix


def test_a_weight_without_a_weak_constraint_is_no_part_of_a_program() -> None:
    with pytest.raises(IRError, match="cannot stand in a program"):
        read_ir(":~ goal(full). init(full). [1@2]\nfull. [2]", KNOWLEDGE)


def test_a_number_that_is_too_large_is_refused_with_the_limit() -> None:
    with pytest.raises(IRError, match=r"1000000000 is too large: numbers have up to 9 digits"):
        read_ir("init(full) :- X = 1000000000.", KNOWLEDGE)


def test_every_mistake_is_told_at_once() -> None:
    with pytest.raises(IRError) as refused:
        read_ir("shot(a).\ninit(full).\nobject(b).", KNOWLEDGE)
    assert [issue.line for issue in refused.value.issues] == [1, 3]
    assert pickle.loads(pickle.dumps(refused.value)).issues == refused.value.issues  # noqa: S301 (our own bytes)


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("init(full). % all\n%* or\n not *%\ngoal(full).", ["init(full).", "goal(full)."]),
        ("init(p(X)) :- object(X, shot), X != a.", ["init(p(X)) :- object(X,shot); X != a."]),
        ("goal(not full).", ["goal(-full)."]),
        ("goal( not  in_hand(X, Y)) :- init(in_hand(X,Y)).", ["goal(-in_hand(X,Y)) :- init(in_hand(X,Y))."]),
        ("goal(not(full)) :- not init(full).", ["goal(-full) :- not init(full)."]),
        ('init(in_hand("cup-1", "Left Hand")).', ["init(in_hand(cup_1,left_hand))."]),
        ("init(p(a; b)). cell(1..3).", ["init(p(a;b)).", "cell((1..3))."]),
        ("1 { init(p(X)) : object(X, t) } 1.", ["1 <= { init(p(X)): object(X,t) } <= 1."]),
        (":- #count { X : object(X, shot) } > 3.", ["#false :- 3 < #count { X: object(X,shot) }."]),
        ("big(X) :- size(X, N), N > 2 * 3.", ["big(X) :- size(X,N); N > (2*3)."]),
        ("", []),
        ("% nothing", []),
    ],
)
def test_what_an_ir_may_say_is_read(text: str, statements: list[str]) -> None:
    assert [s.text.replace("2 * 3", "2*3") for s in read_ir(text, KNOWLEDGE).statements] == statements


def test_a_domain_may_use_the_words_of_an_ir_as_names() -> None:
    domain = (
        "(define (domain d) (:types init map) (:predicates (object ?x - init) (goal) (map ?a ?b ?c - map)))"
    )
    text = "object(a, init). init(object(a)). goal(goal). init(map_(a, b, c)). cardinality(map_, 3)."
    assert len(read_ir(text, Knowledge(domain)).statements) == 5


def test_a_program_in_clingos_words_is_the_same_program() -> None:
    text = "init(p(X)) :- object(X, shot), not q(X).\n:- init(p(a)), { r(X) : s(X) } > 2.\n{ r(1..3; 7) }."
    once = read_ir(text, KNOWLEDGE)
    again = read_ir(once.text, KNOWLEDGE)
    assert [s.text for s in again.statements] == [s.text for s in once.statements]


def test_a_statement_knows_its_place_behind_comments_and_quoted_names() -> None:
    ir = read_ir('% one\n  init(in_hand("cup-1", a)). %* two *% goal(full).', KNOWLEDGE)
    assert [(s.line, s.column) for s in ir.statements] == [(2, 3), (2, 40)]
    assert [s.is_constraint for s in read_ir("a. :- a. {b}.", KNOWLEDGE).statements] == [False, True, False]


def test_the_words_that_are_read_are_those_of_conditions() -> None:
    ir = read_ir("init(p(X)) :- object(X, cup), dry(X). { wet(X) : sink(X) }. goal(q).", KNOWLEDGE)
    assert {"object", "cup", "dry", "sink"} <= ir.read and not {"p", "wet", "goal", "q"} & ir.read


def test_rules_may_call_what_is_ours_and_derive_what_they_like_but_open_nothing() -> None:
    rules = "init(@make_seq(N, l, next, 0)) :- cardinality(level, N). in_hand(X) :- shot(X)."
    assert len(read_rules(Knowledge(KNOWLEDGE.domain, rules)).statements) == 2
    with pytest.raises(IRError, match=r"(?s)no function `make_sequence`.*make_seq"):
        read_rules(Knowledge(KNOWLEDGE.domain, "init(@make_sequence(2, l, next, 0))."))
    with pytest.raises(IRError, match="rules:1:1"):
        read_rules(Knowledge(KNOWLEDGE.domain, '#include "x".'))
