"""What holds for the diagnosis of any text."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pddl_faults import replaced
from pddl_texts import EVERYTHING, EVERYTHING_PROBLEM, GRIPPERS, GRIPPERS_PROBLEM, pddlgym_tasks
from wide import wide

from envs.pddl.diagnosis.diagnose import diagnose
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.issues import PDDLError
from envs.pddl.language.render import render_domain, render_problem

THEIRS = [texts for name, texts in pddlgym_tasks().items() if name == "doors"]
BASES = [(GRIPPERS, GRIPPERS_PROBLEM), (EVERYTHING, EVERYTHING_PROBLEM), *THEIRS]
PIECES = (
    *("(", ")", "-", "?", "?x", ":action", ":effect", "(and", "(not", "(or", "(when", "(forall", "(exists"),
    *("(increase", "(either", "either", "=", "()", "object", "1", "2.5", "-a", "total-cost", "\x00", "é"),
    *("İ", ";", "(:types", "(define", ":domain", "(:init", "(:goal", '"p"', "```", "*p*", "#"),
)


def mutated(text: str, rng: random.Random) -> str:
    """The text with a few tokens exchanged, dropped, repeated or replaced."""
    tokens = re.findall(r"[()]|[^\s()]+|\s+", text)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        here, there, kind = rng.randrange(len(tokens)), rng.randrange(len(tokens)), rng.randrange(5)
        if kind == 0:
            tokens[here] = tokens[there]
        elif kind == 1 and len(tokens) > 1:
            del tokens[here]
        elif kind == 2:
            tokens.insert(here, tokens[there])
        elif kind == 3:
            tokens[here], tokens[there] = tokens[there], tokens[here]
        else:
            tokens.insert(here, rng.choice(PIECES))
    return "".join(tokens)


def check_laws(domain_text: str, problem_text: str) -> bool:
    """What holds for any two texts; whether they were valid."""
    diagnosis = diagnose(domain_text, problem_text)
    assert len(diagnosis.render()) < 200_000
    for issue in diagnosis.issues:
        line = domain_text if issue.source == "domain" else problem_text
        line = re.split(r"\r\n?|\n", line)[issue.line - 1]
        assert 1 <= issue.column <= len(line) + 1
    try:
        domain = read_domain(domain_text)
    except PDDLError:
        assert not diagnose(domain_text).valid and not diagnosis.valid
        return False
    assert diagnose(domain_text).valid
    again = read_domain(render_domain(domain))
    assert render_domain(again) == render_domain(domain)
    try:
        problem = read_problem(problem_text, domain)
    except PDDLError:
        assert not diagnosis.valid
        return False
    assert diagnosis.valid
    assert read_problem(render_problem(problem), again).goal == problem.goal
    return True


@pytest.mark.parametrize(("seed", "count"), wide([(20, 160), (20, 800)], (20, 160)))
def test_texts_that_are_called_valid_are_read_and_others_are_refused(seed, count):
    rng = random.Random(seed)
    verdicts = []
    for _ in range(count):
        domain, problem = rng.choice(BASES)
        broken = rng.random()
        verdicts.append(
            check_laws(
                mutated(domain, rng) if broken < 0.6 else domain,
                mutated(problem, rng) if broken > 0.4 else problem,
            )
        )
    assert count / 16 < sum(verdicts) < 15 * count / 16


@given(st.text(st.sampled_from("()?-:;=ab \n") | st.characters(), max_size=80), st.integers(0, 2))
def test_any_text_has_a_diagnosis(text, place):
    domain, problem = GRIPPERS, GRIPPERS_PROBLEM
    if place == 0:
        check_laws(text, problem)
    elif place == 1:
        check_laws(replaced(domain, "(at-robby ?r ?from)\n", text), problem)
    else:
        check_laws(domain, replaced(problem, "(free robot1 left1)", text))
