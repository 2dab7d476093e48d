"""What would explain a disagreement, in words: changes with their evidence, or what else it may be.

Changes that explain equally much are equals: they stand under one count, and are never a ranking.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from ew.counterexample.explanations import FACTS, NOT_TOGETHER, Alike, Change, Explanation, Together

#: So many changes are printed; what they have equals of beyond that is counted.
MAX_SHOWN = 6

#: A change of a literal, as an order.
_ORDERS = {
    Change.ADD_PRECONDITION: "add the precondition",
    Change.DROP_PRECONDITION: "drop the precondition",
    Change.ADD_EFFECT: "add the effect",
    Change.ADD_FACT: "add the fact",
    Change.DROP_FACT: "drop the fact",
}
#: The beginning of the paragraph of single changes.
_SINGLE = "Single changes of your model, each tried on all that was observed"
_NO_PROOF = "These counts are no proofs."


@dataclass(frozen=True)
class Causes:
    """What was found about the causes of all differences seen."""

    differences: int = 0
    explanations: tuple[Explanation, ...] = ()
    together: Together = NOT_TOGETHER
    alike: tuple[Alike, ...] = ()
    lacking: tuple[str, ...] = ()  #: predicates of the described state that the model does not have

    @property
    def consistent(self) -> tuple[Explanation, ...]:
        """The changes that contradict nothing."""
        return tuple(e for e in self.explanations if not e.contradicts)

    @property
    def facts(self) -> tuple[tuple[Change, str], ...]:
        """Facts of the initial state that alone, or together, explain all and contradict nothing."""
        if self.together.facts:
            return self.together.facts
        whole = (e for e in self.consistent if e.explains == self.differences)
        return tuple((e.change, e.literal) for e in whole if e.change in FACTS)

    @property
    def suspects_facts(self) -> bool:
        """Whether some fact of the initial state explains more than it contradicts."""
        return bool(self.together.facts) or any(e.change in FACTS for e in self.explanations)

    @property
    def explained(self) -> bool:
        """Whether a single change, or facts together, explain all and contradict nothing."""
        whole = any(e.explains == self.differences for e in self.consistent)
        return whole or bool(self.together.facts)


NO_CAUSES = Causes()


def order(change: Change, action: str, literal: str) -> str:
    """A change in words: `pick: add the precondition (free ?g)`."""
    return f"{action or 'initial state'}: {_ORDERS[change]} {literal}"


def read_order(line: str) -> tuple[Change, str, str] | None:
    """Change, action (empty for a fact) and literal of a line that `order` wrote; None for any other line."""
    place, _, said = line.partition(": ")
    for change, words in _ORDERS.items():
        if said.startswith(f"{words} (") and " " not in place.replace("initial state", ""):
            return change, "" if place == "initial state" else place, said.removeprefix(f"{words} ")
    return None


def cause_words(causes: Causes, domain_stands: bool = False) -> str:
    """The paragraphs about causes; empty if no difference was seen.

    `domain_stands`: the domain solved another task. Then changes of it are named only if no facts explain
    what was seen.
    """
    if not causes.differences:
        return ""
    shown = causes.consistent or causes.explanations
    if domain_stands and causes.facts:
        shown = tuple(e for e in shown if e.change in FACTS)
    parts = [_together(causes), _changes(shown, causes.differences)]
    if not causes.explained:
        parts += [
            _unexplained(causes),
            *(() if causes.consistent else _alike(causes)),
            _lacking(causes.lacking),
        ]
    return "\n\n".join(part for part in parts if part)


def _together(causes: Causes) -> str:
    if not causes.together.facts:
        return ""
    lines = [f"- {order(change, '', atom)}" for change, atom in causes.together.facts]
    head = (
        f"These changes of the initial state, made together, explain all {causes.differences} differences "
        f"that were seen and contradict nothing that was observed. {_NO_PROOF}"
    )
    return "\n".join([head, *lines])


def _changes(shown: Sequence[Explanation], differences: int) -> str:
    if not shown:
        return ""
    head = (
        f"{_SINGLE} ({differences} differences, each counted once). "
        f"{_NO_PROOF} Changes under one count are equals: nothing that was seen tells them apart, and their "
        "order says nothing."
    )
    return "\n".join([head, *_groups(shown, differences)])


def _groups(shown: Sequence[Explanation], differences: int) -> Iterator[str]:
    left = MAX_SHOWN
    for (explains, contradicts), group in groupby(shown, key=lambda e: (e.explains, e.contradicts)):
        if left <= 0:
            return
        equals = list(group)
        against = f"{contradicts} agreements" if contradicts else "nothing that was observed"
        yield f"Explains {explains} of {differences}, contradicts {against}:"
        for e in equals[:left]:
            yield f"- {order(e.change, e.action, e.literal)}"
        if len(equals) > left:
            yield f"- or one of {len(equals) - left} more that fit as well"
        left -= len(equals)


def _unexplained(causes: Causes) -> str:
    return (
        f"No single change of a literal explains all {causes.differences} differences without contradicting "
        "something that was observed. What may: several changes together; a condition or an effect that is "
        "quantified or conditional; facts of the initial state that are missing or too much; or a predicate "
        "that your model does not have but the described state shows."
    )


def _alike(causes: Causes) -> Iterator[str]:
    for pair in () if causes.consistent else causes.alike:
        yield (
            f"The environment executes {pair.executed} in one of the states seen and refuses {pair.refused} "
            "in one, and all literals of your predicates over the action's parameters have the same values "
            "there in your model. So no such literal, added or dropped, can tell the two apart."
        )


def _lacking(lacking: Sequence[str]) -> str:
    if not lacking:
        return ""
    return (
        f"The described state names these predicates, which your domain does not have: {', '.join(lacking)}."
    )


def without_orders(words: str, wrong: Collection[str]) -> str:
    """Feedback without the recommended changes that are known to be wrong; counts without a change go too."""
    barred = {f"- {order}" for order in wrong}
    paragraphs = words.split("\n\n")
    kept = [
        _left(paragraph, barred) if paragraph.startswith(_SINGLE) else paragraph for paragraph in paragraphs
    ]
    return "\n\n".join(paragraph for paragraph in kept if paragraph)


def _left(paragraph: str, barred: Collection[str]) -> str:
    head, *lines = paragraph.splitlines()
    kept: list[str] = []
    for line in reversed(lines):  # a count stays if a change is left under it
        if line in barred or (not line.startswith("- ") and not (kept and kept[-1].startswith("- "))):
            continue
        kept.append(line)
    return "\n".join([head, *reversed(kept)]) if kept else ""
