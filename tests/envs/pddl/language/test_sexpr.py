"""Reading parenthesised text: trees, places and limits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envs.pddl.language.issues import Code, PDDLError
from envs.pddl.language.sexpr import MAX_CHARACTERS, MAX_DEPTH, Group, Source, Word, excerpt, read_sexprs

WORDS = st.text("abcxyz0-?:_", min_size=1, max_size=6).filter(lambda w: "?" not in w[1:])
TREES = st.recursive(WORDS, lambda inner: st.lists(inner, max_size=4), max_leaves=20)


def read(text: str) -> list:
    return read_sexprs(Source(text, "text"))


def issue_of(text: str):
    with pytest.raises(PDDLError) as caught:
        read(text)
    (issue,) = caught.value.issues
    return issue


def written(tree) -> str:
    return tree if isinstance(tree, str) else f"({' '.join(map(written, tree))})"


def lists(node):
    return node.text if isinstance(node, Word) else [lists(n) for n in node.items]


@given(st.lists(TREES, max_size=4))
def test_what_is_written_is_read(trees):
    assert [lists(node) for node in read(" ".join(map(written, trees)))] == trees


@given(st.lists(TREES, min_size=1, max_size=3), st.sampled_from(["\n", " \t", " ; (a ) comment\n", "\r\n"]))
def test_blanks_and_comments_do_not_count(trees, gap):
    text = " ".join(map(written, trees))
    spread = text.replace(" ", "@").replace("(", f"{gap}({gap}").replace("@", gap)
    assert [str(n) for n in read(spread)] == [str(n) for n in read(text)]


@given(st.lists(TREES, min_size=1, max_size=3))
def test_every_node_knows_where_it_stands(trees):
    text = "\n".join(map(written, trees)).upper()
    waiting = read(text)
    source = Source(text, "text")
    while waiting:
        node = waiting.pop()
        issue = source.issue(Code.SYNTAX, node.at, "", "")
        line = text.split("\n")[issue.line - 1]
        assert line == issue.snippet
        start = "(" if isinstance(node, Group) else node.text.upper()
        assert line[issue.column - 1 :].startswith(start)
        waiting.extend(node.items if isinstance(node, Group) else [])


def test_symbols_are_lower_case_but_the_line_is_kept():
    source = Source("(A Bc)", "text")
    (group,) = read_sexprs(source)
    assert str(group) == "(a bc)"
    assert source.issue(Code.SYNTAX, group.at, "", "").snippet == "(A Bc)"


def test_a_question_mark_starts_a_word():
    assert str(read("(p?x?y)")[0]) == "(p ?x ?y)"


def test_ten_thousand_parentheses_are_too_deep():
    for text in ("(" * 10_000, "(" * 10_000 + ")" * 10_000):
        assert issue_of(text).code is Code.TOO_LARGE


def test_nesting_is_read_up_to_the_limit():
    assert len(read("(" * MAX_DEPTH + ")" * MAX_DEPTH)) == 1
    assert issue_of("(" * (MAX_DEPTH + 1)).code is Code.TOO_LARGE


def test_a_ten_megabyte_text_is_refused_and_its_issue_is_small():
    issue = issue_of("(a)" * 3_500_000)
    assert issue.code is Code.TOO_LARGE
    assert len(issue.render()) < 500
    assert MAX_CHARACTERS < 10_000_000


def test_an_issue_in_a_huge_line_shows_its_surroundings():
    text = "(p) " * 5_000 + ") (q)"
    issue = issue_of(text)
    assert issue.column == 20_001
    shown, caret = issue.render().split("\n")[1:3]
    assert len(shown) < 120
    assert shown[caret.index("^")] == ")"


def test_a_surplus_parenthesis_is_located():
    issue = issue_of("(a\n  (b)))")
    assert (issue.code, issue.line, issue.column) == (Code.UNBALANCED, 2, 7)


def test_the_form_that_is_never_closed_is_located():
    issue = issue_of("(a\n  (b\n (c)")
    assert (issue.code, issue.line, issue.column) == (Code.UNBALANCED, 2, 3)


def test_a_section_inside_a_section_shows_which_one_is_open():
    text = "(define (domain d)\n (:predicates (p)\n (:action a :effect (p)))"
    issue = issue_of(text)
    assert (issue.line, issue.column) == (2, 2)
    assert "(:predicates ...) is not closed before (:action a ...) in line 3" in issue.message


def test_a_field_inside_a_condition_shows_which_condition_is_open():
    text = "(define (domain d)\n (:action a\n :precondition (and (p)\n :effect (q)))"
    issue = issue_of(text)
    assert (issue.line, issue.column) == (3, 16)
    assert "(and ...) is not closed before :effect in line 4" in issue.message


def test_a_section_after_the_end_shows_the_early_parenthesis():
    issue = issue_of("(define (domain d))\n (:action a :effect (p)))")
    assert issue.line == 2
    assert "before it came too early" in issue.message


@given(TREES, st.integers(0, 30))
def test_an_excerpt_is_the_beginning_of_the_text(tree, limit):
    (node,) = read(written(tree))
    short = excerpt(node, limit)
    assert str(node).startswith(short)
    assert len(short) > limit or short == str(node)
