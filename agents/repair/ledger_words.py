"""The ledger of evidence as a table for people, and as a short text for a language model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agents.repair.ledger import Entry, Standing

_HEADER = ("action", "part", "literal", "model", "for", "against", "standing", "example")


def table(entries: Sequence[Entry]) -> str:
    """All entries, one a line, as a Markdown table."""
    rows = [_HEADER, tuple("-" * len(word) for word in _HEADER), *map(_row, entries)]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def brief(entries: Sequence[Entry]) -> str:
    """What is proved, what is refuted and what is open, in a few lines an action; empty without entries."""
    return "\n".join(line for part in (_proved(entries), _refuted(entries), _open(entries)) for line in part)


def _row(entry: Entry) -> tuple[str, ...]:
    edited = {(True, True): "added", (False, True): "removed", (True, False): "kept"}
    model = edited.get((entry.present, entry.edited), f"instead of `{entry.rival_of}`")
    return (
        entry.action,
        entry.part,
        f"`{entry.literal}`",
        model,
        str(entry.supporting),
        str(entry.refuting),
        entry.standing,
        str(entry.example or ""),
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
