"""The world of the Blocksworld example that requests begin with, as texts, names and signatures."""

import json
from functools import cache
from pathlib import Path

from agents.prompts import load
from agents.texts import WorldTexts
from envs.pddl.interface import ActionSignature, Parameter


@cache
def example_world() -> WorldTexts:
    interface = json.loads(Path(__file__).with_name("example_interface.json").read_text(encoding="utf-8"))
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
