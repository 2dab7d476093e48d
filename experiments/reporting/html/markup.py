"""HTML that cannot be broken out of: elements are made, never pasted, and every text in them is escaped."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

#: Elements without content and end tag.
_VOID = frozenset({"meta", "link", "line", "circle", "path", "rect", "input", "br"})


@dataclass(frozen=True)
class Markup:
    """HTML source that is whole in itself; made by `el`, or from our own files."""

    source: str


Child = Markup | str
Attribute = str | int | float | bool | None


def el(tag: str, *children: Child, **attributes: Attribute) -> Markup:
    """An element. Strings among `children` are text, whatever they hold.

    Attribute names lose a `_` at their end and turn the others into `-` (`class_`, `aria_label`); True gives
    an attribute without value, False and None give none.
    """
    names = "".join(_attribute(name, value) for name, value in attributes.items())
    inner = "".join(child.source if isinstance(child, Markup) else escape(child) for child in children)
    return Markup(f"<{tag}{names}/>" if tag in _VOID else f"<{tag}{names}>{inner}</{tag}>")


def joined(*parts: Child) -> Markup:
    """The parts one after another, without an element around them."""
    return Markup("".join(p.source if isinstance(p, Markup) else escape(p) for p in parts))


def _attribute(name: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    written = name.rstrip("_").replace("_", "-")
    return f" {written}" if value is True else f' {written}="{escape(str(value))}"'
