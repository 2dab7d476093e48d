"""Texts read back: agreement exactly if the same atoms come back, and no verdict where none can be given."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.describe import Reader, compared
from agents.llm.interface import Completion, Finish
from agents.llm.scripted import ScriptedModel
from envs.pddl.diagnosis.problem import check_problem
from envs.pddl.language.domain import read_domain

DOMAIN = read_domain("""(define (domain lamps) (:requirements :typing) (:types lamp room)
  (:predicates (in ?l - lamp ?r - room) (on ?l - lamp))
  (:action light :parameters (?l - lamp) :precondition (not (on ?l)) :effect (on ?l)))""").vocabulary
FACTS = ("(in a hall)", "(in b hall)", "(in a attic)", "(on a)", "(on b)")


def problem(init: str, goal: str = "(on a)") -> str:
    return (
        "(define (problem p) (:domain lamps) (:objects a b - lamp hall attic - room)\n"
        f"  (:init {init}) (:goal {goal}))"
    )


def reader(*replies: str | Completion) -> Reader:
    return Reader(ScriptedModel(replies), DOMAIN, "Lamps stand in rooms.", "(on ?l - lamp): ?l shines")


@given(st.sets(st.sampled_from(FACTS)), st.sets(st.sampled_from(FACTS)))
def test_every_fact_that_only_one_side_has_is_a_difference(said: set[str], meant: set[str]) -> None:
    back = reader(problem(" ".join(sorted(said)))).compare("…", problem(" ".join(sorted(meant))), 0)
    named = {fact for fact in FACTS if any(fact in difference for difference in back.differences)}
    assert named == said ^ meant
    assert len(back.differences) == len(named)
    assert back.agrees == (said == meant)


def test_order_case_nesting_and_repetition_do_not_count() -> None:
    said = problem("(on b) (IN A hall) (on b)", "(and (and (on b) (on a)) (on a))")
    assert reader(said).compare("…", problem("(in a hall) (on b)", "(and (on a) (on b))"), 0).agrees


def test_a_goal_must_have_the_same_signs() -> None:
    back = reader(problem("", "(not (on a))")).compare("…", problem("", "(on a)"), 0)
    assert back.differences == (
        "the goal (on a) was not found in the text",
        "the goal (not (on a)) was found in the text, but the task has none such",
    )


def test_a_goal_that_is_no_list_of_facts_is_equal_or_left_open() -> None:
    every = problem("", "(forall (?l - lamp) (on ?l))")
    assert reader(every).compare("…", every, 0).agrees
    back = reader(problem("", "(forall (?x - lamp) (on ?x))")).compare("…", every, 0)
    assert back.differences == () and "more than a list of facts" in (back.unread or "")


def test_garbage_is_sent_back_once_and_then_nothing_is_known() -> None:
    wanted = problem("(on a)")
    assert reader("no idea", problem("(on a)")).compare("…", wanted, 0).agrees
    for garbage, why in [
        ("no idea", "no whole"),
        (problem("(on c)"), "undeclared_object"),
        (problem("(shines a)"), "undeclared_predicate"),
        (problem("(on a)")[:-3], "no whole"),
        (Completion(problem("(on a)"), Finish.LENGTH), "cut off"),
    ]:
        back = reader(garbage, garbage).compare("…", wanted, 0)
        assert back.differences == () and why in (back.unread or ""), garbage


def test_the_reader_is_shown_the_text_and_the_objects_but_not_the_facts() -> None:
    seen = []

    def reply(messages, index, seed):  # type: ignore[no-untyped-def]
        seen.append("\n".join(m.content for m in messages))
        return problem("(on b)")

    Reader(ScriptedModel(reply), DOMAIN, "Lamps.", "(on ?l)").compare("Only b shines.", problem("(on b)"), 0)
    assert "Only b shines." in seen[0] and "a b - lamp" in seen[0] and "(on b)" not in seen[0]


def test_costs_do_not_count() -> None:
    domain = read_domain("""(define (domain lamps) (:requirements :typing :action-costs) (:types lamp)
      (:predicates (on ?l - lamp)) (:functions (total-cost) - number)
      (:action light :parameters (?l - lamp) :effect (and (on ?l) (increase (total-cost) 1))))""").vocabulary
    plain = "(define (problem p) (:domain lamps) (:objects a - lamp) (:init (on a)) (:goal (on a)))"
    costly = plain.replace("(:init ", "(:init (= (total-cost) 0) ")
    assert compared(check_problem(plain, domain), check_problem(costly, domain)).agrees
