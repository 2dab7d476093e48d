"""Refinement of domain and problems together: who is asked for what, and what becomes of the replies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from example_world import example_world

from agents.llm.interface import Completion, Finish, Message
from agents.llm.scripted import ScriptedModel
from agents.proposal import Proposal, check_candidate
from agents.refine import MAX_TOLD, Failing, Improver, Refiner, Wanted
from agents.requests import DomainStanding, example_answer, next_task_request
from ew.counterexample.disagreement import Observation
from ew.score.rating import Outcome

FIRST = example_world()
OTHER = replace(FIRST, task="Put everything on the table.")
MEND = '```python\nmodify_action("pick-up", ["(clear ?x)"], ["(holding ?x)"])\n```\n'
PROBLEM = example_answer("problem")
UNFIT = "```pddl\n(define (problem p) (:init (flies a)) (:goal (flies a)))\n```\n"


class Model:
    """Says what it is told to, and keeps what it was asked."""

    def __init__(self, *replies: str | Completion):
        self.asked: list[tuple[Message, ...]] = []
        self._replies = replies

    def sample(
        self, messages: Sequence[Message], k: int, temperature: float, seed: int
    ) -> tuple[Completion, ...]:
        self.asked.append(tuple(messages))
        return ScriptedModel(self._replies).sample(messages, k, temperature, seed)


def parent() -> Proposal:
    (root,) = Refiner(FIRST, ScriptedModel([PROBLEM])).problems(1, 0)
    (made,) = Refiner(FIRST, ScriptedModel([example_answer("domain")])).domains(root, "", 1, 0)
    return made


def children(
    failing: Failing, *replies: str | Completion, of: Proposal | None = None, n: int = 1
) -> tuple[tuple[Proposal, ...], str]:
    model = Model(*replies)
    made = Improver((FIRST, OTHER), model).children(of or parent(), failing, n, 0)
    return made, model.asked[-1][-1].content


def test_it_begins_as_the_published_refinement_does() -> None:
    ours, theirs = Model(PROBLEM), Model(PROBLEM)
    assert Improver((FIRST, OTHER), ours).roots(1, 7) == Refiner(FIRST, theirs).problems(1, 7)
    (root,) = Refiner(FIRST, ScriptedModel([PROBLEM])).problems(1, 0)
    answer = example_answer("domain")
    ours, theirs = Model(answer), Model(answer)
    made = Improver((FIRST,), ours).children(root, Failing("", 0, Wanted.DOMAIN), 1, 3)
    assert made == Refiner(FIRST, theirs).domains(root, "", 1, 3) and ours.asked == theirs.asked


def test_where_the_domain_is_at_fault_a_problem_in_the_reply_is_not_taken() -> None:
    before = parent()
    ((made,), asked) = children(Failing("Wrong.", 0, Wanted.DOMAIN), MEND + PROBLEM, of=before)
    assert made.problem == before.problem and made.edits == 1
    assert asked.startswith("Wrong.") and "The problem stays as it is" not in asked


def test_a_problem_that_is_written_again_keeps_what_its_predicates_mean() -> None:
    before = parent()
    bare = "\n".join(line for line in PROBLEM.splitlines() if not line.startswith("- `"))
    assert before.problem is not None and before.problem.count("  ; (") == 5
    ((made,), asked) = children(Failing("Wrong.", 0, Wanted.EITHER), bare, of=before)
    assert made.problem == before.problem and before.problem.strip() in asked


def test_where_either_may_be_at_fault_the_problem_is_shown_and_may_be_mended() -> None:
    before = parent()
    assert before.problem is not None
    better = PROBLEM.replace("    (arm-empty))", "    )")
    ((made,), asked) = children(Failing("Wrong.", 0, Wanted.EITHER), better, of=before)
    assert made.problem != before.problem and made.draft == before.draft and made.edits == 1
    assert check_candidate(made).outcome is None
    assert before.problem.strip() in asked and FIRST.task.strip() in asked


def test_both_may_be_mended_at_once() -> None:
    before = parent()
    ((made,), _) = children(Failing("", 0, Wanted.EITHER), MEND + PROBLEM, of=before)
    assert made.edits == 2 and made.draft != before.draft


def test_a_problem_that_does_not_fit_the_domain_is_refused_with_its_fault() -> None:
    before = parent()
    ((made,), _) = children(Failing("", 0, Wanted.EITHER), UNFIT, of=before)
    assert made.problem == before.problem and "flies" in made.refusals[0]
    assert check_candidate(made).outcome is Outcome.REFUSED_EDIT
    ((made,), _) = children(Failing("", 0, Wanted.EITHER), UNFIT + MEND, of=before)
    assert check_candidate(made).outcome is None and "flies" in made.unapplied[0]


@pytest.mark.parametrize("finish", [Finish.LENGTH, Finish.REFUSAL, Finish.EMPTY])
def test_an_answer_that_is_not_whole_mends_nothing(finish: Finish) -> None:
    ((made,), _) = children(Failing("", 0, Wanted.EITHER), Completion(PROBLEM, finish))
    assert made.edits == 0 and check_candidate(made).outcome is Outcome.NO_ANSWER


def test_what_others_were_refuted_by_is_told_up_to_a_limit() -> None:
    seen = tuple(Observation.of("1", (), f"(move {i})", i % 2 == 0) for i in range(2 * MAX_TOLD))
    for wanted in (Wanted.DOMAIN, Wanted.EITHER):
        (_, asked) = children(Failing("Wrong.", 0, wanted, seen), MEND)
        assert [str(o) in asked for o in seen] == [i < MAX_TOLD for i in range(2 * MAX_TOLD)]


def test_the_next_task_is_translated_once_and_leaves_the_conversation_alone() -> None:
    before = parent()
    assert before.problem is not None
    model = Model(PROBLEM)
    improver = Improver((FIRST, OTHER), model)
    (made,) = improver.children(before, Failing("", 0, Wanted.TASK), 3, 0)
    assert model.asked == [next_task_request(FIRST, before.problem, before.draft, OTHER)]
    assert len(made.problems) == 2 and made.problem == before.problem
    assert (made.messages, made.draft) == (before.messages, before.draft)
    assert made.read_from == (*model.asked[0], Message("assistant", PROBLEM.strip()))
    assert before.read_from == before.messages and made.asked != before.asked
    with pytest.raises(ValueError, match="no further task"):
        improver.children(made, Failing("", 1, Wanted.TASK), 1, 0)


def test_a_next_task_without_a_usable_problem_leaves_the_proposal_to_be_tried_again() -> None:
    before = parent()
    ((made,), _) = children(Failing("", 0, Wanted.TASK), "no idea", of=before)
    assert made.problems == before.problems and made.fault is not None and made.key != before.key


def test_a_failure_in_another_task_says_which() -> None:
    before = parent().with_problem(1, PROBLEM)
    (_, asked) = children(Failing("Wrong.", 1, Wanted.DOMAIN), MEND, of=before)
    assert OTHER.task in asked
    ((made,), asked) = children(Failing("Wrong.", 1, Wanted.EITHER), PROBLEM, of=before)
    assert OTHER.task in asked and made.problem == before.problem and made.further != before.further


def test_a_later_tasks_problem_is_mended_in_the_conversation_that_brought_it() -> None:
    before = parent()
    model = Model(UNFIT)
    improver = Improver((FIRST,), model)
    first = improver.translate(before, OTHER, 0)
    assert first.problem is None and first.fault is not None and "flies" in first.fault
    model = Model(PROBLEM)
    second = Improver((FIRST,), model).another_problem(
        first, first.fault, before, OTHER, 0, DomainStanding.UNPROVED
    )
    assert second.problem is not None
    (asked,) = model.asked
    assert asked[:-1] == first.messages and "flies" in asked[-1].content
    assert before.domain.strip() in asked[-1].content
    assert "both may be at fault" in asked[-1].content and "The domain is right" not in asked[-1].content


def test_a_next_task_whose_problem_could_not_be_used_is_asked_for_with_its_fault() -> None:
    ((failed,), _) = children(Failing("", 0, Wanted.TASK), UNFIT)
    assert failed.fault is not None and len(failed.problems) == 1
    ((made,), asked) = children(Failing("", 0, Wanted.TASK), PROBLEM, of=failed)
    assert len(made.problems) == 2 and made.fault is None
    assert failed.fault in asked and OTHER.task not in asked


def test_what_a_proposal_was_told_and_its_further_problems_are_part_of_its_key() -> None:
    before = parent()
    seen = Observation.of("1", (), "(a)", executed=True)
    keys = {p.key for p in (before, replace(before, observations=(seen,)), before.with_problem(1, PROBLEM))}
    assert len(keys) == 3
