"""Steps of a plan in free text, and the admissible actions that they mean.

A step that is an action with existing objects stands as it is. Else each of its words is taken for the
nearest action or object, by edit distance, as long as there is one nearest, it is near, and the numbers in
both are the same: `Truck_1` is truck1, but truck3 is never truck2. What is then still no action is put to the
language model, all such steps of a plan at once. A step that nobody can translate stays, for whoever checks
the plan to refuse.

Source: Guan et al. 2023, Appendix A.12.2, where a language model translates every step.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agents.intrinsic import steps_of
from agents.llm.interface import LanguageModel
from agents.replies import ReplyTooLarge, code_blocks
from agents.sampling import derived_seed, sample, why_unanswered
from agents.texts import WorldTexts
from agents.worldmodel.requests import admissible_request
from envs.pddl.language.operators import format_operator, parse_operator

#: Of a word's characters, one in so many may differ; one may always.
_CHARACTERS_AN_EDIT = 4
_NUMBER = re.compile(r"\d+")
_SEPARATORS = re.compile(r"[\s_-]+")
_NUMBERED = re.compile(r"^\s*(\d+)[.):]\s*(.*)$")
_NUMBERING = re.compile(r"^\W*(?:step\s*)?\d+\s*[.):-]\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Steps:
    """The steps of one reply as operators, and how many had to be asked for."""

    plan: tuple[str, ...]
    asked: int = 0  #: steps that were put to the language model


@dataclass(frozen=True)
class Reader:
    """Reads plans for one task. Stateless; raises what the language model raises (LLMError)."""

    llm: LanguageModel
    texts: WorldTexts

    def read(self, text: str, seed: int) -> Steps | None:
        """The steps in the last code block of a reply; None if it has none. Raises ReplyTooLarge."""
        blocks = code_blocks(text)
        return self.steps(blocks[-1].splitlines(), seed) if blocks else None

    def steps(self, lines: Iterable[str], seed: int) -> Steps:
        """The steps in lines with one or more each."""
        written = [step for line in lines for step in self._written(line)]
        found = [nearest(step, self.texts) for step in written]
        open_steps = [step for step, operator in zip(written, found, strict=True) if operator is None]
        told = iter(self._asked(open_steps, seed)) if open_steps else iter(())
        plan = [operator if operator is not None else next(told) for operator in found]
        return Steps(tuple(plan), len(open_steps))

    def _written(self, line: str) -> list[str]:
        """The operators of a line, or its words if it holds none that is near an action."""
        names = frozenset(action.name for action in self.texts.actions)
        exact = steps_of(line, names, strict=True)
        loose = exact or [s for s in steps_of(line, names, strict=False) if nearest(s, self.texts)]
        plain = _NUMBERING.sub("", line, count=1).strip()
        return loose or ([plain] if plain else [])

    def _asked(self, steps: Sequence[str], seed: int) -> list[str]:
        """What the language model takes steps for; a step stays as it is where it does not say."""
        request = admissible_request(self.texts, steps)
        (completion,) = sample(self.llm, request, 1, derived_seed(seed, "admissible"))
        answered = {} if why_unanswered(completion) else _numbered(completion.text)
        found = [nearest(answered.get(number, ""), self.texts) for number in range(1, len(steps) + 1)]
        return [operator or step for operator, step in zip(found, steps, strict=True)]


def nearest(step: str, texts: WorldTexts) -> str | None:
    """The operator that a step is, or is nearest to; None if that is not clear."""
    try:
        name, arguments = parse_operator(step)
    except ValueError:
        return None
    actions = {action.name.lower(): action for action in texts.actions}
    known = _nearest(name, actions)
    if known is None or len(arguments) != len(actions[known].parameters):
        return None
    found = [_nearest(argument, [o.lower() for o in texts.objects]) for argument in arguments]
    objects = [name for name in found if name is not None]
    return format_operator(known, objects) if len(objects) == len(found) else None


def edit_distance(one: str, other: str) -> int:
    """The fewest insertions, deletions and changes of one character that make `other` of `one`."""
    row = list(range(len(other) + 1))
    for i, mine in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, yours in enumerate(other, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (mine != yours))
    return row[-1]


def _nearest(word: str, known: Iterable[str]) -> str | None:
    """The one known name that is nearest, if it is near enough."""
    names = list(known)
    if word in names:
        return word
    plain = _SEPARATORS.sub("", word)
    fitting = [name for name in names if _NUMBER.findall(name) == _NUMBER.findall(word)]
    ranked = sorted((edit_distance(plain, _SEPARATORS.sub("", name)), name) for name in fitting)
    clear = len(ranked) == 1 or (len(ranked) > 1 and ranked[0][0] < ranked[1][0])
    most = max(1, len(plain) // _CHARACTERS_AN_EDIT)
    return ranked[0][1] if clear and ranked[0][0] <= most else None


def _numbered(text: str) -> dict[int, str]:
    """The lines `2. (stack b a)` of a reply, by number; empty if it is too long to be read."""
    try:
        blocks = code_blocks(text)
    except ReplyTooLarge:
        return {}
    lines = (blocks[-1] if blocks else text).splitlines()
    return {int(found[1]): found[2].strip() for line in lines if (found := _NUMBERED.match(line))}
