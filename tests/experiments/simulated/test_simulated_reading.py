"""What a simulated language model reads of requests, against the builders that agents make them with.

A prompt that changes so that it is read otherwise fails here, not silently in a simulation.
"""

from __future__ import annotations

import pytest
from stand_in import stand_in, texts

from agents.llm.interface import Message
from agents.refine import Failing, Improver, Refiner, Wanted
from agents.requests import (
    DomainStanding,
    either_turn,
    feedback_turn,
    follow_up,
    in_another_task,
    next_task_request,
    plan_request,
    problem_correction_turn,
    problem_from_proposal_request,
    problem_request,
    proposal_request,
    translation_request,
)
from agents.requests import domain_request as domain_asked
from agents.tic.translate import correction_turn, direct_request, in_context_request
from envs.pddl.language.issues import Code, Diagnosis, Issue, Severity
from envs.pddl.planning.planner import PlanOutcome
from ew.counterexample.agreement import SchemaAgreement
from ew.counterexample.causes import Causes, order, read_order
from ew.counterexample.disagreement import Direction, Disagreement
from ew.counterexample.explanations import Change, Explanation, Together
from ew.counterexample.feedback import (
    EditsRefused,
    Explained,
    Exploded,
    Failure,
    Faults,
    Incorrect,
    InsaneDomain,
    NoEdit,
    NoInitialAction,
    NoProblem,
    PlanRejected,
    Repeated,
    render_failure,
)
from ew.counterexample.no_plan import NoPlan
from ew.counterexample.shrink import Shrunk
from experiments.methods.translation import knowledge_of
from experiments.simulated.rates import Rates
from experiments.simulated.reading import FIRST, Ask, Report, Unreadable, filled, read_report, read_request

ONE, TWO = texts(), texts(task=2)
PERFECT = Refiner(ONE, stand_in(Rates()))
(ROOT,) = PERFECT.problems(1, 0)
(CHILD,) = PERFECT.domains(ROOT, "", 1, 0)
PROBLEM = str(CHILD.problem)
KNOWN = knowledge_of("grippers")
FAILURE = "Incorrect.\n\nNext action: (move robot1 room1 room2)"

FIRST_REQUESTS = {
    Ask.PROBLEM: (problem_request(ONE), {"task": ONE.task, "problem_template": ONE.problem_template}),
    Ask.PROPOSAL: (proposal_request(ONE), {"domain_template": ONE.domain_template}),
    Ask.PROBLEM_FROM_PROPOSAL: (
        problem_from_proposal_request(ONE, CHILD.domain),
        {"proposal": CHILD.domain, "task": ONE.task},
    ),
    Ask.DOMAIN: (domain_asked(ONE, PROBLEM), {"problem": PROBLEM, "description": ONE.description}),
    Ask.NEXT_TASK: (
        next_task_request(ONE, PROBLEM, CHILD.draft, TWO),
        {"task": TWO.task, "problem_template": TWO.problem_template, "first_task": ONE.task},
    ),
    Ask.PLAN: (plan_request(ONE, chain_of_thought=True), {"task": ONE.task}),
    Ask.TRANSLATION: (direct_request(KNOWN, ONE.task), {"task": ONE.task}),
    Ask.ZERO_SHOT: (translation_request(CHILD.domain, ONE.task), {"domain": CHILD.domain, "task": ONE.task}),
}
TURNS = {
    Ask.FEEDBACK: (
        feedback_turn(FAILURE, ("modify_action lacks something",), CHILD.draft),
        {"domain": CHILD.domain},
    ),
    Ask.EITHER: (
        either_turn(FAILURE, (), CHILD.draft, TWO, PROBLEM, domain_stands=True),
        {"domain": CHILD.domain, "task": TWO.task, "problem": PROBLEM},
    ),
    Ask.MEND_PROBLEM: (
        problem_correction_turn(FAILURE, CHILD.draft, DomainStanding.SOLVED),
        {"domain": CHILD.domain},
    ),
    Ask.MEND_TRANSLATION: (correction_turn(FAILURE, None), {"faults": FAILURE}),
}


def test_every_request_is_among_those_that_are_tested() -> None:
    assert {*FIRST_REQUESTS} == {*FIRST} and {*TURNS} == {*Ask} - {*FIRST}


@pytest.mark.parametrize("ask", FIRST)
def test_a_first_request_is_read_as_what_its_builder_was_given(ask: Ask) -> None:
    messages, given = FIRST_REQUESTS[ask]
    read = read_request(messages)
    assert (read.ask, read.answers, read.failures) == (ask, (), ())
    assert {name: read.shown[name] for name in given} == {n: text.strip() for n, text in given.items()}
    assert read.first == read.shown


@pytest.mark.parametrize("ask", TURNS)
@pytest.mark.parametrize("rounds", [1, 2])
def test_a_turn_is_read_with_all_that_was_said_before(ask: Ask, rounds: int) -> None:
    turn, given = TURNS[ask]
    messages = FIRST_REQUESTS[Ask.DOMAIN][0]
    for number in range(rounds):
        messages = (*follow_up((*messages, Message("assistant", f"answer {number}")), turn),)
    read = read_request(messages)
    assert read.ask is ask
    assert {name: read.shown[name] for name in given} == {n: text.strip() for n, text in given.items()}
    assert read.first["description"] == ONE.description.strip()
    assert read.answers == tuple(f"answer {number}" for number in range(rounds))
    assert len(read.failures) == rounds and all(FAILURE in failure for failure in read.failures)


def test_a_text_of_one_prompt_is_of_no_other() -> None:
    asked = {ask: messages[-1].content for ask, (messages, _) in FIRST_REQUESTS.items()}
    asked |= {ask: turn.content for ask, (turn, _) in TURNS.items()}
    for ask, text in asked.items():
        assert [other for other in Ask if filled(other.value, text) is not None] == [ask]


def test_a_request_of_another_kind_is_refused() -> None:
    with pytest.raises(Unreadable, match="begins with no request"):
        read_request(in_context_request(KNOWN, ONE.task))
    with pytest.raises(Unreadable, match="made of no prompt"):
        read_request((*FIRST_REQUESTS[Ask.DOMAIN][0], Message("assistant", "a"), Message("user", "Go on!")))


def test_what_refinement_asks_is_read() -> None:
    """Every request of `agents.refine`, as the agents themselves send it."""
    model = stand_in(Rates(), ("grippers", 1), ("grippers", 2), ("grippers", 3))
    improver = Improver((ONE, TWO), model)
    (root,) = improver.roots(1, 0)
    (child,) = improver.children(root, Failing("", 0, Wanted.DOMAIN), 1, 0)
    (with_task,) = improver.children(child, Failing("", 0, Wanted.TASK), 1, 0)
    assert len(with_task.problems) == 2
    for task in (0, 1):
        for wanted in (Wanted.DOMAIN, Wanted.EITHER):
            (found,) = improver.children(with_task, Failing(FAILURE, task, wanted), 1, 0)
            assert found.edits and not found.fault, wanted
    again = improver.settled(with_task, 1)
    assert improver.another_problem(again, FAILURE, with_task, TWO, 0, DomainStanding.UNPROVED).problem
    third = improver.translate(with_task, texts(task=3), 0)
    assert improver.another_problem(third, FAILURE, with_task, texts(task=3), 0, DomainStanding.KEPT).problem


WALK = ("(move robot1 room1 room2)", "(pick robot1 ball1 room2 lgripper1)")
FORWARD = Disagreement(Direction.FORWARD, (*WALK, "(drop robot1 ball1 room2 lgripper1)"), "A ball.\nA room.")
SHRUNK = Shrunk(FORWARD, removed=3, world_queries=1, minimal=True)
CAUSES = Causes(
    5,
    (
        Explanation(Change.ADD_PRECONDITION, "drop", "(carry ?r ?o ?g)", 5, 0),
        Explanation(Change.ADD_FACT, "", "(free robot1 lgripper1)", 5, 0),
        Explanation(Change.DROP_PRECONDITION, "move", "(not (free ?r ?g))", 3, 0),
    ),
)
BEST = (
    ((Change.ADD_PRECONDITION, "drop", "(carry ?r ?o ?g)"),),
    ((Change.ADD_FACT, "", "(free robot1 lgripper1)"),),
)
STEPS = {"failing": "drop", "before": ("move", "pick")}
ISSUE = Issue(Severity.ERROR, Code.ARITY, "wrong", "write it anew", "domain", 3, 4, "(p ?x)")
FAILURES: list[tuple[Failure, Report]] = [
    (FORWARD, Report(**STEPS)),
    (Disagreement(Direction.BACKWARD, ("(drop a b c d)",), ""), Report("drop")),
    (SHRUNK, Report(**STEPS)),
    (Repeated(SHRUNK), Report(**STEPS)),
    (Explained(SHRUNK, 9, (SchemaAgreement("drop", 1, 2, 3, 4),), CAUSES), Report(**STEPS, recommended=BEST)),
    (PlanRejected((*WALK, "(drop a b c d)"), 2, "state"), Report(**STEPS)),
    (PlanRejected(WALK, 2, "state"), Report(before=("move", "pick"))),
    (NoInitialAction("state", "(pick a b c d)"), Report("pick")),
    (NoInitialAction("state"), Report()),
    (InsaneDomain(("move", "drop")), Report(idle=("move", "drop"))),
    (NoEdit("No call was found."), Report(unread=True)),
    (EditsRefused(("`x`: no", "`y`: no")), Report(unread=True)),
    (Faults(Diagnosis((ISSUE,))), Report(errors=True)),
    (NoProblem("no"), Report()),
    (Exploded("large"), Report()),
    (Incorrect(), Report()),
    (NoPlan(PlanOutcome.UNSOLVABLE_PROVED), Report()),
]


@pytest.mark.parametrize(("failure", "report"), FAILURES, ids=lambda value: type(value).__name__)
def test_a_failure_is_read_as_it_is_rendered(failure: Failure, report: Report) -> None:
    words = render_failure(failure)
    assert read_report(words) == report
    if not (report.unread or report.errors):  # what is said of a proposal that was read may stand in a frame
        assert read_report(in_another_task(words, TWO)) == report


def test_facts_that_explain_everything_together_are_one_recommendation() -> None:
    facts = ((Change.ADD_FACT, "(free robot1 lgripper1)"), (Change.DROP_FACT, "(at ball1 room1)"))
    causes = Causes(7, together=Together(facts, 7))
    words = render_failure(Explained(SHRUNK, 9, (), causes))
    assert read_report(words).recommended == (tuple((change, "", atom) for change, atom in facts),)


@pytest.mark.parametrize("change", Change)
def test_an_order_is_read_as_it_is_written(change: Change) -> None:
    for action, literal in (("pick-up", "(p ?x)"), ("", "(p a)"), ("go", "(not (p ?x ?y))")):
        assert read_order(order(change, action, literal)) == (change, action, literal)
    assert read_order("drop: executed by both 3 times") is None
