"""Edits are data: read or refused with a reason, and never run."""

from __future__ import annotations

import ast
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.edits import (
    MAX_REFUSALS,
    ModifyAction,
    NotOneForm,
    SetPredicates,
    read_declaration,
    read_edits,
    read_forms,
)
from agents.replies import call_blocks

MOVE = ModifyAction("move", ("(at ?r ?a)",), ("(at ?r ?b)", "(not (at ?r ?a))"))


@pytest.mark.parametrize(
    "code",
    [
        'modify_action("move", ["(at ?r ?a)"], ["(at ?r ?b)", "(not (at ?r ?a))"])',
        'modify_action(action_name="MOVE", new_effects=("(at ?r ?b)", "(not (at ?r ?a))"),'
        ' new_preconditions="(at  ?R ?a)")',
        'pre = ["(at ?r ?a)"]\nmodify_action("move", pre, new_effects=["(at ?r ?b)", "(not (at ?r ?a))"])',
        '"""First the precondition."""\nmodify_action("move", ["(at ?r ?a) ; where it is"],'
        ' ["(at ?r ?b)", "", "()", "(and)", "(not\\n(at ?r ?a))"])',
    ],
)
def test_one_edit_has_many_spellings(code: str) -> None:
    reading = read_edits([code])
    assert reading.edits == (MOVE,)
    assert reading.refusals == ()


def test_predicates_are_declared_in_the_order_given() -> None:
    code = 'add_or_update_predicates(["(at ?r - robot ?p - (either room hall))", "free ?g", "(Done)"])'
    assert read_edits([code]).edits == (
        SetPredicates(
            (("at", "(at ?r - robot ?p - (either room hall))"), ("free", "(free ?g)"), ("done", "(done)"))
        ),
    )


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("modify_actoin('a', [], [])", "did you mean modify_action?"),
        ("print('hello')", "print is not one of the two functions"),
        ("os.system('touch owned')", "not one of the two functions"),
        ("exec('import os')", "exec is not one"),
        ("__import__('os').system('true')", "not one of the two functions"),
        ("import os", "only calls of"),
        ("for a in names:\n    modify_action(a, [], [])", "only calls of"),
        ("def f():\n    modify_action('a', [], [])", "only calls of"),
        ("add_or_update_predicates([f'(p {x})'])", "not a literal"),
        ("add_or_update_predicates(['(p)' for _ in range(3)])", "not a literal"),
        ("add_or_update_predicates(['(p)'] + ['(q)'])", "not a literal"),
        ("add_or_update_predicates(PREDICATES)", "not a literal"),
        ("x = open('f').read()", "the value of x is not a literal"),
        ("modify_action(*arguments)", "arguments with * or **"),
        ("modify_action(**arguments)", "arguments with * or **"),
        ("modify_action('a', ['(p)'])", "lacks its argument new_effects"),
        ("modify_action('a', [], [], [])", "takes 3 arguments"),
        ("modify_action('a', [], [], parameters=['?x'])", "`parameters` is unknown"),
        ("modify_action('a', [], [], action_name='b')", "given twice"),
        ("modify_action(7, [], [])", "must be an action's name"),
        ("modify_action('a', None, [])", "`new_preconditions` must be a list of strings"),
        ("modify_action('a', [1], [])", "`new_preconditions` must be a list of strings"),
        ("modify_action('a', ['(p'], [])", "not one PDDL form"),
        ("modify_action('a', ['(p))'], [])", "not one PDDL form"),
        ("modify_action('a', ['(p) (q)'], [])", "holds 2 PDDL forms"),
        ("modify_action('a', ['at ?x'], [])", "in parentheses"),
        ("modify_action('a', ['(:action b)'], [])", "neither a predicate nor a connective"),
        ("modify_action('a', ['((p))'], [])", "does not start with a predicate"),
        ("add_or_update_predicates(['(p) (q)'])", "holds 2 PDDL forms"),
        ("add_or_update_predicates(['((p) (q))'])", "declares no predicate"),
        ("add_or_update_predicates(['(:predicates (p))'])", "declares no predicate"),
        ("add_or_update_predicates(['(p (q))'])", "more than one declaration"),
        ("add_or_update_predicates(['(p)) (:action evil :parameters ()'])", "not one PDDL form"),
        ("modify_action('a', [", "syntax error at line 1: `modify_action('a', [`"),
        ("\0", "syntax error"),
    ],
)
def test_what_is_no_edit_is_refused_with_a_reason(code: str, reason: str) -> None:
    reading = read_edits([code])
    assert reading.edits == ()
    assert len(reading.refusals) == 1
    assert reason in reading.refusals[0]


@pytest.mark.parametrize(
    "code",
    [
        "(" * 10_000,
        "modify_action(" + "[" * 90 + "]" * 90 + ")",
        "-" * 60_000 + "1",
        "not " * 20_000 + "1",
        "lambda: " * 10_000 + "1",
        "a" + ".b" * 30_000,
        "a" + "()" * 30_000,
        "a" + "[0]" * 30_000,
        "2" + "**2" * 30_000,
        "f'{" * 10_000,
        "f'" + "{(" * 2_000 + "'",
        "'\\" * 40_000,
        "'''" + "\\a" * 40_000,
        "a if b else " * 5_000 + "c",
        "add_or_update_predicates(['(p ?x)', '" + "(" * 10_000 + ")" * 10_000 + "'])",
        "x" * 2_000_000,
    ],
    ids=lambda code: code[:12],
)
def test_code_that_could_exhaust_the_parser_is_refused(code: str) -> None:
    reading = read_edits([code])
    assert reading.edits == ()
    assert reading.refusals


@given(st.text(max_size=200))
def test_no_text_makes_reading_fail(text: str) -> None:
    reading = read_edits([text, f"modify_action({text!r}, [{text!r}], [{text!r}])"])
    assert all(isinstance(refusal, str) for refusal in reading.refusals)


def test_each_statement_stands_for_itself() -> None:
    code = "import os\nmodify_action('move', ['(at ?r ?a)'], ['(at ?r ?b)', '(not (at ?r ?a))'])\nexec('1')"
    reading = read_edits([code, "modify_action('a', [", "add_or_update_predicates(['(p)'])"])
    assert reading.edits == (MOVE, SetPredicates((("p", "(p)"),)))
    assert [refusal[:20] for refusal in reading.refusals] == [
        "`import os`: only ca",
        "`exec('1')`: exec is",
        "a code block was not",
    ]


def test_nothing_in_the_code_is_run(tmp_path: Path) -> None:
    target = tmp_path / "owned"
    read_edits(
        [f"open({str(target)!r}, 'w')", f"add_or_update_predicates([str(open({str(target)!r}, 'w'))])"]
    )
    assert not target.exists()


def test_many_refusals_are_counted_not_told() -> None:
    refusals = read_edits(["f()\n" * 100]).refusals
    assert len(refusals) == MAX_REFUSALS + 1
    assert refusals[-1] == "80 more statements were refused"


def test_unfenced_calls_of_a_reply_are_read_one_by_one() -> None:
    reply = "First:\nadd_or_update_predicates(['(p)'])\nThen:\nmodify_action('a', [], ['(p)'])"
    assert len(read_edits(call_blocks(reply)).edits) == 2


_WORDS = st.text("abcxyz-", min_size=1, max_size=6).filter(lambda word: word[0] != "-")
_FORMS = st.recursive(
    st.builds(lambda words: f"({' '.join(words)})", st.lists(_WORDS, min_size=1, max_size=4)),
    lambda inner: st.builds(
        lambda word, parts: f"({word} {' '.join(parts)})", _WORDS, st.lists(inner, min_size=1, max_size=3)
    ),
    max_leaves=6,
)


@given(_FORMS)
def test_canonical_forms_read_as_themselves(form: str) -> None:
    assert read_forms(form) == (() if form == "(and)" else (form,))
    assert read_forms(f"\n  {form.upper()} ; remark") == read_forms(form)


def test_an_oversized_string_is_quoted_in_part_only() -> None:
    with pytest.raises(NotOneForm) as fault:
        read_declaration("(" * 5_000)
    assert len(str(fault.value)) < 500


def test_only_one_thread_is_in_the_parser_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    inside, most, parse = 0, 0, ast.parse

    def slowly(*code: Any, **how: Any) -> ast.Module:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        time.sleep(0.005)
        inside -= 1
        return parse(*code, **how)

    monkeypatch.setattr(ast, "parse", slowly)
    code = 'modify_action("move", ["(at ?r ?a)"], ["(at ?r ?b)", "(not (at ?r ?a))"])'
    with ThreadPoolExecutor(8) as threads:
        readings = list(threads.map(read_edits, [[code]] * 16))
    assert most == 1 and all(reading.edits == (MOVE,) for reading in readings)
