"""A problem that no plan can solve, though its program is consistent: reported to the reader, asked once."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from tic_answers import answer

from agents.llm.interface import Completion, Message
from agents.llm.stub import StubServer
from envs.pddl.language.domain import Problem, read_domain, read_problem
from envs.registry import worlds
from envs.source import read_texts
from experiments.evaluation.unsolvable import missing_predicates, why_unsolvable
from experiments.run import main
from experiments.runs.records import TaskOutcome

LEVELS = ("next", "shaker-empty-level", "shaker-level")


def problem_of(world: str, without: Sequence[str] = ()) -> Problem:
    """Task 1 of a world without the initial facts of some predicates."""
    texts = read_texts(world, 1)
    pddl = texts.problem
    for name in without:
        pddl = re.sub(rf"\({name}( [^()]*)?\)", "", pddl)
    return read_problem(pddl, read_domain(texts.domain))


def test_what_the_published_program_for_barman_lacks_is_named() -> None:
    lacking = problem_of("barman", LEVELS)
    assert tuple(missing_predicates(lacking)) == LEVELS
    words = why_unsolvable(lacking)
    assert all(f"{name} (needed by " in words for name in LEVELS) and "unshaked" not in words


@pytest.mark.parametrize("world", worlds())
def test_nothing_is_missing_in_a_task_that_has_a_plan(world: str) -> None:
    whole = problem_of(world)
    missing = missing_predicates(whole)
    towards = {name for name in missing if "the goal" in missing[name]}
    assert not towards  # of a goal that can be reached, every predicate can come about


def test_where_every_predicate_is_there_the_words_say_so() -> None:
    assert "single facts or the goal are wrong" in why_unsolvable(problem_of("blocksworld"))
    assert why_unsolvable(problem_of("blocksworld"), by_program=False).startswith("The problem fits")


def test_an_action_that_no_object_can_take_is_not_ruled_out_by_the_words() -> None:
    domain = read_domain(
        "(define (domain d) (:requirements :typing) (:types t) (:predicates (q)) "
        "(:action m :parameters (?x - t) :precondition () :effect (q)))"
    )
    problem = read_problem("(define (problem p) (:domain d) (:objects) (:init) (:goal (q)))", domain)
    assert not missing_predicates(problem)
    assert "As far as names of predicates show" in why_unsolvable(problem)
    assert "so objects, single facts or the goal are wrong" in why_unsolvable(problem)


def impossible(messages: Sequence[Message], index: int, seed: int) -> Completion:
    """The right program with a goal that nobody can reach: one block on two others."""
    completion = answer(messages, index, seed)
    text = completion.text.replace("goal(on(b1, b2)).", "goal(on(b1, b2)).\ngoal(on(b1, b3)).")
    assert text != completion.text
    return Completion(text, usage=completion.usage, model=completion.model)


def test_it_is_in_every_table_and_never_sent_to_the_language_model(tmp_path: Path) -> None:
    with StubServer(impossible) as server:
        flags = ("--executor", "serial", "--env", "blocksworld", "--levels", "compact", "--seeds", "0")
        asked = ("--method", "tic-g1", "--tasks", "1", "--corrections", "2", "--base-url", server.url)
        assert main(["tic", *flags, *asked, "--out", str(tmp_path)]) == 0
        assert server.seen.requests == 1
    (row,) = csv.DictReader((tmp_path / "tic.csv").open(encoding="utf-8"))
    assert row["outcome"] == TaskOutcome.UNSOLVABLE and row["translation"] == "translated"
    why = "The program is consistent and its problem fits the domain, but no plan can reach the goal."
    assert row["unsolvable"].startswith(why)
    tables = (tmp_path / "tables.md").read_text(encoding="utf-8")
    assert "Translations without a possible plan" in tables and why in tables
    stages = next(line for line in tables.splitlines() if line.startswith("| world | texts | method | n |"))
    assert "| unsolvable |" in stages
    assert why in (tmp_path / "report.html").read_text(encoding="utf-8")
    (results,) = csv.DictReader((tmp_path / "results.csv").open(encoding="utf-8"))
    assert results["outcome"] == "unsolvable"
