"""The language model as a planner for instructions, with or without a world model to read or to check with.

It is asked for a plan, from the environment's description or from a model in words; its steps are put into
the form of actions. With an advisor, a plan that the model finds fault with is sent back with the fault
(`saying.Advisor`), until it finds none, so many plans were made, or the language model writes the same plan
again. The last plan counts: whether it works is for the environment to say.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from agents.intrinsic import PlanProposal, steps_of
from agents.llm.interface import LanguageModel
from agents.prompts import turn
from agents.replies import ReplyTooLarge, check_size, code_blocks, last_block
from agents.requests import plan_request
from agents.sampling import as_reply, derived_seed, sample, why_unanswered
from agents.texts import WorldTexts
from agents.worldmodel.model import WorldModel
from agents.worldmodel.requests import admissible_request, shown_plan_request
from agents.worldmodel.saying import AdviceKind, Advisor
from envs.pddl.language.operators import format_operator, parse_operator

_NO_BLOCK = "It cannot be read: there is no code block with one step a line."
_NO_ACTION = "It cannot be read: there is no line `action: ...` in it."
#: Marks that a reply may set a line or a word in.
_MARKS = " \t>*_`-"
#: An action may stand behind the number of its step, and in the line below its name.
_ACTION = re.compile(
    rf"^[#{_MARKS}]*(?:(?:step[ \t]*)?\d+[.:)][{_MARKS}]*)?action[*_`]*[ \t]*:"
    rf"(?:[{_MARKS}]*\n[{_MARKS}]*(?=\())?(.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_FIRST = re.compile(rf"^[#{_MARKS}]*step[ \t]*0*1\b(?![.]\d)", re.IGNORECASE | re.MULTILINE)
#: Of a word's characters, one in so many may differ; one may always.
_CHARACTERS_AN_EDIT = 4
_NUMBER = re.compile(r"\d+")
_SEPARATORS = re.compile(r"[\s_-]+")
_NUMBERED = re.compile(r"^\s*(\d+)[.):]\s*(.*)$")
_NUMBERING = re.compile(r"^\W*(?:step\s*)?\d+\s*[.):-]\s*", re.IGNORECASE)


@dataclass(frozen=True)
class StepReader:
    """Reads plans for one task. Stateless; raises what the language model raises (LLMError)."""

    llm: LanguageModel
    texts: WorldTexts

    def read(self, text: str, seed: int) -> tuple[str, ...] | None:
        """The steps in the last code block of a reply; None if it has none. Raises ReplyTooLarge."""
        blocks = code_blocks(text)
        return self.steps(blocks[-1].splitlines(), seed) if blocks else None

    def steps(self, lines: Iterable[str], seed: int) -> tuple[str, ...]:
        """The steps in lines with one or more each, as operators."""
        written = [step for line in lines for step in self._written(line)]
        found = [nearest(step, self.texts) for step in written]
        open_steps = [step for step, operator in zip(written, found, strict=True) if operator is None]
        answers = iter(self._asked(open_steps, seed) if open_steps else ())
        return tuple(operator or next(answers) for operator in found)

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


@dataclass(frozen=True)
class Planned(PlanProposal):
    """The last plan, or why there is none."""

    told: Mapping[AdviceKind, int] = field(default_factory=dict)  #: faults that were sent back


@dataclass(frozen=True)
class InstructedPlanner:
    """Plans for instructions. Stateless; raises what the language model raises (LLMError).

    Without a model that is `shown`, a plan is asked for as in the intrinsic baseline with reasoning, and read
    from a code block. With one, all its actions are shown in words, with two examples, and a plan is thoughts
    and actions, which are written with the model's parameters.
    Source of the latter: Guan et al. 2023, Appendix A.12.1; their examples are of the environment itself.
    """

    llm: LanguageModel
    turns: int = 4  #: plans at most; without an advisor there is one
    shown: WorldModel | None = None

    def plan(self, texts: WorldTexts, seed: int, advisor: Advisor | None = None) -> Planned:
        """A plan for the task of `texts`."""
        if self.shown is None:
            history, unreadable, again = plan_request(texts, chain_of_thought=True), _NO_BLOCK, "unsound_plan"
        else:
            history, unreadable, again = shown_plan_request(texts, self.shown), _NO_ACTION, "unsound_shown"
            texts = replace(texts, actions=tuple(action.signature for action in self.shown.draft.actions))
        reader, told = StepReader(self.llm, texts), Counter[AdviceKind]()
        seen: set[tuple[str, ...]] = set()
        plan: tuple[str, ...] | None = None
        for number in range(self.turns if advisor is not None else 1):
            own = derived_seed(seed, "plan", number)
            (completion,) = sample(self.llm, history, 1, own)
            if unanswered := why_unanswered(completion):
                return Planned(None, unanswered, completion.finish, dict(told))
            plan, words = self._read(reader, completion.text, own), unreadable
            if plan is not None:
                if advisor is None or plan in seen:
                    break
                seen.add(plan)
                advice = advisor.advise(plan)
                if advice is None:
                    break
                words = advice.words
                told.update([advice.kind] if number < self.turns - 1 else [])
            history = (*history, as_reply(completion), turn(f"worldmodel/{again}.md", fault=words.strip()))
        return Planned(plan, unreadable if plan is None else None, told=dict(told))

    def _read(self, reader: StepReader, text: str, seed: int) -> tuple[str, ...] | None:
        """The actions of the last plan that a model was shown for, else the steps of the last code block.

        None if the reply cannot be read.
        """
        try:
            actions = actions_of(text) if self.shown is not None else ()
            return reader.steps(actions, seed) if actions else reader.read(text, seed)
        except ReplyTooLarge:
            return None


def actions_of(reply: str) -> tuple[str, ...]:
    """The actions of the last plan in `reply`, as they are written; empty if there is none.

    Raises ReplyTooLarge.
    """
    check_size(reply)
    starts = [0, *(first.start() for first in _FIRST.finditer(reply))]
    ends = [*starts[1:], len(reply)]
    plans = [_actions(reply[start:end]) for start, end in zip(starts, ends, strict=True)]
    return next((plan for plan in reversed(plans) if plan), ())


def _actions(text: str) -> tuple[str, ...]:
    written = (found.strip(f"{_MARKS}\r") for found in _ACTION.findall(text))
    return tuple(action for action in written if action)


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
        lines = last_block(text).splitlines()
    except ReplyTooLarge:
        return {}
    return {int(found[1]): found[2].strip() for line in lines if (found := _NUMBERED.match(line))}
