"""Replies in sections: headings of any kind, lists of any kind, and faults that say what was expected."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.replies import MAX_REPLY_CHARS, ReplyTooLarge
from agents.worldmodel.check import judge, read_reply
from agents.worldmodel.model import ActionBrief, Brief, PredicateNote, WorldModel
from envs.pddl.diagnosis.diagnose import diagnose

PLAIN = """The package has to lie there.

### Parameters
1. ?p - package: the package
2. ?l-from - location: where it lies
### Precondition
```pddl
(and (at ?p ?l-from) (not (lost ?p)))
```
### Effect
```pddl
(not (at ?p ?l-from))
```
### New predicates
1. (at ?p - package ?l - location): true if ?p lies at ?l
2. (lost ?p - package): true if ?p is lost
"""
OTHERWISE = {
    "bold headings": PLAIN.replace("### Parameters", "**Parameters:**").replace("### Effect", "**Effect**:"),
    "plain headings in plural": PLAIN.replace("### Precondition", "Preconditions:").replace("### ", "## "),
    "other fences": PLAIN.replace("```pddl", "~~~").replace("```", "~~~"),
    "no fences": PLAIN.replace("```pddl\n", "").replace("```\n", ""),
    "bullets and code": PLAIN.replace("1. ?p - package:", "- `?p` - package,").replace(
        "2. (lost ?p - package):", "* `(lost ?p - package)` -"
    ),
    "capitals": PLAIN.replace("?p - package", "?P - Package").replace("(at ?p", "(AT ?P"),
    "crlf": PLAIN.replace("\n", "\r\n"),
    "a second thought": PLAIN.replace(
        "### New", "### Effect\n```\n(not (at ?p ?l-from))\n```\n### New"
    ).replace("(not (at ?p ?l-from))", "(lost ?p)", 1),
    "a comment in the PDDL": PLAIN.replace("(not (lost ?p))", "; it is there\n (not (lost ?p))"),
}


@pytest.mark.parametrize("way", OTHERWISE)
def test_the_same_answer_is_read_however_it_is_laid_out(way: str) -> None:
    assert read_reply(OTHERWISE[way]) == read_reply(PLAIN)


def test_an_answer_is_read_into_its_parts() -> None:
    (read,) = read_reply(PLAIN)
    assert read.faults == () and read.action is None
    assert [(p.name, p.type, p.meaning) for p in read.parameters or ()] == [
        ("?p", "package", "the package"),
        ("?l-from", "location", "where it lies"),
    ]
    assert read.precondition == "(and (at ?p ?l-from) (not (lost ?p)))"
    assert read.effect == "(not (at ?p ?l-from))"
    assert [str(note) for note in read.predicates] == [
        "(at ?p - package ?l - location): true if ?p lies at ?l",
        "(lost ?p - package): true if ?p is lost",
    ]


@pytest.mark.parametrize("nothing", ["none", "None.", "- none", "No newly defined predicate", "", "()"])
def test_sections_may_say_that_there_is_nothing(nothing: str) -> None:
    heads = ("### Parameters", "### Precondition", "### New predicates")
    said = "\n".join(f"{head}\n{nothing}" for head in heads)
    (read,) = read_reply(f"{said}\n### Effect\n(on)")
    assert (read.parameters, read.precondition, read.predicates, read.faults) == ((), "", (), ())


def test_several_actions_have_their_own_headings() -> None:
    one, two = read_reply(f"First:\n\n### Action: load\n{PLAIN}\n\n**Action:** `unload-it`\n{PLAIN}")
    assert (one.action, two.action) == ("load", "unload-it")
    assert one.effect == two.effect and not one.faults


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        ("I cannot say.", "there is no section `Precondition`; expected: one PDDL condition in a code block"),
        (
            PLAIN.replace("### Effect", "### Outcome"),
            "there is no section `Effect`; expected: one PDDL effect",
        ),
        (
            PLAIN.replace("?l-from - location: where", "?- location"),
            "is no parameter; expected: a numbered list",
        ),
        (PLAIN.replace("(not (lost ?p)))", "(not (lost ?p))"), "Precondition: .* is not one PDDL form"),
        (PLAIN.replace("(not (at ?p ?l-from))", "(lost ?p) (at ?p)"), "Effect: .* holds 2 PDDL forms"),
        (PLAIN.replace("(lost ?p - package)", "(?p - package)"), "declares no predicate"),
    ],
)
def test_what_cannot_be_read_is_named_with_what_was_expected(reply: str, fault: str) -> None:
    (read,) = read_reply(reply)
    assert any(re.search(fault, said, re.DOTALL) for said in read.faults), read.faults


def test_a_reply_without_end_is_refused_unread() -> None:
    with pytest.raises(ReplyTooLarge):
        read_reply("(" * (MAX_REPLY_CHARS + 1))
    (deep,) = read_reply("### Precondition\n" + "(" * 50_000 + "\n### Effect\n(on)")
    assert deep.faults


@pytest.mark.parametrize(
    "unit",
    [
        "### Effect\n",
        "### Action: x\n### Effect\n(on)\n",
        "```\n### Effect\n",
        "1. (p ?x): so\n",
        "(and ",
        "?x - ",
        "((",
    ],
)
def test_a_reply_that_repeats_itself_without_end_is_read_up_to_a_bound(unit: str) -> None:
    assert len(read_reply(f"### New predicates\n{unit * (400_000 // len(unit))}")) <= 200


PIECES = [
    *(
        "### ",
        "**",
        "Action: wash",
        "Parameters",
        "Precondition",
        "Effect",
        "New predicates",
        ":",
        "\n",
        "\n\n",
    ),
    *(
        "```",
        "```pddl",
        "~~~",
        "(and",
        "(not",
        "(clean ?c)",
        "(clean",
        ")",
        "?c - cup",
        "1. ",
        "- ",
        "none",
        "()",
    ),
    *(
        "(when (clean ?c) (clean ?c))",
        "(forall (?d - cup)",
        ";",
        "`",
        " ",
        "\x00",
        "é",
        ":effect",
        "(define (domain",
    ),
]


BODIES = st.lists(st.sampled_from(PIECES), max_size=8).map("".join)
SECTIONS = st.tuples(BODIES, BODIES, BODIES, BODIES).map(
    lambda b: (
        f"### Parameters\n1. ?c - cup: c\n{b[0]}\n### Precondition\n{b[1]}\n### Effect\n{b[2]}"
        f"\n### New predicates\n{b[3]}"
    )
)


@given(BODIES | SECTIONS)
def test_no_reply_breaks_the_reader_and_what_is_taken_from_it_reads(reply: str) -> None:
    brief = Brief("kitchen", "", {"cup": None}, (ActionBrief("wash", "It washes."),))
    model = WorldModel(brief, (PredicateNote("clean", "(clean ?x - cup)", "true if ?x is clean"),))
    judged = judge(reply, model, "wash")
    assert judged.faults or not judged.model.unwritten
    assert diagnose(judged.model.text()).valid
