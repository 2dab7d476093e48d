"""Quantifiers over several variables are said for each of them."""

from __future__ import annotations

from collections.abc import Sequence

from envs.pddl.language.domain import read_domain
from envs.pddl.language.prose import say_action

DOMAIN = """(define (domain d) (:requirements :adl) (:types cup oven)
  (:predicates (in ?c - cup ?o - oven) (hot ?o - oven))
  (:action heat :parameters (?o - oven)
    :precondition (and (exists (?c - cup ?e - oven) (in ?c ?e))
      (forall (?c - cup ?e - oven) (not (in ?c ?e))))
    :effect (forall (?c - cup ?e - oven) (when (in ?c ?e) (hot ?e)))))"""


def clause(predicate: str, terms: Sequence[str], holds: bool) -> str:
    return f"{predicate} {' '.join(terms)} is {holds}"


def test_quantifiers_over_several_variables_introduce_each_by_its_own_word() -> None:
    said = say_action(read_domain(DOMAIN).actions["heat"], clause, str)
    assert "there is a cup X and an oven Y such that (in X Y is True)" in said
    assert "for every cup X and every oven Y (in X Y is False)" in said
    assert "for every cup X and every oven Y (if before it in X Y is True, then hot Y is True)" in said
