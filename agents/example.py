"""The Blocksworld example: the same requests as for a real task, with a good answer to each.

Every request that asks for PDDL is preceded by one solved example (Mahdavi et al. 2024, Appendix B.1), as
earlier turns of the conversation.
"""

from __future__ import annotations

import json
from functools import cache

from agents.prompts import load
from agents.texts import WorldTexts
from envs.pddl.interface import ActionSignature, Parameter


@cache
def example_world() -> WorldTexts:
    """The texts of the example's task."""
    interface = json.loads(load("example/interface.json"))
    return WorldTexts(
        interface["name"],
        load("example/description.md"),
        load("example/task.md"),
        interface["types"],
        interface["objects"],
        tuple(
            ActionSignature(name, tuple(Parameter(p, t) for p, t in parameters.items()))
            for name, parameters in interface["actions"].items()
        ),
    )


def example_answer(request: str) -> str:
    """The good answer to the request made by the prompt `request`, e.g. `problem`."""
    return load(f"example/{request}.md")
