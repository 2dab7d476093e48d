"""Splitting reasoning text off an answer, before anything looks for code in it.

Servers hand reasoning over in a field of its own, or inline as `<think>...</think>`. Inline there are three
irregular forms: the block never ends (cut off: all of it is reasoning), it never begins (the opening tag was
part of the prompt), or there are several.
"""

from __future__ import annotations

import re

_TAG = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE)


def split_reasoning(content: str) -> tuple[str, str]:
    """(answer, reasoning), both stripped if there was any reasoning. Linear in the length of the text."""
    tags = list(_TAG.finditer(content))
    if not tags:
        return content, ""
    answer: list[str] = []
    reasoning: list[str] = []
    place, inside = 0, bool(tags[0].group(1))
    for tag in tags:
        (reasoning if inside else answer).append(content[place : tag.start()])
        place, inside = tag.end(), not tag.group(1)
    (reasoning if inside else answer).append(content[place:])
    return "".join(answer).strip(), "\n".join(part.strip() for part in reasoning if part.strip())
