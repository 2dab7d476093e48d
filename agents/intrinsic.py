"""Planning by the language model alone, with or without chain of thought: the baseline without a model.

A plan is read tolerantly, since its notation is not what is being measured: `(move r1 a b)`, `move(r1, a,
b)` and `move r1 a b`, numbered or not. A step of an unknown name or arity stays in the plan; it is for the
environment to refuse it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from agents.llm.interface import Completion, Finish, LanguageModel
from agents.replies import ReplyTooLarge, code_blocks
from agents.requests import plan_request
from agents.sampling import sample, why_unanswered
from agents.texts import WorldTexts
from envs.pddl.language.operators import format_operator
from envs.pddl.language.sexpr import lone_surrogate, printable

# The look-behind keeps the search linear: a name is only tried from its first letter.
_FORM = re.compile(r"(?:(?<![\w-])(?P<head>[\w-]+)(?P<gap>[ \t]*))?\((?P<inner>[^()]*)\)")
_COMMENT = re.compile(r"[;#]|//")
_NUMBERING = re.compile(r"^\W*(?:step\s*)?\d*\s*[.):-]*\s*", re.IGNORECASE)


@dataclass(frozen=True)
class PlanProposal:
    """A plan as operator texts, or why the reply holds none: exactly one is None."""

    plan: tuple[str, ...] | None
    fault: str | None = None
    finish: Finish = Finish.STOP


def ask_for_plan(
    model: LanguageModel, texts: WorldTexts, seed: int, *, chain_of_thought: bool
) -> PlanProposal:
    """A plan for the task, sampled once at temperature 0. Raises what the model raises (LLMError)."""
    (completion,) = sample(model, plan_request(texts, chain_of_thought), 1, seed)
    return read_plan_reply(completion, texts)


def read_plan_reply(completion: Completion, texts: WorldTexts) -> PlanProposal:
    """The steps in the last code block of a reply; without blocks, in all lines that hold a known action."""
    if unanswered := why_unanswered(completion):
        return PlanProposal(None, unanswered, completion.finish)
    try:
        blocks = code_blocks(completion.text)
    except ReplyTooLarge as refusal:
        return PlanProposal(None, str(refusal))
    names = frozenset(action.name for action in texts.actions)
    lines = (blocks[-1] if blocks else completion.text).splitlines()
    steps = [step for line in lines for step in steps_of(line, names, strict=not blocks)]
    if broken := [printable(step) for step in steps if lone_surrogate(step) is not None]:
        return PlanProposal(
            None, f"the step {broken[0]} holds half a character (a lone surrogate); remove it"
        )
    if steps or (blocks and not blocks[-1].strip()):
        return PlanProposal(tuple(steps))
    return PlanProposal(None, "the reply holds no line that is a step of a plan")


def steps_of(line: str, names: frozenset[str], strict: bool) -> list[str]:
    """The operators of one line. `strict`: only those of a known action; else anything in parentheses too."""
    line = _COMMENT.split(line, maxsplit=1)[0]
    found = [words for form in _FORM.finditer(line) if (words := _words_of(form, names))]
    if not found:
        bare = _words(_NUMBERING.sub("", line, count=1).rstrip(" ."))
        found = [bare] if bare and bare[0].lower() in names else []
    return [format_operator(w[0], w[1:]) for w in found if not strict or w[0].lower() in names]


def _words_of(form: re.Match[str], names: frozenset[str]) -> list[str]:
    """`(move a b)` and `move(a, b)` as words; a word some way before the parenthesis has to be an action."""
    head = form["head"] or ""
    return _words(f"{head if not form['gap'] or head.lower() in names else ''} {form['inner']}")


def _words(text: str) -> list[str]:
    return [word for word in re.split(r"[\s,]+", text) if word]
