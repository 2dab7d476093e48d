"""PDDL out of replies."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pddl_texts import EVERYTHING, EVERYTHING_PROBLEM, GRIPPERS, GRIPPERS_PROBLEM

from envs.pddl.extract import Extraction, extract_pddl

DOMAIN = GRIPPERS.strip()
PROBLEM = GRIPPERS_PROBLEM.strip()
PROSE = st.text("abc .,;:'`*#\n\"()", max_size=60).map(lambda text: text.replace("`" * 3, "") + "\n")

REPLIES = {
    "bare": f"{DOMAIN}\n{PROBLEM}",
    "pddl fences": f"Sure (gladly)!\n```pddl\n{DOMAIN}\n```\nand\n```pddl\n{PROBLEM}\n```\nDone :)",
    "unlabelled fences": f"```\n{DOMAIN}\n```\n\n```\n{PROBLEM}\n```",
    "other labels": f"```lisp\n{DOMAIN}\n```\n~~~text\n{PROBLEM}\n~~~",
    "nested fences": f"````markdown\n```pddl\n{DOMAIN}\n```\n````\n{PROBLEM}",
    "one fence for both": f"```pddl\n{DOMAIN}\n\n{PROBLEM}\n```",
    "quoted": f"> Here:\n{DOMAIN} {PROBLEM}",
    "commented out": f"; (define (domain old) ...\n{DOMAIN}\n;; (define (x))\n{PROBLEM}",
    "a correction comes last": f"(define (domain first))\n No, better:\n{DOMAIN}{PROBLEM}",
    "something else is defined": f"(define (plan p) (x))\n{DOMAIN}{PROBLEM}",
}


@pytest.mark.parametrize("name", REPLIES)
def test_the_last_domain_and_problem_are_found(name):
    found = extract_pddl(REPLIES[name])
    assert (found.domain, found.problem) == (DOMAIN, PROBLEM)
    assert found.unbalanced == ()


@given(
    st.lists(st.sampled_from([GRIPPERS, EVERYTHING, GRIPPERS_PROBLEM, EVERYTHING_PROBLEM]), max_size=4), PROSE
)
def test_every_form_is_found_whatever_stands_between(texts, prose):
    found = extract_pddl(prose + prose.join(texts) + prose)
    assert found.domains == tuple(t.strip() for t in texts if "(:action" in t)
    assert found.problems == tuple(t.strip() for t in texts if "(:action" not in t)


def test_several_domains_are_all_listed_and_the_last_counts():
    found = extract_pddl("(define (domain a)) (define (domain b))")
    assert found.domains == ("(define (domain a))", "(define (domain b))")
    assert found.domain == "(define (domain b))"


def test_no_form_is_an_empty_extraction():
    assert extract_pddl("I cannot do that (sorry).") == Extraction()
    assert extract_pddl("").domain is None


def test_parentheses_in_comments_do_not_count():
    text = "(define (domain d) ; a smiley :)\n (:predicates (p)) ; (((\n)"
    assert extract_pddl(text).domain == text


def test_a_comment_may_stand_before_the_kind():
    assert extract_pddl("( DEFINE ; first\n (Domain d))").domains != ()


@pytest.mark.parametrize("ending", ["\n```\nThat is it.", "\n", "\n(define (problem p))"])
def test_a_form_that_never_closes_is_kept_apart(ending):
    broken = DOMAIN[:-1]
    found = extract_pddl(f"```\n{broken}{ending}")
    assert found.domains == ()
    assert found.unbalanced == (broken,)


def test_a_form_after_a_broken_one_is_found():
    assert extract_pddl(f"{DOMAIN[:-2]}\n{PROBLEM}").problem == PROBLEM


def test_a_ten_megabyte_reply_is_not_looked_at():
    assert extract_pddl("(" * 10_000_000) == Extraction(too_large=True)


@given(st.text("(define domain)(;`\n ", max_size=200))
def test_any_text_is_survived_and_forms_are_balanced(text):
    for form in extract_pddl(text).domains:
        assert form in text
        assert form.startswith("(") and form.endswith(")")
