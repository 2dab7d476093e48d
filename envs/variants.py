"""Variants of a world, named by suffixes behind its name: `grippers+compact`, `termes+narrative+anonymised`.

    +given                            the task's text that lies beside its PDDL, word for word
    +explicit, +compact, +narrative   the level of the task's text, written from the PDDL
    +terse                            likewise, without what follows by the rules of the world
    +outlined                         of the description a sentence an action: what it does, no rules
    +undocumented                     no description of the domain, as if nobody had written down the rules
    +anonymised                       neutral names for everything, in the PDDL and in all texts

They go with every world of PDDL, in any order, but +terse only where `implied.json` says what follows, and
never with +anonymised. With other worlds one of +outlined and +undocumented goes. Without a level, a task has
the text that is given, and in a built-in world that has none the explicit one.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """Which text a task has: its author's, or one of four levels of naturalness written from its PDDL.

    A written text says nothing false. A terse one leaves out what can be inferred, the other three leave out
    nothing; a given one may do anything.
    """

    GIVEN = "given"
    EXPLICIT = "explicit"
    COMPACT = "compact"
    NARRATIVE = "narrative"
    TERSE = "terse"


#: The levels at which a text written from the PDDL says everything, the most explicit first.
WRITTEN = (Level.EXPLICIT, Level.COMPACT, Level.NARRATIVE)
OUTLINED = "outlined"
UNDOCUMENTED = "undocumented"
ANONYMISED = "anonymised"

#: The suffixes, in the order of canonical names.
SUFFIXES = (*(str(level) for level in Level), OUTLINED, UNDOCUMENTED, ANONYMISED)


@dataclass(frozen=True)
class Variant:
    """What the suffixes behind a world's name ask for."""

    level: Level | None = None
    outlined: bool = False
    undocumented: bool = False
    anonymised: bool = False

    def __str__(self) -> str:
        """The suffixes in their canonical order."""
        flags = {OUTLINED: self.outlined, UNDOCUMENTED: self.undocumented, ANONYMISED: self.anonymised}
        asked = (self.level, *(suffix for suffix, wanted in flags.items() if wanted))
        return "".join(f"+{suffix}" for suffix in asked if suffix)


def split_variant(world: str) -> tuple[str, Variant]:
    """The world's own name, and its variant. Raises ValueError if it asks for two levels or descriptions."""
    asked: list[str] = []
    while (parts := world.rpartition("+"))[2] in SUFFIXES and parts[1]:
        world = parts[0]
        asked.append(parts[2])
    levels = sorted({Level(suffix) for suffix in asked if suffix in set(Level)})
    if len(levels) > 1:
        raise ValueError(f"{world}: a task's text has one level, not both {' and '.join(levels)}")
    if OUTLINED in asked and UNDOCUMENTED in asked:
        raise ValueError(
            f"{world}: a description is either {OUTLINED} or left out ({UNDOCUMENTED}), not both"
        )
    flags = (suffix in asked for suffix in (OUTLINED, UNDOCUMENTED, ANONYMISED))
    return world, Variant(levels[0] if levels else None, *flags)
