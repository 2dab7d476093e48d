"""PDDL out of replies."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pddl_texts import EVERYTHING, EVERYTHING_PROBLEM, GRIPPERS, GRIPPERS_PROBLEM

from envs.pddl.language.extract import Extraction, extract_pddl

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


# --- agreement with an obvious reader, and work ---

PIECES = [
    *("(define", "( define ", " (domain d)", " (problem p)", "(", ")", "()", "; x", "\n", "\n```", "\n> ~~~"),
    *("\n > ", " ", "x", ";", "(:a)", "\n; (define (domain e))", "defined", "```", "d", "(d", ")\n", ""),
]
REPLY = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
_START = re.compile(r"\(\s*define\b", re.IGNORECASE)
_KIND = re.compile(r"\(\s*define(?:\s|;[^\n]*\n)*\(\s*(domain|problem)\b", re.IGNORECASE)
_STEP = re.compile(r"[()]|;[^\n]*|^[ \t>]*(?:```|~~~)", re.MULTILINE)


def obvious(reply: str) -> Extraction:
    """The forms of a reply, read one step after the other, for lines that end with LF."""
    found = {"domain": [], "problem": [], "unbalanced": []}
    position = 0
    while start := _START.search(reply, position):
        position = start.end()
        if reply[: start.start()].rpartition("\n")[2].lstrip().startswith(";"):
            continue
        depth, end = 1, len(reply)
        for step in _STEP.finditer(reply, position):
            depth += {"(": 1, ")": -1}.get(step.group(), 0)
            if depth == 0 or (step.group()[0] not in "();") or _START.match(reply, step.start()):
                end = step.end() if depth == 0 else step.start()
                break
        text, position = reply[start.start() : end], end
        kind = _KIND.match(text)
        if depth:
            found["unbalanced"].append(text.rstrip())
        elif kind:
            found[kind.group(1).lower()].append(text)
    return Extraction(tuple(found["domain"]), tuple(found["problem"]), tuple(found["unbalanced"]))


@given(REPLY)
@settings(max_examples=200)
def test_forms_are_those_of_the_obvious_reader(reply):
    assert extract_pddl(reply) == obvious(reply)


@given(REPLY, st.sampled_from(["\r", "\r\n"]))
def test_lines_may_end_with_cr_or_cr_lf(reply, ending):
    def written(forms):
        return tuple(form.replace("\n", ending) for form in forms)

    plain, found = extract_pddl(reply), extract_pddl(reply.replace("\n", ending))
    assert (found.domains, found.problems) == (written(plain.domains), written(plain.problems))
    assert found.unbalanced == written(plain.unbalanced)


class Copied(str):
    """A text that counts the characters that are cut out of it."""

    count = 0

    def __getitem__(self, place):
        part = super().__getitem__(place)
        self.count += len(part)
        return part


@pytest.mark.parametrize("piece", ["(define ", ";(define ", "(define (x) (define) "])
def test_each_part_of_a_reply_is_copied_at_most_twice(piece):
    text = Copied(piece * 10_000)
    extract_pddl(text)
    assert text.count <= 2 * len(text)
