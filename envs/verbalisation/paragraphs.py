"""A description taken apart: what it says in general, and what it says about each action.

A description gives each action a paragraph of its own that starts with a number and the action's name,
`3. open-door: …`, and runs to the next one. What comes before the first such paragraph is general.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_START = re.compile(r"^[ \t]*\d+[.)][ \t]+([A-Za-z0-9_][\w.+-]*):[ \t]*", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s")


@dataclass(frozen=True)
class Paragraphs:
    """A description in parts."""

    general: str  #: without the sentence that announces the list of actions
    #: by lower-case name, in the order of the text; numbers and names are left out
    actions: Mapping[str, str]


class UnclearParagraphs(ValueError):
    """A description that does not give each action a paragraph of its own."""

    def __str__(self) -> str:
        return (
            f"the description has {' and '.join(self.args)}: give every action one paragraph that starts "
            "with a number, its name and a colon, as in `3. open-door: ...`"
        )


def read_paragraphs(description: str, actions: Iterable[str] = ()) -> Paragraphs:
    """The parts of a description.

    Raises UnclearParagraphs if one of `actions` has no paragraph, or an action has two.
    """
    starts = list(_START.finditer(description))
    ends = [*(start.start() for start in starts[1:]), len(description)]
    names = [start[1].lower() for start in starts]
    texts = [description[start.end() : end].strip() for start, end in zip(starts, ends, strict=False)]
    missing = [name for name in actions if name.lower() not in names]
    twice = dict.fromkeys(name for name in names if names.count(name) > 1)
    faults = [f"no paragraph on {', '.join(missing)}"] if missing else []
    faults += [f"two paragraphs on {', '.join(twice)}"] if twice else []
    if faults:
        raise UnclearParagraphs(*faults)
    before = description[: starts[0].start()] if starts else description
    return Paragraphs(_unannounced(before.strip()), dict(zip(names, texts, strict=True)))


#: The general part of an outlined description.
OUTLINE = (
    "Only an outline of the environment is known: what each action is for. Its rules have to be found out."
)


def outline(description: str) -> str:
    """`OUTLINE`, and the first sentence on each action.

    Raises UnclearParagraphs if there is no paragraph on any action, or two on one.
    """
    actions = read_paragraphs(description).actions
    if not actions:
        raise UnclearParagraphs("no paragraph on any action")
    first = ((name, _SENTENCE_END.split(text, maxsplit=1)[0]) for name, text in actions.items())
    listed = (f"{number}. {name}: {text}" for number, (name, text) in enumerate(first, start=1))
    return "\n\n".join((OUTLINE, *listed))


def _unannounced(general: str) -> str:
    """The text without a last line that ends with a colon, such as `There are six actions:`."""
    kept, _, last = general.rpartition("\n")
    return kept.rstrip() if last.rstrip().endswith(":") else general
