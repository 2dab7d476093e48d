"""The prompts: text files beside this one, with `$placeholder`s that are filled in once.

A value is inserted as it is: a `$` or brace inside a model's or an environment's text stays text.
`example/` holds the Blocksworld example that is shown before every request that asks for PDDL.
"""

from __future__ import annotations

from importlib.resources import files
from string import Template


def load(name: str) -> str:
    """The text of a prompt file, e.g. `problem.md` or `example/task.md`, without blanks at its ends."""
    return files(__name__).joinpath(name).read_text(encoding="utf-8").strip()


def render(name: str, **values: str) -> str:
    """The prompt file `name` with every placeholder filled in.

    Raises ValueError if the file's placeholders and `values` are not the same names.
    """
    template = Template(load(name))
    wanted, given = sorted(template.get_identifiers()), sorted(values)
    if wanted != given:
        raise ValueError(f"prompt {name} has the placeholders {wanted}, but was given {given}")
    return template.substitute(values)
