"""The refinement conversation: who says what when, and what becomes of every kind of reply."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import replace

import pytest
from example_world import example_world

from agents.llm.interface import Completion, Finish, Message
from agents.llm.scripted import ScriptedModel
from agents.proposal import Proposal, check_candidate
from agents.refine import Improver, Refiner
from agents.requests import (
    domain_request,
    example_answer,
    example_turns,
    problem_from_proposal_request,
    problem_request,
    proposal_request,
)
from ew.counterexample.feedback import EditsRefused, Faults, InsaneDomain, NoEdit, NoProblem, render_failure
from ew.score.rating import Outcome

WORLD = example_world()
MEND = '```python\nmodify_action("pick-up", ["(clear ?x)"], ["(holding ?x)"])\n```'


class Recorder:
    """A reply function that keeps what it was asked."""

    def __init__(self, *replies: str | Completion):
        self.replies = replies
        self.asked: list[tuple[tuple[Message, ...], int, int]] = []

    def __call__(self, messages: Sequence[Message], index: int, seed: int) -> str | Completion:
        self.asked.append((tuple(messages), index, seed))
        return self.replies[(len(self.asked) - 1) % len(self.replies)]


class Thermometer:
    """A model that notes the temperature it is sampled at."""

    def __init__(self) -> None:
        self.noted: list[tuple[int, float]] = []

    def sample(
        self, messages: Sequence[Message], k: int, temperature: float, seed: int
    ) -> tuple[Completion, ...]:
        self.noted.append((k, temperature))
        return tuple(Completion(example_answer("problem")) for _ in range(k))


def root() -> Proposal:
    (proposal,) = Refiner(WORLD, ScriptedModel([example_answer("problem")])).problems(1, seed=0)
    return proposal


def child(reply: str | Completion, parent: Proposal | None = None, feedback: str = "Incorrect.") -> Proposal:
    (proposal,) = Refiner(WORLD, ScriptedModel([reply])).domains(parent or root(), feedback, 1, seed=0)
    return proposal


def test_problem_candidates_are_roots_without_a_domain() -> None:
    replies = Recorder(example_answer("problem"), "no idea", Completion("(define", Finish.LENGTH))
    first, second, third = Refiner(WORLD, ScriptedModel(replies)).problems(3, seed=5)
    assert {messages for messages, _, _ in replies.asked} == {problem_request(WORLD)}
    assert first.is_root
    assert first.problem is not None
    assert first.draft.predicates == ()
    assert (second.problem, second.finish) == (None, Finish.STOP)
    assert (third.problem, third.finish) == (None, Finish.LENGTH)
    assert "token limit" in (third.fault or "")
    assert check_candidate(second).outcome is Outcome.NO_PROBLEM
    assert check_candidate(third).outcome is Outcome.NO_ANSWER


def test_a_domain_draft_comes_first_where_wished_and_is_then_discarded() -> None:
    replies = Recorder(
        example_answer("proposal"), "no draft", example_answer("problem_from_proposal"), "unreachable"
    )
    good, bad = Refiner(WORLD, ScriptedModel(replies), draft_domain_first=True).problems(2, seed=5)
    assert replace(good, aside=()) == replace(root(), aside=()) and good.read_from[:-1] == replies.asked[2][0]
    assert bad.problem is None
    assert "no whole (define (domain" in (bad.fault or "")
    assert [messages for messages, _, _ in replies.asked[:2]] == [proposal_request(WORLD)] * 2
    question = replies.asked[2][0]
    drafted = question[-1].content.split("```pddl\n")[1].split("\n```")[0]
    assert question == problem_from_proposal_request(WORLD, drafted)
    assert replies.asked[2][2] != replies.asked[0][2]


def test_one_answer_is_sampled_greedily_and_several_are_not() -> None:
    model = Thermometer()
    refiner = Refiner(WORLD, model)
    refiner.problems(1, seed=0)
    refiner.problems(4, seed=0)
    assert model.noted == [(1, 0.0), (4, 0.7)]


def test_the_first_turn_asks_for_a_domain_of_the_fixed_problem() -> None:
    parent = root()
    proposal = child(example_answer("domain"), parent)
    assert proposal.messages[:-1] == domain_request(WORLD, parent.problem or "")
    assert proposal.messages[-1] == Message("assistant", example_answer("domain").strip())
    assert (proposal.problem, proposal.edits, proposal.refusals, proposal.fault) == (
        parent.problem,
        3,
        (),
        None,
    )
    checked = check_candidate(proposal)
    assert (checked.outcome, checked.failure) == (None, None)
    assert (checked.domain, checked.problem) == (proposal.domain, proposal.problem)


def test_the_next_turn_continues_the_conversation_and_edits_the_parents_draft() -> None:
    first = child(example_answer("domain"))
    second = child(MEND, first, feedback="Incorrect. The walk failed.")
    system, example, answer, *begun = first.messages
    assert (example, answer) == example_turns("domain")
    *heard, feedback, reply = second.messages
    assert heard == [system, *begun]
    assert child(MEND, second).messages[: len(second.messages)] == second.messages
    assert feedback.role == "user"
    assert feedback.content.startswith("Incorrect. The walk failed.")
    assert first.domain.strip() in feedback.content
    assert reply == Message("assistant", MEND)
    changed = [a for a, b in zip(first.draft.actions, second.draft.actions, strict=True) if a != b]
    assert [action.signature.name for action in changed] == ["pick-up"]


def test_siblings_share_the_conversation_but_not_their_replies() -> None:
    replies = Recorder(example_answer("domain"), MEND)
    one, two = Refiner(WORLD, ScriptedModel(replies)).domains(root(), "", 2, seed=3)
    assert one.messages[:-1] == two.messages[:-1]
    assert (one.messages[-1].content, two.messages[-1].content) == (example_answer("domain"), MEND)
    assert one.key != two.key


@pytest.mark.parametrize(
    ("reply", "outcome", "failure", "words"),
    [
        ("I would not change anything.", Outcome.NO_EDIT, NoEdit, "No call of the two functions"),
        ("```pddl\n(define (domain d))\n```", Outcome.NO_EDIT, NoEdit, "No call of the two functions"),
        ("```python\nmodify('a')\n```", Outcome.REFUSED_EDIT, EditsRefused, "modify is not one of"),
        ("```python\nmodify_action(\n```", Outcome.REFUSED_EDIT, EditsRefused, "syntax error"),
        (
            '```\nmodify_action("fly", [], ["(p)"])\n```',
            Outcome.REFUSED_EDIT,
            EditsRefused,
            "no action `fly`",
        ),
        ("(" * 10_000_000, Outcome.REFUSED_EDIT, EditsRefused, "10,000,000 characters"),
        (MEND, Outcome.INSANE_DOMAIN, InsaneDomain, "stack"),
        (
            example_answer("domain").replace('        "(arm-empty)",\n', "", 1),
            Outcome.INVALID_DOMAIN,
            Faults,
            "undeclared_predicate",
        ),
        (Completion(MEND, Finish.LENGTH), Outcome.NO_ANSWER, NoEdit, "cut off at the token limit"),
        (Completion("", Finish.EMPTY), Outcome.NO_ANSWER, NoEdit, "was empty"),
        (Completion("", Finish.REFUSAL), Outcome.NO_ANSWER, NoEdit, "refused to answer"),
        (Completion("x", Finish.FILTER), Outcome.NO_ANSWER, NoEdit, "content filter"),
    ],
)
def test_every_kind_of_reply_has_its_place_and_its_words(
    reply: str | Completion, outcome: Outcome, failure: type, words: str
) -> None:
    proposal = child(reply)
    checked = check_candidate(proposal)
    assert checked.outcome is outcome
    assert isinstance(checked.failure, failure)
    assert words in render_failure(checked.failure)
    assert sum(len(m.content) for m in proposal.messages) < 50_000
    assert all(m.content.strip() for m in proposal.messages)


def test_a_fruitless_reply_keeps_the_parents_draft_and_can_be_followed_up() -> None:
    first = child(example_answer("domain"))
    fruitless = child(Completion("", Finish.EMPTY), first)
    assert fruitless.draft == first.draft
    assert fruitless.key != first.key
    assert child(MEND, fruitless).messages[-3].content == "(no answer)"


def test_refusals_beside_applied_edits_are_told_in_the_next_turn_only() -> None:
    mixed = child(example_answer("domain").replace("```python\n", "```python\nreset()\n"))
    assert (mixed.edits, len(mixed.refusals)) == (3, 1)
    assert check_candidate(mixed).outcome is None
    assert "reset is not one of" in child(MEND, mixed).messages[-2].content
    refused = child("```python\nreset()\n```")
    assert "Some of your calls" not in child(MEND, refused, "Incorrect.").messages[-2].content


def test_a_domain_is_only_asked_for_a_usable_problem() -> None:
    (hopeless,) = Refiner(WORLD, ScriptedModel(["none"])).problems(1, seed=0)
    assert isinstance(check_candidate(hopeless).failure, NoProblem)
    refiner = Refiner(WORLD, ScriptedModel([]))
    with pytest.raises(ValueError, match="no whole"):
        refiner.domains(hopeless, "", 1, seed=0)
    with pytest.raises(ValueError, match="no whole"):
        Improver((WORLD,), ScriptedModel([])).translate(hopeless, WORLD, seed=0)


def test_a_further_task_is_translated_for_its_own_objects_and_the_found_domain() -> None:
    solution = child(example_answer("domain"))
    task = replace(WORLD, task="Two blocks.", objects={"x": "block", "y": "block"})
    good = (
        "```\n(define (problem p) (:domain d) (:init (on x y) (clear x) (arm-empty)) (:goal (on y x)))\n```"
    )
    replies = Recorder(good, good.replace("(on y x)", "(above y x)"), Completion(good, Finish.LENGTH))
    improver = Improver((WORLD,), ScriptedModel(replies))
    first, second, third = (improver.translate(solution, task, seed=i) for i in range(3))
    assert first.fault is None
    assert "(:objects x y - block)" in (first.problem or "")
    assert "undeclared_predicate" in (second.fault or "")
    assert "token limit" in (third.fault or "")
    question = replies.asked[0][0][-1].content
    assert solution.problem is not None
    assert all(
        text in question for text in (WORLD.task, solution.problem.strip(), "Two blocks.", "(arm-empty)")
    )


def test_proposals_survive_pickling_with_their_key() -> None:
    for proposal in (root(), child(example_answer("domain")), child("nothing")):
        again = pickle.loads(pickle.dumps(proposal))  # noqa: S301 (our own bytes)
        assert again == proposal
        assert again.key == proposal.key


def test_the_key_tells_what_an_evaluation_sees_and_not_how_it_was_said() -> None:
    answer = example_answer("domain")
    assert child(answer).key == child(f"In other words:\n\n{answer}").key
    assert len({child(answer).key, child(MEND).key, child("nothing").key, root().key}) == 4
