"""The ledger of evidence in words: as rows for records, as a table for people, short for a language model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agents.repair.ledger import Entry, Standing

#: What the words of a row say, in their order.
HEADER = ("action", "part", "literal", "model", "for", "against", "standing", "example")
#: Characters of an example in a record.
_MAX_EXAMPLE = 300

_GOAL = "The goal holds after a walk in the world, and would not without it."

#: One entry in words, see `HEADER`.
Row = tuple[str, ...]


def table(entries: Sequence[Entry]) -> str:
    """All entries, one a line, as a Markdown table; what stands for PDDL is set as code."""
    rows = [HEADER, tuple("-" * len(word) for word in HEADER), *(_row(e, "`") for e in entries)]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def rows(entries: Sequence[Entry], most: int) -> tuple[Row, ...]:
    """At most so many entries in words, in order: edited and refuted ones stay first, then needed ones."""
    ranked = sorted(range(len(entries)), key=lambda number: (_rank(entries[number]), number))
    return tuple(_cut(_row(entries[number], "")) for number in sorted(ranked[:most]))


def brief(entries: Sequence[Entry]) -> str:
    """What is proved, what is refuted and what is open, in a few lines an action; empty without entries."""
    return "\n".join(line for part in (_proved(entries), _refuted(entries), _open(entries)) for line in part)


def _rank(entry: Entry) -> int:
    """Lower stays rather."""
    if entry.edited or entry.standing is Standing.REFUTED:
        return 0
    return 1 if entry.standing is Standing.NEEDED else 2


def _cut(row: Row) -> Row:
    *words, example = row
    return (*words, example if len(example) <= _MAX_EXAMPLE else f"{example[: _MAX_EXAMPLE - 2]} …")


def _row(entry: Entry, quote: str) -> Row:
    edited = {(True, True): "added", (False, True): "removed", (True, False): "kept"}
    model = edited.get((entry.present, entry.edited), f"instead of {quote}{entry.rival_of}{quote}")
    return (
        entry.action,
        str(entry.part),
        f"{quote}{entry.literal}{quote}",
        model,
        str(entry.supporting),
        str(entry.refuting),
        str(entry.standing),
        str(entry.example or (_GOAL if entry.goal else "")),
    )


def _proved(entries: Sequence[Entry]) -> Iterator[str]:
    """One line for each part of each action."""
    needed = [e for e in entries if e.standing is Standing.NEEDED]
    places = list(dict.fromkeys((e.action, e.part) for e in needed))
    if places:
        yield "Proved: without these, something that was observed could not be explained."
    for action, part in places:
        literals = [e.literal for e in needed if (e.action, e.part) == (action, part)]
        yield f"- {part} of {action}: {' '.join(literals)}"


def _refuted(entries: Sequence[Entry]) -> Iterator[str]:
    refuted = [e for e in entries if e.standing is Standing.REFUTED]
    if refuted:
        yield "Refuted: with these, something that was observed could not be explained."
    for entry in refuted:
        yield f"- {entry.part} of {entry.action}: {entry.literal}. {entry.example}"


def _open(entries: Sequence[Entry]) -> Iterator[str]:
    """What nothing depends on; and an added literal together with its rivals."""
    unsure = [e for e in entries if e.standing is Standing.OPEN and not e.rival_of]
    if unsure:
        yield "Open: nothing that was observed decides these."
    for entry in unsure:
        line = f"- {entry.part} of {entry.action}: {entry.literal}"
        if not entry.rivals:
            yield f"{line}; nothing that was observed depends on it"
            continue
        place = (entry.action, entry.part, entry.literal)
        others = [e.literal for e in entries if (e.action, e.part, e.rival_of) == place]
        yield f"{line}, or one of {' '.join(others)} in its place. {entry.example}"
