"""In whose dialogue a fault is told: the likeliest action's, or the next one's if that was told it before."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from agents.worldmodel.model import WorldModel
from agents.worldmodel.remarks import Remark

#: So often the same is told before the problem is asked for again, which may be wrong instead of the model.
TOLD_BEFORE_PROBLEM = 2
_WORD = re.compile(r"[a-z]{3,}")
_ENDING = re.compile(r"(?:ing|ed|es|[sde])$")


def remark_to_next(words: str, suspects: Iterable[str], model: WorldModel, made: Sequence[Remark]) -> Remark:
    """What is wrong, to the first suspect that was not told just that; to the first if all were.

    `suspects` are names of actions, the likeliest first; without any that the model has, all are.
    """
    known = [name for name in dict.fromkeys(suspects) if model.brief.action(name)]
    known = known or [action.name for action in model.brief.actions]
    told = told_before(words, made)
    return Remark(next((name for name in known if name not in told), known[0]), words)


def told_before(words: str, made: Sequence[Remark]) -> list[str]:
    """The actions that were told just that, once for each time."""
    return [remark.action for remark in made if remark.words == words]


def mentioning(fault: str, model: WorldModel) -> tuple[str, ...]:
    """The actions whose names and texts have the words of what `fault` says is wrong, rare words first."""
    wrong = _stems(" ".join(line for line in fault.splitlines() if " error[" in line) or fault)
    texts = {action.name: _stems(f"{action.name} {action.text}") for action in model.brief.actions}
    weight = {word: 1 / max(1, sum(word in text for text in texts.values())) for word in sorted(wrong)}
    return tuple(sorted(texts, key=lambda name: -sum(weight[w] for w in sorted(wrong & texts[name]))))


def _stems(text: str) -> frozenset[str]:
    """The words of a text without their endings, so that `washed` is found in `washes`."""
    return frozenset(_ENDING.sub("", word) for word in _WORD.findall(text.lower()))
