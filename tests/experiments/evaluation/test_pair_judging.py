"""Translations held against their pairs: three measures, and mistakes by kind."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from envs.pddl.language.domain import Domain, read_domain
from envs.pddl.planning.planner import Planner, PlanOutcome
from envs.planetarium.pairs import Pair
from envs.planetarium.source import pairs_behind
from envs.source import read_texts
from experiments.evaluation.judge import MachineFault
from experiments.evaluation.judging import Mistake, judged, pair_at
from experiments.runs.details import Answer, JudgedTranslation

PLANNER = Planner()


@cache
def pairs() -> list[Pair]:
    """Some pairs of either world; drawn where a test asks, as it takes a while."""
    return [pair for world in ("blocksworld", "gripper") for pair in pairs_behind(world, 16)]


@cache
def domain(world: str) -> Domain:
    return read_domain(read_texts(world, 1).domain)


def judge(text: str, pair: Pair, planner: Planner = PLANNER) -> JudgedTranslation:
    return judged(text, pair, domain(pair.world), planner)[0]


def without(pair: Pair, section: str, atom: str) -> str:
    head, tail = pair.problem.split(section)
    assert f"({atom})" in tail
    return head + section + tail.replace(f"({atom})", "", 1)


def goal_atoms(pair: Pair) -> list[str]:
    return re.findall(r"\(([a-z][^()]*)\)", pair.problem.split("(:goal")[1])


def renamed(pair: Pair, names: dict[str, str]) -> str:
    return re.sub(r"\b([a-z]+\d+)\b(?=[\s)])", lambda m: names.get(m[1], m[1]), pair.problem)


def test_the_truth_itself_is_right_whatever_stands_around_it():
    for pair in pairs():
        record = judge(f"Well,\n(define (problem unclosed)\n```pddl\n{pair.problem}```\nThat is all.", pair)
        assert record.parseable and record.solvable and record.correct and not record.mistakes
        assert record.planner == "rules" and record.plan == PlanOutcome.SOLVED


def test_other_names_are_as_right():
    for pair in pairs():
        old = sorted(set(re.findall(r"\b[a-z]+\d+\b", pair.problem.split("(:objects")[1])))
        new = np.random.default_rng(0).permutation(len(old)).tolist()
        record = judge(renamed(pair, {name: f"x{i}" for name, i in zip(old, new, strict=True)}), pair)
        assert record.correct


def test_names_may_be_mixed_up_in_the_goal_exactly_where_the_text_leaves_them_open():
    changed = 0
    for pair in pairs():
        names = sorted({w for atom in goal_atoms(pair) for w in atom.split()[1:] if w[0] == "b"})
        if not names:
            continue
        turned = dict(zip(names, [*names[1:], names[0]], strict=True))
        head, tail = pair.problem.split("(:goal")
        other = renamed(replace(pair, problem=f"{tail} "), turned)
        record = judge(f"{head}(:goal{other}", pair)
        assert record.correct or not pair.placeholder
        changed += not record.correct
        assert record.correct or set(record.mistakes) <= {
            Mistake.GOAL_MISSING, Mistake.GOAL_EXTRA, Mistake.GOAL_ARRANGED,
        }  # fmt: skip
    assert changed


def test_a_goal_atom_less_is_a_mistake_exactly_if_it_is_not_implied():
    found = set()
    for pair in pairs():
        for atom in goal_atoms(pair)[:2]:
            record = judge(without(pair, "(:goal", atom), pair)
            found.add(record.meaning)
            assert record.mistakes == (() if record.correct else (Mistake.GOAL_MISSING,))
            assert atom.split()[0] != "at" or not record.correct
            assert atom != "handempty" or record.correct
    assert found == {"equivalent", "different"}


def test_mistakes_are_told_apart():
    explicit = [p for p in pairs_behind("blocksworld", 64) if p.style == "explicit to explicit"]
    piled = {p: re.findall(r"\(on (b\d+) ", p.problem.split("(:goal")[0]) for p in explicit}
    pair = min((p for p in explicit if piled[p]), key=lambda pair: pair.size)
    free = piled[pair][0]
    less_init = judge(without(pair, "(:init", "handempty"), pair)
    assert less_init.mistakes == (Mistake.INIT_MISSING,) and less_init.part == "init"
    more_init = judge(pair.problem.replace("(:init", f"(:init (ontable {free})"), pair)
    assert more_init.mistakes == (Mistake.INIT_EXTRA,)
    more_objects = pair.problem.replace("(:objects", "(:objects extra")
    assert judge(more_objects, pair).mistakes == (Mistake.OBJECTS_EXTRA,)
    head = pair.problem.split("(:goal")[0]
    wrong = judge(f"{head}(:goal (and (on b1 b2) (on b2 b1))))", pair)
    assert wrong.mistakes == (Mistake.GOAL_IMPOSSIBLE,)
    assert wrong.plan == PlanOutcome.UNSOLVABLE_PROVED and wrong.parseable and not wrong.solvable


def test_kinds_of_objects_are_told_by_what_holds_of_them():
    pair = next(p for p in pairs() if p.world == "gripper")
    record = judge(without(pair, "(:init", "gripper gripper1"), pair)
    assert record.part in ("init", "objects") and Mistake.OBJECTS_MISSING in record.mistakes


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("No idea.", Answer.NO_PROBLEM),
        ("(define (problem p) (:domain blocks) (:objects a", Answer.UNREADABLE),
        ("(define (problem p) (:domain blocks) (:init (nothing)) (:goal (nothing)))", Answer.UNREADABLE),
        ("x" * 5_000_000, Answer.UNREADABLE),
        ("(define (domain d) (:predicates (p)))", Answer.NO_PROBLEM),
    ],
)
def test_what_cannot_be_read_is_an_outcome(text, answer):
    record = judge(text, pairs()[0])
    assert record.outcome == answer and record.fault and not record.parseable and not record.plan


def test_of_several_problems_the_last_that_can_be_read_counts():
    pair = pairs()[0]
    broken = "(define (problem p) (:domain blocks) (:init (nothing)) (:goal (nothing)))"
    assert judge(f"{pair.problem}\n{broken}", pair).correct
    assert not judge(f"{pair.problem}\n{without(pair, '(:init', 'handempty')}", pair).correct


def test_states_that_are_none_go_to_the_general_planner(tmp_path):
    pair = pairs()[0]
    record = judge(without(pair, "(:init", "handempty"), pair)
    assert record.planner == "fast_downward" and not record.correct
    crashing = tmp_path / "planner"
    crashing.write_text("#!/bin/sh\nkill -9 $$\n", encoding="utf-8")
    crashing.chmod(0o755)
    with pytest.raises(MachineFault):
        judge(without(pair, "(:init", "handempty"), pair, Planner(str(crashing)))


def test_tasks_of_any_world_are_pairs_too():
    pair = pair_at("barman+compact", 1)
    assert (pair.style, pair.id, pair.placeholder) == ("compact", "barman-p01", False)
    assert judge(pair.problem, pair).correct
    assert pair_at("planetarium:gripper", 3) == pairs_behind("gripper", 3)[2]
    assert pair_at("planetarium:gripper+compact", 3).style == "compact"


@pytest.mark.parametrize(
    ("problem", "answer", "verdict"),
    [
        ("(:objects b1 b1 b2) (:init (handempty)) (:goal (on b1 b2))", Answer.PROBLEM, "different"),
        ("(:objects b1 b2) (:init (on b1 b2) (on b2 b1)) (:goal (clear b1))", Answer.PROBLEM, "different"),
        (
            "(:objects b1 b2) (:init (holding b1) (holding b2)) (:goal (on b1 b2))",
            Answer.PROBLEM,
            "different",
        ),
        ("(:objects b1) (:init) (:goal (or (clear b1) (holding b1)))", Answer.PROBLEM, "different"),
        ("(:init) (:goal (and))", Answer.PROBLEM, "different"),
    ],
)
def test_states_that_cannot_be_are_outcomes_and_never_right(problem, answer, verdict):
    record = judge(f"(define (problem p) (:domain blocks) {problem})", pairs()[0])
    assert (record.outcome, record.meaning) == (answer, verdict)
    assert not record.correct


def test_a_ball_in_two_rooms_is_an_extra_fact():
    pair = next(p for p in pairs() if p.world == "gripper" and not p.init_abstract)
    (room,) = re.findall(r"\(at ball1 (room\d)\)", pair.problem.split("(:goal")[0])
    other = "room2" if room == "room1" else "room1"
    record = judge(pair.problem.replace("(:init", f"(:init (at ball1 {other})"), pair)
    assert record.mistakes == (Mistake.INIT_EXTRA,) and not record.correct
