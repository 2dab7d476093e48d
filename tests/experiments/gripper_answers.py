"""A stand-in for a language model on grippers: hand-written answers, the first wrong, mended when told.

It answers by what it is asked, so it gives the same answers whatever the order of the questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from agents.llm.interface import Completion, Message, Usage
from envs.registry import WORLDS_FOLDER
from envs.source import read_texts

_PREDICATES = '["(at-robby ?r - robot ?x - room)", "(at ?o - obj ?x - room)", \
"(free ?r - robot ?g - gripper)", "(carry ?r - robot ?o - obj ?g - gripper)"]'
_MOVE = 'modify_action("move", ["(at-robby ?r ?from)"], ["(at-robby ?r ?to)", "(not (at-robby ?r ?from))"])'
_PICK = (
    'modify_action("pick", ["(at ?obj ?room)", "(at-robby ?r ?room)", "(free ?r ?g)"], '
    '["(carry ?r ?obj ?g)", "(not (at ?obj ?room))", "(not (free ?r ?g))"])'
)
_CARELESS_PICK = 'modify_action("pick", ["(at ?obj ?room)"], ["(carry ?r ?obj ?g)", "(not (at ?obj ?room))"])'
_DROP = (
    'modify_action("drop", ["(carry ?r ?obj ?g)", "(at-robby ?r ?room)"], '
    '["(at ?obj ?room)", "(free ?r ?g)", "(not (carry ?r ?obj ?g))"])'
)


def _code(*calls: str) -> str:
    return "Each action in turn ...\n```python\n" + "\n".join(calls) + "\n```\n"


FIRST_DOMAINS = (
    _code(f"add_or_update_predicates({_PREDICATES})", _MOVE, _CARELESS_PICK, _DROP),
    "I am not sure what to write.",
    _code(f"add_or_update_predicates({_PREDICATES})", _MOVE, _PICK),
)
MENDED = _code(f"add_or_update_predicates({_PREDICATES})", _MOVE, _PICK, _DROP)


#: The tasks that are counted, and those that a model is refined on.
TASKS: tuple[int | str, ...] = (*range(1, 11), *(f"f{number:02}" for number in range(1, 6)))


def answer(messages: Sequence[Message], index: int, seed: int) -> Completion:
    """The reply to a conversation, with made-up but fixed token counts."""
    text = _text(messages, index + seed)
    prompt = sum(len(m.content) for m in messages) // 4
    return Completion(text, usage=Usage(prompt if index == 0 else 0, len(text) // 4), model="hand")


def _text(messages: Sequence[Message], number: int) -> str:
    asked = messages[-1].content
    if "Reason about the cause first" in asked:
        return MENDED
    if "def modify_action" in asked:
        return FIRST_DOMAINS[number % len(FIRST_DOMAINS)]
    task = max(TASKS, key=lambda name: asked.rfind(_task_text(name)))
    if "PDDL problem" in asked:
        return f"```pddl\n{problem_text(task)}\n```"
    return "```\n(move robot1 room2 room1)\n```"


def problem_text(task: int | str) -> str:
    """The right translation of a task."""
    name = f"p{task:02}" if isinstance(task, int) else task
    return (WORLDS_FOLDER / "grippers" / f"{name}.pddl").read_text(encoding="utf-8")


@cache
def _task_text(task: int | str) -> str:
    return read_texts("grippers", task).task
