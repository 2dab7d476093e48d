"""The text of an operator, `(move robot1 room1 room2)`: written and read in this one place."""

from __future__ import annotations

from collections.abc import Sequence

from envs.pddl.language.sexpr import lone_surrogate


def format_operator(name: str, arguments: Sequence[str]) -> str:
    """The canonical text of an operator: lower case, one blank between words, in parentheses."""
    return f"({' '.join((name, *arguments)).lower()})"


def parse_operator(text: str) -> tuple[str, tuple[str, ...]]:
    """Name and arguments of an operator's text, with or without parentheses, in any case.

    What follows a `;` is a comment. Raises ValueError if `text` holds no name, parentheses inside it, or half
    a character (a lone surrogate), which no file can hold.
    """
    inner = text.partition(";")[0].strip().removeprefix("(").removesuffix(")").lower()
    words = inner.split()
    at = lone_surrogate(text)
    if at is not None:
        raise ValueError(f"not an operator: {text!r} has half a character at place {at + 1}; remove it")
    if not words or "(" in inner or ")" in inner:
        raise ValueError(f"not an operator: {text!r}; write it as (name argument ...)")
    return words[0], tuple(words[1:])
