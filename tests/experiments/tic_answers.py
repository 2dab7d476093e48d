"""A stand-in for a language model that translates tasks: right answers, but for those it is told to spoil.

It knows a task by its text and the kind of request by its wording, so the order of the questions is nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import product

from agents.llm.interface import Completion, Message, Usage
from envs.intermediate.gold_ir import gold_ir
from envs.pddl.language.domain import read_vocabulary
from envs.reading import read_facts
from envs.source import read_texts

WORLDS = ("blocksworld", "grippers", "tyreworld")
LEVELS = ("explicit", "compact", "narrative")
TASKS = (1, 2, 3)


def answer(messages: Sequence[Message], index: int, seed: int) -> Completion:
    """The right reply to a conversation, with made-up but fixed token counts."""
    asked = "\n".join(message.content for message in messages if message.role == "user")
    text = _text(asked)
    return Completion(text, usage=Usage(len(asked) // 4, len(text) // 4), model="hand")


def _text(asked: str) -> str:
    world, task = next(key for text, key in texts().items() if asked.count(text))
    if "PDDL problem" in asked:
        return f"Here it is.\n```pddl\n{read_texts(world, task).problem}```"
    ir = program(world, task)
    objects = [line for line in ir.splitlines() if line.startswith(("object", "cardinality"))]
    if "Find out how many" in asked:
        return _block(line for line in objects if line.startswith("cardinality"))
    if "mentions by name" in asked:
        return _block(line for line in objects if line.startswith("object"))
    if "is known already" in asked:
        return _block(line for line in ir.splitlines() if line not in objects)
    return _block([ir])


def _block(lines: Iterable[str]) -> str:
    return "```asp\n" + "\n".join(lines) + "\n```"


@cache
def texts() -> dict[str, tuple[str, int]]:
    """Every text of the tasks, at every level."""
    found = {}
    for world, level, task in product(WORLDS, LEVELS, TASKS):
        found[read_texts(f"{world}+{level}", task).task.strip()] = world, task
    return found


@cache
def program(world: str, task: int) -> str:
    """The ideal IR of a task."""
    read = read_texts(world, task)
    return gold_ir(world, read_facts(read.problem, read_vocabulary(read.domain)))
