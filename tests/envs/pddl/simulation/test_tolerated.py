"""What others write and we read with a warning means what the clean text does; comments and line ends too."""

from __future__ import annotations

import importlib.util
import json
import random
import re
import sys
from pathlib import Path

import pymimir_walker
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_samples import problem_of
from pddl_texts import EVERYTHING, EVERYTHING_PROBLEM, GRIPPERS, GRIPPERS_PROBLEM
from test_pymimir import _digests, _walk
from tolerated import STORAGE, STORAGE_CLEAN, STORAGE_PROBLEM, TOLERATED

from envs.pddl.diagnosis.diagnose import diagnose
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.issues import Code
from envs.pddl.language.operators import parse_operator
from envs.pddl.language.render import render_domain, render_problem
from envs.pddl.planning.validate import validate_plan
from envs.pddl.process import run_child
from envs.pddl.simulation.compile import compile_task


def written(domain: str, problem: str) -> tuple[str, str]:
    """The canonical texts."""
    read = read_problem(problem, read_domain(domain))
    return render_domain(read.domain), render_problem(read)


@pytest.mark.parametrize("name", TOLERATED)
def test_a_tolerated_text_reads_as_its_clean_version(name: str) -> None:
    given_texts, clean = TOLERATED[name]
    found, expected = diagnose(*given_texts), diagnose(*clean)
    assert found.valid and len(found.issues) > len(expected.issues)
    ours, theirs = (read_problem(p, read_domain(d)) for d, p in (given_texts, clean))
    assert dict(ours.domain.types) == dict(theirs.domain.types)
    assert set(ours.domain.vocabulary.requirements) == set(theirs.domain.vocabulary.requirements)
    assert written(*given_texts)[1] == written(*clean)[1]
    assert _after_types(written(*given_texts)[0]) == _after_types(written(*clean)[0])


def _after_types(domain: str) -> str:
    """The rest of a domain: types are listed in the order of the text, which decides nothing."""
    return re.sub(r"\(:requirements[^)]*\)|\(:types[^)]*\)", "", domain)


@pytest.mark.skipif(importlib.util.find_spec("pymimir") is None, reason="no independent simulator")
def test_an_independent_simulator_walks_the_clean_texts_as_we_walk_the_tolerated(tmp_path: Path) -> None:
    ours, request = {}, {}
    for name, (given_texts, (domain, problem)) in TOLERATED.items():
        task = compile_task(problem_of(*given_texts))
        walk, states = _walk(task, 40)
        assert len(walk) > 5
        ours[name] = _digests(task, states)
        request[name] = (domain.replace(":strips", ":strips :adl"), problem, walk)
    program = [sys.executable, str(Path(pymimir_walker.__file__))]
    child = run_child(program, cwd=tmp_path, wall_s=600, stdin=json.dumps(request), output_limit=1 << 26)
    theirs = dict(json.loads(line) for line in child.stdout.splitlines())
    assert theirs == ours


@given(
    st.permutations(["area - object", "area - surface", "surface - object", "crate - area", "area - thing"])
)
def test_the_order_of_a_type_s_parents_decides_nothing(entries: list[str]) -> None:
    text = f"(define (domain d) (:requirements :typing) (:types {' '.join(entries)} surface - thing))"
    types = read_domain(text).vocabulary.types
    assert types.parents["area"] == "surface" and types.parents["surface"] == "thing"
    assert types.is_subtype("crate", "thing") and not types.is_subtype("surface", "area")


def test_a_narrower_parent_of_an_either_is_taken() -> None:
    text = "(define (domain d) (:types a b - object c - (either a b) c - a))"
    assert read_domain(text).types["c"] == "a"


@pytest.mark.parametrize("parents", [("a", "b"), ("(either a b)", "(either b d)")])
def test_parents_that_do_not_lie_within_each_other_stay_an_error(parents: tuple[str, str]) -> None:
    text = f"(define (domain d) (:types a b d - object c - {parents[0]} c - {parents[1]}))"
    assert [i.code for i in diagnose(text).errors] == [Code.DUPLICATE]


@pytest.mark.parametrize("init", ["(p a) (not (p a))", "(not (p a)) (p a)"])
def test_a_fact_beside_its_negation_is_an_error(init: str) -> None:
    domain = "(define (domain d) (:predicates (p ?x)))"
    problem = f"(define (problem q) (:domain d) (:objects a) (:init {init}) (:goal (p a)))"
    (error,) = diagnose(domain, problem).errors
    assert error.code is Code.DUPLICATE and "denies" in error.message


def test_a_first_redeclaration_alike_does_not_hide_a_second_one_that_differs() -> None:
    text = "(define (domain d) (:requirements :typing) (:types s t) (:constants c - s c - s c - t))"
    assert [i.code for i in diagnose(text).errors] == [Code.DUPLICATE]


@pytest.mark.parametrize("flag", [":numeric-fluents", ":fluents"])
@pytest.mark.parametrize(
    "use", ["(increase (fuel) 1)", "(decrease (total-cost) 1)", "(when (> (total-cost) 1) (p))"]
)
def test_a_flag_for_numbers_stays_an_error_where_more_is_computed(flag: str, use: str) -> None:
    text = f"""(define (domain d) (:requirements :adl {flag}) (:predicates (p))
        (:functions (total-cost) (fuel)) (:action a :effect (and (p) {use})))"""
    assert f"requirement {flag} is not supported" in {e.message for e in diagnose(text).errors}


# --- comments, line ends ---

TEXTS = [(GRIPPERS, GRIPPERS_PROBLEM), (EVERYTHING, EVERYTHING_PROBLEM), STORAGE_CLEAN]


@given(st.sampled_from(TEXTS), st.sampled_from(["\r", "\r\n", "\n"]), st.integers(0, 99))
def test_comments_and_line_ends_of_any_kind_mean_nothing(
    texts: tuple[str, str], ending: str, seed: int
) -> None:
    rng = random.Random(seed)

    def commented(text: str) -> str:
        notes = ["", " ; note", " ;) (", ";", " ;; (define, 'x'"]
        return ending.join(line + rng.choice(notes) for line in text.splitlines())

    assert written(*map(commented, texts)) == written(*texts)


def test_an_issue_names_the_same_line_whatever_ends_it() -> None:
    domain = GRIPPERS.replace("(free ?r ?g))\n", "(fre ?r ?g)) ; here\n")
    places = [
        [(i.line, i.column, i.snippet) for i in diagnose(domain.replace("\n", ending)).issues]
        for ending in ("\n", "\r", "\r\n")
    ]
    assert places[0] == places[1] == places[2] and places[0]


STEP = "(lift h c a3 a2 ship)"


@pytest.mark.parametrize(
    "text", [f"{STEP} ; first", f"{STEP}\r", f"\t{STEP};(x)\r\n", STEP.strip("()") + " ; first", STEP.upper()]
)
def test_a_step_of_a_plan_may_carry_a_comment_and_any_line_end(text: str) -> None:
    assert parse_operator(text) == parse_operator(STEP)
    problem = read_problem(STORAGE_CLEAN[1], read_domain(STORAGE_CLEAN[0]))
    assert validate_plan(problem, [text, "(drop h c a1 a2 shed) ; done\r"]).valid


def test_the_storage_texts_say_what_is_read() -> None:
    issues = diagnose(STORAGE.format(first="area "), STORAGE_PROBLEM.format(extra="")).issues
    (issue,) = [i for i in issues if i.code is Code.DUPLICATE]
    assert issue.message == "type area is declared twice; it is read as area - surface"
