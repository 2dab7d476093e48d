"""Terms: every literal is found once, and removing some leaves exactly the others."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_samples import bundled
from pddl_texts import EVERYTHING

from envs.pddl.language.domain import read_domain
from envs.pddl.language.render import render_domain
from envs.pddl.language.terms import Part, show, terms, tree_of, without_terms
from envs.pddl.mutation.faults import sample_terms

DOMAINS = {name: read_domain(texts[0]) for name, texts in bundled(1).items()} | {
    "everything": read_domain(EVERYTHING)
}
SMALL = read_domain(
    "(define (domain small) (:requirements :adl) (:types a) (:predicates (p ?x - a) (q ?x ?y - a) (r))"
    "(:action act :parameters (?x ?y - a)"
    " :precondition (and (or (p ?x) (not (q ?x ?y))) (forall (?z - a) (q ?z ?x)) (not (r)))"
    " :effect (and (not (p ?x)) (when (and (r) (p ?y)) (q ?x ?y)) (forall (?z - a) (not (q ?z ?z))))))"
)


def texts(domain):
    return [term.text for term in terms(domain)]


def test_terms_are_the_literals_of_preconditions_and_effects_at_any_depth():
    assert texts(SMALL) == [
        "(p ?x)", "(not (q ?x ?y))", "(q ?z ?x)", "(not (r))",
        "(not (p ?x))", "(r)", "(p ?y)", "(q ?x ?y)", "(not (q ?z ?z))",
    ]  # fmt: skip


def test_a_quantified_variable_is_in_reach_only_below_its_quantifier():
    scopes = {term.text: dict(term.scope) for term in terms(SMALL)}
    assert "?z" in scopes["(q ?z ?x)"] and "?z" not in scopes["(p ?x)"]


def test_a_condition_of_an_effect_is_tested_though_it_stands_in_the_effect():
    assert [t.text for t in terms(SMALL) if t.condition and t.part is Part.EFFECT] == ["(r)", "(p ?y)"]


@pytest.mark.parametrize("domain", DOMAINS.values(), ids=DOMAINS)
def test_removing_nothing_keeps_the_domain_and_its_terms(domain):
    again = read_domain(without_terms(domain, ()))
    assert render_domain(again) == render_domain(domain)
    assert terms(again) == terms(domain)


@pytest.mark.parametrize("domain", DOMAINS.values(), ids=DOMAINS)
def test_the_tree_of_a_domain_is_its_text(domain):
    assert render_domain(read_domain(tree_of(domain).render())) == render_domain(domain)


@given(st.sets(st.integers(0, len(terms(SMALL)) - 1)))
def test_what_is_removed_is_gone_and_all_else_stays(removed):
    own = terms(SMALL)
    left = texts(read_domain(without_terms(SMALL, [own[i] for i in removed])))
    expected = [term for i, term in enumerate(own) if i not in removed]
    # Without its effect a `when` goes, and its condition with it.
    if 7 in removed:
        expected = [term for term in expected if term.text not in ("(r)", "(p ?y)")]
    assert left == [term.text for term in expected]


def test_an_action_without_any_term_is_left_with_true_and_no_effect():
    bare = without_terms(SMALL, terms(SMALL))
    tree = tree_of(read_domain(bare))
    assert show(tree.part("act", Part.PRECONDITION)) == "(and)" == show(tree.part("act", Part.EFFECT))


@pytest.mark.parametrize("domain", DOMAINS.values(), ids=DOMAINS)
def test_any_number_of_terms_can_go_and_the_rest_still_reads(domain):
    own = terms(domain)
    for count in (1, len(own) // 2, len(own)):
        drawn = sample_terms(domain, count, np.random.default_rng(3))
        assert len(set(drawn)) == count
        read_domain(without_terms(domain, drawn))


def test_a_term_of_another_domain_is_refused():
    stranger = terms(DOMAINS["everything"])[0]
    with pytest.raises(ValueError, match="not a term of domain 'small'"):
        without_terms(SMALL, (stranger,))
