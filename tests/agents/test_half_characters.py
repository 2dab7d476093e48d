"""Half a character (a lone surrogate) in any text is a fault with a place, never an error of the codec."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.draft import DomainDraft
from agents.intrinsic import read_plan_reply
from agents.llm.interface import Completion, Message
from agents.problems import read_problem_reply
from agents.proposal import Proposal, check_candidate
from agents.refine import read_domain_reply
from agents.texts import WorldTexts
from agents.tic.allow import scan
from agents.tic.knowledge import NameTable
from envs.pddl.diagnosis.diagnose import diagnose
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.extract import extract_pddl
from envs.pddl.language.issues import Code, PDDLError
from envs.pddl.language.sexpr import Source
from envs.pddl.planning.planner import Planner
from envs.pddl.planning.validate import PlanFault, validate_plan
from envs.source import read_texts
from envs.world import open_world
from ew.counterexample.feedback import render_failure

HALF = st.characters(min_codepoint=0xD800, max_codepoint=0xDFFF, categories=["Cs"])
TEXTS = read_texts("grippers", 1)
WORLD = WorldTexts.of(open_world("grippers", 1))


def inserted(text: str, place: float, half: str) -> tuple[str, int]:
    at = int(place * len(text))
    return text[:at] + half + text[at:], at


@given(st.floats(0, 1), HALF, st.booleans())
def test_a_diagnosis_names_the_place_and_can_be_printed(place: float, half: str, in_domain: bool) -> None:
    text, at = inserted(TEXTS.domain if in_domain else TEXTS.problem, place, half)
    found = diagnose(text, TEXTS.problem) if in_domain else diagnose(TEXTS.domain, text)
    (issue,) = [i for i in found.issues if i.code is Code.ENCODING]
    before = text[:at]
    assert (issue.line, issue.column) == (before.count("\n") + 1, at - before.rfind("\n"))
    assert f"U+{ord(half):04X}" in issue.message and not found.valid
    found.render().encode("utf-8")


@given(st.floats(0, 1), HALF)
def test_readers_and_the_planner_raise_our_error(place: float, half: str) -> None:
    domain, problem = inserted(TEXTS.domain, place, half)[0], inserted(TEXTS.problem, place, half)[0]
    for use in (
        lambda: read_domain(domain),
        lambda: read_problem(problem, read_domain(TEXTS.domain)),
        lambda: Planner(wall_s=1).plan(domain, TEXTS.problem),
        lambda: Planner(wall_s=1).plan(TEXTS.domain, problem),
    ):
        with pytest.raises(PDDLError) as caught:
            use()
        assert [i.code for i in caught.value.issues] == [Code.ENCODING]
        str(caught.value).encode("utf-8")


@given(st.floats(0, 1), HALF)
def test_a_step_of_a_plan_is_no_operator(place: float, half: str) -> None:
    step = inserted("(move robot1 room1 room2)", place, half)[0]
    report = validate_plan(read_problem(TEXTS.problem, read_domain(TEXTS.domain)), [step])
    assert report.reason is PlanFault.NOT_AN_OPERATOR and "half a character" in report.detail
    report.render().encode("utf-8")
    assert open_world("grippers", 1).verify([step]).execution.steps == 0


@given(st.floats(0, 1), HALF)
def test_a_reply_s_problem_and_plan_are_refused_with_the_reason(place: float, half: str) -> None:
    problem = inserted(TEXTS.problem.strip()[8:-1], place, half)[0]
    reading = read_problem_reply(f"```\n(define {problem})\n```", WORLD)
    assert reading.problem is None
    str(reading.fault).encode("utf-8")
    plan = read_plan_reply(Completion(f"```\n(move robot1 ro{half}om1)\n```"), WORLD)
    assert plan.plan is None and "half a character" in str(plan.fault)
    str(plan.fault).encode("utf-8")


@pytest.mark.parametrize(
    "call",
    [
        'modify_action("mo\\ud800ve", ["(at-robby ?r ?a)"], ["(at-robby ?r ?b)"])',
        'modify_action("move", ["(at-\\udfffrobby)"], ["(at-robby ?r ?b)"])',
        'add_or_update_predicates(["(next \\ud800?x)"])',
        'add_or_update_predicates(["(next \ud800?x)"])',
        'x = "\\ud800"\nadd_or_update_predicates(x)',
    ],
)
def test_edits_with_half_a_character_are_refused_and_can_be_told(call: str) -> None:
    draft = DomainDraft.empty("gripper-strips", WORLD.types, WORLD.actions)
    reply = Completion(f"```python\n{call}\n```")
    proposal = read_domain_reply(Proposal(TEXTS.problem, draft), (Message("user", "write"),), reply)
    checked = check_candidate(proposal)
    assert checked.failure is not None and not proposal.edits
    render_failure(checked.failure).encode("utf-8")


def test_an_answer_set_program_is_refused() -> None:
    found = scan(Source("init(on(a, b)). % \ud800\n", "rules"), NameTable.of([]))
    assert [i.code for i in found.issues] == [Code.ENCODING]


def test_the_extraction_leaves_the_judgement_to_the_reader() -> None:
    form = "(define (domain d) ; \udc80\n)"
    assert extract_pddl(f"so: {form}").domain == form


@pytest.mark.parametrize("name", ["domain.pddl", "p01.pddl", "domain.nl", "p01.nl"])
def test_a_file_that_is_not_utf_8_is_named_with_its_place(name: str, tmp_path: Path) -> None:
    texts = {"domain.pddl": TEXTS.domain, "p01.pddl": TEXTS.problem, "domain.nl": "a", "p01.nl": "b"}
    for file, text in texts.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    (tmp_path / name).write_bytes(b"; first\n; \xed\xa0\x80\n" + texts[name].encode("utf-8"))
    with pytest.raises(PDDLError) as caught:
        read_texts(str(tmp_path), 1)
    (issue,) = caught.value.issues
    assert (issue.code, issue.source, issue.line, issue.column) == (Code.ENCODING, name, 2, 3)
