"""TIC in the main loop: it writes the problems of counted tasks for a model that was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import gripper_answers
import pytest

from agents.edits import read_edits
from agents.llm.interface import Completion, Message, Usage
from agents.llm.stub import StubServer
from agents.problems import read_problem_reply
from agents.proposal import Proposal
from agents.replies import call_blocks
from agents.texts import WorldTexts
from agents.tic.infer import materialise
from envs.intermediate.gold_ir import plain_ir
from envs.pddl.equivalence.compare import Verdict, compare
from envs.pddl.language.domain import read_domain, read_problem, read_vocabulary
from envs.reading import read_facts
from envs.source import read_texts
from envs.world import open_world
from experiments.methods.counted_tasks import knowledge_from
from experiments.run import main
from experiments.runs.directory import RunDirectory
from experiments.runs.ledger import Ledger

SMALL = (
    "--env", "grippers", "--tasks", "2", "--walks", "20", "--t-max", "5", "--turns", "2",
    "--executor", "serial", "--translator", "tic-ic",
)  # fmt: skip


def answer(messages: Sequence[Message], index: int, seed: int) -> Completion:
    """As in `gripper_answers`, and the IR of a task where that is asked for."""
    asked = messages[-1].content
    if "into a program" not in asked:
        return gripper_answers.answer(messages, index, seed)
    task = max((1, 2), key=lambda number: asked.rfind(read_texts("grippers", number).task))
    read = read_texts("grippers", task)
    domain = read_vocabulary(read.domain)
    text = f"```asp\n{plain_ir(read_facts(read.problem, domain), domain)}```"
    return Completion(text, usage=Usage(len(asked) // 4, len(text) // 4), model="hand")


@pytest.mark.slow
@pytest.mark.parametrize("method", ["chain", "refine"])
def test_a_model_that_was_found_solves_tasks_that_tic_translates(tmp_path: Path, method: str) -> None:
    with StubServer(answer) as server:
        assert main([*SMALL, "--method", method, "--base-url", server.url, "--out", str(tmp_path)]) == 0
        last = [str(body["messages"][-1]["content"]) for body in server.seen.bodies][-2:]
    assert all("into a program" in question for question in last)
    tasks = Ledger(RunDirectory(tmp_path)).tasks
    assert [task.solved for task in tasks] == [True, True]


def test_the_first_task_is_the_example_and_the_objects_are_known() -> None:
    first, task = (WorldTexts.of(open_world("grippers", number)) for number in (1, 2))
    declared = read_edits(call_blocks(gripper_answers.MENDED)).edits
    draft, misfits = first.draft.apply(declared)
    assert not misfits
    problem = read_problem_reply(gripper_answers.problem_text(1), first, draft).problem
    assert problem is not None
    known = knowledge_from(first, Proposal(problem, draft), task)
    assert known.example_task == first.task and "init(at(ball1, room1))." in known.example_ir
    assert all(f"object({name}, {kind})." in known.rules for name, kind in task.objects.items())
    example = materialise(known.example_ir, replace(known, rules="", objects=tuple(first.objects)))
    assert example.problem is not None
    domain = read_domain(draft.text())
    both = read_problem(example.problem, domain), read_problem(problem, domain)
    assert compare(*both).verdict is Verdict.EQUIVALENT


def test_a_first_problem_that_cannot_be_stated_is_no_example() -> None:
    first, task = (WorldTexts.of(open_world("grippers", number)) for number in (1, 2))
    with pytest.raises(ValueError, match="there is none"):
        knowledge_from(first, Proposal(None, first.draft), task)
    with pytest.raises(ValueError, match="undeclared_predicate"):
        knowledge_from(first, Proposal(gripper_answers.problem_text(1), first.draft), task)
