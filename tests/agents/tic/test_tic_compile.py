"""What was inferred becomes the problem that it is, in canonical form, or is told where it does not fit."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tarski.syntax import Atom, CompoundFormula, Formula

from agents.tic.allow import read_ir
from agents.tic.compile import compile_problem
from agents.tic.inference_child import Facts, answer
from agents.tic.knowledge import Knowledge, NameTable
from agents.tic.program import program_of
from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.pddl.language.render import render_problem
from envs.registry import WORLDS
from envs.source import read_texts

DOMAIN = """(define (domain d) (:requirements :typing :action-costs)
  (:types cup shot - container hand)
  (:constants left - hand)
  (:predicates (on ?a ?b - container) (in-hand ?c - container ?h - hand) (full))
  (:functions (total-cost) - number))"""
KNOWLEDGE = Knowledge(DOMAIN)
BASE = (("left", "hand"), ("left", "object"))


def literals(goal: Formula) -> list[tuple[bool, tuple[str, ...]]]:
    """The literals of a goal that is a conjunction of literals."""
    if isinstance(goal, CompoundFormula) and str(goal.connective) == "and":
        return [literal for part in goal.subformulas for literal in literals(part)]
    if isinstance(goal, CompoundFormula):
        (inner,) = goal.subformulas
        return [(not holds, fact) for holds, fact in literals(inner)]
    assert isinstance(goal, Atom)
    return [(True, (str(goal.predicate.symbol), *(str(t.symbol) for t in goal.subterms)))]


def stated(problem: Problem, names: NameTable) -> str:
    """An IR that states every fact of a problem."""
    asp = names.asp
    lines = [f"object({asp(name)}, {asp(kind)})." for name, kind in problem.objects.items()]
    goals = ((holds, asp(p), ", ".join(map(asp, rest))) for holds, (p, *rest) in literals(problem.goal))
    facts = ((asp(p), ", ".join(map(asp, rest))) for p, *rest in problem.init)
    lines += [f"init({p}({rest}))." if rest else f"init({p})." for p, rest in facts]
    lines += [f"goal({'' if holds else 'not '}{p}{f'({rest})' if rest else ''})." for holds, p, rest in goals]
    return "\n".join(lines)


def all_facts(text: str, knowledge: Knowledge) -> Facts:
    reply = answer(program_of(read_ir(text, knowledge), knowledge).text)
    (model,) = reply.models
    return model


@pytest.mark.parametrize("world", WORLDS)
def test_a_problem_that_is_stated_fact_by_fact_comes_back_as_it_was(world: str) -> None:
    texts = read_texts(world, 1)
    problem = read_problem(texts.problem, read_domain(texts.domain))
    if "(or " in render_problem(problem) or "(forall " in render_problem(problem):
        pytest.skip("an IR states literals")
    knowledge = replace(Knowledge(texts.domain), objects=tuple(problem.objects))
    compiled = compile_problem(all_facts(stated(problem, knowledge.names), knowledge), knowledge)
    assert compiled.faults == () and compiled.problem is not None
    again = read_problem(compiled.problem, problem.domain)
    assert (again.objects, again.init, again.costs) == (problem.objects, problem.init, problem.costs)
    assert sorted(literals(again.goal)) == sorted(literals(problem.goal))
    assert render_problem(again) == compiled.problem


def test_the_text_is_canonical_and_leaves_helpers_out() -> None:
    facts = Facts(
        (*BASE, ("shot10", "shot"), ("shot2", "container"), ("shot2", "shot"), ("a", "cup"), ("x", "lid")),
        (("wet", "a"), ("on", "shot10", "a"), ("map", "shot", "on", "cup"), ("full",)),
        ((True, ("on", "shot10", "a")), (True, ("on", "shot2", "a")), (False, ("full",)), (True, ("dry",))),
    )
    assert compile_problem(facts, KNOWLEDGE, "first").problem == (
        "(define (problem first)\n"
        "  (:domain d)\n"
        "  (:objects a - cup shot2 shot10 - shot)\n"
        "  (:init\n"
        "    (full)\n"
        "    (on shot10 a)\n"
        "    (= (total-cost) 0))\n"
        "  (:goal\n"
        "    (and (not (full)) (on shot2 a) (on shot10 a))))\n"
    )


def test_the_order_of_the_facts_changes_nothing() -> None:
    objects = (*BASE, ("b", "cup"), ("a", "cup"), ("a", "container"))
    goal = ((True, ("on", "a", "b")), (False, ("full",)))
    one = compile_problem(Facts(objects, (("on", "b", "a"), ("full",)), goal), KNOWLEDGE)
    other = compile_problem(Facts(objects[::-1], (("full",), ("on", "b", "a")), goal[::-1]), KNOWLEDGE)
    assert one == other and one.problem


def test_cost_is_minimised_where_the_example_says_so() -> None:
    facts = Facts(BASE, (), ((True, ("full",)),))
    metric = "(:metric minimize (total-cost))"
    assert metric not in (compile_problem(facts, KNOWLEDGE).problem or "")
    like = replace(KNOWLEDGE, example_problem=f"(define (problem p) (:domain d) {metric})")
    assert metric in (compile_problem(facts, like).problem or "")


@pytest.mark.parametrize(
    ("objects", "init", "goal", "words"),
    [
        ((), (("full",),), (), "no goal"),
        ((), (("full",),), ((True, ("dry",)),), "no goal"),
        ((("a", "cup"),), (("on", "a"),), ((True, ("full",)),), "init(on(a)) has 1 argument, but on takes 2"),
        ((("a", "cup"),), (), ((False, ("full", "a")),), "goal(-full(a)) has 1 argument, but full takes 0"),
        (
            (("a", "cup"), ("1", "cup")),
            (("on", "a", "1"),),
            ((True, ("full",)),),
            "1 stands where an object's name is expected, in init(on(a, 1))",
        ),
        (
            (("a", "cup"), ("a", "hand")),
            (("in_hand", "a", "a"),),
            ((True, ("full",)),),
            "a cannot be of more than one type, but it is stated or used as cup; hand by init(in_hand(a, a))",
        ),
        ((("left", "cup"),), (), ((True, ("full",)),), "left cannot be of more than one type"),
    ],
)
def test_what_does_not_fit_is_told_and_not_dropped(
    objects: tuple[tuple[str, str], ...],
    init: tuple[tuple[str, ...], ...],
    goal: tuple[tuple[bool, tuple[str, ...]], ...],
    words: str,
) -> None:
    compiled = compile_problem(Facts((*BASE, *objects), init, goal), KNOWLEDGE)
    assert compiled.problem is None and words in "\n".join(compiled.faults), compiled.faults


def test_terms_and_names_that_read_alike_stay_different_objects() -> None:
    things = ("tile(1,2)", "tile_1_2", "aB", "ab")
    facts = Facts(
        (*BASE, *((thing, "cup") for thing in things)),
        (("on", *things[:2]), ("on", *things[2:])),
        ((True, ("full",)),),
    )
    problem = read_problem(compile_problem(facts, KNOWLEDGE).problem or "", read_domain(DOMAIN))
    assert len(problem.objects) == 5 and len({name for atom in problem.init for name in atom[1:]}) == 4


def test_a_domain_without_types_takes_objects_of_any() -> None:
    plain = Knowledge("(define (domain blocks) (:predicates (on ?a ?b) (clear ?a)))")
    facts = all_facts("cardinality(block, 2). init(on(block1, table)). goal(clear(block2)).", plain)
    problem = read_problem(compile_problem(facts, plain).problem or "", read_domain(plain.domain))
    assert problem.objects == {"block1": "object", "block2": "object", "table": "object"}


def test_a_union_is_the_type_of_what_is_known_to_be_of_it_alone() -> None:
    mixed = Knowledge(
        """(define (domain d) (:requirements :typing) (:types cup hand)
             (:predicates (near ?x - (either cup hand))))"""
    )
    facts = all_facts("init(near(a)). init(near(b)). object(b, hand). goal(near(a)).", mixed)
    problem = read_problem(compile_problem(facts, mixed).problem or "", read_domain(mixed.domain))
    assert problem.objects == {"a": "(either cup hand)", "b": "hand"}
