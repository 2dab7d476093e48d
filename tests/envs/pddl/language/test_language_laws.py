"""Laws of reading: what a typed list means, where an error stands, when two domains have the same rules."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envs.pddl.language import sexpr
from envs.pddl.language.domain import read_domain
from envs.pddl.language.issues import Code, PDDLError
from envs.pddl.language.render import render_domain
from envs.pddl.language.sexpr import Source, read_sexprs
from envs.pddl.language.terms import same_rules, terms, typed, without_terms

SMALL = read_domain(
    "(define (domain small) (:requirements :adl) (:types a) (:predicates (p ?x - a) (q ?x ?y - a) (r))"
    "(:action act :parameters (?x ?y - a)"
    " :precondition (and (or (p ?x) (not (q ?x ?y))) (forall (?z - a) (q ?z ?x)) (not (r)))"
    " :effect (and (not (p ?x)) (when (and (r) (p ?y)) (q ?x ?y)) (forall (?z - a) (not (q ?z ?z)))))"
    "(:action rest :parameters () :precondition (r) :effect (and (not (r)))))"
)

NAMES = st.sampled_from(["?x", "?y", "?z", "room"])
KINDS = st.sampled_from(["object", "place", "thing"])
TYPED = st.lists(st.tuples(st.lists(NAMES, min_size=1, max_size=3), KINDS), max_size=3)


class Watched(tuple[str, ...]):
    """A list that ends a reader which looks at it again and again."""

    def __new__(cls, items: list[str]) -> Watched:
        made = super().__new__(cls, items)
        made.left = 4 * len(items)
        return made

    def __getitem__(self, place):
        self.left -= 1
        assert self.left >= 0, "read for ever"
        return super().__getitem__(place)


@settings(max_examples=30)
@given(TYPED, st.lists(NAMES, max_size=2))
def test_names_have_the_next_type_that_follows_or_none_and_each_is_read_once(groups, untyped):
    written = [part for names, kind in groups for part in (*names, "-", kind)] + untyped
    meant = [(name, kind) for names, kind in groups for name in names]
    assert typed(Watched(written)) == (*meant, *((name, "object") for name in untyped))


@pytest.mark.parametrize("first", ["", "\n", " ", "(a)\n"])
@pytest.mark.parametrize("more", [0, 1, 200])
def test_a_text_is_read_up_to_the_limit_and_beyond_it_the_whole_of_it_is_to_blame(monkeypatch, first, more):
    text = first + "(b)"
    text += " " * more
    monkeypatch.setattr(sexpr, "MAX_CHARACTERS", len(text))
    assert len(read_sexprs(Source(text, "it"))) == text.count("(")
    with pytest.raises(PDDLError) as caught:
        read_sexprs(Source(text + " ", "it"))
    (issue,) = caught.value.issues
    assert (issue.code, issue.line, issue.column) == (Code.TOO_LARGE, 1, 1)


def test_rules_are_the_same_after_writing_and_other_ones_without_any_literal() -> None:
    assert same_rules(SMALL, SMALL) and same_rules(SMALL, read_domain(render_domain(SMALL)))
    for term in terms(SMALL):
        less = read_domain(without_terms(SMALL, [term]))
        assert not same_rules(SMALL, less) and not same_rules(less, SMALL), term.text
        assert same_rules(less, read_domain(render_domain(less)))
